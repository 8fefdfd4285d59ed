"""What the checker knows of an expression while it works: shape, dimensions, what it depends on, its value.

A dimension may still be open: a literal takes the one it meets, a literal zero fits every one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from . import program
from .diagnostics import Diagnostic
from .dimension import ONE, Dimension
from .program import Type
from .source import Span

Shape: TypeAlias = tuple[int, ...]
ValueKind: TypeAlias = Literal["real", "boolean", "text"]


class Soft(Enum):
    """A dimension that is not fixed."""

    LITERAL = "a literal number: takes the dimension it meets, a plain number in products"
    ZERO = "a literal zero: fits every dimension, also in products"
    UNKNOWN = "unknown because of a mistake that has been told: fits everything"


Dim: TypeAlias = Dimension | Soft
Dims: TypeAlias = tuple[Dim, ...]
"""One entry for all elements, or one per element, row by row."""

# What an expression depends on, after all definitions are put in; a sum of bits.
TIME: Final = 1
POSITION: Final = 2
VELOCITY: Final = 4
ACCELERATION: Final = 8
PARAMETER: Final = 16
INPUT: Final = 32
UNKNOWN: Final = 64
UNKNOWN_RATE: Final = 128
REACTION: Final = 256
DOUBT: Final = 512  # a mistake in it has been told: it may depend on anything
MOTION: Final = POSITION | VELOCITY | ACCELERATION
CHANGING: Final = ~(PARAMETER | DOUBT)


class Facts(NamedTuple):
    """`depends` is a sum of the bits above; `unknowns` the names of the unknowns in the expression."""

    depends: int = 0
    unknowns: frozenset[str] = frozenset()


class Value(NamedTuple):
    """A checked expression.

    `shape` is None where a mistake hides it. `number` holds the elements' values where they follow from
    literals, constants and parameters as given. `rotation` says that it is a rotation by construction.
    `trouble` is a value that is not finite: told where the expression is used, not where a branch avoids it.
    """

    node: program.Expr
    shape: Shape | None
    dims: Dims = (ONE,)
    kind: ValueKind = "real"
    facts: Facts = Facts()
    number: tuple[float, ...] | None = None
    rotation: bool = False
    trouble: Diagnostic | None = None

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def is_wrong(self) -> bool:
        """A mistake in it has been told: nothing more is to be said."""
        return self.shape is None

    @property
    def size(self) -> int:
        return size_of(self.shape or ())

    @property
    def is_fixed(self) -> bool:
        """A number that nothing can change: of literals and constants alone."""
        return self.number is not None and not self.facts.depends

    @property
    def is_literal(self) -> bool:
        return all(isinstance(dim, Soft) for dim in self.dims)

    def has(self, bits: int) -> bool:
        """Whether it depends on one of these for certain."""
        return bool(self.facts.depends & bits & ~DOUBT)

    def lacks(self, bits: int) -> bool:
        """Whether it depends on none of these for certain."""
        return not self.facts.depends & (bits | DOUBT)


def wrong(span: Span, facts: Facts = Facts()) -> Value:  # noqa: B008 - immutable
    """The value of an expression with a mistake: it fits everywhere."""
    node = program.Constant(value=0.0, type=Type(), span=span)
    return Value(node, None, (Soft.UNKNOWN,), facts=Facts(facts.depends | DOUBT, facts.unknowns))


def size_of(shape: Shape) -> int:
    size = 1
    for extent in shape:
        size *= extent
    return size


def united(facts: Iterable[Facts]) -> Facts:
    depends = 0
    unknowns: frozenset[str] = frozenset()
    for fact in facts:
        depends |= fact.depends
        if fact.unknowns and not fact.unknowns <= unknowns:
            unknowns = unknowns | fact.unknowns if unknowns else fact.unknowns
    return Facts(depends, unknowns)


def first_trouble(values: Sequence[Value]) -> Diagnostic | None:
    for value in values:
        if value.trouble is not None:
            return value.trouble
    return None


@lru_cache(maxsize=4096)
def final_type(shape: Shape, dims: Dims, kind: ValueKind = "real") -> Type:
    """The type under which a value goes into the program: what is still open is a plain number."""
    return Type(shape, tuple(ONE if isinstance(dim, Soft) else dim for dim in dims), kind)
