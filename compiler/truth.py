"""Relations at one state: the bits under which a start is found, and a model answers questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .kernels import Kernels

Floats = NDArray[np.float64]

MOST_ROUNDS = 10
"""Relations may stand in each other, and contain what depends on them; so often that is followed."""


def with_relations(kernels: Kernels, environment: Floats, t: float, x: Floats, z: Floats) -> Floats:
    """An environment (ne,) whose bits say which relations hold at a state."""
    system = kernels.reduced.equations.system
    count = len(system.relations)
    if not count:
        return environment
    end = system.symbols.parameters.numel()
    strict = np.array([relation.strict for relation in system.relations], dtype=bool)
    for _ in range(MOST_ROUNDS):
        margins = np.asarray(kernels.margins(t, x, z, environment)).ravel()
        bits = np.where(strict, margins > 0, margins >= 0).astype(np.float64)
        if np.array_equal(bits, environment[end - count : end]):
            break
        environment = environment.copy()
        environment[end - count : end] = bits
    return environment
