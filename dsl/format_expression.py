"""Expressions of the syntax tree as text, with no parentheses but those that are needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from . import syntax as s

# How tightly an expression binds, loosest first, as the rules of the grammar stand.
_CONDITIONAL: Final = 0
_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_RELATION: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_POWER: Final = 7
_OPERAND: Final = 8
_PRIMARY: Final = 9

# Operator to (its own level, what its left side must bind, its right side).
_LEVELS: Final[dict[str, tuple[int, int, int]]] = {
    "or": (_OR, _OR, _AND),
    "and": (_AND, _AND, _NOT),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "<>"), (_RELATION, _SUM, _SUM)),
    **dict.fromkeys(("+", "-"), (_SUM, _SUM, _PRODUCT)),
    **dict.fromkeys(("*", "/", ".*", "./"), (_PRODUCT, _PRODUCT, _POWER)),
    "^": (_POWER, _OPERAND, _OPERAND),
}
# The backslash first, or it would escape the escapes.
_ESCAPES: Final = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r"))
_TIGHT: Final = ("*", "/", "^")


def format_expression(expression: s.Expr) -> str:
    """The text of an expression; parsed, it gives an equal expression again."""
    return _text(expression)


def format_sum(expression: s.Expr) -> str:
    """The text of an expression where no comparison can stand, as in the bounds of a limit."""
    return _bound(expression, _SUM)


def format_number(value: float) -> str:
    """A number as it is written in the language."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value).replace("e+", "e")


def format_string(text: str) -> str:
    """A text in quotes, what is special in it escaped."""
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return f'"{text}"'


def format_arguments(arguments: tuple[s.Argument, ...]) -> str:
    """What stands between the parentheses of a call."""
    match arguments:
        case (s.Argument(name=None, value=s.Comprehension() as loop),):
            return _loop(loop)
        case _:
            return ", ".join(
                _text(a.value) if a.name is None else f"{a.name} = {_text(a.value)}" for a in arguments
            )


def format_iterators(iterators: Iterable[s.Iterator]) -> str:
    """`i in 1:n, j in 1:m`."""
    return ", ".join(f"{i.name} in {_text(i.values)}" for i in iterators)


def _bound(expression: s.Expr, level: int) -> str:
    """The text, in parentheses where it binds less than its place asks for."""
    text = _text(expression)
    return text if _level(expression) >= level else f"({text})"


def _level(expression: s.Expr) -> int:
    match expression:
        case s.Binary(operator=operator):
            return _LEVELS[operator][0]
        case s.Unary(operator="not"):
            return _NOT
        case s.Unary():
            return _SUM
        case s.Conditional():
            return _CONDITIONAL
        case s.Number() | s.Text() | s.Truth() | s.End():
            return _OPERAND
        case _:
            return _PRIMARY


def _text(expression: s.Expr) -> str:
    match expression:
        case s.Number(value=value, unit=unit):
            return format_number(value) if unit is None else f"{format_number(value)}[{unit}]"
        case s.Text(value=value):
            return format_string(value)
        case s.Truth(value=value):
            return "true" if value else "false"
        case s.Name(id=name):
            return name
        case s.Member(base=base, name=name):
            return f"{_bound(base, _PRIMARY)}.{name}"
        case s.Subscript(base=base, subscripts=subscripts):
            return f"{_bound(base, _PRIMARY)}[{_listed(subscripts)}]"
        case s.Range(start=start, step=step, stop=stop):
            parts = [start, stop] if step is None else [start, step, stop]
            return ":".join(_bound(part, _OR) for part in parts)
        case s.Whole():
            return ":"
        case s.End():
            return "end"
        case s.Unary(operator="not", operand=operand):
            return f"not {_bound(operand, _RELATION)}"
        case s.Unary(operator=sign, operand=operand):
            return f"{sign}{_bound(operand, _PRODUCT)}"
        case s.Binary():
            return _binary(expression)
        case s.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"if {_text(condition)} then {_text(then)} else {_text(otherwise)}"
        case s.Array(items=items):
            return f"{{{_listed(items)}}}"
        case s.Matrix(rows=rows):
            return f"[{'; '.join(_listed(row) for row in rows)}]"
        case s.Comprehension():
            return f"{{{_loop(expression)}}}"
        case s.Call(function=function, arguments=arguments):
            return f"{_text(function)}({format_arguments(arguments)})"
        case _:
            assert_never(expression)


def _binary(expression: s.Binary) -> str:
    _, left, right = _LEVELS[expression.operator]
    gap = "" if expression.operator in _TIGHT else " "
    sides = (_bound(expression.left, left), _bound(expression.right, right))
    return f"{sides[0]}{gap}{expression.operator}{gap}{sides[1]}"


def _loop(loop: s.Comprehension) -> str:
    return f"{_text(loop.body)} for {format_iterators(loop.iterators)}"


def _listed(expressions: Iterable[s.Expr]) -> str:
    return ", ".join(_text(e) for e in expressions)
