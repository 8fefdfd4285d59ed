"""From what the grammar recognises to syntax nodes: one method for each rule of grammar/mbd.lark.

A method is called as soon as its rule is complete, with everything the rule holds, signs included.
Rules with no node of their own hand tokens, lists and optional parts upwards. Nothing recurses.
"""

from __future__ import annotations

import re
from typing import Any

from . import syntax as s
from .records import frozen, replace
from .source import Span
from .tokens import Token

_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@frozen
class Bounds:
    """What stands behind the label of a `limit`."""

    lower: s.Expr | None
    value: s.Expr
    upper: s.Expr | None


class SyntaxBuilder:
    """The methods the parser calls, each named after its rule or the alias of one of its alternatives."""

    # --- classes ---

    def module(self, c: list[Any]) -> list[Any]:
        return c

    def class_definition(self, c: list[Any]) -> s.ClassDefinition:
        partial, kind, name, description, elements = c[:5]
        return s.ClassDefinition(
            kind=kind.text,
            name=name.text,
            name_span=name.span,
            description=description,
            elements=tuple(elements),
            partial=partial is not None,
            span=(partial or kind).span.to(c[-1].span),
        )

    def import_clause(self, c: list[Any]) -> s.Import:
        return s.Import(_path(c[1]), span=_span(c))

    def extends_clause(self, c: list[Any]) -> s.Extends:
        return s.Extends(_path(c[1]), c[2], span=_span(c))

    def type_definition(self, c: list[Any]) -> s.TypeDefinition:
        _, name, _, base, attributes, description, _ = c
        return s.TypeDefinition(name.text, _path(base), attributes, description, span=_span(c))

    # --- declarations ---

    def declaration(self, c: list[Any]) -> s.Declaration:
        final, sharing, kind, type_name, declarators, end = c
        prefixes = [token for token in (final, sharing, *kind, *type_name) if token is not None]
        shared = declarators[-1].description
        return s.Declaration(
            kind=kind[-1].text if kind else "plain",
            type_name=_path(type_name),
            type_span=_span(type_name),
            declarators=tuple(
                replace(d, description=shared) if shared and not d.description else d for d in declarators
            ),
            final=final is not None,
            structural=len(kind) == 2,
            inner=sharing is not None and sharing.text == "inner",
            outer=sharing is not None and sharing.text == "outer",
            span=prefixes[0].span.to(end.span),
        )

    def declarator(self, c: list[Any]) -> s.Declarator:
        name, dimensions, modifications, binding, description = c
        return s.Declarator(name.text, dimensions, modifications, binding, description, span=name.span)

    def dimensions(self, c: list[Any]) -> tuple[s.Expr, ...]:
        return tuple(c[1]) if c else ()

    def binding(self, c: list[Any]) -> s.Expr | None:
        return c[1] if c else None

    def modifications(self, c: list[Any]) -> tuple[s.Modification, ...]:
        return _listed(c[1:-1])

    def simple_modification(self, c: list[Any]) -> s.Modification:
        final, path, _, value = c
        span = (final or path[0]).span.to(value.span)
        return s.Modification(_path(path), value, (), final is not None, span=span)

    def nested_modification(self, c: list[Any]) -> s.Modification:
        final, path, _, *nested, close, value = c
        span = (final or path[0]).span.to((value or close).span)
        return s.Modification(_path(path), value, _listed(nested), final is not None, span=span)

    # --- statements ---

    def unnamed_energy(self, c: list[Any]) -> s.Energy:
        kind, _, value, description, _ = c
        return s.Energy(kind.text, None, value, description, span=_span(c))

    def energy(self, c: list[Any]) -> s.Energy:
        kind, name, _, value, description, _ = c
        return s.Energy(kind.text, name.text, value, description, span=_span(c))

    def force(self, c: list[Any]) -> s.Force:
        _, name, _, effort, _, flow, description, _ = c
        return s.Force(name.text, effort, flow, description, span=_span(c))

    def constraint(self, c: list[Any]) -> s.Constraint:
        qualifier, keyword, name, _, left, _, right, description, end = c
        span = (qualifier or keyword).span.to(end.span)
        written = None if qualifier is None else qualifier.text
        return s.Constraint(written, name.text, left, right, description, span=span)

    def servo(self, c: list[Any]) -> s.Servo:
        _, name, options, _, left, _, right, _, inputs, description, _ = c
        return s.Servo(name.text, options, left, right, tuple(inputs), description, span=_span(c))

    def limit(self, c: list[Any]) -> s.Limit:
        _, name, options, _, bounds, description, _ = c
        return s.Limit(name.text, options, bounds.lower, bounds.value, bounds.upper, description, span=_span(c))

    def upper_bound(self, c: list[Any]) -> Bounds:
        return Bounds(None, c[0], c[2])

    def lower_bound(self, c: list[Any]) -> Bounds:
        return Bounds(c[2], c[0], None)

    def both_bounds(self, c: list[Any]) -> Bounds:
        return Bounds(c[0], c[2], c[4])

    def friction(self, c: list[Any]) -> s.Friction:
        _, name, options, _, coefficient, _, normal, _, flow, description, _ = c
        return s.Friction(name.text, options, coefficient, normal, flow, description, span=_span(c))

    def equation(self, c: list[Any]) -> s.Equation:
        kind, name, _, left, _, right, description, _ = c
        return s.Equation(kind.text, name.text, left, right, description, span=_span(c))

    def when(self, c: list[Any]) -> s.When:
        return s.When(c[1], tuple(c[3]), span=_span(c))

    def reinit(self, c: list[Any]) -> s.Reinit:
        return s.Reinit(c[2], c[4], span=_span(c))

    def terminate(self, c: list[Any]) -> s.Terminate:
        return s.Terminate(c[2], span=_span(c))

    def assert_statement(self, c: list[Any]) -> s.Assert:
        return s.Assert(c[2], c[4], c[0].text == "warn", span=_span(c))

    def visual(self, c: list[Any]) -> s.Visual:
        _, shape, _, arguments, _, frame, description, _ = c
        return s.Visual(shape.text, arguments, frame, description, span=_span(c))

    def for_loop(self, c: list[Any]) -> s.For:
        return s.For(c[1], tuple(c[3]), span=_span(c))

    def if_statement(self, c: list[Any]) -> s.If:
        branches = [child for child in c if isinstance(child, s.Branch)]
        return s.If(tuple(branches), span=_span(c))

    def branch(self, c: list[Any]) -> s.Branch:
        condition, then, elements = c
        span = condition.span.to((elements or [then])[-1].span)
        return s.Branch(condition, tuple(elements), span=span)

    def otherwise(self, c: list[Any]) -> s.Branch | None:
        if not c:
            return None
        keyword, elements = c
        return s.Branch(None, tuple(elements), span=keyword.span.to((elements or [keyword])[-1].span))

    def annotation(self, c: list[Any]) -> s.Annotation:
        return s.Annotation(_listed(c[2:-2]), span=_span(c))

    # --- expressions ---

    def conditional(self, c: list[Any]) -> s.Expr:
        _, condition, _, then, elseifs, _, otherwise = c
        for keyword, other_condition, _, value in reversed(elseifs):
            span = keyword.span.to(otherwise.span)
            otherwise = s.Conditional(other_condition, value, otherwise, span=span)
        return s.Conditional(condition, then, otherwise, span=_span(c))

    def binary(self, c: list[Any]) -> s.Binary:
        left, operator, right = c
        return s.Binary(operator.text, left, right, span=_span(c))

    def unary(self, c: list[Any]) -> s.Unary:
        operator, operand = c
        return s.Unary(operator.text, operand, span=_span(c))

    def number(self, c: list[Any]) -> s.Number:
        (token,) = c
        value, bracket, unit = token.text.partition("[")
        return s.Number(float(value), unit.removesuffix("]") if bracket else None, span=token.span)

    def text(self, c: list[Any]) -> s.Text:
        return s.Text(_string(c[0]), span=c[0].span)

    def truth(self, c: list[Any]) -> s.Truth:
        return s.Truth(c[0].text == "true", span=c[0].span)

    def end(self, c: list[Any]) -> s.End:
        return s.End(span=c[0].span)

    def name(self, c: list[Any]) -> s.Name:
        return s.Name(c[0].text, span=c[0].span)

    def member(self, c: list[Any]) -> s.Member:
        return s.Member(c[0], c[2].text, span=_span(c))

    def subscript(self, c: list[Any]) -> s.Subscript:
        return s.Subscript(c[0], tuple(c[2]), span=_span(c))

    def call(self, c: list[Any]) -> s.Call:
        return s.Call(c[0], c[2], span=_span(c))

    def parenthesised(self, c: list[Any]) -> s.Expr:
        # The parentheses are remembered by the tree's shape alone; the place shown includes them.
        inner: s.Expr = c[1]
        return replace(inner, span=_span(c))

    def empty_array(self, c: list[Any]) -> s.Array:
        return s.Array((), span=_span(c))

    def array(self, c: list[Any]) -> s.Array:
        return s.Array(tuple(c[1]), span=_span(c))

    def braced_loop(self, c: list[Any]) -> s.Comprehension:
        loop: s.Comprehension = c[1]
        return replace(loop, span=_span(c))

    def matrix(self, c: list[Any]) -> s.Matrix:
        return s.Matrix(tuple(tuple(row) for row in c[1::2]), span=_span(c))

    def whole(self, c: list[Any]) -> s.Whole:
        return s.Whole(span=c[0].span)

    def range(self, c: list[Any]) -> s.Range:
        return s.Range(c[0], None, c[2], span=_span(c))

    def stepped_range(self, c: list[Any]) -> s.Range:
        return s.Range(c[0], c[2], c[4], span=_span(c))

    def arguments(self, c: list[Any]) -> tuple[s.Argument, ...]:
        return _listed(c)

    def loop_argument(self, c: list[Any]) -> tuple[s.Argument, ...]:
        return (s.Argument(None, c[0], span=c[0].span),)

    def positional(self, c: list[Any]) -> s.Argument:
        return s.Argument(None, c[0], span=c[0].span)

    def named(self, c: list[Any]) -> s.Argument:
        return s.Argument(c[0].text, c[2], span=_span(c))

    def loop(self, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(c[0], c[2], span=c[0].span.to(c[2][-1].span))

    def iterators(self, c: list[Any]) -> tuple[s.Iterator, ...]:
        return _listed(c)

    def iterator(self, c: list[Any]) -> s.Iterator:
        return s.Iterator(c[0].text, c[2], span=_span(c))

    # --- lists and optional words ---

    def path(self, c: list[Any]) -> list[Token]:
        return c[::2]

    def declarators(self, c: list[Any]) -> list[Any]:
        return c[::2]

    def expressions(self, c: list[Any]) -> list[Any]:
        return c[::2]

    def subscripts(self, c: list[Any]) -> list[Any]:
        return c[::2]

    def elements(self, c: list[Any]) -> list[Any]:
        return c

    def actions(self, c: list[Any]) -> list[Any]:
        return c

    def elseifs(self, c: list[Any]) -> list[Any]:
        return c

    def elseif(self, c: list[Any]) -> list[Any]:
        return c

    def description(self, c: list[Any]) -> str:
        return _string(c[0]) if c else ""

    def drawn_on(self, c: list[Any]) -> s.Expr | None:
        return c[1] if c else None

    def kind(self, c: list[Any]) -> list[Token]:
        return c

    def partial(self, c: list[Any]) -> Token | None:
        return c[0] if c else None

    class_kind = final = sharing = qualifier = energy_kind = equation_kind = assert_kind = partial


def _span(children: list[Any]) -> Span:
    span: Span = children[0].span
    return span.to(children[-1].span)


def _path(tokens: list[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)


def _listed(children: list[Any]) -> tuple[Any, ...]:
    return tuple(child for child in children if not isinstance(child, Token))


def _string(token: Token) -> str:
    text = token.text[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text
