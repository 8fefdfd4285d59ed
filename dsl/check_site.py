"""Where the rules of the checker report to, and how they build the nodes of the program."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import complaints_check as say
from . import program
from .check_dimension import Meeting, meet, settle, spread
from .check_value import (
    PARAMETER,
    Dims,
    Shape,
    Soft,
    Value,
    ValueKind,
    final_type,
    first_trouble,
    size_of,
    united,
    wrong,
)
from .diagnostics import Diagnostic
from .fold import fold
from .records import field, mutable, replace
from .source import Span

MOST_ELEMENTS = 100_000
MOST_TERMS = 1_000_000
MOST_MIXED_TERMS = 200_000  # where elements have dimensions of their own, each term is looked at
_MOST_TOTAL = 5_000_000
_FOLDED = 64


@mutable
class Site:
    """Collects what the rules find: diagnostics, and the unknowns whose rate is taken.

    `total` counts the elements built so far, so that no text can ask for more memory than there is.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    states: set[str] = field(default_factory=set)
    total: int = 0

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def mistake(self, diagnostic: Diagnostic, *operands: Value) -> Value:
        """Tells a mistake and gives the value that fits everywhere."""
        self.diagnostics.append(diagnostic)
        return wrong(operands[0].span if operands else diagnostic_span(diagnostic), united(v.facts for v in operands))

    def apply(
        self,
        operation: str,
        operands: Sequence[Value],
        span: Span,
        shape: Shape,
        dims: Dims,
        kind: ValueKind = "real",
        rotation: bool = False,
    ) -> Value:
        """The value of an operation whose operands fit; a fixed scalar becomes a constant."""
        if not self.has_room(shape, span):
            return wrong(span)
        facts = united(operand.facts for operand in operands)
        trouble = first_trouble(operands)
        number = _folded(operation, operands, shape)
        if number is not None and not all(map(math.isfinite, number)):
            if not facts.depends & PARAMETER and trouble is None:
                trouble = say.not_finite(span, next(x for x in number if not math.isfinite(x)))
            number = None
        type_ = final_type(shape, dims, kind)
        node: program.Expr
        if number is not None and shape == () and not facts.depends:
            node = program.Constant(number[0] if kind == "real" else bool(number[0]), type=type_, span=span)
        else:
            node = program.Apply(operation, tuple(o.node for o in operands), type=type_, span=span)
        return Value(node, shape, dims, kind, facts, number, rotation, trouble)

    def has_room(self, shape: Shape, span: Span) -> bool:
        """Whether an array of this shape may be built; else it is told once."""
        size = size_of(shape)
        if size > MOST_ELEMENTS:
            self.report(say.too_large(span, size, MOST_ELEMENTS))
            return False
        before, self.total = self.total, self.total + size
        if self.total <= _MOST_TOTAL:
            return True
        if before <= _MOST_TOTAL:
            self.report(say.too_large(span, self.total, _MOST_TOTAL))
        return False

    def number(self, value: Value, what: str) -> None:
        """Warns where a plain number is needed and a quantity stands."""
        for dim in value.dims:
            if not isinstance(dim, Soft) and not dim.is_one:
                self.report(say.number_expected(value.span, what, dim))
                return

    def real(self, *values: Value) -> bool:
        """Whether all are numbers; else the first that is none is told."""
        for value in values:
            if value.kind == "boolean":
                self.report(say.boolean_as_number(value.span))
                return False
            if value.kind == "text":
                self.report(say.text_as_number(value.span))
                return False
        return True

    def meet(self, span: Span, doing: str, left: Value, right: Value) -> Dims | None:
        """The dimensions two values of one shape agree on; None where they do not fit (told)."""
        if left.shape != right.shape:
            shapes = (left.shape or (), right.shape or ())
            self.report(say.shapes_differ(span, f"cannot {doing}", left.span, shapes[0], right.span, shapes[1]))
            return None
        found = meet(left.dims, right.dims)
        where = element_text(found, left.shape or ())
        if found.quarrel == "clash":
            told = say.dimension_clash(span, f"cannot {doing}", left.span, found.left, right.span, found.right, where)
            self.report(told)
            return None
        if found.quarrel == "plain":
            left_plain = not isinstance(found.left, Soft) and found.left.is_one
            plain, other = (left, right) if left_plain else (right, left)
            dim = found.right if left_plain else found.left
            self.report(say.plain_operand(span, plain.span, other.span, dim, where))
        return found.dims

    def fits(self, value: Value, what: str, shape: Shape, dims: Dims) -> Value:
        """A value where `what` asks for a shape and dimensions; wrong, and told, where it does not fit."""
        if value.is_wrong:
            return value
        if not self.real(value):
            return wrong(value.span, value.facts)
        if value.shape != shape:
            return self.mistake(say.shape_expected(value.span, what, shape, value.shape or ()), value)
        found = meet(dims, value.dims)
        where = element_text(found, shape)
        if found.quarrel == "clash":
            return self.mistake(say.dimension_expected(value.span, what, found.left, found.right, where), value)
        if found.quarrel == "plain" and not isinstance(found.right, Soft) and found.right.is_one:
            self.report(say.plain_number(value.span, what, found.left, where))
        elif found.quarrel == "plain":
            self.report(say.number_expected(value.span, what + where, found.right))
        return adopted(value, dims)

    def condition(self, value: Value) -> Value:
        """A scalar that is true or false; wrong, and told, where it is not."""
        if value.is_wrong:
            return value
        if value.kind != "boolean" or value.shape != ():
            return self.mistake(say.condition_expected(value.span), value)
        return value

    def settle_trouble(self, value: Value) -> Value:
        """Tells a value that is not finite, now that it is used."""
        if value.trouble is None:
            return value
        return self.mistake(value.trouble, value)


def diagnostic_span(diagnostic: Diagnostic) -> Span:
    if diagnostic.span is None:
        raise AssertionError("complaints of the checker have a place")
    return diagnostic.span


def element_text(found: Meeting, shape: Shape) -> str:
    """Which element a quarrel is about, counted from 1; empty for a scalar."""
    if found.quarrel is None or not shape:
        return ""
    if len(shape) == 1:
        return f" (element {found.element + 1})"
    return f" (element [{found.element // shape[1] + 1}, {found.element % shape[1] + 1}])"


def adopted(value: Value, dims: Dims) -> Value:
    """The value with the dimensions of what it met: literals become quantities."""
    if value.shape is None or (len(value.dims) == 1 and not isinstance(value.dims[0], Soft)):
        return value
    if not any(isinstance(dim, Soft) for dim in value.dims):
        return value
    return value._replace(node=_retyped(value.node, value.shape, dims), dims=dims)


def settled(value: Value) -> Value:
    """The value as it enters a product: literals beside quantities of one dimension have it too."""
    dims = settle(value.dims)
    return value if dims is value.dims else adopted(value, dims)


def fitted(site: Site, span: Span, doing: str, left: Value, right: Value) -> tuple[Value, Value, Dims] | None:
    """Both sides of a meeting, and the dimensions they agree on; None where they do not fit (told)."""
    dims = site.meet(span, doing, left, right)
    return None if dims is None else (adopted(left, dims), adopted(right, dims), dims)


def _retyped(node: program.Expr, shape: Shape, dims: Dims) -> program.Expr:
    type_ = final_type(shape, dims, node.type.kind)
    if isinstance(node, program.Constant):
        return program.Constant(node.value, type=type_, span=node.span)
    if not isinstance(node, program.Stack):
        return replace(node, type=type_)
    size = size_of(shape[1:])
    all_dims = spread(dims, size_of(shape))
    items = [
        _retyped(item, shape[1:], dims if len(dims) == 1 else all_dims[i * size : (i + 1) * size])
        for i, item in enumerate(node.items)
    ]
    return replace(node, type=type_, items=tuple(items))


def _folded(operation: str, operands: Sequence[Value], shape: Shape) -> tuple[float, ...] | None:
    if size_of(shape) > _FOLDED:
        return None
    numbers = []
    for operand in operands:
        if operand.number is None or operand.size > _FOLDED:
            return None
        numbers.append(operand.number)
    return fold(operation, [operand.shape or () for operand in operands], numbers, shape)
