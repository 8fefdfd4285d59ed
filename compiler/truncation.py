"""How constraint rows are read by a pseudo-inverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

Floats = NDArray[np.float64]


@frozen(eq=False)
class Truncation:
    """Singular values below `cutoff` of the largest are left out.

    `lengths` (m,) are the units of the constraint rows in the mass metric; None where each row is its own, so that
    the cutoff does not depend on how a constraint is written.
    """

    cutoff: float
    lengths: Floats | None = None

    def units(self, whitened: Floats, rows: NDArray[np.intp] | None = None) -> Floats:
        """The units of rows (..., m, n), (..., m); `rows` are their places among the constraint rows."""
        if self.lengths is None:
            own = np.linalg.norm(whitened, axis=-1)
            return np.where(own > 0, own, 1.0)
        chosen = self.lengths if rows is None else self.lengths[rows]
        return np.broadcast_to(np.where(chosen > 0, chosen, 1.0), whitened.shape[:-1])
