"""Udwadia and Kalaba's explicit equation of motion (Proc. R. Soc. Lond. A 439 (1992) 407).

    a = a₀ + M^(-1/2) (A M^(-1/2))⁺ (b - A a₀),   a₀ = M⁻¹ Q,

the constrained acceleration nearest to the free one in the mass metric. Any root of M gives the same;
Cholesky's is used. The pseudo-inverse takes redundant rows as they are. M must be invertible: nothing is put
in its place. Constraints are kept at acceleration level only, so that positions drift; followed by DOP853.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen

from ..complaints_formulation import needs_inertia
from ..integrate import Driver
from ..start import Start
from ..truncation import Truncation
from . import refusals
from .explicit import Chart, ExplicitDriver
from .formulation import Formulation, FormulationName
from .matrices import Matrices

Floats = NDArray[np.float64]

CUTOFF = 1e-5
"""Singular values below this part of the largest count as 0: rows that repeat others, but for drift."""

SINGULAR = 1e-10
"""A mass matrix of unit diagonal with an eigenvalue below this is taken for singular."""


@frozen(eq=False)
class UdwadiaKalaba(Formulation):
    """States are q and v themselves."""

    @property
    def name(self) -> FormulationName:
        return "udwadia-kalaba"

    @property
    def title(self) -> str:
        return "Udwadia-Kalaba"

    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        reduced = self.kernels.reduced
        found = [
            *refusals.of_statements(self.title, reduced),
            *refusals.of_equations(self.title, reduced),
            *refusals.of_forces(self.title, reduced),
        ]
        return found or self._refused_masses(driver, start)

    def follower(self, driver: Driver) -> Driver:
        return ExplicitDriver(self.kernels, driver.parameters, driver.inputs, self._matrices, self._chart)

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)

    def _chart(self, t: float, x: Floats, environment: Floats, scales: Floats) -> Chart:
        return States(self._matrices, environment, scales)

    def _refused_masses(self, driver: Driver, start: Start) -> list[Diagnostic]:
        environment = driver.environment(start.time, start.time)
        mass = self._matrices.dynamics(start.time, start.x, environment).mass
        lengths = np.sqrt(np.diag(mass).clip(min=0.0))
        lengths = np.where(lengths > 0, lengths, 1.0)
        values, vectors = np.linalg.eigh(mass / np.outer(lengths, lengths))
        weak = vectors[:, values < SINGULAR]
        if not weak.size:
            return []
        moved = np.linalg.norm(weak, axis=1) > 1e-6
        equations = self.kernels.reduced.equations
        names = [equations.unknowns[i].name for i in np.flatnonzero(moved)]
        return [needs_inertia(self.title, names, equations.unknowns[int(np.argmax(moved))].span)]


class States(Chart):
    """y = x."""

    def __init__(
        self,
        matrices: Matrices,
        environment: Floats,
        scales: Floats,
        truncation: Truncation = Truncation(CUTOFF),  # noqa: B008 - immutable
    ) -> None:
        self._truncation = truncation
        self._matrices = matrices
        self._environment = environment
        self.scales = scales

    def enter(self, t: float, x: Floats) -> Floats:
        return x

    def state(self, t: float, y: Floats) -> Floats:
        return y

    def rate(self, t: float, x: Floats, x_rate: Floats) -> Floats:
        return x_rate

    def serves(self, t: float, x: Floats) -> bool:
        return True

    def solve(self, t: float, x: Floats) -> Floats:
        at = self._matrices.dynamics(t, x, self._environment)
        if not np.all(np.isfinite(at.mass)):
            raise np.linalg.LinAlgError("the mass matrix is not finite")
        # R with M⁻¹ = R Rᵀ, in the place of M^(-1/2).
        root = np.linalg.inv(np.linalg.cholesky(at.mass)).T
        free = root @ (root.T @ at.force)
        whitened = at.gradients @ root
        lengths = self._truncation.units(whitened)
        inverse = np.linalg.pinv(whitened / lengths[:, None], rcond=self._truncation.cutoff)
        pull = inverse @ ((at.asked - at.gradients @ free) / lengths)
        return np.concatenate([free + root @ pull, (inverse.T @ pull) / lengths])
