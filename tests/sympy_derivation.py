"""A second derivation of the equations of motion, from the checked program, in SymPy.

It shares no code with the compiler: its own lowering, its own total derivatives, the textbook form
M·a - Aᵀ·λ = Q - h with every matrix written out symbolically, and a dense solve in NumPy. A `Rotation` is
four Euler parameters with the angular velocity in body axes as velocity; its equations are those of
Boltzmann and Hamel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy_lines import Direction, Lines

from mbdc.dsl import program as p

Floats = NDArray[np.float64]
Value = NDArray[np.object_]
"""The value of an expression: an object array of SymPy expressions, of the expression's shape."""

_ELEMENTARY: dict[str, Callable[[Any], Any]] = {
    "negate": lambda x: -x,
    "sin": sp.sin,
    "cos": sp.cos,
    "tan": sp.tan,
    "asin": sp.asin,
    "acos": sp.acos,
    "atan": sp.atan,
    "sinh": sp.sinh,
    "cosh": sp.cosh,
    "tanh": sp.tanh,
    "exp": sp.exp,
    "log": sp.log,
    "log10": lambda x: sp.log(x) / sp.log(10),
    "sqrt": sp.sqrt,
    "abs": sp.Abs,
    "sign": sp.sign,
    "floor": sp.floor,
    "ceil": sp.ceiling,
}
_PAIRWISE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "scale": lambda a, b: a * b,
    "shrink": lambda a, b: a / b,
    "raise": lambda a, b: a**b,
    "atan2": sp.atan2,
    "min": sp.Min,
    "max": sp.Max,
    "less": sp.Lt,
    "lessequal": sp.Le,
    "greater": sp.Gt,
    "greaterequal": sp.Ge,
    "equal": sp.Eq,
    "unequal": sp.Ne,
    "and": sp.And,
    "or": sp.Or,
}
_PRODUCTS = frozenset({"dot", "matvec", "vecmat", "matmul"})


@dataclass(frozen=True)
class Row:
    """A constraint row: its label, its residual, and its second form d/dt that holds accelerations."""

    label: str
    residual: sp.Expr
    jacobian: list[sp.Expr]
    bias: sp.Expr
    holonomic: bool


class Derivation:
    """The equations of one program, with its parameters' values put in.

    `velocity_names` are as in results (`der(x)`; a `Rotation` S has `angularVelocity(S)[1]` ...), `labels`
    name the constraint rows (`rod`, `rolling[2]`), those that are identically 0 = 0 left out.
    """

    def __init__(self, program: p.Program, parameters: dict[str, float] | None = None) -> None:
        self.program = program
        self._given = parameters or {}
        self._time = sp.Symbol("t", real=True)
        self._memo: dict[int, Value] = {}
        self._variables: dict[str, Value] = {}
        self._body_rates: dict[str, Value] = {}
        self._rates: dict[sp.Symbol, sp.Expr] = {}
        self._lines = Lines()
        self.q: list[sp.Symbol] = []
        self.v: list[sp.Symbol] = []
        self.a: list[sp.Symbol] = []
        self.velocity_names: list[str] = []
        self.attitudes: list[tuple[slice, slice]] = []
        """Of each `Rotation`: its places in q and v."""
        for definition in program.variables.values():
            self._declare(definition)
        self._directions()
        self.rows = self._constraint_rows()
        self.labels = [row.label for row in self.rows]
        self._derive()

    # --- what is asked ---------------------------------------------------------------------------

    def solve(self, q: Floats, v: Floats, t: float = 0.0) -> tuple[Floats, Floats]:
        """Accelerations (nv,) and multipliers (rows,) at a state, those of least norm where rows repeat.

        Solved in units in which each inertia and each row's gradient is 1, for the sake of rounding.
        """
        mass, force, jacobian, bias = self.matrices(q, v, t)
        n, m = len(v), len(bias)
        inertia = np.abs(np.diag(mass))
        unit = 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0))
        row = 1 / np.maximum(np.linalg.norm(jacobian * unit, axis=1), 1e-300)
        scaled = row[:, None] * jacobian * unit
        matrix = np.block([[unit[:, None] * mass * unit, -scaled.T], [scaled, np.zeros((m, m))]])
        right = np.concatenate([unit * force, -row * bias])
        solution = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
        solution += np.linalg.lstsq(matrix, right - matrix @ solution, rcond=1e-13)[0]
        accelerations, multipliers = unit * solution[:n], row * solution[n:]
        if np.linalg.matrix_rank(scaled, tol=1e-10) < m:
            multipliers = np.linalg.lstsq(jacobian.T, mass @ accelerations - force, rcond=1e-10)[0]
        return accelerations, multipliers

    def settled(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """A nearby state that satisfies all rows, for constraints that do not move with time."""
        holonomic = [row.holonomic for row in self.rows]
        for _ in range(20):
            jacobian = self.matrices(q, v)[2][holonomic]
            step = np.linalg.lstsq(jacobian, -self.residuals(q, v)[holonomic], rcond=1e-9)[0]
            q = q + self.rates(q, step)
            for place, _ in self.attitudes:
                q[place] /= np.linalg.norm(q[place])
        jacobian = self.matrices(q, v)[2]
        return q, v - np.linalg.lstsq(jacobian, jacobian @ v, rcond=1e-9)[0]

    def matrices(self, q: Floats, v: Floats, t: float = 0.0) -> tuple[Floats, Floats, Floats, Floats]:
        """M (nv, nv), Q - h (nv,), A (rows, nv) and the rest of each differentiated row (rows,)."""
        n, m = len(self.v), len(self.rows)
        numbers = self._numbers([*self._mass, *self._force, *self._jacobian, *self._bias], q, v, t)
        mass, force, jacobian, bias = np.split(numbers, np.cumsum([n * n, n, m * n]))
        return mass.reshape(n, n), force, jacobian.reshape(m, n), bias

    def rates(self, q: Floats, v: Floats) -> Floats:
        """q̇ (nq,)."""
        return self._numbers([self._rates[s] for s in self.q], q, v, 0.0)

    def residuals(self, q: Floats, v: Floats, t: float = 0.0) -> Floats:
        """left - right of every row, as written."""
        return self._numbers([row.residual for row in self.rows], q, v, t)

    def value(self, name: str, q: Floats, v: Floats, t: float = 0.0) -> Floats:
        """A named variable without accelerations in it."""
        numbers = self._numbers(list(self.variable(name).ravel()), q, v, t)
        return numbers.reshape(self.program.variables[name].type.shape)

    def body_rates_of_matrix(self, name: str, q: Floats, v: Floats) -> Floats:
        """The vector of Sᵀ·Ṡ of a named attitude."""
        return self._numbers(list(self._angular_velocity_of_matrix(self.variable(name))), q, v, 0.0)

    def _numbers(self, expressions: list[sp.Expr], q: Floats, v: Floats, t: float) -> Floats:
        point = dict(zip([*self.q, *self.v], [*map(float, q), *map(float, v)], strict=True))
        return np.array(self._lines.numbers(expressions, point | {self._time: t}), dtype=float)

    def start(self) -> tuple[Floats, Floats]:
        """Positions and velocities as the text gives them, guesses and zeros where it says nothing."""
        q, v = [], []
        for definition in self._coordinates():
            size = 3 if definition.base == "Rotation" else definition.type.size
            position = self._attribute(definition, ("start", "guess"))
            rate = self._attribute(definition, ("rate", "guessRate"))
            if definition.base == "Rotation":
                position = _quaternion(np.eye(3) if position is None else position.reshape(3, 3))
            q.append(np.zeros(size) if position is None else position)
            v.append(np.zeros(size) if rate is None else rate)
        return np.concatenate(q), np.concatenate(v)

    # --- names -----------------------------------------------------------------------------------

    def _coordinates(self) -> list[p.VariableDefinition]:
        return [d for d in self.program.variables.values() if d.kind == "coordinate"]

    def _attribute(self, definition: p.VariableDefinition, names: Sequence[str]) -> Floats | None:
        for name in names:
            if name in definition.attributes:
                value = self.lower(definition.attributes[name])
                return np.array(self._lines.numbers(list(value.ravel()), {self._time: 0.0}), dtype=float)
        return None

    def _declare(self, definition: p.VariableDefinition) -> None:
        if definition.kind == "coordinate" and definition.base == "Rotation":
            self._declare_rotation(definition.name)
        elif definition.kind == "coordinate":
            self._declare_coordinate(definition)
        elif definition.is_state:
            state = _symbols(definition.name, definition.type.shape)
            self._variables[definition.name] = state
            for symbol in state.ravel():
                self._rates[symbol] = sp.Symbol(f"rate_{symbol.name}", real=True)

    def _declare_coordinate(self, definition: p.VariableDefinition) -> None:
        positions = _symbols(definition.name, definition.type.shape)
        self._variables[definition.name] = positions
        for index, symbol in np.ndenumerate(positions):
            element = definition.name + _index_text(index)
            velocity = sp.Symbol(f"v_{symbol.name}", real=True)
            self.q.append(symbol)
            self.v.append(velocity)
            self.a.append(sp.Symbol(f"a_{symbol.name}", real=True))
            self._rates[symbol] = velocity
            self.velocity_names.append(f"der({element})")

    def _declare_rotation(self, name: str) -> None:
        w, x, y, z = (sp.Symbol(f"{name}_{k}", real=True) for k in "wxyz")
        omega = [sp.Symbol(f"v_{name}_{i}", real=True) for i in (1, 2, 3)]
        self.attitudes.append((slice(len(self.q), len(self.q) + 4), slice(len(self.v), len(self.v) + 3)))
        self.q += [w, x, y, z]
        self.v += omega
        self.a += [sp.Symbol(f"a_{name}_{i}", real=True) for i in (1, 2, 3)]
        self.velocity_names += [f"angularVelocity({name})[{i}]" for i in (1, 2, 3)]
        for symbol, row in zip((w, x, y, z), _quaternion_rates(w, x, y, z), strict=True):
            self._rates[symbol] = sum(entry * rate for entry, rate in zip(row, omega, strict=True))
        self._variables[name] = np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ],
            dtype=object,
        )
        self._body_rates[name] = np.array(omega, dtype=object)

    def variable(self, name: str) -> Value:
        """The value of a variable, its definition put in."""
        if name not in self._variables:
            definition = self.program.variables[name]
            if name in self._given:
                number = sp.Float(self._given[name])
                self._variables[name] = np.full(definition.type.shape, number, dtype=object)
            elif definition.binding is None:
                raise NotImplementedError(f"{name} is found by equations or a servo")
            else:
                value = self.lower(definition.binding)
                if definition.kind in ("parameter", "constant"):
                    value = _map(lambda x: sp.Float(float(x)) if x.is_number else x, value)
                self._variables[name] = value
        return self._variables[name]

    # --- expressions -----------------------------------------------------------------------------

    def lower(self, expression: p.Expr) -> Value:
        """The value of an expression; each node is lowered once."""
        key = id(expression)
        if key not in self._memo:
            self._memo[key] = _map(self._lines.name, self._lower(expression))
        return self._memo[key]

    def _lower(self, expression: p.Expr) -> Value:
        match expression:
            case p.Constant(value=bool() as truth):
                return _scalar(sp.true if truth else sp.false)
            case p.Constant(value=number):
                return _scalar(sp.Integer(int(number)) if float(number).is_integer() else sp.Float(number))
            case p.Time():
                return _scalar(self._time)
            case p.Variable(name=name):
                return self.variable(name)
            case p.Element(base=base, subscripts=subscripts):
                return _select(self.lower(base), subscripts)
            case p.Stack(items=items):
                entries = [self.lower(item)[()] for item in items]
                return np.array(entries, dtype=object).reshape(expression.type.shape)
            case p.Conditional(condition=condition, then=then, otherwise=otherwise):
                test = self.lower(condition)[()]
                choose = np.frompyfunc(lambda a, b: sp.Piecewise((a, test), (b, True)), 2, 1)
                return np.asarray(choose(self.lower(then), self.lower(otherwise)), dtype=object)
            case p.Derivative(operand=operand):
                return _map(self.total_derivative, self.lower(operand))
            case p.Apply(operation="angularVelocity", arguments=(argument,)):
                return self._angular_velocity(argument)
            case p.Apply(operation=operation, arguments=arguments):
                return self._apply(operation, [self.lower(a) for a in arguments], expression.type.shape)
            case _:
                raise NotImplementedError(type(expression).__name__)

    def _apply(self, operation: str, values: list[Value], shape: tuple[int, ...]) -> Value:
        if operation in _ELEMENTARY:
            return _map(_ELEMENTARY[operation], values[0])
        if operation in _PAIRWISE:
            return np.asarray(np.frompyfunc(_PAIRWISE[operation], 2, 1)(*values), dtype=object)
        if operation in _PRODUCTS:
            return np.asarray(np.dot(*values), dtype=object)
        match operation:
            case "not":
                return _map(sp.Not, values[0])
            case "sum":
                return _scalar(sum(values[0].ravel(), sp.Integer(0)))
            case "product":
                return _scalar(sp.Mul(*values[0].ravel()))
            case "minimum":
                return _scalar(sp.Min(*values[0].ravel()))
            case "maximum":
                return _scalar(sp.Max(*values[0].ravel()))
            case "norm":
                return _scalar(sp.sqrt(sum(x**2 for x in values[0].ravel())))
            case "cross":
                return np.asarray(_skew(values[0]) @ values[1], dtype=object)
            case "skew":
                return _skew(values[0])
            case "transpose":
                return values[0].T
            case "diagonal":
                return _diagonal(values[0])
            case "identity":
                return _diagonal(np.full(shape[0], sp.Integer(1), dtype=object))
            case "zeros" | "ones":
                return np.full(shape, sp.Integer(int(operation == "ones")), dtype=object)
            case "rotX" | "rotY" | "rotZ":
                axis = np.array([sp.Integer(int(operation[-1] == k)) for k in "XYZ"], dtype=object)
                return _rotation_about(axis, values[0][()])
            case "rotAxis":
                length = sp.sqrt(sum(x**2 for x in values[0]))
                return _rotation_about(_map(lambda x: x / length, values[0]), values[1][()])
            case "eulerZYX":
                s = values[0]
                return np.array(
                    [sp.atan2(s[1, 0], s[0, 0]), -sp.asin(s[2, 0]), sp.atan2(s[2, 1], s[2, 2])], dtype=object
                )
            case _:
                raise NotImplementedError(operation)

    def _angular_velocity(self, rotation: p.Expr) -> Value:
        """In body axes; of a product A·B it is Bᵀ·ω(A) + ω(B)."""
        match rotation:
            case p.Variable(name=name) if name in self._body_rates:
                return self._body_rates[name]
            case p.Variable(name=name) if self.program.variables[name].binding is not None:
                return self._angular_velocity(self.program.variables[name].binding)
            case p.Apply(operation="matmul", arguments=(first, second)):
                turned = self.lower(second).T @ self._angular_velocity(first)
                return np.asarray(turned + self._angular_velocity(second), dtype=object)
            case p.Apply(operation="rotX" | "rotY" | "rotZ" as name, arguments=(angle,)):
                rate = self.total_derivative(self.lower(angle)[()])
                return np.array([rate if name[-1] == k else sp.Integer(0) for k in "XYZ"], dtype=object)
            case _:
                return self._angular_velocity_of_matrix(self.lower(rotation))

    def _angular_velocity_of_matrix(self, matrix: Value) -> Value:
        """From the matrix alone: the vector of Sᵀ·Ṡ."""
        spin = matrix.T @ _map(self.total_derivative, matrix)
        return np.array([spin[2, 1], spin[0, 2], spin[1, 0]], dtype=object)

    # --- mechanics -------------------------------------------------------------------------------

    def total_derivative(self, expression: sp.Expr) -> sp.Expr:
        """d/dt through positions, velocities, states and time."""
        return self._lines.along(sp.sympify(expression), self._flow_of_time)

    def _by_velocities(self, expression: sp.Expr) -> list[sp.Expr]:
        return [self._lines.along(expression, direction) for direction in self._by_velocity]

    def _depends_on_velocity(self, expression: sp.Expr) -> bool:
        return bool(self._lines.free(expression) & set(self.v))

    def _directions(self) -> None:
        """Along each velocity; along the displacement each makes (for a `Rotation` N's columns); in time."""
        one = sp.Integer(1)
        self._by_velocity = [Direction({symbol: one}) for symbol in self.v]
        rates = [[sp.diff(rate, v) for v in self.v] for rate in (self._rates[s] for s in self.q)]
        self._by_displacement = [
            Direction({symbol: row[i] for symbol, row in zip(self.q, rates, strict=True) if row[i] != 0})
            for i in range(len(self.v))
        ]
        drift = {self._time: one, **self._rates}
        self._drift = Direction(drift)
        self._flow_of_time = Direction({**drift, **dict(zip(self.v, self.a, strict=True))})

    def _constraint_rows(self) -> list[Row]:
        rows = []
        for constraint in self.program.statements.constraints:
            residual = np.asarray(self.lower(constraint.left) - self.lower(constraint.right), dtype=object)
            for index, entry in np.ndenumerate(residual):
                rows.append(self._row(constraint.name + _index_text(index), sp.sympify(entry)))
        vanishing = self._vanishing([row.residual for row in rows])
        return [row for row, zero in zip(rows, vanishing, strict=True) if not zero]

    def _row(self, label: str, residual: sp.Expr) -> Row:
        holonomic = not self._depends_on_velocity(residual)
        velocity_form = self._lines.along(residual, self._drift) if holonomic else residual
        bias = self._lines.along(velocity_form, self._drift)
        return Row(label, residual, self._by_velocities(velocity_form), bias, holonomic)

    def _vanishing(self, expressions: list[sp.Expr]) -> list[bool]:
        """Which of them are 0 at two arbitrary points."""
        generator = np.random.default_rng(len(expressions))
        points = generator.uniform(0.3, 0.7, (2, len(self.q) + len(self.v)))
        values = [self._numbers(expressions, p[: len(self.q)], p[len(self.q) :], 0.4) for p in points]
        return [bool(np.max(np.abs(pair)) < 1e-12) for pair in np.array(values).T]

    def _derive(self) -> None:
        statements = self.program.statements
        kinetic, potential, dissipation = (
            sum((self.lower(e.value)[()] for e in statements.energies if e.kind == kind), sp.Integer(0))
            for kind in ("kinetic", "potential", "dissipation")
        )
        along = self._lines.along
        momenta = self._by_velocities(kinetic)
        losses = self._by_velocities(dissipation)
        applied = self._applied_forces()
        gyroscopic = self._gyroscopic(momenta)
        self._mass = [entry for momentum in momenta for entry in self._by_velocities(momentum)]
        self._force = [
            applied[i] - along(momenta[i], self._drift) - gyroscopic[i] - losses[i]
            + along(kinetic, direction) - along(potential, direction)
            for i, direction in enumerate(self._by_displacement)
        ]  # fmt: skip
        self._jacobian = [entry for row in self.rows for entry in row.jacobian]
        self._bias = [row.bias for row in self.rows]

    def _applied_forces(self) -> list[sp.Expr]:
        result: list[sp.Expr] = [sp.Integer(0)] * len(self.v)
        for force in self.program.statements.forces:
            efforts = self.lower(force.effort).ravel()
            for effort, flow in zip(efforts, self._flow(force.flow).ravel(), strict=True):
                moving = self._depends_on_velocity(flow)
                velocity_form = flow if moving else self._lines.along(flow, self._drift)
                for i, arm in enumerate(self._by_velocities(velocity_form)):
                    result[i] += arm * effort
        return result

    def _flow(self, flow: p.Expr) -> Value:
        if isinstance(flow, p.Variable) and flow.name in self._body_rates:
            return self._body_rates[flow.name]
        return self.lower(flow)

    def _gyroscopic(self, momenta: list[sp.Expr]) -> list[sp.Expr]:
        """ω × ∂T/∂ω for every `Rotation`: the price of velocities that are no derivatives of coordinates."""
        result: list[sp.Expr] = [sp.Integer(0)] * len(self.v)
        for _, place in self.attitudes:
            omega = np.array(self.v[place], dtype=object)
            result[place] = list(_skew(omega) @ np.array(momenta[place], dtype=object))
        return result


def _scalar(value: Any) -> Value:
    result = np.empty((), dtype=object)
    result[()] = sp.sympify(value)
    return result


def _map(function: Callable[[Any], Any], value: Value) -> Value:
    return np.asarray(np.frompyfunc(function, 1, 1)(value), dtype=object)


def _symbols(name: str, shape: tuple[int, ...]) -> Value:
    result = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        suffix = "".join(f"_{i + 1}" for i in index)
        result[index] = sp.Symbol(name.replace(".", "_") + suffix, real=True)
    return result


def _index_text(index: tuple[int, ...]) -> str:
    return f"[{','.join(str(i + 1) for i in index)}]" if index else ""


def _select(value: Value, subscripts: Sequence[int | tuple[int, ...]]) -> Value:
    """Kept dimensions first picked one by one, from the last, so that dropped ones do not shift them."""
    for axis in reversed(range(len(subscripts))):
        value = np.take(value, subscripts[axis], axis=axis)
    return np.asarray(value, dtype=object)


def _skew(v: Value) -> Value:
    zero = sp.Integer(0)
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]], dtype=object)


def _diagonal(entries: Value) -> Value:
    result = np.full((len(entries), len(entries)), sp.Integer(0), dtype=object)
    for i, entry in enumerate(entries):
        result[i, i] = entry
    return result


def _rotation_about(axis: Value, angle: sp.Expr) -> Value:
    """Rodrigues' formula."""
    along = np.outer(axis, axis)
    identity = _diagonal(np.full(3, sp.Integer(1), dtype=object))
    result = along + (identity - along) * sp.cos(angle) + _skew(axis) * sp.sin(angle)
    return np.asarray(result, dtype=object)


def _quaternion_rates(w: Any, x: Any, y: Any, z: Any) -> list[list[Any]]:
    """N with d/dt (w, x, y, z) = N·ω, ω in body axes."""
    half = sp.Rational(1, 2)
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return [[half * entry for entry in row] for row in rows]


def _quaternion(matrix: Floats) -> Floats:
    """Of a rotation matrix, (w, x, y, z), the largest of the four taken first."""
    trace = np.trace(matrix)
    squares = np.array([trace, *np.diag(matrix)])
    k = int(np.argmax(squares))
    if k == 0:
        s = 2 * math.sqrt(1 + trace)
        skew = matrix - matrix.T
        return np.array([s / 4, skew[2, 1] / s, skew[0, 2] / s, skew[1, 0] / s])
    first, second, third = k - 1, k % 3, (k + 1) % 3
    s = 2 * math.sqrt(1 + matrix[first, first] - matrix[second, second] - matrix[third, third])
    result = np.empty(4)
    result[0] = (matrix[third, second] - matrix[second, third]) / s
    result[1 + first] = s / 4
    result[1 + second] = (matrix[second, first] + matrix[first, second]) / s
    result[1 + third] = (matrix[third, first] + matrix[first, third]) / s
    return result
