"""Impacts: jumps of velocities when limits are reached, by Newton's law of restitution in rounds.

In a round all limits that are being approached, and the inelastic ones that are touched, act at once:

    0 <= p,  rate⁺ + e·rate⁻ >= 0,  one of the two 0 for each limit,

with all constraints kept. What a round leaves approaching (the next ball of a row) acts in the next one. So one ball
that hits a row sends one off, and with e = 1 momentum and energy are kept exactly; energy never grows, since in a round
no limit takes part that parts already. Friction whose normal force is a reaction takes part by Coulomb's law for
impulses, with sticking where the impulse of friction can end the sliding (J. J. Moreau, in Nonsmooth Mechanics and
Applications, CISM 302, 1988); where friction would make the energy grow, restitution is lowered until it does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen, replace

from ..integrate import Driver, State
from .contacts import DEEP, EXACT, HARDLY, NOTHING, TINY, Contacts, Undecided, holding
from .modes import ModeValues
from .sense import Sensed
from .solve import Doubt, Violation, solved, without_violation

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_ROUNDS = 40
"""After so many rounds for each limit that is touched, all of them act as inelastic: what is left is a cascade."""
ROUNDING = 1e-12
"""Rates below this part of the largest are rounding of it."""
LOWERED = (1.0, 0.75, 0.5, 0.25, 0.0)


@frozen
class Hit:
    """One gap in an impact: its rate before and after, 0 where that is rounding."""

    gap: int
    before: float
    after: float


@frozen(eq=False)
class Impact:
    """The state after it; the energy lost, and what moving limits and constraints put in (J)."""

    state: State
    hits: tuple[Hit, ...]
    lost: float
    put_in: float


@frozen(eq=False)
class _Slopes:
    """By z: the algebraic rows under some modes, and rates of gaps, flows, normal and largest resting forces."""

    rows: Floats
    closing: Floats
    slips: Floats
    normals: Floats
    resting: Floats


@frozen(eq=False)
class _Speeds:
    """Velocities (nv,), rates of gaps (ng,) and flows (nw,) between rounds."""

    v: Floats
    rates: Floats
    flows: Floats


@frozen(eq=False)
class _Round:
    """What a round did: all impulses (nz,), the speeds after it, the energy lost and what moving limits put in."""

    impulses: Floats
    after: _Speeds
    lost: float
    put_in: float


class Impacts:
    """Works out the impact at one state of a run."""

    def __init__(self, driver: Driver, contacts: Contacts, state: State, modes: ModeValues) -> None:
        self._driver = driver
        self._contacts = contacts
        self._places = contacts.places
        self._state = state
        self._modes = modes
        environment = driver.environment(state.time, state.time)
        self._seen = Sensed.at(driver.kernels, self._places, state, environment)
        self._touched = contacts.touching(self._seen)
        self._still = self._slopes(modes)
        self._rubbing = [k for k in range(len(self._places.spans)) if np.any(self._still.normals[k] != 0)]

    def resolve(
        self, restitution: Floats, fastest: Floats, slow: float, instant: float, crept: frozenset[int]
    ) -> Impact | None:
        """None where nothing is approached.

        `restitution` (ng,); a limit that is hit at less than the part `slow` of `fastest` (ng,), its fastest hit so
        far, comes to rest. What closes within `instant` (s) closes now; `crept` are gaps that have closed, however
        slowly. Raises Undecided.
        """
        places = self._places
        rates = self._seen.rates[:, 0].copy()
        # What limits a velocity keeps it: its own value plays the part of a rate.
        rates[~places.hit] = self._seen.gaps[~places.hit, 0]
        now = _Speeds(self._state.x[places.velocities], rates, self._seen.flows[:, 0])
        least = np.maximum(self._contacts.slowest(), ROUNDING * np.abs(rates).max(initial=0.0))
        if not np.any(self._met(now, instant) & (rates < -least)):
            least[list(crept)] = 0.0
        if not np.any(self._met(now, instant) & (rates < -least)):
            return None
        slowly = (rates >= -np.maximum(slow * fastest, self._contacts.slowest())) | self._hardly_moves(
            restitution * rates
        )
        # What merely rests there when something else is hit passes the blow on elastically.
        at_rest = (rates < -least) & slowly
        elastic = np.where(at_rest, 0.0, restitution)
        lost = put_in = 0.0
        taking_part: set[int] = set()
        rounds = MOST_ROUNDS * rates.size
        for count in range(rounds + 1):
            approached = self._met(now, instant) & (now.rates < -least)
            if not approached.any():
                break
            if count == rounds:
                elastic = np.zeros_like(elastic)
            still = self._met(now, instant) & self._hardly_moves(now.rates)
            done = self._comes_to_rest(still, now) if not np.any(approached & ~still) else None
            if done is not None:
                now, lost, put_in = done.after, lost + done.lost, put_in + done.put_in
                taking_part |= set(map(int, np.flatnonzero(approached)))
                break
            chosen = approached | (self._touched & (elastic == 0) & (now.rates <= least))
            done = self._round(chosen, elastic, now)
            now, lost, put_in = done.after, lost + done.lost, put_in + done.put_in
            taking_part |= set(map(int, np.flatnonzero(approached)))
        x = self._state.x.copy()
        x[places.velocities] = now.v
        return Impact(replace(self._state, x=x), self._hits(taking_part, rates, now.rates), lost, put_in)

    def stopped(self, gaps: frozenset[int]) -> Impact | None:
        """Gaps that open are stopped, whatever is held or sticks staying so; None where they cannot be."""
        places, modes = self._places, self._modes
        for k in gaps:
            modes = modes.hold(int(places.modes[k]), True)
        for k, span in enumerate(places.spans):
            modes = modes if modes.sticking[k] else modes.free(k, span)
        now = _Speeds(self._state.x[places.velocities], self._seen.rates[:, 0], self._seen.flows[:, 0])
        done = self._solved(modes, np.zeros(places.gaps.size), now)
        if done is None:
            return None
        x = self._state.x.copy()
        x[places.velocities] = done.after.v
        return Impact(replace(self._state, x=x), (), done.lost, done.put_in)

    def _hits(self, taking_part: set[int], before: Floats, after: Floats) -> tuple[Hit, ...]:
        """Those that arrived or leave faster than rounding."""
        slowest = np.maximum(self._contacts.slowest(), EXACT * np.abs(before).max(initial=0.0))
        before = np.where(before < -slowest, before, 0.0)
        after = np.where(after > slowest, after, 0.0)
        return tuple(Hit(k, float(before[k]), float(after[k])) for k in sorted(taking_part) if before[k] or after[k])

    def _met(self, now: _Speeds, instant: float) -> Flags:
        """Gaps that are closed, or will be within the instant."""
        closes = self._seen.gaps[:, 0] + instant * now.rates <= 0
        return self._places.hit & (self._touched | closes)

    def _hardly_moves(self, rates: Floats) -> Flags:
        """Gaps that open or close no faster than if they had fallen through the depth at which they are found."""
        falling = float(np.max(np.abs(self._seen.closing[:, 0]), initial=0.0))
        depth = HARDLY * (DEEP * self._contacts.sizes.gaps + TINY)
        return np.asarray(rates**2 <= 2 * falling * depth)

    def _comes_to_rest(self, slow: Flags, now: _Speeds) -> _Round | None:
        """All gaps that hardly move are closed at once: what they would still do lies below the digits of a gap."""
        modes = self._modes
        for k, place in enumerate(self._places.modes):
            modes = modes.hold(int(place), bool(slow[k]))
        for k, span in enumerate(self._places.spans):
            modes = modes.press(k, False).slide(k, span, np.zeros(span.stop - span.start))
        return self._solved(modes, np.zeros(now.rates.size), now)

    def _slopes(self, modes: ModeValues) -> _Slopes:
        driver = self._driver.in_modes(modes.column)
        environment = driver.environment(self._state.time, self._state.time)
        return _Slopes(*(m.full() for m in driver.kernels.impulses(self._state.time, self._state.x, environment)))

    def _round(self, chosen: Flags, elastic: Floats, now: _Speeds) -> _Round:
        """One round; restitution is lowered where friction would make the energy grow."""
        done = self._acted(chosen, elastic, now)
        for part in LOWERED:
            size = float(np.abs(done.impulses[self._places.gaps]) @ np.abs(now.rates))
            if done.lost >= -EXACT * size:
                break
            done = self._acted(chosen, part * elastic, now)
        return done

    def _acted(self, chosen: Flags, elastic: Floats, now: _Speeds) -> _Round:
        places = self._places
        tried = self._modes
        for k, place in enumerate(places.modes):
            tried = tried.hold(int(place), bool(chosen[k]))
        for k, span in enumerate(places.spans):
            flow = now.flows[span]
            speed = float(np.linalg.norm(flow))
            if k not in self._rubbing:
                tried = tried.press(k, False).slide(k, span, np.zeros(flow.size))
            elif speed <= EXACT * self._contacts.sizes.flows[k] + NOTHING:
                tried = tried.press(k, True).stick(k)
            else:
                tried = tried.press(k, True).slide(k, span, self._towards(span, flow))
        found: dict[bytes, _Round] = {}

        def judge(modes: ModeValues) -> list[Violation] | None:
            done = self._solved(modes, elastic, now)
            if done is None:
                return None
            found[modes.key] = done
            return self._violations(modes, chosen, elastic, now, done)

        doubt = Doubt(tuple(map(int, np.flatnonzero(chosen))), tuple(self._rubbing))
        decided = without_violation(tried, judge, doubt, places)
        if decided is None:
            raise Undecided(doubt)
        return found[decided.key]

    def _towards(self, span: slice, flow: Floats) -> Floats:
        """The mode of sliding along a flow, whatever the flow of the state as it stands."""
        if flow.size == 1:
            return np.sign(flow)
        return flow - self._seen.flows[span, 0]

    def _solved(self, modes: ModeValues, elastic: Floats, now: _Speeds) -> _Round | None:
        places = self._places
        slopes = self._slopes(modes)
        right = np.zeros(slopes.rows.shape[0])
        right[places.gaps] = np.where(modes.held[places.modes], -(1 + elastic) * now.rates, 0.0)
        right[places.flows] = np.where(modes.sticking[places.owners], -now.flows, 0.0)
        impulses = solved(slopes.rows, right)
        if impulses is None:
            return None
        nv = now.v.size
        rates, flows = now.rates + slopes.closing @ impulses, now.flows + slopes.slips @ impulses
        p, w = impulses[places.gaps], impulses[places.flows]
        lost = -float(p @ (rates + now.rates) + w @ (flows + now.flows)) / 2
        # What moves by itself does work against the same impulses.
        moving = -float(p @ (now.rates - slopes.closing[:, :nv] @ now.v))
        moving -= float(w @ (now.flows - slopes.slips[:, :nv] @ now.v))
        kept = self._driver.kernels.multipliers
        moving += float(impulses[kept] @ (slopes.rows[kept, :nv] @ now.v))
        return _Round(impulses, _Speeds(now.v + impulses[:nv], rates, flows), lost, moving)

    def _violations(
        self, modes: ModeValues, chosen: Flags, elastic: Floats, now: _Speeds, done: _Round
    ) -> list[Violation]:
        places = self._places
        p = done.impulses[places.gaps]
        normals = self._still.normals @ done.impulses
        largest = max(float(np.abs(p).max(initial=0.0)), float(np.abs(normals).max(initial=0.0)), NOTHING)
        speed = max(float(np.abs(now.rates).max(initial=0.0)), NOTHING)
        found = []
        for k in map(int, np.flatnonzero(chosen)):
            place = int(places.modes[k])
            short = -float(done.after.rates[k] + elastic[k] * now.rates[k])
            if modes.held[place] and p[k] < -EXACT * largest:
                found.append(holding(place, False, -float(p[k]) / largest))
            elif not modes.held[place] and short > EXACT * speed:
                found.append(holding(place, True, short / speed))
        for k in self._rubbing:
            found += self._rubs(k, modes, float(normals[k]), now, done, largest)
        return found

    def _rubs(
        self, k: int, modes: ModeValues, normal: float, now: _Speeds, done: _Round, largest: float
    ) -> list[Violation]:
        span = self._places.spans[k]
        before, after = now.flows[span], done.after.flows[span]
        size = max(float(np.abs(before).max()), float(np.abs(after).max()), NOTHING)
        if modes.pressed[k] != (normal > 0) and abs(normal) > EXACT * largest:
            return [Violation(lambda m: m.press(k, normal > 0), abs(normal) / largest, of_sign=True)]
        if modes.sticking[k]:
            force = done.impulses[self._places.flows[span]]
            pulled = float(np.linalg.norm(force))
            most = max(float(self._still.resting[k] @ done.impulses), 0.0)
            if pulled > most + EXACT * largest:
                against = self._towards(span, -force / pulled * size)
                return [Violation(lambda m: m.slide(k, span, against), (pulled - most) / largest)]
            return []
        if normal <= EXACT * largest:
            # Without a normal force sliding one way is as good as the other.
            return []
        towards = modes.direction[span]
        along = towards if towards.size == 1 else towards + self._seen.flows[span, 0]
        turned = float(along @ after)
        if turned < -EXACT * size * float(np.linalg.norm(along)):
            return [Violation(lambda m: m.stick(k), -turned / size)]
        return []
