"""What structure alone does not see: systems that are singular everywhere although a matching exists.

Where the jacobian of F_i^(c_i) by the highest derivatives z has a left null vector u at every state,
Σ u_i F_i^(c_i) does not contain z: it is a hidden relation between the states. It takes the place of one of its rows,
the one differentiated least (an equation of motion: a constraint or a servo would lose its attraction).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .chains import Chains
from .draws import Draws
from .equations import EquationsOfMotion
from .generic_points import start_of
from .structure import Offsets

Floats = NDArray[np.float64]
Derivatives: TypeAlias = tuple[tuple[ca.SX, ...], ...]

SAMPLES = 4
RANK = 1e-9
IDLE = 1e-11


@frozen
class Replacement:
    """Row `row` is to be replaced by `residual`."""

    row: int
    residual: ca.SX


def replacement(
    equations: EquationsOfMotion, found: Offsets, derivatives: Derivatives, chains: Chains
) -> Replacement | None:
    """The next row to replace; None where the system is regular at some state.

    Dependence among constraint rows alone is left alone: redundant rows are survived in another way.
    """
    rows = ca.vertcat(*(chain[-1] for chain in derivatives))
    tops = ca.vertcat(*(chains.symbol(j, d) for j, d in enumerate(found.unknowns)))
    jacobian = ca.jacobian(rows, tops)
    samples = list(_samples(jacobian, ca.vertcat(*ca.symvar(jacobian))))
    null = _common_null_vector(samples)
    if null is None:
        return None
    support = [int(i) for i in np.flatnonzero(np.abs(null) > 1e-7)]
    motions = [i for i in support if equations.rows[i].kind in ("motion", "equation")]
    if not motions:
        return None
    row = min(motions, key=lambda i: found.rows[i])
    weights = _null_vector(jacobian, [*_at_start(equations, jacobian), *samples], support, row)
    relation = sum((w * rows[i] for i, w in weights.items()), ca.SX(0))
    return Replacement(row, _without_idle_symbols(ca.substitute(relation, tops, ca.SX.zeros(tops.numel()))))


def _without_idle_symbols(relation: ca.SX) -> ca.SX:
    """The relation without symbols that cancel in it: structure would take them for real.

    A symbol by which the derivative is rounding at every sample has no effect, and any value may stand for it.
    """
    symbols = ca.vertcat(*ca.symvar(relation))
    found = list(_samples(ca.jacobian(relation, symbols), symbols)) if symbols.numel() else []
    if not found:
        return relation
    samples = np.vstack(found)
    largest = np.abs(samples).max(axis=0)
    idle = [int(i) for i in np.flatnonzero(largest <= IDLE * largest.max())]
    return ca.substitute(relation, symbols[idle, 0], ca.SX.zeros(len(idle)) + 0.5)


def _samples(jacobian: ca.SX, symbols: ca.SX) -> Iterator[Floats]:
    """The jacobian at random values of the symbols, where it is finite."""
    evaluate = ca.Function("sample", [symbols], [ca.densify(jacobian)])
    draws = Draws(1)
    for _ in range(4 * SAMPLES):
        values = np.asarray(evaluate(draws.column(0.3, 1.7, symbols.numel())).full())
        if np.all(np.isfinite(values)):
            yield values


def _at_start(equations: EquationsOfMotion, jacobian: ca.SX) -> list[Floats]:
    """The jacobian where the text starts the system, at random values of all but positions and parameters."""
    start = start_of(equations.system)
    fixed = ca.vertcat(equations.q, equations.system.symbols.parameters)
    there = ca.substitute(jacobian, fixed, ca.SX(ca.DM(np.concatenate([start.q, start.parameters]))))
    return list(islice(_samples(there, ca.vertcat(ca.SX(0, 1), *ca.symvar(there))), 1))


def _common_null_vector(samples: list[Floats]) -> Floats | None:
    """A left null vector with few entries at the first sample, if every sample has one."""
    if not samples:
        return None
    ranks = []
    for sample in samples:
        s = np.linalg.svd(_scaled(sample), compute_uv=False)
        ranks.append(int(np.sum(s > RANK * s[0])))
    size = samples[0].shape[0]
    if max(ranks) == size:
        return None
    # Imported where it is needed: it takes longer to load than most models take to compile.
    from scipy.linalg import qr

    u, _, _ = np.linalg.svd(samples[0])
    basis = u[:, max(ranks) :].T
    # Elimination leaves each vector with as many zeros as the basis allows.
    _, _, pivots = qr(basis, pivoting=True)
    reduced = np.linalg.solve(basis[:, pivots[: basis.shape[0]]], basis)
    return np.asarray(min(reduced, key=lambda vector: int(np.sum(np.abs(vector) > 1e-7))))


def _null_vector(jacobian: ca.SX, samples: list[Floats], support: list[int], row: int) -> dict[int, ca.SX]:
    """The null vector as expressions, 1 at `row`: as many columns as needed, chosen by pivoting.

    They are chosen at the first sample where the other rows are independent: what is divided by must not vanish
    there.
    """
    others = [i for i in support if i != row]
    if not others:
        return {row: ca.SX(1)}
    choices = [_pivots(sample[others]) for sample in samples]
    columns = next((columns for columns, least in choices if least > RANK), choices[-1][0])
    weights = ca.solve(jacobian[others, columns].T, -jacobian[[row], columns].T)
    return {row: ca.SX(1)} | {i: weights[k] for k, i in enumerate(others)}


def _pivots(rows: Floats) -> tuple[list[int], float]:
    """As many columns as there are rows, and the least pivot as a part of the largest."""
    from scipy.linalg import qr

    _, triangle, pivots = qr(_scaled(rows), pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return [int(c) for c in pivots[: len(rows)]], float(sizes[-1] / sizes[0]) if sizes[0] > 0 else 0.0


def _scaled(rows: Floats) -> Floats:
    heights = np.abs(rows).max(axis=1, keepdims=True)
    return np.asarray(rows / np.where(heights > 0, heights, 1))
