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
from ..redundancy import RANK
from ..truncation import Truncation
from . import refusals
from .explicit import Chart, ExplicitDriver
from .matrices import Matrices
from .udwadia_kalaba import States

Floats = NDArray[np.float64]

MOST_STEPS = 120
"""An instant that takes more lies where the motion ends, not where it passes."""
ACROSS = 1e4
"""How much coarser the tolerance is of speeds across the constraints, which projection takes out."""


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
            return _Passing(self._matrices, t, x, environment, scales, truncation)

        return ExplicitDriver(self.kernels, driver.parameters, driver.inputs, self._matrices, chart, MOST_STEPS)

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)


class _Passing(States):
    """y = (q, w), with w the speeds along the constraints and across them where the chart was made.

    Across them, near dependence, accelerations carry rounding divided by small singular values. Projection takes
    that out again, so that speeds across are held to a coarser tolerance: steps would shrink to nothing otherwise.
    """

    def __init__(
        self,
        matrices: Matrices,
        t: float,
        x: Floats,
        environment: Floats,
        scales: Floats,
        truncation: Truncation,
    ) -> None:
        super().__init__(matrices, environment, scales, truncation)
        self._positions = x.size - matrices.kernels.reduced.metric.shape[0]
        self._sizes = scales[self._positions :]
        gradients = matrices.dynamics(t, x, environment).gradients * self._sizes
        if not np.all(np.isfinite(gradients)):
            raise np.linalg.LinAlgError("the constraint gradients are not finite")
        _, s, self._turned = np.linalg.svd(gradients)
        across = np.zeros(self._sizes.size, dtype=bool)
        across[: int(np.sum(s > RANK * s[0]))] = True
        self.scales = np.concatenate([scales[: self._positions], np.where(across, ACROSS, 1.0)])

    def enter(self, t: float, x: Floats) -> Floats:
        return self._turn(self._projected(t, x))

    def state(self, t: float, y: Floats) -> Floats:
        q, w = y[: self._positions], y[self._positions :]
        return self._projected(t, np.concatenate([q, self._sizes * (self._turned.T @ w)]))

    def rate(self, t: float, x: Floats, x_rate: Floats) -> Floats:
        return self._turn(x_rate)

    def serves(self, t: float, x: Floats) -> bool:
        return False

    def _turn(self, x: Floats) -> Floats:
        return np.concatenate([x[: self._positions], self._turned @ (x[self._positions :] / self._sizes)])

    def _projected(self, t: float, x: Floats) -> Floats:
        kernels = self._matrices.kernels
        return project_any_rank(kernels, np.array([t]), x[:, None], self._environment, self._truncation)[:, 0]
