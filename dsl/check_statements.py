"""Checks energies, forces, constraints and servos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import complaints_check as say
from . import flat, program, statements
from .check_dimension import Meeting, agree, compact, is_plain, over, spread
from .check_expression import base_variable
from .check_site import adopted, element_text
from .check_uses import Uses
from .check_value import (
    ACCELERATION,
    INPUT,
    MOTION,
    REACTION,
    TIME,
    UNKNOWN,
    UNKNOWN_RATE,
    VELOCITY,
    Dim,
    Value,
    wrong,
)
from .dimension import ENERGY, ONE, POWER, Dimension
from .dimension import TIME as SECOND
from .source import Span

Checked = program.Expr


class Statements:
    """Checks statements one by one; a statement with a mistake still gives one, which no one will use."""

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self._site = uses.expressions.site
        self._servo_of: dict[tuple[str, int], str] = {}

    # --- energies ----------------------------------------------------------------------------

    def energy(self, energy: statements.Energy[flat.Expr]) -> statements.Energy[Checked]:
        """A scalar in joules (of a dissipation in watts), without accelerations or reactions."""
        value = self._uses.use(energy.value)
        what = _energy_text(energy)
        value = self._uses.without(value, what, ACCELERATION, "energy")
        value = self._uses.without(value, what, REACTION | UNKNOWN_RATE, "energy")
        if energy.kind == "potential":
            value = self._uses.without(value, what, VELOCITY, "potential")
        value = self._energy_value(value, what, POWER if energy.kind == "dissipation" else ENERGY)
        self._warn_of_no_effect(energy, value)
        return statements.Energy(
            span=energy.span,
            description=energy.description,
            kind=energy.kind,
            name=energy.name,
            value=value.node,
        )

    def _energy_value(self, value: Value, what: str, dimension: Dimension) -> Value:
        if value.is_wrong or value.kind != "real" or value.shape != ():
            return self._site.fits(value, what, (), (dimension,))
        dim = value.dims[0]
        if isinstance(dim, Dimension) and is_plain(dim):
            # A model of plain numbers: its energies are rates of plain numbers.
            self._site.report(say.energy_number(value.span, what, "J" if dimension == ENERGY else "W"))
        elif isinstance(dim, Dimension) and dim != dimension:
            expected = "an energy (J)" if dimension == ENERGY else "a power (W)"
            return self._site.mistake(say.energy_expected(value.span, what, expected, dim), value)
        return adopted(value, (dimension,))

    def _warn_of_no_effect(self, energy: statements.Energy[flat.Expr], value: Value) -> None:
        """A part may be fixed by whoever uses it: only the whole model's own energies are told."""
        if value.is_wrong or "." in energy.name:
            return
        if energy.kind == "potential" and value.lacks(MOTION):
            self._site.report(say.energy_without(energy.span, energy.kind, energy.name, "coordinate"))
        elif energy.kind != "potential" and value.lacks(VELOCITY):
            self._site.report(say.energy_without(energy.span, energy.kind, energy.name, "velocity"))

    # --- forces ------------------------------------------------------------------------------

    def force(self, force: statements.Force[flat.Expr]) -> statements.Force[Checked]:
        """Effort and flow of one shape whose product is a power; the flow is given as a velocity."""
        effort = self._uses.use(force.effort)
        flow = self._uses.flow(force.flow, "force", force.name)
        if not effort.is_wrong and not flow.is_wrong:
            effort = self._effort(force.name, effort, flow)
        return statements.Force(
            span=force.span,
            description=force.description,
            name=force.name,
            effort=effort.node,
            flow=flow.node,
        )

    def _effort(self, name: str, effort: Value, flow: Value) -> Value:
        site = self._site
        if not site.real(effort):
            return wrong(effort.span)
        shape = flow.shape or ()
        if effort.shape != shape:
            told = say.shapes_differ(
                effort.span, f"force `{name}`: effort and flow must be alike",
                effort.span, effort.shape or (), flow.span, shape,
            )  # fmt: skip
            return site.mistake(told, effort)
        wanted: list[Dim] = []
        told_plain = False
        pairs = zip(spread(effort.dims, flow.size), spread(flow.dims, flow.size), strict=True)
        for place, (given, moving) in enumerate(pairs):
            want = over(POWER, moving)
            wanted.append(want)
            _, quarrel = agree(want, given)
            where = element_text(Meeting((), quarrel, place), shape)
            if quarrel is None:
                continue
            if quarrel == "clash" or (isinstance(want, Dimension) and want.is_one):
                told = say.power_expected(effort.span, name, effort.span, given, flow.span, moving, where)
                return site.mistake(told, effort)
            if not told_plain:
                site.report(say.effort_plain(effort.span, name, want, where))
                told_plain = True
        return adopted(effort, compact(wanted))

    # --- constraints and servos --------------------------------------------------------------

    def constraint(self, constraint: statements.Constraint[flat.Expr]) -> statements.Constraint[Checked]:
        """Two sides of one shape, number or vector, at most of velocities."""
        what = f"constraint `{constraint.name}`"
        left, right = self._uses.sides(constraint.left, constraint.right, what, constraint.span)
        left, right = self._of_velocities(left, right, what, "constraint")
        if not left.is_wrong and not right.is_wrong:
            self._verify_motion(constraint, left, right)
        return statements.Constraint(
            span=constraint.span, description=constraint.description, name=constraint.name,
            qualifier=constraint.qualifier, left=left.node, right=right.node,
        )  # fmt: skip

    def _of_velocities(self, left: Value, right: Value, what: str, code: str) -> tuple[Value, Value]:
        for bits in (ACCELERATION, REACTION):
            left, right = (
                self._uses.without(left, what, bits, code),
                self._uses.without(right, what, bits, code),
            )
        return left, right

    def _verify_motion(self, constraint: statements.Constraint[flat.Expr], left: Value, right: Value) -> None:
        if left.lacks(MOTION) and right.lacks(MOTION):
            self._tell_constant(constraint.span, "constraint", constraint.name, left, right)
        elif constraint.qualifier == "nonholonomic" and left.lacks(VELOCITY) and right.lacks(VELOCITY):
            self._site.report(say.qualifier_wrong(constraint.span, constraint.name))

    def _tell_constant(self, span: Span, kind: str, name: str, left: Value, right: Value) -> None:
        """Sides of constants: it holds, or it cannot. That one in a part holds is no news."""
        moving = left.facts.depends | right.facts.depends
        gaps = None
        if not moving & (TIME | INPUT | UNKNOWN) and left.number is not None and right.number is not None:
            gaps = [a - b for a, b in zip(left.number, right.number, strict=True)]
            sizes = [max(abs(a), abs(b), 1e-9) for a, b in zip(left.number, right.number, strict=True)]
            gaps = [0.0 if abs(gap) <= 1e-9 * size else gap for gap, size in zip(gaps, sizes, strict=True)]
        worst = None if gaps is None else max(gaps, key=abs, default=0.0)
        if worst == 0 and "." in name:
            return
        row = f" of row {gaps.index(worst) + 1}" if gaps and worst and len(gaps) > 1 else ""
        self._site.report(say.constraint_constant(span, kind, name, row, worst))

    def servo(self, servo: statements.Servo[flat.Expr]) -> statements.Servo[Checked]:
        """As a constraint, with as many inputs as rows."""
        what = f"servo `{servo.name}`"
        left, right = self._uses.sides(servo.left, servo.right, what, servo.span)
        left, right = self._of_velocities(left, right, what, "servo")
        if not left.is_wrong and not right.is_wrong and left.lacks(MOTION) and right.lacks(MOTION):
            self._tell_constant(servo.span, "servo", servo.name, left, right)
        inputs = [self._servo_input(servo.name, written) for written in servo.inputs]
        count = sum(value.size for value in inputs)
        sound = not left.is_wrong and not any(value.is_wrong for value in inputs)
        if sound and count != left.size:
            self._site.report(say.servo_count(servo.span, servo.name, left.size, count))
        rate = self._uses.option(servo.rate, f"`rate` of {what}", (ONE / SECOND,))
        return statements.Servo(
            span=servo.span, description=servo.description, name=servo.name, left=left.node, right=right.node,
            inputs=tuple(value.node for value in inputs), rate=rate,
        )  # fmt: skip

    def _servo_input(self, servo: str, written: flat.Expr) -> Value:
        value = self._uses.use(written)
        if value.is_wrong:
            return value
        name = base_variable(value.node)
        declared = self._uses.expressions.declared.get(name)
        if declared is None or declared.kind != "input" or not value.has(INPUT):
            return self._site.mistake(say.servo_input_expected(written.span, servo), value)
        for place in _places_of(value.node, value.size):
            other = self._servo_of.setdefault((name, place), servo)
            if other != servo:
                self._site.report(say.servo_input_twice(written.span, name, other))
                break
        return value


def _energy_text(energy: statements.Energy[flat.Expr]) -> str:
    kinds: dict[Literal["kinetic", "potential", "dissipation"], str] = {
        "kinetic": "kinetic energy", "potential": "potential energy", "dissipation": "dissipation",
    }  # fmt: skip
    label = energy.name.removesuffix(".")
    return f"{kinds[energy.kind]} `{label}`" if label else kinds[energy.kind]


def _places_of(node: program.Expr, size: int) -> Sequence[int]:
    """Which elements of its variable a servo's input is; none where they are not told apart."""
    match node:
        case program.Variable():
            return range(size)
        case program.Element(base=program.Variable(), subscripts=(int() as index,)):
            return (index,)
        case program.Element(base=program.Variable(), subscripts=(tuple() as indices,)):
            return indices
        case _:
            return ()
