"""The modes of contacts at one state: which limits push and which let go, what sticks and what slides.

At one state forces and accelerations are linear in each other once every contact has a mode. The modes sought are
those under which no held limit pulls, no free one closes, nothing sticks beyond its limit and nothing slides against
its direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen, mutable, replace

from ..algebraic import solve_for_algebraic
from ..integrate import Driver, State
from ..redundancy import RANK, constraint_jacobian, least_algebraic
from .modes import ModeValues
from .sense import Places, Sensed
from .solve import Doubt, Violation, without_violation

Floats = NDArray[np.float64]

EXACT = 1e-9
"""Violations below this part of the sizes involved are rounding."""
NOTHING = 1e-14
"""Gaps (m, rad), speeds and forces below this are 0 in any case."""
DEEP = 4e-15
"""A gap that closes is found by going so far below 0, as a part of its largest size."""
TINY = 1e-17
"""Depths (m, rad) below this do not matter in any case."""
HARDLY = 10.0
"""A bounce is over that would rise to no more than so many times the depth at which it was found."""
LOW = 1000 * HARDLY
"""So are all that rise no higher than this, where many have followed each other: what finds them feeds them."""
SLOW = 1e-8
"""Speeds below this part of the largest met do not matter to the direction of sliding in a plane."""
ONSET = 20.0
"""Sliding in a plane begins with so many times that speed, and has ended below half of it."""


@mutable
class Sizes:
    """The largest gaps, rates and flows met so far, and forces of contacts: what is small is judged by them."""

    gaps: Floats
    rates: Floats
    flows: Floats
    force: float = 0.0

    @staticmethod
    def none(places: Places) -> Sizes:
        return Sizes(np.zeros(places.gaps.size), np.zeros(places.gaps.size), np.zeros(len(places.spans)))

    def learn(self, seen: Sensed, places: Places) -> None:
        """Take in what was met."""
        self.gaps = np.maximum(self.gaps, np.abs(seen.gaps).max(axis=1, initial=0.0))
        self.rates = np.maximum(self.rates, np.abs(seen.rates).max(axis=1, initial=0.0))
        lengths = [float(np.abs(seen.flows[span]).max(initial=0.0)) for span in places.spans]
        self.flows = np.maximum(self.flows, lengths)
        forces = [np.abs(f).max(initial=0.0) for f in (seen.forces, seen.rubbing, seen.normals)]
        self.force = max(self.force, *map(float, forces))


class Undecided(Exception):
    """No modes are free of violations. `gaps` and `frictions` are those in doubt."""

    def __init__(self, doubt: Doubt) -> None:
        super().__init__()
        self.doubt = doubt


@frozen(eq=False)
class Contacts:
    """Decides modes at states of one run."""

    places: Places
    sizes: Sizes

    def touching(self, seen: Sensed) -> NDArray[np.bool_]:
        """Gaps that are closed (ng,), whatever their rate."""
        return np.asarray(seen.gaps[:, 0] <= EXACT * self.sizes.gaps + NOTHING)

    def slowest(self) -> Floats:
        """Rates below which a gap rests, (ng,)."""
        return np.asarray(EXACT * self.sizes.rates + NOTHING)

    def hardly_open(self, seen: Sensed, much: float) -> frozenset[int]:
        """Closed gaps that open, but no further than so many times what is known of them."""
        rates, closing = seen.rates[:, 0], seen.closing[:, 0]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            heights = np.where(closing < 0, rates**2 / (-2 * closing), np.inf)
        low = heights <= much * (DEEP * self.sizes.gaps + TINY)
        opens = self.touching(seen) & self.places.hit & (rates > self.slowest())
        return frozenset(map(int, np.flatnonzero(opens & low)))

    def resting(self, seen: Sensed, modes: ModeValues) -> NDArray[np.bool_]:
        """Frictions whose flow is 0, (nf,)."""
        lengths = np.array([float(np.linalg.norm(seen.flows[span, 0])) for span in self.places.spans])
        least = np.array([ONSET / 2 * modes.small[k] if _is_plane(s) else 0.0 for k, s in enumerate(self.places.spans)])
        return np.asarray(lengths <= np.maximum(EXACT * self.sizes.flows, least) + NOTHING)

    def decide(
        self,
        driver: Driver,
        state: State,
        modes: ModeValues,
        let_go: frozenset[int] = frozenset(),
        slid: frozenset[int] = frozenset(),
    ) -> tuple[Driver, State]:
        """Modes at a state that moves on without an impact, as a driver in them and the state with its z.

        `let_go` are gaps that were found to pull: free unless they would close at once; `slid` are frictions that
        were pulled beyond their limit, and have the direction in which they slide. Raises Undecided.
        """
        seen = Sensed.at(driver.kernels, self.places, state, driver.environment(state.time, state.time))
        closed = self.touching(seen) & (~self.places.hit | (np.abs(seen.rates[:, 0]) <= self.slowest()))
        rests = self.resting(seen, modes)
        doubt = Doubt(tuple(map(int, np.flatnonzero(closed))), tuple(map(int, np.flatnonzero(rests))))
        tried = self._guess(self._pressed(driver, state, modes, closed, let_go), seen, rests, slid)
        solutions: dict[bytes, State] = {}

        def judge(chosen: ModeValues) -> list[Violation] | None:
            found = self._violations(driver.in_modes(chosen.column), state, chosen, closed, rests)
            if found is None:
                return None
            solutions[chosen.key] = found[1]
            return found[0]

        decided = without_violation(tried, judge, doubt, self.places)
        if decided is None:
            raise Undecided(doubt)
        decided, settled = self._independent(driver, solutions[decided.key], decided)
        return driver.in_modes(decided.column), settled

    def _pressed(
        self, driver: Driver, state: State, modes: ModeValues, closed: NDArray[np.bool_], let_go: frozenset[int]
    ) -> ModeValues:
        """A guess: what is closed and was not found to pull is held, and frictions are pressed by limits that are."""
        held = closed.copy()
        held[list(let_go)] = False
        for k, place in enumerate(self.places.modes):
            modes = modes.hold(int(place), bool(held[k]))
        if not (self.places.spans and self.places.gaps.size):
            return modes
        environment = driver.environment(state.time, state.time)
        normals = driver.kernels.impulses(state.time, state.x, environment)[3].full()
        for k, slopes in enumerate(normals):
            if slopes[self.places.gaps].any():
                modes = modes.press(k, bool(slopes[self.places.gaps[held]].any()))
        return modes

    def _guess(self, modes: ModeValues, seen: Sensed, rests: NDArray[np.bool_], slid: frozenset[int]) -> ModeValues:
        """What rests sticks if it stuck or has just come to rest, unless a limit that is free would press it."""
        for k, span in enumerate(self.places.spans):
            if rests[k]:
                if k not in slid:
                    modes = modes.stick(k) if modes.pressed[k] else modes.free(k, span)
            elif _is_plane(span):
                modes = modes.slide(k, span, modes.direction[span])
            else:
                modes = modes.slide(k, span, np.sign(seen.flows[span, 0]))
        return modes

    def solve(self, driver: Driver, state: State) -> State | None:
        """The state with accelerations and forces of the driver's modes; None where there are none."""
        environment = driver.environment(state.time, state.time)
        z = solve_for_algebraic(driver.kernels, state.x, state.z, environment, state.time)
        if z is None:
            z = least_algebraic(driver.kernels, np.array([state.time]), state.x[:, None], environment)[:, 0]
            rows, _ = driver.kernels.linearised(state.time, state.x, z, environment)
            if not np.max(np.abs(rows.full()), initial=0.0) <= 1e-6 * max(1.0, float(np.max(np.abs(z), initial=0.0))):
                return None
        return replace(state, z=z)

    def _violations(
        self,
        driver: Driver,
        state: State,
        modes: ModeValues,
        closed: NDArray[np.bool_],
        rests: NDArray[np.bool_],
    ) -> tuple[list[Violation], State] | None:
        settled = self.solve(driver, state)
        if settled is None:
            return None
        seen = Sensed.at(driver.kernels, self.places, settled, driver.environment(state.time, state.time))
        found: list[Violation] = []
        force = max(self.sizes.force, float(np.abs(seen.forces).max(initial=0.0)), NOTHING)
        for k in map(int, np.flatnonzero(closed)):
            place = int(self.places.modes[k])
            acceleration = float(seen.closing[k, 0] if self.places.hit[k] else seen.rates[k, 0])
            if modes.held[place] and seen.forces[k, 0] < -EXACT * force:
                found.append(holding(place, False, -float(seen.forces[k, 0]) / force))
            elif not modes.held[place] and acceleration < -EXACT * self._usual(settled):
                found.append(holding(place, True, -acceleration / self._usual(settled)))
        for k, span in enumerate(self.places.spans):
            found += self._rubs(k, span, modes, seen, bool(rests[k]), force, self._usual(settled))
        return found, settled

    def _usual(self, state: State) -> float:
        return max(float(np.max(np.abs(state.z[: self.places.gaps.min(initial=state.z.size)]), initial=0.0)), NOTHING)

    def _rubs(
        self, k: int, span: slice, modes: ModeValues, seen: Sensed, rests: bool, force: float, usual: float
    ) -> list[Violation]:
        """What is wrong with the mode of one friction."""
        normal, largest = float(seen.normals[k, 0]), float(max(seen.resting[k, 0], 0.0))
        found = []
        if modes.pressed[k] != (normal > 0) and abs(normal) > EXACT * force:
            found.append(Violation(lambda m: m.press(k, normal > 0), abs(normal) / force, of_sign=True))
        if modes.sticking[k]:
            pulled = float(np.linalg.norm(seen.rubbing[span, 0]))
            if pulled > largest + EXACT * max(force, pulled):
                direction = -seen.rubbing[span, 0] / pulled
                if _is_plane(span):
                    direction = ONSET * modes.small[k] * direction
                found.append(Violation(lambda m: m.slide(k, span, direction), (pulled - largest) / force))
        elif rests and largest > EXACT * force:
            direction = modes.direction[span]
            turned = float(direction @ seen.slips[span, 0])
            length = float(np.linalg.norm(direction))
            if length == 0 or turned < -EXACT * usual * length:
                found.append(Violation(lambda m: m.stick(k), abs(turned) / usual if length else 1.0))
        return found

    def _independent(self, driver: Driver, state: State, modes: ModeValues) -> tuple[ModeValues, State]:
        """The same motion with held limits whose rows are independent of each other and of the constraints.

        Where they are not, forces can be moved between them: until one of them is 0, which is let go.
        """
        reduced = driver.kernels.reduced
        rows = len(reduced.equations.system.rows)
        while True:
            held = [k for k, place in enumerate(self.places.modes) if modes.held[place]]
            if len(held) < 1:
                return modes, state
            now = driver.in_modes(modes.column)
            environment = now.environment(state.time, state.time)
            jacobian, metric = constraint_jacobian(driver.kernels, state.time, state.x, environment)
            _, closing, slips, *_ = (m.full() for m in driver.kernels.impulses(state.time, state.x, environment))
            nv = metric.shape[0]
            stuck = [i for i, owner in enumerate(self.places.owners) if modes.sticking[owner]]
            stacked = np.vstack([np.asarray(jacobian.full()), slips[stuck, :nv], closing[held, :nv]])
            whitened = np.linalg.solve(np.linalg.cholesky(metric), stacked.T).T
            lengths = np.linalg.norm(whitened, axis=1)
            u, s, _ = np.linalg.svd(whitened / np.where(lengths > 0, lengths, 1.0)[:, None])
            rank = int(np.sum(s > RANK * max(s[0], 1e-300)))
            null = u[rows + len(stuck) :, rank:] / np.where(lengths > 0, lengths, 1.0)[rows + len(stuck) :, None]
            if not null.size or np.abs(null).max() < 1e-12:
                return modes, state
            shift = null[:, int(np.argmax(np.abs(null).max(axis=0)))]
            shift = shift if shift.min() < -0.1 * np.abs(shift).max() else -shift
            forces = state.z[self.places.gaps[held]]
            falling = shift < -1e-9 * np.abs(shift).max()
            limits = np.where(falling, np.maximum(forces, 0.0) / np.where(falling, -shift, 1.0), np.inf)
            modes = modes.hold(int(self.places.modes[held[int(np.argmin(limits))]]), False)
            solved = self.solve(driver.in_modes(modes.column), state)
            if solved is None:
                return modes, state
            state = solved


def _is_plane(span: slice) -> bool:
    return bool(span.stop - span.start > 1)


def holding(place: int, held: bool, size: float) -> Violation:
    """A gap's mode is to be another."""
    return Violation(lambda modes: modes.hold(place, held), size)
