"""What is watched during a run: limits, conditions, assertions, bounds; and the rows of equations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, assert_never

import casadi as ca

from mbdc.dsl import statements
from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.program import Apply, Derivative, Expr, Program, Variable, VariableDefinition

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Layout, element_names
from .lower_constraints import element_places, sides
from .lower_expression import Evaluator
from .mechanics import Assertion, EquationRow, Level, Limit, Reinit, Terminate, When
from .operations import flatten
from .rotations import euler_parameters


def lower_equations(
    declared: Iterable[statements.Equation[Expr]], evaluator: Evaluator, findings: Findings
) -> tuple[EquationRow, ...]:
    """All rows of the equations (or initial conditions) given."""
    result: list[EquationRow] = []
    for statement in declared:
        with findings.collect():
            both = sides(evaluator, statement.name, statement.left, statement.right)
            result.extend(
                EquationRow(label, residual, statement.span)
                for label, residual in zip(both.labels, ca.vertsplit(both.residual), strict=True)
            )
    return tuple(result)


def lower_limits(
    declared: tuple[statements.Limit[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[Limit, ...]:
    """All limits, their gaps numbered in the order of `Symbols.contacts`; one on an array is one for each element."""
    result: list[Limit] = []
    start = 0
    for statement in declared:
        bounds = sum(bound is not None for bound in (statement.lower, statement.upper))
        with findings.collect():
            result.extend(_limits(statement, evaluator, layout, start, bounds))
        start += bounds * statement.value.type.size
    return tuple(result)


def _limits(
    statement: statements.Limit[Expr], evaluator: Evaluator, layout: Layout, start: int, bounds: int
) -> list[Limit]:
    value = evaluator.column(statement.value)
    gaps: list[ca.SX] = []
    sides_given: list[Literal["lower", "upper"]] = []
    if statement.lower is not None:
        gaps.append(value - evaluator.column(statement.lower))
        sides_given.append("lower")
    if statement.upper is not None:
        gaps.append(evaluator.column(statement.upper) - value)
        sides_given.append("upper")
    restitution = ca.SX(0) if statement.restitution is None else evaluator.value(statement.restitution)
    return [
        Limit(
            name=name,
            gaps=tuple(gap[i] for gap in gaps),
            sides=tuple(sides_given),
            places=tuple(range(start + i * bounds, start + (i + 1) * bounds)),
            level=_level(ca.vertcat(*(gap[i] for gap in gaps)), layout),
            restitution=restitution,
            span=statement.span,
        )
        for i, name in enumerate(element_names(statement.name, statement.value.type.shape))
    ]


def _level(gaps: ca.SX, layout: Layout) -> Level | None:
    if ca.depends_on(gaps, layout.symbols.v):
        return "velocity"
    return "position" if ca.depends_on(gaps, layout.symbols.q) else None


def lower_whens(
    declared: tuple[statements.When[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[When, ...]:
    """All `when` statements."""
    result = []
    for statement in declared:
        with findings.collect():
            actions = tuple(_action(a, evaluator, layout) for a in statement.actions)
            condition = evaluator.relations.held(evaluator.value(statement.condition))
            result.append(When(condition, actions, statement.condition.span.text, statement.span))
    return tuple(result)


def _action(
    action: statements.Reinit[Expr] | statements.Terminate, evaluator: Evaluator, layout: Layout
) -> Reinit | Terminate:
    match action:
        case statements.Terminate(message=message):
            return Terminate(message)
        case statements.Reinit(target=target, value=value):
            return _reinit(target, evaluator.relations.unheld(evaluator.value(value)), layout)
    assert_never(action)


def _reinit(target: Expr, value: ca.SX, layout: Layout) -> Reinit:
    column = flatten(value)
    match target:
        case Derivative(operand=variable):
            for c in layout.coordinates:
                places = element_places(variable, c.name, c.shape, c.v.start)
                if places is not None and not c.is_rotation:
                    return Reinit("velocity", places, column)
        case Apply(operation="angularVelocity", arguments=(Variable(name=name),)):
            for c in layout.coordinates:
                if c.name == name:
                    return Reinit("velocity", tuple(range(c.v.start, c.v.stop)), column)
        case _:
            for c in layout.coordinates:
                if c.is_rotation and isinstance(target, Variable) and target.name == c.name:
                    return Reinit("position", tuple(range(c.q.start, c.q.stop)), euler_parameters(value))
                places = element_places(target, c.name, c.shape, c.q.start)
                if places is not None and not c.is_rotation:
                    return Reinit("position", places, column)
            for group in layout.unknowns:
                places = element_places(target, group.name, group.shape, group.elements.start)
                if places is not None:
                    return Reinit("unknown", places, column)
    raise ModelError([complaints.reinit_target(target.span)])


def lower_asserts(
    declared: Iterable[statements.Assert[Expr]], evaluator: Evaluator, findings: Findings
) -> tuple[Assertion, ...]:
    """All assertions."""
    result = []
    for statement in declared:
        with findings.collect():
            condition = evaluator.relations.unheld(evaluator.value(statement.condition))
            result.append(Assertion(condition, statement.message, statement.span))
    return tuple(result)


def lower_bounds(program: Program, evaluator: Evaluator, findings: Findings) -> tuple[Assertion, ...]:
    """`min` and `max` of variables that change, as gaps; those of parameters are checked when set."""
    result: list[Assertion] = []
    for definition in program.variables.values():
        if definition.kind in ("parameter", "constant") or definition.type.kind != "real":
            continue
        with findings.collect():
            result.extend(_bounds(definition, evaluator))
    return tuple(result)


def _bounds(definition: VariableDefinition, evaluator: Evaluator) -> list[Assertion]:
    result: list[Assertion] = []
    names = element_names(definition.name, definition.type.shape)
    for bound, sign in (("min", 1), ("max", -1)):
        attribute = definition.attributes.get(bound)
        if attribute is None:
            continue
        whole = Variable(type=definition.type, span=definition.span, name=definition.name)
        value = evaluator.relations.unheld(evaluator.column(whole))
        gaps = ca.densify(sign * (value - evaluator.column(attribute)))
        result.extend(
            Assertion(gaps[i], complaints.bound_broken(name, bound), attribute.span) for i, name in enumerate(names)
        )
    return result
