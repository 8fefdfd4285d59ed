"""A syntax tree printed and read again is the same tree.

The trees come from a strategy of their own, not from texts: what the printer would get wrong, such as a
parenthesis left out, would not be in a text that was printed by it.
"""

from __future__ import annotations

import os
import random
from typing import Any

import generate
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbdc.dsl import syntax as s
from mbdc.dsl.diagnostics import render_all
from mbdc.dsl.format import format_expression, format_module
from mbdc.dsl.machine import RESERVED
from mbdc.dsl.parse import parse
from mbdc.dsl.source import Source, Span

# More of them: MBDC_EXAMPLES=5000 in the environment.
EXAMPLES = int(os.environ.get("MBDC_EXAMPLES", "40"))
SPAN = Span(Source("made", ""), 0, 0)


# --- trees -----------------------------------------------------------------------------------

names = st.sampled_from(("x", "on", "force", "start", "θ", "r_1", "using", "loop", "initial", "model", "der"))
assert not RESERVED & {"on", "force", "loop"}
KINDS: tuple[s.Kind, ...] = ("parameter", "constant", "input", "output", "coordinate", "plain")
units = st.none() | st.sampled_from(("m", "kg.m2", "N.m/s", "deg"))
values = st.floats(0, 1e300, allow_nan=False) | st.integers(0, 10**17).map(float)
descriptions = st.just("") | st.text(st.characters(codec="utf-8"), max_size=8)


def node(kind: type[s.Node], *fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda *given: kind(*given, span=SPAN), *fields)


def some(items: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, min_size=least, max_size=3).map(tuple)


leaves = (
    node(s.Number, values, units)
    | node(s.Text, st.text(st.characters(codec="utf-8"), max_size=8))
    | node(s.Truth, st.booleans())
    | node(s.Name, names)
)


def larger(e: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    dotted = st.lists(names, min_size=1, max_size=3).map(_dotted)
    range_ = node(s.Range, e, st.none() | e, e)
    iterators = some(node(s.Iterator, names, e | range_), 1)
    loop = node(s.Comprehension, e, iterators)
    index = e | range_ | node(s.Whole) | node(s.End)
    argument = node(s.Argument, st.none() | names, e | range_)
    arguments = some(argument) | node(s.Argument, st.none(), loop).map(lambda only: (only,))
    rows = st.integers(1, 3).flatmap(lambda width: some(st.lists(e, min_size=width, max_size=width).map(tuple), 1))
    operators = st.sampled_from(("+", "-", "*", "/", "^", ".*", "./", "<", "<=", ">", ">=", "==", "<>", "and", "or"))
    return st.one_of(
        node(s.Binary, operators, e, e),
        node(s.Unary, st.sampled_from(("-", "+", "not")), e),
        node(s.Member, e, names),
        node(s.Subscript, e, some(index, 1)),
        node(s.Conditional, e, e, e),
        node(s.Array, some(e)),
        node(s.Matrix, rows),
        node(s.Call, dotted, arguments),
        loop,
    )


def _dotted(parts: list[str]) -> s.Expr:
    expression: s.Expr = s.Name(parts[0], span=SPAN)
    for part in parts[1:]:
        expression = s.Member(expression, part, span=SPAN)
    return expression


expressions = st.recursive(leaves, larger, max_leaves=12)
small = st.recursive(leaves, larger, max_leaves=3)
paths = st.lists(names, min_size=1, max_size=3).map(tuple)
modifications = st.recursive(
    node(s.Modification, paths, small, st.just(()), st.booleans()),
    lambda m: node(s.Modification, paths, st.none() | small, some(m), st.booleans()),
    max_leaves=4,
)


@st.composite
def declarations(draw: st.DrawFn) -> s.Declaration:
    shared = draw(descriptions)
    # A description behind the last name holds for those before it that have none.
    declarator = node(s.Declarator, names, some(small), some(modifications), st.none() | small, st.just(shared))
    kind: s.Kind = draw(st.sampled_from(KINDS))
    sharing = draw(st.sampled_from(("inner", "outer", "")))
    return s.Declaration(
        kind,
        draw(paths),
        SPAN,
        draw(some(declarator, 1)),
        final=draw(st.booleans()),
        structural=kind == "parameter" and draw(st.booleans()),
        inner=sharing == "inner",
        outer=sharing == "outer",
        span=SPAN,
    )


@st.composite
def limits(draw: st.DrawFn) -> s.Limit:
    lower, upper = draw(st.sampled_from(((True, False), (False, True), (True, True))))
    return s.Limit(
        draw(names),
        draw(some(modifications)),
        draw(small) if lower else None,
        draw(small),
        draw(small) if upper else None,
        draw(descriptions),
        span=SPAN,
    )


qualifiers = st.sampled_from((None, "holonomic", "nonholonomic"))
energy_kinds = st.sampled_from(("kinetic", "potential", "dissipation"))
arguments = some(node(s.Argument, st.none() | names, small))
actions = node(s.Reinit, small, small) | node(s.Terminate, small)
statements = st.one_of(
    declarations(),
    limits(),
    node(s.Energy, energy_kinds, st.none() | names, expressions, descriptions),
    node(s.Force, names, expressions, expressions, descriptions),
    node(s.Constraint, qualifiers, names, expressions, expressions, descriptions),
    node(s.Servo, names, some(modifications), small, small, some(small, 1), descriptions),
    node(s.Friction, names, some(modifications), small, small, small, descriptions),
    node(s.Equation, st.sampled_from(("equation", "initial")), names, small, small, descriptions),
    node(s.When, small, some(actions)),
    node(s.Assert, small, small),
    node(s.Visual, names, arguments, st.none() | small, descriptions),
    node(s.Annotation, some(modifications, 1)),
    node(s.Import, paths),
    node(s.Extends, paths, some(modifications)),
    node(s.TypeDefinition, names, paths, some(modifications), descriptions),
)


def blocks(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    body = some(element)
    branch = node(s.Branch, small, body)
    otherwise = node(s.Branch, st.none(), body)
    iterators = some(node(s.Iterator, names, small), 1)
    branches = st.builds(lambda first, last: (*first, *last), some(branch, 1), some(otherwise).map(lambda b: b[:1]))
    return node(s.For, iterators, body) | node(s.If, branches) | classes(element)


def classes(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(("model", "record", "function"))
    return st.builds(
        lambda kind, name, description, body, partial: s.ClassDefinition(
            kind, name, SPAN, description, body, partial, span=SPAN
        ),
        kinds,
        names,
        descriptions,
        some(element),
        st.booleans(),
    )


elements = st.recursive(statements, blocks, max_leaves=5)


# --- laws ------------------------------------------------------------------------------------


def read(text: str) -> s.Module:
    module, complaints = parse(Source("printed", text))
    assert not complaints, f"{render_all(complaints)}\n{text}"
    assert module is not None
    return module


@settings(max_examples=EXAMPLES, deadline=None)
@given(expressions)
def test_expression(expression: s.Expr) -> None:
    text = format_expression(expression)
    (model,) = read(f"model M\n  kinetic = {text};\nend M;").elements
    assert isinstance(model, s.ClassDefinition)
    (energy,) = model.elements
    assert isinstance(energy, s.Energy)
    assert energy.value == expression


@settings(max_examples=EXAMPLES, deadline=None)
@given(some(classes(elements), 1))
def test_module(definitions: tuple[s.ClassDefinition, ...]) -> None:
    text = format_module(s.Module(definitions, SPAN))
    assert read(text).elements == definitions


@pytest.mark.parametrize("number", range(EXAMPLES // 4))
def test_sentence_of_the_grammar(number: int) -> None:
    module, complaints = parse(Source("made", generate.random_sentence(random.Random(number))))
    if module is not None and not complaints:
        assert read(format_module(module)) == module


def test_long_sum() -> None:
    module = read(f"model M\n  kinetic = {' + '.join(['x*y'] * 900)};\nend M;")
    text = format_module(module)
    assert text.count("+") == 899 and "(" not in text
    assert format_module(read(text)) == text


def test_form() -> None:
    written = 'model   M  "a" Real x[ 3 ]( start=1 )=((a+b) *c)-(d-e)/ (2*f)^2,y  "both" ;end M ;'
    assert format_module(read(written)) == (
        'model M "a"\n  Real x[3](start = 1) = (a + b)*c - (d - e)/(2*f)^2, y "both";\nend M;\n'
    )
