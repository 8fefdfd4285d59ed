"""The checked program: few node kinds, SI numbers, no sugar; every expression has a shape and a dimension.

What can no longer occur: an unknown name, operands whose shapes or dimensions do not fit, a unit, a
text where a number is needed, an operator whose meaning depends on shapes (`*` has become one of
`multiply`, `scale`, `dot`, `matvec`, `vecmat`, `matmul`), an index out of range.
As in the flat model, expressions may share nodes and are to be walked by identity.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .dimension import ONE, Dimension
from .flat import BaseType, VariableKind
from .records import field, frozen
from .source import Source, Span
from .statements import Experiment, Statements


@frozen
class Type:
    """What a value is.

    `shape` is () for a scalar, (n,) for a vector, (m, n) for a matrix. `dimensions` has one entry that
    holds for all elements, or one per element, row by row.
    """

    shape: tuple[int, ...] = ()
    dimensions: tuple[Dimension, ...] = (ONE,)
    kind: Literal["real", "boolean", "text"] = "real"

    @property
    def size(self) -> int:
        """Number of scalar elements."""
        product = 1
        for extent in self.shape:
            product *= extent
        return product

    def dimension(self, element: int = 0) -> Dimension:
        """The dimension of an element, counted from 0 row by row."""
        return self.dimensions[element] if len(self.dimensions) > 1 else self.dimensions[0]


@frozen(kw_only=True, eq=False)
class Node:
    """A checked expression."""

    type: Type
    span: Span = field(repr=False)


@frozen(eq=False)
class Constant(Node):
    """A scalar number in SI units, or a truth value."""

    value: float | bool


@frozen(eq=False)
class Text(Node):
    value: str


@frozen(eq=False)
class Variable(Node):
    """A whole variable, by name; a `Rotation` has shape (3, 3)."""

    name: str


@frozen(eq=False)
class Time(Node):
    """The time, in seconds."""


@frozen(eq=False)
class Element(Node):
    """A part of an array. Per dimension an index (drops it) or a tuple of indices (keeps it), from 0."""

    base: Expr
    subscripts: tuple[int | tuple[int, ...], ...]


@frozen(eq=False)
class Apply(Node):
    """A built-in operation on its arguments; `OPERATIONS` lists all there are."""

    operation: str
    arguments: tuple[Expr, ...]


@frozen(eq=False)
class Conditional(Node):
    """`then` where the condition holds, else `otherwise`; both have one shape."""

    condition: Expr
    then: Expr
    otherwise: Expr


@frozen(eq=False)
class Stack(Node):
    """Items of one shape along a new first dimension: scalars make a vector, vectors the rows of a matrix."""

    items: tuple[Expr, ...]


@frozen(eq=False)
class Derivative(Node):
    """The total time derivative of the operand. For a `Rotation` a (3, 3) matrix."""

    operand: Expr


@frozen(eq=False)
class Reaction(Node):
    """The multiplier of a constraint, limit or friction, or (with a coordinate) its force on it.

    With a constraint of one row the shape is (), else (rows,). `coordinate` is a `Variable` or an
    `Element` of one; for a `Rotation` the value is the torque in body axes, shape (3,).
    """

    label: str
    coordinate: Expr | None


@frozen(eq=False)
class Lookup(Node):
    """Linear interpolation in a table that was read from a file: xs strictly increasing."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    argument: Expr


Expr: TypeAlias = (
    Constant | Text | Variable | Time | Element | Apply | Conditional | Stack | Derivative | Reaction | Lookup
)

OPERATIONS = frozenset(
    {
        # arithmetic; `add`, `subtract`, `multiply`, `divide` take equal shapes, element by element
        "negate", "add", "subtract", "multiply", "divide",
        # scale(scalar, array); shrink(array, scalar) divides; raise(x, scalar exponent) element by element
        "scale", "shrink", "raise",
        # products: dot(v, w), matvec(A, v), vecmat(v, A), matmul(A, B), power of a square matrix
        "dot", "matvec", "vecmat", "matmul", "matpower",
        # relations between scalars and logic
        "less", "lessequal", "greater", "greaterequal", "equal", "unequal", "and", "or", "not",
        # elementary functions, element by element
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10",
        "sqrt", "abs", "sign", "floor", "ceil",
        # atan2(y, x); min and max of two scalars, or of one vector's elements
        "atan2", "min", "max", "minimum", "maximum",
        # vectors and matrices; `sum` adds all elements, `norm` is Euclidean
        "sum", "product", "norm", "cross", "skew", "transpose", "diagonal", "identity", "zeros", "ones",
        # rotations: rotX(angle) ... body to world; rotAxis(axis, angle); body axes; {yaw, pitch, roll}
        "rotX", "rotY", "rotZ", "rotAxis", "angularVelocity", "eulerZYX",
        # interpolate(xs, ys, x): linear, held at the ends
        "interpolate",
    }
)  # fmt: skip
"""`identity`, `zeros`, `ones` have no arguments: their shape is in their type."""


@frozen(kw_only=True)
class VariableDefinition:
    """A variable, checked.

    A `coordinate` has no binding; a `plain` or `output` without one is an unknown that equations find.
    `attributes` as in the flat model: each has the variable's shape (`rate` of a `Rotation`: (3,)).
    `is_state` says that `der` of an unknown is taken somewhere. `unit` is the unit to show, SI; empty
    where the elements differ, and for truth values and texts.
    """

    name: str
    kind: VariableKind
    base: BaseType
    type: Type
    unit: str
    attributes: dict[str, Expr]
    binding: Expr | None
    final: bool
    structural: bool
    description: str
    is_state: bool = False
    component: str = ""
    span: Span = field(compare=False, repr=False)
    given_by: Span | None = field(default=None, compare=False, repr=False)


@frozen(kw_only=True)
class Program:
    """A checked model, ready to be compiled; variables stand in the order declared.

    Definitions form no cycle. Each `force`'s effort and flow have one shape and their product is a power.
    Flows, of frictions too, are velocities: a configuration expression has become its rate, a Rotation its
    angular velocity in body axes.
    Each constraint's sides have one shape and one dimension per row.
    """

    name: str
    description: str
    source: Source
    span: Span = field(compare=False, repr=False)
    variables: dict[str, VariableDefinition]
    statements: Statements[Expr]
    experiment: Experiment
    structure: dict[str, float | bool]
    components: dict[str, str]
