"""Labels of statements: `reaction(rod)`, `reaction(wheel.rolling)`, `reaction(sphere[3])`."""

from __future__ import annotations

from . import complaints_flatten as complain
from . import flat, syntax
from .constants import fixed_integer
from .context import Context
from .instances import Instance, Key, Label, Layer, Scope
from .members import as_plain
from .nearest import closest
from .source import Span

# Statements that push: the others have no multiplier.
_PUSHING = ("constraint", "limit", "friction")


def bind_reaction(context: Context, call: syntax.Call, arguments: list[syntax.Expr], scope: Scope) -> flat.Expr:
    """`reaction(c)` or `reaction(c, x)`, the label found."""
    if not 1 <= len(arguments) <= 2:
        return context.poison(complain.argument_count(call.span, "reaction", "1 or 2", len(arguments)), call.span)
    label = _label(context, arguments[0], scope)
    coordinate = None
    if len(arguments) == 2:
        coordinate = as_plain(context, context.bind(context, arguments[1], scope), arguments[1].span)
    if label is None:
        return flat.Poison(span=call.span)
    if label.what not in _PUSHING:
        return context.poison(complain.no_reaction(arguments[0].span, label.name, label.what, label.span), call.span)
    return flat.Reaction(label.name, coordinate, span=call.span)


def _label(context: Context, expression: syntax.Expr, scope: Scope) -> Label | None:
    base = expression
    subscripts: tuple[syntax.Expr, ...] = ()
    if isinstance(expression, syntax.Subscript):
        base, subscripts = expression.base, expression.subscripts
    match base:
        case syntax.Name():
            if scope.layer is None:
                context.tell(complain.reaction_in_function(expression.span))
                return None
            layer, name = scope.layer, base.id
        case syntax.Member():
            holder = context.bind(context, base.base, scope)
            if not isinstance(holder, Instance):
                if not isinstance(holder, flat.Poison):
                    context.tell(complain.label_of_what(expression.span, base.base.span.text))
                return None
            context.open(context, holder)
            layer, name = holder.layer, base.name
        case _:
            context.tell(complain.label_needed(expression.span))
            return None
    family = layer.labelled(name)
    if not family:
        _unknown_label(context, base.span, name, layer)
        return None
    return _one_of(context, family, name, expression.span, subscripts, scope)


def _unknown_label(context: Context, span: Span, name: str, layer: Layer) -> None:
    if layer.is_incomplete():
        return
    known = {n: f for below in layer.all() for n, f in below.labels.items()}
    pushing = [n for n, f in known.items() if next(iter(f.values())).what in _PUSHING]
    close = closest(name, pushing)
    place = next(iter(known[close].values())).span if close else None
    context.tell(complain.unknown_label(span, name, close, place, pushing))


def _one_of(
    context: Context,
    family: dict[Key, Label],
    name: str,
    span: Span,
    subscripts: tuple[syntax.Expr, ...],
    scope: Scope,
) -> Label | None:
    """The statement meant among those that loops made of one label."""
    if subscripts:
        key: list[int] = []
        for subscript in subscripts:
            index = fixed_integer(context, subscript, scope, f"the index of `{name}`")
            if index is None:
                return None
            key.append(index)
        found = family.get(tuple(key))
    else:
        found = family.get(()) or _own_round(family, scope)
    if found is None:
        context.tell(complain.which_label(span, name, [label.name for label in family.values()]))
    return found


def _own_round(family: dict[Key, Label], scope: Scope) -> Label | None:
    for depth in range(len(scope.loops), 0, -1):
        around = scope.loops[:depth]
        found = family.get(tuple([v for _, key in around for v in key]))
        if found is not None and [x for x, _ in found.loops] == [x for x, _ in around]:
            return found
    return None
