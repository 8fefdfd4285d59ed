"""Modes along a run: what holds at its start, the next event of a piece, and what happens at an event."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import field, frozen, mutable, replace

from ..integrate import Driver, Piece, State
from ..kernels import Kernels
from ..mechanics import Terminate
from ..record import settle
from . import words
from .contacts import HARDLY, LOW, ONSET, SLOW, Contacts, Sizes, Undecided
from .impact import Impact, Impacts
from .modes import ModeValues
from .reinit import reinitialized
from .sense import Places, Sensed, piece_of
from .watch import Again, Crossing, Watch, Watched

Floats = NDArray[np.float64]

MOST_AT_ONCE = 100
"""Changes at one instant: more of them never end."""
MOST_BETWEEN = 500
"""Events in one interval: more of them cannot be told apart in what is recorded."""
CLOSE = 1e-7
"""Events within this part of an interval of each other count as at one instant."""

MOST_LOW = 20
"""So many low bounces one after the other are a cascade."""
FADED = 1e-3
"""What rests after a hit below this part of the fastest ends a cascade of impacts."""
SAME = 1e-9
"""Gaps that close within this part of an interval after an impact take part in it."""


@frozen
class Told:
    """One thing that happened, in the model's own terms."""

    name: str
    what: str


@mutable
class Passed:
    """An event: the state after it, all that happened, and whether the run ends here."""

    after: State
    jumped: bool = False
    told: list[Told] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    outcome: Literal["goes on", "ended", "stopped"] = "goes on"
    reason: str = ""

    def end(self, outcome: Literal["ended", "stopped"], reason: str) -> None:
        """The first reason counts."""
        if self.outcome == "goes on":
            self.outcome, self.reason = outcome, reason


class Hybrid:
    """The modes of one run. `driver` runs in the modes of now."""

    def __init__(self, driver: Driver, tolerance: float, interval: float, ends_at_limits: bool) -> None:
        kernels = driver.kernels
        self._ends_at_limits = ends_at_limits
        self.driver = driver
        self._kernels = kernels
        self._tolerance = tolerance
        self._interval = interval
        self._places = Places.of(kernels)
        self._contacts = Contacts(self._places, Sizes.none(self._places))
        self._watch = Watch(kernels, self._places, self._contacts.sizes)
        self._modes = ModeValues.none(kernels.reduced)
        self._whens = np.zeros(len(kernels.reduced.equations.system.whens), dtype=bool)
        self._fastest = np.zeros(self._places.gaps.size)
        self._low = 0
        self._latest = np.zeros(self._places.gaps.size)
        self._restitution = _restitution(driver, self._places)
        self._last = (-np.inf, 0)
        self._busy = (-np.inf, 0)
        self._noted: set[int] = set()

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to watch."""
        return not self._watch.watched and not self._whens.size

    @property
    def has_rates(self) -> bool:
        """Whether there is anything that may change between two instants: pieces are then to be looked at closely."""
        return any(watched.kind != "condition" for watched in self._watch.watched)

    def begin(self, state: State) -> Passed:
        """Modes at the start, with what happens there at once."""
        self._modes = replace(self._modes, bits=self._truth(state, self._modes))
        self._run_in(self._modes)
        self._learn(state)
        passed, before = Passed(state), self._modes
        self._settle(passed, at_start=True)
        self._tell_modes(passed, before)
        return passed

    def first(self, state: State, piece: Piece, environment: Floats, again: Again) -> Crossing | None:
        """The first event of a settled piece."""
        crossing = self._watch.first(state, piece, environment, self._modes, again)
        count = piece.times.size if crossing is None else crossing.before
        if count:
            seen = Sensed.of(self._kernels, self._places, piece.head(count), environment)
            self._contacts.sizes.learn(seen, self._places)
        return crossing

    def go_on(self, state: State) -> None:
        """Forget where sliding in a plane began, once it is under way, and how deep gaps were that have opened."""
        modes, seen = self._modes, self._seen(state)
        self._watch.go_on(seen)
        for k, span in enumerate(self._places.spans):
            begun = span.stop - span.start > 1 and modes.direction[span].any() and not modes.sticking[k]
            if begun and np.linalg.norm(seen.flows[span, 0]) > 1e3 * ONSET * modes.small[k]:
                modes = modes.slide(k, span, np.zeros(span.stop - span.start))
        self._run_in(modes)

    def meet(self, crossing: Crossing) -> Passed:
        """All that happens at an event."""
        passed = Passed(crossing.at)
        time, count = self._last
        together = crossing.at.time - time <= CLOSE * self._interval
        self._last = (crossing.at.time, count + 1 if together else 0)
        if crossing.at.time > self._busy[0] + self._interval:
            self._busy = (crossing.at.time, 0)
        self._busy = (self._busy[0], self._busy[1] + 1)
        if self._busy[1] > MOST_BETWEEN:
            passed.end("stopped", words.too_fast(self._names(crossing.watched), MOST_BETWEEN, self._interval))
            return passed
        if self._last[1] > MOST_AT_ONCE:
            passed.end("stopped", words.too_many(self._names(crossing.watched), crossing.at.time))
            return passed
        let_go, slid, crept = set[int](), set[int](), set[int]()
        before = modes = self._modes
        system = self._kernels.reduced.equations.system
        for watched in crossing.watched:
            k = watched.place
            match watched.kind:
                case "gap" if modes.held[self._places.modes[k]]:
                    let_go.add(k)
                case "gap" if self._ends_at_limits:
                    gap = self._kernels.reduced.equations.gaps[k]
                    passed.end("ended", words.reached(gap.limit, gap.side))
                    passed.told.append(Told(gap.limit, passed.reason))
                case "gap":
                    crept.add(k)
                case "friction" if modes.sticking[k]:
                    slid.add(k)
                case "pressed":
                    modes = modes.press(k, not modes.pressed[k])
                case "relation":
                    bits = modes.bits.copy()
                    bits[k] = not bits[k]
                    modes = replace(modes, bits=bits)
                case "end":
                    passed.end("ended", words.reached(*self._watch.end(k)))
                    passed.told.append(Told(self._watch.end(k)[0], passed.reason))
                case "condition":
                    condition = (*system.asserts, *system.bounds)[k]
                    passed.end("stopped", condition.message)
                    passed.told.append(Told("assert", condition.message))
        if passed.outcome == "goes on":
            modes = self._slid(modes, slid, crossing.at)
            self._run_in(modes)
            self._settle(passed, frozenset(let_go), frozenset(slid), frozenset(crept))
            self._tell_modes(passed, before)
        return passed

    def _settle(
        self,
        passed: Passed,
        let_go: frozenset[int] = frozenset(),
        slid: frozenset[int] = frozenset(),
        crept: frozenset[int] = frozenset(),
        at_start: bool = False,
    ) -> None:
        """Impacts, relations, `when` and modes, until nothing changes any more."""
        for _ in range(MOST_AT_ONCE):
            try:
                hit = self._hit(passed, crept)
                crept = frozenset()
                self._modes = self._with_small(self._modes, passed.after)
                self.driver, passed.after = self._contacts.decide(self.driver, passed.after, self._modes, let_go, slid)
            except Undecided as doubt:
                passed.end("stopped", words.undecided(self._kernels, doubt.doubt))
                break
            self._modes = self._read(self.driver)
            passed.after = self._projected(passed.after)
            hit = self._stop(passed) or hit
            changed = self._change_bits(passed.after)
            changed = self._fire(passed, at_start) or changed
            at_start = False
            if passed.outcome != "goes on" or not (hit or changed):
                break
            if hit or passed.jumped:
                let_go, slid = frozenset(), frozenset()
        else:
            passed.end("stopped", words.too_many(self._names(()), passed.after.time))
        self._watch.begin_at(self._seen(passed.after), self._contacts.slowest())

    def _hit(self, passed: Passed, crept: frozenset[int]) -> bool:
        """An impact, if something is approached."""
        state = passed.after
        if not self._places.gaps.size:
            return False
        impact = Impacts(self.driver, self._contacts, state, self._modes).resolve(
            self._restitution, self._fastest, max(self._tolerance, 1e-9), SAME * self._interval, crept
        )
        if impact is None:
            return False
        self._take(impact, passed)
        gaps = self._kernels.reduced.equations.gaps
        for hit in impact.hits:
            self._latest[hit.gap] = -hit.before
            self._fastest[hit.gap] = max(self._fastest[hit.gap], -hit.before)
            gap = gaps[hit.gap]
            passed.told.append(Told(gap.limit, words.hit(self._kernels, gap, hit)))
        return True

    def _stop(self, passed: Passed) -> bool:
        """What opens too little to be told from rest is stopped: how cascades end."""
        seen = self._seen(passed.after)
        low = self._contacts.hardly_open(seen, LOW)
        self._low = self._low + 1 if low else 0
        faint = low if self._low > MOST_LOW else self._contacts.hardly_open(seen, HARDLY)
        impact = Impacts(self.driver, self._contacts, passed.after, self._modes).stopped(faint) if faint else None
        if impact is None:
            return False
        self._take(impact, passed)
        return True

    def _take(self, impact: Impact, passed: Passed) -> None:
        work = passed.after.work.copy()
        work[-2] += impact.lost
        work[-4] += impact.put_in
        passed.after = replace(impact.state, work=work)
        passed.jumped = True
        self._learn(passed.after)

    def _change_bits(self, state: State) -> bool:
        bits = self._truth(state, self._modes)
        if np.array_equal(bits, self._modes.bits):
            return False
        self._run_in(replace(self._modes, bits=bits))
        return True

    def _truth(self, state: State, modes: ModeValues) -> NDArray[np.bool_]:
        """Which relations hold; at the very boundary, the one they are about to turn to, or else have."""
        driver = self.driver.in_modes(modes.column)
        seen = Sensed.at(self._kernels, self._places, state, driver.environment(state.time, state.time))
        relations = self._kernels.reduced.equations.system.relations
        margins, rates = seen.margins[:, 0], seen.changing[:, 0]
        size = np.abs(margins) + np.abs(rates) * self._interval
        edge = np.abs(margins) <= 1e-12 * size + 1e-300
        strict = np.array([relation.strict for relation in relations], dtype=bool)
        steady = np.ones(margins.size, dtype=bool)
        steady[list(self._kernels.unsteady)] = False
        known = edge & steady & (rates != 0)
        at_edge = np.where(known, rates > 0, np.where(edge & ~(margins == 0), modes.bits, ~strict))
        return np.asarray(np.where(edge, at_edge, margins > 0), dtype=bool)

    def _fire(self, passed: Passed, at_start: bool) -> bool:
        """The actions of every `when` whose condition has turned true."""
        if not self._whens.size:
            return False
        now = self._seen(passed.after).whens[:, 0] > 0.5
        risen = np.flatnonzero(now & ~self._whens)
        self._whens = now
        if at_start or not risen.size:
            return False
        system = self._kernels.reduced.equations.system
        before = self._energy(passed.after)
        changed = False
        for k in risen:
            when = system.whens[int(k)]
            told = Told("when", words.fired(when))
            passed.told.append(told)
            for action in when.actions:
                if isinstance(action, Terminate):
                    passed.end("ended", action.message)
        state = reinitialized(self.driver, passed.after, [int(k) for k in risen])
        if isinstance(state, str):
            passed.end("stopped", state)
        elif state is not passed.after:
            work = state.work.copy()
            work[-1] += self._energy(state) - before
            passed.after, passed.jumped, changed = replace(state, work=work), True, True
            self._learn(passed.after)
        return changed

    def _energy(self, state: State) -> float:
        environment = self.driver.environment(state.time, state.time)
        return float(self._kernels.energies(state.time, state.x, environment)[3])

    def _projected(self, state: State) -> State:
        environment = self.driver.environment(state.time, state.time)
        return settle(self._kernels, piece_of(state), environment).state(0)

    def _slid(self, modes: ModeValues, slid: set[int], state: State) -> ModeValues:
        """Frictions that were pulled beyond their limit slide the way they were pulled."""
        for k in slid:
            span = self._places.spans[k]
            force = self._seen(state).rubbing[span, 0]
            direction = -force / max(float(np.linalg.norm(force)), 1e-300)
            if direction.size > 1:
                direction = ONSET * max(modes.small[k], 1e-300) * direction
            modes = modes.slide(k, span, direction)
        return modes

    def _with_small(self, modes: ModeValues, state: State) -> ModeValues:
        """Speeds that do not matter, from those met so far or about to be."""
        if not self._places.spans:
            return modes
        slips = self._seen(state).slips[:, 0]
        soon = [float(np.linalg.norm(slips[span])) * self._interval for span in self._places.spans]
        small = SLOW * np.maximum(self._contacts.sizes.flows, np.maximum(soon, 1e-6))
        return replace(modes, small=np.maximum(small, modes.small))

    def _read(self, driver: Driver) -> ModeValues:
        modes = self._kernels.reduced.equations.system.modes
        column = driver.parameters[driver.parameters.size - modes.column.numel() :]
        sizes = [m.numel() for m in (modes.held, modes.sticking, modes.pressed, modes.small, modes.direction)]
        held, sticking, pressed, small, direction, bits = np.split(column, np.cumsum(sizes))
        return ModeValues(held > 0, sticking > 0, pressed > 0, small, direction, bits > 0)

    def _run_in(self, modes: ModeValues) -> None:
        self._modes = modes
        self.driver = self.driver.in_modes(modes.column)

    def _seen(self, state: State) -> Sensed:
        return Sensed.at(self._kernels, self._places, state, self.driver.environment(state.time, state.time))

    def _learn(self, state: State) -> None:
        self._contacts.sizes.learn(self._seen(state), self._places)

    def _names(self, watched: tuple[Watched, ...]) -> list[str]:
        return words.names(self._kernels, watched)

    def _tell_modes(self, passed: Passed, before: ModeValues) -> None:
        """What is held, let go, sticks and slides now and did not before."""
        for k, gap in enumerate(self._kernels.reduced.equations.gaps):
            place = self._places.modes[k]
            if self._modes.held[place] != before.held[place]:
                passed.told.append(Told(gap.limit, words.held(gap, bool(self._modes.held[place]))))
                faded = self._restitution[k] and 0 < self._latest[k] < FADED * self._fastest[k]
                if self._modes.held[place] and faded and k not in self._noted:
                    self._noted.add(k)
                    passed.notes.append(words.came_to_rest(gap, passed.after.time, self._fastest[k]))
        for k, friction in enumerate(self._kernels.reduced.equations.frictions):
            span = self._places.spans[k]
            if not self._modes.pressed[k]:
                continue
            if self._modes.sticking[k] != before.sticking[k]:
                passed.told.append(Told(friction.name, "sticks" if self._modes.sticking[k] else "slides"))
            elif not self._modes.sticking[k] and np.any(self._modes.direction[span] * before.direction[span] < 0):
                passed.told.append(Told(friction.name, "turns round"))


def needed(kernels: Kernels) -> bool:
    """Whether a model has anything that happens at an instant."""
    system = kernels.reduced.equations.system
    watched = (system.limits, system.frictions, system.relations, system.whens, system.asserts, system.bounds)
    return any(watched)


def _restitution(driver: Driver, places: Places) -> Floats:
    """(ng,), in parameters only."""
    import casadi as ca

    equations = driver.kernels.reduced.equations
    column = ca.vertcat(ca.SX(0, 1), *(gap.restitution for gap in equations.gaps))
    function = ca.Function("restitution", [driver.kernels.environment], [ca.densify(column)])
    return np.asarray(function(driver.environment(0.0, 0.0))).ravel()
