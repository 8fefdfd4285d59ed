"""The unknowns' derivatives as chains of symbols, and the total time derivative along them."""

from __future__ import annotations

import casadi as ca

from .equations import EquationsOfMotion


class Chains:
    """Symbols y, ẏ, ÿ, ... for every unknown, made as they are asked for.

    Order 0 of a coordinate is its position in q, order 1 its velocity. d/dt goes from each order to the
    next; for positions it is q̇ = N(q)·v.
    """

    def __init__(self, equations: EquationsOfMotion) -> None:
        self._equations = equations
        # Coordinates start at order 1, the others at order 0.
        self._coordinates = list(equations.coordinate_orders)
        self._others = list(equations.other_orders)

    @property
    def coordinates(self) -> tuple[ca.SX, ...]:
        """The coordinates' derivatives made so far, from order 1."""
        return tuple(self._coordinates)

    @property
    def others(self) -> tuple[ca.SX, ...]:
        """The other unknowns' derivatives made so far, from order 0."""
        return tuple(self._others)

    def symbol(self, unknown: int, order: int) -> ca.SX:
        """The symbol of one derivative of one unknown; for a `Rotation`, order 1 and higher only."""
        nv = self._coordinates[0].numel()
        if unknown >= nv:
            self._extend(self._others, order)
            return self._others[order][unknown - nv]
        if order == 0:
            return self._equations.q[self.position(unknown)]
        self._extend(self._coordinates, order - 1)
        return self._coordinates[order - 1][unknown]

    def position(self, unknown: int) -> int:
        """The place in q of an ordinary coordinate's position."""
        for coordinate in self._equations.system.coordinates:
            if coordinate.v.start <= unknown < coordinate.v.stop:
                assert not coordinate.is_rotation
                return int(coordinate.q.start + unknown - coordinate.v.start)
        raise AssertionError(unknown)

    def name(self, unknown: int, order: int) -> str:
        """What results call a derivative: `der(der(x))`."""
        entry = self._equations.unknowns[unknown]
        base, extra = entry.name, order - (1 if entry.kind == "coordinate" else 0)
        if extra < 0:
            return base[4:-1] if base.startswith("der(") else base
        return "der(" * extra + base + ")" * extra

    def total_derivative(self, expressions: ca.SX) -> ca.SX:
        """d/dt of a column; new symbols are made where the highest order so far is met."""
        if expressions.numel() == 0:
            return ca.SX(0, 1)
        e = self._equations
        self._extend_past(self._coordinates, expressions)
        self._extend_past(self._others, expressions)
        symbols = [e.time, e.q, *self._coordinates[:-1], *self._others[:-1]]
        rates = [ca.SX(1), e.kinematics, *self._coordinates[1:], *self._others[1:]]
        return ca.densify(ca.jtimes(expressions, ca.vertcat(*symbols), ca.vertcat(*rates)))

    def _extend(self, orders: list[ca.SX], order: int) -> None:
        while len(orders) <= order:
            orders.append(ca.SX.sym(f"derivative{len(orders)}", orders[0].numel()))

    def _extend_past(self, orders: list[ca.SX], expressions: ca.SX) -> None:
        if orders[-1].numel() and ca.depends_on(expressions, orders[-1]):
            self._extend(orders, len(orders))
