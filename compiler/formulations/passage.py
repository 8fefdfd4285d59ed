"""Through a change point, where constraint rows lose their rank for an instant.

There an implicit method finds no step: its matrices become singular. An explicit one evaluates at a few instants only,
none of which is likely to be the change point itself, and where each is put on the constraints first, what it
evaluates is smooth up to that point and beyond it. Should an instant lie so near that rounding takes over, a truncated
pseudo-inverse leaves the vanishing direction to inertia.
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
from .buffered import Buffered
from .explicit import Chart, ExplicitDriver
from .matrices import Matrices
from .udwadia_kalaba import States

Floats = NDArray[np.float64]

MOST_STEPS = 120
"""An instant that takes more lies where the motion ends, not where it passes."""
CLOSE = 300.0
"""Steps that begin within so many times of what is left out know how to leave it out."""
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

    def follower(self, driver: Driver, truncation: Truncation, *, independent: bool) -> Driver:
        """A driver over the same parameters and inputs; whether rows are `independent` but at change points."""

        def chart(t: float, x: Floats, environment: Floats, scales: Floats) -> Chart:
            sparse = self._sparse if independent else None
            return _Passing(self._matrices, t, x, environment, scales, truncation, sparse)

        return ExplicitDriver(self.kernels, driver.parameters, driver.inputs, self._matrices, chart, MOST_STEPS)

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)

    @cached_property
    def _sparse(self) -> _Sparse:
        return _Sparse(self.kernels)


class _Sparse:
    """Projection and accelerations by sparse factorisations, for rows that are independent.

    Both raise numpy's LinAlgError where they are not.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._project = Buffered(kernels.project)
        self._solve = Buffered(kernels.solve_algebraic)
        self._still = np.zeros(kernels.reduced.z.numel())

    def project(self, t: float, x: Floats, environment: Floats) -> Floats:
        return self._finite(self._project, t, x, environment)

    def solve(self, t: float, x: Floats, environment: Floats) -> Floats:
        return self._finite(self._solve, t, x, self._still, environment)

    def _finite(self, function: Buffered, *arguments: float | Floats) -> Floats:
        try:
            found = function(*arguments)[0][:, 0]
        except RuntimeError as singular:
            if "Evaluation failed" not in str(singular):
                raise
            raise np.linalg.LinAlgError("rows are dependent") from singular
        if not np.all(np.isfinite(found)):
            raise np.linalg.LinAlgError("rows are dependent")
        return found


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
        sparse: _Sparse | None,
    ) -> None:
        super().__init__(matrices, environment, scales, truncation)
        self._sparse = None if sparse is None or self._is_close(t, x) else sparse
        self._positions = x.size - matrices.kernels.reduced.metric.shape[0]
        self._sizes = scales[self._positions :]
        gradients = matrices.dynamics(t, x, environment).gradients * self._sizes
        if not np.all(np.isfinite(gradients)):
            raise np.linalg.LinAlgError("the constraint gradients are not finite")
        _, s, self._turned = np.linalg.svd(gradients)
        across = np.zeros(self._sizes.size, dtype=bool)
        across[: int(np.sum(s > RANK * s[0]))] = True
        self.scales = np.concatenate([scales[: self._positions], np.where(across, ACROSS, 1.0)])

    def _is_close(self, t: float, x: Floats) -> bool:
        """Whether rows are so near dependence that some of what is evaluated next may have to be left out."""
        rows, metric = self._matrices.kernels.constraint_rows(t, x, self._environment)
        whitened = np.linalg.solve(np.linalg.cholesky(metric.full()), rows.full().T).T
        s = np.linalg.svd(whitened / self._truncation.units(whitened)[:, None], compute_uv=False)
        return bool(s[-1] < CLOSE * self._truncation.cutoff * s[0])

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

    def solve(self, t: float, x: Floats) -> Floats:
        if self._sparse is not None:
            try:
                return self._sparse.solve(t, x, self._environment)
            except np.linalg.LinAlgError:
                pass
        return super().solve(t, x)

    def _projected(self, t: float, x: Floats) -> Floats:
        if self._sparse is not None:
            try:
                return self._sparse.project(t, x, self._environment)
            except np.linalg.LinAlgError:
                pass
        kernels = self._matrices.kernels
        return project_any_rank(kernels, np.array([t]), x[:, None], self._environment, self._truncation)[:, 0]
