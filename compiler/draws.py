"""Numbers of no special value, the same in every run.

The standard library draws them: loading `numpy.random` takes longer than compiling a small model.
"""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray


class Draws:
    """A row of numbers that its seed decides."""

    def __init__(self, seed: int) -> None:
        self._next = Random(seed).random

    def number(self, low: float, high: float) -> float:
        return low + (high - low) * self._next()

    def column(self, low: float, high: float, size: int) -> NDArray[np.float64]:
        """`size` numbers between the bounds."""
        return np.array([self.number(low, high) for _ in range(size)])
