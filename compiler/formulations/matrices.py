"""Constrained motion as matrices: M a = Q + Aᵀ λ, A a = b, for formulations that solve it themselves."""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import field, frozen

from ..kernels import Kernels
from .buffered import Buffered

Floats = NDArray[np.float64]


@frozen
class Dynamics:
    """At one state: mass (nv, nv), force Q (nv,), gradients A (m, nv) of the constraint rows, and b (m,)."""

    mass: Floats
    force: Floats
    gradients: Floats
    asked: Floats


@frozen(eq=False)
class Matrices:
    """Compiled functions of a system whose states are q and v, and whose unknowns are a and λ."""

    kernels: Kernels = field(repr=False)

    def dynamics(self, t: float, x: Floats, environment: Floats) -> Dynamics:
        mass, force, gradients, asked = self._dynamics(t, x, environment)
        return Dynamics(mass, force[:, 0], gradients, asked[:, 0])

    def velocity_rows(self, t: float, x: Floats, environment: Floats) -> tuple[Floats, Floats]:
        """A (m, nv) and g (m,) of the rows at velocity level, A·v + g = 0, from the positions in x."""
        gradients, still = self._velocity_rows(t, x, environment)
        return gradients, still[:, 0]

    def rates(self, t: float, x: Floats, z: Floats, environment: Floats) -> tuple[Floats, Floats]:
        """x' (nx,), and the powers (np,), from z = (a, λ) where no limit is held."""
        rates, power = self._rates(t, x, self.whole(z), environment)
        return rates[:, 0], power[:, 0]

    def whole(self, z: Floats) -> Floats:
        """z = (a, λ), (n,) or (n, k), with the forces of limits that are not held."""
        return np.concatenate([z, np.zeros((self.kernels.reduced.z.numel() - z.shape[0], *z.shape[1:]))])

    @cached_property
    def _arguments(self) -> list[ca.SX]:
        r = self.kernels.reduced
        return [r.equations.time, r.x, self.kernels.environment]

    @cached_property
    def _dynamics(self) -> Buffered:
        r = self.kernels.reduced
        a = r.equations.coordinate_orders[1]
        motion, rows = self._rows("motion"), self._rows("constraint")
        at_zero = [ca.substitute(part, r.z, ca.SX.zeros(r.z.numel())) for part in (motion, rows)]
        outputs = [ca.jacobian(motion, a), -at_zero[0], ca.jacobian(rows, a), -at_zero[1]]
        return Buffered(ca.Function("dynamics", self._arguments, [ca.densify(part) for part in outputs]))

    @cached_property
    def _velocity_rows(self) -> Buffered:
        r = self.kernels.reduced
        v = r.equations.coordinate_orders[0]
        chains = [chain for chain in r.derivatives if len(chain) > 1]
        rows = ca.vertcat(ca.SX(0, 1), *(chain[-2] for chain in chains))
        still = ca.substitute(rows, v, ca.SX.zeros(v.numel()))
        outputs = [ca.densify(ca.jacobian(rows, v)), ca.densify(still)]
        return Buffered(ca.Function("velocity_rows", self._arguments, outputs))

    @cached_property
    def _rates(self) -> Buffered:
        r = self.kernels.reduced
        t, x, e = self._arguments
        # Nothing is drawn back here: what a formulation does not keep by itself is to be seen.
        outputs = [ca.densify(ca.substitute(r.rhs, r.kappa, 0)), ca.densify(r.equations.power)]
        return Buffered(ca.Function("rates", [t, x, r.z, e], outputs))

    def _rows(self, kind: str) -> ca.SX:
        r = self.kernels.reduced
        chains = zip(r.equations.rows, r.derivatives, strict=True)
        return ca.vertcat(ca.SX(0, 1), *(chain[-1] for row, chain in chains if row.kind == kind))
