"""The compiled functions of a reduced system: what a run evaluates many times.

Arrays of numbers go in and out as CasADi columns. `environment` is the column of parameters and signals;
nothing here depends on their values, so that a change of parameters, inputs or starts compiles nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi as ca

from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.records import field, frozen
from mbdc.dsl.source import Span

from .complaints_start import initial_restricts_nothing
from .mechanics import EquationRow
from .reduced import ReducedSystem, Stage

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


@frozen
class NamedRow:
    """A row in the author's words: its label, how often it was differentiated, and where it is written."""

    name: str
    order: int
    span: Span = field(repr=False)


@frozen
class StageKernels:
    """`evaluate`(t, x, environment) gives residual, jacobian and metric; `move`(x, δ) applies a change δ."""

    stage: Stage
    rows: tuple[NamedRow, ...]
    evaluate: ca.Function
    move: ca.Function


@frozen(eq=False)
class Kernels:
    """Functions over one reduced system, made when they are first asked for.

    t () in s, x (nx,), z (nz,), environment (ne,), κ () in 1/s.
    """

    reduced: ReducedSystem
    _integrators: dict[tuple[object, ...], ca.Function] = field(default_factory=dict)

    @cached_property
    def _arguments(self) -> list[ca.SX]:
        r = self.reduced
        return [r.equations.time, r.x, r.z, self.environment]

    @cached_property
    def environment(self) -> ca.SX:
        equations = self.reduced.equations
        return ca.vertcat(equations.system.symbols.parameters, equations.signals.column)

    @cached_property
    def dae(self) -> ca.Function:
        """(t, x, z, environment, κ) to x', the algebraic rows, and the powers."""
        r = self.reduced
        outputs = [r.rhs, r.algebraic, r.equations.power]
        return ca.Function("dae", [*self._arguments, r.kappa], outputs)

    @cached_property
    def linearised(self) -> ca.Function:
        """(t, x, z, environment) to the algebraic rows without attraction and their jacobian by z."""
        r = self.reduced
        rows = ca.densify(ca.vertcat(ca.SX(0, 1), *(chain[-1] for chain in r.derivatives)))
        return ca.Function("linearised", self._arguments, [rows, ca.jacobian(rows, r.z)])

    @cached_property
    def constraint_rows(self) -> ca.Function:
        """(t, x, environment) to the constraint rows' gradients and the metric.

        Gradients are those by the coordinates' highest derivatives, (m, nv); the metric is (nv, nv).
        """
        r = self.reduced
        places = [i for i, row in enumerate(r.equations.rows) if row.kind == "constraint"]
        velocities = r.equations.coordinate_orders[0].numel()
        rows = ca.vertcat(ca.SX(0, 1), *(r.derivatives[i][-1] for i in places))
        gradients = ca.substitute(ca.jacobian(rows, r.z[:velocities]), r.z, ca.SX.zeros(r.z.numel()))
        t, x, _, e = self._arguments
        return ca.Function("constraint_rows", [t, x, e], [gradients, r.metric])

    @cached_property
    def massless(self) -> tuple[int, ...]:
        """Places among the velocities of those that no kinetic energy contains."""
        equations = self.reduced.equations
        v = equations.coordinate_orders[0]
        moved = ca.jacobian_sparsity(equations.kinetic, v)
        return tuple(j for j in range(v.numel()) if not moved.has_nz(0, j))

    @cached_property
    def angles(self) -> tuple[int, ...]:
        """Places in x of coordinates that are angles and have inertia, attitudes left aside."""
        r = self.reduced
        own = {place for block in r.norm_blocks for place in range(block.start, block.stop)}
        places = [p for alike in r.alike if alike.is_angle for p in alike.places[0] if p not in own]
        mass = self._mass_over(places)
        return tuple(p for k, p in enumerate(places) if mass.sparsity().has_nz(k, k))

    @cached_property
    def angle_mass(self) -> ca.Function:
        """(t, x, environment) to the mass matrix over `angles`."""
        t, x, _, e = self._arguments
        return ca.Function("angle_mass", [t, x, e], [self._mass_over(self.angles)])

    def _mass_over(self, positions: Sequence[int]) -> ca.SX:
        """∂²T/∂v² over the velocities of some places in x."""
        r = self.reduced
        v = r.equations.coordinate_orders[0]
        rates = ca.vertcat(ca.SX(0, 1), *(v[r.x_entries[place].unknown] for place in positions))
        if not rates.numel():
            return ca.SX(0, 0)
        return ca.hessian(r.equations.kinetic, rates)[0]

    @cached_property
    def multipliers(self) -> slice:
        """Where the multipliers of constraints lie in z. Raises AssertionError where they are states."""
        kinds = [self.reduced.equations.unknowns[e.unknown].kind for e in self.reduced.z_entries]
        first = kinds.index("multiplier") if "multiplier" in kinds else len(kinds)
        return slice(first, first + kinds.count("multiplier"))

    @cached_property
    def solve_algebraic(self) -> ca.Function:
        """(t, x, z guess, environment) to z after one Newton step, and what that step left of the rows.

        One step is exact for accelerations and multipliers, in which the rows are linear.
        """
        t, x, z, e = self._columns()
        rows, jacobian = self.linearised(t, x, z, e)
        better = z - ca.solve(jacobian, rows, "qr")
        left, _ = self.linearised(t, x, better, e)
        return ca.Function("solve_algebraic", [t, x, z, e], [better, left])

    @cached_property
    def stages(self) -> tuple[StageKernels, ...]:
        """The stages that have rows, positions first."""
        return tuple(self._stage(stage, ()) for stage in self.reduced.stages if stage.rows)

    @cached_property
    def start_stages(self) -> tuple[StageKernels, ...]:
        """The same with the `initial` rows, each in the stage of the deepest state it restricts."""
        r = self.reduced
        levels: list[list[EquationRow]] = [[] for _ in r.stages]
        for row in r.equations.system.initial:
            reached = [
                i
                for i, stage in enumerate(r.stages)
                if ca.depends_on(row.residual, ca.vertcat(*(r.x[k] for k in stage.targets)))
            ]
            if not reached or ca.depends_on(row.residual, r.z):
                raise ModelError([initial_restricts_nothing(row)])
            levels[reached[-1]].append(row)
        pairs = zip(r.stages, levels, strict=True)
        return tuple(self._stage(stage, tuple(rows)) for stage, rows in pairs if stage.rows or rows)

    def _stage(self, stage: Stage, initial: tuple[EquationRow, ...]) -> StageKernels:
        r = self.reduced
        t, x, _, e = self._arguments
        put_in = ca.vertcat(*(row.residual for row in initial))
        extra = ca.substitute(put_in, r.equations.system.symbols.inputs, r.equations.input_values)
        residual = ca.densify(ca.vertcat(stage.residual, extra))
        jacobian = ca.vertcat(stage.jacobian, ca.mtimes(ca.jacobian(extra, r.x), stage.tangent))
        delta = ca.SX.sym("delta", len(stage.deltas))
        moved = _unit_norm(r, x + ca.mtimes(stage.tangent, delta))
        equations = r.equations.rows
        rows = [
            NamedRow(equations[i].name, m, equations[i].span) for i, m in zip(stage.rows, stage.orders, strict=True)
        ]
        rows += [NamedRow(row.label, 0, row.span) for row in initial]
        return StageKernels(
            stage,
            tuple(rows),
            ca.Function("stage", [t, x, e], [residual, jacobian, stage.metric]),
            ca.Function("move", [x, delta], [moved]),
        )

    @cached_property
    def project(self) -> ca.Function:
        """(t, x, environment) to the nearest x on all constraints: two Newton steps for each stage.

        x is taken to be near: integration has kept it within its tolerance.
        """
        t, x, _, e = self._columns()
        moved = x
        for kernels in self.stages:
            for _step in range(2):
                residual, jacobian, metric = kernels.evaluate(t, moved, e)
                rows = residual.numel()
                matrix = ca.blockcat([[metric, jacobian.T], [jacobian, ca.MX(rows, rows)]])
                unknown = ca.solve(matrix, ca.vertcat(ca.MX(metric.size1(), 1), -residual), "qr")
                moved = kernels.move(moved, unknown[: metric.size1()])
        return ca.Function("project", [t, x, e], [moved])

    @cached_property
    def residuals(self) -> ca.Function:
        """(t, x, environment) to the constraint and servo rows as written, in the order of the rows."""
        r = self.reduced
        t, x, _, e = self._arguments
        rows = [row.residual for row in r.equations.rows if row.kind in ("constraint", "servo")]
        return ca.Function("residuals", [t, x, e], [ca.densify(ca.vertcat(*rows))])

    @cached_property
    def energies(self) -> ca.Function:
        """(t, x, environment) to T, V, D and the Jacobi energy."""
        q = self.reduced.equations
        values = ca.densify(ca.vertcat(q.kinetic, q.potential, q.dissipation, q.jacobi_energy))
        t, x, _, e = self._arguments
        return ca.Function("energies", [t, x, e], [values])

    @cached_property
    def observe(self) -> ca.Function:
        """(t, x, z, environment) to all recorded quantities and named energies, in one column."""
        q = self.reduced.equations
        system = q.system
        values = [quantity.value for quantity in system.quantities]
        values += [energy.value for energy in system.energies]
        column = ca.densify(ca.vertcat(*values))
        column = ca.substitute(column, system.symbols.inputs, q.input_values)
        return ca.Function("observe", self._arguments, [column])

    @cached_property
    def gaps(self) -> ca.Function:
        """(t, x, z, environment) to the gaps of limits, then assertions and bounds as 1 or 0."""
        q = self.reduced.equations
        system = q.system
        limits = ca.vertcat(*(gap for limit in system.limits for gap in limit.gaps))
        bounds = [bound.condition >= 0 for bound in system.bounds]
        asserts = ca.vertcat(*(a.condition for a in system.asserts), *bounds)
        columns = [ca.substitute(c, system.symbols.inputs, q.input_values) for c in (limits, asserts)]
        return ca.Function("gaps", self._arguments, [ca.densify(c) for c in columns])

    def integrator(
        self, instants: int, relative: float, scaled_absolute: float, redundant: bool = False
    ) -> ca.Function:
        """IDAS over τ in [0, 1] with results at `instants` equal steps.

        x0 is in units of its scales, z0 of `ALGEBRAIC_SCALE`; p = [environment, κ, start time, duration,
        energy, scales (nx,)], and for `redundant` rows also their two matrices (m, m), column by column.
        Time is stretched so that one integrator serves every duration. Quadratures: the powers, in units of the
        energy; they are part of the error test, or a balance could not be drawn from them.
        """
        key = (instants, relative, scaled_absolute, redundant)
        if key not in self._integrators:
            grid = [k / instants for k in range(1, instants + 1)]
            options = IDAS_OPTIONS | {"reltol": relative, "abstol": scaled_absolute}
            dae = self._redundant_dae if redundant else self._scaled_dae
            self._integrators[key] = ca.integrator("run", "idas", dae, 0.0, grid, options)
        return self._integrators[key]

    @cached_property
    def _scaled_dae(self) -> dict[str, ca.SX]:
        r = self.reduced
        x, z = ca.SX.sym("x", r.x.numel()), ca.SX.sym("z", r.z.numel())
        environment = ca.SX.sym("environment", self.environment.numel())
        names = ("tau", "kappa", "start", "duration", "energy")
        tau, kappa, start, duration, energy = (ca.SX.sym(n) for n in names)
        scales = ca.SX.sym("scale", r.x.numel())
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

    @cached_property
    def _redundant_dae(self) -> dict[str, ca.SX]:
        """The constraint rows combined as `redundancy.Redundancy` says."""
        plain = self._scaled_dae
        places = [i for i, row in enumerate(self.reduced.equations.rows) if row.kind == "constraint"]
        m = len(places)
        keep, choose = ca.SX.sym("keep", m, m), ca.SX.sym("choose", m, m)
        rows = ca.SX(plain["alg"])
        rows[places] = ca.mtimes(keep, rows[places]) + ca.mtimes(choose, plain["z"][self.multipliers])
        return plain | {"alg": rows, "p": ca.vertcat(plain["p"], ca.vec(keep), ca.vec(choose))}

    def _columns(self) -> list[ca.MX]:
        names = ("t", "x", "z", "environment")
        return [ca.MX.sym(n, s.numel()) for n, s in zip(names, self._arguments, strict=True)]


def _unit_norm(reduced: ReducedSystem, x: ca.SX) -> ca.SX:
    result = ca.SX(x)
    for block in reduced.norm_blocks:
        result[block] = x[block] / ca.norm_2(x[block])
    return result


def mapped(function: ca.Function, instants: int, arguments: Sequence[Any]) -> list[ca.DM]:
    """A function at many instants at once: columns go with instants; what has one column serves all."""
    return list(function.map(instants).call(list(arguments)))
