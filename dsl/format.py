"""A syntax tree as text again: the same tree is read from it.

Comments and the author's line breaks are not in the tree; everything else is written in one plain form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from math import isinf
from typing import assert_never

from . import syntax as s

_INDENT = "  "


def format_module(module: s.Module) -> str:
    """The whole text of a module, an empty line between two classes."""
    return "\n".join("\n".join(_lines(element)) + "\n" for element in module.elements)


def format_expression(expression: s.Expr) -> str:
    """An expression in one line, with the parentheses that it needs."""
    return _within(expression, _Level.ANY)


# --- expressions -----------------------------------------------------------------------------


class _Level(IntEnum):
    """How tightly an expression binds: one that stands where a tighter one must is put in parentheses."""

    ANY = 0
    OR = 1
    AND = 2
    NOT = 3
    RELATION = 4
    SUM = 5
    PRODUCT = 6
    POWER = 7
    OPERAND = 8
    PRIMARY = 9


# For each operator: its own level, and those its left and right operand must have.
_BINARY = {
    "or": (_Level.OR, _Level.OR, _Level.AND),
    "and": (_Level.AND, _Level.AND, _Level.NOT),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "<>"), (_Level.RELATION, _Level.SUM, _Level.SUM)),
    "+": (_Level.SUM, _Level.SUM, _Level.PRODUCT),
    "-": (_Level.SUM, _Level.SUM, _Level.PRODUCT),
    **dict.fromkeys(("*", "/", ".*", "./"), (_Level.PRODUCT, _Level.PRODUCT, _Level.POWER)),
    "^": (_Level.POWER, _Level.OPERAND, _Level.OPERAND),
}
_TIGHT = {"*", "/", "^"}


def _within(expression: s.Expr, least: _Level) -> str:
    """Put in parentheses where the expression binds less tightly than it must."""
    text = _text(expression)
    return text if _level(expression) >= least else f"({text})"


def _level(expression: s.Expr) -> _Level:
    match expression:
        case s.Conditional() | s.Range() | s.Whole():
            return _Level.ANY
        case s.Binary():
            return _BINARY[expression.operator][0]
        case s.Unary():
            return _Level.NOT if expression.operator == "not" else _Level.SUM
        case s.Number() | s.Text() | s.Truth() | s.End():
            return _Level.OPERAND
        case _:
            return _Level.PRIMARY


def _text(expression: s.Expr) -> str:
    match expression:
        case s.Number():
            unit = "" if expression.unit is None else f"[{expression.unit}]"
            return _number(expression.value) + unit
        case s.Text():
            return _string(expression.value)
        case s.Truth():
            return "true" if expression.value else "false"
        case s.Name():
            return expression.id
        case s.Member():
            return f"{_within(expression.base, _Level.PRIMARY)}.{expression.name}"
        case s.Subscript():
            return f"{_within(expression.base, _Level.PRIMARY)}[{_listed(expression.subscripts)}]"
        case s.Range():
            parts = (expression.start, expression.step, expression.stop)
            return ":".join(_within(part, _Level.OR) for part in parts if part is not None)
        case s.Whole():
            return ":"
        case s.End():
            return "end"
        case s.Unary(operator="not"):
            return f"not {_within(expression.operand, _Level.RELATION)}"
        case s.Unary():
            return expression.operator + _within(expression.operand, _Level.PRODUCT)
        case s.Binary():
            return _binary(expression)
        case s.Conditional():
            return _conditional(expression)
        case s.Array():
            return f"{{{_listed(expression.items)}}}"
        case s.Matrix():
            return f"[{'; '.join(_listed(row) for row in expression.rows)}]"
        case s.Comprehension():
            return f"{{{_loop(expression)}}}"
        case s.Call():
            return f"{_text(expression.function)}({_arguments(expression.arguments)})"
        case _:
            assert_never(expression)


def _binary(expression: s.Binary) -> str:
    """Operands and operators, a long sum without recursion: its tree is as deep as it has terms."""
    parts: list[str] = []
    left: s.Expr = expression
    least = _Level.ANY
    while isinstance(left, s.Binary) and _level(left) >= least:
        _, least, right_least = _BINARY[left.operator]
        operator = left.operator if left.operator in _TIGHT else f" {left.operator} "
        parts.append(operator + _within(left.right, right_least))
        left = left.left
    parts.append(_within(left, least))
    return "".join(reversed(parts))


def _conditional(expression: s.Conditional) -> str:
    parts: list[str] = []
    word = "if"
    otherwise: s.Expr = expression
    while isinstance(otherwise, s.Conditional):
        condition, then = format_expression(otherwise.condition), format_expression(otherwise.then)
        parts.append(f"{word} {condition} then {then}")
        word, otherwise = "elseif", otherwise.otherwise
    return f"{' '.join(parts)} else {format_expression(otherwise)}"


def _loop(loop: s.Comprehension) -> str:
    return f"{format_expression(loop.body)} for {_iterators(loop.iterators)}"


def _iterators(iterators: Iterable[s.Iterator]) -> str:
    return ", ".join(f"{i.name} in {format_expression(i.values)}" for i in iterators)


def _arguments(arguments: Sequence[s.Argument]) -> str:
    match arguments:
        case [s.Argument(name=None, value=s.Comprehension() as loop)]:
            return _loop(loop)
        case _:
            return ", ".join(
                format_expression(a.value) if a.name is None else f"{a.name} = {format_expression(a.value)}"
                for a in arguments
            )


def _listed(expressions: Iterable[s.Expr]) -> str:
    return ", ".join(format_expression(expression) for expression in expressions)


def _number(value: float) -> str:
    if isinf(value):
        # What was written is too large for a number, and so is this.
        return "1e999"
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def _string(value: str) -> str:
    return f'"{value.translate(_ESCAPES)}"'


# --- declarations ----------------------------------------------------------------------------


def _described(description: str) -> str:
    return f" {_string(description)}" if description else ""


def _path(path: tuple[str, ...]) -> str:
    return ".".join(path)


def _modifications(modifications: Sequence[s.Modification]) -> str:
    return f"({', '.join(map(_modification, modifications))})" if modifications else ""


def _modification(m: s.Modification) -> str:
    final = "final " if m.final else ""
    # Without a value there are parentheses, were they empty.
    nested = _modifications(m.nested) or ("" if m.value is not None else "()")
    return f"{final}{_path(m.path)}{nested}{_binding(m.value)}"


def _binding(value: s.Expr | None) -> str:
    return "" if value is None else f" = {format_expression(value)}"


def _declaration(d: s.Declaration) -> str:
    words = [
        *(["final"] if d.final else []),
        *(["inner"] if d.inner else []),
        *(["outer"] if d.outer else []),
        *(["structural"] if d.structural else []),
        *([d.kind] if d.kind != "plain" else []),
        _path(d.type_name),
    ]
    last = d.declarators[-1].description
    shared = all(declarator.description == last for declarator in d.declarators)
    declarators = [_declarator(declarator, not shared) for declarator in d.declarators]
    return f"{' '.join(words)} {', '.join(declarators)}{_described(last) if shared else ''};"


def _declarator(d: s.Declarator, described: bool) -> str:
    size = f"[{_listed(d.dimensions)}]" if d.dimensions else ""
    description = _described(d.description) if described else ""
    return f"{d.name}{size}{_modifications(d.modifications)}{_binding(d.binding)}{description}"


# --- statements ------------------------------------------------------------------------------


def _lines(element: s.Element | s.Reinit | s.Terminate) -> Iterator[str]:
    """An element, a line for each statement and each end of a block."""
    match element:
        case s.ClassDefinition():
            partial = "partial " if element.partial else ""
            yield f"{partial}{element.kind} {element.name}{_described(element.description)}"
            yield from _indented(element.elements)
            yield f"end {element.name};"
        case s.For():
            yield f"for {_iterators(element.iterators)} loop"
            yield from _indented(element.body)
            yield "end for;"
        case s.If():
            yield from _branches(element.branches)
            yield "end if;"
        case s.When():
            yield f"when {format_expression(element.condition)} then"
            yield from _indented(element.actions)
            yield "end when;"
        case _:
            yield _line(element)


def _indented(elements: Iterable[s.Element | s.Reinit | s.Terminate]) -> Iterator[str]:
    for element in elements:
        for line in _lines(element):
            yield _INDENT + line


def _branches(branches: Iterable[s.Branch]) -> Iterator[str]:
    word = "if"
    for branch in branches:
        yield "else" if branch.condition is None else f"{word} {format_expression(branch.condition)} then"
        yield from _indented(branch.body)
        word = "elseif"


_Line = (
    s.TypeDefinition
    | s.Import
    | s.Extends
    | s.Declaration
    | s.Energy
    | s.Force
    | s.Constraint
    | s.Servo
    | s.Limit
    | s.Friction
    | s.Equation
    | s.Assert
    | s.Visual
    | s.Annotation
    | s.Reinit
    | s.Terminate
)


def _line(e: _Line) -> str:
    """A statement of one line."""
    match e:
        case s.Import():
            return f"import {_path(e.path)};"
        case s.Extends():
            return f"extends {_path(e.base)}{_modifications(e.modifications)};"
        case s.TypeDefinition():
            attributes = _modifications(e.attributes)
            return f"type {e.name} = {_path(e.base)}{attributes}{_described(e.description)};"
        case s.Declaration():
            return _declaration(e)
        case s.Annotation():
            return f"annotation{_modifications(e.modifications)};"
        case s.Assert():
            word = "warn" if e.is_warning else "assert"
            return f"{word}({_listed((e.condition, e.message))});"
        case s.Reinit():
            return f"reinit({_listed((e.target, e.value))});"
        case s.Terminate():
            return f"terminate({format_expression(e.message)});"
        case _:
            return f"{_statement(e)}{_described(e.description)};"


def _statement(
    e: s.Energy | s.Force | s.Constraint | s.Servo | s.Limit | s.Friction | s.Equation | s.Visual,
) -> str:
    """A statement of mechanics, without its description."""
    text = format_expression
    match e:
        case s.Energy():
            name = "" if e.name is None else f" {e.name}"
            return f"{e.kind}{name} = {text(e.value)}"
        case s.Force():
            return f"force {e.name}: {text(e.effort)} on {text(e.flow)}"
        case s.Constraint():
            qualifier = "" if e.qualifier is None else f"{e.qualifier} "
            return f"{qualifier}constraint {e.name}: {text(e.left)} = {text(e.right)}"
        case s.Servo():
            sides = f"{text(e.left)} = {text(e.right)}"
            return f"servo {e.name}{_modifications(e.options)}: {sides} using {_listed(e.inputs)}"
        case s.Limit():
            return f"limit {e.name}{_modifications(e.options)}: {_bounds(e)}"
        case s.Friction():
            normal = f"{text(e.coefficient)}, {text(e.normal)}"
            return f"friction {e.name}{_modifications(e.options)}: {normal} on {text(e.flow)}"
        case s.Equation():
            return f"{e.kind} {e.name}: {text(e.left)} = {text(e.right)}"
        case s.Visual():
            frame = "" if e.frame is None else f" on {text(e.frame)}"
            return f"visual {e.shape}({_arguments(e.arguments)}){frame}"
        case _:
            assert_never(e)


def _bounds(limit: s.Limit) -> str:
    value = _within(limit.value, _Level.SUM)
    lower = None if limit.lower is None else _within(limit.lower, _Level.SUM)
    upper = None if limit.upper is None else _within(limit.upper, _Level.SUM)
    match lower, upper:
        case str(), None:
            return f"{value} >= {lower}"
        case None, _:
            return f"{value} <= {upper}"
        case _:
            return f"{lower} <= {value} <= {upper}"
