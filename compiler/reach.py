"""How far the next piece of a run goes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .inputs import Inputs

Floats = NDArray[np.float64]

MOST_INSTANTS = 512
SHORTEST = 1e-10
"""Where not even this part of an interval can be integrated, the run cannot go on."""


def reach(inputs: Inputs, start: float, ahead: Floats, duration: float) -> tuple[int, float]:
    """How many instants ahead a piece of about `duration` (s) covers (0: part of an interval), and its end.

    Inputs are one polynomial each in a piece, which may shorten it.
    """
    step = float(ahead[0]) - start
    wanted = duration / step
    count = _power_of_two(wanted) if wanted >= 1 else 0
    while count > ahead.size or (count > 1 and not _even(start, ahead[:count])):
        count //= 2
    part = min(start + max(wanted, SHORTEST) * step, float(ahead[0]))
    stop = float(ahead[count - 1]) if count else part
    horizon = inputs.horizon(start, stop)
    while count and horizon < ahead[count - 1]:
        count //= 2
    return count, float(ahead[count - 1]) if count else horizon


def _power_of_two(wanted: float) -> int:
    """Few lengths serve all pieces, since each length is an integrator of its own."""
    return int(2 ** min(np.floor(np.log2(wanted)), np.log2(MOST_INSTANTS)))


def _even(start: float, instants: Floats) -> bool:
    steps = np.diff(np.concatenate([[start], instants]))
    return bool(np.ptp(steps) <= 1e-9 * steps[0])
