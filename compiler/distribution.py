"""The motions that rows allow, D = ker A, and how far brackets of them lead: growth vector and closure.

D₁ = D, Dₖ₊₁ = Dₖ + [D, Dₖ] (A. M. Vershik and V. Ya. Gershkovich, Nonholonomic dynamical systems, 1994). The
last of them, E, is involutive: by Frobenius' theorem positions stay on a surface with E as its tangents, and
the forms that vanish on E are what the rows say of positions alone. Ranks are taken at generic points.

The first step needs no field: with X a basis of D at a point, a row's part of [X, Y] is -dω(X, Y), so
dim D₂ - dim D is the rank of the numbers dω(X, Y). Only where that leaves the matter open are fields made.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen

from .mechanics import Floats
from .pfaffian import RANK, ZERO, Block, Forms, Point

LARGEST = 40_000
"""Brackets that take more operations than this are not formed."""

_STILL = 1e-10


@frozen
class Growth:
    """Growth vector and closure of a block's distribution.

    `independent` are the places of rows that do not repeat others. `closures` are bases of E, (k, dim E),
    one at each point. `complete` is False where the brackets became too large: then E is only known to be at
    least as large as said.
    """

    vector: tuple[int, ...]
    independent: tuple[int, ...]
    closures: tuple[Floats, ...]
    complete: bool = True

    @property
    def integrals(self) -> int:
        """How many functions of position the independent rows keep constant, position rows included."""
        return len(self.independent) - (self.vector[-1] - self.vector[0])


def independent_rows(forms: Forms) -> tuple[int, ...]:
    """Rows that are no combination of rows before them."""
    chosen: list[int] = []
    basis = np.zeros((0, forms.coefficients.shape[1]))
    for place, row in enumerate(_balanced(forms.coefficients)[0]):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        length = float(np.linalg.norm(rest))
        if length > RANK * float(np.linalg.norm(row)) and length > 0:
            chosen.append(place)
            basis = np.vstack([basis, rest / length])
    return tuple(chosen)


def turning(forms: Forms, rows: Sequence[int]) -> tuple[Floats, Floats]:
    """A basis X of the motions that `rows` allow, (k, d), and dω(Xᵢ, Xⱼ) of those rows, (rows, d, d).

    What is rounding beside its terms is 0.
    """
    places = list(rows)
    coefficients, columns = _balanced(forms.coefficients[places])
    _, s, vt = np.linalg.svd(coefficients)
    rank = int(np.sum(s > RANK * s[0])) if s.size else 0
    basis = columns[:, None] * vt[rank:].T
    size = np.abs(basis)
    values = np.einsum("rij,ia,jb->rab", forms.derivative[places], basis, basis)
    terms = np.einsum("rij,ia,jb->rab", forms.terms[places], size, size)
    return basis, np.where(np.abs(values) > ZERO * terms, values, 0.0)


def lets_time_pass(forms: Forms) -> bool:
    """Whether the rows allow a motion at all: time, the last column, goes on in it."""
    basis, _ = turning(forms, range(forms.coefficients.shape[0]))
    return bool(np.any(np.abs(basis[-1:]) > RANK))


def is_involutive(forms: Forms, rows: Sequence[int]) -> bool:
    """Whether the motions that `rows` allow stay on a surface (Frobenius)."""
    return not np.any(turning(forms, rows)[1])


def grow(block: Block, points: Sequence[Point], forms: Sequence[Forms]) -> Growth:
    """The growth vector and closure, from values at the points given."""
    independent = independent_rows(forms[0])
    bases, steps = zip(*(turning(form, independent) for form in forms), strict=True)
    allowed = bases[0].shape[1]
    step = max(_rank(values.reshape(values.shape[0], -1)) for values in steps)
    if step == 0:
        return Growth((allowed,), independent, tuple(bases))
    moving = [k for k, place in enumerate(independent) if place >= block.positions]
    if step == len(moving):
        fixed = [place for place in independent if place < block.positions]
        closures = tuple(turning(form, fixed)[0] if fixed else np.eye(block.size) for form in forms)
        return Growth((allowed, allowed + step), independent, closures)
    return _by_brackets(block, points, forms, independent, tuple(bases))


def _by_brackets(
    block: Block,
    points: Sequence[Point],
    forms: Sequence[Forms],
    independent: tuple[int, ...],
    bases: tuple[Floats, ...],
) -> Growth:
    columns = _balanced(forms[0].coefficients)[1]
    generators = allowed_fields(block, forms, independent)
    found, values = list(generators), _values(block, points, generators)
    if values is None:
        return Growth((len(found),), independent, bases, complete=False)
    most = block.size - sum(place < block.positions for place in independent)
    newest = list(generators)
    vector = [len(found)]
    while newest and len(found) < most:
        brackets = [
            bracket(block, one, other)
            for k, one in enumerate(generators)
            for j, other in enumerate(newest)
            if len(vector) > 1 or j > k
        ]
        numbers = _values(block, points, brackets)
        if numbers is None:
            return Growth(tuple(vector), independent, tuple(values), complete=False)
        kept = _new_directions(values[0] / columns[:, None], numbers[0] / columns[:, None])
        newest = [brackets[k] for k in kept]
        found += newest
        values = [np.hstack([old, new[:, kept]]) for old, new in zip(values, numbers, strict=True)]
        if newest:
            vector.append(len(found))
    return Growth(tuple(vector), independent, tuple(values))


def allowed_fields(block: Block, forms: Sequence[Forms], rows: Sequence[int]) -> list[ca.SX]:
    """Fields that span the motions allowed, (k, 1) each, by elimination with pivots good at all points."""
    matrix, _, pivots = eliminate(block, forms, rows)
    fields = []
    for free in (j for j in range(block.size) if j not in pivots):
        field = ca.SX(block.size, 1)
        field[free] = 1
        for row, pivot in zip(matrix, pivots, strict=True):
            if not row[free].is_zero():
                field[pivot] = -row[free]
        fields.append(field)
    return fields


def eliminate(
    block: Block, forms: Sequence[Forms], rows: Sequence[int], first: Collection[int] = ()
) -> tuple[list[list[ca.SX]], Floats, list[int]]:
    """Rows that say the same, each with a 1 in a column of its own (Gauss-Jordan): symbols, numbers, columns.

    Numbers are (points, rows, k); an entry that is 0 at every point becomes 0 in symbols. Columns `first` are
    taken before all others.
    """
    columns = _balanced(forms[0].coefficients)[1]
    numbers = np.stack([form.coefficients[list(rows)] for form in forms])
    matrix = [[block.forms[place, j] for j in range(block.size)] for place in rows]
    pivots: list[int] = []
    for i in range(len(matrix)):
        weights = np.min(np.abs(numbers[:, i]), axis=0) * columns
        plain = np.array([3.0 if entry.is_constant() else 1.0 for entry in matrix[i]])
        wanted = [j for j in first if weights[j] > 1e-9 * np.max(weights)]
        pivot = int(max(wanted or range(block.size), key=lambda j: weights[j] * plain[j]))
        pivots.append(pivot)
        head = matrix[i][pivot]
        matrix[i] = [entry / head for entry in matrix[i]]
        numbers[:, i] = numbers[:, i] / numbers[:, i, pivot : pivot + 1]
        for other in range(len(matrix)):
            if other == i or matrix[other][pivot].is_zero():
                continue
            factor, sizes = matrix[other][pivot], numbers[:, other, pivot].copy()
            for j in range(block.size):
                taken = sizes * numbers[:, i, j]
                if not np.any(taken):
                    continue
                rest = numbers[:, other, j] - taken
                rounding = np.all(np.abs(rest) <= ZERO * (np.abs(numbers[:, other, j]) + np.abs(taken)))
                numbers[:, other, j] = 0.0 if rounding else rest
                matrix[other][j] = ca.SX(0) if rounding else matrix[other][j] - factor * matrix[i][j]
    return matrix, numbers, pivots


def bracket(block: Block, one: ca.SX, other: ca.SX) -> ca.SX:
    """The Lie bracket [one, other] of two fields given by their parts in the columns."""
    result = block.along(other, one) - block.along(one, other)
    for turn in block.turns:
        places = list(turn)
        result[places] += ca.cross(one[places], other[places])
    return result


def _values(block: Block, points: Sequence[Point], fields: Sequence[ca.SX]) -> list[Floats] | None:
    """The fields as columns, (k, fields), at each point; None where that takes too many operations."""
    function = block.function("fields", [ca.horzcat(*fields)])
    if function.n_instructions() > LARGEST:
        return None
    return [np.asarray(function(point.q, point.t, point.parameters)) for point in points]


def _new_directions(known: Floats, candidates: Floats) -> list[int]:
    """The candidates that are no combination of what is known and of those before them."""
    basis = np.linalg.qr(known)[0]
    kept = []
    for place, column in enumerate(candidates.T):
        length = float(np.linalg.norm(column))
        if not (length > _STILL and np.isfinite(length)):
            continue
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > max(RANK * length, _STILL):
            kept.append(place)
            basis = np.column_stack([basis, rest / left])
    return kept


def _balanced(matrix: Floats) -> tuple[Floats, Floats]:
    """The matrix with entries up to 1 in every row and column, and the scales of the columns."""
    heights = np.max(np.abs(matrix), axis=1, initial=0.0)
    rows = matrix / np.where(heights > 0, heights, 1.0)[:, None]
    widths = np.max(np.abs(rows), axis=0, initial=0.0)
    columns = 1 / np.where(widths > 0, widths, 1.0)
    return rows * columns, columns


def _rank(matrix: Floats) -> int:
    """The rank; columns that are not 0 count alike however long they are."""
    lengths = np.linalg.norm(matrix, axis=0)
    columns = matrix[:, lengths > 0] / lengths[lengths > 0]
    if columns.size == 0:
        return 0
    heights = np.max(np.abs(columns), axis=1)
    s = np.linalg.svd(columns / np.where(heights > 0, heights, 1.0)[:, None], compute_uv=False)
    return int(np.sum(s > RANK * s[0]))
