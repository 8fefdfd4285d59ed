"""The values of expressions that must be known before anything can run: sizes, loop ranges, branches, texts.

A variable has such a value where it is a constant, a `structural` or `final` parameter, or a name for an
expression of these.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final, assert_never

from . import complaints_flatten as complain
from . import flat, syntax
from .context import MOST_ELEMENTS, Constant, Context
from .instances import Scope, VariableMember
from .lazy import CircularError
from .members import as_plain
from .source import Span


class NotFixedError(Exception):
    """The value is not known before the run; `culprit` is the variable that makes it so."""

    def __init__(self, span: Span, culprit: VariableMember | None = None) -> None:
        super().__init__()
        self.span = span
        self.culprit = culprit


class ToldError(Exception):
    """The value is hidden by a mistake told elsewhere, or must be given by whoever uses the class."""


class NoNumberError(Exception):
    """The operation has no value, such as a division by zero."""

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(reason)
        self.span = span
        self.reason = reason


# --- questions that an answer or a complaint follows -----------------------------------------


def fixed_value(context: Context, expression: syntax.Expr, scope: Scope, role: str) -> Constant | None:
    """The value of an expression whose `role` (`the size of x`) asks that it be fixed.

    None after a complaint.
    """
    if isinstance(expression, syntax.Number) and expression.unit is None:
        return expression.value
    try:
        return evaluate(context, as_plain(context, context.bind(context, expression, scope), expression.span))
    except NotFixedError as reason:
        culprit = reason.culprit
        declarator, kind = (None, None) if culprit is None else (culprit.declarator, culprit.kind)
        context.tell(complain.not_structural(expression.span, role, declarator, kind, reason.span))
    except NoNumberError as reason:
        context.tell(complain.no_number(reason.span, role, reason.reason))
    except CircularError:
        context.tell(complain.cyclic_value(expression.span, role))
    except ToldError:
        pass
    return None


def fixed_integer(context: Context, expression: syntax.Expr, scope: Scope, role: str) -> int | None:
    """As `fixed_value`, for a whole number."""
    value = fixed_value(context, expression, scope, role)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int_or_none(value):
        context.tell(complain.not_whole(expression.span, role, value))
        return None
    return int(value)


def fixed_condition(context: Context, expression: syntax.Expr, scope: Scope, role: str) -> bool | None:
    """As `fixed_value`, for a truth value."""
    value = fixed_value(context, expression, scope, role)
    if value is None or isinstance(value, bool):
        return value
    context.tell(complain.not_a_condition(expression.span, role))
    return None


def fixed_number(context: Context, expression: syntax.Expr, scope: Scope, role: str) -> float | None:
    """As `fixed_value`, for a number."""
    value = fixed_value(context, expression, scope, role)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        context.tell(complain.not_one_number(expression.span, role))
        return None
    return float(value)


def fixed_text(context: Context, expression: syntax.Expr, scope: Scope, role: str) -> flat.Text | None:
    """As `fixed_value`, for a text; its span is where the text is written."""
    node: flat.Expr | None = as_plain(context, context.bind(context, expression, scope), expression.span)
    seen: set[str] = set()
    while isinstance(node, flat.Variable) and node.name not in seen:
        seen.add(node.name)
        node = context.variables[node.name].binding.get()
    if isinstance(node, flat.Text):
        return node
    if not isinstance(node, flat.Poison):
        context.tell(complain.not_a_text(expression.span, role))
    return None


def quiet_value(context: Context, expression: flat.Expr) -> Constant | None:
    """The value of an expression, None where it is not fixed."""
    try:
        return evaluate(context, expression)
    except (NotFixedError, NoNumberError, CircularError, ToldError):
        return None


def int_or_none(value: object) -> int | None:
    """A number as a whole number, None for what is not finite or not a number."""
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return int(value)


# --- evaluation ------------------------------------------------------------------------------


def evaluate(context: Context, expression: flat.Expr) -> Constant:
    """The value of an expression in SI units; arrays are nested tuples.

    Raises NotFixedError, NoNumberError, ToldError; CircularError where a value depends on itself.
    """
    match expression:
        case flat.Number() | flat.Truth() | flat.Text():
            return expression.value
        case flat.Variable():
            return _variable(context, expression)
        case _:
            # Nodes are shared: without a memory of them the work would double at every level.
            known = context.values.get(id(expression))
            if known is None:
                known = context.values[id(expression)] = (expression, _compound(context, expression))
            return known[1]


def _compound(context: Context, expression: flat.Expr) -> Constant:
    match expression:
        case flat.Array():
            return tuple([evaluate(context, item) for item in expression.items])
        case flat.Element():
            return _element(evaluate(context, expression.base), expression.subscripts, expression.span)
        case flat.Unary():
            return _unary(expression, evaluate(context, expression.operand))
        case flat.Binary():
            left = evaluate(context, expression.left)
            if expression.operator in ("and", "or") and left is (expression.operator == "or"):
                return left
            return _binary(expression, left, evaluate(context, expression.right))
        case flat.Conditional():
            chosen = evaluate(context, expression.condition)
            return evaluate(context, expression.then if chosen else expression.otherwise)
        case flat.Call():
            return _call(expression, [evaluate(context, a) for a in expression.arguments])
        case flat.Declared():
            return evaluate(context, expression.operand)
        case flat.Poison():
            raise ToldError
        case _:
            raise NotFixedError(expression.span)


def _variable(context: Context, reference: flat.Variable) -> Constant:
    member = context.variables[reference.name]
    if member.name in context.constants:
        return context.constants[member.name]
    if not _may_be_fixed(member):
        raise NotFixedError(reference.span, member)
    if member.name in context.evaluating:
        # In the model itself the checker tells of definitions in a circle, with all their places.
        raise CircularError if context.alone else ToldError
    binding = member.binding.get()
    if binding is None:
        if member.structural or member.kind == "constant" or context.alone:
            raise ToldError
        raise NotFixedError(reference.span, member)
    context.evaluating.add(member.name)
    try:
        value = context.constants[member.name] = evaluate(context, binding)
    finally:
        context.evaluating.discard(member.name)
    return value


def _may_be_fixed(member: VariableMember) -> bool:
    match member.kind:
        case "constant" | "plain" | "output":
            return True
        case "parameter":
            return member.structural or member.final or member.base == "String"
        case "input" | "coordinate":
            return False
    assert_never(member.kind)


def _element(base: Constant, subscripts: tuple[int | tuple[int, ...] | None, ...], span: Span) -> Constant:
    if not subscripts:
        return base
    if not isinstance(base, tuple):
        raise ToldError
    first, rest = subscripts[0], subscripts[1:]
    if isinstance(first, int):
        if not 1 <= first <= len(base):
            raise ToldError
        return _element(base[first - 1], rest, span)
    chosen = range(1, len(base) + 1) if first is None else first
    if any(not 1 <= i <= len(base) for i in chosen):
        raise ToldError
    return tuple([_element(base[i - 1], rest, span) for i in chosen])


def _unary(node: flat.Unary, value: Constant) -> Constant:
    if node.operator == "not":
        return not value
    if isinstance(value, tuple):
        return tuple([_unary(node, item) for item in value])
    if isinstance(value, str):
        raise NoNumberError(node.span, "a text has no sign")
    return -value


_ARITHMETIC: Final[dict[str, Callable[[float, float], Constant]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow,
    ".*": operator.mul, "./": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _binary(node: flat.Binary, left: Constant, right: Constant) -> Constant:
    match node.operator:
        case "and":
            return bool(left) and bool(right)
        case "or":
            return bool(left) or bool(right)
        case "==":
            return left == right
        case "<>":
            return left != right
    if isinstance(left, tuple) or isinstance(right, tuple):
        return _of_arrays(node, left, right)
    if isinstance(left, str) or isinstance(right, str):
        raise NoNumberError(node.span, "a text cannot be calculated with")
    try:
        value = _ARITHMETIC[node.operator](float(left), float(right))
    except (ZeroDivisionError, OverflowError) as reason:
        what = "divides by zero" if isinstance(reason, ZeroDivisionError) else "is too large"
        raise NoNumberError(node.span, f"it {what}") from reason
    if isinstance(value, complex):
        raise NoNumberError(node.span, "it is not a real number")
    return value


def _of_arrays(node: flat.Binary, left: Constant, right: Constant) -> Constant:
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            raise NoNumberError(node.span, "the arrays differ in size")
        if node.operator == "*":
            if any(isinstance(item, tuple) for item in (*left, *right)):
                raise NotFixedError(node.span)
            return math.fsum(_scalars(node.span, left)[i] * y for i, y in enumerate(_scalars(node.span, right)))
        return tuple([_binary(node, x, y) for x, y in zip(left, right, strict=True)])
    if isinstance(left, tuple):
        return tuple([_binary(node, x, right) for x in left])
    assert isinstance(right, tuple)
    return tuple([_binary(node, left, y) for y in right])


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


_FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp,
    "log": math.log, "log10": math.log10, "sqrt": math.sqrt, "abs": abs, "floor": math.floor,
    "ceil": math.ceil, "sign": _sign,
}  # fmt: skip


def _call(call: flat.Call, arguments: list[Constant]) -> Constant:
    try:
        return _apply(call, arguments)
    except (ValueError, OverflowError, ZeroDivisionError) as reason:
        raise NoNumberError(call.span, f"`{call.function}` has no value there") from reason


def _apply(call: flat.Call, arguments: list[Constant]) -> Constant:
    name = call.function
    if name in ("zeros", "ones"):
        sizes = [int(x) for x in _scalars(call.span, tuple(arguments))]
        return _filled(0.0 if name == "zeros" else 1.0, sizes)
    if name in ("sum", "product") and len(arguments) == 1:
        numbers = _scalars(call.span, _flattened(arguments[0]))
        return math.fsum(numbers) if name == "sum" else math.prod(numbers)
    if name in ("min", "max") and arguments:
        values = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else tuple(arguments)
        numbers = _scalars(call.span, values)
        return min(numbers) if name == "min" else max(numbers)
    if name == "atan2" and len(arguments) == 2:
        return math.atan2(*_scalars(call.span, tuple(arguments)))
    if name == "norm" and len(arguments) == 1:
        return math.hypot(*_scalars(call.span, _flattened(arguments[0])))
    if name in _FUNCTIONS and len(arguments) == 1:
        return _mapped(call.span, _FUNCTIONS[name], arguments[0])
    raise NotFixedError(call.span)


def _mapped(span: Span, function: Callable[[float], float], value: Constant) -> Constant:
    if isinstance(value, tuple):
        return tuple([_mapped(span, function, item) for item in value])
    return float(function(_scalars(span, (value,))[0]))


def _flattened(value: Constant) -> tuple[Constant, ...]:
    if not isinstance(value, tuple):
        return (value,)
    return tuple([x for item in value for x in _flattened(item)])


def _filled(value: float, sizes: list[int]) -> Constant:
    if math.prod(sizes) > MOST_ELEMENTS:
        raise ToldError
    result: Constant = value
    for size in reversed(sizes):
        result = (result,) * size
    return result


def _scalars(span: Span, values: tuple[Constant, ...]) -> list[float]:
    numbers = [float(v) for v in values if not isinstance(v, (str, tuple))]
    if len(numbers) != len(values):
        raise NoNumberError(span, "a number is needed")
    return numbers
