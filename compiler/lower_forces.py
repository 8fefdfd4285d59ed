"""Energies, forces and friction: what moves a system, with what cannot move it refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import casadi as ca

from mbdc.dsl import statements
from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.program import Expr
from mbdc.dsl.records import frozen
from mbdc.dsl.source import Span

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Layout
from .lower_expression import Evaluator
from .mechanics import Coordinate, Energy, Force, Friction, Symbols
from .rows import RowFacts, row_facts


def lower_energies(
    declared: tuple[statements.Energy[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[Energy, ...]:
    """All terms of T, V and D."""
    result = []
    for statement in declared:
        with findings.collect():
            value = evaluator.value(statement.value)
            result.append(Energy(statement.kind, statement.name, value, statement.span))
    if not result:
        return ()
    values = ca.vertcat(*(energy.value for energy in result))
    forbidden = ca.which_depends(values, layout.symbols.a, 1, True)
    for energy, has_acceleration in zip(result, forbidden, strict=True):
        if has_acceleration:
            findings.add(complaints.acceleration_in(f"{energy.kind} energy", energy.name, energy.span))
    return tuple(result)


def lower_forces(
    declared: tuple[statements.Force[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[Force, ...]:
    """All forces, each with a flow that is linear in the velocities."""
    flows = _flows([Flow("force", f.name, f.flow, f.span) for f in declared], evaluator, layout, findings)
    result = []
    for statement, flow in zip(declared, flows, strict=True):
        with findings.collect():
            effort = evaluator.column(statement.effort)
            if flow is not None:
                power = ca.dot(effort, flow)
                result.append(Force(statement.name, effort, flow, layout.symbols.v, power, statement.span))
    return tuple(result)


@frozen
class FrictionFlow:
    """The flow of a friction, and where its multipliers lie in `Symbols.contacts`."""

    statement: statements.Friction[Expr]
    flow: ca.SX
    places: slice


def lower_friction_flows(
    declared: tuple[statements.Friction[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[FrictionFlow, ...]:
    """The flows of all dry frictions, as those of forces."""
    flows = _flows([Flow("friction", f.name, f.flow, f.span) for f in declared], evaluator, layout, findings)
    result = []
    stop = layout.symbols.contacts.numel()
    start = stop - sum(statement.flow.type.size for statement in declared)
    for statement, flow in zip(declared, flows, strict=True):
        places = slice(start, start + statement.flow.type.size)
        start = places.stop
        if flow is not None:
            result.append(FrictionFlow(statement, flow, places))
    return tuple(result)


def lower_frictions(flows: tuple[FrictionFlow, ...], evaluator: Evaluator, findings: Findings) -> tuple[Friction, ...]:
    """All dry frictions."""
    result = []
    for found in flows:
        statement = found.statement
        with findings.collect():
            coefficient = evaluator.value(statement.coefficient)
            options = {name: evaluator.value(e) for name, e in statement.options}
            result.append(
                Friction(
                    name=statement.name,
                    coefficient=coefficient,
                    static=options.get("static", coefficient),
                    normal=evaluator.value(statement.normal),
                    flow=found.flow,
                    viscous=options.get("viscous", ca.SX(0)),
                    stribeck=options.get("stribeck"),
                    places=found.places,
                    span=statement.span,
                )
            )
    return tuple(result)


@frozen
class Flow:
    """The flow of a force or friction, as written."""

    kind: str
    name: str
    expression: Expr
    span: Span


def _flows(flows: Sequence[Flow], evaluator: Evaluator, layout: Layout, findings: Findings) -> list[ca.SX | None]:
    """Each flow as a rate, flattened; None where there is a complaint about it.

    A flow without velocities is a configuration and stands for its own rate.
    """
    rates: list[ca.SX | None] = [None] * len(flows)
    facts: list[list[RowFacts]] = [[]] * len(flows)
    wanted: Sequence[int] = range(len(flows))
    for order in (0, 1):
        for i in wanted:
            with findings.collect():
                rates[i] = evaluator.column(flows[i].expression, order)
        for i, found in zip(
            wanted, _facts([rates[i] for i in wanted], layout.symbols, evaluator.relations.bits), strict=True
        ):
            facts[i] = found
        wanted = [i for i in wanted if rates[i] is not None and not _moves(facts[i])]
        if order == 0:
            rates = [None if i in wanted else rate for i, rate in enumerate(rates)]
    for i, flow in enumerate(flows):
        complaint = _flow_complaint(flow, facts[i])
        if rates[i] is not None and complaint is not None:
            findings.add(complaint)
            rates[i] = None
    return rates


def _moves(facts: list[RowFacts]) -> bool:
    return any(fact.has_velocity or fact.has_acceleration for fact in facts)


def _flow_complaint(flow: Flow, facts: list[RowFacts]) -> Diagnostic | None:
    if any(fact.has_acceleration or not fact.is_linear for fact in facts):
        return complaints.flow_not_linear(flow.kind, flow.name, flow.span)
    # A part may push against something that its user has fixed.
    if not _moves(facts) and "." not in flow.name:
        return complaints.flow_fixed(flow.kind, flow.name, flow.span)
    return None


def _facts(columns: list[ca.SX | None], symbols: Symbols, bits: ca.SX) -> list[list[RowFacts]]:
    """Facts about the elements of each column, of all in one sweep."""
    known = [column for column in columns if column is not None]
    if not known:
        return [[] for _ in columns]
    elements = ca.vertcat(*known)
    facts = iter(row_facts(elements, ca.fabs(elements), symbols, bits))
    return [[] if column is None else list(islice(facts, column.numel())) for column in columns]


def verify_inertia(
    kinetic: ca.SX, forces: Sequence[Force], rows: Sequence[ca.SX], layout: Layout, findings: Findings
) -> None:
    """Complains of coordinates whose acceleration nothing can determine.

    `rows` are all residuals that may determine a motion: of constraints, servos and equations.
    """
    s = layout.symbols
    if not layout.coordinates:
        return
    has_inertia = ca.which_depends(kinetic, s.v, 2, False)
    efforts = ca.vertcat(ca.SX(0), *(force.effort for force in forces))
    accelerated = ca.which_depends(efforts, s.a, 1, False)
    residuals = ca.vertcat(ca.SX(0), *rows)
    in_rows = [ca.which_depends(residuals, symbols, 1, False) for symbols in (s.q, s.v, s.a)]
    for coordinate in layout.coordinates:
        moved = [
            i
            for i, place in enumerate(range(coordinate.v.start, coordinate.v.stop))
            if not (has_inertia[place] or accelerated[place] or _is_tied(coordinate, i, in_rows))
        ]
        if moved:
            names = [coordinate.velocity_names[i] for i in moved]
            whole = len(names) == len(coordinate.velocity_names)
            findings.add(complaints.no_inertia(coordinate.name, [] if whole else names, coordinate.span))


def _is_tied(coordinate: Coordinate, element: int, in_rows: list[list[bool]]) -> bool:
    """Whether an element of a coordinate, or its velocity, is in a row."""
    positions, velocities, accelerations = in_rows
    place = coordinate.v.start + element
    if velocities[place] or accelerations[place]:
        return True
    return any(positions[coordinate.q]) if coordinate.is_rotation else positions[coordinate.q.start + element]
