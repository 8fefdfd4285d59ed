"""A mechanical system in symbols: coordinates, energies, forces, constraints, limits.

No name is looked up from here on: every quantity is a CasADi SX expression in the symbols below.

Conventions, stated once:

- q holds positions, v the generalized velocities, a = v̇. For an ordinary coordinate q̇ = v. A `Rotation`
  has four Euler parameters (w, x, y, z) in q, body to world, and its angular velocity in body axes in v;
  q̇ = N(q)·v is `kinematics`. The attitude matrix does not change when the four are scaled, so the
  unit norm needs no constraint force.
- A constraint `left = right` has the residual left - right. Its rows act on velocities by
  A = ∂(residual)/∂v at velocity level, A = ∂(residual)/∂q·N at position level; M·a = Q + Aᵀ·multipliers.
- Arrays are flattened row by row. Indices count from 0 here, in names from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic, ModelError
from mbdc.dsl.program import Program, Type
from mbdc.dsl.records import field, frozen
from mbdc.dsl.source import Span

from .relations import Relation

Floats = NDArray[np.float64]


class SettingError(ModelError):
    """Parameter values that do not fit the model; carries every diagnostic found."""


@frozen
class Symbols:
    """The free symbols of a system, each an SX column.

    time () in s; q (nq,), v (nv,), a (nv,); parameters (np,); inputs (nu,);
    unknowns (nw,) found by equations and their rates (nw,); multipliers (nm,), one for each
    constraint row in the order of the constraints; contacts (nc,), the multipliers of limits (one for each gap)
    and then of frictions (one for each element of a flow). The last of the parameters are the modes, as `Modes` says.
    """

    time: ca.SX
    q: ca.SX
    v: ca.SX
    a: ca.SX
    parameters: ca.SX
    inputs: ca.SX
    unknowns: ca.SX
    unknown_rates: ca.SX
    multipliers: ca.SX
    contacts: ca.SX


@frozen
class Coordinate:
    """A declared coordinate: where it lies in q and v, and what its elements are called.

    `position_names` (`x`, `p[2]`; for a `Rotation` the four Euler parameters `S.w` ... `S.z`, internal),
    `velocity_names` (`der(x)`; for a `Rotation` `angularVelocity(S)[1]` ...).
    """

    name: str
    is_rotation: bool
    shape: tuple[int, ...]
    q: slice
    v: slice
    position_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    span: Span = field(repr=False)


@frozen
class NamedScalars:
    """A declared parameter, input or unknown: its elements' place in the symbol column of its kind."""

    name: str
    shape: tuple[int, ...]
    elements: slice
    element_names: tuple[str, ...]
    span: Span = field(repr=False)


Level = Literal["position", "velocity"]
LEVELS: tuple[Level, ...] = ("position", "velocity")


@frozen
class ConstraintRow:
    """One scalar row of a constraint.

    `label` is `rod` for a scalar constraint, `rolling[2]` for a row of a vector one. `multiplier` is its
    place in `Symbols.multipliers`. `linear` says whether a velocity row is linear in v.
    """

    constraint: str
    label: str
    residual: ca.SX
    level: Level
    linear: bool
    multiplier: int
    span: Span = field(repr=False)


@frozen
class Constraint:
    """A declared constraint: all rows as written (`size`), of which `rows` are not identically 0 = 0.

    `row_indices` are the places of `rows` among the rows as written, from 0. `qualifier` is what the text
    claims; only that `nonholonomic` rows contain velocities has been verified.
    """

    name: str
    size: int
    scalar: bool
    rows: tuple[ConstraintRow, ...]
    row_indices: tuple[int, ...]
    span: Span = field(repr=False)
    qualifier: Literal["holonomic", "nonholonomic"] | None = None


@frozen
class ServoRow:
    """One row of a servo; `order` is the highest derivative of a coordinate in it: 0 or 1."""

    servo: str
    label: str
    residual: ca.SX
    order: int
    rate: ca.SX | None
    span: Span = field(repr=False)


@frozen
class Servo:
    """A servo: its rows, and the places in `Symbols.inputs` of the inputs it finds, as many as rows."""

    name: str
    rows: tuple[ServoRow, ...]
    inputs: tuple[int, ...]
    span: Span = field(repr=False)


@frozen
class EquationRow:
    """One scalar equation (or initial condition): residual = 0."""

    label: str
    residual: ca.SX
    span: Span = field(repr=False)


@frozen
class Limit:
    """gaps >= 0, one for each bound given; `sides` says of each whether it is the lower or the upper.

    `places` are those of their multipliers in `Symbols.contacts`. One of `position` level is hit with an impact;
    one of `velocity` level is reached without. What no coordinate moves (`level` None) can only end a run.
    """

    name: str
    gaps: tuple[ca.SX, ...]
    sides: tuple[Literal["lower", "upper"], ...]
    places: tuple[int, ...]
    level: Level | None
    restitution: ca.SX
    span: Span = field(repr=False)


@frozen
class Energy:
    """A named term. The key in results is `energy.<kind>.<name>`."""

    kind: Literal["kinetic", "potential", "dissipation"]
    name: str
    value: ca.SX
    span: Span = field(repr=False)


@frozen
class Force:
    """A force statement: effort (n,) on a flow (n,) that is a rate, linear in the velocities (nv,).

    `power` is effort·flow, what the force does in a moving frame included.
    """

    name: str
    effort: ca.SX
    flow: ca.SX
    velocities: ca.SX
    power: ca.SX
    span: Span = field(repr=False)

    @cached_property
    def generalized(self) -> ca.SX:
        """(∂flow/∂v)ᵀ·effort, (nv,). For the sum over all forces `MechanicalSystem.applied` costs less."""
        return ca.jtimes(self.flow, self.velocities, self.effort, True)


@frozen
class Friction:
    """Dry friction: |force| <= coefficient·max(normal, 0), against a flow (n,) that is a rate.

    `static` is the coefficient that holds at rest, the kinetic one where none is given; between them it falls
    with (speed/stribeck)², where that is given. `places` are those of its multipliers in `Symbols.contacts`.
    """

    name: str
    coefficient: ca.SX
    static: ca.SX
    normal: ca.SX
    flow: ca.SX
    viscous: ca.SX
    stribeck: ca.SX | None
    places: slice
    span: Span = field(repr=False)

    @property
    def parts(self) -> tuple[ca.SX, ...]:
        """All expressions it is made of."""
        some = (self.coefficient, self.static, self.normal, self.flow, self.viscous)
        return some if self.stribeck is None else (*some, self.stribeck)


@frozen
class Modes:
    """The modes of contacts and relations: symbols whose numbers change at events only, all among the parameters.

    held (ng,): 1 where a limit's gap is kept closed, 0 where it is free. For frictions: sticking (nf,) 1 or 0;
    pressed (nf,) 1 where the normal force is positive; small (nf,), a speed that does not matter; and
    direction (one for each element of a flow): the sign of sliding where the flow is a number, else an added
    small flow, which says where sliding goes as it begins. bits (nb,): of relations, 1 where they hold.
    """

    held: ca.SX
    sticking: ca.SX
    pressed: ca.SX
    small: ca.SX
    direction: ca.SX
    bits: ca.SX

    @property
    def column(self) -> ca.SX:
        """All of it in one column."""
        return ca.vertcat(self.held, self.sticking, self.pressed, self.small, self.direction, self.bits)


@frozen
class Quantity:
    """A variable to record: its value, flattened row by row, and its type."""

    name: str
    value: ca.SX
    type: Type
    unit: str
    description: str
    element_names: tuple[str, ...]


@frozen
class Assertion:
    """The run stops with the message where the condition (1 or 0) is 0."""

    condition: ca.SX
    message: str
    span: Span = field(repr=False)


@frozen
class Reinit:
    """The elements of q, v or the unknowns named take the values (n,)."""

    target: Literal["position", "velocity", "unknown"]
    elements: tuple[int, ...]
    value: ca.SX


@frozen
class Terminate:
    """The run ends well, for the reason given."""

    message: str


@frozen
class When:
    """Actions at the instant the condition turns from 0 to 1."""

    condition: ca.SX
    actions: tuple[Reinit | Terminate, ...]
    text: str
    span: Span = field(repr=False)


@frozen
class StartValues:
    """What the text says of the start, as SX columns in the parameters; `given` says where it says anything.

    position, velocity: firm values, (nq,) and (nv,); guesses likewise, with their defaults put in
    (0, the identity for a `Rotation`). nominal: (nv,), 1 where not given. unknown and unknown_guess: (nw,).
    The `_given` arrays are boolean, of the same length.
    """

    position: ca.SX
    position_given: NDArray[np.bool_]
    velocity: ca.SX
    velocity_given: NDArray[np.bool_]
    position_guess: ca.SX
    velocity_guess: ca.SX
    nominal: ca.SX
    unknown: ca.SX
    unknown_given: NDArray[np.bool_]
    unknown_guess: ca.SX


@frozen
class MechanicalSystem:
    """The whole system.

    `kinematics` is q̇ = N(q)·v, (nq,). `parameter_values` maps settings (by variable name, numbers or
    arrays) to the numbers of all parameters, (np,), bindings of the others worked out from them; it raises
    `SettingError`. `input_defaults` (nu,) are the declared signals: expressions in time and parameters,
    NaN where none is declared.
    `quantities` are all variables a run records, in declaration order: coordinates, inputs, named
    expressions, unknowns. They may contain a and multipliers.
    `bounds` are `min`/`max` attributes as gaps that must not be negative, with the text to print.
    `warnings` are assertions whose breach a run only tells.
    `relations` are those whose bits occur in what is integrated or in a `when`.
    `rates_used` (nw,) says of which unknowns the rate occurs anywhere: those are states.
    `notes` are warnings and notes for the user.
    """

    program: Program
    symbols: Symbols
    coordinates: tuple[Coordinate, ...]
    parameters: tuple[NamedScalars, ...]
    inputs: tuple[NamedScalars, ...]
    unknowns: tuple[NamedScalars, ...]
    kinematics: ca.SX
    energies: tuple[Energy, ...]
    forces: tuple[Force, ...]
    constraints: tuple[Constraint, ...]
    servos: tuple[Servo, ...]
    equations: tuple[EquationRow, ...]
    initial: tuple[EquationRow, ...]
    limits: tuple[Limit, ...]
    frictions: tuple[Friction, ...]
    whens: tuple[When, ...]
    relations: tuple[Relation, ...]
    modes: Modes
    asserts: tuple[Assertion, ...]
    warnings: tuple[Assertion, ...]
    bounds: tuple[Assertion, ...]
    quantities: tuple[Quantity, ...]
    starts: StartValues
    input_defaults: ca.SX
    parameter_values: Callable[[dict[str, float | Floats]], Floats]
    rates_used: NDArray[np.bool_]
    notes: tuple[Diagnostic, ...]

    @property
    def rows(self) -> tuple[ConstraintRow, ...]:
        """All constraint rows, in the order of `Symbols.multipliers`."""
        return tuple(row for constraint in self.constraints for row in constraint.rows)

    def total(self, kind: Literal["kinetic", "potential", "dissipation"]) -> ca.SX:
        """The sum of the energies of one kind; 0 where there is none."""
        result = ca.SX(0)
        for energy in self.energies:
            if energy.kind == kind:
                result += energy.value
        return result

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What all of `Symbols.parameters` is called, modes included."""
        declared = [name for group in self.parameters for name in group.element_names]
        bits = {relation.bit.element_hash(): f"({relation.condition})" for relation in self.relations}
        modes = ca.vertsplit(self.modes.column) if self.modes.column.numel() else []
        return (*declared, *(bits.get(mode.element_hash(), mode.name()) for mode in modes))

    def as_written(self, column: ca.SX) -> ca.SX:
        """An expression with the relations themselves in place of their bits."""
        for relation in reversed(self.relations):
            column = ca.substitute(column, relation.bit, relation.condition)
        return column

    @property
    def applied(self) -> ca.SX:
        """The generalized force of all `force` statements, (nv,), by one reverse sweep."""
        if not self.forces:
            return ca.SX.zeros(self.symbols.v.numel(), 1)
        flows = ca.vertcat(*(force.flow for force in self.forces))
        efforts = ca.vertcat(*(force.effort for force in self.forces))
        return ca.jtimes(flows, self.symbols.v, efforts, True)
