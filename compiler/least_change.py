"""The smallest change that makes rows hold: Newton's method in a metric, some unknowns held."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

Floats = NDArray[np.float64]

ITERATIONS = 60
CONVERGED = 1e-13
NEXT_TO_NOTHING, PATIENCE = 0.99, 8
"""Where so many steps one after the other each leave more than this part of the rows, there is nothing to be found."""


@frozen
class Evaluation:
    """Rows at a point: residual (r,), jacobian (r, n) and metric (n, n) by a small change of n unknowns."""

    residual: Floats
    jacobian: Floats
    metric: Floats

    @property
    def finite_rows(self) -> NDArray[np.bool_]:
        """Which rows have a value and slopes."""
        return np.asarray(np.isfinite(self.residual) & np.isfinite(self.jacobian).all(axis=1))

    def is_finite(self) -> bool:
        """Whether there is anything to search by."""
        return bool(self.finite_rows.all())


@frozen
class Outcome:
    """Where the search ended.

    `relative` (r,) is each row's residual over its scale; infinite where the rows have no value, or no slope,
    at the first point.
    """

    point: Floats
    residual: Floats
    relative: Floats

    @property
    def worst(self) -> float:
        return float(np.max(self.relative, initial=0.0))


def least_change(
    evaluate: Callable[[Floats], Evaluation],
    move: Callable[[Floats, Floats], Floats],
    start: Floats,
    free: NDArray[np.bool_],
    sizes: Callable[[Floats], Floats],
) -> Outcome:
    """Move the free unknowns from `start` until the rows hold, each step the least in the metric.

    `move(point, change)` applies a change (n,); `sizes(point)` (n,) are the unknowns' magnitudes, by which a row's
    scale is judged. Ends where the rows hold to rounding, or where no step makes them smaller.
    """
    point = start
    at = evaluate(point)
    if not at.is_finite():
        return Outcome(point, at.residual, np.full(at.residual.size, np.inf))
    stalled = 0
    for _ in range(ITERATIONS):
        scale = _scales(at, sizes(point))
        if np.max(np.abs(at.residual) / scale, initial=0.0) <= CONVERGED or not at.is_finite():
            break
        change = np.zeros(free.size)
        try:
            change[free] = _step(at, free, scale)
        except np.linalg.LinAlgError:
            # Here the metric measures nothing: who asks sees that the rows do not hold.
            break
        advanced = _line_search(evaluate, move, point, at, change, scale)
        if advanced is None:
            break
        gained = np.linalg.norm(advanced[1].residual / scale) < NEXT_TO_NOTHING * np.linalg.norm(at.residual / scale)
        stalled = 0 if gained else stalled + 1
        point, at = advanced
        if stalled == PATIENCE:
            break
    scale = _scales(at, sizes(point))
    return Outcome(point, at.residual, np.abs(at.residual) / scale)


def weighted_pseudo_inverse_step(jacobian: Floats, metric: Floats, residual: Floats, cutoff: float = 1e-10) -> Floats:
    """The change δ of least δᵀ·metric·δ among those that come closest to jacobian·δ = -residual."""
    if jacobian.size == 0:
        return np.zeros(jacobian.shape[1])
    lower = np.linalg.cholesky(metric)
    whitened = np.linalg.solve(lower, jacobian.T).T
    step, *_ = np.linalg.lstsq(whitened, -residual, rcond=cutoff)
    return np.asarray(np.linalg.solve(lower.T, step))


def _step(at: Evaluation, free: NDArray[np.bool_], scale: Floats) -> Floats:
    weight = 1.0 / scale
    return weighted_pseudo_inverse_step(
        at.jacobian[:, free] * weight[:, None], at.metric[np.ix_(free, free)], at.residual * weight
    )


def _line_search(
    evaluate: Callable[[Floats], Evaluation],
    move: Callable[[Floats, Floats], Floats],
    point: Floats,
    at: Evaluation,
    change: Floats,
    scale: Floats,
) -> tuple[Floats, Evaluation] | None:
    """The longest of the step, its half, its quarter ... that makes the rows smaller."""
    norm = float(np.linalg.norm(at.residual / scale))
    fraction = 1.0
    for _ in range(12):
        candidate = move(point, fraction * change)
        there = evaluate(candidate)
        if np.all(np.isfinite(there.residual)) and np.linalg.norm(there.residual / scale) < norm:
            return candidate, there
        fraction /= 2
    return None


def _scales(at: Evaluation, sizes: Floats) -> Floats:
    """A row's scale: what its terms would be if nothing cancelled. A row of next to nothing has scale 1."""
    scale = np.abs(at.jacobian) @ sizes
    return np.where(scale > 1e-200, scale, 1.0)
