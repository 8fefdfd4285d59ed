"""Modifications: what the parentheses behind a name change, and which of several changes holds."""

from __future__ import annotations

from collections.abc import Iterable

from . import complaints_flatten as complain
from . import flat, syntax
from .context import Context
from .instances import Change, Modifier, Modifiers, Scope, Value, Written
from .lazy import Lazy
from .members import as_plain, member_of
from .shapes import shape_of
from .source import Span
from .subscripts import take


def written(context: Context, expression: syntax.Expr, scope: Scope) -> Written:
    """A right-hand side to be bound where it is written, once, when it is first needed."""
    return Written(expression, Lazy(lambda: context.bind(context, expression, scope)))


def changes(
    context: Context, modifications: Iterable[syntax.Modification], scope: Scope, final: bool = False
) -> dict[str, Change]:
    """What the parentheses behind a name say, by the first part of each dotted name."""
    result: dict[str, Change] = {}
    for modification in modifications:
        _add(context, result, modification, scope, final)
    return result


def _add(
    context: Context, into: dict[str, Change], modification: syntax.Modification, scope: Scope, final: bool
) -> None:
    place = into
    for name in modification.path[:-1]:
        place = place.setdefault(name, Change(modification.span)).children
    change = place.setdefault(modification.path[-1], Change(modification.span))
    change.final = change.final or modification.final or final
    if modification.value is not None:
        if change.written is not None:
            name = ".".join(modification.path)
            context.tell(complain.modified_twice(modification.span, name, change.written.span))
        change.written = written(context, modification.value, scope)
        change.span = modification.span
    for nested in modification.nested:
        _add(context, change.children, nested, scope, change.final)


def reaching(modifiers: Modifiers, name: str) -> list[Modifier]:
    """The modifiers that reach a member, strongest first."""
    return [below for modifier in modifiers for below in modifier.reaching(name)]


def holding(context: Context, name: str, modifiers: Modifiers, owner: str) -> Modifier | None:
    """The modifier whose value holds; a stronger one over a final one is complained about."""
    winner = next((m for m in modifiers if m.change.written is not None), None)
    if winner is None:
        return None
    for position in range(len(modifiers) - 1, 0, -1):
        if not modifiers[position].change.final:
            continue
        for stronger in modifiers[:position]:
            if stronger.change.written is not None:
                place = modifiers[position].change.span
                context.tell(complain.final_set(stronger.change.span, name, owner, place))
                return modifiers[position] if modifiers[position].change.written is not None else None
    return winner


def attribute_modifier(context: Context, name: str, modifiers: Modifiers, variable: str) -> Modifier | None:
    """The change of an attribute that holds, strongest first."""
    reached = tuple(
        Modifier(m.change.children[name], (), m.indices, m.extents)
        for m in modifiers
        if not m.through and name in m.change.children
    )
    return holding(context, f"{variable}.{name}", reached, "") if reached else None


def given_value(context: Context, modifier: Modifier, rank: int) -> flat.Expr:
    """The value that a modifier gives to a variable or attribute with `rank` dimensions.

    A value with more dimensions goes to the elements of the array of components one by one.
    """
    whole = _followed(context, modifier)
    shape = shape_of(context, whole)
    if shape is None or not modifier.indices or len(shape) <= rank:
        return whole
    surplus = len(shape) - rank
    if surplus > len(modifier.indices):
        return whole
    extents = modifier.extents[-surplus:]
    if shape[:surplus] != extents:
        span = modifier.change.span
        return context.poison(complain.modifier_shape(span, shape[:surplus], extents), span)
    picked = take(context, whole, modifier.indices[-surplus:], whole.span)
    return as_plain(context, picked, whole.span)


def _followed(context: Context, modifier: Modifier) -> flat.Expr:
    """The value as written, or the member of it that is meant; worked out once for a whole array."""
    change = modifier.change
    assert change.written is not None
    known = change.picked.get(modifier.through)
    if known is None:
        span = change.written.span
        value = change.written.value.get()
        for name in modifier.through:
            value = _inside(context, value, name, span)
        known = change.picked[modifier.through] = as_plain(context, value, span)
    return known


def _inside(context: Context, value: Value, name: str, span: Span) -> Value:
    from .instances import Instance, Many, RecordValue

    if isinstance(value, (Instance, Many, RecordValue, flat.Poison)):
        return member_of(context, value, name, span)
    return context.poison(complain.record_wanted(span), span)
