"""The rounds of loops: of `for` statements, comprehensions and sums."""

from __future__ import annotations

import math

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import RESERVED
from .constants import fixed_number
from .context import MOST_ELEMENTS, Context
from .instances import Many, Scope, Value
from .members import as_plain, value_of
from .shapes import shape_of
from .source import Span


def range_numbers(context: Context, node: syntax.Range, scope: Scope, role: str) -> list[float] | None:
    """The numbers of `start:step:stop`; None after a complaint."""
    bounds = [fixed_number(context, e, scope, f"a bound of {role}") for e in (node.start, node.stop)]
    step = 1.0 if node.step is None else fixed_number(context, node.step, scope, f"the step of {role}")
    start, stop = bounds
    if start is None or stop is None or step is None:
        return None
    if step == 0 or not all(math.isfinite(x) for x in (start, stop, step)):
        context.tell(complain.no_step(node.span))
        return None
    # A hair's breadth of tolerance, so that 0:0.1:1 has its eleven numbers.
    count = (stop - start) / step + 1 + 1e-9
    if count > MOST_ELEMENTS:
        context.tell(complain.too_large(node.span, "this range", MOST_ELEMENTS))
        return None
    return [start + k * step for k in range(max(0, math.floor(count)))]


def rounds(context: Context, iterator: syntax.Iterator, scope: Scope) -> list[Value] | None:
    """The values that an iterator takes, one after the other; None after a complaint."""
    if iterator.name in RESERVED:
        context.tell(complain.reserved(iterator.span, iterator.name))
        return None
    span = iterator.values.span
    if isinstance(iterator.values, syntax.Range):
        numbers = range_numbers(context, iterator.values, scope, f"the loop over `{iterator.name}`")
        return None if numbers is None else [flat.Number(x, span=span) for x in numbers]
    values = context.bind(context, iterator.values, scope)
    if isinstance(values, flat.Poison):
        return None
    if isinstance(values, Many):
        if len(values.extents) == 1:
            return [value_of(context, item, span) for item in values.items]
        values = as_plain(context, values, span)
    return _elements(context, values, iterator, span)


def _elements(context: Context, values: Value, iterator: syntax.Iterator, span: Span) -> list[Value] | None:
    plain = as_plain(context, values, span)
    shape = shape_of(context, plain)
    if not shape:
        if not isinstance(plain, flat.Poison):
            context.tell(complain.nothing_to_loop_over(span, iterator.name))
        return None
    if isinstance(plain, flat.Array):
        return list(plain.items)
    context.spend(span, shape[0])
    return [flat.Element(plain, (k,), span=span) for k in range(1, shape[0] + 1)]


def expand(context: Context, node: syntax.Comprehension, scope: Scope) -> list[Value] | None:
    """The body for all rounds, the last iterator running fastest; None after a complaint."""
    scopes = [scope]
    for iterator in node.iterators:
        following: list[Scope] = []
        for outer in scopes:
            values = rounds(context, iterator, outer)
            if values is None:
                # Mistakes in the body are told also where its rounds are not known.
                unknown = flat.Poison(span=iterator.span)
                names = {i.name: unknown for i in node.iterators}
                context.bind(context, node.body, outer.with_locals(names))
                return None
            context.spend(iterator.span, len(values))
            following += [outer.with_locals({iterator.name: value}) for value in values]
        scopes = following
    return [context.bind(context, node.body, s) for s in scopes]
