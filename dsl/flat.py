"""A flat model: dotted names, no component, no loop, no class left; every name is bound.

What can no longer occur: modifications, inheritance, `inner`/`outer`, records (their members are
variables of their own), user functions (put in where they were called), comprehensions and ranges,
structural `if`, `end` in a subscript. Shapes of operators and dimensions are not checked yet.

Expressions may share nodes: what a function's argument was put in for several times is one object.
Passes over them go by identity (`id`), so that work stays in proportion to what was written.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

from .dimension import Dimension
from .records import field, frozen
from .source import Source, Span
from .statements import Experiment, Statements


@frozen(kw_only=True, eq=False)
class Node:
    """A flat expression; the span is where it was written (in a function: in the function's text)."""

    span: Span = field(repr=False)


@frozen(eq=False)
class Number(Node):
    """A number in SI units.

    `dimension` is that of its unit literal; None for a plain literal, which takes the dimension it meets.
    """

    value: float
    dimension: Dimension | None = None


@frozen(eq=False)
class Truth(Node):
    value: bool


@frozen(eq=False)
class Text(Node):
    value: str


@frozen(eq=False)
class Variable(Node):
    """A whole variable of the flat model, by its dotted name (`wheel.frame.r`)."""

    name: str


@frozen(eq=False)
class Time(Node):
    """`time`."""


@frozen(eq=False)
class Element(Node):
    """`base[subscripts]`: per dimension an index or a selection of indices, all counted from 1.

    An int drops its dimension, a tuple keeps it, None stands for the whole dimension.
    Fewer subscripts than dimensions leave the last dimensions whole.
    """

    base: Expr
    subscripts: tuple[int | tuple[int, ...] | None, ...]


@frozen(eq=False)
class Unary(Node):
    operator: Literal["-", "not"]
    operand: Expr


@frozen(eq=False)
class Binary(Node):
    """Operators as in `syntax.BinaryOperator`."""

    operator: str
    left: Expr
    right: Expr


@frozen(eq=False)
class Conditional(Node):
    """`if condition then a else b` decided during the run."""

    condition: Expr
    then: Expr
    otherwise: Expr


@frozen(eq=False)
class Array(Node):
    """`{a, b}` of items of one shape; a matrix is an array of rows."""

    items: tuple[Expr, ...]


@frozen(eq=False)
class Call(Node):
    """A built-in function (`sin`, `cross`, `der`, `rotX`, `sum` ...); user functions are put in."""

    function: str
    arguments: tuple[Expr, ...]


@frozen(eq=False)
class Reaction(Node):
    """`reaction(c)` or `reaction(c, x)`: `label` is dotted; it may also be a limit's or a friction's."""

    label: str
    coordinate: Expr | None


@frozen(eq=False)
class Table(Node):
    """`table("file.csv", "column", x)`: the file has been found, not yet read."""

    path: str
    column: str
    argument: Expr


@frozen(eq=False)
class Declared(Node):
    """A value put in where a function or record declares `name` of a quantity type: it has that dimension."""

    operand: Expr
    name: str
    dimension: Dimension


@frozen(eq=False)
class Poison(Node):
    """An expression that was complained about already: whatever it meets stays silent.

    It occurs only in a model that has errors; later passes take it for anything that fits.
    """


Expr: TypeAlias = (
    Number
    | Truth
    | Text
    | Variable
    | Time
    | Element
    | Unary
    | Binary
    | Conditional
    | Array
    | Call
    | Reaction
    | Table
    | Declared
    | Poison
)


def parts(expression: Expr) -> tuple[Expr, ...]:
    """The expressions that one is made of, left to right."""
    match expression:
        case Number() | Truth() | Text() | Variable() | Time() | Poison():
            return ()
        case Element():
            return (expression.base,)
        case Unary() | Declared():
            return (expression.operand,)
        case Binary():
            return (expression.left, expression.right)
        case Conditional():
            return (expression.condition, expression.then, expression.otherwise)
        case Array():
            return expression.items
        case Call():
            return expression.arguments
        case Reaction():
            return () if expression.coordinate is None else (expression.coordinate,)
        case Table():
            return (expression.argument,)
    assert_never(expression)


BaseType: TypeAlias = Literal["Real", "Integer", "Boolean", "String", "Rotation"]
VariableKind: TypeAlias = Literal["parameter", "constant", "input", "output", "coordinate", "plain"]


@frozen(kw_only=True)
class VariableDeclaration:
    """One variable. Sizes are known; a `Rotation` has no dimensions of its own (arrays of them are split).

    `type_name` is as declared (`Length`); `unit` the unit text its type or modification gives, None for a
    plain `Real`. `attributes` holds `start`, `rate`, `guess`, `guessRate`, `min`, `max`, `nominal`
    where given. `given_by` is the place of the binding: the declaration's or a modification's.
    """

    name: str
    kind: VariableKind
    base: BaseType
    type_name: str
    unit: str | None
    dimensions: tuple[int, ...]
    attributes: dict[str, Expr]
    binding: Expr | None
    final: bool
    structural: bool
    description: str
    span: Span = field(compare=False, repr=False)
    given_by: Span | None = field(default=None, compare=False, repr=False)
    component: str = ""


@frozen(kw_only=True)
class FlatModel:
    """The whole of an instantiated model.

    `structure` are the values structural parameters were given. `components` maps each component's
    dotted path to its class name, for messages (`Wheel w`).
    """

    name: str
    description: str
    source: Source
    span: Span = field(compare=False, repr=False)
    variables: tuple[VariableDeclaration, ...]
    statements: Statements[Expr]
    experiment: Experiment
    structure: dict[str, float | bool]
    components: dict[str, str]
