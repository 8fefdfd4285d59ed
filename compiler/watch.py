"""Limits and assertions along a piece: which one is reached first, and when exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .integrate import Accuracy, Driver, Piece, State
from .kernels import mapped
from .redundancy import Redundancy

Floats = NDArray[np.float64]
Outcome = Literal["ended", "stopped"]

TIME_DIGITS = 1e-14
"""An instant is located to this part of the time and of the interval it was met in."""


@frozen
class Watched:
    """Something that must not turn negative (a limit's gap) or 0 (a condition)."""

    name: str
    reason: str
    outcome: Outcome


@frozen
class Crossing:
    """The instants of a piece before something was reached (None: there are none), and the one where it was."""

    before: Piece | None
    at: Piece
    watched: Watched


def watched_by(driver: Driver) -> tuple[Watched, ...]:
    """All that is watched, in the order of `Kernels.gaps`."""
    system = driver.kernels.reduced.equations.system
    limits = tuple(
        Watched(limit.name, f"limit `{limit.name}` reached at its {side} bound", "ended")
        for limit in system.limits
        for side in limit.sides
    )
    conditions = (*system.asserts, *system.bounds)
    return limits + tuple(Watched("assert", a.message, "stopped") for a in conditions)


def first_crossing(
    driver: Driver,
    state: State,
    piece: Piece,
    kappa: float,
    accuracy: Accuracy,
    redundancy: Redundancy | None,
) -> Crossing | None:
    """Look through a piece's instants for a limit below 0, or a condition that does not hold.

    The instant is found by integrating again from the last good one, to the last digits of time.
    """
    watched = watched_by(driver)
    if not watched:
        return None
    start, stop = state.time, float(piece.times[-1])
    bad = _margins(driver, piece, start, stop) < 0
    if not bad.any():
        return None
    k = int(np.argmax(bad.any(axis=0)))
    good = state if k == 0 else piece.state(k - 1)
    at, which = _locate(driver, good, piece, k, np.flatnonzero(bad[:, k]), kappa, accuracy, redundancy)
    return Crossing(_head(piece, k), at, watched[which])


def _margins(driver: Driver, piece: Piece, start: float, stop: float) -> Floats:
    """Gaps as they are, conditions as +1 or -1, (watched, k)."""
    environment = driver.environment(start, stop)
    arguments = [piece.times[None, :], piece.x, piece.z, environment]
    limits, conditions = mapped(driver.kernels.gaps, piece.times.size, arguments)
    return np.vstack([limits.full(), 2 * conditions.full() - 1])


def _locate(
    driver: Driver,
    good: State,
    piece: Piece,
    k: int,
    candidates: NDArray[np.intp],
    kappa: float,
    accuracy: Accuracy,
    redundancy: Redundancy | None,
) -> tuple[Piece, int]:
    """The first instant after `good` at which a candidate's margin is not positive any more.

    Secant steps where margins are smooth, halving where they are not (the Illinois rule).
    """
    low, high = good.time, float(piece.times[k])
    found = Piece(piece.times[k : k + 1], piece.x[:, k : k + 1], piece.z[:, k : k + 1], piece.work[:, k : k + 1], 0)
    margins = _margins(driver, found, low, high)[candidates, 0]
    at_good = Piece(np.array([low]), good.x[:, None], good.z[:, None], good.work[:, None], 0)
    margins_low = _margins(driver, at_good, low, high)[candidates, 0]
    for _ in range(80):
        if high - low <= TIME_DIGITS * max(abs(high), float(piece.times[k]) - good.time):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = low + (high - low) * margins_low / (margins_low - margins)
        crossings = crossings[margins < 0]
        middle = float(np.min(crossings)) if crossings.size else np.nan
        if not low < middle < high:
            middle = (low + high) / 2
        tried = driver.integrate(good, middle, 1, kappa, accuracy, redundancy)
        if tried is None:
            break
        there = _margins(driver, tried, good.time, middle)[candidates, 0]
        if np.any(there < 0):
            high, found, margins, margins_low = middle, tried, there, margins_low / 2
        else:
            low, margins_low, margins = middle, there, margins / 2
    worst = _margins(driver, found, good.time, high)[candidates, 0]
    return found, int(candidates[int(np.argmin(worst))])


def _head(piece: Piece, k: int) -> Piece | None:
    if k == 0:
        return None
    return Piece(piece.times[:k], piece.x[:, :k], piece.z[:, :k], piece.work[:, :k], piece.steps)
