"""Structural analysis: how often each row must be differentiated (Pryce's Σ-method)."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen

from .chains import Chains
from .complaints_reduce import no_reduction
from .draws import Draws
from .equations import EquationsOfMotion

Signature = list[dict[int, int]]

GENERIC_STATES = 4
REGULAR = 1e-10
"""Singular values below this part of the largest are taken for 0."""


@frozen
class Offsets:
    """c_i of each row, d_j of each unknown: d_j - c_i >= order of y_j in row i, equal on a matching."""

    rows: tuple[int, ...]
    unknowns: tuple[int, ...]


def offsets(equations: EquationsOfMotion, residuals: Sequence[ca.SX], chains: Chains) -> Offsets | Diagnostic:
    """The smallest offsets of rows `residuals` with d_j at least each unknown's `least_order`.

    A Diagnostic says which unknowns no row can find.
    """
    signature = _signature(equations, residuals, chains)
    matching = _assignment(signature, len(equations.unknowns))
    unmatched = [j for j in range(len(equations.unknowns)) if j not in matching.values()]
    if unmatched:
        return no_reduction(equations, unmatched, [i for i in range(len(signature)) if i not in matching])
    return _smallest_offsets(equations, signature, matching)


def plain_offsets(equations: EquationsOfMotion) -> Offsets | None:
    """The offsets of plain constrained mechanics, which need no search: positions twice, velocities once.

    None unless every other unknown is a multiplier, and every coordinate has inertia or is taken along by
    constraints with those that have.
    """
    nv = equations.coordinate_orders[0].numel()
    if any(u.kind not in ("coordinate", "multiplier") for u in equations.unknowns):
        return None
    if not (_all_have_inertia(equations, nv) or _constraints_move_the_massless(equations, nv)):
        return None
    count = {"position": 2, "velocity": 1}
    rows = (0,) * nv + tuple(count[row.level] for row in equations.system.rows)
    return Offsets(rows, (2,) * nv + (0,) * (len(equations.unknowns) - nv))


def _all_have_inertia(equations: EquationsOfMotion, nv: int) -> bool:
    inertia = ca.jacobian_sparsity(
        ca.vertcat(*(r.residual for r in equations.rows[:nv])), equations.coordinate_orders[1]
    )
    diagonal = set(zip(*(np.asarray(t) for t in inertia.get_triplet()), strict=True))
    return all((j, j) in diagonal for j in range(nv))


def _constraints_move_the_massless(equations: EquationsOfMotion, nv: int) -> bool:
    """Whether every motion that the constraints allow moves some mass, at a generic state.

    The mass matrix M is regular on the directions N that the gradients A of constraints leave (A·N = 0).
    """
    motions = ca.vertcat(*(r.residual for r in equations.rows[:nv]))
    columns = [ca.jacobian(motions, equations.coordinate_orders[1]), ca.jacobian(motions, equations.other_orders[0])]
    symbols = ca.vertcat(*ca.symvar(ca.horzcat(*columns)))
    evaluate = ca.Function("generic", [symbols], columns)
    draws = Draws(5)
    for _ in range(GENERIC_STATES):
        mass, gradients = (np.asarray(m.full()) for m in evaluate(draws.column(0.3, 1.7, symbols.numel())))
        if not (np.isfinite(mass).all() and np.isfinite(gradients).all()):
            continue
        u, s, _ = np.linalg.svd(gradients)
        left = u[:, int(np.sum(s > REGULAR * s[0])) :] if s.size else u
        moved = np.linalg.svd(left.T @ mass @ left, compute_uv=False)
        return not moved.size or bool(moved[-1] > REGULAR * moved[0])
    return False


def _signature(equations: EquationsOfMotion, residuals: Sequence[ca.SX], chains: Chains) -> Signature:
    """For each row the highest order of each unknown in it."""
    residual = ca.vertcat(*residuals)
    nv = equations.coordinate_orders[0].numel()
    signature: Signature = [{} for _ in residuals]

    def enter(pattern: ca.Sparsity, shift: int, order: int) -> None:
        for i, j in zip(*pattern.get_triplet(), strict=True):
            signature[i][j + shift] = order

    positions = ca.jacobian_sparsity(residual, equations.q)
    turning = ca.jacobian_sparsity(equations.kinematics, equations.coordinate_orders[0])
    enter(ca.mtimes(ca.DM(positions, 1), ca.DM(turning, 1)).sparsity(), 0, 0)
    for order, symbols in enumerate(chains.coordinates, start=1):
        enter(ca.jacobian_sparsity(residual, symbols), 0, order)
    for order, symbols in enumerate(chains.others):
        enter(ca.jacobian_sparsity(residual, symbols), nv, order)
    return signature


def _assignment(signature: Signature, size: int) -> dict[int, int]:
    """Row to unknown, a matching of the largest total order."""
    # Imported where it is needed: it takes longer to load than most models take to compile.
    from scipy.optimize import linear_sum_assignment

    absent = -1e6
    weights = np.full((len(signature), size), absent)
    for i, orders in enumerate(signature):
        for j, order in orders.items():
            weights[i, j] = order
    chosen_rows, chosen = linear_sum_assignment(weights, maximize=True)
    pairs = zip(chosen_rows.tolist(), chosen.tolist(), strict=True)
    return {i: j for i, j in pairs if weights[i, j] > absent}


def _smallest_offsets(equations: EquationsOfMotion, signature: Signature, matching: dict[int, int]) -> Offsets:
    c = [0] * len(signature)
    d = [u.least_order for u in equations.unknowns]
    for coordinate in equations.system.coordinates:
        if coordinate.is_rotation:
            # The three rates of an attitude are carried to one order.
            d[coordinate.v] = [max(d[coordinate.v])] * 3
    while True:
        changed = False
        for i, orders in enumerate(signature):
            for j, order in orders.items():
                if d[j] < order + c[i]:
                    d[j], changed = order + c[i], True
        for coordinate in equations.system.coordinates:
            if coordinate.is_rotation and len(set(d[coordinate.v])) > 1:
                d[coordinate.v], changed = [max(d[coordinate.v])] * 3, True
        for i, j in matching.items():
            if c[i] != d[j] - signature[i][j]:
                c[i], changed = d[j] - signature[i][j], True
        if not changed:
            return Offsets(tuple(c), tuple(d))
