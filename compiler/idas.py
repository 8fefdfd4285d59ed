"""IDAS, the integrator of SUNDIALS as CasADi has it, over the equations of a reduced system."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import casadi as ca

from mbdc.dsl.records import field, frozen

Pattern: TypeAlias = tuple[tuple[int, ...], ...]
"""`redundancy.Redundancy.pattern`; empty where rows are independent."""

IDAS_OPTIONS: dict[str, Any] = {
    # Algebraic unknowns stay out of the error test: their convergence follows from that of the states.
    "suppress_algebraic": True,
    "cj_scaling": True,
    # Pieces are cut to a few hundred steps: one that takes as many as this is too long, or stuck.
    "max_num_steps": 2_500,
    "quad_err_con": True,
    "print_stats": False,
    "error_on_fail": True,
    "disable_internal_warnings": True,
}

ALGEBRAIC_SCALE = 1e3
"""IDAS is given the algebraic unknowns in this unit, for which its absolute tolerance is that much coarser.

An acceleration that passes zero carries the rounding of differences over a step. Held to a state's absolute
tolerance, Newton's iteration would not converge there and steps would shrink to nothing (a shaken pendulum, a
fast top). Recorded ones are solved for again, so that nothing is lost.
"""


@frozen(eq=False)
class Integrators:
    """Makes integrators as they are asked for, each once.

    `dae`(t, x, z, environment, κ) gives x', the algebraic rows and the powers. `constraints_at` are the places of
    constraint rows among them, `forces` the places in z of the multipliers of constraints, limits and frictions.
    """

    dae: ca.Function
    constraints_at: list[int]
    forces: list[int]
    _made: dict[tuple[object, ...], ca.Function] = field(default_factory=dict)

    def over(self, instants: int, relative: float, scaled_absolute: float, pattern: Pattern = ()) -> ca.Function:
        """IDAS over τ in [0, 1] with results at `instants` equal steps.

        x0 is in units of its scales, z0 of `ALGEBRAIC_SCALE`; p = [environment, κ, start time, duration,
        energy, scales (nx,)]. For redundant rows of a `redundancy.Redundancy.pattern` p and z0 go on with its
        `numbers` and `algebraic`.
        Time is stretched so that one integrator serves every duration. Quadratures: the powers, in units of the
        energy; they are part of the error test, or a balance could not be drawn from them.
        """
        key = (instants, relative, scaled_absolute, pattern)
        if key not in self._made:
            grid = [k / instants for k in range(1, instants + 1)]
            options = IDAS_OPTIONS | {"reltol": relative, "abstol": scaled_absolute}
            dae = self._redundant(pattern) if pattern else self._scaled
            self._made[key] = ca.integrator("run", "idas", dae, 0.0, grid, options)
        return self._made[key]

    @cached_property
    def _scaled(self) -> dict[str, ca.SX]:
        x, z, environment = (ca.SX.sym(n, self.dae.numel_in(i)) for i, n in ((1, "x"), (2, "z"), (3, "environment")))
        names = ("tau", "kappa", "start", "duration", "energy")
        tau, kappa, start, duration, energy = (ca.SX.sym(n) for n in names)
        scales = ca.SX.sym("scale", x.numel())
        time, unscaled = start + duration * tau, ALGEBRAIC_SCALE * z
        rhs, algebraic, power = self.dae(time, scales * x, unscaled, environment, kappa)
        return {
            "t": tau,
            "x": x,
            "z": z,
            "p": ca.vertcat(environment, kappa, start, duration, energy, scales),
            "ode": duration * rhs / scales,
            "alg": algebraic,
            "quad": duration * power / energy,
        }

    def _redundant(self, pattern: Pattern) -> dict[str, ca.SX]:
        """The constraint rows combined as `redundancy` says. Sums are taken step by step: a row of J stays short so."""
        plain = self._scaled
        # The rows of limits and frictions stand where their multipliers stand in z.
        places = self.constraints_at + self.forces[len(self.constraints_at) :]
        lengths = ca.SX.sym("length", len(places))
        weighted = lengths * plain["z"][self.forces, 0]
        rows = ca.SX(plain["alg"])
        rows[places] = rows[places] / lengths
        slack = ca.SX.sym("slack", len(pattern))
        numbers, sums, chains = ca.SX(0, 1), ca.SX(0, 1), ca.SX(0, 1)
        for k, own in enumerate(pattern):
            free, partial = ca.SX.sym("free", len(own)), ca.SX.sym("sum", len(own) - 1)
            combined = [places[i] for i in own]
            rows[combined] = rows[combined] + free * slack[k]
            chain = ca.vertcat(partial, 0) - ca.vertcat(0, partial) - free * weighted[list(own)]
            numbers, sums, chains = ca.vertcat(numbers, free), ca.vertcat(sums, partial), ca.vertcat(chains, chain)
        return plain | {
            "z": ca.vertcat(plain["z"], slack, sums),
            "alg": ca.vertcat(rows, chains),
            "p": ca.vertcat(plain["p"], numbers, lengths),
        }
