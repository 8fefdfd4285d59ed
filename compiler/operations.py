"""What each built-in operation means: its value from the values of its arguments, as dense SX.

A scalar is 1 x 1, a vector n x 1, a matrix m x n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import casadi as ca

from .rotations import attitude_about_axis, euler_zyx, rotation_x, rotation_y, rotation_z, skew

Operation = Callable[..., ca.SX]


def zeros(shape: tuple[int, ...]) -> ca.SX:
    """Zeros in the SX shape of a value of this shape."""
    return ca.SX.zeros(*matrix_shape(shape))


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """(1, 1), (n, 1) or (m, n)."""
    match shape:
        case ():
            return 1, 1
        case (length,):
            return length, 1
        case (rows, columns):
            return rows, columns
    raise AssertionError(f"a value of shape {shape}")


def flatten(value: ca.SX) -> ca.SX:
    """All elements in one column, row by row."""
    return value if value.size2() == 1 else ca.vec(value.T)


def unflatten(column: ca.SX, shape: tuple[int, ...]) -> ca.SX:
    """The value of this shape whose elements, row by row, are the column."""
    rows, columns = matrix_shape(shape)
    return column if columns == 1 else ca.reshape(column, columns, rows).T


def select(base: ca.SX, shape: tuple[int, ...], subscripts: tuple[int | tuple[int, ...], ...]) -> ca.SX:
    """The part of a value of this shape: an index drops its dimension, a tuple keeps it."""
    rows = subscripts[0]
    if len(shape) == 1:
        return base[rows] if isinstance(rows, int) else base[list(rows), 0]
    columns = subscripts[1] if len(subscripts) > 1 else tuple(range(shape[1]))
    part = base[_places(rows), _places(columns)]
    return part.T if isinstance(rows, int) else part


def choose(condition: ca.SX, then: ca.SX, otherwise: ca.SX) -> ca.SX:
    """`then` where the condition is 1; the branch not taken may be anything, NaN included."""
    return ca.densify(ca.if_else(condition, then, otherwise))


def interpolation(xs: list[ca.SX], ys: list[ca.SX], x: ca.SX) -> ca.SX:
    """Linear between the points, held at the ends: y_1 + Σ slope_i·(the part of interval i left of x)."""
    result = ys[0]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:], strict=False):
        covered = ca.fmin(ca.fmax(x - left, 0), right - left)
        result = result + (high - low) / (right - left) * covered
    return result


def _places(subscript: int | tuple[int, ...]) -> list[int]:
    return [subscript] if isinstance(subscript, int) else list(subscript)


def _elements(value: ca.SX) -> list[ca.SX]:
    return [value[i] for i in range(value.numel())]


def _extreme(pick: Callable[[ca.SX, ca.SX], ca.SX]) -> Operation:
    def of(*arguments: ca.SX) -> ca.SX:
        values = arguments if len(arguments) > 1 else _elements(arguments[0])
        return reduce(pick, values)

    return of


def _fmin(a: ca.SX, b: ca.SX) -> ca.SX:
    return ca.fmin(a, b)


def _fmax(a: ca.SX, b: ca.SX) -> ca.SX:
    return ca.fmax(a, b)


def _sum(value: ca.SX) -> ca.SX:
    return ca.densify(ca.sum1(ca.vec(value))) if value.numel() else ca.SX(0)


def _product(value: ca.SX) -> ca.SX:
    return reduce(lambda a, b: a * b, _elements(value), ca.SX(1))


def _dot(a: ca.SX, b: ca.SX) -> ca.SX:
    return _sum(a * b)


def _diagonal(value: ca.SX) -> ca.SX:
    return ca.densify(ca.diag(value))


def _norm(value: ca.SX) -> ca.SX:
    return abs(value) if value.numel() == 1 else ca.sqrt(_dot(value, value))


def power_of_matrix(base: ca.SX, exponent: int) -> ca.SX:
    """A square matrix to a power that is not negative, by squaring."""
    result = create("identity", base.shape) if exponent == 0 else None
    square = base
    while exponent:
        if exponent % 2:
            result = square if result is None else ca.mtimes(result, square)
        exponent //= 2
        if exponent:
            square = ca.mtimes(square, square)
    assert result is not None
    return ca.densify(result)


LINEAR: dict[str, Operation] = {
    "negate": lambda a: -a,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "sum": _sum,
    "skew": skew,
    "transpose": lambda a: a.T,
    "diagonal": _diagonal,
}
"""The rate is the operation on the rates."""

BILINEAR: dict[str, Operation] = {
    "multiply": lambda a, b: a * b,
    "scale": lambda s, a: s * a,
    "dot": _dot,
    "matvec": ca.mtimes,
    "vecmat": lambda v, a: ca.mtimes(v.T, a).T,
    "matmul": ca.mtimes,
    "cross": ca.cross,
}
"""The rate follows the product rule."""

STEPS: dict[str, Operation] = {
    "less": lambda a, b: a < b,
    "lessequal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greaterequal": lambda a, b: a >= b,
    "equal": ca.eq,
    "unequal": ca.ne,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "not": ca.logic_not,
    "sign": ca.sign,
    "floor": ca.floor,
    "ceil": ca.ceil,
}
"""Constant between jumps: the rate is 0."""

SMOOTH: dict[str, Operation] = {
    "divide": lambda a, b: a / b,
    "shrink": lambda a, s: a / s,
    "raise": lambda a, n: a**n,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "exp": ca.exp,
    "log": ca.log,
    "log10": ca.log10,
    "sqrt": ca.sqrt,
    "abs": ca.fabs,
    "atan2": ca.atan2,
    "min": _extreme(_fmin),
    "max": _extreme(_fmax),
    "minimum": _extreme(_fmin),
    "maximum": _extreme(_fmax),
    "product": _product,
    "norm": _norm,
    "rotX": rotation_x,
    "rotY": rotation_y,
    "rotZ": rotation_z,
    "rotAxis": attitude_about_axis,
    "eulerZYX": euler_zyx,
    "interpolate": lambda xs, ys, x: interpolation(_elements(xs), _elements(ys), x),
}
"""The rate comes from automatic differentiation of the operation alone."""

CREATED = ("identity", "zeros", "ones")
"""No arguments: the shape is in the type."""


def create(operation: str, shape: tuple[int, ...]) -> ca.SX:
    """`identity`, `zeros` or `ones` of this shape."""
    rows, columns = matrix_shape(shape)
    match operation:
        case "zeros":
            return zeros(shape)
        case "ones":
            return ca.SX(ca.DM.ones(rows, columns))
        case "identity":
            return ca.SX(ca.densify(ca.DM.eye(rows)))
    raise AssertionError(operation)
