"""Through a change point, where constraint rows lose their rank for an instant.

There an implicit method finds no step: multipliers grow without bound. Accelerations by a truncated
pseudo-inverse leave the vanishing direction to inertia for that instant, and a truncated projection after every step
puts the state back on the constraints. Used in a window round the loss of rank only; elsewhere truncation would
let constraints go.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from ..integrate import Driver
from ..kernels import Kernels
from ..record import project_any_rank
from ..truncation import Truncation
from . import refusals
from .explicit import Chart, ExplicitDriver
from .matrices import Matrices
from .udwadia_kalaba import States

Floats = NDArray[np.float64]

MOST_STEPS = 120
"""An instant that takes more lies where the motion ends, not where it passes."""


@frozen(eq=False)
class Passage:
    """Drivers that pass change points."""

    kernels: Kernels

    @cached_property
    def takes_all(self) -> bool:
        """Whether accelerations and multipliers are all there is to solve for."""
        reduced = self.kernels.reduced
        title = "a change point"
        refused = [of(title, reduced) for of in (refusals.of_statements, refusals.of_equations, refusals.of_forces)]
        return not any(refused) and not reduced.equations.contacts.numel()

    def follower(self, driver: Driver, truncation: Truncation) -> Driver:
        """A driver over the same parameters and inputs."""

        def chart(t: float, x: Floats, environment: Floats, scales: Floats) -> Chart:
            return _Passing(self._matrices, environment, scales, truncation)

        return ExplicitDriver(self.kernels, driver.parameters, driver.inputs, self._matrices, chart, MOST_STEPS)

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)


class _Passing(States):
    """y = x, put on the constraints after each step."""

    def enter(self, t: float, x: Floats) -> Floats:
        kernels = self._matrices.kernels
        return project_any_rank(kernels, np.array([t]), x[:, None], self._environment, self._truncation)[:, 0]

    def serves(self, t: float, x: Floats) -> bool:
        return False
