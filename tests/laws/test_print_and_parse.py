"""Printed and parsed again, a module is what it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_blocks import code_blocks

from mbdc.dsl.format import format_module
from mbdc.dsl.parse import parse
from mbdc.dsl.source import Source

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "models").rglob("*.mbd"))
EXAMPLES = [b for b in code_blocks(ROOT / "docs" / "language.md", "mbd") if "fragment" not in b.flags]
TRICKY = """
model Tricky
  parameter Real a = -2^2, b = (-2)^2, c = 2^(-1), d = (2^3)^2, e = 2^(3^2);
  parameter Real f = 1 - (2 - 3), g = 1 - 2 - 3, h = 6/(2*3), i = 6/2*3;
  parameter Real j = -(1 + 2), k = (-1) + 2, l = 1*(-2);
  parameter Real m = if a > 0 then 1 elseif b > 0 then 2 else 3, n = (if a > 0 then 1 else 2)*3, o = +1;
  parameter Boolean p = not (a > 0 and b > 0) or not a < b, q = (a > 0) == true;
  parameter Real r[2,2] = [1, 2; 3, 4], s[2] = {x^2 for x in {1, 2}}, t = sum(i*j for i in 1:2, j in 1:2:3);
  parameter Real u = {1, 2}[1], v = r[end, :]*s[1:end], w = 1e-7 + 1e22 + 0.1[m2] + 1e300;
  parameter String y = "a \\"quote\\", a \\\\ and a\\nline";
  Part part(x(start = 1) = 2, final y.z = 3, w());
  limit both: a + 1 <= b*2 <= (if c > 0 then 1 else 2);
  limit low: (a > b) >= 3;
  visual line(points = {{0, 0, 0}, {1, 0, 0}});
end Tricky;
"""


def verify(name: str, text: str) -> None:
    module, complaints = parse(Source(name, text))
    assert module is not None and not complaints, complaints
    again, complaints = parse(Source(name, format_module(module)))
    assert not complaints, complaints
    assert again == module
    assert again is not None
    assert format_module(again) == format_module(module)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_shipped_models(path: Path) -> None:
    verify(path.name, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_examples(block: object) -> None:
    verify(str(block), block.text)  # type: ignore[attr-defined]


def test_what_needs_parentheses() -> None:
    verify("tricky.mbd", TRICKY)
