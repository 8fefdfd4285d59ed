"""Arrays put together and parts of arrays taken out."""

from __future__ import annotations

from collections.abc import Sequence

from . import complaints_check as say
from . import flat, program
from .check_dimension import compact, spread
from .check_site import Site
from .check_value import Dims, Shape, Soft, Value, final_type, first_trouble, united, wrong
from .fold import is_rotation_matrix
from .source import Span

_HIGHEST_RANK = 2
_MOST_FOLDED = 64


def stack(site: Site, items: Sequence[Value], span: Span) -> Value:
    """`{a, b}`: items of one shape and kind; dimensions stay those of the items."""
    if not items:
        node = program.Stack((), type=final_type((0,), (Soft.ZERO,)), span=span)
        return Value(node, (0,), (Soft.ZERO,), number=())
    if any(item.is_wrong for item in items):
        return wrong(span)
    first = items[0]
    for item in items[1:]:
        if item.shape != first.shape:
            shapes = (first.shape or (), item.shape or ())
            told = say.shapes_differ(
                item.span, "items of an array must be alike", first.span, shapes[0], item.span, shapes[1]
            )
            return site.mistake(told, item)
        if item.kind != first.kind:
            return site.mistake(say.kinds_differ(item.span, first.span, item.span), item)
    shape = (len(items), *(first.shape or ()))
    if len(shape) > _HIGHEST_RANK:
        return site.mistake(say.rank_too_high(span, say.quoted(span)), first)
    if not site.has_room(shape, span):
        return wrong(span)
    return _stacked(items, shape, span)


def _stacked(items: Sequence[Value], shape: Shape, span: Span) -> Value:
    first = items[0]
    dims = first.dims
    if len(dims) > 1 or any(item.dims != dims for item in items):
        dims = compact([dim for item in items for dim in spread(item.dims, item.size)])
    facts = united(item.facts for item in items)
    number: tuple[float, ...] | None = ()
    for item in items:
        if item.number is None or number is None or len(number) > _MOST_FOLDED:
            number = None
            break
        number = number + item.number
    rotation = shape == (3, 3) and number is not None and not facts.depends and is_rotation_matrix(number)
    node = program.Stack(tuple(item.node for item in items), type=final_type(shape, dims, first.kind), span=span)
    return Value(node, shape, dims, first.kind, facts, number, rotation, first_trouble(items))


def element(site: Site, base: Value, node: flat.Element) -> Value:
    """`base[subscripts]`, subscripts checked and made to count from 0."""
    if base.is_wrong:
        return wrong(node.span, base.facts)
    shape = base.shape or ()
    if len(node.subscripts) > len(shape):
        told = say.too_many_subscripts(node.span, base.span, len(node.subscripts), shape)
        return site.mistake(told, base)
    subscripts: list[int | tuple[int, ...]] = []
    for dimension, extent in enumerate(shape):
        given = node.subscripts[dimension] if dimension < len(node.subscripts) else None
        for index in (given,) if isinstance(given, int) else given or ():
            if not 1 <= index <= extent:
                told = say.index_out_of_range(node.span, base.span, index, extent, dimension + 1, len(shape))
                return site.mistake(told, base)
        subscripts.append(_from_zero(given, extent))
    return _picked(site, base, tuple(subscripts), node.span)


def _from_zero(given: int | tuple[int, ...] | None, extent: int) -> int | tuple[int, ...]:
    if given is None:
        return tuple(range(extent))
    return given - 1 if isinstance(given, int) else tuple(index - 1 for index in given)


def _picked(site: Site, base: Value, subscripts: tuple[int | tuple[int, ...], ...], span: Span) -> Value:
    shape = tuple(len(s) for s in subscripts if isinstance(s, tuple))
    if not site.has_room(shape, span):
        return wrong(span)
    dims: Dims = base.dims
    number = None
    if len(dims) > 1 or base.number is not None:
        places = _places(subscripts, base.shape or ())
        if len(dims) > 1:
            dims = compact([base.dims[place] for place in places])
        if base.number is not None:
            number = tuple(base.number[place] for place in places)
    node = program.Element(base.node, subscripts, type=final_type(shape, dims, base.kind), span=span)
    return Value(node, shape, dims, base.kind, base.facts, number, trouble=base.trouble)


def _places(subscripts: tuple[int | tuple[int, ...], ...], shape: Shape) -> list[int]:
    """The elements picked, as places in the array row by row."""
    places = [0]
    for subscript, extent in zip(subscripts, shape, strict=True):
        indices = (subscript,) if isinstance(subscript, int) else subscript
        places = [place * extent + index for place in places for index in indices]
    return places
