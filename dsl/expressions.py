"""Expressions with their names bound: from syntax to flat expressions, in the scope where they are written.

A name that means nothing becomes poison, which raises no second complaint. What can be decided before the
run (a branch, an index, a loop) is decided here.
"""

from __future__ import annotations

import math
from typing import assert_never

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import FUNCTIONS, PUT_IN
from .calls import bind_call
from .constants import quiet_value
from .context import MOST_ELEMENTS, Context
from .diagnostics import Diagnostic
from .instances import Instance, Many, RecordValue, Scope, Value
from .lazy import CircularError, Lazy
from .library import Class, Namespace
from .members import as_plain, member_of, value_of
from .nearest import closest
from .rounds import expand, range_numbers
from .shapes import shape_of
from .source import Span
from .subscripts import bind_subscript
from .units import UnknownUnit, parse_unit
from .untaken import look_over


def bind(context: Context, expression: syntax.Expr, scope: Scope) -> Value:
    """What an expression means in a scope: a flat expression, a component, a record or an array of these."""
    context.spend(expression.span)
    match expression:
        case syntax.Name():
            return _name(context, expression, scope)
        case syntax.Number():
            return _number(context, expression, 1.0)
        case syntax.Binary():
            return _binary(context, expression, scope)
        case syntax.Member():
            return _member(context, expression, scope)
        case syntax.Subscript():
            return bind_subscript(context, expression, scope)
        case syntax.Call():
            return bind_call(context, expression, scope)
        case syntax.Unary():
            return _unary(context, expression, scope)
        case syntax.Array():
            return _array(context, [bind(context, item, scope) for item in expression.items], expression.span)
        case syntax.Comprehension():
            if len(expression.iterators) > 1:
                return context.poison(complain.nested_comprehension(expression.span), expression.span)
            values = expand(context, expression, scope)
            return flat.Poison(span=expression.span) if values is None else _array(context, values, expression.span)
        case syntax.Conditional():
            return _conditional(context, expression, scope)
        case syntax.Matrix():
            return _matrix(context, expression, scope)
        case syntax.Range():
            return _range(context, expression, scope)
        case syntax.Truth():
            return flat.Truth(expression.value, span=expression.span)
        case syntax.Text():
            return flat.Text(expression.value, span=expression.span)
        case syntax.End():
            last = scope.locals.get("end")
            if last is None:
                return flat.Poison(span=expression.span)  # told while parsing
            return last.get() if isinstance(last, Lazy) else last
        case syntax.Whole():
            return context.poison(complain.misplaced_colon(expression.span), expression.span)
    assert_never(expression)


def bind_plain(context: Context, expression: syntax.Expr, scope: Scope) -> flat.Expr:
    """As `bind`, where a component or a record cannot stand."""
    return as_plain(context, bind(context, expression, scope), expression.span)


# --- names -----------------------------------------------------------------------------------


def _name(context: Context, name: syntax.Name, scope: Scope) -> Value:
    local = scope.locals.get(name.id)
    if local is not None:
        return _local(context, local, name) if isinstance(local, Lazy) else local
    if scope.layer is not None:
        member = scope.layer.find(name.id)
        if member is not None:
            return value_of(context, member, name.span, scope.loops)
    if name.id == "time":
        return flat.Time(span=name.span)
    if name.id == "pi":
        return flat.Number(math.pi, span=name.span)
    return _unknown(context, name, scope)


def _local(context: Context, local: Lazy[Value], name: syntax.Name) -> Value:
    try:
        return local.get()
    except CircularError:
        return context.poison(complain.cyclic_local(name.span, name.id), name.span)


def _unknown(context: Context, name: syntax.Name, scope: Scope) -> flat.Poison:
    layer = scope.layer
    if scope.namespace.hides(name.id):
        return flat.Poison(span=name.span)
    if layer is not None:
        if name.id in layer.absent:
            return context.poison(complain.absent(name.span, name.id, layer.absent[name.id]), name.span)
        if layer.is_incomplete():
            return flat.Poison(span=name.span)
    entry = scope.namespace.find(name.id)
    if entry is not None or name.id in FUNCTIONS | PUT_IN:
        kind = "function" if entry is None else "file" if isinstance(entry, Namespace) else "type"
        if isinstance(entry, Class):
            kind = entry.definition.kind
        return context.poison(complain.class_as_value(name.span, name.id, kind), name.span)
    if layer is not None and layer.labelled(name.id):
        label = next(iter(layer.labelled(name.id).values()))
        return context.poison(complain.label_as_value(name.span, name.id, label.what, label.span), name.span)
    return context.poison(_unknown_name(name, scope), name.span)


def _unknown_name(name: syntax.Name, scope: Scope) -> Diagnostic:
    layers = scope.layer.all() if scope.layer is not None else []
    members = [n for layer in layers for n in layer.members]
    locals_ = [n for n in scope.locals if n != "end"]
    close = closest(name.id, [*locals_, *members, "time", "pi"])
    declared = scope.layer.find(close) if close and scope.layer is not None else None
    outside = _declared_around(scope.namespace, name.id)
    place = declared.span if declared is not None else None
    return complain.unknown_name(name.span, name.id, close, place, outside)


def _declared_around(namespace: Namespace, name: str) -> str | None:
    """The class around a text that declares a name the text cannot see."""
    place: Namespace | None = namespace.parent
    while place is not None:
        elements = place.definition.elements if place.definition is not None else ()
        for element in elements:
            if isinstance(element, syntax.Declaration) and any(d.name == name for d in element.declarators):
                return place.name
        place = place.parent
    return None


def _member(context: Context, node: syntax.Member, scope: Scope) -> Value:
    root: syntax.Expr = node
    while isinstance(root, (syntax.Member, syntax.Subscript)):
        root = root.base
    if isinstance(root, syntax.Name) and root.id not in scope.locals:
        known = scope.layer is not None and scope.layer.find(root.id) is not None
        entry = None if known else scope.namespace.find(root.id)
        if entry is not None and (scope.layer is None or not scope.layer.is_incomplete()):
            return context.poison(complain.member_of_class(node.span, root.id), node.span)
    return member_of(context, bind(context, node.base, scope), node.name, node.span)


# --- numbers ---------------------------------------------------------------------------------


def _number(context: Context, node: syntax.Number, sign: float) -> flat.Expr:
    if node.unit is None:
        return flat.Number(sign * node.value, span=node.span)
    try:
        unit = parse_unit(node.unit)
    except UnknownUnit as reason:
        return context.poison(complain.unknown_unit(node.span, str(reason), reason.suggestions), node.span)
    return flat.Number(unit.to_si(sign * node.value), unit.dimension, span=node.span)


def _unary(context: Context, node: syntax.Unary, scope: Scope) -> flat.Expr:
    if node.operator == "-" and isinstance(node.operand, syntax.Number) and node.operand.unit is not None:
        # -5[degC] is five degrees below zero, not the negative of 278.15 K.
        return _number(context, node.operand, -1.0)
    operand = bind_plain(context, node.operand, scope)
    operator = node.operator
    return operand if operator == "+" else flat.Unary(operator, operand, span=node.span)


def _binary(context: Context, node: syntax.Binary, scope: Scope) -> flat.Expr:
    left = bind_plain(context, node.left, scope)
    right = bind_plain(context, node.right, scope)
    return flat.Binary(node.operator, left, right, span=node.span)


# --- choices ---------------------------------------------------------------------------------


def _conditional(context: Context, node: syntax.Conditional, scope: Scope) -> Value:
    condition = bind_plain(context, node.condition, scope)
    decided = quiet_value(context, condition)
    if isinstance(decided, bool):
        chosen, other = (node.then, node.otherwise) if decided else (node.otherwise, node.then)
        if scope.function is None:
            look_over(context, (other,), scope)
        return bind(context, chosen, scope)
    then, otherwise = bind(context, node.then, scope), bind(context, node.otherwise, scope)
    return _either(context, condition, then, otherwise, node.span)


def _either(context: Context, condition: flat.Expr, then: Value, otherwise: Value, span: Span) -> Value:
    """A choice during the run; between two records it is made member by member."""
    if not isinstance(then, (Instance, RecordValue)) or not isinstance(otherwise, (Instance, RecordValue)):
        return flat.Conditional(condition, as_plain(context, then, span), as_plain(context, otherwise, span), span=span)
    fields = {
        name: _either(
            context,
            condition,
            member_of(context, then, name, span),
            member_of(context, otherwise, name, span),
            span,
        )
        for name in _names(context, then)
    }
    return RecordValue(then.name if isinstance(then, RecordValue) else then.cls.name, fields)


def _names(context: Context, value: Instance | RecordValue) -> list[str]:
    if isinstance(value, RecordValue):
        return list(value.fields)
    context.open(context, value)
    return [name for layer in value.layer.all() for name in layer.members]


# --- arrays ----------------------------------------------------------------------------------


def _array(context: Context, items: list[Value], span: Span) -> Value:
    if any(isinstance(item, (Instance, RecordValue)) for item in items):
        return Many((len(items),), tuple(items))
    plain = tuple([as_plain(context, item, span) for item in items])
    array = flat.Array(plain, span=span)
    shape = shape_of(context, array)
    if shape is not None and math.prod(shape) > MOST_ELEMENTS:
        return context.poison(complain.too_large(span, "this array", MOST_ELEMENTS), span)
    return array


def _matrix(context: Context, node: syntax.Matrix, scope: Scope) -> flat.Expr:
    rows: list[flat.Expr] = []
    for row in node.rows:
        items = [bind_plain(context, item, scope) for item in row]
        for entry, item in zip(row, items, strict=True):
            if shape_of(context, item):
                return context.poison(complain.block_in_matrix(entry.span), node.span)
        rows.append(flat.Array(tuple(items), span=row[0].span.to(row[-1].span)))
    return flat.Array(tuple(rows), span=node.span)


def _range(context: Context, node: syntax.Range, scope: Scope) -> flat.Expr:
    numbers = range_numbers(context, node, scope, "a range")
    if numbers is None:
        return flat.Poison(span=node.span)
    context.spend(node.span, len(numbers))
    return flat.Array(tuple([flat.Number(x, span=node.span) for x in numbers]), span=node.span)
