"""A compiled function that is called many times from Python, one call at a time."""

from __future__ import annotations

from typing import Any, cast

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Buffered:
    """Arguments and results stand in fixed memory, which saves most of what a call costs.

    Arguments are numbers or columns, results dense matrices.
    """

    def __init__(self, function: ca.Function) -> None:
        # CasADi's own declarations of these methods lack the form that takes memory from Python.
        buffer, self._run = cast(Any, function).buffer()
        self._buffer = buffer
        self._arguments = [np.zeros(function.numel_in(i)) for i in range(function.n_in())]
        self._results = [np.zeros(function.numel_out(i)) for i in range(function.n_out())]
        self._shapes = [function.size_out(i) for i in range(function.n_out())]
        for i, memory in enumerate(self._arguments):
            buffer.set_arg(i, memory.data)
        for i, memory in enumerate(self._results):
            buffer.set_res(i, memory.data)

    def __call__(self, *arguments: float | Floats) -> list[Floats]:
        for memory, argument in zip(self._arguments, arguments, strict=True):
            memory[:] = argument
        self._run()
        pairs = zip(self._results, self._shapes, strict=True)
        return [memory.reshape(shape, order="F").copy() for memory, shape in pairs]
