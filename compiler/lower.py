"""Program to mechanical system: expressions become CasADi, statements are judged by what they contain.

The order: symbols first; then constraints, for their rows number the multipliers; then all that may
contain reactions. Mistakes are collected and told together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.program import Program, Variable, VariableDefinition
from mbdc.dsl.records import replace

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Allowed, Layout, element_names, lay_out
from .lower_constraints import (
    ReactionTable,
    acting_constraint,
    acting_friction,
    acting_limit,
    lower_constraints,
    lower_servos,
)
from .lower_events import lower_asserts, lower_bounds, lower_equations, lower_limits, lower_whens
from .lower_expression import Evaluator
from .lower_forces import lower_energies, lower_forces, lower_friction_flows, lower_frictions, verify_inertia
from .lower_starts import lower_starts
from .mechanics import (
    Constraint,
    Energy,
    EquationRow,
    Floats,
    Friction,
    Limit,
    MechanicalSystem,
    Modes,
    Quantity,
    Servo,
)
from .parameter_values import ParameterValues, parameter_values
from .relations import Relation, Relations


def lower(program: Program) -> MechanicalSystem:
    """The system a checked program describes. Raises ModelError with all that is wrong with it."""
    findings = Findings()
    layout = lay_out(program)
    declared = program.statements
    relations = Relations(frozenset(symbol.element_hash() for symbol in ca.vertsplit(layout.symbols.parameters)))
    plain = Evaluator(program.variables, layout.leaves, layout.symbols.time, relations)

    constraints = lower_constraints(declared.constraints, plain, layout, findings)
    labels = [f"reaction({row.label})" for c in constraints for row in c.rows]
    multipliers = ca.vertcat(*(ca.SX.sym(label) for label in labels)) if labels else ca.SX(0, 1)
    # Energies, servos and starts come before reactions have a meaning: they must not contain them.
    energies = lower_energies(declared.energies, plain, layout, findings)
    servos = lower_servos(declared.servos, plain, layout, findings)
    starts, attitudes = lower_starts(program, plain, layout, findings)
    settings = parameter_values(program, plain, layout, findings)

    limits = lower_limits(declared.limits, plain, layout, findings)
    flows = lower_friction_flows(declared.frictions, plain, layout, findings)

    contacts = layout.symbols.contacts
    acting = {c.name: acting_constraint(c, multipliers) for c in constraints}
    acting |= {limit.name: acting_limit(limit, contacts) for limit in limits if limit.level is not None}
    acting |= {f.statement.name: acting_friction(f.flow, f.places, contacts) for f in flows}
    full = plain.with_reactions(ReactionTable(acting, layout))
    forces = lower_forces(declared.forces, full, layout, findings)
    frictions = lower_frictions(flows, full, findings)
    equations = lower_equations([e for e in declared.equations if e.kind == "equation"], full, findings)
    initial = lower_equations([e for e in declared.equations if e.kind == "initial"], full, findings)
    whens = lower_whens(declared.whens, full, layout, findings)
    asserts = lower_asserts([claim for claim in declared.asserts if not claim.is_warning], full, findings)
    warnings = lower_asserts([claim for claim in declared.asserts if claim.is_warning], full, findings)
    bounds = lower_bounds(program, full, findings)
    quantities = _quantities(program, full, findings)
    defaults = _input_defaults(program, layout, full, findings)
    watched = [*_determining(constraints, servos, equations), *(energy.value for energy in energies)]
    watched += [part for force in forces for part in (force.effort, force.flow)]
    watched += [gap for limit in limits for gap in limit.gaps] + [when.condition for when in whens]
    watched += [part for friction in frictions for part in friction.parts]
    used = _used(relations, [*watched, defaults])
    modes = _modes(limits, frictions, used)

    determining = _determining(constraints, servos, equations)
    if not findings.has_errors:
        verify_inertia(_kinetic(energies), forces, determining, layout, findings)
        _verify_found(program, layout, determining, findings)
    notes = findings.settle()
    return MechanicalSystem(
        program=program,
        symbols=replace(
            layout.symbols,
            multipliers=multipliers,
            parameters=ca.vertcat(layout.symbols.parameters, modes.column),
        ),
        coordinates=layout.coordinates,
        parameters=layout.parameters,
        inputs=layout.inputs,
        unknowns=layout.unknowns,
        kinematics=layout.kinematics,
        energies=energies,
        forces=forces,
        constraints=constraints,
        servos=servos,
        equations=equations,
        initial=initial,
        limits=limits,
        frictions=frictions,
        whens=whens,
        relations=used,
        modes=modes,
        asserts=asserts,
        warnings=warnings,
        bounds=(*bounds, *attitudes),
        quantities=quantities,
        starts=starts,
        input_defaults=defaults,
        parameter_values=_with_modes(settings, modes.column.numel()),
        rates_used=_rates_used(program, layout, equations),
        notes=notes,
    )


def _used(relations: Relations, watched: Sequence[ca.SX]) -> tuple[Relation, ...]:
    """The relations whose bits occur in expressions, and those within their margins."""
    if not relations.found:
        return ()
    met = {symbol.element_hash() for symbol in ca.symvar(ca.vertcat(*watched))}
    used = []
    # What stands in a margin was found before the relation itself.
    for relation in reversed(relations.found):
        if relation.bit.element_hash() in met:
            used.append(relation)
            met |= {symbol.element_hash() for symbol in ca.symvar(relation.margin)}
    return tuple(reversed(used))


def _modes(limits: tuple[Limit, ...], frictions: tuple[Friction, ...], relations: tuple[Relation, ...]) -> Modes:
    gaps = [(limit.name, side) for limit in limits for side in limit.sides]
    flows = [f.name for f in frictions for _ in range(f.places.stop - f.places.start)]

    def column(name: str, owners: Iterable[str]) -> ca.SX:
        return ca.vertcat(ca.SX(0, 1), *(ca.SX.sym(f"{name}({owner})") for owner in owners))

    names = [f.name for f in frictions]
    return Modes(
        held=column("held", (f"{name}, {side}" for name, side in gaps)),
        sticking=column("sticking", names),
        pressed=column("pressed", names),
        small=column("small", names),
        direction=column("direction", flows),
        bits=ca.vertcat(ca.SX(0, 1), *(relation.bit for relation in relations)),
    )


def _with_modes(settings: ParameterValues, count: int) -> Callable[[dict[str, float | Floats]], Floats]:
    """Parameter values with modes behind them, all 0: no limit held, no friction, no relation true."""
    if count == 0:
        return settings
    return lambda chosen: np.concatenate([settings(chosen), np.zeros(count)])


def _kinetic(energies: tuple[Energy, ...]) -> ca.SX:
    return sum((e.value for e in energies if e.kind == "kinetic"), ca.SX(0))


def _determining(
    constraints: tuple[Constraint, ...], servos: tuple[Servo, ...], equations: tuple[EquationRow, ...]
) -> list[ca.SX]:
    """All residuals that may determine a motion or an unknown."""
    rows = [row.residual for c in constraints for row in c.rows]
    rows += [row.residual for servo in servos for row in servo.rows]
    return rows + [row.residual for row in equations]


def _verify_found(program: Program, layout: Layout, rows: list[ca.SX], findings: Findings) -> None:
    """Complains of unknowns that no equation contains."""
    if not layout.unknowns:
        return
    residuals = ca.vertcat(ca.SX(0), *rows)
    s = layout.symbols
    as_value = ca.which_depends(residuals, s.unknowns, 1, False)
    as_rate = ca.which_depends(residuals, s.unknown_rates, 1, False)
    for group in layout.unknowns:
        found = (a or b for a, b in zip(as_value[group.elements], as_rate[group.elements], strict=True))
        if not all(found):
            findings.add(complaints.no_value(program.variables[group.name], program.components))


def _rates_used(program: Program, layout: Layout, equations: tuple[EquationRow, ...]) -> NDArray[np.bool_]:
    rates = layout.symbols.unknown_rates
    residuals = ca.vertcat(ca.SX(0), *(row.residual for row in equations))
    used = np.array(ca.which_depends(residuals, rates, 1, False) if rates.numel() else [], dtype=bool)
    for group in layout.unknowns:
        used[group.elements] |= program.variables[group.name].is_state
    return used


def _quantities(program: Program, evaluator: Evaluator, findings: Findings) -> tuple[Quantity, ...]:
    """All variables that a run records."""
    result = []
    for definition in program.variables.values():
        if definition.kind in ("parameter", "constant") or definition.type.kind == "text":
            continue
        with findings.collect():
            result.append(_quantity(definition, evaluator))
    return tuple(result)


def _quantity(definition: VariableDefinition, evaluator: Evaluator) -> Quantity:
    whole = Variable(type=definition.type, span=definition.span, name=definition.name)
    return Quantity(
        name=definition.name,
        value=evaluator.relations.unheld(evaluator.column(whole)),
        type=definition.type,
        unit=definition.unit,
        description=definition.description,
        element_names=element_names(definition.name, definition.type.shape),
    )


def _input_defaults(program: Program, layout: Layout, evaluator: Evaluator, findings: Findings) -> ca.SX:
    """The declared signals in time and parameters, NaN where there is none."""
    allowed = Allowed(layout.symbols.time, layout.symbols.parameters)
    columns = []
    for group in layout.inputs:
        definition = program.variables[group.name]
        column = ca.SX(ca.DM.nan(definition.type.size, 1))
        if definition.binding is not None:
            with findings.collect():
                column = evaluator.column(definition.binding)
                if not allowed.cover(evaluator.relations.unheld(column)):
                    what = f"the signal of input `{group.name}`"
                    findings.add(complaints.depends("input-depends", what, "time and parameters", definition.span))
        columns.append(column)
    return ca.densify(ca.vertcat(*columns)) if columns else ca.SX(0, 1)
