"""Change points along a run: where constraint rows come near to losing their rank, and how they are passed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .formulations.passage import Passage
from .integrate import Driver, Piece, State
from .truncation import Truncation

Floats = NDArray[np.float64]

NEAR = 0.15
"""Rows are near dependence where their independence has fallen to this part of its largest value so far."""
TRUNCATION = 1e-3
"""What is left out on the way through, as a part of the same value."""
MOST_ROWS = 400
"""Beyond as many rows, singular values cost more than the run: change points are then not looked for."""
FEW_ROWS, MOST_SAMPLES = 30, 24


class ChangePoints:
    """Watches the independence of the constraint rows.

    That is the smallest singular value that counts, as a part of the largest.

    Rows are measured in the mass metric and in units of the longest they have been: a row whose gradient vanishes
    must not be scaled up. `rank` is how many rows are independent in general.
    """

    def __init__(self, driver: Driver, rank: int) -> None:
        self._driver = driver
        self._rank = rank
        self._widest = 0.0
        self._passage = Passage(driver.kernels)
        self._lengths = np.zeros(0)

    @property
    def watched(self) -> bool:
        """Whether there is anything to watch: one row alone is watched too, since its gradient may vanish."""
        return 0 < self._rank <= MOST_ROWS

    @property
    def follower(self) -> Driver:
        """What to integrate with near a change point."""
        return self._passage.follower(self._driver, self.truncation)

    @property
    def truncation(self) -> Truncation:
        """What is left out on the way through."""
        return Truncation(TRUNCATION * self._widest, self._lengths)

    def is_near(self, state: State) -> bool:
        """Whether rows are near dependence at a state."""
        if not self.watched:
            return False
        found = self._independence(state.time, state.x, self._driver.environment(state.time, state.time))
        self._widest = max(self._widest, found)
        return found < NEAR * self._widest

    def last_far(self, piece: Piece) -> int | None:
        """The last instant of a piece before its rows come near dependence (-1: none); None where they do not."""
        if not self.watched:
            return None
        environment = self._driver.environment(float(piece.times[0]), float(piece.times[-1]))
        count = piece.times.size
        step = 1 if self._rank <= FEW_ROWS else max(1, count // MOST_SAMPLES)
        previous = -1
        for k in (*range(step - 1, count - 1, step), count - 1):
            found = self._independence(float(piece.times[k]), piece.x[:, k], environment)
            self._widest = max(self._widest, found)
            if found < NEAR * self._widest:
                return previous
            previous = k
        return None

    def _independence(self, t: float, x: Floats, environment: Floats) -> float:
        sparse, metric = self._driver.kernels.constraint_rows(t, x, environment)
        whitened = np.linalg.solve(np.linalg.cholesky(metric.full()), sparse.full().T)
        lengths = np.linalg.norm(whitened, axis=0)
        self._lengths = np.maximum(self._lengths, lengths) if self._lengths.size else lengths
        s = np.linalg.svd(whitened / np.where(self._lengths > 0, self._lengths, 1.0), compute_uv=False)
        return float(s[self._rank - 1] / s[0]) if s[0] > 0 else 0.0
