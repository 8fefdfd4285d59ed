"""Accelerations, multipliers and other algebraic unknowns of a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .kernels import Kernels

Floats = NDArray[np.float64]


def solve_for_algebraic(kernels: Kernels, x: Floats, z: Floats, environment: Floats, time: float) -> Floats | None:
    """Accelerations, multipliers and other algebraic unknowns of a state, by Newton's method from a guess z.

    None where the rows are singular, or no solution is found.
    """
    for _ in range(30):
        try:
            better, left = (np.asarray(m).ravel() for m in kernels.solve_algebraic(time, x, z, environment))
        except RuntimeError as singular:
            # What CasADi's sparse factorisation says of a singular matrix.
            if "Evaluation failed" not in str(singular):
                raise
            return None
        if not np.all(np.isfinite(better)):
            return None
        z = better
        if np.max(np.abs(left), initial=0.0) <= 1e-9 * max(1.0, float(np.max(np.abs(z), initial=0.0))):
            return z
    return None
