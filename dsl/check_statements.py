"""Checks the statements of mechanics: energies, forces, constraints, servos, limits, frictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import complaints_check as say
from . import flat, program, statements
from .check_dimension import Meeting, agree, compact, is_plain, over, spread, times
from .check_expression import Expressions, base_variable
from .check_site import adopted, element_text, fitted
from .check_value import (
    ACCELERATION,
    INPUT,
    MOTION,
    PARAMETER,
    REACTION,
    TIME,
    UNKNOWN,
    UNKNOWN_RATE,
    VELOCITY,
    Dim,
    Dims,
    Shape,
    Soft,
    Value,
    wrong,
)
from .dimension import ENERGY, ONE, POWER, Dimension
from .dimension import TIME as SECOND
from .functions import angular_velocity, rate_of
from .source import Span

_HIGHEST_SIDE_RANK = 1
_ROTATION: Shape = (3, 3)

Checked = program.Expr


class Statements:
    """Checks statements one by one; a statement with a mistake still gives one, which no one will use."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._site = expressions.site
        self._servo_of: dict[tuple[str, int], str] = {}

    # --- energies ----------------------------------------------------------------------------

    def energy(self, energy: statements.Energy[flat.Expr]) -> statements.Energy[Checked]:
        """A scalar in joules (of a dissipation in watts), without accelerations or reactions."""
        value = self.use(energy.value)
        what = _energy_text(energy)
        value = self.without(value, what, ACCELERATION, "energy")
        value = self.without(value, what, REACTION | UNKNOWN_RATE, "energy")
        if energy.kind == "potential":
            value = self.without(value, what, VELOCITY, "potential")
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
        effort = self.use(force.effort)
        flow = self.flow(force.flow, "force", force.name)
        if not effort.is_wrong and not flow.is_wrong:
            effort = self._effort(force.name, effort, flow)
        return statements.Force(
            span=force.span,
            description=force.description,
            name=force.name,
            effort=effort.node,
            flow=flow.node,
        )

    def flow(self, written: flat.Expr, kind: str, name: str) -> Value:
        """A velocity expression: configuration expressions and attitudes stand for their rates."""
        flow = self.use(written)
        what = f"the flow of {kind} `{name}`"
        flow = self.without(flow, what, ACCELERATION | REACTION, "flow")
        if flow.is_wrong or not self._site.real(flow):
            return wrong(flow.span)
        if flow.lacks(MOTION):
            self._site.report(say.flow_without_motion(flow.span, kind, name))
        if flow.shape == _ROTATION and flow.rotation:
            return angular_velocity(self._site, flow, flow.span)
        if len(flow.shape or ()) > _HIGHEST_SIDE_RANK:
            told = say.shape_expected(flow.span, what, "a number, a vector or a Rotation", flow.shape or ())
            return self._site.mistake(told, flow)
        return flow if flow.has(VELOCITY) else rate_of(self._site, flow, flow.span)

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
        left, right = self.sides(constraint.left, constraint.right, what, constraint.span)
        left, right = self._of_velocities(left, right, what, "constraint")
        if not left.is_wrong and not right.is_wrong:
            self._verify_motion(constraint, left, right)
        return statements.Constraint(
            span=constraint.span, description=constraint.description, name=constraint.name,
            qualifier=constraint.qualifier, left=left.node, right=right.node,
        )  # fmt: skip

    def _of_velocities(self, left: Value, right: Value, what: str, code: str) -> tuple[Value, Value]:
        for bits in (ACCELERATION, REACTION):
            left, right = self.without(left, what, bits, code), self.without(right, what, bits, code)
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
        left, right = self.sides(servo.left, servo.right, what, servo.span)
        left, right = self._of_velocities(left, right, what, "servo")
        if not left.is_wrong and not right.is_wrong and left.lacks(MOTION) and right.lacks(MOTION):
            self._tell_constant(servo.span, "servo", servo.name, left, right)
        inputs = [self._servo_input(servo.name, written) for written in servo.inputs]
        count = sum(value.size for value in inputs)
        sound = not left.is_wrong and not any(value.is_wrong for value in inputs)
        if sound and count != left.size:
            self._site.report(say.servo_count(servo.span, servo.name, left.size, count))
        rate = self.option(servo.rate, f"`rate` of {what}", (ONE / SECOND,))
        return statements.Servo(
            span=servo.span, description=servo.description, name=servo.name, left=left.node, right=right.node,
            inputs=tuple(value.node for value in inputs), rate=rate,
        )  # fmt: skip

    def _servo_input(self, servo: str, written: flat.Expr) -> Value:
        value = self.use(written)
        if value.is_wrong:
            return value
        name = base_variable(value.node)
        declared = self._expressions.declared.get(name)
        if declared is None or declared.kind != "input" or not value.has(INPUT):
            return self._site.mistake(say.servo_input_expected(written.span, servo), value)
        for place in _places_of(value.node, value.size):
            other = self._servo_of.setdefault((name, place), servo)
            if other != servo:
                self._site.report(say.servo_input_twice(written.span, name, other))
                break
        return value

    # --- limits and frictions ----------------------------------------------------------------

    def limit(self, limit: statements.Limit[flat.Expr]) -> statements.Limit[Checked]:
        """A number between bounds of its dimension."""
        what = f"limit `{limit.name}`"
        value = self._limited(self.use(limit.value), what)
        bounds: list[Value | None] = []
        for written in (limit.lower, limit.upper):
            bound = None if written is None else self._limited(self.use(written), what)
            if bound is not None and not bound.is_wrong and not value.is_wrong:
                sides = fitted(self._site, limit.span, "compare", bound, value)
                bound, value = (wrong(bound.span), value) if sides is None else sides[:2]
            bounds.append(bound)
        parts = [part for part in (value, *bounds) if part is not None]
        if all(part.lacks(MOTION) for part in parts):
            self._site.report(say.limit_constant(limit.span, limit.name))
        lower, upper = (None if bound is None else bound.node for bound in bounds)
        restitution = self._restitution(limit, what)
        return statements.Limit(
            span=limit.span, description=limit.description, name=limit.name,
            lower=lower, value=value.node, upper=upper, restitution=restitution,
        )  # fmt: skip

    def _limited(self, value: Value, what: str) -> Value:
        value = self.without(value, what, ACCELERATION | REACTION, "limit")
        if value.is_wrong or not self._site.real(value):
            return wrong(value.span)
        if value.shape != ():
            return self._site.mistake(
                say.shape_expected(value.span, f"each part of {what}", (), value.shape or ()), value
            )
        return value

    def _restitution(self, limit: statements.Limit[flat.Expr], what: str) -> Checked | None:
        if limit.restitution is None:
            return None
        value = self.option_value(limit.restitution, f"`restitution` of {what}", (ONE,))
        if value.is_fixed and value.number is not None and not 0 <= value.number[0] <= 1:
            self._site.report(say.restitution_range(value.span, value.number[0]))
        return value.node

    def friction(self, friction: statements.Friction[flat.Expr]) -> statements.Friction[Checked]:
        """Coefficient times normal times flow is a power; the flow is given as a velocity."""
        name, what = friction.name, f"friction `{friction.name}`"
        flow = self.flow(friction.flow, "friction", name)
        coefficient = self._scalar(self.use(friction.coefficient), f"the coefficient of {what}")
        normal = self._scalar(self.use(friction.normal), f"the normal force of {what}")
        flow_dim = flow.dims[0] if len(flow.dims) == 1 else None
        if flow_dim is None:
            self._site.report(say.friction_mixed(friction.span, name))
            flow_dim = Soft.UNKNOWN
        self._verify_friction_power(friction, coefficient, normal, flow_dim)
        options = [
            (option, self._friction_option(option, value, what, flow_dim))
            for option, value in friction.options
        ]
        return statements.Friction(
            span=friction.span, description=friction.description, name=name, coefficient=coefficient.node,
            normal=normal.node, flow=flow.node, options=tuple(options),
        )  # fmt: skip

    def _verify_friction_power(
        self, friction: statements.Friction[flat.Expr], coefficient: Value, normal: Value, flow_dim: Dim
    ) -> None:
        if coefficient.is_wrong or normal.is_wrong:
            return
        effort = times(coefficient.dims[0], normal.dims[0])
        _, quarrel = agree(over(POWER, flow_dim), effort)
        if quarrel == "clash":
            told = say.friction_power(friction.span, friction.name, effort, over(POWER, flow_dim))
            self._site.report(told)
        elif quarrel == "plain":
            told = say.plain_number(
                normal.span, f"the normal force of friction `{friction.name}`", over(POWER, flow_dim), ""
            )
            self._site.report(told)

    def _friction_option(self, option: str, written: flat.Expr, what: str, flow_dim: Dim) -> Checked:
        """`static` is a coefficient, `stribeck` a velocity, `viscous` a force per velocity."""
        dims: dict[str, Dims] = {
            "static": (ONE,), "stribeck": (flow_dim,), "viscous": (over(over(POWER, flow_dim), flow_dim),),
        }  # fmt: skip
        if option not in dims:
            self._site.report(say.unknown_option(written.span, option, what, tuple(dims)))
            return self.use(written).node
        return self.option_value(written, f"`{option}` of {what}", dims[option]).node

    # --- what all share ----------------------------------------------------------------------

    def use(self, written: flat.Expr) -> Value:
        """The value of an expression where it counts: one that is not finite is told now."""
        return self._site.settle_trouble(self._expressions.check(written))

    def sides(
        self, left: flat.Expr, right: flat.Expr, what: str, span: Span, rank: int = 1
    ) -> tuple[Value, Value]:
        """Two sides of one shape and one dimension per row; both wrong, and told, where they do not fit."""
        a, b = self.use(left), self.use(right)
        if a.is_wrong or b.is_wrong:
            return wrong(a.span, a.facts), wrong(b.span, b.facts)
        if not self._site.real(a, b):
            return wrong(a.span), wrong(b.span)
        if a.shape == b.shape and len(a.shape or ()) > rank:
            self._site.report(say.matrix_sides(span, what))
            return wrong(a.span), wrong(b.span)
        found = fitted(self._site, span, "equate", a, b)
        return (wrong(a.span), wrong(b.span)) if found is None else found[:2]

    def without(self, value: Value, what: str, bits: int, place: str) -> Value:
        """The value, where none of the dependences named is in it; else wrong, and told."""
        if value.is_wrong or not value.has(bits):
            return value
        kinds: tuple[tuple[int, str, str, str | None], ...] = (
            (ACCELERATION, "acceleration", "an acceleration", None),
            (REACTION, "reaction", "a reaction", None),
            (
                UNKNOWN_RATE,
                "unknown-rate",
                "the rate of an unknown",
                "use the right-hand side of its equation",
            ),
            (VELOCITY, "velocity", "a velocity", "a potential holds positions; damping is a `dissipation`"),
        )
        _, code, thing, advice = next(kind for kind in kinds if kind[0] & bits and value.has(kind[0]))
        return self._site.mistake(say.misplaced(value.span, f"{code}-in-{place}", thing, what, advice), value)

    def option(self, written: flat.Expr | None, what: str, dims: Dims) -> Checked | None:
        return None if written is None else self.option_value(written, what, dims).node

    def option_value(self, written: flat.Expr, what: str, dims: Dims) -> Value:
        """A number that only parameters may enter."""
        value = self._site.fits(self.use(written), what, (), dims)
        if not value.is_wrong and value.has(~PARAMETER):
            told = say.depends_on(
                value.span, "option-depends", what, "what changes during the run", "parameters and constants"
            )
            return self._site.mistake(told, value)
        return value

    def _scalar(self, value: Value, what: str) -> Value:
        if value.is_wrong or not self._site.real(value):
            return wrong(value.span)
        if value.shape != ():
            return self._site.mistake(say.shape_expected(value.span, what, (), value.shape or ()), value)
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
