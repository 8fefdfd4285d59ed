"""Maggi's equations in independent speeds: the constraint forces are projected out.

With w = S⁻¹ v (S the sizes of the velocities) and B₀ an orthonormal basis of the null space of A S at one
state, the independent speeds are s = B₀ᵀ w. Near that state [A S; B₀ᵀ] is invertible; the last columns of its
inverse are a basis B of the null space of A S there, and

    v = S [A S; B₀ᵀ]⁻¹ (-g, s),   (S B)ᵀ (M a - Q) = 0,   A a = b.

Velocities satisfy every constraint by construction; positions drift. A new B₀ is taken where B has turned
away. M may be singular where motion has inertia in every direction that is free. Followed by DOP853.
(Neimark and Fufaev, Dynamics of Nonholonomic Systems, III; de Jalón and Bayo, Kinematic and Dynamic
Simulation of Multibody Systems, 5.)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen

from ..complaints_formulation import not_linear
from ..integrate import Driver
from ..start import Start
from . import refusals
from .explicit import Chart, ExplicitDriver
from .formulation import Formulation, FormulationName
from .matrices import Matrices

Floats = NDArray[np.float64]

TURNED = 0.5
"""The least cosine between the null space and B₀ at which the speeds are kept."""


@frozen(eq=False)
class NullSpace(Formulation):
    """States are q and s."""

    @property
    def name(self) -> FormulationName:
        return "null-space"

    @property
    def title(self) -> str:
        return "null space (Maggi)"

    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        reduced = self.kernels.reduced
        rows = reduced.equations.system.rows
        return [
            *refusals.of_statements(self.title, reduced),
            *refusals.of_equations(self.title, reduced),
            *refusals.of_forces(self.title, reduced),
            *[not_linear(self.title, row) for row in rows if row.level == "velocity" and not row.linear],
            *refusals.of_redundancy(self.title, reduced, start),
        ]

    def follower(self, driver: Driver) -> Driver:
        return ExplicitDriver(self.kernels, driver.parameters, driver.inputs, self._matrices, self._chart)

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)

    def _chart(self, t: float, x: Floats, environment: Floats, scales: Floats) -> Chart:
        return _Speeds(self._matrices, t, x, environment, scales)


class _Speeds(Chart):
    """y = (q, s)."""

    def __init__(self, matrices: Matrices, t: float, x: Floats, environment: Floats, scales: Floats) -> None:
        self._matrices = matrices
        self._environment = environment
        self._positions = x.size - matrices.kernels.reduced.metric.shape[0]
        self._sizes = scales[self._positions :]
        self._basis = self._null_space(t, x)
        self.scales = np.concatenate([scales[: self._positions], np.ones(self._basis.shape[1])])

    def enter(self, t: float, x: Floats) -> Floats:
        return np.concatenate([x[: self._positions], self._basis.T @ (x[self._positions :] / self._sizes)])

    def state(self, t: float, y: Floats) -> Floats:
        q, s = y[: self._positions], y[self._positions :]
        _, still, inverse = self._rows(t, np.concatenate([q, np.zeros_like(self._sizes)]))
        return np.concatenate([q, self._sizes * (inverse @ np.concatenate([-still, s]))])

    def rate(self, t: float, x: Floats, x_rate: Floats) -> Floats:
        return self.enter(t, x_rate)

    def serves(self, t: float, x: Floats) -> bool:
        cosines = np.linalg.svd(self._basis.T @ self._null_space(t, x), compute_uv=False)
        return bool(np.min(cosines, initial=1.0) > TURNED)

    def solve(self, t: float, x: Floats) -> Floats:
        at = self._matrices.dynamics(t, x, self._environment)
        rows, _, inverse = self._rows(t, x)
        m = rows.shape[0]
        bound = self._sizes * (inverse[:, :m] @ at.asked)
        free = self._sizes[:, None] * inverse[:, m:]
        pulled = free.T @ (at.force - at.mass @ bound)
        a = bound + free @ np.linalg.solve(free.T @ at.mass @ free, pulled)
        return np.concatenate([a, inverse[:, :m].T @ (self._sizes * (at.mass @ a - at.force))])

    def _rows(self, t: float, x: Floats) -> tuple[Floats, Floats, Floats]:
        """A S and g at the positions in x, and the inverse of [A S; B₀ᵀ]."""
        gradients, still = self._matrices.velocity_rows(t, x, self._environment)
        rows = gradients * self._sizes
        return rows, still, np.linalg.inv(np.vstack([rows, self._basis.T]))

    def _null_space(self, t: float, x: Floats) -> Floats:
        gradients, _ = self._matrices.velocity_rows(t, x, self._environment)
        if not np.all(np.isfinite(gradients)):
            raise np.linalg.LinAlgError("the constraint gradients are not finite")
        _, _, vt = np.linalg.svd(gradients * self._sizes)
        return np.asarray(vt[gradients.shape[0] :].T)
