"""Total time derivatives of one operation, from the values and derivatives of its arguments.

Each costs in proportion to the operation itself; no expression is traced back to the coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import casadi as ca

from .operations import BILINEAR, LINEAR, SMOOTH, STEPS, Operation, interpolation, power_of_matrix, zeros

Orders = Sequence[ca.SX]
"""The value of an argument, its first total derivative, and so on."""


class Rates:
    """Derivatives of operations by rule, or by automatic differentiation of the operation alone.

    The differentiated operations are kept, one for each kind, shape and order.
    """

    def __init__(self) -> None:
        self._derived: dict[tuple[object, ...], ca.Function] = {}

    def apply(self, operation: str, arguments: Sequence[Orders], order: int, shape: tuple[int, ...]) -> ca.SX:
        """The derivative of this order of an operation; `arguments` hold the orders that `needed` names."""
        if operation in LINEAR:
            return LINEAR[operation](*(a[order] for a in arguments))
        if operation in BILINEAR:
            a, b = arguments
            return product_rule(BILINEAR[operation], a, b, order)
        if operation in STEPS:
            return STEPS[operation](*(a[0] for a in arguments)) if order == 0 else zeros(shape)
        return self._smooth(operation, arguments, order)

    def lookup(self, xs: tuple[float, ...], ys: tuple[float, ...], argument: Orders, order: int) -> ca.SX:
        """The derivative of this order of a table's value."""

        def table(x: ca.SX) -> ca.SX:
            return interpolation([ca.SX(v) for v in xs], [ca.SX(v) for v in ys], x)

        return self._derivative(("lookup", xs, ys), table, [argument], order)

    def matrix_power(self, base: Orders, exponent: int, order: int) -> ca.SX:
        """The derivative of this order of a power of a square matrix."""
        return self._derivative(("matpower", exponent), lambda a: power_of_matrix(a, exponent), [base], order)

    def _smooth(self, operation: str, arguments: Sequence[Orders], order: int) -> ca.SX:
        meaning = SMOOTH[operation]
        if operation == "raise" and arguments[1][0].is_constant():
            # A fixed exponent: no logarithm of a base that may be negative.
            exponent = float(arguments[1][0])
            return self._derivative(("raise", exponent), lambda a: a**exponent, arguments[:1], order)
        return self._derivative((operation,), meaning, arguments, order)

    def _derivative(
        self, kind: tuple[object, ...], meaning: Operation, arguments: Sequence[Orders], order: int
    ) -> ca.SX:
        if order == 0:
            return meaning(*(a[0] for a in arguments))
        shapes = tuple(a[0].shape for a in arguments)
        key = (*kind, shapes, order)
        if key not in self._derived:
            self._derived[key] = _differentiate(meaning, shapes, order)
        return self._derived[key](*(a[k] for k in range(order + 1) for a in arguments))


def needed(operation: str, order: int) -> range:
    """Which derivatives of its arguments the derivative of this order of an operation takes."""
    if operation in LINEAR:
        return range(order, order + 1)
    if operation in STEPS:
        return range(1 if order == 0 else 0)
    return range(order + 1)


def product_rule(product: Operation, a: Orders, b: Orders, order: int) -> ca.SX:
    """Leibniz: Σ binomial(k, i)·a⁽ⁱ⁾·b⁽ᵏ⁻ⁱ⁾."""
    result = product(a[0], b[order])
    for i in range(1, order + 1):
        result += comb(order, i) * product(a[i], b[order - i])
    return result


def _differentiate(meaning: Operation, shapes: Sequence[tuple[int, int]], order: int) -> ca.Function:
    symbols = [[ca.SX.sym(f"d{k}", *shape) for shape in shapes] for k in range(order + 1)]
    columns = [ca.vertcat(*(ca.vec(s) for s in of_order)) for of_order in symbols]
    value = meaning(*symbols[0])
    for k in range(order):
        value = ca.jtimes(value, ca.vertcat(*columns[: k + 1]), ca.vertcat(*columns[1 : k + 2]))
    inputs = [symbol for of_order in symbols for symbol in of_order]
    return ca.Function("rate", inputs, [ca.densify(value)])
