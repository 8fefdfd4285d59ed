"""Other ways to assemble what rows complete, and unknowns that rows leave where they were guessed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .draws import Draws
from .reduced import ReducedSystem
from .search import HOLDS, Level, Mask

Floats = NDArray[np.float64]

MOST_FREE = 40
TRIES = 5
RANK = 1e-7
SHARE = 1e-9
"""An unknown takes part in changes of which it has this part."""

APART = 1e-3
"""Solutions closer than this part of their size are one: a double root is found to its square root only."""


@frozen
class Branch:
    """Another solution, and the places in x of what was completed there and rows (places) tie it."""

    point: Floats
    places: tuple[int, ...]
    rows: tuple[int, ...]


@frozen
class Adrift:
    """Places in x that stayed at their guess, because the rows (places) have no slope along them here."""

    places: tuple[int, ...]
    rows: tuple[int, ...]


def other_branch(level: Level, found: Floats, free: Mask, reduced: ReducedSystem) -> Branch | None:
    """Another solution, the first that a few guesses lead to; None where the rows leave a choice, or have none.

    Only where the rows determine all that is free: else every guess leads somewhere else.
    """
    at = level.evaluate(found)
    if not 0 < free.sum() < MOST_FREE or not at.residual.size:
        return None
    slopes = at.jacobian[:, free]
    if _rank(slopes, _heights(at.jacobian)) < int(free.sum()):
        return None
    for guess in _guesses(level, found, free, reduced):
        there = level.evaluate(guess)
        if np.allclose(there.jacobian[:, free], slopes, rtol=1e-12, atol=0):
            return None
        if not (np.all(np.isfinite(there.residual)) and np.all(np.isfinite(there.jacobian))):
            continue
        outcome = level.solve(guess, free)
        if outcome.worst <= HOLDS and _apart(level, reduced, outcome.point, found) > APART:
            return _branch(level, reduced, outcome.point, found, free)
    return None


def _branch(level: Level, reduced: ReducedSystem, other: Floats, found: Floats, free: Mask) -> Branch:
    point = found + _difference(reduced, other, found)
    moved = tuple(i for i in level.stage.stage.targets if abs(point[i] - found[i]) > APART * level.size(found))
    columns = [k for k, anchor in enumerate(level.anchors) if free[k] and anchor in moved]
    return Branch(point, moved, _touched(level.evaluate(found).jacobian[:, columns]))


def adrift(level: Level, found: Floats, free: Mask) -> Adrift | None:
    """Free unknowns that the rows determine near this point, but not at it, where another value would do.

    A point near by tells how many the rows determine; where all columns together lose rank too, rows repeat
    each other, which is another matter.
    """
    if not 0 < free.sum() < MOST_FREE:
        return None
    here = level.evaluate(found).jacobian
    rank = _rank(here[:, free], _heights(here))
    if rank == min(int(free.sum()), here.shape[0]):
        return None
    moved = found + 0.05 * Draws(1).column(0.5, 1, found.size) * np.maximum(np.abs(found), 0.2)
    near = level.evaluate(moved).jacobian
    if not np.all(np.isfinite(near)):
        return None
    heights = np.maximum(_heights(here), _heights(near))
    whole = _rank(here, heights) == _rank(near, heights)
    if not whole or _rank(near[:, free], heights) == _rank(here[:, free], heights):
        return None
    open_here, open_near = (_null(jacobian[:, free], heights) for jacobian in (here, near))
    loose = np.flatnonzero((np.diag(open_here) > SHARE) & ~(np.diag(open_near) > SHARE))
    columns = np.flatnonzero(free)
    stays = [columns[k] for k in loose if _drifts(level, found, columns, open_here[k])]
    if not stays:
        return None
    places = tuple(dict.fromkeys(int(level.anchors[column]) for column in stays))
    return Adrift(places, _touched(near[:, stays]))


def _drifts(level: Level, found: Floats, columns: NDArray[np.intp], direction: Floats) -> bool:
    """Whether the rows hold as well with the unknowns put elsewhere: they do not at a double root."""
    change = np.zeros(len(level.anchors))
    change[columns] = 0.1 * level.size(found) * direction / np.linalg.norm(direction)
    there = level.evaluate(level.move(found, change))
    scale = np.abs(there.jacobian) @ level.sizes(found)
    return bool(np.all(np.abs(there.residual) <= 1e-9 * np.where(scale > 0, scale, 1.0)))


def _guesses(level: Level, found: Floats, free: Mask, reduced: ReducedSystem) -> Iterator[Floats]:
    """Mirrored, then spread evenly over half a turn of each angle and twice the size of each length."""
    turning = level.turning
    anchors = np.asarray(level.anchors, dtype=int)
    plain = anchors[free & ~turning]
    mirrored = found.copy()
    mirrored[plain] *= -1
    if np.any(mirrored != found):
        yield mirrored
    widths = np.full(free.size, 1.5 * level.size(found))
    widths[np.isin(anchors, sorted(_angles(reduced))) | turning] = np.pi
    draws = Draws(1)
    for _ in range(TRIES):
        yield level.move(found, np.where(free, draws.column(-1, 1, free.size) * widths, 0.0))


def _angles(reduced: ReducedSystem) -> set[int]:
    """Places in x of angles, attitudes left aside."""
    own = {place for block in reduced.norm_blocks for place in range(block.start, block.stop)}
    return {place for alike in reduced.alike if alike.is_angle for place in alike.places[0]} - own


def _difference(reduced: ReducedSystem, one: Floats, other: Floats) -> Floats:
    """From one pose to another the short way: whole turns and the sign of Euler parameters do not count."""
    change = one - other
    angles = sorted(_angles(reduced))
    change[angles] -= 2 * np.pi * np.round(change[angles] / (2 * np.pi))
    for block in reduced.norm_blocks:
        if one[block] @ other[block] < 0:
            change[block] = -one[block] - other[block]
    return change


def _apart(level: Level, reduced: ReducedSystem, one: Floats, other: Floats) -> float:
    """The distance of two poses over their size."""
    targets = list(level.stage.stage.targets)
    return float(np.linalg.norm(_difference(reduced, one, other)[targets])) / level.size(other)


def _heights(jacobian: Floats) -> Floats:
    """Each row's length, by which its slopes are judged."""
    lengths = np.linalg.norm(jacobian, axis=1)
    return np.where(lengths > 0, lengths, 1.0)


def _rank(matrix: Floats, heights: Floats) -> int:
    return int(np.sum(np.linalg.svd(matrix / heights[:, None], compute_uv=False) > RANK))


def _null(matrix: Floats, heights: Floats) -> Floats:
    """The projector onto changes that the rows do not notice."""
    _, _, vt = np.linalg.svd(matrix / heights[:, None])
    unseen = vt[_rank(matrix, heights) :]
    return np.asarray(unseen.T @ unseen)


def _touched(slopes: Floats) -> tuple[int, ...]:
    return tuple(int(i) for i in np.flatnonzero(np.abs(slopes).max(axis=1) > 0))
