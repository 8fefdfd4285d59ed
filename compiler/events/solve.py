"""Modes without a violation, found by exchanging those that are violated.

Violations are remedied all at once; where that goes round in circles, the worst one at a time, then the first one
(K. G. Murty's least index rule); and at last all modes of the contacts in doubt are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from ..redundancy import RANK
from .modes import ModeValues
from .sense import Places

Floats = NDArray[np.float64]

MOST_EXCHANGES = 60
MOST_TRIED = 4096
MOST_SIGNS = 4
"""Normal forces may change their signs so often while the other modes are kept."""

Remedy: TypeAlias = Callable[[ModeValues], ModeValues]


@frozen
class Violation:
    """A contact whose mode is not what its forces say: how it is mended, and how wrong it is (relative).

    `of_sign`: it is the sign of a normal force alone that is wrong.
    """

    remedy: Remedy
    size: float
    of_sign: bool = False


Judge: TypeAlias = Callable[[ModeValues], Sequence[Violation] | None]
"""The violations of modes; None where modes have no solution at all."""


@frozen
class Doubt:
    """Contacts whose mode is sought: places among the gaps, and among the frictions."""

    gaps: tuple[int, ...]
    frictions: tuple[int, ...]


def without_violation(modes: ModeValues, judge: Judge, doubt: Doubt, places: Places) -> ModeValues | None:
    """From `modes` by exchanges; None where there are none."""
    for rule in (_all, _worst, _first):
        tried = modes
        seen: set[bytes] = set()
        for _ in range(MOST_EXCHANGES):
            violations = judge(tried)
            if violations is not None and not violations:
                return tried
            if violations is None or tried.key in seen:
                break
            seen.add(tried.key)
            tried = rule(tried, violations)
    for tried in _every(modes, doubt, places):
        for _ in range(MOST_SIGNS):
            violations = judge(tried)
            if violations is not None and not violations:
                return tried
            signs = [violation for violation in violations or () if violation.of_sign]
            if not signs:
                break
            tried = _all(tried, signs)
    return None


def _all(modes: ModeValues, violations: Sequence[Violation]) -> ModeValues:
    for violation in violations:
        modes = violation.remedy(modes)
    return modes


def _worst(modes: ModeValues, violations: Sequence[Violation]) -> ModeValues:
    return max(violations, key=lambda violation: violation.size).remedy(modes)


def _first(modes: ModeValues, violations: Sequence[Violation]) -> ModeValues:
    return violations[0].remedy(modes)


def _every(modes: ModeValues, doubt: Doubt, places: Places) -> Iterable[ModeValues]:
    """All modes of the contacts in doubt; none where there are too many."""
    options: list[list[Remedy]] = []
    for gap in doubt.gaps:
        options.append([_holding(int(places.modes[gap]), held) for held in (True, False)])
    for friction in doubt.frictions:
        options.append(_rubbing(modes, friction, places.spans[friction]))
    if np.prod([float(len(own)) for own in options]) > MOST_TRIED:
        return
    for chosen in product(*options):
        tried = modes
        for remedy in chosen:
            tried = remedy(tried)
        yield tried


def _holding(place: int, held: bool) -> Remedy:
    return lambda modes: modes.hold(place, held)


def _rubbing(modes: ModeValues, friction: int, span: slice) -> list[Remedy]:
    directions = [modes.direction[span]] if span.stop - span.start > 1 else [np.ones(1), -np.ones(1)]

    def sliding(direction: Floats) -> Remedy:
        return lambda tried: tried.press(friction, True).slide(friction, span, direction)

    return [
        lambda tried: tried.press(friction, True).stick(friction),
        *(sliding(direction) for direction in directions),
        lambda tried: tried.free(friction, span),
    ]


def solved(matrix: Floats, right: Floats) -> Floats | None:
    """The shortest solution in scaled unknowns of rows of any rank; None where rows contradict each other."""
    columns = np.linalg.norm(matrix, axis=0)
    columns = np.where(columns > 0, columns, 1.0)
    rows = np.linalg.norm(matrix / columns, axis=1)
    rows = np.where(rows > 0, rows, 1.0)
    scaled, asked = matrix / columns / rows[:, None], right / rows
    if not (np.isfinite(scaled).all() and np.isfinite(asked).all()):
        return None
    found = np.linalg.lstsq(scaled, asked, rcond=RANK)[0]
    left = float(np.max(np.abs(scaled @ found - asked), initial=0.0))
    if left > 1e-7 * max(float(np.max(np.abs(asked), initial=0.0)), 1e-300):
        return None
    return np.asarray(found / columns)
