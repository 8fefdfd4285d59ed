"""Through a change point, where constraint rows lose their rank for an instant.

There an implicit method finds no step: its matrices become singular. An explicit one evaluates at a few instants only,
none of which is likely to be the change point itself, and where each is put on the constraints first, what it
evaluates is smooth up to that point and beyond it. Should an instant lie so near that rounding takes over, a truncated
pseudo-inverse leaves the vanishing direction to inertia.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from ..integrate import Driver
from ..kernels import Kernels, StageKernels
from ..record import least_changes
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
CLOSE, DENSE = 300.0, 30.0
"""Steps that begin within so many times of what is left out look for it, and within so many leave it out."""
ACROSS = 1e9
"""How much coarser the tolerance is of speeds across the constraints, which projection takes out, and of the work."""
SHARPER = 0.03
"""By how much all other tolerances are finer: the order is high, so that costs little, and errors made here grow."""


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
            return _Passing(self._matrices, t, x, environment, scales, truncation, self._levels, self._rows, sparse)

        return ExplicitDriver(
            self.kernels, driver.parameters, driver.inputs, self._matrices, chart, MOST_STEPS, SHARPER
        )

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.kernels)

    @cached_property
    def _levels(self) -> tuple[_Level, ...]:
        return tuple(_Level(stage, self.kernels.constraint_places(stage.stage)) for stage in self.kernels.stages)

    @cached_property
    def _rows(self) -> Buffered:
        return _dense(self.kernels.constraint_rows)

    @cached_property
    def _sparse(self) -> _Sparse:
        return _Sparse(self.kernels)


def _dense(function: ca.Function) -> Buffered:
    arguments = function.sx_in()
    return Buffered(ca.Function("dense", arguments, [ca.densify(part) for part in function.call(arguments)]))


class _Level:
    """Projects one state onto the constraints of a stage, whatever the rank of their rows."""

    def __init__(self, stage: StageKernels, places: NDArray[np.intp]) -> None:
        self._evaluate = _dense(stage.evaluate)
        self._move = Buffered(stage.move)
        self._places = places

    def project(self, t: float, x: Floats, environment: Floats, truncation: Truncation) -> Floats:
        for _step in range(2):
            residual, jacobian, metric = self._evaluate(t, x, environment)
            change = least_changes(residual[:, 0], jacobian, metric, truncation, self._places)
            x = self._move(x, change)[0][:, 0]
        return x


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
    that out again, so that speeds across are left out of the error test: steps would shrink to nothing otherwise.
    So is the work, since reactions carry rounding divided by the squares of small singular values.
    """

    work_scale = ACROSS

    def __init__(
        self,
        matrices: Matrices,
        t: float,
        x: Floats,
        environment: Floats,
        scales: Floats,
        truncation: Truncation,
        levels: tuple[_Level, ...],
        rows: Buffered,
        sparse: _Sparse | None,
    ) -> None:
        super().__init__(matrices, environment, scales, truncation)
        self._sparse = sparse
        self._rows = rows
        self._is_close = sparse is not None and self._is_within(CLOSE, t, x)
        self._levels = levels
        self._positions = x.size - matrices.kernels.reduced.metric.shape[0]
        self._sizes = scales[self._positions :]
        gradients = matrices.dynamics(t, x, environment).gradients * self._sizes
        if not np.all(np.isfinite(gradients)):
            raise np.linalg.LinAlgError("the constraint gradients are not finite")
        _, s, self._turned = np.linalg.svd(gradients)
        across = np.zeros(self._sizes.size, dtype=bool)
        across[: int(np.sum(s > RANK * s[0]))] = True
        self.scales = np.concatenate([scales[: self._positions], np.where(across, ACROSS, 1.0)])

    def _is_within(self, times: float, t: float, x: Floats) -> bool:
        """Whether rows are within so many times of what is left out."""
        rows, metric = self._rows(t, x, self._environment)
        whitened = np.linalg.solve(np.linalg.cholesky(metric), rows.T).T
        s = np.linalg.svd(whitened / self._truncation.units(whitened)[:, None], compute_uv=False)
        return bool(s[-1] < times * self._truncation.cutoff * s[0])

    def _sparse_at(self, t: float, x: Floats) -> _Sparse | None:
        """Sparse factorisations where they serve: far from dependence, they are not looked at again in a step."""
        return None if self._is_close and self._is_within(DENSE, t, x) else self._sparse

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
        sparse = self._sparse_at(t, x)
        if sparse is not None:
            try:
                return sparse.solve(t, x, self._environment)
            except np.linalg.LinAlgError:
                pass
        return super().solve(t, x)

    def _projected(self, t: float, x: Floats) -> Floats:
        sparse = self._sparse_at(t, x)
        if sparse is not None:
            try:
                return sparse.project(t, x, self._environment)
            except np.linalg.LinAlgError:
                pass
        for level in self._levels:
            x = level.project(t, x, self._environment, self._truncation)
        return x
