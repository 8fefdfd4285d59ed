"""A start to a trajectory: IDAS in pieces, each recorded on the constraints before the next begins."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .change_points import ChangePoints
from .integrate import Accuracy, Driver, Piece, State
from .pilot import PILOT_TOLERANCE, Pilot, pilot
from .reach import SHORTEST, reach
from .record import Record, Settled, settle
from .redundancy import Redundancy, find_redundancy
from .run import LOST, Plan, Progress, Run
from .search import Level
from .start import Start
from .watch import first_crossing

Floats = NDArray[np.float64]

STEPS_PER_PIECE = 400
LEAST_INSTANTS = 1000
"""Where rows may lose their rank they are looked at this often in a run, however few instants are recorded."""
TIGHT = 1e-9
MOST_LOOSENED = 100.0
"""How far a tolerance below `TIGHT` is given up for a piece that fails otherwise."""
MOST_CUTS = 100
"""Pieces that may fail on the way from one instant to the next: a run that creeps on will not arrive."""
RESTART_STEPS = 30
"""Steps a restart costs IDAS, which begins each piece at order one."""


def simulate(driver: Driver, start: Start, plan: Plan, progress: Progress | None = None) -> Run:
    """Integrate over the plan; whatever stops the run, all that was computed before is in the record."""
    began = perf_counter()
    runner = _Runner(driver, start, plan)
    try:
        while runner.advance():
            if progress is not None:
                progress(runner.state.time, plan.stop)
    except KeyboardInterrupt:
        runner.run.outcome, runner.run.reason = "stopped", "interrupted"
    except np.linalg.LinAlgError:
        # A mass matrix that is positive no more, or slopes that are no numbers: there is no way on.
        runner.lose()
    runner.run.wall_time = perf_counter() - began
    return runner.run


class _Runner:
    """A run in progress: where it is, what it has recorded, and how it is steered."""

    def __init__(self, driver: Driver, start: Start, plan: Plan) -> None:
        self._driver = driver
        self._plan = plan
        self._next = 0
        powers = driver.kernels.reduced.equations.power.numel()
        self.state = State(start.time, start.x, start.z, np.zeros(powers))
        self.run = Run(Record(driver.kernels))
        self.run.record.add_start(self.state, driver.environment(start.time, start.time))
        self._pilot: Pilot | None = None
        self._largest = np.abs(start.x)
        self._rate = 0.0
        self._rate_at_pilot = 0.0
        self._allowed = np.inf
        self._cuts = 0
        self._redundancy: Redundancy | None = None
        self._first_rank = None if start.redundancy is None else start.redundancy.rank
        self._loosened = 1.0
        rows = driver.kernels.multipliers
        rank = rows.stop - rows.start if start.redundancy is None else start.redundancy.rank
        self._change_points = ChangePoints(driver, rank)
        self._passing: bool | None = None
        parts = plan.parts_of_at_least(LEAST_INSTANTS) if self._change_points.watched and rank > 1 else 1
        self._grid = plan.instants(parts)
        # What is looked at between the instants asked for is not recorded.
        self._wanted = (np.arange(1, self._grid.size + 1) % parts == 0) | (self._grid == self._grid[-1])
        self._step = plan.interval / parts

    def advance(self) -> bool:
        """One piece; False when the run is over."""
        if self._next >= self._grid.size:
            return False
        steering = self._steering()
        if self._passing is None:
            self._passing = self._change_points.is_near(self.state)
        count, stop = self._reach()
        accuracy = Accuracy.asked(self._plan.tolerance, steering.scales, steering.energy, self._loosened)
        driver = self._driver
        environment = driver.environment(self.state.time, stop)
        self._redundancy = find_redundancy(driver.kernels, self.state.time, self.state.x, environment)
        self._watch_rank()
        if self._passing:
            driver = self._change_points.follower
        piece = driver.integrate(self.state, stop, max(count, 1), steering.kappa, accuracy, self._redundancy)
        if piece is None:
            return (self._end_of_motion if self._passing else self._cut)(stop - self.state.time)
        try:
            return self._go_on(piece, count, steering, accuracy)
        except np.linalg.LinAlgError:
            # The piece went where slopes are no numbers: a shorter one stops before.
            return self._cut(stop - self.state.time)

    def _go_on(self, piece: Piece, count: int, steering: Pilot, accuracy: Accuracy) -> bool:
        """Take a piece, or its part before a change point."""
        self._learn(piece)
        far = None if self._passing else self._change_points.last_far(piece)
        if far is not None:
            if far < 0:
                self._passing = True
                return True
            piece, count = piece.head(far + 1), far + 1 if count else 0
        going_on = self._take(piece, count, steering, accuracy)
        self._passing = True if far is not None else (None if self._passing else False)
        return going_on

    def _watch_rank(self) -> None:
        """Note the first time the constraint rows have another rank than at the start."""
        rank = None if self._redundancy is None else self._redundancy.rank
        if rank != self._first_rank and self.run.rank_change is None:
            self.run.rank_change = (self.state.time, self._redundancy)

    def _steering(self) -> Pilot:
        changed = self._rate_at_pilot and not 1 / 3 <= self._rate / self._rate_at_pilot <= 3
        if self._pilot is None or changed:
            met = 0.0 if self._pilot is None else self._pilot.energy
            self._pilot = pilot(self._driver, self.state, self._plan.stop, self._largest, met)
            finer = (PILOT_TOLERANCE / (self._plan.tolerance / 10)) ** (1 / 6)
            if not self._rate:
                self._rate = finer / self._pilot.step
            self._rate_at_pilot = 0.0
        return self._pilot

    def _reach(self) -> tuple[int, float]:
        duration = min(STEPS_PER_PIECE / self._rate, self._allowed)
        if self._passing:
            # One instant at a time: the window is to be left as soon as rows are independent again.
            duration = min(duration, self._step)
        return reach(self._driver.inputs, self.state.time, self._grid[self._next :], duration)

    def _learn(self, piece: Piece) -> None:
        duration = float(piece.times[-1]) - self.state.time
        if self._passing:
            # An explicit method's steps say nothing of those to come.
            self.run.steps += piece.steps
            return
        self._rate = max(piece.steps - RESTART_STEPS, 1) / duration
        if not self._rate_at_pilot:
            self._rate_at_pilot = self._rate
        self._largest = np.maximum(self._largest, np.max(np.abs(piece.x), axis=1))
        self._allowed = max(self._allowed, 2 * duration) if np.isfinite(self._allowed) else np.inf
        self.run.steps += piece.steps
        self._loosened = 1.0

    def _take(self, piece: Piece, count: int, steering: Pilot, accuracy: Accuracy) -> bool:
        """Record a piece, up to the first limit it reaches."""
        driver, record = self._driver, self.run.record
        environment = driver.environment(self.state.time, float(piece.times[-1]))
        crossing = first_crossing(driver, self.state, piece, steering.kappa, accuracy, self._redundancy)
        if crossing is not None:
            parts = [part for part in (crossing.before, crossing.at) if part is not None]
            *before, last = [self._settle(part, environment) for part in parts]
            for settled in before:
                self._record(settled, environment)
            record.add(last, environment)
            watched = crossing.watched
            self.run.outcome, self.run.reason = watched.outcome, watched.reason
            self.run.events.append((float(crossing.at.times[0]), watched.name, watched.reason))
            return False
        settled = self._settle(piece, environment)
        if self._passing and not self._kept(settled.state(-1), environment):
            return self._end_of_motion(float(piece.times[-1]) - self.state.time)
        self.state = settled.state(-1)
        if not count and self.state.time >= self._grid[self._next]:
            count = 1
        if count:
            self._record(settled, environment)
        self._next += count
        if count:
            self._cuts = 0
        return True

    def _record(self, settled: Settled, environment: Floats) -> None:
        """Keep the instants that were asked for."""
        wanted = self._wanted[self._next : self._next + settled.piece.times.size]
        if wanted.any():
            self.run.record.add(settled if wanted.all() else settled.only(wanted), environment)

    def _end_of_motion(self, duration: float) -> bool:
        """Where no way leads through and along the constraints: the run ends, to a hundredth of an interval."""
        if duration > 0.01 * self._plan.interval:
            return self._cut(duration)
        self.lose()
        return False

    def _kept(self, state: State, environment: Floats) -> bool:
        """Whether a state lies on the constraints: past the end of a motion none does, and truncation would go on."""
        if not self._driver.kernels.stages:
            return True
        level = Level(self._driver.kernels.stages[0], environment, state.time)
        at = level.evaluate(state.x)
        scale = np.abs(at.jacobian) @ level.sizes(state.x)
        return bool(np.all(np.abs(at.residual) <= self._plan.tolerance**0.5 * np.where(scale > 0, scale, 1.0)))

    def _settle(self, piece: Piece, environment: Floats) -> Settled:
        truncation = self._change_points.truncation if self._passing else None
        return settle(self._driver.kernels, piece, environment, self._redundancy, truncation)

    def _cut(self, duration: float) -> bool:
        """After a piece that failed: a looser one at tight tolerances, else shorter ones, while that helps.

        Near the limits of double precision IDAS can fail on rounding alone; a factor of ten or a hundred, for
        one piece, costs less than the digits that are lost otherwise.
        """
        if self._plan.tolerance < TIGHT and self._loosened < MOST_LOOSENED:
            self._loosened *= 10
            return True
        shorter = duration / 4
        self._cuts += 1
        if shorter < SHORTEST * self._plan.interval or self._cuts > MOST_CUTS:
            self.lose()
            return False
        self._allowed = shorter
        return True

    def lose(self) -> None:
        """The run ends; the state it was lost at is recorded too, between the instants asked for."""
        self.run.outcome = "stopped"
        self.run.reason = LOST
        record = self.run.record
        self.run.lost = self.state
        if self.state.time > record.blocks[-1][0].piece.times[-1]:
            record.add_start(self.state, self._driver.environment(self.state.time, self.state.time))
