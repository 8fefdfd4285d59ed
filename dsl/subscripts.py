"""Indices and slices: `x[2]`, `p[i, :]`, `x[1:end]`, `link[3].frame`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from . import complaints_flatten as complain
from . import flat, syntax
from .constants import fixed_value, int_or_none
from .context import Context
from .instances import Family, Instance, Many, RecordValue, Scope, Value
from .lazy import Lazy
from .members import own_round, value_of
from .shapes import shape_of
from .source import Span

Selection: TypeAlias = int | tuple[int, ...] | None
"""One index, several, or all of a dimension; counted from 1."""


def bind_subscript(context: Context, node: syntax.Subscript, scope: Scope) -> Value:
    """The part of a value that subscripts select."""
    family = _family(context, node.base, scope)
    if family is not None:
        own = own_round(family, scope.loops)
        if own is None or _rank(context, value_of(context, own, node.span)) < len(node.subscripts):
            return _in_family(context, family, node, scope)
        return select(context, value_of(context, own, node.span), node, scope)
    return select(context, context.bind(context, node.base, scope), node, scope)


def select(context: Context, value: Value, node: syntax.Subscript, scope: Scope) -> Value:
    """The part of a known value."""
    if isinstance(value, flat.Poison):
        return value
    if isinstance(value, (Instance, RecordValue)):
        return context.poison(complain.not_an_array(node.span, node.base.span.text), node.span)
    extents = extents_of(context, value)
    count = len(node.subscripts)
    if extents is not None and count > len(extents):
        return context.poison(
            complain.too_many_subscripts(node.span, node.base.span.text, len(extents), count), node.span
        )
    selections: list[Selection] = []
    for position, subscript in enumerate(node.subscripts):
        extent = extents[position] if extents is not None else None
        chosen = _selection(context, subscript, node, position, extent, scope)
        if isinstance(chosen, flat.Poison):
            return chosen
        selections.append(chosen)
    return take(context, value, tuple(selections), node.span)


def extents_of(context: Context, value: Value) -> tuple[int, ...] | None:
    """The sizes of a value, of an array of components with those of its items; None where not known."""
    if isinstance(value, Many):
        if not value.items:
            return value.extents
        inner = value_of(context, value.items[0], _span_of(value))
        below = () if isinstance(inner, (Instance, RecordValue)) else extents_of(context, inner)
        return None if below is None else (*value.extents, *below)
    if isinstance(value, (Instance, RecordValue)):
        return ()
    return shape_of(context, value)


def take(context: Context, value: Value, selections: tuple[Selection, ...], span: Span) -> Value:
    """The part of a value whose sizes were found to allow the selections."""
    if not selections or (not isinstance(value, Many) and all(s is None for s in selections)):
        return value
    if isinstance(value, Many):
        return _take_items(context, value, selections, span)
    if isinstance(value, (Instance, RecordValue, flat.Poison)):
        return value
    first = selections[0]
    if isinstance(value, flat.Array) and isinstance(first, int) and first <= len(value.items):
        return take(context, value.items[first - 1], selections[1:], span)
    context.spend(span)
    return flat.Element(value, selections, span=span)


def _take_items(context: Context, many: Many, selections: tuple[Selection, ...], span: Span) -> Value:
    own = selections[: len(many.extents)]
    own += (None,) * (len(many.extents) - len(own))
    rest = selections[len(many.extents) :]
    choices = [
        range(1, extent + 1) if s is None else (s,) if isinstance(s, int) else s
        for s, extent in zip(own, many.extents, strict=True)
    ]
    count = math.prod(len(c) for c in choices)
    context.spend(span, count)
    offsets = [0]
    for choice, extent in zip(choices, many.extents, strict=True):
        offsets = [offset * extent + i - 1 for offset in offsets for i in choice]
    items = [take(context, value_of(context, many.items[o], span), rest, span) for o in offsets]
    kept = tuple(len(c) for c, s in zip(choices, own, strict=True) if not isinstance(s, int))
    return Many(kept, tuple(items)) if kept else items[0]


# --- one subscript ---------------------------------------------------------------------------


def _selection(
    context: Context,
    subscript: syntax.Expr,
    node: syntax.Subscript,
    position: int,
    extent: int | None,
    scope: Scope,
    last: Callable[[], int] | None = None,
) -> Selection | flat.Poison:
    if isinstance(subscript, syntax.Whole):
        return None
    if not isinstance(subscript, (syntax.Number, syntax.Name)):
        end = Lazy(lambda: _last(last() if last is not None else extent, subscript.span))
        scope = scope.with_locals({"end": end})
    value = fixed_value(context, subscript, scope, f"an index of `{node.base.span.text}`")
    if value is None:
        return flat.Poison(span=subscript.span)
    chosen = value if isinstance(value, tuple) else (value,)
    indices = [int_or_none(v) for v in chosen]
    if any(i is None or i != v or isinstance(v, bool) for i, v in zip(indices, chosen, strict=True)):
        return context.poison(complain.not_an_index(subscript.span, value), subscript.span)
    whole = tuple([i for i in indices if i is not None])
    if any(i < 1 or (extent is not None and i > extent) for i in whole):
        wrong = next(i for i in whole if i < 1 or (extent is not None and i > extent))
        text = node.base.span.text
        return context.poison(
            complain.index_out_of_range(subscript.span, text, wrong, extent, position), subscript.span
        )
    return whole if isinstance(value, tuple) else whole[0]


def _last(extent: int | None, span: Span) -> Value:
    return flat.Poison(span=span) if extent is None else flat.Number(float(extent), span=span)


# --- what loops declare ----------------------------------------------------------------------


def _family(context: Context, base: syntax.Expr, scope: Scope) -> Family | None:
    """The family that a base names, where it names one."""
    member = None
    if isinstance(base, syntax.Name) and scope.layer is not None and base.id not in scope.locals:
        member = scope.layer.find(base.id)
    elif isinstance(base, syntax.Member):
        holder = context.bind(context, base.base, scope)
        if isinstance(holder, Instance):
            context.open(context, holder)
            member = holder.layer.find(base.name)
    return member if isinstance(member, Family) else None


def _in_family(context: Context, family: Family, node: syntax.Subscript, scope: Scope) -> Value:
    depth = len(next(iter(family.items)))
    key: list[int] = []
    for position, subscript in enumerate(node.subscripts[:depth]):
        chosen = _selection(context, subscript, node, position, None, scope, partial(_largest, family, position))
        if isinstance(chosen, flat.Poison):
            return chosen
        if not isinstance(chosen, int):
            return select(context, value_of(context, family, node.span), node, scope)
        key.append(chosen)
    if len(key) < depth:
        return select(context, value_of(context, family, node.span), node, scope)
    found = family.items.get(tuple(key))
    if found is None:
        return context.poison(
            complain.no_such_round(node.span, node.base.span.text, tuple(key), family.span), node.span
        )
    value = value_of(context, found[1], node.span)
    rest = node.subscripts[depth:]
    if not rest:
        return value
    return select(context, value, syntax.Subscript(node.base, rest, span=node.span), scope)


def _largest(family: Family, position: int) -> int:
    return max(key[position] for key in family.items)


def _rank(context: Context, value: Value) -> int:
    extents = extents_of(context, value)
    return 0 if extents is None else len(extents)


def _span_of(many: Many) -> Span:
    first = many.items[0]
    span: Span = getattr(first, "span")  # noqa: B009
    return span
