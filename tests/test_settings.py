"""Values given on the command line are read by the language's own parser, and nothing else gets in."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mbdc.compiler.settings import (
    Setting,
    SettingError,
    as_module,
    evaluate,
    expression_in,
    sort_settings,
    split_setting,
)
from mbdc.dsl.dimension import Dimension
from mbdc.dsl.flat import BaseType, FlatModel, VariableDeclaration, VariableKind
from mbdc.dsl.parse import parse
from mbdc.dsl.source import Source, Span
from mbdc.dsl.statements import Experiment, Statements

SOURCE = Source("x.mbd", "model X end X;")
SPAN = Span(SOURCE, 0, 5)
LENGTH = Dimension((1, 0, 0, 0, 0, 0, 0))


def read(text: str) -> Setting:
    name, value = split_setting(text)
    module, complaints = parse(Source("--set", as_module(value)))
    if complaints:
        raise SettingError(complaints[0].message)
    return evaluate(name, expression_in(name, module))


def variable(name: str, kind: VariableKind, unit: str | None = None, **changes: Any) -> VariableDeclaration:
    base: BaseType = "Real"
    values: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "base": base,
        "type_name": "Real",
        "unit": unit,
        "dimensions": (),
        "attributes": {},
        "binding": None,
        "final": False,
        "structural": False,
        "description": "",
        "span": SPAN,
    }
    return VariableDeclaration(**(values | changes))


FLAT = FlatModel(
    name="Cart",
    description="",
    source=SOURCE,
    span=SPAN,
    variables=(
        variable("L", "parameter", "m"),
        variable("a", "parameter", final=True),
        variable("wheel.m", "parameter", "kg"),
        variable("g", "constant", "m/s2"),
        variable("u", "input", "N.m"),
        variable("x", "coordinate", "m"),
        variable("p", "coordinate", "m", dimensions=(3,)),
        variable("i", "plain", "A"),
    ),
    statements=Statements(),
    experiment=Experiment(),
    structure={},
    components={},
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("L=0.4", 0.4),
        ("L = -1e-3", -1e-3),
        ("phi=30[deg]", math.pi / 6),
        ("L=25[cm]", 0.25),
        ("gamma=-pi/2", -math.pi / 2),
        ("on=true", True),
        ("p={1, 2.5, -3}", [1, 2.5, -3]),
        ("I=[1, 0; 0, 2]", [[1, 0], [0, 2]]),
        ("I={{1, 0}, {0, 2}}", [[1, 0], [0, 2]]),
        ("L=+(1 + 2)*3", 9),
    ],
)
def test_what_can_stand_in_a_value(text: str, value: object) -> None:
    assert read(text).value == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    "text",
    [
        "L", "L=", "=1", "L=x", "L=sin(1)", "L=1; kinetic = 2", "L=1 \"text\"", "L=\"text\"", "L=1/0",
        "L=1e999", "L=2[parsec!]", "L=2[furlong]", "L=true*2", "L=2[m]*3", "L=1) (start = 2",
        "L=1; end Setting; model Evil", "L={1, 2", "L=" + "(" * 500, "L=" + "{" * 5000 + "}" * 5000,
        "L=" + "-" * 3000 + "1", "L=1 // ", "L=__import__('os')",
    ],
)  # fmt: skip
def test_what_cannot(text: str) -> None:
    if text == "L=1 // ":
        assert read(text).value == 1, "a comment is harmless"
        return
    with pytest.raises(SettingError):
        read(text)


def test_settings_are_told_apart_by_what_the_model_declares() -> None:
    texts = [
        "L=2[m]",
        "wheel.m=3",
        "u=0.1",
        "x.start=5[cm]",
        "x.rate=1",
        "p.start={1, 2, 3}",
        "p[2].rate=4",
        "i.start=7[mA]",
    ]
    result = sort_settings([read(text) for text in texts], FLAT)
    assert result.parameters == {"L": 2, "wheel.m": 3}
    assert result.inputs == {"u": 0.1}
    assert result.starts == {"x": 0.05, "der(x)": 1, "p": [1, 2, 3], "der(p[2])": 4, "i": 0.007}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("l=1", "no parameter, input or coordinate `l`; did you mean `L`?"),
        ("wheel.M=1", "did you mean `wheel.m`?"),
        ("a=1", "final"),
        ("g=1", "constant"),
        ("x=1", r"x\.start="),
        ("i=1", "worked out"),
        ("L.start=1", "not a coordinate"),
        ("i.rate=1", "not a coordinate"),
        ("y.start=1", "`y`"),
        ("L=2[kg]", "is set in kg, but it is in m"),
        ("x.start=2[s]", "is set in s, but it is in m"),
        ("x.rate=2[m]", "is set in m, but it is in m/s"),
    ],
)
def test_what_cannot_be_set(text: str, complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        sort_settings([read(text)], FLAT)


def test_units_are_remembered_for_the_check() -> None:
    assert read("p={1[m], 2}").dimensions == {LENGTH}
