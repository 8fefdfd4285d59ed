"""A start to a trajectory by a formulation left to itself: no state is moved back onto the constraints.

What is recorded is projected as in every run; the next piece goes on from the state as it was integrated,
so that drift shows.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from mbdc.dsl.records import replace

from ..integrate import Accuracy, Driver, Piece, State
from ..interrupts import deferred
from ..pilot import PILOT_TOLERANCE, Pilot, pilot
from ..reach import SHORTEST, reach
from ..record import Record, settle
from ..run import Plan, Progress, Run
from ..start import Start
from ..watch import first_crossing
from .formulation import Formulation

STEPS_PER_PIECE = 400


def march(formulation: Formulation, driver: Driver, start: Start, plan: Plan, progress: Progress | None = None) -> Run:
    """Integrate over the plan; whatever stops the run, all that was computed before is in the record."""
    began = perf_counter()
    walker = _March(formulation.follower(driver), driver, start, plan)
    try:
        with deferred() as interrupts:
            while walker.advance():
                interrupts.check()
                if progress is not None:
                    progress(walker.state.time, plan.stop)
    except KeyboardInterrupt:
        walker.run.outcome, walker.run.reason = "stopped", "interrupted"
    walker.run.wall_time = perf_counter() - began
    return walker.run


class _March:
    """A run in progress. Scales, and κ where there is one, are those of the default's pilot at the start."""

    def __init__(self, follower: Driver, driver: Driver, start: Start, plan: Plan) -> None:
        self._follower = follower
        self._driver = driver
        self._start = start
        self._plan = plan
        self._grid = plan.instants()
        self._next = 0
        work = np.zeros(driver.kernels.reduced.equations.power.numel())
        known = State(start.time, start.x, start.z, work)
        own = follower.kernels.reduced.z.numel() - start.z.size
        self.state = replace(known, z=np.concatenate([start.z, np.zeros(own)]))
        self.run = Run(Record(driver.kernels))
        self.run.record.add_start(known, driver.environment(start.time, start.time))
        self._steering: Pilot = pilot(driver, known, plan.stop, np.abs(start.x), 0.0)
        finer = (PILOT_TOLERANCE / (plan.tolerance / 10)) ** (1 / 6)
        self._allowed = STEPS_PER_PIECE * self._steering.step / finer

    def advance(self) -> bool:
        """One piece; False when the run is over."""
        if self._next >= self._grid.size:
            return False
        ahead = self._grid[self._next :]
        count, stop = reach(self._driver.inputs, self.state.time, ahead, self._allowed)
        steering = self._steering
        accuracy = Accuracy.asked(self._plan.tolerance, steering.scales, steering.energy)
        piece = self._follower.integrate(self.state, stop, max(count, 1), steering.kappa, accuracy)
        if piece is None:
            return self._cut(stop - self.state.time)
        self.run.steps += piece.steps
        duration = stop - self.state.time
        self._allowed = min(STEPS_PER_PIECE * duration / max(piece.steps, 1), 4 * duration)
        return self._take(piece, count, accuracy)

    def _take(self, piece: Piece, count: int, accuracy: Accuracy) -> bool:
        """Record a piece, up to the first limit it reaches."""
        crossing = first_crossing(self._follower, self.state, piece, self._steering.kappa, accuracy, None)
        if crossing is not None:
            for part in (crossing.before, crossing.at):
                if part is not None:
                    self._record(part)
            watched, time = crossing.watched, float(crossing.at.times[0])
            self.run.outcome, self.run.reason = watched.outcome, watched.reason
            self.run.events.append((time, watched.name, watched.reason))
            return False
        if not count and piece.times[-1] >= self._grid[self._next]:
            count = 1
        if count:
            self._record(piece)
        self.state = piece.state(-1)
        self._next += count
        return True

    def _record(self, piece: Piece) -> None:
        """Settled by the functions of the default, which know nothing of what a formulation adds to z."""
        environment = self._driver.environment(self.state.time, float(piece.times[-1]))
        shared = replace(piece, z=piece.z[: self._start.z.size])
        settled = settle(self._driver.kernels, shared, environment, self._start.redundancy)
        self.run.record.add(settled, environment)

    def _cut(self, duration: float) -> bool:
        """After a piece that failed: shorter ones, as long as that leads anywhere."""
        self._allowed = duration / 4
        if self._allowed < SHORTEST * self._plan.interval:
            self.run.outcome = "stopped"
            self.run.reason = "the motion cannot be followed further"
            return False
        return True
