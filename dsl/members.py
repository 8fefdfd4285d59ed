"""Members of instances and records as values, and values as plain expressions."""

from __future__ import annotations

import math
from typing import cast

from . import complaints_flatten as complain
from . import flat
from .context import Context
from .instances import (
    ArrayMember,
    BrokenMember,
    Family,
    Instance,
    Loops,
    Many,
    Member,
    OuterMember,
    RecordValue,
    Value,
    VariableMember,
)
from .nearest import closest
from .source import Span


def value_of(context: Context, item: Value | Member, span: Span, loops: Loops = ()) -> Value:
    """What a mention of a member at `span` stands for; `loops` are those around the mention."""
    match item:
        case VariableMember():
            context.used.add(item.name)
            return flat.Variable(item.name, span=span)
        case ArrayMember():
            return item.items.get() or flat.Poison(span=span)
        case OuterMember():
            return value_of(context, item.target.get(), span)
        case BrokenMember():
            return flat.Poison(span=span)
        case Family():
            return _of_family(context, item, span, loops)
        case _:
            return item


def own_round(family: Family, loops: Loops) -> Member | None:
    """The member that the round of the loops around a mention made, None outside of these loops."""
    for depth in range(len(loops), 0, -1):
        around = loops[:depth]
        found = family.items.get(tuple([value for _, key in around for value in key]))
        if found is not None and _same(found[0], around):
            return found[1]
    return None


def _same(a: Loops, b: Loops) -> bool:
    return len(a) == len(b) and all(x is y and i == j for (x, i), (y, j) in zip(a, b, strict=True))


def _of_family(context: Context, family: Family, span: Span, loops: Loops) -> Value:
    own = own_round(family, loops)
    if own is not None:
        return value_of(context, own, span)
    keys = sorted(family.items)
    extents = tuple(max(key[d] for key in keys) for d in range(len(keys[0])))
    complete = all(len(key) == len(extents) and min(key) >= 1 for key in keys)
    if not complete or len(keys) != math.prod(extents):
        return context.poison(complain.ragged_family(span, family.span), span)
    return Many(extents, tuple([family.items[key][1] for key in keys]))


def member_of(context: Context, value: Value, name: str, span: Span) -> Value:
    """`value.name`; for an array of components the array of their members."""
    match value:
        case Instance():
            return _of_instance(context, value, name, span)
        case RecordValue():
            if name in value.fields:
                return value.fields[name]
            close = closest(name, value.fields)
            return context.poison(complain.unknown_member(span, name, value.name, close, None), span)
        case Many():
            items = [member_of(context, value_of(context, item, span), name, span) for item in value.items]
            return Many(value.extents, tuple(items))
        case flat.Poison():
            return value
        case _:
            return context.poison(complain.no_members(span, name), span)


def _of_instance(context: Context, instance: Instance, name: str, span: Span) -> Value:
    context.open(context, instance)
    member = instance.layer.find(name)
    if member is not None:
        return value_of(context, member, span)
    if instance.layer.is_incomplete():
        return flat.Poison(span=span)
    close = closest(name, member_names(instance))
    declared = instance.layer.find(close) if close else None
    return context.poison(
        complain.unknown_member(span, name, instance.cls.name, close, declared.span if declared else None),
        span,
    )


def member_names(instance: Instance) -> list[str]:
    """All members of an instance, those of its class first."""
    return [name for layer in instance.layer.all() for name in layer.members]


def as_plain(context: Context, value: object, span: Span) -> flat.Expr:
    """A value as one expression: arrays of variables are put together, components complained about."""
    match value:
        case Many():
            return flat.Array(tuple(_plain_items(context, value, span)), span=span)
        case Instance():
            what = complain.component(value.path or value.cls.name, value.cls.name)
            return context.poison(complain.not_a_value(span, what, list(value.layer.members)), span)
        case RecordValue():
            what = complain.record(value.name)
            return context.poison(complain.not_a_value(span, what, list(value.fields)), span)
        case _:
            return cast(flat.Expr, value)


def _plain_items(context: Context, many: Many, span: Span) -> list[flat.Expr]:
    context.spend(span, len(many.items))
    if len(many.extents) <= 1:
        return [as_plain(context, value_of(context, item, span), span) for item in many.items]
    stride = math.prod(many.extents[1:])
    rows = [many.items[i * stride : (i + 1) * stride] for i in range(many.extents[0])]
    return [as_plain(context, Many(many.extents[1:], row), span) for row in rows]
