"""Arithmetic on the dimensions of elements, some of which may still be open (see `check_value.Soft`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from .check_value import Dim, Dims, Shape, Soft
from .dimension import ONE, Dimension

Quarrel: TypeAlias = Literal["clash", "plain"]
"""Two dimensions that differ: both are quantities, or one is a plain number."""


class Meeting(NamedTuple):
    """The dimension on which two agree, or why they do not, and for which element (from 0)."""

    dims: Dims
    quarrel: Quarrel | None = None
    element: int = 0
    left: Dim = ONE
    right: Dim = ONE


def times(a: Dim, b: Dim) -> Dim:
    if a is Soft.UNKNOWN or b is Soft.UNKNOWN:
        return Soft.UNKNOWN
    if a is Soft.ZERO or b is Soft.ZERO:
        return Soft.ZERO
    if isinstance(a, Soft):
        return b
    if isinstance(b, Soft):
        return a
    if a is ONE or b is ONE:
        return b if a is ONE else a
    return a * b


def over(a: Dim, b: Dim) -> Dim:
    if a is Soft.UNKNOWN or b is Soft.UNKNOWN or b is Soft.ZERO:
        return Soft.UNKNOWN
    if a is Soft.ZERO or isinstance(b, Soft):
        return a
    if isinstance(a, Soft):
        return ONE / b
    return a / b


def power(a: Dim, exponent: Fraction | int) -> Dim:
    if isinstance(a, Soft):
        # 0^0 is 1; a zero below a stroke is told by its value.
        return Soft.LITERAL if a is Soft.ZERO and exponent <= 0 else a
    return a**exponent


def agree(a: Dim, b: Dim) -> tuple[Dim, Quarrel | None]:
    """The dimension two share where they meet; the quantity where the other is a plain number."""
    if a is b:
        return a, None
    if a is Soft.UNKNOWN or b is Soft.UNKNOWN:
        return Soft.UNKNOWN, None
    if isinstance(a, Soft):
        return (a if b is Soft.ZERO else b), None
    if isinstance(b, Soft):
        return a, None
    if a == b:
        return a, None
    if a.is_one:
        return b, "plain"
    return a, "plain" if b.is_one else "clash"


def is_plain(dim: Dim) -> bool:
    """A plain number or a rate of one: all that a model without units is made of."""
    return isinstance(dim, Dimension) and not any(e for i, e in enumerate(dim.exponents) if i != 2)


def spread(dims: Dims, size: int) -> Dims:
    """One entry per element."""
    return dims * size if len(dims) == 1 else dims


def compact(dims: Sequence[Dim]) -> Dims:
    """One entry where all are the same."""
    if not dims:
        return (Soft.ZERO,)
    first = dims[0]
    return (first,) if all(dim is first or dim == first for dim in dims) else tuple(dims)


def each(operation: Callable[[Dim, Dim], Dim], a: Dims, b: Dims) -> Dims:
    """Element by element; a single entry stands for all."""
    if len(a) == 1 and len(b) == 1:
        return (operation(a[0], b[0]),)
    size = max(len(a), len(b))
    return compact([operation(x, y) for x, y in zip(spread(a, size), spread(b, size), strict=True)])


def meet(a: Dims, b: Dims) -> Meeting:
    """Where two values of one shape meet, element by element.

    A clash is told before a plain number.
    """
    if len(a) == 1 and len(b) == 1:
        dim, quarrel = agree(a[0], b[0])
        return Meeting((dim,)) if quarrel is None else Meeting((dim,), quarrel, 0, a[0], b[0])
    size = max(len(a), len(b))
    merged: list[Dim] = []
    plain: Meeting | None = None
    for element, (x, y) in enumerate(zip(spread(a, size), spread(b, size), strict=True)):
        dim, quarrel = agree(x, y)
        if quarrel == "clash":
            return Meeting((Soft.UNKNOWN,), quarrel, element, x, y)
        if quarrel == "plain" and plain is None:
            plain = Meeting((), quarrel, element, x, y)
        merged.append(dim)
    if plain is None:
        return Meeting(compact(merged))
    return plain._replace(dims=compact(merged))


def gather(dims: Dims) -> Meeting:
    """The one dimension of all elements, as in their sum."""
    total: Dim = Soft.ZERO
    plain: Meeting | None = None
    for element, dim in enumerate(dims):
        merged, quarrel = agree(total, dim)
        if quarrel == "clash":
            return Meeting((Soft.UNKNOWN,), quarrel, element, total, dim)
        if quarrel == "plain" and plain is None:
            plain = Meeting((), quarrel, element, total, dim)
        total = merged
    return Meeting((total,)) if plain is None else plain._replace(dims=(total,))


def settle(dims: Dims) -> Dims:
    """Literals beside quantities of one dimension have it too: `{0, 2, R}` is three lengths."""
    if len(dims) == 1:
        return dims
    fixed = {dim for dim in dims if isinstance(dim, Dimension)}
    if len(fixed) != 1:
        return dims
    (only,) = fixed
    return compact([only if dim is Soft.LITERAL else dim for dim in dims])


def harden(dims: Dims) -> Dims:
    """The dimensions of a definition: literals beside quantities have theirs, others are plain numbers."""
    settled = settle(dims)
    if len(settled) == 1 and isinstance(settled[0], Soft) and settled[0] is not Soft.UNKNOWN:
        return (ONE,)
    fixed = {dim for dim in settled if isinstance(dim, Dimension)}
    zero: Dim = next(iter(fixed)) if len(fixed) == 1 else Soft.ZERO
    return compact([ONE if d is Soft.LITERAL else zero if d is Soft.ZERO else d for d in settled])


def contract(a: Dims, b: Dims, rows: int, inner: int, columns: int) -> Iterator[tuple[Dims, int, int]]:
    """Per element of a matrix product, the dimensions of the terms that are added, and row and column.

    `a` has (rows, inner) elements, `b` (inner, columns).
    """
    a_all = spread(a, rows * inner)
    b_all = spread(b, inner * columns)
    for row in range(rows):
        for column in range(columns):
            terms = tuple(times(a_all[row * inner + k], b_all[k * columns + column]) for k in range(inner))
            yield terms, row, column


def transposed(dims: Dims, shape: Shape) -> Dims:
    if len(dims) == 1:
        return dims
    rows, columns = shape
    return tuple(dims[row * columns + column] for column in range(columns) for row in range(rows))
