"""Gear, Gupta and Leimkuhler: positions and velocities both kept, by two sets of multipliers.

Where F = 0 are the constraints between positions, G = 0 all of them at velocity level (G = F' for the former)
and A = ∂F'/∂v,

    q̇ = N (v - δ),   M δ = Aᵀ μ,   ∂G/∂q q̇ + ∂G/∂v v̇ + ∂G/∂t = -κ G,   ∂F/∂q q̇ + ∂F/∂t = -κ F,

with the equations of motion as they are. The published form (J. Comput. Appl. Math. 12-13 (1985) 77) has
F = 0 and G = 0 themselves, which is of index two and fails in IDAS at tight tolerances; here each is
differentiated once, with attraction, which leaves index one. δ, which is 0 but for the errors of
integration, is the least in the mass metric.

The unknowns are (v - δ)/κ and a scaled μ, in units that are large for positions: IDAS measures algebraic
unknowns against an absolute tolerance, and cannot settle those that are all rounding beside it.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen, replace

from ..integrate import Driver
from ..kernels import Kernels
from ..reduced import ReducedSystem
from ..start import Start
from . import refusals
from .formulation import Formulation, FormulationName

LARGE = 1e3
"""The equations are linear in μ and δ: nothing is lost where Newton's method is not asked to refine them."""


@frozen(eq=False)
class GearGuptaLeimkuhler(Formulation):
    """z is the model's own, then μ and (v - δ)/κ."""

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
    size = v.numel() if positions else 0
    mu, travel = ca.SX.sym("mu", len(positions)), ca.SX.sym("travel", size)
    u = LARGE * kappa * travel if positions else v
    q_rate = ca.substitute(reduced.rhs[: q.numel()], v, u)

    def attracted(rows: ca.SX) -> ca.SX:
        along = ca.jtimes(rows, ca.vertcat(equations.time, q, v), ca.vertcat(1, q_rate, a))
        return along + kappa * rows

    # The rows below the last derivative: F' of positions, F of velocities.
    algebraic = [chain[0] if len(chain) == 1 else attracted(chain[-2]) for chain in reduced.derivatives]
    algebraic.append(reduced.contacts.rows)
    if positions:
        algebraic += [attracted(chain[0]) for chain in positions]
        rates = ca.vertcat(*(chain[1] for chain in positions))
        algebraic.append(_nearest(reduced.metric, rates, v, v - u, LARGE * kappa * mu))
    return replace(
        reduced,
        z=ca.vertcat(reduced.z, mu, travel),
        rhs=ca.densify(ca.vertcat(q_rate, reduced.rhs[q.numel() :])),
        algebraic=ca.densify(ca.vertcat(*algebraic)),
    )


def _nearest(metric: ca.SX, rates: ca.SX, v: ca.SX, delta: ca.SX, mu: ca.SX) -> ca.SX:
    """M δ - Aᵀ μ, with M and A in units of their own sizes, so that μ is of the size of δ."""
    gradients = ca.jacobian(rates, v)
    length = ca.sqrt(ca.sumsqr(gradients) / rates.numel())
    mass = ca.trace(metric) / v.numel()
    return ca.mtimes(metric, delta) / mass - ca.mtimes(gradients.T, mu) / length
