"""The equations of motion as a residual, not yet reduced.

With p = ∂T/∂v, for each velocity

    ṗ + ω×p - Nᵀ ∂T/∂q + Nᵀ ∂V/∂q + ∂D/∂v - Q - Aᵀ λ = 0

together with one row for each constraint, servo and equation. The term ω×p stands only in the three
rows of a `Rotation`, whose velocities are its angular velocity in body axes (Euler-Poincaré equations;
Marsden and Ratiu, Introduction to Mechanics and Symmetry, 13.5). Accelerations appear as symbols: no
mass matrix is formed here, let alone inverted.
"""

from __future__ import annotations

from typing import Literal

import casadi as ca

from mbdc.dsl.records import field, frozen
from mbdc.dsl.source import Span

from .mechanics import Friction, Level, MechanicalSystem

SIGNAL_DEGREE = 8


@frozen
class Signals:
    """External inputs as functions of time that can be exchanged without compiling again.

    An input is u = declared·(1 - replaced) + Σ coefficients_k T_k((t - middle)/half_width), T_k the Chebyshev
    polynomials up to `SIGNAL_DEGREE`. `needed` are the names of inputs declared without a value.
    replaced (ne,) is 0 or 1, coefficients is (ne, degree + 1), middle and half_width are scalars. `inputs` are the
    places of the external inputs in `Symbols.inputs`.
    """

    inputs: tuple[int, ...]
    needed: tuple[str, ...]
    replaced: ca.SX
    coefficients: ca.SX
    middle: ca.SX
    half_width: ca.SX

    @property
    def column(self) -> ca.SX:
        """All of it in one column: the order in which the numbers are handed in."""
        return ca.vertcat(self.replaced, ca.vec(self.coefficients), self.middle, self.half_width)


@frozen
class Unknown:
    """A scalar the equations determine: a coordinate, an equation's unknown, a multiplier, a servo's input.

    `least_order` is the order of derivative that a run must carry as a state or find:
    2 for coordinates, 1 for an unknown whose rate appears, else 0.
    """

    name: str
    kind: Literal["coordinate", "unknown", "multiplier", "input"]
    least_order: int
    span: Span = field(repr=False)


@frozen
class Row:
    """One scalar equation, residual = 0. `name` is the label in the author's words (`rolling[2]`, `motion of x`)."""

    name: str
    kind: Literal["motion", "constraint", "servo", "equation"]
    residual: ca.SX
    span: Span = field(repr=False)
    rate: ca.SX | None = None


@frozen
class Gap:
    """One side of a limit that coordinates move: `residual` >= 0, as `mechanics.Limit` says."""

    limit: str
    side: Literal["lower", "upper"]
    residual: ca.SX
    level: Level
    restitution: ca.SX
    place: int
    span: Span = field(repr=False)


@frozen
class EquationsOfMotion:
    """As many rows as unknowns.

    The unknowns are ordered: velocities (nv), then `others`: equation unknowns, multipliers, servo inputs.
    `orders` are their derivatives as symbols: `coordinate_orders` = (v, a), `other_orders` = (values, rates).
    External inputs have been put in as `signals`; `input_values` (nu,) is what stands for each of
    `Symbols.inputs`: a signal, or the symbol of an input that a servo finds.
    `power` has a row for each force statement and each friction, then of dissipation (positive where energy is lost),
    of constraints (those that move), of explicit time in the energies; where there are events, then of impacts (lost)
    and of `when`.
    `jacobi_energy` is v·∂T/∂v - T + V, which is T + V where T is quadratic in v.
    `gaps` and `frictions` act with `contacts` (nc,), which no row here determines: `reduce` adds those rows.
    """

    system: MechanicalSystem
    time: ca.SX
    q: ca.SX
    kinematics: ca.SX
    coordinate_orders: tuple[ca.SX, ...]
    other_orders: tuple[ca.SX, ...]
    unknowns: tuple[Unknown, ...]
    rows: tuple[Row, ...]
    signals: Signals
    input_values: ca.SX
    kinetic: ca.SX
    potential: ca.SX
    dissipation: ca.SX
    power: ca.SX
    jacobi_energy: ca.SX
    contacts: ca.SX
    gaps: tuple[Gap, ...]
    frictions: tuple[Friction, ...]
