"""Constraint rows as one-forms: their coefficients, exterior derivatives and places to look at them.

A row that is affine in the velocities, A(q, t)·v + b(q, t) = 0, is the form A·θ + b·dt, θ the forms with
θ(q̇) = v. For an ordinary coordinate θ = dq. The three of a `Rotation` are dual to the fields
E₁, E₂, E₃ of N(q), for which [E₁, E₂] = E₃ and so on round, so that for a form with coefficients a

    dω(Eᵢ, Eⱼ) = Eᵢ(aⱼ) - Eⱼ(aᵢ) - ω([Eᵢ, Eⱼ])

(É. Cartan). A position row φ = 0 counts as the form dφ. A block holds the rows that share coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen, replace

from .draws import Draws
from .mechanics import ConstraintRow, Coordinate, Floats, MechanicalSystem

ZERO = 1e-9
"""A sum this small beside its terms is rounding."""

RANK = 1e-7


@frozen
class Point:
    """A place on the position constraints: positions (nq,), time, and parameters (np,)."""

    q: Floats
    t: float
    parameters: Floats


@frozen
class Forms:
    """All rows of a block at a point: coefficients (m, k) and dω (m, k, k), with the size of its terms."""

    coefficients: Floats
    derivative: Floats
    terms: Floats


class Block:
    """Rows that share coordinates, and those coordinates' velocities.

    `rows` have position rows first. Columns are the `velocities` (places in v), and time behind them where
    `timed`. All expressions are in q, time and parameters: an input stands as some smooth signal.
    """

    def __init__(
        self, system: MechanicalSystem, rows: Sequence[ConstraintRow], coordinates: Sequence[Coordinate]
    ) -> None:
        self.system = system
        self.rows = tuple(sorted(rows, key=lambda row: row.level != "position"))
        self.coordinates = tuple(coordinates)
        self.velocities = self._used_velocities()

    @property
    def signalled(self) -> bool:
        """Whether inputs occur in the rows."""
        inputs = self.system.symbols.inputs
        written = ca.vertcat(*(row.residual for row in self.rows))
        return bool(inputs.numel()) and ca.depends_on(written, inputs)

    @cached_property
    def forms(self) -> ca.SX:
        """The coefficients of all rows, (m, columns)."""
        linear, affine = self._coefficients
        return ca.horzcat(linear, affine) if self.timed else linear

    @cached_property
    def timed(self) -> bool:
        """Whether time is a column."""
        affine = self._coefficients[1]
        return bool(affine.nnz()) or ca.depends_on(self._residuals, self.system.symbols.time)

    @property
    def positions(self) -> int:
        """How many rows are position rows: they come first."""
        return sum(row.level == "position" for row in self.rows)

    @property
    def size(self) -> int:
        """How many columns there are."""
        return len(self.velocities) + self.timed

    @property
    def turns(self) -> Iterator[tuple[int, int, int]]:
        """The columns of each `Rotation`."""
        for c in self.coordinates:
            if c.is_rotation:
                first = self.velocities.index(c.v.start)
                yield first, first + 1, first + 2

    @property
    def names(self) -> list[str | None]:
        """Per column the coordinate whose rate it is; None for a `Rotation`."""
        found: list[str | None] = [None] * self.size
        for c in self.coordinates:
            if not c.is_rotation:
                for name, place in zip(c.position_names, range(c.v.start, c.v.stop), strict=True):
                    if place in self.velocities:
                        found[self.velocities.index(place)] = name
        if self.timed:
            found[-1] = "time"
        return found

    @cached_property
    def state(self) -> ca.SX:
        """(q, time), a column."""
        return ca.vertcat(self.system.symbols.q, self.system.symbols.time)

    @cached_property
    def frame(self) -> ca.SX:
        """The rates of (q, time) along each column's field, (nq + 1, columns)."""
        s = self.system.symbols
        fields = ca.jacobian(self.system.kinematics, s.v)[:, list(self.velocities)]
        rates = ca.vertcat(fields, ca.SX(1, fields.shape[1]))
        if not self.timed:
            return rates
        return ca.horzcat(rates, ca.vertcat(ca.SX(fields.shape[0], 1), 1))

    def along(self, expression: ca.SX, field: ca.SX) -> ca.SX:
        """The derivative of a column of expressions along a field, given by its parts in the columns."""
        return ca.jtimes(expression, self.state, ca.mtimes(self.frame, field))

    def function(self, name: str, expressions: Sequence[ca.SX]) -> ca.Function:
        """Expressions of the block as a function of a point's q, t and parameters."""
        s = self.system.symbols
        return ca.Function(name, [s.q, s.time, s.parameters], [ca.densify(e) for e in expressions])

    def at(self, point: Point) -> Forms:
        """The forms and their exterior derivatives at a point."""
        parts = self._evaluate(point.q, point.t, point.parameters)
        coefficients, slopes, frame = (np.asarray(part) for part in parts[:3])
        # slope[r, j, i]: the derivative of coefficient j of row r along field i; `vec` went column by column.
        slope = (slopes @ frame).reshape((self.size, len(self.rows), self.size)).transpose(1, 0, 2)
        forward, back = slope.transpose(0, 2, 1), slope
        derivative, terms = forward - back, np.abs(forward) + np.abs(back)
        for turn in self.turns:
            for i, j, k in (turn, turn[1:] + turn[:1], turn[2:] + turn[:2]):
                for one, other, sign in ((i, j, 1.0), (j, i, -1.0)):
                    derivative[:, one, other] -= sign * coefficients[:, k]
                    terms[:, one, other] += np.abs(coefficients[:, k])
        return Forms(coefficients, derivative, terms)

    def misses(self, point: Point) -> tuple[Floats, Floats, Floats]:
        """Residuals of the position rows, their coefficients, and the fields at a point."""
        parts = self._evaluate(point.q, point.t, point.parameters)
        coefficients, _, frame, residuals = (np.asarray(part) for part in parts)
        n = len(self.velocities)
        return residuals.ravel()[: self.positions], coefficients[: self.positions, :n], frame[:-1, :n]

    @cached_property
    def _evaluate(self) -> ca.Function:
        slopes = ca.jacobian(ca.vec(self.forms), self.state)
        return self.function("forms", [self.forms, slopes, self.frame, self._residuals[: self.positions, 0]])

    def _used_velocities(self) -> tuple[int, ...]:
        return tuple(place for c in self.coordinates for place in range(c.v.start, c.v.stop))

    def _at_rest(self, expressions: ca.SX) -> ca.SX:
        v = self.system.symbols.v
        return ca.substitute(expressions, v, ca.SX.zeros(v.numel()))

    @cached_property
    def _residuals(self) -> ca.SX:
        residuals = _with_signals(self.system, ca.vertcat(*(row.residual for row in self.rows)))
        # Velocities that cancel each other may stand in position rows.
        fixed, moving = residuals[: self.positions, 0], residuals[self.positions :, 0]
        return ca.vertcat(self._at_rest(fixed), moving)

    @cached_property
    def _coefficients(self) -> tuple[ca.SX, ca.SX]:
        """A, (m, velocities), and b, (m, 1)."""
        s = self.system.symbols
        fixed, moving = self._residuals[: self.positions, 0], self._residuals[self.positions :, 0]
        by_position = ca.mtimes(ca.jacobian(fixed, s.q), ca.jacobian(self.system.kinematics, s.v))
        by_time = ca.jacobian(fixed, s.time)
        both = self._at_rest(ca.horzcat(ca.jacobian(moving, s.v), moving))
        linear = ca.vertcat(by_position, both[:, :-1])[:, list(self.velocities)]
        return linear, ca.sparsify(ca.vertcat(by_time, both[:, -1]))


def _with_signals(system: MechanicalSystem, rows: ca.SX) -> ca.SX:
    """The rows with a smooth signal of no special shape in the place of each input."""
    s = system.symbols
    if not s.inputs.numel() or not ca.depends_on(rows, s.inputs):
        return rows
    numbers = Draws(7).column(0.4, 1.6, 4 * s.inputs.numel()).reshape(4, -1)
    mean, swing, speed, phase = (ca.DM(row) for row in numbers)
    return ca.substitute(rows, s.inputs, mean + swing * ca.sin(speed * s.time + phase))


def blocks(system: MechanicalSystem) -> list[Block]:
    """The blocks with a velocity row in them; rows that are not linear in the velocities are left out."""
    rows = [row for row in system.rows if row.level == "position" or row.linear]
    if not any(row.level == "velocity" for row in rows):
        return []
    touched = _touched(system, rows)
    found = []
    for members in _joined(touched):
        some = [rows[i] for i in members]
        if any(row.level == "velocity" for row in some):
            found.append(Block(system, some, _parts(system, set().union(*(touched[i] for i in members)))))
    return found


def rows_apart(block: Block) -> list[Block]:
    """Each velocity row of a block as a block of its own."""
    rows = block.rows[block.positions :]
    system = block.system
    touched = zip(rows, _touched(system, rows), strict=True)
    return [Block(system, [row], _parts(system, owners)) for row, owners in touched]


def _touched(system: MechanicalSystem, rows: Sequence[ConstraintRow]) -> list[set[int]]:
    """For each row the owners (see `_owners`) of the positions and velocities in it."""
    s = system.symbols
    pattern = ca.jacobian_sparsity(ca.vertcat(*(row.residual for row in rows)), ca.vertcat(s.q, s.v))
    owners = _owners(system)
    touched: list[set[int]] = [set() for _ in rows]
    for row, column in zip(*pattern.get_triplet(), strict=True):
        touched[row].add(owners[column])
    return touched


def _owners(system: MechanicalSystem) -> list[int]:
    """For each element of (q, v) a number that it shares with the rates or positions of the same thing."""
    s = system.symbols
    in_q, in_v = [0] * s.q.numel(), [0] * s.v.numel()
    for c in system.coordinates:
        single = c.is_rotation
        for k, place in enumerate(range(c.q.start, c.q.stop)):
            in_q[place] = c.v.start if single else c.v.start + k
        for place in range(c.v.start, c.v.stop):
            in_v[place] = c.v.start if single else place
    return in_q + in_v


def _parts(system: MechanicalSystem, owners: set[int]) -> list[Coordinate]:
    """The coordinates that own velocities among `owners`, arrays cut down to the elements concerned."""
    found = []
    for c in system.coordinates:
        if c.is_rotation:
            found += [c] if c.v.start in owners else []
            continue
        for k, place in enumerate(range(c.v.start, c.v.stop)):
            if place in owners:
                q = c.q.start + k
                part = replace(
                    c,
                    shape=(),
                    q=slice(q, q + 1),
                    v=slice(place, place + 1),
                    position_names=(c.position_names[k],),
                    velocity_names=(c.velocity_names[k],),
                )
                found.append(part)
    return found


def _joined(sets: Sequence[set[int]]) -> list[list[int]]:
    """Places of sets, those with common elements (by way of others too) together."""
    groups: list[tuple[set[int], list[int]]] = []
    for place, elements in enumerate(sets):
        merged, members = set(elements), [place]
        apart = []
        for others, places in groups:
            if others & merged:
                merged, members = merged | others, members + places
            else:
                apart.append((others, places))
        groups = [*apart, (merged, members)]
    return [sorted(members) for _, members in groups]
