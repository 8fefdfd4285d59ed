"""The syntax tree: a module as written, a span in every node.

Nothing is looked up yet: a name may not exist, a size may be wrong, a unit may be unknown.
Spans are left out of comparison, so that two texts that read alike are equal here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .records import field, frozen
from .source import Span


@frozen(kw_only=True)
class Node:
    """Anything with a place in the text."""

    span: Span = field(compare=False, repr=False)


# --- expressions -----------------------------------------------------------------------------


@frozen
class Number(Node):
    """`2.5` or `2.5[kPa]`: the value as written, the unit's text without brackets."""

    value: float
    unit: str | None = None


@frozen
class Text(Node):
    """`"a string"`, escapes resolved."""

    value: str


@frozen
class Truth(Node):
    """`true` or `false`."""

    value: bool


@frozen
class Name(Node):
    """An identifier where an expression may stand, NFC-normalised."""

    id: str


@frozen
class Member(Node):
    """`base.name`."""

    base: Expr
    name: str


@frozen
class Subscript(Node):
    """`base[subscripts]`."""

    base: Expr
    subscripts: tuple[Expr, ...]


@frozen
class Range(Node):
    """`start:stop` or `start:step:stop`."""

    start: Expr
    step: Expr | None
    stop: Expr


@frozen
class Whole(Node):
    """A bare `:` in a subscript."""


@frozen
class End(Node):
    """`end` in a subscript."""


@frozen
class Unary(Node):
    """`-x`, `+x`, `not x`."""

    operator: Literal["-", "+", "not"]
    operand: Expr


BinaryOperator: TypeAlias = Literal["+", "-", "*", "/", "^", ".*", "./", "<", "<=", ">", ">=", "==", "<>", "and", "or"]


@frozen
class Binary(Node):
    """Two operands and the operator between them."""

    operator: BinaryOperator
    left: Expr
    right: Expr


@frozen
class Conditional(Node):
    """`if condition then a else b` (an `elseif` is nested in `otherwise`)."""

    condition: Expr
    then: Expr
    otherwise: Expr


@frozen
class Array(Node):
    """`{a, b, c}`."""

    items: tuple[Expr, ...]


@frozen
class Matrix(Node):
    """`[a, b; c, d]`."""

    rows: tuple[tuple[Expr, ...], ...]


@frozen
class Iterator(Node):
    """`i in 1:n`."""

    name: str
    values: Expr


@frozen
class Comprehension(Node):
    """`f(i) for i in 1:n, j in 1:m`, inside braces or as the sole argument of a call."""

    body: Expr
    iterators: tuple[Iterator, ...]


@frozen
class Argument(Node):
    """`value` or `name = value` in a call."""

    name: str | None
    value: Expr


@frozen
class Call(Node):
    """`function(arguments)`; `der`, `reaction` and record constructors look the same here."""

    function: Expr
    arguments: tuple[Argument, ...]


Expr: TypeAlias = (
    Number
    | Text
    | Truth
    | Name
    | Member
    | Subscript
    | Range
    | Whole
    | End
    | Unary
    | Binary
    | Conditional
    | Array
    | Matrix
    | Comprehension
    | Call
)


# --- declarations ----------------------------------------------------------------------------


@frozen
class Modification(Node):
    """`m = 2`, `frame.r = P`, `x(start = 1)`, `final I = J` inside the parentheses of a declaration.

    `path` is the dotted name written before the `=` or the nested parentheses.
    """

    path: tuple[str, ...]
    value: Expr | None
    nested: tuple[Modification, ...] = ()
    final: bool = False


@frozen
class Declarator(Node):
    """One name of a declaration: `x[3](start = 0) = e "description"`. The span is the name's."""

    name: str
    dimensions: tuple[Expr, ...]
    modifications: tuple[Modification, ...]
    binding: Expr | None
    description: str


Kind: TypeAlias = Literal["parameter", "constant", "input", "output", "coordinate", "plain"]


@frozen
class Declaration(Node):
    """`final parameter Length a = 1, b = 2 "description";`."""

    kind: Kind
    type_name: tuple[str, ...]
    type_span: Span = field(compare=False, repr=False)
    declarators: tuple[Declarator, ...]
    final: bool = False
    structural: bool = False
    inner: bool = False
    outer: bool = False


@frozen
class Import(Node):
    """`import path.Name;`."""

    path: tuple[str, ...]


@frozen
class Extends(Node):
    """`extends Base(modifications);`."""

    base: tuple[str, ...]
    modifications: tuple[Modification, ...]


@frozen
class TypeDefinition(Node):
    """`type Length = Real(unit = "m") "description";`."""

    name: str
    base: tuple[str, ...]
    attributes: tuple[Modification, ...]
    description: str


# --- statements ------------------------------------------------------------------------------


@frozen
class Energy(Node):
    """`kinetic name = e;`, `potential name = e;`, `dissipation name = e;`; the name may be missing."""

    kind: Literal["kinetic", "potential", "dissipation"]
    name: str | None
    value: Expr
    description: str


@frozen
class Force(Node):
    """`force name: effort on flow;`."""

    name: str
    effort: Expr
    flow: Expr
    description: str


@frozen
class Constraint(Node):
    """`[holonomic|nonholonomic] constraint name: left = right;`."""

    qualifier: Literal["holonomic", "nonholonomic"] | None
    name: str
    left: Expr
    right: Expr
    description: str


@frozen
class Servo(Node):
    """`servo name(rate = k): left = right using u1, u2;`."""

    name: str
    options: tuple[Modification, ...]
    left: Expr
    right: Expr
    inputs: tuple[Expr, ...]
    description: str


@frozen
class Limit(Node):
    """`limit name(restitution = 0): lower <= value <= upper;` with at least one bound.

    `a >= b` is stored as value a, lower b; `a <= b` as value a, upper b.
    """

    name: str
    options: tuple[Modification, ...]
    lower: Expr | None
    value: Expr
    upper: Expr | None
    description: str


@frozen
class Friction(Node):
    """`friction name(static = 0.7): mu, normal on flow;`."""

    name: str
    options: tuple[Modification, ...]
    coefficient: Expr
    normal: Expr
    flow: Expr
    description: str


@frozen
class Equation(Node):
    """`equation name: left = right;` or `initial name: left = right;`."""

    kind: Literal["equation", "initial"]
    name: str
    left: Expr
    right: Expr
    description: str


@frozen
class Reinit(Node):
    """`reinit(target, value);` inside `when`; the target is `x` or `der(x)`."""

    target: Expr
    value: Expr


@frozen
class Terminate(Node):
    """`terminate("why");` inside `when`."""

    message: Expr


@frozen
class When(Node):
    """`when condition then actions end when;`."""

    condition: Expr
    actions: tuple[Reinit | Terminate, ...]


@frozen
class Assert(Node):
    """`assert(condition, "message");`, or `warn(...)`, which goes on."""

    condition: Expr
    message: Expr
    is_warning: bool = False


@frozen
class Visual(Node):
    """`visual shape(arguments) on frame;`."""

    shape: str
    arguments: tuple[Argument, ...]
    frame: Expr | None
    description: str


@frozen
class For(Node):
    """`for i in 1:n loop elements end for;`."""

    iterators: tuple[Iterator, ...]
    body: tuple[Element, ...]


@frozen
class Branch(Node):
    """One arm of an `if` over statements; `condition` is None for `else`."""

    condition: Expr | None
    body: tuple[Element, ...]


@frozen
class If(Node):
    """`if c then elements elseif d then elements else elements end if;`."""

    branches: tuple[Branch, ...]


@frozen
class Annotation(Node):
    """`annotation(experiment(StopTime = 10), ...);`."""

    modifications: tuple[Modification, ...]


@frozen
class ClassDefinition(Node):
    """`[partial] model NAME "description" elements end NAME;`, also `record` and `function`.

    `name_span` is the place of the name behind the keyword.
    """

    kind: Literal["model", "record", "function"]
    name: str
    name_span: Span = field(compare=False, repr=False)
    description: str
    elements: tuple[Element, ...]
    partial: bool = False


Statement: TypeAlias = (
    Energy | Force | Constraint | Servo | Limit | Friction | Equation | When | Assert | Visual | For | If | Annotation
)
Element: TypeAlias = ClassDefinition | TypeDefinition | Import | Extends | Declaration | Statement


@frozen
class Module:
    """A whole file: its imports and classes in the order written."""

    elements: tuple[ClassDefinition | TypeDefinition | Import, ...]
    span: Span = field(compare=False, repr=False)
    # Words of statements that could not be read: a name among them may have been declared there.
    lost: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
