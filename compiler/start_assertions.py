"""Assertions at the start that are judged before all else: they tell why what follows cannot be worked out."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic

from .complaints_start import outside_limit
from .kernels import Kernels

Floats = NDArray[np.float64]


def broken_parameters(kernels: Kernels, x: Floats, environment: Floats, time: float) -> list[Diagnostic]:
    """Assertions about nothing but parameters that do not hold, whatever the state."""
    system = kernels.reduced.equations.system
    if not system.asserts:
        return []
    known = {symbol.element_hash() for symbol in ca.symvar(system.symbols.parameters)}
    fixed = [{s.element_hash() for s in ca.symvar(claim.condition)} <= known for claim in system.asserts]
    return _broken(kernels, x, environment, time, np.asarray(fixed, dtype=bool))


def broken_assertions(kernels: Kernels, x: Floats, environment: Floats, time: float) -> list[Diagnostic]:
    """Assertions that do not hold at a state, multipliers and accelerations left aside."""
    return _broken(kernels, x, environment, time, np.ones(len(kernels.reduced.equations.system.asserts), dtype=bool))


def _broken(
    kernels: Kernels, x: Floats, environment: Floats, time: float, judged: NDArray[np.bool_]
) -> list[Diagnostic]:
    system = kernels.reduced.equations.system
    zero = np.zeros(kernels.reduced.z.numel())
    limits, conditions = (np.asarray(m).ravel() for m in kernels.gaps(time, x, zero, environment))
    holds = np.ones_like(conditions)
    holds[: judged.size] = np.where(judged, conditions[: judged.size], 1.0)
    return outside_limit(system, np.full(limits.size, np.inf), holds)
