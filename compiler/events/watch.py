"""What must not turn negative while modes stay as they are, along a piece; and the first instant at which it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from ..integrate import Piece, State
from ..kernels import Kernels
from .contacts import DEEP, EXACT, NOTHING, ONSET, TINY, Sizes
from .modes import ModeValues
from .sense import Places, Sensed, piece_of

Floats = NDArray[np.float64]

Kind = Literal["gap", "friction", "pressed", "relation", "end", "condition"]
Again: TypeAlias = Callable[[State, float], "tuple[Piece, Floats] | None"]
"""Integrates from a state to a time again: the settled instant, and its environment."""

TIME_DIGITS = 1e-14
"""An instant is located to this part of the time and of the interval it was met in."""
MOST_HALVINGS = 60
MOST_DIPS = 4


@frozen
class Watched:
    """One margin: a gap, a friction, ... by its place among its kind."""

    kind: Kind
    place: int


@frozen(eq=False)
class Margins:
    """Margins at k instants (m, k), and their rates where they are known, else NaN."""

    values: Floats
    rates: Floats


@frozen(eq=False)
class Crossing:
    """How many instants of a piece lie before it, the instant itself, and what turned negative."""

    before: int
    at: State
    watched: tuple[Watched, ...]


class Watch:
    """Margins of one run, under modes that are given."""

    def __init__(self, kernels: Kernels, places: Places, sizes: Sizes) -> None:
        self._kernels = kernels
        self._places = places
        self._sizes = sizes
        self._slack, self._back = np.zeros(places.gaps.size), np.zeros(len(places.spans))
        self._depths = np.zeros(places.gaps.size)
        system = kernels.reduced.equations.system
        sides = [(limit, side) for limit in system.limits for side in limit.sides]
        self._ends = [i for i, (limit, _) in enumerate(sides) if limit.level is None]
        self._named = [(sides[i][0].name, sides[i][1]) for i in self._ends]
        counts: dict[Kind, int] = {
            "gap": places.gaps.size,
            "friction": len(places.spans),
            "pressed": len(places.spans),
            "relation": len(system.relations),
            "end": len(self._ends),
            "condition": len(system.asserts) + len(system.bounds),
        }
        self.watched = tuple(Watched(kind, i) for kind, count in counts.items() for i in range(count))

    def end(self, place: int) -> tuple[str, str]:
        """The limit that can only end a run, and its side."""
        return self._named[place]

    def _allowed(self, state: State, environment: Floats, modes: ModeValues) -> tuple[Floats, Floats]:
        """How deep free gaps may go, (ng,), and how far flows back, (nf,).

        What rests because something else is held (sticks, say) does so to rounding.
        """
        seen = Sensed.at(self._kernels, self._places, state, environment)
        sizes = self._sizes
        slow = np.abs(seen.rates[:, 0]) <= EXACT * sizes.rates + NOTHING
        resting = (seen.gaps[:, 0] <= EXACT * sizes.gaps + NOTHING) & (slow | ~self._places.hit)
        lengths = np.array([float(np.linalg.norm(seen.flows[span, 0])) for span in self._places.spans])
        slips = np.array([float(np.linalg.norm(seen.slips[span, 0])) for span in self._places.spans])
        # What begins to slide or turns round rests for an instant only.
        usual = float(np.max(np.abs(state.z[: int(self._places.flows.min(initial=state.z.size))]), initial=0.0))
        blocked = (lengths <= EXACT * sizes.flows + NOTHING) & (slips <= EXACT * usual + NOTHING)
        back = np.where(blocked, EXACT * sizes.flows + NOTHING, 0.0)
        deep = DEEP * sizes.gaps + TINY
        # A gap that begins below 0, as far as that goes unnoticed, is only asked to go no deeper.
        depths = np.maximum(deep, deep - seen.gaps[:, 0])
        return np.where(resting, EXACT * sizes.gaps + NOTHING, depths), back

    def begin_at(self, seen: Sensed, slowest: Floats) -> None:
        """What a gap that rests lies below 0 by after an event is no event any more."""
        rests = seen.rates[:, 0] <= slowest
        self._depths = np.where(rests, np.maximum(-seen.gaps[:, 0], 0.0), 0.0)

    def go_on(self, seen: Sensed) -> None:
        """Nor after that, until the gap opens."""
        self._depths = np.minimum(self._depths, np.maximum(-seen.gaps[:, 0], 0.0))

    def margins(self, piece: Piece, environment: Floats, modes: ModeValues) -> Margins:
        """Along a settled piece."""
        seen = Sensed.of(self._kernels, self._places, piece, environment)
        force = EXACT * self._sizes.force + NOTHING
        unknown = np.full((1, piece.times.size), np.nan)
        values: list[Floats] = []
        rates: list[Floats] = []
        for k in range(self._places.gaps.size):
            if modes.held[self._places.modes[k]]:
                values.append(seen.forces[k] + force)
                rates.append(unknown[0])
            else:
                values.append(self._open(k, seen))
                rates.append(seen.rates[k])
        for k, span in enumerate(self._places.spans):
            value, rate = self._friction(k, span, seen, modes, force)
            values.append(value)
            rates.append(rate)
        for k in range(len(self._places.spans)):
            values.append((1 if modes.pressed[k] else -1) * seen.normals[k] + force)
            rates.append(unknown[0])
        signs = np.where(modes.bits, 1.0, -1.0)[:, None]
        changing = signs * seen.changing
        changing[list(self._kernels.unsteady)] = np.nan
        rest = [signs * seen.margins, seen.sides[self._ends], 2 * seen.conditions - 1]
        unrated = np.full((len(self._ends) + seen.conditions.shape[0], piece.times.size), np.nan)
        stacked = np.vstack([*(v[None, :] for v in values), *rest])
        return Margins(stacked, np.vstack([*(r[None, :] for r in rates), changing, unrated]))

    def _open(self, k: int, seen: Sensed) -> Floats:
        """How far a gap is from being closed. One that opens is not, however little a hit has left of it."""
        little = self._slack[k]
        value = seen.gaps[k] + self._depths[k] + little
        return np.asarray(np.where((seen.rates[k] > 0) & (value > -4 * little), np.maximum(value, little), value))

    def _friction(self, k: int, span: slice, seen: Sensed, modes: ModeValues, force: float) -> tuple[Floats, Floats]:
        unknown = np.full(seen.flows.shape[1], np.nan)
        if modes.sticking[k]:
            return np.maximum(seen.resting[k], 0) - np.linalg.norm(seen.rubbing[span], axis=0) + force, unknown
        if span.stop - span.start > 1:
            return np.linalg.norm(seen.flows[span], axis=0) - ONSET / 2 * modes.small[k], unknown
        sign = float(modes.direction[span.start])
        if sign == 0 or not modes.pressed[k]:
            return np.ones_like(unknown), unknown
        return sign * seen.flows[span.start] + self._back[k], sign * seen.slips[span.start]

    def first(
        self, state: State, piece: Piece, environment: Floats, modes: ModeValues, again: Again
    ) -> Crossing | None:
        """The first margin of a settled piece that turns negative; dips between two instants are looked for too."""
        if not self.watched:
            return None
        self._slack, self._back = self._allowed(state, environment, modes)
        start = self.margins(piece_of(state), environment, modes)
        along = self.margins(piece, environment, modes)
        values, rates = np.hstack([start.values, along.values]), np.hstack([start.rates, along.rates])
        times = np.concatenate([[state.time], piece.times])
        bad = values[:, 1:] < 0
        first = int(np.argmax(bad.any(axis=0))) if bad.any() else piece.times.size
        for i, row in _dips(times, values, rates, first):
            good = state if i == 0 else piece.state(i - 1)
            bottom = self._bottom(
                good, times[i : i + 2], values[row, i : i + 2], rates[row, i : i + 2], row, modes, again
            )
            if bottom is not None:
                return self._located(good, i, bottom, np.array([row]), modes, again)
        if first == piece.times.size:
            return None
        good = state if first == 0 else piece.state(first - 1)
        # The instant is integrated again like all others, so that margins on both sides belong together.
        high = piece_of(piece.state(first)), environment
        return self._located(good, first, high, np.flatnonzero(bad[:, first]), modes, again)

    def _bottom(
        self,
        good: State,
        times: Floats,
        values: Floats,
        rates: Floats,
        row: int,
        modes: ModeValues,
        again: Again,
    ) -> tuple[Piece, Floats] | None:
        """Where a margin is negative between two instants at which it is not; None where it is nowhere."""
        for _ in range(MOST_DIPS):
            low = _lowest(times, values, rates)
            if low is None or low[1] > 0.05 * float(values.min()):
                return None
            tried = again(good, low[0])
            if tried is None:
                return None
            there = self.margins(*tried, modes)
            if there.values[row, 0] < 0:
                return tried
            value, rate = float(there.values[row, 0]), float(there.rates[row, 0])
            side = 0 if rate > 0 else 1
            times = np.array([times[0], low[0]]) if side == 0 else np.array([low[0], times[1]])
            values = np.array([values[0], value]) if side == 0 else np.array([value, values[1]])
            rates = np.array([rates[0], rate]) if side == 0 else np.array([rate, rates[1]])
        return None

    def _located(
        self,
        good: State,
        before: int,
        high: tuple[Piece, Floats],
        rows: NDArray[np.intp],
        modes: ModeValues,
        again: Again,
    ) -> Crossing:
        """The first instant after `good` at which one of some margins is negative, or 0 as far as that can be told.

        Newton steps where rates are known, else secants where margins are smooth, halving where they are not.
        """
        low, end = good.time, float(high[0].times[0])
        width = end - low
        near = self._near(modes)
        asked = np.isin(np.arange(near.size), rows)
        begun = self.margins(piece_of(good), high[1], modes)
        at_low, above = begun.values[:, 0], begun
        latest, found = end, high[0]
        here = self.margins(*high, modes)
        at_high, below = here.values[:, 0], here
        for count in range(MOST_HALVINGS):
            values, rates = here.values[:, 0], here.rates[:, 0]
            # What has turned negative meanwhile counts too: the first of all is sought.
            sought = np.flatnonzero(asked | (at_high < -near))
            if _meets(values, rates, near, sought) or end - low <= TIME_DIGITS * max(abs(end), width):
                break
            if self._rounds(end - low, above, below, sought):
                break
            # Where a margin begins at 0 and rises, a secant would lead back to where it begins.
            is_clear = at_low[sought] > 3 * near[sought]
            guess = _along_cubics(low, end, begun, here, sought) if count == 0 else None
            if guess is None:
                guess = _guessed(
                    low, end, at_low[sought], at_high[sought], is_clear, latest, values[sought], rates[sought]
                )
            tried = again(good, guess)
            if tried is None:
                # Too short a way to integrate: nothing has happened on it.
                low = guess
                continue
            here, latest = self.margins(*tried, modes), guess
            values = here.values[:, 0]
            rates = here.rates[:, 0]
            if np.any(values[sought] < 0) or np.any(values < -near) or _meets(values, rates, near, sought):
                end, found, at_high, below = guess, tried[0], values, here
                at_low = np.where(at_low > 0, at_low / 2, at_low)
            else:
                low, at_low, above = guess, values, here
                at_high = np.where(at_high < 0, at_high / 2, at_high)
        worst = self.margins(found, high[1], modes).values[:, 0]
        turned = np.flatnonzero((worst < -near) | (asked & (worst <= near)))
        if not turned.size:
            turned = rows[[int(np.argmin(worst[rows]))]]
        return Crossing(before, found.state(0), tuple(self.watched[int(row)] for row in turned))

    def _rounds(self, width: float, above: Margins, below: Margins, sought: NDArray[np.intp]) -> bool:
        """Whether gaps fall by little, and by more than their rates at both ends explain: that is rounding."""
        if not all(self.watched[int(row)].kind == "gap" for row in sought):
            return False
        first, last = above.rates[sought, 0], below.rates[sought, 0]
        fallen = above.values[sought, 0] - below.values[sought, 0]
        little = fallen <= EXACT * self._sizes.gaps[[self.watched[int(row)].place for row in sought]]
        return bool(np.all(little & (first < 0) & (last < 0) & (-np.minimum(first, last) * width < fallen / 2)))

    def _near(self, modes: ModeValues) -> Floats:
        """Margins that count as 0: of closed gaps and of flows that rest; of others only 0 itself."""
        near = np.zeros(len(self.watched))
        for row, watched in enumerate(self.watched):
            k = watched.place
            if watched.kind == "gap" and not modes.held[self._places.modes[k]]:
                near[row] = (DEEP * self._sizes.gaps[k] + TINY) / 2
            elif watched.kind == "friction" and not modes.sticking[k]:
                near[row] = EXACT / 10 * self._sizes.flows[k] + NOTHING / 2
        return near


def _meets(values: Floats, rates: Floats, near: Floats, sought: NDArray[np.intp]) -> bool:
    """Whether one of the margins sought is 0 and falls, and none is clearly negative."""
    falling = ~(rates[sought] >= 0)
    zero = (np.abs(values[sought]) <= near[sought]) & falling
    return bool(np.any(zero) and np.all(values[sought] >= -near[sought]))


def _along_cubics(low: float, end: float, begun: Margins, here: Margins, sought: NDArray[np.intp]) -> float | None:
    """Where the first margin is 0, along the cubics through values and rates at both ends; None where unknown."""
    times = np.array([low, end])
    found = [
        root
        for row in sought
        for root in _falls(
            times,
            np.array([begun.values[row, 0], here.values[row, 0]]),
            np.array([begun.rates[row, 0], here.rates[row, 0]]),
        )
    ]
    return min(found, default=None)


def _guessed(
    low: float,
    end: float,
    at_low: Floats,
    at_high: Floats,
    is_clear: NDArray[np.bool_],
    latest: float,
    values: Floats,
    rates: Floats,
) -> float:
    """Where the first of some margins is 0, between two times; `values` and their `rates` are at the latest one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        newton = (latest - values / rates)[rates < 0]
        secant = (low + (end - low) * at_low / (at_low - at_high))[at_high < 0]
    for guesses in (newton, secant if np.all(is_clear) else np.array([])):
        inside = guesses[(guesses > low) & (guesses < end)]
        if inside.size:
            return float(inside.min())
    return (low + end) / 2


def _dips(times: Floats, values: Floats, rates: Floats, first: int) -> list[tuple[int, int]]:
    """(instant, row) of intervals before an instant where a margin falls and rises again, and may be negative."""
    found = []
    with np.errstate(invalid="ignore"):
        turns = (rates[:, :first] < 0) & (rates[:, 1 : first + 1] > 0)
    for row, i in zip(*np.nonzero(turns), strict=True):
        low = _lowest(times[i : i + 2], values[row, i : i + 2], rates[row, i : i + 2])
        if low is not None and low[1] < 0.05 * float(values[row, i : i + 2].min()):
            found.append((int(i), int(row)))
    return sorted(found)


def _cubic(h: float, values: Floats, rates: Floats) -> tuple[float, float, float, float]:
    """The coefficients of p(s) = p0 + a s + c s² + d s³, s from 0 to 1 over a time h, through values and rates."""
    a, b = float(rates[0]) * h, float(rates[1]) * h
    rise = float(values[1] - values[0])
    return float(values[0]), a, 3 * rise - 2 * a - b, a + b - 2 * rise


def _falls(times: Floats, values: Floats, rates: Floats) -> list[float]:
    """Where the cubic through two values with their rates falls through 0; nowhere where a rate is not known."""
    h = float(times[1] - times[0])
    p, a, c, d = _cubic(h, values, rates)
    if not np.isfinite([p, a, c, d]).all() or not d:
        return []
    roots = [float(s.real) for s in np.roots([d, c, a, p]) if abs(s.imag) < 1e-9]
    return [float(times[0]) + s * h for s in roots if 0 < s < 1 and a + s * (2 * c + 3 * d * s) < 0]


def _lowest(times: Floats, values: Floats, rates: Floats) -> tuple[float, float] | None:
    """Time and value of the inner minimum of the cubic through two values with their rates; None where it has none."""
    h = float(times[1] - times[0])
    _, a, c, d = _cubic(h, values, rates)
    roots = np.roots([3 * d, 2 * c, a]) if abs(d) > 1e-300 else np.array([-a / (2 * c)]) if c else np.array([])
    inner = [float(s.real) for s in roots if abs(s.imag) < 1e-12 and 0 < s.real < 1 and 2 * c + 6 * d * s.real > 0]
    if not inner:
        return None
    s = inner[0]
    return float(times[0]) + s * h, float(values[0]) + a * s + c * s**2 + d * s**3
