"""A system of index one, with every hidden constraint in it.

Each row F_i = 0 has been differentiated c_i times. Unknown y_j is carried up to its d_j-th derivative: the
lower ones are states x, the d_j-th one is algebraic, z. In place of F_i^(c_i) = 0 stands

    (d/dt + κ)^(c_i) F_i = 0,

so that F_i and its derivatives decay like e^(-κt) where rounding and integration have moved them off 0
(after Baumgarte 1972, with one rate for all). c and d are the offsets of the structural analysis of
J. D. Pryce, BIT 41 (2001) 364.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .contacts import ContactRows
from .equations import EquationsOfMotion

Floats = NDArray[np.float64]


@frozen
class StateEntry:
    """One scalar of x or z: derivative `order` of unknown `unknown` (its place in `unknowns`).

    For a `Rotation`, the four entries of order 0 are its Euler parameters; `unknown` is then the first of
    its three. `name` is that of results: `x`, `der(x)`, `der(der(x))`, `reaction(rod)`.
    """

    name: str
    unknown: int
    order: int


@frozen
class Stage:
    """Rows that hold at one level of differentiation, and the states they restrict.

    `residual` (r,) depends on states of this and earlier stages only. `targets` are entries of x, as places;
    `tangent` is ∂x/∂δ for a small change δ of the targets (nx, nδ): the identity but for Euler parameters, where a
    turn δ in body axes changes them by N·δ. `jacobian` is ∂residual/∂δ (r, nδ), `metric` (nδ, nδ) says what a
    small change costs: the mass matrix and a small part of the nominal sizes. `rows` are the rows' places in
    `EquationsOfMotion.rows`, `orders` how often each has been differentiated. `deltas` are the places of the δ
    among the unknowns, `anchors` the entries of x whose start value decides whether a δ is firm.
    """

    residual: ca.SX
    tangent: ca.SX
    jacobian: ca.SX
    metric: ca.SX
    rows: tuple[int, ...]
    orders: tuple[int, ...]
    targets: tuple[int, ...]
    deltas: tuple[int, ...]
    anchors: tuple[int, ...]


@frozen
class Alike:
    """Entries of x that are derivatives of one dimension: `places[order]`, empty where an order has none.

    `is_angle`: positions are angles or Euler parameters, whose size is 1 whatever they are.
    """

    places: tuple[tuple[int, ...], ...]
    is_angle: bool


@frozen
class ReducedSystem:
    """x' = `rhs`, 0 = `algebraic`, in the symbols time, x, z, κ, parameters and signals.

    `algebraic` has as many rows as z and is in the order of `EquationsOfMotion.rows`; those of `contacts` and, in z,
    the multipliers of limits and frictions come last. `differentiations` are the c_i.
    `derivatives[i]` are F_i, F_i', ... up to F_i^(c_i). `stages` run from positions upward.
    `metric` (nv, nv) is the mass matrix with its small nominal part.
    `norm_blocks` are the Euler parameters in x, each to have unit norm. `alike` groups the entries of x
    whose sizes can be compared.
    """

    equations: EquationsOfMotion
    x: ca.SX
    z: ca.SX
    kappa: ca.SX
    rhs: ca.SX
    algebraic: ca.SX
    x_entries: tuple[StateEntry, ...]
    z_entries: tuple[StateEntry, ...]
    differentiations: tuple[int, ...]
    derivatives: tuple[tuple[ca.SX, ...], ...]
    stages: tuple[Stage, ...]
    metric: ca.SX
    contacts: ContactRows
    norm_blocks: tuple[slice, ...]
    alike: tuple[Alike, ...]

    def value(self, unknown: int, order: int, x: Floats, z: Floats) -> Floats:
        """A derivative of an unknown (its place in `unknowns`), from states x (nx, ...) and z (nz, ...).

        Accelerations and multipliers are algebraic but where a servo makes their derivatives matter: then they
        are states. Raises KeyError for an order the system does not carry.
        """
        entry = self.z_entries[unknown]
        if entry.order == order:
            return np.asarray(z[unknown])
        states = [i for i, e in enumerate(self.x_entries) if (e.unknown, e.order) == (unknown, order)]
        if not states:
            raise KeyError((unknown, order))
        return np.asarray(x[states[0]])

    def multiplier(self, place: int, x: Floats, z: Floats) -> Floats:
        """The values of a multiplier, by its place in `Symbols.multipliers`."""
        symbols = self.equations.system.symbols
        return self.value(symbols.v.numel() + symbols.unknowns.numel() + place, 0, x, z)
