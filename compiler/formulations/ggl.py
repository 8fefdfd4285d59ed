"""Gear, Gupta and Leimkuhler: positions and velocities both kept, by two sets of multipliers.

Where F = 0 are the constraints between positions, G = 0 all of them at velocity level (G = F' for the former)
and A = ∂F'/∂v,

    q̇ = N (v - δ),   M δ = Aᵀ μ,   ∂G/∂q q̇ + ∂G/∂v v̇ + ∂G/∂t = -κ G,   ∂F/∂q q̇ + ∂F/∂t = -κ F,

with the equations of motion as they are. The published form (J. Comput. Appl. Math. 12-13 (1985) 77) has
F = 0 and G = 0 themselves, which is of index two and fails in IDAS at tight tolerances; here each is
differentiated once, with attraction, which leaves index one. δ, which is 0 but for the errors of
integration, is the least in the mass metric.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic

from ..integrate import Driver
from ..kernels import Kernels
from ..reduced import ReducedSystem
from ..start import Start
from . import refusals
from .formulation import Formulation, FormulationName


@dataclass(frozen=True, eq=False)
class GearGuptaLeimkuhler(Formulation):
    """z is the model's own, then μ, then δ."""

    @property
    def name(self) -> FormulationName:
        return "ggl"

    @property
    def title(self) -> str:
        return "Gear-Gupta-Leimkuhler"

    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        reduced = self.kernels.reduced
        return [
            *refusals.of_statements(self.title, reduced),
            *refusals.of_redundancy(self.title, reduced, start),
        ]

    def follower(self, driver: Driver) -> Driver:
        return Driver(self._stabilised, driver.parameters, driver.inputs)

    @cached_property
    def _stabilised(self) -> Kernels:
        return Kernels(_stabilised(self.kernels.reduced))


def _stabilised(reduced: ReducedSystem) -> ReducedSystem:
    equations, kappa = reduced.equations, reduced.kappa
    q, (v, a) = equations.q, equations.coordinate_orders
    positions = [chain for chain in reduced.derivatives if len(chain) == 3]
    mu, delta = ca.SX.sym("mu", len(positions)), ca.SX.sym("delta", v.numel())
    q_rate = ca.substitute(reduced.rhs[: q.numel()], v, v - delta)

    def attracted(rows: ca.SX) -> ca.SX:
        along = ca.jtimes(rows, ca.vertcat(equations.time, q, v), ca.vertcat(1, q_rate, a))
        return along + kappa * rows

    # The rows below the last derivative: F' of positions, F of velocities.
    algebraic = [chain[0] if len(chain) == 1 else attracted(chain[-2]) for chain in reduced.derivatives]
    rates = ca.vertcat(ca.SX(0, 1), *(chain[1] for chain in positions))
    algebraic += [attracted(chain[0]) for chain in positions]
    algebraic.append(ca.mtimes(reduced.metric, delta) - ca.jtimes(rates, v, mu, True))
    return replace(
        reduced,
        z=ca.vertcat(reduced.z, mu, delta),
        rhs=ca.densify(ca.vertcat(q_rate, reduced.rhs[q.numel() :])),
        algebraic=ca.densify(ca.vertcat(*algebraic)),
    )
