"""The rules of the operators: what shapes and dimensions they take and give.

`*` is resolved here: number times array, scalar product, matrix times vector and so on.
"""

from __future__ import annotations

import math
from fractions import Fraction

from . import complaints_check as say
from .check_dimension import compact, contract, each, gather, over, power, times
from .check_site import MOST_MIXED_TERMS, MOST_TERMS, Site, element_text, fitted, settled
from .check_value import CHANGING, Dim, Dims, Shape, Soft, Value, wrong
from .dimension import ONE
from .source import Span

_RELATIONS = {
    "<": "less", "<=": "lessequal", ">": "greater", ">=": "greaterequal", "==": "equal", "<>": "unequal",
}  # fmt: skip
_LARGEST_MATRIX_POWER = 100
_LARGEST_POWER = 100


def unary(site: Site, operator: str, operand: Value, span: Span) -> Value:
    """`-x`, `not x`."""
    if operand.is_wrong:
        return operand
    if operator == "not":
        condition = site.condition(operand)
        return condition if condition.is_wrong else site.apply("not", [condition], span, (), (ONE,), "boolean")
    if not site.real(operand):
        return wrong(span)
    return site.apply("negate", [operand], span, operand.shape or (), operand.dims)


def binary(site: Site, operator: str, left: Value, right: Value, span: Span) -> Value:
    """Two operands; a mistake in one of them was told and says nothing more."""
    if left.is_wrong or right.is_wrong:
        return wrong(span, (left if left.is_wrong else right).facts)
    if operator in _RELATIONS:
        return _relation(site, operator, left, right, span)
    if operator in ("and", "or"):
        return _logic(site, operator, left, right, span)
    if not site.real(left, right):
        return wrong(span)
    match operator:
        case "+":
            return _sum(site, "add", left, right, span)
        case "-":
            return _sum(site, "subtract", left, right, span)
        case "*":
            return product(site, left, right, span)
        case "/":
            return _quotient(site, left, right, span)
        case ".*":
            return _elementwise_product(site, left, right, span)
        case "./":
            return _elementwise_quotient(site, left, right, span)
        case "^":
            return _power(site, left, right, span)
        case _:
            raise AssertionError(f"an operator that the grammar does not have: {operator}")


def product(site: Site, left: Value, right: Value, span: Span) -> Value:
    """`*` by the shapes of its operands."""
    match (left.shape or (), right.shape or ()):
        case ((), ()):
            return site.apply("multiply", [left, right], span, (), each(times, left.dims, right.dims))
        case ((), shape):
            return site.apply("scale", [left, right], span, shape, each(times, left.dims, right.dims))
        case (shape, ()):
            return site.apply("scale", [right, left], span, shape, each(times, left.dims, right.dims))
        case ((n,), (m,)) if n == m:
            return _matrix_product(site, "dot", left, right, (1, n, 1), (), span)
        case ((m, n), (k,)) if n == k:
            return _matrix_product(site, "matvec", left, right, (m, n, 1), (m,), span)
        case ((k,), (m, n)) if k == m:
            return _matrix_product(site, "vecmat", left, right, (1, m, n), (n,), span)
        case ((m, k), (l, n)) if k == l:
            return _matrix_product(site, "matmul", left, right, (m, k, n), (m, n), span)
        case (a, b):
            return site.mistake(say.shapes_differ(span, "cannot multiply", left.span, a, right.span, b), left, right)


def _sum(site: Site, operation: str, left: Value, right: Value, span: Span) -> Value:
    sides = fitted(site, span, operation, left, right)
    if sides is None:
        return wrong(span)
    return site.apply(operation, sides[:2], span, left.shape or (), sides[2])


def _quotient(site: Site, left: Value, right: Value, span: Span) -> Value:
    if right.shape != ():
        return site.mistake(say.divided_by_array(span, right.span, right.shape or ()), left, right)
    operation = "divide" if left.shape == () else "shrink"
    dims = each(over, left.dims, right.dims)
    return _by_nonzero(site.apply(operation, [left, right], span, left.shape or (), dims), right, span)


def _by_nonzero(quotient: Value, divisor: Value, span: Span) -> Value:
    """The quotient, troubled where its divisor is a fixed zero, whatever is divided."""
    is_zero = divisor.is_fixed and divisor.number is not None and 0 in divisor.number
    if not is_zero or quotient.is_wrong or quotient.trouble is not None:
        return quotient
    return quotient._replace(number=None, trouble=say.division_by_zero(span, divisor.span))


def _elementwise_product(site: Site, left: Value, right: Value, span: Span) -> Value:
    if left.shape == () or right.shape == ():
        return product(site, left, right, span)
    if left.shape != right.shape:
        shapes = (left.shape or (), right.shape or ())
        told = say.shapes_differ(
            span, "cannot multiply element by element", left.span, shapes[0], right.span, shapes[1]
        )
        return site.mistake(told, left, right)
    return site.apply("multiply", [left, right], span, left.shape or (), each(times, left.dims, right.dims))


def _elementwise_quotient(site: Site, left: Value, right: Value, span: Span) -> Value:
    if right.shape == ():
        return _quotient(site, left, right, span)
    shape = right.shape or ()
    if left.shape == ():
        # a ./ v is a*(1 ./ v): `divide` takes equal shapes.
        ones = site.apply("ones", [], left.span, shape, (Soft.LITERAL,))
        left = site.apply("scale", [left, ones], left.span, shape, left.dims)
    if left.shape != shape:
        told = say.shapes_differ(
            span, "cannot divide element by element", left.span, left.shape or (), right.span, shape
        )
        return site.mistake(told, left, right)
    dims = each(over, left.dims, right.dims)
    return _by_nonzero(site.apply("divide", [left, right], span, shape, dims), right, span)


def _matrix_product(
    site: Site,
    operation: str,
    left: Value,
    right: Value,
    extents: tuple[int, int, int],
    shape: Shape,
    span: Span,
) -> Value:
    """A product over an inner extent; every term of an element has one dimension."""
    if math.prod(extents) > MOST_TERMS:
        return site.mistake(say.too_much_work(span, math.prod(extents), MOST_TERMS), left, right)
    left, right = settled(left), settled(right)
    dims = _product_dims(site, left, right, extents, span)
    if dims is None:
        return wrong(span)
    rotation = operation == "matmul" and left.rotation and right.rotation
    return site.apply(operation, [left, right], span, shape, dims, rotation=rotation)


def _product_dims(site: Site, left: Value, right: Value, extents: tuple[int, int, int], span: Span) -> Dims | None:
    a, b = left.dims, right.dims
    if len(a) == 1 or len(b) == 1:
        a, b = _summary(a), _summary(b)
    if len(a) == 1 and len(b) == 1:
        return (times(a[0], b[0]),) if extents[1] else (Soft.ZERO,)
    if math.prod(extents) > MOST_MIXED_TERMS:
        site.report(say.too_much_work(span, math.prod(extents), MOST_MIXED_TERMS))
        return None
    dims: list[Dim] = []
    warned = False
    for terms, _, _ in contract(a, b, *extents):
        found = gather(terms)
        if found.quarrel == "clash" or (found.quarrel and not warned):
            # The terms have no text of their own: the whole product is the place.
            told = say.product_clash if found.quarrel == "clash" else say.product_plain
            site.report(told(span, found.left, found.right, found.element + 1))
            warned = True
        if found.quarrel == "clash":
            return None
        dims.extend(found.dims)
    return compact(dims)


def _summary(dims: Dims) -> Dims:
    """One entry for literals alone: their zeros do not matter beside quantities of one dimension."""
    return (Soft.LITERAL,) if len(dims) > 1 and all(d in (Soft.LITERAL, Soft.ZERO) for d in dims) else dims


def _power(site: Site, base: Value, exponent: Value, span: Span) -> Value:
    if exponent.shape != ():
        return site.mistake(say.shape_expected(exponent.span, "an exponent", (), exponent.shape or ()), base, exponent)
    site.number(exponent, "an exponent")
    match base.shape or ():
        case ():
            dims = _power_dims(site, base, exponent)
            return wrong(span) if dims is None else site.apply("raise", [base, exponent], span, (), dims)
        case (m, n) if m == n:
            return _matrix_power(site, base, exponent, m, span)
        case shape:
            return site.mistake(say.power_of_array(span, base.span, shape), base, exponent)


def _power_dims(site: Site, base: Value, exponent: Value) -> Dims | None:
    dim = base.dims[0]
    if isinstance(dim, Soft) or dim.is_one:
        literal = base.is_literal and exponent.is_literal
        return (dim if dim is Soft.UNKNOWN else Soft.LITERAL if literal else ONE,)
    ratio = _ratio(exponent)
    if ratio is None:
        complain = say.exponent_irrational if exponent.is_fixed else say.exponent_open
        site.report(complain(exponent.span, base.span, dim))
        return None
    return (power(dim, ratio),)


def _ratio(exponent: Value) -> Fraction | int | None:
    if not exponent.is_fixed or exponent.number is None:
        return None
    value = exponent.number[0]
    if abs(value) > _LARGEST_POWER:
        return None
    if value == int(value):
        return int(value)
    ratio = Fraction(value).limit_denominator(1000)
    return ratio if abs(float(ratio) - value) <= 1e-12 * abs(value) else None


def _matrix_power(site: Site, base: Value, exponent: Value, extent: int, span: Span) -> Value:
    value = exponent.number[0] if exponent.is_fixed and exponent.number else -1.0
    if value != int(value) or not 0 <= value <= _LARGEST_MATRIX_POWER:
        return site.mistake(say.matrix_exponent(exponent.span), base, exponent)
    if extent**3 * value > MOST_TERMS:
        return site.mistake(say.too_much_work(span, int(extent**3 * value), MOST_TERMS), base, exponent)
    base = settled(base)
    found = gather(base.dims)
    if found.quarrel == "clash":
        where = element_text(found, base.shape or ())
        told = say.dimension_clash(span, "cannot take the power", base.span, found.left, base.span, found.right, where)
        return site.mistake(told, base, exponent)
    dims: Dims = (power(found.dims[0], int(value)),) if value else identity_dims(extent)
    return site.apply("matpower", [base, exponent], span, (extent, extent), dims, rotation=base.rotation)


def identity_dims(extent: int) -> Dims:
    """Literal ones, and zeros that fit every dimension."""
    return compact([Soft.LITERAL if i == j else Soft.ZERO for i in range(extent) for j in range(extent)])


def _relation(site: Site, operator: str, left: Value, right: Value, span: Span) -> Value:
    if left.kind != right.kind:
        return site.mistake(say.kinds_differ(span, left.span, right.span), left, right)
    if left.kind == "text" or (left.kind == "boolean" and operator not in ("==", "<>")):
        site.real(left)
        return wrong(span)
    for side in (left, right):
        if side.shape != ():
            return site.mistake(say.shape_expected(side.span, "a side of a comparison", (), side.shape or ()), side)
    sides = fitted(site, span, "compare", left, right)
    if sides is None:
        return wrong(span)
    if operator in ("==", "<>") and left.kind == "real" and (left.has(CHANGING) or right.has(CHANGING)):
        site.report(say.equality_of_reals(span))
    return site.apply(_RELATIONS[operator], sides[:2], span, (), (ONE,), "boolean")


def _logic(site: Site, operator: str, left: Value, right: Value, span: Span) -> Value:
    conditions = [site.condition(left), site.condition(right)]
    if any(condition.is_wrong for condition in conditions):
        return wrong(span)
    return site.apply(operator, conditions, span, (), (ONE,), "boolean")
