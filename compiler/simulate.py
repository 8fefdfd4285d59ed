"""A start to a trajectory: IDAS in pieces, each recorded on the constraints before the next begins."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .change_points import ChangePoints
from .events.hybrid import Hybrid, Passed, needed
from .events.watch import Again, Crossing
from .integrate import Accuracy, Driver, Piece, State
from .interrupts import deferred
from .pilot import PILOT_TOLERANCE, Pilot, pilot
from .reach import SHORTEST, reach
from .record import Record, Settled, settle
from .redundancy import Redundancy, find_redundancy
from .run import LOST, Plan, Progress, Run
from .search import Level
from .start import Start

Floats = NDArray[np.float64]

STEPS_PER_PIECE = 400
STEPS_PER_STRIDE = 8
"""The explicit method that passes change points takes about as many steps in a piece."""
STEPS_PER_LOOK = 4
"""Where events may happen, they are looked for every so many steps of the integrator."""
MOST_PARTS = 6
"""Steps of the grid are cut into at most two to this power."""
LEAST_INSTANTS = 1000
"""Where rows may lose their rank they are looked at this often in a run, however few instants are recorded."""
TIGHT = 1e-9
MOST_LOOSENED = 100.0
"""How far a tolerance below `TIGHT` is given up for a piece that fails otherwise."""
MOST_CUTS = 100
"""Pieces that may fail on the way from one instant to the next: a run that creeps on will not arrive."""
RESTART_STEPS = 30
"""Steps a restart costs IDAS, which begins each piece at order one."""


def simulate(
    driver: Driver, start: Start, plan: Plan, progress: Progress | None = None, *, ends_at_limits: bool = False
) -> Run:
    """Integrate over the plan; whatever stops the run, all that was computed before is in the record.

    With `ends_at_limits`, the first limit that is reached ends the run in place of an impact.
    """
    began = perf_counter()
    runner = _Runner(driver, start, plan, ends_at_limits)
    try:
        with deferred() as interrupts:
            runner.begin()
            while runner.advance():
                interrupts.check()
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

    def __init__(self, driver: Driver, start: Start, plan: Plan, ends_at_limits: bool) -> None:
        self._plan = plan
        self._next = 0
        powers = driver.kernels.reduced.equations.power.numel()
        self.state = State(start.time, start.x, start.z, np.zeros(powers))
        self.run = Run(Record(driver.kernels))
        events = Hybrid(driver, plan.tolerance, plan.interval, ends_at_limits) if needed(driver.kernels) else None
        self._events = events
        self._own_driver = driver
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
        self._stride = 0.0
        parts = plan.parts_of_at_least(LEAST_INSTANTS) if self._change_points.watched and rank > 1 else 1
        self._grid = plan.instants(parts)
        # What is looked at between the instants asked for is not recorded.
        self._wanted = (np.arange(1, self._grid.size + 1) % parts == 0) | (self._grid == self._grid[-1])
        self._step = plan.interval / parts
        self._since = start.time

    @property
    def _driver(self) -> Driver:
        """In the modes of now."""
        return self._own_driver if self._events is None else self._events.driver

    def begin(self) -> None:
        """Record the start, and what happens there at once."""
        first = self.state
        if self._events is not None:
            passed = self._events.begin(self.state)
            self._follow(passed)
            first = passed.after if not passed.jumped else first
        environment = self._driver.environment(first.time, first.time)
        self.run.record.add_start(first, environment)
        if self.state is not first:
            self.run.record.add_start(self.state, environment)

    def _follow(self, passed: Passed) -> None:
        """Go on from what an event has led to."""
        self.state = passed.after
        self.run.events += [(passed.after.time, told.name, told.what) for told in passed.told]
        self.run.notes += passed.notes
        if passed.outcome != "goes on":
            self.run.outcome, self.run.reason = passed.outcome, passed.reason

    def advance(self) -> bool:
        """One piece; False when the run is over."""
        if self._next >= self._grid.size or self.run.outcome != "completed":
            return False
        if self._events is not None:
            self._events.go_on(self.state)
        steering = self._steering()
        if self._passing is None:
            self._passing = self._change_points.is_near(self.state)
        count, stop = self._reach()
        accuracy = Accuracy.asked(self._plan.tolerance, steering.scales, steering.energy, self._loosened)
        driver = self._driver
        environment = driver.environment(self.state.time, stop)
        self._redundancy = find_redundancy(driver.kernels, self.state.time, self.state.x, environment, self._redundancy)
        self._watch_rank()
        if self._passing:
            driver = self._change_points.follower
        instants = max(count, 1) * self._parts(stop - self.state.time, count)
        piece = driver.integrate(self.state, stop, instants, steering.kappa, accuracy, self._redundancy)
        if piece is None:
            return (self._end_of_motion if self._passing else self._cut)(stop - self.state.time)
        try:
            return self._go_on(piece, count, steering, accuracy)
        except np.linalg.LinAlgError:
            # The piece went where slopes are no numbers: a shorter one stops before.
            return self._cut(stop - self.state.time)

    def _go_on(self, piece: Piece, count: int, steering: Pilot, accuracy: Accuracy) -> bool:
        """Take a piece, or its part before a change point."""
        far = None if self._passing else self._change_points.last_far(piece)
        self._learn(piece, far is not None)
        if far is not None:
            self._stride = 0.0
            if far < 0 or (self._events is None and self._change_points.worthwhile):
                # The piece is taken again on the way through.
                self._passing = True
                return True
            parts = piece.times.size // max(count, 1)
            count = (far + 1) // parts if count else 0
            piece = piece.head(count * parts if count else far + 1)
        duration = float(piece.times[-1]) - self.state.time
        going_on = self._take(piece, count, steering, accuracy)
        if self._passing:
            self._passing = self._keeps_passing(piece, duration) or None
        else:
            self._passing = far is not None
        return going_on

    def _keeps_passing(self, piece: Piece, duration: float) -> bool:
        """Whether the way through is kept to, in longer strides; it does not look for events between instants."""
        if self._events is not None:
            return False
        self._stride = min(2.0, STEPS_PER_STRIDE / piece.steps) * duration
        return self._change_points.goes_on(piece, duration, self._rate)

    def _watch_rank(self) -> None:
        """Note the first time the constraint rows have another rank than at the start."""
        if self._driver.kernels.reduced.equations.contacts.numel():
            # Limits and frictions that are held count among the rows, and come and go.
            return
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
            # One instant at a time at first: a costly way through is to be left as soon as rows are independent.
            duration = min(duration, max(1.5 * self._step, self._stride))
        return reach(self._driver.inputs, self.state.time, self._grid[self._next :], duration)

    def _parts(self, duration: float, count: int) -> int:
        """Into how many parts each step of the grid is cut, so that no event hides between two instants."""
        if self._events is None or self._passing or not self._events.has_rates:
            return 1
        steps = self._rate * duration / max(count, 1)
        return int(2 ** np.clip(np.ceil(np.log2(max(steps, 1) / STEPS_PER_LOOK)), 0, MOST_PARTS))

    def _learn(self, piece: Piece, met: bool) -> None:
        """From a piece, which may have met a change point."""
        duration = float(piece.times[-1]) - self.state.time
        if self._passing or met:
            # Neither an explicit method's steps nor those into a change point say anything of those to come.
            self.run.steps += piece.steps
            # Slowly: where the motion ends, longer pieces only fail again.
            self._allowed = 1.25 * max(self._allowed, duration)
            return
        self._rate = max(piece.steps - RESTART_STEPS, 1) / duration
        if not self._rate_at_pilot:
            self._rate_at_pilot = self._rate
        self._largest = np.maximum(self._largest, np.max(np.abs(piece.x), axis=1))
        self._allowed = max(self._allowed, 2 * duration) if np.isfinite(self._allowed) else np.inf
        self.run.steps += piece.steps
        self._loosened = 1.0

    def _take(self, piece: Piece, count: int, steering: Pilot, accuracy: Accuracy) -> bool:
        """Record a piece, up to the first event in it."""
        driver = self._driver
        environment = driver.environment(self.state.time, float(piece.times[-1]))
        settled = self._settle(piece, environment)
        if self._events is not None:
            again = self._again(steering, accuracy)
            crossing = self._events.first(self.state, settled.piece, environment, again)
            if crossing is not None:
                return self._meet(crossing, settled, environment, count)
        if self._passing and not self._kept(settled.state(-1), environment):
            return self._end_of_motion(float(piece.times[-1]) - self.state.time)
        self.state = settled.state(-1)
        if not count and self.state.time >= self._grid[self._next]:
            count = 1
        if count:
            self._record(settled, environment, count)
        self._next += count
        if count:
            self._cuts = 0
        return True

    def _again(self, steering: Pilot, accuracy: Accuracy) -> Again:
        """Integrates parts of a piece again, in the modes it was integrated in."""
        driver, redundancy = self._driver, self._redundancy

        def again(state: State, stop: float) -> tuple[Piece, Floats] | None:
            for loosened in (1.0, 10.0, MOST_LOOSENED):
                tried = driver.integrate(state, stop, 1, steering.kappa, accuracy.loosened(loosened), redundancy)
                if tried is not None:
                    break
            else:
                return None
            environment = driver.environment(state.time, stop)
            return self._settle(tried, environment).piece, environment

        return again

    def _meet(self, crossing: Crossing, settled: Settled, environment: Floats, count: int) -> bool:
        """Record what lies before an event, and both sides of it where it is a jump."""
        assert self._events is not None
        parts = settled.piece.times.size // max(count, 1)
        before = crossing.before // parts if count else 0
        if before:
            chosen = np.zeros(settled.piece.times.size, dtype=bool)
            chosen[: before * parts] = True
            self._record(settled.only(chosen), environment, before)
            self._next += before
        elapsed = crossing.at.time - self._since
        record = self.run.record
        passed = self._events.meet(crossing)
        told = bool(passed.told) or passed.outcome != "goes on"
        if told:
            record.add_start(crossing.at, environment)
        self._follow(passed)
        if told:
            record.add_start(self.state, self._driver.environment(self.state.time, self.state.time))
        if self.run.outcome == "completed" and self._grid[self._next] - self.state.time <= 1e-12 * self._step:
            self._next += 1
        # What comes after an event may be over as soon: the next piece looks no further than a few times as far.
        self._allowed = max(4 * elapsed, 1e-9 * self._plan.interval)
        self._since = self.state.time
        self._cuts = 0
        return self.run.outcome == "completed"

    def _record(self, settled: Settled, environment: Floats, count: int) -> None:
        """Keep the instants that were asked for, of those in a piece (so many to each of `count`)."""
        parts = settled.piece.times.size // count
        wanted = np.zeros(settled.piece.times.size, dtype=bool)
        wanted[parts - 1 :: parts] = self._wanted[self._next : self._next + count]
        if wanted.any():
            self.run.record.add(settled if wanted.all() else settled.only(wanted), environment)

    def _end_of_motion(self, duration: float) -> bool:
        """Where no way leads through and along the constraints: the run ends, to a hundredth of an interval."""
        if self._change_points.worthwhile and not self._change_points.is_near(self.state):
            # Kept to beyond where it is needed, it has become too stiff for an explicit method.
            self._passing = self._change_points.worthwhile = False
            return True
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
        passed = bool(self._passing) and self._change_points.as_passed(piece)
        return settle(self._driver.kernels, piece, environment, self._redundancy, passed=passed)

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
        if not record.blocks or self.state.time > record.blocks[-1][0].piece.times[-1]:
            record.add_start(self.state, self._driver.environment(self.state.time, self.state.time))
