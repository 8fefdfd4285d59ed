"""Attitudes in symbols: matrices from angles and Euler parameters and back, and angular velocities.

A rotation matrix R takes body axes to world axes; the angular velocity ω is in body axes: Ṙ = R·[ω]ₓ.
Euler parameters are (w, x, y, z) = (cos θ/2, u·sin θ/2).
"""

from __future__ import annotations

import casadi as ca

from mbdc.dsl.dimension import ONE, TIME
from mbdc.dsl.program import (
    Apply,
    Conditional,
    Constant,
    Derivative,
    Element,
    Expr,
    Stack,
    Type,
    Variable,
    VariableDefinition,
)
from mbdc.dsl.records import replace

_SCALAR_RATE = Type((), (ONE / TIME,))
_VECTOR = Type((3,), (ONE,))
_RATE = Type((3,), (ONE / TIME,))
_MATRIX = Type((3, 3), (ONE,))
_MATRIX_RATE = Type((3, 3), (ONE / TIME,))


# --- values ------------------------------------------------------------------------------------


def rotation_x(angle: ca.SX) -> ca.SX:
    """The rotation about x."""
    c, s = ca.cos(angle), ca.sin(angle)
    return _matrix([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle: ca.SX) -> ca.SX:
    """The rotation about y."""
    c, s = ca.cos(angle), ca.sin(angle)
    return _matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotation_z(angle: ca.SX) -> ca.SX:
    """The rotation about z."""
    c, s = ca.cos(angle), ca.sin(angle)
    return _matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def attitude_about_axis(axis: ca.SX, angle: ca.SX) -> ca.SX:
    """The rotation about an axis of any length: I + sin θ·[n]ₓ + (1 - cos θ)·[n]ₓ² (Rodrigues)."""
    turn = skew(axis / ca.sqrt(ca.sumsqr(axis)))
    return _identity() + ca.sin(angle) * turn + (1 - ca.cos(angle)) * ca.mtimes(turn, turn)


def attitude(parameters: ca.SX) -> ca.SX:
    """The matrix of four Euler parameters of any length: I + 2·(w·[u]ₓ + [u]ₓ²)/(q·q)."""
    turn = skew(parameters[1:4])
    return _identity() + 2 / ca.sumsqr(parameters) * (parameters[0] * turn + ca.mtimes(turn, turn))


def parameter_rates(parameters: ca.SX, omega: ca.SX) -> ca.SX:
    """The rates of Euler parameters: half their quaternion product with (0, ω); keeps their length."""
    w, u = parameters[0], parameters[1:4]
    return ca.vertcat(-ca.dot(u, omega), w * omega + ca.cross(u, omega)) / 2


def euler_parameters(matrix: ca.SX) -> ca.SX:
    """Unit Euler parameters of a rotation matrix, w >= 0, for any angle.

    4·q·qᵀ is linear in the matrix; its column with the largest diagonal element, made a unit vector, is q
    up to sign (after I. Y. Bar-Itzhack, New method for extracting the quaternion from a rotation matrix,
    J. Guidance 23 (2000) 1085).
    """
    r = [[matrix[i, j] for j in range(3)] for i in range(3)]
    w = [1 + r[0][0] + r[1][1] + r[2][2], r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]]
    x = [w[1], 1 + r[0][0] - r[1][1] - r[2][2], r[0][1] + r[1][0], r[0][2] + r[2][0]]
    y = [w[2], x[2], 1 - r[0][0] + r[1][1] - r[2][2], r[1][2] + r[2][1]]
    z = [w[3], x[3], y[3], 1 - r[0][0] - r[1][1] + r[2][2]]
    column, largest = ca.vertcat(*w), w[0]
    for candidate, diagonal in ((x, x[1]), (y, y[2]), (z, z[3])):
        column = ca.if_else(diagonal > largest, ca.vertcat(*candidate), column)
        largest = ca.fmax(diagonal, largest)
    sign = ca.if_else(column[0] < 0, -1, 1)
    return ca.densify(sign * column / ca.sqrt(ca.sumsqr(column)))


def euler_zyx(matrix: ca.SX) -> ca.SX:
    """{yaw, pitch, roll} with matrix = rotZ(yaw)·rotY(pitch)·rotX(roll), pitch within ±π/2."""
    level = ca.sqrt(matrix[0, 0] ** 2 + matrix[1, 0] ** 2)
    return ca.vertcat(
        ca.atan2(matrix[1, 0], matrix[0, 0]),
        ca.atan2(-matrix[2, 0], level),
        ca.atan2(matrix[2, 1], matrix[2, 2]),
    )


def skew(vector: ca.SX) -> ca.SX:
    """[v]ₓ, dense: [v]ₓ·w = v x w."""
    return ca.densify(ca.skew(vector))


def _identity() -> ca.SX:
    return ca.SX(ca.densify(ca.DM.eye(3)))


def _matrix(rows: list[list[ca.SX | int]]) -> ca.SX:
    return ca.vertcat(*(ca.horzcat(*(ca.SX(element) for element in row)) for row in rows))


# --- angular velocities, as expressions ----------------------------------------------------------


class Spins:
    """Angular velocities of attitude expressions, worked out one step at a time.

    Each step gives an expression in derivatives of angles and in angular velocities of parts, so that
    a chain of n rotations costs n steps and no depth.
    """

    def __init__(self, variables: dict[str, VariableDefinition]) -> None:
        self._variables = variables
        self._of_part: dict[Expr, Expr] = {}

    def is_free(self, attitude: Expr) -> bool:
        """Whether the angular velocity is that of a coordinate, a symbol."""
        return isinstance(attitude, Variable) and self._variables[attitude.name].kind == "coordinate"

    def expand(self, attitude: Expr) -> Expr:
        """One step: an expression for the angular velocity of an attitude that is not free."""
        match attitude:
            case Variable(name=name) if (definition := self._variables[name]).binding is not None:
                if definition.kind in ("parameter", "constant"):
                    return _call("zeros", attitude, _RATE)
                if definition.kind != "input":
                    return self._spin(definition.binding)
            case Variable(name=name) if self._variables[name].kind in ("parameter", "constant"):
                return _call("zeros", attitude, _RATE)
            case Apply(operation="identity"):
                return _call("zeros", attitude, _RATE)
            case Apply(operation="rotX" | "rotY" | "rotZ" as operation, arguments=(angle,)):
                return _about_own_axis("XYZ".index(operation[-1]), angle)
            case Apply(operation="rotAxis", arguments=(axis, angle)):
                return _about_axis(axis, angle)
            case Apply(operation="transpose", arguments=(part,)) if self._is_rotation(part):
                turned = _call("matvec", attitude, _RATE, part, self._spin(part))
                return _call("negate", attitude, _RATE, turned)
            case Apply(operation="matmul", arguments=(a, b)) if self._is_rotation(attitude):
                back = _call("transpose", b, b.type, b)
                outer = _call("matvec", attitude, _RATE, back, self._spin(a))
                return _call("add", attitude, _RATE, outer, self._spin(b))
            case Conditional(condition=condition, then=a, otherwise=b) if self._is_rotation(attitude):
                return Conditional(
                    type=_RATE,
                    span=attitude.span,
                    condition=condition,
                    then=self._spin(a),
                    otherwise=self._spin(b),
                )
            case _:
                pass
        return _from_matrix_rate(attitude)

    def _spin(self, part: Expr) -> Expr:
        """`angularVelocity(part)`: one node for each part, so that its value is worked out once."""
        if part not in self._of_part:
            self._of_part[part] = _call("angularVelocity", part, _RATE, part)
        return self._of_part[part]

    def _is_rotation(self, attitude: Expr) -> bool:
        """Whether an expression is built of rotations: the rule for products fails for reflections."""
        parts = [attitude]
        while parts:
            match parts.pop():
                case Apply(operation="matmul" | "transpose", arguments=factors):
                    parts.extend(factors)
                case Conditional(then=a, otherwise=b):
                    parts.extend((a, b))
                case Apply(operation="rotX" | "rotY" | "rotZ" | "rotAxis" | "identity"):
                    pass
                case Variable(name=name) if self._variables[name].base == "Rotation":
                    pass
                case _:
                    return False
        return True


def _about_own_axis(place: int, angle: Expr) -> Expr:
    rate = Derivative(type=_SCALAR_RATE, span=angle.span, operand=angle)
    still = Constant(type=_SCALAR_RATE, span=angle.span, value=0.0)
    return Stack(type=_RATE, span=angle.span, items=tuple(rate if i == place else still for i in range(3)))


def _about_axis(axis: Expr, angle: Expr) -> Expr:
    """ω = θ̇·n + sin θ·ṅ - (1 - cos θ)·n x ṅ, in body axes; the last two vanish for a fixed axis."""
    span = angle.span
    n = _call("shrink", axis, _VECTOR, axis, _call("norm", axis, replace(axis.type, shape=()), axis))
    n_rate = Derivative(type=_RATE, span=span, operand=n)
    theta_rate = Derivative(type=_SCALAR_RATE, span=span, operand=angle)
    one = Constant(type=Type(), span=span, value=1.0)
    sine = _call("sin", angle, Type(), angle)
    rest = _call("subtract", angle, Type(), one, _call("cos", angle, Type(), angle))
    along = _call("scale", angle, _RATE, theta_rate, n)
    tilt = _call("scale", angle, _RATE, sine, n_rate)
    swirl = _call("scale", angle, _RATE, rest, _call("cross", axis, _RATE, n, n_rate))
    return _call("subtract", angle, _RATE, _call("add", angle, _RATE, along, tilt), swirl)


def _from_matrix_rate(attitude: Expr) -> Expr:
    """The vector of the skew part of Rᵀ·Ṙ."""
    rate = Derivative(type=_MATRIX_RATE, span=attitude.span, operand=attitude)
    back = _call("transpose", attitude, _MATRIX, attitude)
    product = _call("matmul", attitude, _MATRIX_RATE, back, rate)
    half = Constant(type=Type(), span=attitude.span, value=0.5)

    def element(i: int, j: int) -> Expr:
        return Element(type=_SCALAR_RATE, span=attitude.span, base=product, subscripts=(i, j))

    items = tuple(
        _call("multiply", attitude, _SCALAR_RATE, half, _call("subtract", attitude, _SCALAR_RATE, a, b))
        for a, b in (
            (element(2, 1), element(1, 2)),
            (element(0, 2), element(2, 0)),
            (element(1, 0), element(0, 1)),
        )
    )
    return Stack(type=_RATE, span=attitude.span, items=items)


def _call(operation: str, place: Expr, type_: Type, *arguments: Expr) -> Apply:
    return Apply(type=type_, span=place.span, operation=operation, arguments=arguments)
