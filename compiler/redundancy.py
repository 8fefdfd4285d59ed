"""Constraint rows that say what others say already: found by rank, named, and survived.

With A the rows' gradients and M the mass metric, the rows of B = D·A·M^(-1/2) (D makes them unit vectors) are
dependent where a singular value vanishes. With N the left singular vectors of value 0 and unknowns μ, the rows

    D·row + N·μ = 0,   Nᵀ·D⁻¹·λ = 0

keep every constraint and choose, among the multipliers that do so, the least in the scaled norm. They say what
P·D·row + (I - P)·D⁻¹·λ = 0 says with the projector P = I - N·Nᵀ, but stay sparse where N is. Any basis of what N
spans will do: one in which each column is alone in having one of the rows ties no more rows together than depend on
each other.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .idas import Pattern
from .kernels import Kernels, mapped

Floats = NDArray[np.float64]

RANK = 1e-9
"""Singular values below this part of the largest are taken for 0: what remains is rounding."""

SERVES = 0.2
"""Spare rows serve on while they are not worse than the best by more than this."""
NEGLIGIBLE = 1e-9
"""Entries of combinations of rows (unit vectors) below this are rounding."""

SUSPICIOUS = 1e-6
FEW_ROWS = 60


@frozen
class Repeat:
    """A row that is a combination of others: places among the constraint rows."""

    row: int
    of: tuple[int, ...]


@frozen(eq=False)
class Redundancy:
    """Dependent rows at a state. Rows are counted constraints first, then limits and frictions.

    `free` (m, r) is the basis N, its columns each alone in having one of the rows `spare` (r,); `lengths` (m,) are D⁻¹.
    `pattern` holds the places of entries of each column that may be other than 0. `not_unique` are the rows whose
    multipliers other choices would change. `unit` are the gradients of the rows at the places `kept`, as unit vectors
    in the mass metric.
    """

    rank: int
    free: Floats
    lengths: Floats
    spare: NDArray[np.intp]
    pattern: Pattern
    not_unique: tuple[int, ...]
    unit: Floats
    kept: NDArray[np.intp]

    @property
    def numbers(self) -> Floats:
        """What an integrator is given of it."""
        columns = [self.free[list(places), k] for k, places in enumerate(self.pattern)]
        return np.concatenate([*columns, self.lengths])

    def algebraic(self, multipliers: Floats) -> Floats:
        """μ and the partial sums of Nᵀ·D⁻¹·λ that an integrator finds beside z, for multipliers (m,)."""
        weighted = self.free * (self.lengths * multipliers)[:, None]
        sums = [np.cumsum(weighted[list(places), k])[:-1] for k, places in enumerate(self.pattern)]
        return np.concatenate([np.zeros(len(self.pattern)), *sums])

    def repeats(self) -> tuple[Repeat, ...]:
        """The dependence in words: each row that repeats others, and those."""
        places = self.kept.tolist()
        return tuple(Repeat(places[r.row], tuple(places[i] for i in r.of)) for r in _repeats(self.unit, self.rank))


def constraint_jacobian(kernels: Kernels, t: float, x: Floats, environment: Floats) -> tuple[ca.DM, Floats]:
    """The constraint rows' gradients by the coordinates' highest derivatives, (m, nv), and the metric (nv, nv)."""
    jacobian, metric = kernels.constraint_rows(t, x, environment)
    return jacobian, np.asarray(metric.full())


def find_redundancy(
    kernels: Kernels, t: float, x: Floats, environment: Floats, before: Redundancy | None = None
) -> Redundancy | None:
    """The dependence among rows that are kept at a state; None where they are independent.

    Those are the constraint rows, and behind them limits and frictions, as far as they are held. `before` is what was
    found at an earlier state of a run: as long as its `spare` rows serve, they and their pattern are taken again, for
    which an integrator is there already.
    """
    sparse, metric, kept = _kept_rows(kernels, t, x, environment)
    if not kept.size or (kept.size > FEW_ROWS and _clearly_independent(sparse)):
        return None
    jacobian = np.asarray(sparse.full())
    whitened = np.linalg.solve(np.linalg.cholesky(metric), jacobian.T).T
    lengths = np.linalg.norm(whitened, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    unit = whitened / lengths[:, None]
    u, s, _ = np.linalg.svd(unit, full_matrices=True)
    rank = int(np.sum(s > RANK * s[0]))
    if rank == jacobian.shape[0]:
        return None
    null = u[:, rank:]
    size = kernels.reduced.equations.contacts.numel() + len(kernels.reduced.equations.system.rows)
    free, all_lengths = np.zeros((size, null.shape[1])), np.ones(size)
    free[kept], all_lengths[kept] = null, lengths
    spare = _spare(free)
    best = _least_value(free[spare])
    pattern: list[set[int]] = [set() for _ in spare]
    if before is not None and before.spare.size == spare.size and _least_value(free[before.spare]) > SERVES * best:
        spare, pattern = before.spare, [set(places) for places in before.pattern]
    free = free @ np.linalg.inv(free[spare])
    free /= np.linalg.norm(free, axis=0)
    free[np.abs(free) < NEGLIGIBLE] = 0.0
    pattern = [places | set(map(int, np.flatnonzero(free[:, k]))) for k, places in enumerate(pattern)]
    return Redundancy(
        rank=rank,
        free=free,
        lengths=all_lengths,
        spare=spare,
        pattern=tuple(tuple(sorted(places)) for places in pattern),
        not_unique=tuple(int(kept[i]) for i in np.flatnonzero(np.sum(null**2, axis=1) > 1e-9)),
        unit=unit,
        kept=kept,
    )


def _spare(null: Floats) -> NDArray[np.intp]:
    """(r,): the rows that the others can best do without, by the space (m, r) of combinations that vanish."""
    rest = null.copy()
    chosen = []
    for _ in range(null.shape[1]):
        sizes = np.linalg.norm(rest, axis=1)
        chosen.append(int(np.argmax(sizes)))
        direction = rest[chosen[-1]] / sizes[chosen[-1]]
        rest = rest - np.outer(rest @ direction, direction)
    return np.array(sorted(chosen), dtype=np.intp)


def _least_value(square: Floats) -> float:
    return float(np.linalg.svd(square, compute_uv=False)[-1])


def _kept_rows(kernels: Kernels, t: float, x: Floats, environment: Floats) -> tuple[ca.DM, Floats, NDArray[np.intp]]:
    """Gradients of the rows that are kept, the metric, and the places of those rows."""
    if not kernels.reduced.equations.contacts.numel():
        jacobian, metric = constraint_jacobian(kernels, t, x, environment)
        return jacobian, metric, np.arange(jacobian.size1())
    gradients, measure, flags = kernels.kept_rows(t, x, environment)
    kept = np.flatnonzero(np.asarray(flags).ravel() > 0)
    return gradients[kept.tolist(), :], np.asarray(measure.full()), kept


def _clearly_independent(jacobian: ca.DM) -> bool:
    """A sparse factorisation is enough to see that many rows are independent."""
    _, r, *_ = ca.qr_sparse(jacobian.T)
    diagonal = np.abs(np.asarray(ca.diag(r[: jacobian.size1(), :])).ravel())
    return bool(diagonal.min() > SUSPICIOUS * diagonal.max())


def _repeats(unit: Floats, rank: int) -> tuple[Repeat, ...]:
    """Each dependent row, and the independent ones it is made of; rows written first count as independent."""
    chosen: list[int] = []
    repeats = []
    basis = np.zeros((0, unit.shape[1]))
    for i, row in enumerate(unit):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-7 and len(chosen) < rank:
            chosen.append(i)
            basis = np.vstack([basis, rest / length])
            continue
        weights, *_ = np.linalg.lstsq(unit[chosen].T, row, rcond=None)
        repeats.append(Repeat(i, tuple(c for c, w in zip(chosen, weights, strict=True) if abs(w) > 1e-7)))
    return tuple(repeats)


def count_repeats(kernels: Kernels, x: Floats, environment: Floats) -> tuple[int, int]:
    """How many position rows, and how many of all constraint rows, say what others say at a state and time 0."""
    sparse, metric = constraint_jacobian(kernels, 0.0, x, environment)
    if sparse.size1() == 0 or (sparse.size1() > FEW_ROWS and _clearly_independent(sparse)):
        return 0, 0
    gradients = np.asarray(sparse.full())
    whitened = np.linalg.solve(np.linalg.cholesky(metric), gradients.T).T
    if not np.all(np.isfinite(whitened)):
        return 0, 0
    lengths = np.linalg.norm(whitened, axis=1)
    unit = whitened / np.where(lengths > 0, lengths, 1.0)[:, None]
    at_position = [row.level == "position" for row in kernels.reduced.equations.system.rows]
    return _missing(unit[at_position]), _missing(unit)


def _missing(rows: Floats) -> int:
    return int(rows.shape[0] - np.linalg.matrix_rank(rows, tol=RANK)) if rows.size else 0


def stacked(matrices: ca.DM, count: int) -> Floats:
    """What a mapped function returns side by side, (r, n·count), as (count, r, n)."""
    dense = np.asarray(matrices.full())
    return dense.reshape(dense.shape[0], count, -1).transpose(1, 0, 2)


def least_algebraic(kernels: Kernels, times: Floats, x: Floats, environment: Floats) -> Floats:
    """z (nz, k) with the least multipliers among those that satisfy rows of any rank, for states (nx, k)."""
    k, size = times.size, kernels.reduced.z.numel()
    zero = np.zeros((size, k))
    rows, sparse = mapped(kernels.linearised, k, [times[None, :], x, zero, environment])
    jacobian = stacked(sparse, k)
    columns = _reciprocal_norms(jacobian, 1)
    heights = _reciprocal_norms(jacobian * columns[:, None, :], 2)
    u, s, vt = np.linalg.svd(jacobian * columns[:, None, :] * heights[:, :, None])
    right = -rows.full().T * heights
    return np.column_stack([_least(columns[i], u[i], s[i], vt[i], right[i]) for i in range(k)])


def _least(columns: Floats, u: Floats, s: Floats, vt: Floats, right: Floats) -> Floats:
    """The shortest solution in unscaled unknowns, from the decomposition of the scaled system."""
    rank = int(np.sum(s > RANK * s[0]))
    z = columns * (vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank]))
    free = columns[:, None] * vt[rank:].T
    if free.size:
        z -= free @ np.linalg.lstsq(free, z, rcond=None)[0]
    return np.asarray(z)


@frozen
class Fault:
    """Why the algebraic rows have no single solution at a state.

    `undetermined`: places in z that may take any value (multipliers left aside). `conflicting`: places of rows
    that contradict each other, by `gap` (relative to what they ask for).
    """

    undetermined: tuple[int, ...]
    conflicting: tuple[int, ...]
    gap: float


def find_fault(kernels: Kernels, t: float, x: Floats, z: Floats, environment: Floats) -> Fault | None:
    """Look for directions of z that the rows leave free near a guess, and for rows that cannot hold together."""
    reduced = kernels.reduced
    rows, sparse = kernels.linearised(t, x, z, environment)
    jacobian = np.asarray(sparse.full())
    columns = _reciprocal_norms(jacobian, 0)
    heights = _reciprocal_norms(jacobian * columns, 1)
    u, s, vt = np.linalg.svd(jacobian * columns * heights[:, None])
    rank = int(np.sum(s > RANK * s[0]))
    right = np.asarray(rows).ravel() * heights
    asked = float(np.linalg.norm(right))
    kinds = [reduced.equations.unknowns[e.unknown].kind for e in reduced.z_entries]
    free = np.linalg.norm(vt[rank:], axis=0) > 1e-6
    kinds += ["multiplier"] * (free.size - len(kinds))
    undetermined = tuple(int(i) for i in np.flatnonzero(free) if kinds[i] != "multiplier")
    left = u[:, rank:] @ (u[:, rank:].T @ right)
    gap = float(np.linalg.norm(left)) / asked if asked > 0 else 0.0
    # The rows of limits and frictions come last; they ask for nothing that others could contradict.
    left = left[: len(reduced.equations.rows)]
    conflicting = tuple(int(i) for i in np.flatnonzero(np.abs(left) > 1e-6 * asked)) if gap > 1e-7 else ()
    if not undetermined and not conflicting:
        return None
    return Fault(undetermined, conflicting, gap)


def _reciprocal_norms(matrix: Floats, axis: int) -> Floats:
    """Scaled on the way, so that squares of huge entries do not overflow."""
    largest = np.max(np.abs(matrix), axis=axis, keepdims=True, initial=0.0)
    largest = np.where(largest > 0, largest, 1.0)
    norms = np.linalg.norm(matrix / largest, axis=axis)
    return np.asarray(1.0 / np.where(norms > 0, norms, 1.0) / np.squeeze(largest, axis=axis))
