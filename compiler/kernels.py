"""The compiled functions of a reduced system: what a run evaluates many times.

Arrays of numbers go in and out as CasADi columns. `environment` is the column of parameters and signals;
nothing here depends on their values, so that a change of parameters, inputs or starts compiles nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.records import field, frozen
from mbdc.dsl.source import Span

from .complaints_start import initial_restricts_nothing
from .idas import Integrators
from .mechanics import EquationRow, Reinit
from .reduced import ReducedSystem, Stage


@frozen
class NamedRow:
    """A row in the author's words: its label, how often it was differentiated, and where it is written."""

    name: str
    order: int
    span: Span = field(repr=False)


@frozen
class StageKernels:
    """`evaluate`(t, x, environment) gives residual, jacobian and metric; `move`(x, δ) applies a change δ.

    `contacts`(t, x, environment) gives residual and jacobian of limits and frictions, and of each whether it is held.
    """

    stage: Stage
    rows: tuple[NamedRow, ...]
    evaluate: ca.Function
    move: ca.Function
    contacts: ca.Function


@frozen(eq=False)
class Kernels:
    """Functions over one reduced system, made when they are first asked for.

    t () in s, x (nx,), z (nz,), environment (ne,), κ () in 1/s.
    """

    reduced: ReducedSystem
    _least: dict[int, ca.Function] = field(default_factory=dict)

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
        rows = ca.densify(ca.vertcat(ca.SX(0, 1), *(chain[-1] for chain in r.derivatives), r.contacts.still))
        return ca.Function("linearised", self._arguments, [rows, ca.jacobian(rows, r.z)])

    @cached_property
    def _constraints_at(self) -> list[int]:
        """Where constraint rows stand among all rows."""
        return [i for i, row in enumerate(self.reduced.equations.rows) if row.kind == "constraint"]

    @cached_property
    def constraint_rows(self) -> ca.Function:
        """(t, x, environment) to the constraint rows' gradients and the metric.

        Gradients are those by the coordinates' highest derivatives, (m, nv); the metric is (nv, nv).
        """
        r = self.reduced
        velocities = r.equations.coordinate_orders[0].numel()
        rows = ca.vertcat(ca.SX(0, 1), *(r.derivatives[i][-1] for i in self._constraints_at))
        gradients = ca.substitute(ca.jacobian(rows, r.z[:velocities]), r.z, ca.SX.zeros(r.z.numel()))
        t, x, _, e = self._arguments
        return ca.Function("constraint_rows", [t, x, e], [gradients, r.metric])

    @cached_property
    def kept_rows(self) -> ca.Function:
        """(t, x, environment) to gradients as `constraint_rows` has them, those of limits and frictions behind them.

        Also the metric, and for each row whether it is kept: constraints are, limits and frictions where they are held.
        """
        r = self.reduced
        modes = r.equations.system.modes
        velocities = r.equations.coordinate_orders[0].numel()
        rows, flags = ca.SX(r.equations.contacts), ca.SX(r.equations.contacts.numel(), 1)
        for k, gap in enumerate(r.equations.gaps):
            rows[gap.place] = (r.contacts.closing if gap.level == "position" else r.contacts.rates)[k]
            flags[gap.place] = modes.held[gap.place]
        start = 0
        for k, friction in enumerate(r.equations.frictions):
            stop = start + friction.flow.numel()
            rows[friction.places] = r.contacts.slips[start:stop]
            flags[friction.places] = modes.sticking[k]
            start = stop
        t, x, _, e = self._arguments
        gradients, metric = self.constraint_rows(t, x, e)
        slopes = ca.substitute(ca.jacobian(rows, r.z[:velocities]), r.z, ca.SX.zeros(r.z.numel()))
        flags = ca.vertcat(ca.SX.ones(gradients.size1()), ca.densify(flags))
        return ca.Function("kept_rows", [t, x, e], [ca.vertcat(gradients, slopes), metric, flags])

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
    def can_leave_rows_out(self) -> bool:
        """Whether accelerations are the same whichever of dependent constraint rows are left out.

        They are where only their own forces contain their multipliers: no law does, and no contact shares a load.
        """
        system = self.reduced.equations.system
        if system.limits or system.frictions or system.servos:
            return False
        laws = [*(force.effort for force in system.forces), *(row.residual for row in system.equations)]
        return not ca.depends_on(ca.vertcat(ca.SX(0, 1), *laws), system.symbols.multipliers)

    def solve_least(self, left_out: int) -> ca.Function:
        """`solve_algebraic` where so many constraint rows are left out, with the least multipliers of all rows.

        (t, x, z guess, environment, keep (m,), out (m, left_out)): `keep` is 1 or 0 for each row, the columns of `out`
        are unit vectors of those left out. The third result are combinations of multipliers without any effect
        (m, left_out), each 1 in one row left out.
        """
        if left_out not in self._least:
            t, x, z, e = self._columns()
            m = len(self.forces)
            keep, out = ca.MX.sym("keep", m), ca.MX.sym("out", m, left_out)
            size = z.numel()
            at_rows = ca.DM.triplet(self._constraints_at, list(range(m)), ca.DM.ones(m), size, m)
            at_forces = ca.DM.triplet(self.forces, list(range(m)), ca.DM.ones(m), size, m)
            rows, jacobian = self.linearised(t, x, z, e)
            flags, no_force = 1 - ca.mtimes(at_rows, 1 - keep), ca.mtimes([at_rows, ca.diag(1 - keep), at_forces.T])
            units = ca.mtimes(at_forces, out)
            right = ca.horzcat(flags * rows + ca.mtimes(no_force, z), flags * ca.mtimes(jacobian, units))
            found = ca.solve(ca.mtimes(ca.diag(flags), jacobian) + no_force, right, "qr")
            any_forces, free = z - found[:, 0], units - found[:, 1:]
            least = any_forces - ca.mtimes(free, ca.solve(ca.mtimes(free.T, free), ca.mtimes(free.T, any_forces), "qr"))
            left, _ = self.linearised(t, x, least, e)
            self._least[left_out] = ca.Function(
                "solve_least", [t, x, z, e, keep, out], [least, left, free[self.forces, :]]
            )
        return self._least[left_out]

    @cached_property
    def stages(self) -> tuple[StageKernels, ...]:
        """The stages that have rows, positions first."""
        all_stages = (self._stage(stage, ()) for stage in self.reduced.stages)
        return tuple(kernels for kernels in all_stages if kernels.stage.rows or kernels.contacts.numel_out(0))

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
        held, flags = self._held_at(stage)
        slopes = ca.mtimes(ca.jacobian(held, r.x), stage.tangent)
        return StageKernels(
            stage,
            tuple(rows),
            ca.Function("stage", [t, x, e], [residual, jacobian, stage.metric]),
            ca.Function("move", [x, delta], [moved]),
            ca.Function("contacts", [t, x, e], [held, slopes, flags]),
        )

    def _held_at(self, stage: Stage) -> tuple[ca.SX, ca.SX]:
        """What limits and frictions keep at 0 in a stage where they are held, and the modes that say so."""
        r = self.reduced
        modes = r.equations.system.modes
        nv = r.equations.coordinate_orders[0].numel()
        orders = {r.x_entries[i].order for i in stage.targets if r.x_entries[i].unknown < nv}
        rows, flags = ca.SX(0, 1), ca.SX(0, 1)
        for k, gap in enumerate(r.equations.gaps):
            levels = {0: r.contacts.gaps, 1: r.contacts.rates} if gap.level == "position" else {1: r.contacts.gaps}
            for order in orders & levels.keys():
                rows, flags = ca.vertcat(rows, levels[order][k]), ca.vertcat(flags, modes.held[gap.place])
        if 1 in orders:
            for k, friction in enumerate(r.equations.frictions):
                rows = ca.vertcat(rows, friction.flow)
                flags = ca.vertcat(flags, ca.repmat(modes.sticking[k], friction.flow.numel(), 1))
        return ca.densify(rows), ca.densify(flags)

    @cached_property
    def project(self) -> ca.Function:
        """(t, x, environment) to the nearest x on all constraints: two Newton steps for each stage.

        x is taken to be near: integration has kept it within its tolerance.
        """
        t, x, _, e = self._columns()
        return ca.Function("project", [t, x, e], [self._projected(t, x, e, None)])

    @cached_property
    def project_kept(self) -> ca.Function:
        """The same on constraint rows that are kept only: (t, x, environment, keep), `keep` 1 or 0 for each row."""
        t, x, _, e = self._columns()
        keep = ca.MX.sym("keep", len(self.reduced.equations.system.rows))
        return ca.Function("project_kept", [t, x, e, keep], [self._projected(t, x, e, keep)])

    def constraint_places(self, stage: Stage) -> NDArray[np.intp]:
        """Where a stage's rows stand among the constraint rows."""
        return np.asarray(stage.rows, dtype=np.intp) - (self._constraints_at or [0])[0]

    def _projected(self, t: ca.MX, x: ca.MX, e: ca.MX, keep: ca.MX | None) -> ca.MX:
        moved = x
        for kernels in self.stages:
            for _step in range(2):
                residual, jacobian, metric = kernels.evaluate(t, moved, e)
                if keep is not None:
                    # Of a row that is left out, the multiplier is 0.
                    own = keep[self.constraint_places(kernels.stage).tolist()]
                    kept, gradients, residual = ca.mtimes(ca.diag(own), jacobian), jacobian, own * residual
                    corner = ca.diag(1 - own)
                elif kernels.contacts.numel_out(0):
                    # A free contact's row says that its own multiplier is 0.
                    gaps, slopes, held = kernels.contacts(t, moved, e)
                    below = ca.diag(1 - held)
                    kept = ca.vertcat(jacobian, ca.mtimes(ca.diag(held), slopes))
                    corner = ca.diagcat(ca.MX(residual.numel(), residual.numel()), below)
                    gradients, residual = ca.vertcat(jacobian, slopes), ca.vertcat(residual, held * gaps)
                else:
                    kept = gradients = jacobian
                    corner = ca.MX(residual.numel(), residual.numel())
                matrix = ca.blockcat([[metric, gradients.T], [kept, corner]])
                unknown = ca.solve(matrix, ca.vertcat(ca.MX(metric.size1(), 1), -residual), "qr")
                moved = kernels.move(moved, unknown[: metric.size1()])
        return moved

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
    def margins(self) -> ca.Function:
        """(t, x, z, environment) to the margins of relations."""
        return ca.Function("margins", self._arguments, [ca.densify(self._margins)])

    @property
    def _margins(self) -> ca.SX:
        equations = self.reduced.equations
        column = ca.vertcat(ca.SX(0, 1), *(relation.margin for relation in equations.system.relations))
        return ca.substitute(column, equations.system.symbols.inputs, equations.input_values)

    @cached_property
    def sensors(self) -> tuple[ca.Function, tuple[int, ...]]:
        """(t, x, z, environment) to all that events are seen by, one below the other as `events.sense.Sensed` lists
        it, and where each ends: many small results would take longer to get at than to compute.
        """
        r = self.reduced
        system, c = r.equations.system, r.contacts
        relations = self._margins
        still = ca.substitute(r.rhs, r.kappa, 0)
        moving = ca.vertcat(r.equations.time, r.x)
        changing = ca.jtimes(relations, moving, ca.vertcat(1, still)) if system.relations else relations
        whens = ca.vertcat(ca.SX(0, 1), *(when.condition for when in system.whens))
        whens = ca.substitute(whens, system.symbols.inputs, r.equations.input_values)
        contacts = [c.gaps, c.rates, c.closing, c.flows, c.slips, c.normals, c.resting]
        columns = [*contacts, relations, changing, whens, *self._limits_and_conditions]
        ends = tuple(accumulate(column.numel() for column in columns))
        return ca.Function("sensors", self._arguments, [ca.densify(ca.vertcat(*columns))]), ends

    @cached_property
    def unsteady(self) -> tuple[int, ...]:
        """Places of relations whose rate cannot be told from states: they contain accelerations or reactions."""
        r = self.reduced
        return tuple(k for k, held in enumerate(r.equations.system.relations) if ca.depends_on(held.margin, r.z))

    @cached_property
    def impulses(self) -> ca.Function:
        """(t, x, environment) to the slopes by z of the algebraic rows, of closings, slips, normal and resting forces.

        What rates of velocities are to forces, jumps of velocities are to impulses: the same slopes serve both.
        """
        r = self.reduced
        t, x, _, e = self._arguments
        rows = ca.vertcat(ca.SX(0, 1), *(chain[-1] for chain in r.derivatives), r.contacts.still)
        closing = ca.SX(r.contacts.closing)
        for k, gap in enumerate(r.equations.gaps):
            if gap.level == "velocity":
                closing[k] = r.contacts.rates[k]
        columns = [rows, closing, r.contacts.slips, r.contacts.normals, r.contacts.resting]
        slopes = [ca.substitute(ca.jacobian(c, r.z), r.z, ca.SX.zeros(r.z.numel())) for c in columns]
        return ca.Function("impulses", [t, x, e], [ca.densify(slope) for slope in slopes])

    @cached_property
    def reinits(self) -> ca.Function:
        """(t, x, z, environment) to the values of all `reinit`, in one column."""
        r = self.reduced
        system = r.equations.system
        values = [a.value for when in system.whens for a in when.actions if isinstance(a, Reinit)]
        column = ca.substitute(ca.vertcat(ca.SX(0, 1), *values), system.symbols.inputs, r.equations.input_values)
        return ca.Function("reinits", self._arguments, [ca.densify(column)])

    @cached_property
    def gaps(self) -> ca.Function:
        """(t, x, z, environment) to the gaps of limits, then assertions and bounds as 1 or 0."""
        return ca.Function("gaps", self._arguments, [ca.densify(c) for c in self._limits_and_conditions])

    @cached_property
    def _limits_and_conditions(self) -> tuple[ca.SX, ca.SX]:
        q = self.reduced.equations
        system = q.system
        limits = ca.vertcat(ca.SX(0, 1), *(gap for limit in system.limits for gap in limit.gaps))
        bounds = [bound.condition >= 0 for bound in system.bounds]
        asserts = ca.vertcat(ca.SX(0, 1), *(a.condition for a in system.asserts), *bounds)
        inputs = system.symbols.inputs
        return ca.substitute(limits, inputs, q.input_values), ca.substitute(asserts, inputs, q.input_values)

    @cached_property
    def warnings(self) -> ca.Function:
        """(t, x, z, environment) to the conditions of warnings, 1 or 0."""
        q = self.reduced.equations
        column = ca.vertcat(ca.SX(0, 1), *(warning.condition for warning in q.system.warnings))
        column = ca.substitute(column, q.system.symbols.inputs, q.input_values)
        return ca.Function("warnings", self._arguments, [ca.densify(column)])

    @cached_property
    def forces(self) -> list[int]:
        """Places in z of what Redundancy counts: the multipliers of constraints, limits and frictions."""
        size = self.reduced.z.numel()
        contacts = range(size - self.reduced.equations.contacts.numel(), size)
        return [*range(self.multipliers.start, self.multipliers.stop), *contacts]

    @cached_property
    def integrators(self) -> Integrators:
        """IDAS over these equations."""
        return Integrators(self.dae, self._constraints_at, self.forces)

    def _columns(self) -> list[ca.MX]:
        names = ("t", "x", "z", "environment")
        return [ca.MX.sym(n, s.numel()) for n, s in zip(names, self._arguments, strict=True)]


def _unit_norm(reduced: ReducedSystem, x: ca.SX) -> ca.SX:
    result = ca.SX(x)
    for block in reduced.norm_blocks:
        result[block] = x[block] / ca.norm_2(x[block])
    return result


def column_at(function: ca.Function, instants: int, arguments: Sequence[Any]) -> NDArray[np.float64]:
    """A column (n,) at many instants as an array (n, instants); one without rows keeps its instants too."""
    (found,) = mapped(function, instants, arguments)
    return np.asarray(found.full().reshape(function.size1_out(0), instants))


def mapped(function: ca.Function, instants: int, arguments: Sequence[Any]) -> list[ca.DM]:
    """A function at many instants at once: columns go with instants; what has one column serves all."""
    return list(function.map(instants).call(list(arguments)))
