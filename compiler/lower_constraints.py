"""Constraints and servos to residual rows with a level, and the reactions that constraints have."""

from __future__ import annotations

import casadi as ca

from mbdc.dsl import statements
from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.program import Element, Expr, Reaction, Variable
from mbdc.dsl.records import frozen

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Layout, element_names
from .lower_expression import Evaluator
from .mechanics import LEVELS, Constraint, ConstraintRow, Coordinate, Level, Limit, Servo, ServoRow
from .operations import flatten, select, unflatten, zeros
from .rotations import parameter_rates
from .rows import RowFacts, row_facts


@frozen
class Sides:
    """The two sides of a relation, flattened row by row, and the labels of its rows."""

    left: ca.SX
    right: ca.SX
    labels: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def residual(self) -> ca.SX:
        """left - right, a column."""
        return self.left - self.right

    @property
    def scale(self) -> ca.SX:
        """What each row's residual is to be compared with, a column."""
        return ca.fabs(self.left) + ca.fabs(self.right)


def sides(evaluator: Evaluator, name: str, left: Expr, right: Expr) -> Sides:
    """Both sides of left = right."""
    shape = left.type.shape
    return Sides(evaluator.column(left), evaluator.column(right), element_names(name, shape), shape)


def lower_constraints(
    declared: tuple[statements.Constraint[Expr], ...],
    evaluator: Evaluator,
    layout: Layout,
    findings: Findings,
) -> tuple[Constraint, ...]:
    """All constraints; multipliers are numbered in the order of the rows that remain."""
    found: list[tuple[statements.Constraint[Expr], Sides, ca.SX]] = []
    for statement in declared:
        with findings.collect():
            both = sides(evaluator, statement.name, statement.left, statement.right)
            found.append((statement, both, both.residual))
    if not found:
        return ()
    facts = row_facts(
        ca.vertcat(*(residual for _, _, residual in found)),
        ca.vertcat(*(both.scale for _, both, _ in found)),
        layout.symbols,
        evaluator.relations.bits,
    )
    result: list[Constraint] = []
    multiplier = position = 0
    for statement, both, residual in found:
        own = facts[position : position + len(both.labels)]
        position += len(both.labels)
        constraint = _constraint(statement, both, residual, own, multiplier, findings)
        multiplier += len(constraint.rows)
        result.append(constraint)
    return tuple(result)


def _constraint(
    statement: statements.Constraint[Expr],
    both: Sides,
    residual: ca.SX,
    facts: list[RowFacts],
    multiplier: int,
    findings: Findings,
) -> Constraint:
    rows: list[ConstraintRow] = []
    indices: list[int] = []
    for i, fact in enumerate(facts):
        if not _verify_row(both.labels[i], fact, statement, findings):
            continue
        rows.append(
            ConstraintRow(
                constraint=statement.name,
                label=both.labels[i],
                residual=residual[i],
                level="velocity" if fact.has_velocity else "position",
                linear=fact.is_linear,
                multiplier=multiplier + len(rows),
                span=statement.span,
            )
        )
        indices.append(i)
    if any(fact.has_acceleration for fact in facts):
        findings.add(complaints.acceleration_in("constraint", statement.name, statement.span))
    # That a row of a part vanishes where the part is used is no mistake of whoever uses it.
    if all(fact.is_zero for fact in facts) and "." not in statement.name:
        findings.add(complaints.constrains_nothing(statement.name, statement.span))
    elif statement.qualifier == "nonholonomic" and rows and all(row.level == "position" for row in rows):
        findings.add(complaints.not_nonholonomic(statement.name, statement.span))
    return Constraint(
        name=statement.name,
        size=len(both.labels),
        scalar=both.shape == (),
        rows=tuple(rows),
        row_indices=tuple(indices),
        span=statement.span,
        qualifier=statement.qualifier,
    )


def _verify_row(label: str, fact: RowFacts, statement: statements.Constraint[Expr], findings: Findings) -> bool:
    """Whether a row stays; says why not."""
    if fact.is_zero:
        findings.add(complaints.row_dropped(label, statement.span))
    elif fact.constant is not None:
        findings.add(complaints.cannot_hold(label, fact.constant, statement.span))
    elif not (fact.has_velocity or fact.has_position):
        findings.add(complaints.no_motion_in_row(label, statement.span))
    else:
        return True
    return False


# --- servos --------------------------------------------------------------------------------------


def lower_servos(
    declared: tuple[statements.Servo[Expr], ...], evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[Servo, ...]:
    """All servos: rows at position or velocity level and the inputs that keep them."""
    result = []
    for statement in declared:
        with findings.collect():
            result.append(_servo(statement, evaluator, layout))
    return tuple(result)


def _servo(statement: statements.Servo[Expr], evaluator: Evaluator, layout: Layout) -> Servo:
    both = sides(evaluator, statement.name, statement.left, statement.right)
    inputs = tuple(place for e in statement.inputs for place in _input_places(statement, e, layout))
    if len(inputs) != len(both.labels):
        complaint = complaints.servo_count(statement.name, len(both.labels), len(inputs), statement.span)
        raise ModelError([complaint])
    rate = None if statement.rate is None else evaluator.value(statement.rate)
    residual = both.residual
    facts = row_facts(residual, both.scale, layout.symbols, evaluator.relations.bits)
    if any(fact.has_acceleration for fact in facts):
        raise ModelError([complaints.acceleration_in("servo", statement.name, statement.span)])
    rows = tuple(
        ServoRow(statement.name, label, row, int(fact.has_velocity), rate, statement.span)
        for label, row, fact in zip(both.labels, ca.vertsplit(residual), facts, strict=True)
    )
    return Servo(statement.name, rows, inputs, statement.span)


def _input_places(statement: statements.Servo[Expr], target: Expr, layout: Layout) -> tuple[int, ...]:
    for group in layout.inputs:
        places = element_places(target, group.name, group.shape, group.elements.start)
        if places is not None:
            return places
    raise ModelError([complaints.servo_target(statement.name, statement.span)])


def element_places(target: Expr, name: str, shape: tuple[int, ...], start: int) -> tuple[int, ...] | None:
    """The places in a symbol column of a variable or a part of it; None where it is another variable."""
    match target:
        case Variable(name=found) if found == name:
            subscripts: tuple[int | tuple[int, ...], ...] = tuple(tuple(range(extent)) for extent in shape)
        case Element(base=Variable(name=found), subscripts=given) if found == name:
            subscripts = given
        case _:
            return None
    size = 1
    for extent in shape:
        size *= extent
    numbers = unflatten(ca.SX(ca.DM(list(range(start, start + size)))), shape)
    part = select(numbers, shape, subscripts) if shape else numbers
    return tuple(int(x) for x in ca.DM(flatten(part)).full().ravel())


# --- reactions -----------------------------------------------------------------------------------


@frozen
class Acting:
    """What a reaction stands for: its value, and the rows that push with what multiplier, by level."""

    value: ca.SX
    pushing: dict[Level, tuple[ca.SX, ca.SX]]


class ReactionTable:
    """Values of `reaction(c)` and `reaction(c, x)` in the multipliers of constraint rows, limits and frictions.

    M·a = Q + Aᵀ·multipliers; on a coordinate the force is that coordinate's part of Aᵀ·multipliers.
    """

    def __init__(self, acting: dict[str, Acting], layout: Layout) -> None:
        self._acting = acting
        self._coordinates = {c.name: c for c in layout.coordinates}
        self._symbols = layout.symbols

    def __call__(self, node: Reaction) -> ca.SX:
        """The value a reaction stands for."""
        acting = self._acting.get(node.label)
        if acting is None:
            raise ModelError([complaints.reaction_lost(node.label, node.span)])
        return acting.value if node.coordinate is None else self._on_coordinate(acting, node.coordinate)

    def _on_coordinate(self, acting: Acting, target: Expr) -> ca.SX:
        variable = target.base if isinstance(target, Element) else target
        assert isinstance(variable, Variable)
        coordinate = self._coordinates[variable.name]
        force = self._force(acting, coordinate)
        if coordinate.is_rotation:
            return force
        value = unflatten(force, coordinate.shape)
        return select(value, coordinate.shape, target.subscripts) if isinstance(target, Element) else value

    def _force(self, acting: Acting, coordinate: Coordinate) -> ca.SX:
        """This coordinate's part of Aᵀ·multipliers, in terms of its velocities."""
        symbols = self._symbols
        q, v = symbols.q[coordinate.q], symbols.v[coordinate.v]
        force = zeros((v.numel(),))
        if "position" in acting.pushing:
            turned = ca.densify(ca.jtimes(acting.pushing["position"][0], q, acting.pushing["position"][1], True))
            if coordinate.is_rotation:
                turned = ca.jtimes(parameter_rates(q, v), v, turned, True)
            force = force + turned
        if "velocity" in acting.pushing:
            force = force + ca.densify(ca.jtimes(acting.pushing["velocity"][0], v, acting.pushing["velocity"][1], True))
        return force


def acting_constraint(constraint: Constraint, multipliers: ca.SX) -> Acting:
    """The multipliers of a constraint's rows; 0 for a row that was dropped."""
    values = [ca.SX(0)] * constraint.size
    for place, row in zip(constraint.row_indices, constraint.rows, strict=True):
        values[place] = multipliers[row.multiplier]
    pushing: dict[Level, tuple[ca.SX, ca.SX]] = {}
    for level in LEVELS:
        rows = [row for row in constraint.rows if row.level == level]
        if rows:
            residuals = ca.vertcat(*(row.residual for row in rows))
            pushing[level] = residuals, ca.vertcat(*(multipliers[row.multiplier] for row in rows))
    return Acting(ca.vertcat(*values), pushing)


def acting_limit(limit: Limit, contacts: ca.SX) -> Acting:
    """The force along what is limited: positive at the lower bound, negative at the upper one."""
    signs = [1 if side == "lower" else -1 for side in limit.sides]
    forces = [contacts[place] for place in limit.places]
    value = sum((sign * force for sign, force in zip(signs, forces, strict=True)), ca.SX(0))
    assert limit.level is not None
    return Acting(value, {limit.level: (ca.vertcat(*limit.gaps), ca.vertcat(*forces))})


def acting_friction(flow: ca.SX, places: slice, contacts: ca.SX) -> Acting:
    """The force along a friction's flow."""
    return Acting(contacts[places], {"velocity": (flow, contacts[places])})
