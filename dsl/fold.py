"""The value of an operation on known numbers: arrays are tuples of their elements, row by row.

It serves to tell of infinities and of constraints that cannot hold, not to simulate.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from collections.abc import Callable, Sequence

from .check_value import Shape

Numbers = tuple[float, ...]

_ELEMENTWISE: dict[str, Callable[[float], float]] = {
    "negate": operator.neg, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "exp": math.exp, "log": math.log, "log10": math.log10, "sqrt": math.sqrt, "abs": abs,
    "sign": lambda x: float((x > 0) - (x < 0)), "floor": math.floor, "ceil": math.ceil,
    "not": lambda x: float(not x),
}  # fmt: skip
_PAIRWISE: dict[str, Callable[[float, float], float]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "atan2": math.atan2, "min": min, "max": max, "less": operator.lt, "lessequal": operator.le,
    "greater": operator.gt, "greaterequal": operator.ge, "equal": operator.eq, "unequal": operator.ne,
    "and": lambda a, b: float(bool(a) and bool(b)), "or": lambda a, b: float(bool(a) or bool(b)),
    "raise": lambda a, b: a**b,
}  # fmt: skip


def fold(operation: str, shapes: Sequence[Shape], numbers: Sequence[Numbers], shape: Shape) -> Numbers | None:
    """The elements of the result; NaN where it does not exist, None where the operation is not folded."""
    rule = _RULES.get(operation)
    try:
        if operation in _ELEMENTWISE:
            return tuple(float(_ELEMENTWISE[operation](x)) for x in numbers[0])
        if operation in _PAIRWISE:
            return tuple(_real(_PAIRWISE[operation](x, y)) for x, y in zip(*numbers, strict=True))
        result = () if rule is None else tuple(map(float, rule(shapes, numbers, shape)))
        # Products over nothing have no terms to take their number of elements from.
        return result if rule is not None and len(result) == math.prod(shape) else None
    except OverflowError:
        return (math.inf,) * max(1, math.prod(shape))
    except ZeroDivisionError:
        return (math.inf,) * max(1, math.prod(shape))
    except ValueError:
        return (math.nan,) * max(1, math.prod(shape))


def is_rotation_matrix(number: Numbers) -> bool:
    """Nine numbers, rows orthonormal to 1e-9 and right-handed."""
    rows = [number[0:3], number[3:6], number[6:9]]
    gram = [_dot(a, b) for a in rows for b in rows]
    identity = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    orthonormal = all(abs(g - i) < 1e-9 for g, i in zip(gram, identity, strict=True))
    return orthonormal and _dot(_cross(rows[0], rows[1]), rows[2]) > 0


def interpolated(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Linear between the points, held at the ends; xs increasing."""
    if x <= xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1]
    right = bisect_right(xs, x)
    part = (x - xs[right - 1]) / (xs[right] - xs[right - 1])
    return ys[right - 1] + part * (ys[right] - ys[right - 1])


def _real(value: complex) -> float:
    # (-8)**0.5 is complex in Python.
    return math.nan if isinstance(value, complex) else float(value)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _cross(a: Sequence[float], b: Sequence[float]) -> Numbers:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _matmul(a: Numbers, b: Numbers, inner: int) -> Numbers:
    columns = len(b) // inner if inner else 0
    rows = [a[i : i + inner] for i in range(0, len(a), inner)] if inner else []
    return tuple(_dot(row, b[column::columns]) for row in rows for column in range(columns))


def _matpower(a: Numbers, extent: int, exponent: int) -> Numbers:
    result = _identity(extent)
    for _ in range(exponent):
        result = _matmul(result, a, extent)
    return result


def _identity(extent: int) -> Numbers:
    return tuple(float(i == j) for i in range(extent) for j in range(extent))


def _skew(v: Numbers) -> Numbers:
    return (0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0)


def _rotation(axis: Sequence[float], angle: float) -> Numbers:
    """Rodrigues' formula for a unit vector along the axis."""
    length = math.sqrt(_dot(axis, axis))
    x, y, z = (a / length for a in axis)
    c, s = math.cos(angle), math.sin(angle)
    d = 1 - c
    return (
        c + x * x * d, x * y * d - z * s, x * z * d + y * s,
        y * x * d + z * s, c + y * y * d, y * z * d - x * s,
        z * x * d - y * s, z * y * d + x * s, c + z * z * d,
    )  # fmt: skip


_Rule = Callable[[Sequence[Shape], Sequence[Numbers], Shape], Sequence[float]]
_RULES: dict[str, _Rule] = {
    "scale": lambda _, n, s: [n[0][0] * x for x in n[1]],
    "shrink": lambda _, n, s: [x / n[1][0] for x in n[0]],
    "dot": lambda _, n, s: [_dot(n[0], n[1])],
    "matvec": lambda _, n, s: _matmul(n[0], n[1], len(n[1])),
    "vecmat": lambda _, n, s: _matmul(n[0], n[1], len(n[0])),
    "matmul": lambda shapes, n, s: _matmul(n[0], n[1], shapes[0][1]),
    "matpower": lambda shapes, n, s: _matpower(n[0], shapes[0][0], int(n[1][0])),
    "minimum": lambda _, n, s: [min(n[0])],
    "maximum": lambda _, n, s: [max(n[0])],
    "sum": lambda _, n, s: [sum(n[0])],
    "product": lambda _, n, s: [math.prod(n[0])],
    "norm": lambda _, n, s: [math.sqrt(_dot(n[0], n[0]))],
    "cross": lambda _, n, s: _cross(n[0], n[1]),
    "skew": lambda _, n, s: _skew(n[0]),
    "transpose": lambda shapes, n, s: [x for c in range(shapes[0][1]) for x in n[0][c :: shapes[0][1]]],
    "diagonal": lambda _, n, s: [x if i == j else 0.0 for i, x in enumerate(n[0]) for j in range(len(n[0]))],
    "identity": lambda _, n, s: _identity(s[0]),
    "zeros": lambda _, n, s: (0.0,) * math.prod(s),
    "ones": lambda _, n, s: (1.0,) * math.prod(s),
    "rotX": lambda _, n, s: _rotation((1, 0, 0), n[0][0]),
    "rotY": lambda _, n, s: _rotation((0, 1, 0), n[0][0]),
    "rotZ": lambda _, n, s: _rotation((0, 0, 1), n[0][0]),
    "rotAxis": lambda _, n, s: _rotation(n[0], n[1][0]),
    "interpolate": lambda _, n, s: [interpolated(n[0], n[1], n[2][0])],
}
