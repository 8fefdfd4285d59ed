"""The built-in functions: how each is called, what shapes and dimensions it takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from . import complaints_check as say
from .check_dimension import Meeting, compact, each, gather, power, settle, spread, times, transposed
from .check_rates import angular_velocity, rate_of
from .check_site import Site, adopted, fitted, settled
from .check_value import (
    Dim,
    Dims,
    Shape,
    Soft,
    Value,
    wrong,
)
from .dimension import ONE
from .operators import identity_dims, product
from .records import frozen
from .source import Span

Rule = Callable[[Site, str, Sequence[Value], Span], Value]


@frozen
class Builtin:
    """`signature` is shown to people; `most` is None where any number of arguments may follow."""

    signature: str
    rule: Rule
    least: int = 1
    most: int = 1


def call(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    """The value of a built-in function; what does not fit is told."""
    builtin = BUILTINS.get(name)
    if builtin is None:
        return site.mistake(say.unknown_function(span, name, tuple(BUILTINS)), *arguments)
    if not builtin.least <= len(arguments) <= builtin.most:
        told = say.wrong_arguments(span, name, builtin.signature, len(arguments))
        return site.mistake(told, *arguments)
    for argument in arguments:
        if argument.is_wrong:
            return wrong(span, argument.facts)
    if not site.real(*arguments):
        return wrong(span)
    return builtin.rule(site, name, arguments, span)


def _derivative(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    return rate_of(site, arguments[0], span)


def _literal_or_one(arguments: Sequence[Value]) -> Dims:
    return (Soft.LITERAL,) if all(argument.is_literal for argument in arguments) else (ONE,)


def _elementary(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (x,) = arguments
    site.number(x, f"`{name}`")
    return site.apply(name, arguments, span, x.shape or (), _literal_or_one(arguments))


def _square_root(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (x,) = arguments
    dims = compact([power(dim, Fraction(1, 2)) for dim in x.dims])
    return site.apply(name, arguments, span, x.shape or (), dims)


def _absolute(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    return site.apply(name, arguments, span, arguments[0].shape or (), arguments[0].dims)


def _sign(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    return site.apply(name, arguments, span, arguments[0].shape or (), _literal_or_one(arguments))


def _scalars(site: Site, name: str, arguments: Sequence[Value]) -> bool:
    for argument in arguments:
        if argument.shape != ():
            site.report(say.shape_expected(argument.span, f"an argument of `{name}`", (), argument.shape or ()))
            return False
    return True


def _arctangent(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    if not _scalars(site, name, arguments):
        return wrong(span)
    sides = fitted(site, span, "take atan2 of", *arguments)
    dims = _literal_or_one(arguments)
    return wrong(span) if sides is None else site.apply(name, sides[:2], span, (), dims)


def _extreme(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    """`min`, `max` of two numbers or of a vector."""
    if len(arguments) == 1:
        return _over_all(site, f"{name}imum", arguments[0], span)
    if not _scalars(site, name, arguments):
        return wrong(span)
    sides = fitted(site, span, f"take the {name}imum of", *arguments)
    return wrong(span) if sides is None else site.apply(name, sides[:2], span, (), sides[2])


def _sum(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    return _over_all(site, name, arguments[0], span)


def _norm(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    if not _vector(site, name, arguments[0]):
        return wrong(span)
    return _over_all(site, name, arguments[0], span)


def _over_all(site: Site, operation: str, argument: Value, span: Span) -> Value:
    """One number of all elements, which must have one dimension."""
    empty = argument.size == 0
    if empty and operation != "sum":
        return site.mistake(say.array_empty(argument.span, operation.removesuffix("imum")), argument)
    found = gather(settle(argument.dims))
    _tell_gathering(site, found, argument, span)
    if found.quarrel == "clash":
        return wrong(span)
    return site.apply(operation, [adopted(argument, found.dims)], span, (), found.dims)


def _tell_gathering(site: Site, found: Meeting, argument: Value, span: Span) -> None:
    if found.quarrel == "clash":
        site.report(say.elements_clash(span, argument.span, found.left, found.right, found.element + 1))
    elif found.quarrel == "plain":
        site.report(say.elements_plain(span, argument.span, found.left, found.right, found.element + 1))


def _product(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    x = settled(arguments[0])
    total: Dim = Soft.LITERAL
    if len(x.dims) == 1:
        total = power(x.dims[0], x.size)
    else:
        for dim in x.dims:
            total = times(total, dim)
    return site.apply(name, [x], span, (), (total,))


def _vector(site: Site, name: str, argument: Value, extent: int | None = None) -> bool:
    shape = argument.shape or ()
    if len(shape) == 1 and extent in (None, shape[0]):
        return True
    wanted = "a vector" if extent is None else f"a vector of {extent}"
    site.report(say.shape_expected(argument.span, f"an argument of `{name}`", wanted, shape))
    return False


def _dot(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    if not all(_vector(site, name, argument) for argument in arguments):
        return wrong(span)
    return product(site, arguments[0], arguments[1], span)


def _cross(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    if not all(_vector(site, name, argument, 3) for argument in arguments):
        return wrong(span)
    arguments = [settled(argument) for argument in arguments]
    a, b = (argument.dims for argument in arguments)
    if len(a) == 1 and len(b) == 1:
        return site.apply(name, arguments, span, (3,), each(times, a, b))
    a, b = spread(a, 3), spread(b, 3)
    dims: list[Dim] = []
    for j, k in ((1, 2), (2, 0), (0, 1)):
        found = gather((times(a[j], b[k]), times(a[k], b[j])))
        if found.quarrel:
            complain = say.product_clash if found.quarrel == "clash" else say.product_plain
            site.report(complain(span, found.left, found.right, found.element + 1))
        if found.quarrel == "clash":
            return wrong(span)
        dims.extend(found.dims)
    return site.apply(name, arguments, span, (3,), compact(dims))


def _skew(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (v,) = (settled(argument) for argument in arguments)
    if not _vector(site, name, v, 3):
        return wrong(span)
    x, y, z = spread(v.dims, 3)
    o = Soft.ZERO
    return site.apply(name, [v], span, (3, 3), compact([o, z, y, z, o, x, y, x, o]))


def _transpose(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (a,) = arguments
    match a.shape or ():
        case (m, n):
            dims = transposed(a.dims, (m, n))
            return site.apply(name, arguments, span, (n, m), dims, rotation=a.rotation)
        case shape:
            return site.mistake(say.shape_expected(a.span, "the argument of `transpose`", "a matrix", shape), a)


def _diagonal(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (v,) = (settled(argument) for argument in arguments)
    if not _vector(site, name, v) or not site.has_room((v.size, v.size), span):
        return wrong(span)
    entries = spread(v.dims, v.size)
    dims = [entries[i] if i == j else Soft.ZERO for i in range(v.size) for j in range(v.size)]
    return site.apply(name, [v], span, (v.size, v.size), compact(dims))


def _sizes(site: Site, name: str, arguments: Sequence[Value]) -> Shape | None:
    """Arguments that are sizes: whole numbers that nothing can change."""
    shape = []
    for argument in arguments:
        number = argument.number if argument.shape == () and argument.is_fixed else None
        if number is None or number[0] != int(number[0]) or number[0] < 0:
            site.report(say.size_not_fixed(argument.span, name))
            return None
        shape.append(int(number[0]))
    return tuple(shape)


def _filled(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    shape = _sizes(site, name, arguments)
    if shape is None:
        return wrong(span)
    return site.apply(name, [], span, shape, (Soft.ZERO if name == "zeros" else Soft.LITERAL,))


def _identity(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    sizes = _sizes(site, name, arguments)
    if sizes is None or not site.has_room(sizes * 2, span):
        return wrong(span)
    (extent,) = sizes
    return site.apply(name, [], span, (extent, extent), identity_dims(extent), rotation=extent == 3)


def _axis_rotation(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    if not _scalars(site, name, arguments):
        return wrong(span)
    site.number(arguments[0], f"`{name}`")
    return site.apply(name, arguments, span, (3, 3), (ONE,), rotation=True)


def _axis_angle(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    axis, angle = arguments
    if not _vector(site, name, axis, 3) or not _scalars(site, name, [angle]):
        return wrong(span)
    site.number(angle, f"the angle of `{name}`")
    found = gather(settle(axis.dims))
    _tell_gathering(site, found, axis, span)
    return site.apply(name, [adopted(axis, found.dims), angle], span, (3, 3), (ONE,), rotation=True)


def _angular_velocity(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (attitude,) = arguments
    if not attitude.rotation:
        return site.mistake(say.not_a_rotation(attitude.span, f"the argument of `{name}`"), attitude)
    return angular_velocity(site, attitude, span)


def _euler_angles(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    (attitude,) = arguments
    if not attitude.rotation:
        return site.mistake(say.not_a_rotation(attitude.span, f"the argument of `{name}`"), attitude)
    return site.apply(name, arguments, span, (3,), (ONE,))


def _interpolate(site: Site, name: str, arguments: Sequence[Value], span: Span) -> Value:
    xs, ys, x = arguments
    if not (_vector(site, name, xs) and _vector(site, name, ys) and _scalars(site, name, [x])):
        return wrong(span)
    if xs.shape != ys.shape or xs.size < 2:
        told = say.shapes_differ(span, "cannot interpolate", xs.span, xs.shape or (), ys.span, ys.shape or ())
        return site.mistake(told, xs)
    if xs.number is not None:
        for place, (before, after) in enumerate(zip(xs.number, xs.number[1:], strict=False), start=2):
            if after <= before:
                return site.mistake(say.points_not_increasing(xs.span, place), xs)
    abscissa, ordinate = gather(settle(xs.dims)), gather(settle(ys.dims))
    for found, argument in ((abscissa, xs), (ordinate, ys)):
        _tell_gathering(site, found, argument, span)
        if found.quarrel == "clash":
            return wrong(span)
    fitting = site.fits(x, "the place to interpolate at", (), abscissa.dims)
    points = [adopted(xs, abscissa.dims), adopted(ys, ordinate.dims), fitting]
    return wrong(span) if fitting.is_wrong else site.apply(name, points, span, (), ordinate.dims)


_ELEMENTARY = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10",
    "floor", "ceil",
)  # fmt: skip

BUILTINS: dict[str, Builtin] = {name: Builtin(f"{name}(x)", _elementary) for name in _ELEMENTARY} | {
    "sqrt": Builtin("sqrt(x)", _square_root),
    "abs": Builtin("abs(x)", _absolute),
    "sign": Builtin("sign(x)", _sign),
    "atan2": Builtin("atan2(y, x)", _arctangent, 2, 2),
    "min": Builtin("min(a, b)` or `min(vector)", _extreme, 1, 2),
    "max": Builtin("max(a, b)` or `max(vector)", _extreme, 1, 2),
    "sum": Builtin("sum(array)", _sum),
    "product": Builtin("product(array)", _product),
    "norm": Builtin("norm(vector)", _norm),
    "dot": Builtin("dot(v, w)", _dot, 2, 2),
    "cross": Builtin("cross(v, w)", _cross, 2, 2),
    "skew": Builtin("skew(v)", _skew),
    "transpose": Builtin("transpose(matrix)", _transpose),
    "diagonal": Builtin("diagonal(vector)", _diagonal),
    "identity": Builtin("identity(n)", _identity),
    "zeros": Builtin("zeros(n)` or `zeros(m, n)", _filled, 1, 2),
    "ones": Builtin("ones(n)` or `ones(m, n)", _filled, 1, 2),
    "rotX": Builtin("rotX(angle)", _axis_rotation),
    "rotY": Builtin("rotY(angle)", _axis_rotation),
    "rotZ": Builtin("rotZ(angle)", _axis_rotation),
    "rotAxis": Builtin("rotAxis({x, y, z}, angle)", _axis_angle, 2, 2),
    "angularVelocity": Builtin("angularVelocity(attitude)", _angular_velocity),
    "eulerZYX": Builtin("eulerZYX(attitude)", _euler_angles),
    "interpolate": Builtin("interpolate(xs, ys, x)", _interpolate, 3, 3),
    "der": Builtin("der(expression)", _derivative),
}
"""All built-in functions but `reaction` and `table`, which have nodes of their own."""
