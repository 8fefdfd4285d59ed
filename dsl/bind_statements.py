"""The statements of an instance over flat expressions, under their full labels."""

from __future__ import annotations

from collections.abc import Sequence

from . import complaints_flatten as complain
from . import flat, statements, syntax
from .constants import fixed_number, fixed_text
from .context import Context
from .expressions import bind_plain
from .instances import Instance, Many, RecordValue, Scope, Stated
from .members import as_plain, member_of
from .nearest import closest
from .records import field, mutable
from .statements import Experiment, Statements

# What a shape is drawn from: the names of its arguments, in order.
SHAPES: dict[str, tuple[str, ...]] = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "disc": ("radius", "width"),
    "line": ("points",),
    "sphere": ("radius",),
    "trail": ("point",),
}
# Shapes that are given by points in the world and sit on no frame.
_WITHOUT_FRAME = ("line", "trail")


@mutable(eq=False)
class Collected:
    """The statements bound so far, each kind in the order its text was met."""

    energies: list[statements.Energy[flat.Expr]] = field(default_factory=list)
    forces: list[statements.Force[flat.Expr]] = field(default_factory=list)
    constraints: list[statements.Constraint[flat.Expr]] = field(default_factory=list)
    servos: list[statements.Servo[flat.Expr]] = field(default_factory=list)
    limits: list[statements.Limit[flat.Expr]] = field(default_factory=list)
    frictions: list[statements.Friction[flat.Expr]] = field(default_factory=list)
    equations: list[statements.Equation[flat.Expr]] = field(default_factory=list)
    whens: list[statements.When[flat.Expr]] = field(default_factory=list)
    asserts: list[statements.Assert[flat.Expr]] = field(default_factory=list)
    visuals: list[statements.Visual[flat.Expr]] = field(default_factory=list)
    experiment: Experiment | None = None

    def frozen(self) -> Statements[flat.Expr]:
        return Statements(
            energies=tuple(self.energies),
            forces=tuple(self.forces),
            constraints=tuple(self.constraints),
            servos=tuple(self.servos),
            limits=tuple(self.limits),
            frictions=tuple(self.frictions),
            equations=tuple(self.equations),
            whens=tuple(self.whens),
            asserts=tuple(self.asserts),
            visuals=tuple(self.visuals),
        )


def bind_statement(context: Context, stated: Stated, into: Collected) -> None:
    """Binds one statement and puts it with those of its kind."""
    scope, name = stated.scope, stated.name

    def plain(expression: syntax.Expr) -> flat.Expr:
        return bind_plain(context, expression, scope)

    def optional(expression: syntax.Expr | None) -> flat.Expr | None:
        return None if expression is None else bind_plain(context, expression, scope)

    match stated.statement:
        case syntax.Energy() as s:
            into.energies.append(
                statements.Energy(kind=s.kind, name=name, value=plain(s.value), span=s.span, description=s.description)
            )
        case syntax.Force() as s:
            into.forces.append(
                statements.Force(
                    name=name,
                    effort=plain(s.effort),
                    flow=plain(s.flow),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.Constraint() as s:
            into.constraints.append(
                statements.Constraint(
                    name=name,
                    qualifier=s.qualifier,
                    left=plain(s.left),
                    right=plain(s.right),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.Servo() as s:
            options = _options(context, s.options, ("rate",), f"servo `{s.name}`", scope)
            into.servos.append(
                statements.Servo(
                    name=name,
                    left=plain(s.left),
                    right=plain(s.right),
                    inputs=tuple([plain(i) for i in s.inputs]),
                    rate=options.get("rate"),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.Limit() as s:
            options = _options(context, s.options, ("restitution",), f"limit `{s.name}`", scope)
            into.limits.append(
                statements.Limit(
                    name=name,
                    lower=optional(s.lower),
                    value=plain(s.value),
                    upper=optional(s.upper),
                    restitution=options.get("restitution"),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.Friction() as s:
            known = ("static", "viscous", "stribeck")
            options = _options(context, s.options, known, f"friction `{s.name}`", scope)
            into.frictions.append(
                statements.Friction(
                    name=name,
                    coefficient=plain(s.coefficient),
                    normal=plain(s.normal),
                    flow=plain(s.flow),
                    options=tuple(options.items()),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.Equation() as s:
            into.equations.append(
                statements.Equation(
                    kind=s.kind,
                    name=name,
                    left=plain(s.left),
                    right=plain(s.right),
                    span=s.span,
                    description=s.description,
                )
            )
        case syntax.When() as s:
            actions = [_action(context, action, scope) for action in s.actions]
            into.whens.append(statements.When(condition=plain(s.condition), actions=tuple(actions), span=s.span))
        case syntax.Assert() as s:
            condition = plain(s.condition)
            message = fixed_text(context, s.message, scope, "the message of an assertion")
            text = "" if message is None else _of_part(message.value, scope)
            claim = statements.Assert(condition=condition, message=text, is_warning=s.is_warning, span=s.span)
            into.asserts.append(claim)
        case syntax.Visual() as s:
            _visual(context, s, scope, into)
        case syntax.Annotation() as s:
            if scope.layer is not None and not scope.layer.instance.path:
                _annotation(context, s, scope, into)
        case syntax.For() | syntax.If():
            raise AssertionError("loops and branches were opened with their instance")


def _of_part(message: str, scope: Scope) -> str:
    """The message of an assertion in a part starts with the part's name: a class may have many."""
    path = scope.layer.instance.path if scope.layer is not None else ""
    return f"`{path}`: {message}" if path else message


def _action(
    context: Context, action: syntax.Reinit | syntax.Terminate, scope: Scope
) -> statements.Reinit[flat.Expr] | statements.Terminate:
    if isinstance(action, syntax.Reinit):
        target = bind_plain(context, action.target, scope)
        return statements.Reinit(target=target, value=bind_plain(context, action.value, scope))
    message = fixed_text(context, action.message, scope, "the reason to terminate")
    return statements.Terminate(message="" if message is None else message.value)


def _options(
    context: Context,
    options: Sequence[syntax.Modification],
    known: tuple[str, ...],
    what: str,
    scope: Scope,
) -> dict[str, flat.Expr]:
    """What stands in the parentheses behind a label."""
    result: dict[str, flat.Expr] = {}
    for option in options:
        name = ".".join(option.path)
        if name not in known:
            context.tell(complain.unknown_option(option.span, name, what, closest(name, known), known))
        elif option.value is None or option.nested or option.final:
            context.tell(complain.option_without_value(option.span, name, what))
        elif name in result:
            context.tell(complain.modified_twice(option.span, name, result[name].span))
        else:
            result[name] = bind_plain(context, option.value, scope)
    return result


# --- visuals ---------------------------------------------------------------------------------


def _visual(context: Context, visual: syntax.Visual, scope: Scope, into: Collected) -> None:
    names = SHAPES.get(visual.shape)
    if names is None:
        close = closest(visual.shape, SHAPES)
        context.tell(complain.unknown_shape(visual.span, visual.shape, close, list(SHAPES)))
        return
    arguments: dict[str, flat.Expr] = {}
    for position, argument in enumerate(visual.arguments):
        name = argument.name or (names[position] if position < len(names) else "")
        if name not in names:
            context.tell(
                complain.unknown_argument(argument.span, visual.shape, name, closest(name, names), list(names))
            )
        elif name in arguments:
            context.tell(complain.argument_twice(argument.span, visual.shape, name, arguments[name].span))
        else:
            arguments[name] = bind_plain(context, argument.value, scope)
    missing = [name for name in names if name not in arguments]
    if missing and len(visual.arguments) < len(names):
        context.tell(complain.missing_argument(visual.span, visual.shape, missing[0], None))
    position_, attitude = _frame(context, visual, scope)
    into.visuals.append(
        statements.Visual(
            shape=visual.shape,
            arguments=tuple(arguments.items()),
            position=position_,
            attitude=attitude,
            span=visual.span,
            description=visual.description,
        )
    )


def _frame(context: Context, visual: syntax.Visual, scope: Scope) -> tuple[flat.Expr | None, flat.Expr | None]:
    """Position and attitude of what a visual is drawn on: a frame, or a point alone."""
    if visual.frame is None:
        if visual.shape not in _WITHOUT_FRAME:
            context.tell(complain.visual_without_frame(visual.span, visual.shape))
        return None, None
    span = visual.frame.span
    if visual.shape in _WITHOUT_FRAME:
        context.tell(complain.visual_needs_no_frame(span, visual.shape))
        return None, None
    value = context.bind(context, visual.frame, scope)
    if not isinstance(value, (Instance, RecordValue)):
        if isinstance(value, Many):
            return context.poison(complain.visual_on_many(span), span), None
        return value, None
    position = as_plain(context, member_of(context, value, "r", span), span)
    return position, as_plain(context, member_of(context, value, "R", span), span)


# --- annotations -----------------------------------------------------------------------------

_EXPERIMENT = ("StopTime", "Interval", "Tolerance")


def _annotation(context: Context, annotation: syntax.Annotation, scope: Scope, into: Collected) -> None:
    for entry in annotation.modifications:
        name = ".".join(entry.path)
        if name != "experiment":
            context.tell(complain.unknown_annotation(entry.span, name, closest(name, ["experiment"])))
            continue
        values: dict[str, float] = {}
        for setting in entry.nested:
            value = _setting(context, setting, scope)
            if value is not None:
                values[setting.path[0]] = value
        # The model's own experiment comes after those of the classes it extends, and holds.
        before = into.experiment or Experiment()
        into.experiment = Experiment(
            values.get("StopTime", before.stop_time),
            values.get("Interval", before.interval),
            values.get("Tolerance", before.tolerance),
        )


def _setting(context: Context, setting: syntax.Modification, scope: Scope) -> float | None:
    name = ".".join(setting.path)
    if name not in _EXPERIMENT:
        context.tell(complain.unknown_annotation(setting.span, name, closest(name, _EXPERIMENT)))
        return None
    if setting.value is None:
        context.tell(complain.option_without_value(setting.span, name, "the experiment"))
        return None
    value = fixed_number(context, setting.value, scope, f"`{name}` of the experiment")
    if value is None:
        return None
    sound = value >= 0 if name == "StopTime" else 0 < value < 1 if name == "Tolerance" else value > 0
    if not sound or value == float("inf"):
        context.tell(complain.experiment_value(setting.value.span, name, value))
        return None
    return value
