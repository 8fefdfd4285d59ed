"""Shapes of flat expressions, as far as they can be told without checking that operands fit.

They are needed where a size is asked for: `x[end]`, `size(x, 1)`, `Real x[:] = e`, a modification that
goes to an array of components. None stands for a shape that is not known or a mistake told elsewhere.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from . import flat
from .context import Context

Shape: TypeAlias = tuple[int, ...]

_FIXED: dict[str, Shape] = {
    "norm": (), "dot": (), "sum": (), "product": (), "min": (), "max": (), "atan2": (), "interpolate": (),
    "cross": (3,), "angularVelocity": (3,), "eulerZYX": (3,), "skew": (3, 3), "rotX": (3, 3), "rotY": (3, 3),
    "rotZ": (3, 3), "rotAxis": (3, 3),
}  # fmt: skip


def shape_of(context: Context, expression: flat.Expr) -> Shape | None:
    """The shape of an expression, () for a scalar."""
    known = context.shapes.get(id(expression))
    if known is not None:
        return known[1]
    shape = _shape(context, expression)
    # The node is kept with its shape: else another node could come to live under the same identity.
    context.shapes[id(expression)] = (expression, shape)
    return shape


def _shape(context: Context, expression: flat.Expr) -> Shape | None:
    match expression:
        case flat.Number() | flat.Truth() | flat.Text() | flat.Time():
            return ()
        case flat.Variable():
            return context.variables[expression.name].shape()
        case flat.Element():
            return _of_element(context, expression)
        case flat.Unary() | flat.Declared():
            return shape_of(context, expression.operand)
        case flat.Binary():
            left, right = shape_of(context, expression.left), shape_of(context, expression.right)
            return _of_binary(expression.operator, left, right)
        case flat.Conditional():
            return shape_of(context, expression.then)
        case flat.Array():
            return _of_array(context, expression)
        case flat.Call():
            return _of_call(context, expression)
        case flat.Table():
            return shape_of(context, expression.argument)
        case flat.Reaction() | flat.Poison():
            return None
    assert_never(expression)


def _of_element(context: Context, element: flat.Element) -> Shape | None:
    base = shape_of(context, element.base)
    if base is None or len(element.subscripts) > len(base):
        return None
    result: list[int] = []
    for extent, subscript in zip(base, element.subscripts, strict=False):
        if subscript is None:
            result.append(extent)
        elif isinstance(subscript, tuple):
            result.append(len(subscript))
    return (*result, *base[len(element.subscripts) :])


def _of_binary(operator: str, left: Shape | None, right: Shape | None) -> Shape | None:
    if operator in ("<", "<=", ">", ">=", "==", "<>", "and", "or"):
        return ()
    if operator == "^":
        return left
    if left is None or right is None:
        return None
    if not left or not right or operator in ("+", "-", ".*", "./"):
        return left or right
    if operator == "*" and left[-1] == right[0]:
        return left[:-1] + right[1:]
    return None


def _of_array(context: Context, array: flat.Array) -> Shape | None:
    if not array.items:
        return (0,)
    first = shape_of(context, array.items[0])
    return None if first is None else (len(array.items), *first)


def _of_call(context: Context, call: flat.Call) -> Shape | None:
    if call.function in _FIXED:
        return _FIXED[call.function]
    if call.function in ("zeros", "ones", "identity"):
        sizes = tuple(int(a.value) for a in call.arguments if isinstance(a, flat.Number))
        return sizes * 2 if call.function == "identity" else sizes
    if not call.arguments:
        return None
    first = shape_of(context, call.arguments[0])
    if first is not None and call.function == "transpose":
        return first[::-1]
    if first is not None and call.function == "diagonal":
        return first * 2
    return first
