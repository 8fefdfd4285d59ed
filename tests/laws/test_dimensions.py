"""A change of units changes numbers only by the factors their dimensions say.

Expressions of a wanted dimension are generated at random and must pass the checker without a word; their
value in other base units must be the old one times the factor of their dimension. With a term of another
dimension added, they must be refused.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbdc.dsl import program
from mbdc.dsl.check import check
from mbdc.dsl.diagnostics import Diagnostic, Severity, render_all
from mbdc.dsl.dimension import ONE, Dimension
from mbdc.dsl.flatten import flatten
from mbdc.dsl.fold import fold
from mbdc.dsl.link import link
from mbdc.dsl.parse import parse
from mbdc.dsl.program import Program
from mbdc.dsl.source import Source
from mbdc.dsl.units import parse_unit, unit_text

VARIABLES = {
    "x": "Length",
    "y": "Length",
    "m": "Mass",
    "v": "Velocity",
    "F": "Force",
    "T": "Time",
    "a": "Angle",
}
UNITS = {"x": "m", "y": "m", "m": "kg", "v": "m/s", "F": "N", "T": "s", "a": "1"}
DIMENSIONS = {name: parse_unit(unit).dimension for name, unit in UNITS.items()}
HEAD = "\n".join(f"  coordinate {quantity} {name};" for name, quantity in VARIABLES.items())
Numbers = tuple[float, ...]


class Writer:
    """Writes an expression of a dimension; `depth` bounds how far it is nested."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def write(self, dimension: Dimension, depth: int) -> str:
        if depth == 0:
            return self.leaf(dimension)
        choice = self.random.choice(
            (
                self.sum,
                self.product,
                self.quotient,
                self.root,
                self.choice,
                self.dot,
                self.norm,
                self.extreme,
                self.one,
            )
        )
        return choice(dimension, depth - 1)

    def leaf(self, dimension: Dimension) -> str:
        names = [name for name, own in DIMENSIONS.items() if own == dimension]
        if names and self.random.random() < 0.8:
            return self.random.choice(names)
        number = f"{self.random.uniform(0.5, 3):.3f}"
        return number if dimension.is_one else f"{number}[{unit_text(dimension)}]"

    def other(self) -> Dimension:
        return self.random.choice(list(DIMENSIONS.values()))

    def sum(self, dimension: Dimension, depth: int) -> str:
        right = "1.5" if self.random.random() < 0.2 else self.write(dimension, depth)
        return f"({self.write(dimension, depth)} {self.random.choice('+-')} {right})"

    def product(self, dimension: Dimension, depth: int) -> str:
        factor = self.other()
        return f"({self.write(factor, depth)}*{self.write(dimension / factor, depth)})"

    def quotient(self, dimension: Dimension, depth: int) -> str:
        divisor = self.other()
        return f"({self.write(dimension * divisor, depth)}/{self.write(divisor, depth)})"

    def root(self, dimension: Dimension, depth: int) -> str:
        if self.random.random() < 0.5:
            return f"sqrt(abs({self.write(dimension**2, depth)}))"
        return f"abs({self.write(dimension**3, depth)})^(1/3)"

    def choice(self, dimension: Dimension, depth: int) -> str:
        compared = self.other()
        condition = f"{self.write(compared, depth)} < {self.write(compared, depth)}"
        return f"(if {condition} then {self.write(dimension, depth)} else {self.write(dimension, depth)})"

    def dot(self, dimension: Dimension, depth: int) -> str:
        factor = self.other()
        left = f"{{{self.write(factor, depth)}, 0, {self.write(factor, depth)}}}"
        rest = dimension / factor
        return f"({left}*{{{self.write(rest, depth)}, {self.write(rest, depth)}, 2}})"

    def norm(self, dimension: Dimension, depth: int) -> str:
        vector = f"{{{self.write(dimension, depth)}, 1, {self.write(dimension, 0)}}}"
        return f"norm(rotZ({self.write(ONE, depth)})*{vector})"

    def extreme(self, dimension: Dimension, depth: int) -> str:
        function = self.random.choice(("min", "max"))
        return f"{function}({self.write(dimension, depth)}, {self.write(dimension, depth)})"

    def one(self, dimension: Dimension, depth: int) -> str:
        if not dimension.is_one:
            return self.product(dimension, depth)
        function = self.random.choice(("sin", "cos", "tanh", "atan"))
        return f"{function}({self.write(ONE, depth)})"


def checked(expression: str) -> tuple[Program | None, list[Diagnostic]]:
    text = f"model M\n{HEAD}\n  Real e = {expression};\nend M;\n"
    library, diagnostics = link(Source("made", text), parse)
    model, more = flatten(library)
    assert model is not None
    result, last = check(model)
    told = [d for d in [*diagnostics, *more, *last] if not d.code.startswith("unused")]
    return result, [d for d in told if d.severity is not Severity.NOTE]


def factor(dimension: Dimension, scales: Numbers) -> float:
    """How a number of this dimension grows when base units shrink by these scales."""
    return math.prod(scale ** float(power) for scale, power in zip(scales, dimension.exponents, strict=False))


def value(node: program.Expr, values: dict[str, float], scales: Numbers) -> Numbers | None:
    """The elements of an expression in units changed by `scales`; None where it is not a number."""
    match node:
        case program.Constant():
            return (float(node.value) * (factor(node.type.dimension(), scales)),)
        case program.Variable():
            return (values[node.name] * factor(DIMENSIONS[node.name], scales),)
        case program.Stack():
            items = [value(item, values, scales) for item in node.items]
            return None if None in items else tuple(x for item in items if item for x in item)
        case program.Conditional():
            condition = value(node.condition, values, scales)
            if condition is None:
                return None
            return value(node.then if condition[0] else node.otherwise, values, scales)
        case program.Apply():
            parts = [value(part, values, scales) for part in node.arguments]
            if any(part is None for part in parts):
                return None
            shapes = [part.type.shape for part in node.arguments]
            return fold(node.operation, shapes, [part for part in parts if part is not None], node.type.shape)
    raise AssertionError(f"not expected here: {type(node).__name__}")


seeds = st.integers(0, 2**32)


@settings(deadline=None, max_examples=50)
@given(seeds, st.sampled_from(sorted(set(DIMENSIONS.values()), key=str)), st.integers(1, 3))
def test_values_scale_as_dimensions_say(seed: int, dimension: Dimension, depth: int) -> None:
    writer = Writer(seed)
    expression = writer.write(dimension, depth)
    result, told = checked(expression)
    assert result is not None and not told, f"{expression}\n{render_all(told)}"
    definition = result.variables["e"]
    assert definition.binding is not None
    assert definition.type.dimension() == dimension
    values = {name: writer.random.uniform(0.5, 2) for name in VARIABLES}
    scales = tuple(writer.random.choice((0.5, 2.0, 4.0, 8.0)) for _ in range(3))
    plain = value(definition.binding, values, (1.0, 1.0, 1.0))
    scaled = value(definition.binding, values, scales)
    assume(plain is not None and scaled is not None)
    assert plain is not None and scaled is not None
    assume(math.isfinite(plain[0]) and 1e-6 < abs(plain[0]) < 1e9)
    expected = plain[0] * factor(dimension, scales)
    assert math.isclose(scaled[0], expected, rel_tol=1e-6), expression


@settings(deadline=None, max_examples=50)
@given(seeds, st.integers(0, 2))
def test_a_term_of_another_dimension_is_refused(seed: int, depth: int) -> None:
    writer = Writer(seed)
    first, second = writer.random.sample(sorted({d for d in DIMENSIONS.values() if not d.is_one}, key=str), 2)
    expression = f"{writer.write(first, depth)} + ({writer.write(second, depth)})*1[1]"
    result, told = checked(expression)
    assert result is None
    assert [d.code for d in told] == ["dimension-clash"], f"{expression}\n{render_all(told)}"


@given(
    st.tuples(*[st.fractions(-3, 3, max_denominator=6)] * 7),
    st.tuples(*[st.fractions(-3, 3, max_denominator=6)] * 7),
)
def test_dimensions_are_a_group(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> None:
    left, right = Dimension(a), Dimension(b)
    assert left * right / right == left
    assert left * right == right * left
    assert (left**2) ** Fraction(1, 2) == left
    assert left / left == ONE
