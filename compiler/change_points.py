"""Change points along a run: where constraint rows come near to losing their rank, and how they are passed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .formulations.passage import Passage
from .integrate import Driver, Piece, State
from .kernels import mapped
from .redundancy import stacked
from .truncation import Truncation

Floats = NDArray[np.float64]

NEAR = 0.15
"""Rows are near dependence where their independence has fallen to this part of its largest value so far."""
TRUNCATION = 1e-4
"""What is left out on the way through, as a part of the same value."""
MOST_ROWS = 400
"""Beyond as many rows, singular values cost more than the run: change points are then not looked for."""
FEW_ROWS, MOST_SAMPLES = 30, 24
STAGES = 12
"""Evaluations in a step of the explicit method that passes."""
CHEAP = 6.0
"""Evaluations that may be made for a step of IDAS: it solves linear systems too, and is the less accurate here."""
FEW_STEPS = 2
"""A piece of as many is too short to tell what a longer one costs."""
LIGHT_ROWS, LIGHT_REPEATED = 200, 60
"""Beyond as many rows IDAS is taken for the cheaper; where some repeat others, its matrices alone are sparse."""


class ChangePoints:
    """Watches the independence of the constraint rows.

    That is the smallest singular value that counts, as a part of the largest.

    Rows are measured in the mass metric and in units of the longest they have been: a row whose gradient vanishes
    must not be scaled up. `rank` is how many rows are independent in general. `worthwhile` says whether the way
    through has been cheap so far.
    """

    def __init__(self, driver: Driver, rank: int) -> None:
        self._driver = driver
        self._rank = rank
        rows = driver.kernels.multipliers
        self._independent = rank == rows.stop - rows.start
        self._widest = 0.0
        self.worthwhile = rank <= (LIGHT_ROWS if self._independent else LIGHT_REPEATED)
        self._passage = Passage(driver.kernels)
        self._lengths = np.zeros(0)
        self._rows = np.zeros(0)
        self._columns = np.zeros(0)

    @property
    def watched(self) -> bool:
        """Whether there is anything to watch: one row alone is watched too, since its gradient may vanish.

        Nothing is, where the way through does not know the model's equations.
        """
        return 0 < self._rank <= MOST_ROWS and self._passage.takes_all

    @property
    def follower(self) -> Driver:
        """What to integrate with near a change point."""
        return self._passage.follower(self._driver, self.truncation, independent=self._independent)

    @property
    def truncation(self) -> Truncation:
        """What is left out on the way through."""
        return Truncation(TRUNCATION * self._widest, self._lengths)

    def as_passed(self, piece: Piece) -> bool:
        """Whether multipliers are those of the way through: rows that always repeat others take the least elsewhere."""
        if self._independent:
            return True
        environment = self._driver.environment(float(piece.times[0]), float(piece.times[-1]))
        return bool(np.any(self._sampled(piece, environment)[1] < NEAR * self._widest))

    def goes_on(self, piece: Piece, duration: float, rate: float) -> bool:
        """Whether the way through is worth keeping to, after a piece that took it for `duration` (s).

        An explicit method of order eight is the more accurate: it is left where IDAS, which takes `rate` steps a
        second, is cheaper. One change point is seldom alone, and each restart of IDAS has its errors.
        """
        if piece.steps > FEW_STEPS:
            self.worthwhile &= piece.steps * STAGES <= CHEAP * rate * duration
        return self.worthwhile

    def is_near(self, state: State) -> bool:
        """Whether rows are near dependence at a state."""
        if not self.watched:
            return False
        environment = self._driver.environment(state.time, state.time)
        (found,) = self._independence(np.array([state.time]), state.x[:, None], environment)
        self._widest = max(self._widest, found)
        return bool(found < NEAR * self._widest)

    def last_far(self, piece: Piece) -> int | None:
        """The last instant of a piece before its rows come near dependence (-1: none); None where they do not."""
        if not self.watched:
            return None
        environment = self._driver.environment(float(piece.times[0]), float(piece.times[-1]))
        places, found = self._sampled(piece, environment)
        widest = np.maximum(np.maximum.accumulate(found), self._widest)
        self._widest = float(widest[-1])
        near = np.flatnonzero(found < NEAR * widest)
        if not near.size:
            return None
        return int(places[near[0] - 1]) if near[0] else -1

    def _sampled(self, piece: Piece, environment: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Places in a piece, the last among them, and the independence there."""
        count = piece.times.size
        step = 1 if self._rank <= FEW_ROWS else max(1, count // MOST_SAMPLES)
        places = np.unique([*range(step - 1, count, step), count - 1])
        return places, self._independence(piece.times[places], piece.x[:, places], environment)

    def _independence(self, times: Floats, x: Floats, environment: Floats) -> Floats:
        k = times.size
        gradients, metrics = mapped(self._driver.kernels.constraint_rows, k, [times[None, :], x, environment])
        lower = np.linalg.cholesky(stacked(metrics, k))
        whitened = np.linalg.solve(lower, stacked(gradients, k).transpose(0, 2, 1)).transpose(0, 2, 1)
        lengths = np.linalg.norm(whitened, axis=2).max(axis=0)
        self._lengths = np.maximum(self._lengths, lengths) if self._lengths.size else lengths
        s = np.linalg.svd(self._in_fair_units(whitened), compute_uv=False)
        # One row alone has nothing to be a part of but the longest it has been.
        largest = s[:, 0] if s.shape[1] > 1 else np.ones(k)
        return np.asarray(s[:, self._rank - 1] / np.where(largest > 0, largest, 1.0))

    def _in_fair_units(self, whitened: Floats) -> Floats:
        """Rows (k, m, nv) in units of the longest they have been, massless coordinates in units of their own.

        The metric gives what is massless next to nothing, so that rows which share a massless coordinate would all
        seem to point along it.
        """
        light = list(self._driver.kernels.massless)
        heavy = np.delete(whitened, light, axis=2)
        lengths = np.linalg.norm(heavy, axis=2).max(axis=0)
        lengths = np.where(lengths > 0, lengths, np.linalg.norm(whitened, axis=2).max(axis=0))
        self._rows = np.maximum(self._rows, lengths) if self._rows.size else lengths
        fair = whitened / np.where(self._rows > 0, self._rows, 1.0)[None, :, None]
        if light:
            columns = np.linalg.norm(fair[:, :, light], axis=1).max(axis=0)
            self._columns = np.maximum(self._columns, columns) if self._columns.size else columns
            fair[:, :, light] /= np.where(self._columns > 0, self._columns, 1.0)
        return np.asarray(fair)
