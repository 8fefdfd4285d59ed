"""What scalar rows depend on: found from structure, and where cancellation hides in it, from numbers."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen, replace

from .draws import Draws
from .mechanics import Floats, Symbols

_SAMPLES = 4
_ROUNDING = 1e-13
_SMOOTH_OPERATIONS = frozenset(
    {
        ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_PARAMETER, ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV,
        ca.OP_NEG, ca.OP_EXP, ca.OP_LOG, ca.OP_POW, ca.OP_CONSTPOW, ca.OP_SQRT, ca.OP_SQ, ca.OP_TWICE,
        ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN, ca.OP_SINH, ca.OP_COSH,
        ca.OP_TANH, ca.OP_INV, ca.OP_ATAN2,
    }
)  # fmt: skip


@frozen
class RowFacts:
    """Facts about one row; `constant` is its value where it is one number whatever its symbols.

    `is_linear` speaks of the velocities: affine in them, or without them.
    """

    is_zero: bool
    constant: float | None
    has_acceleration: bool
    has_velocity: bool
    has_position: bool
    is_linear: bool


def row_facts(rows: ca.SX, scales: ca.SX, symbols: Symbols, bits: ca.SX) -> list[RowFacts]:
    """Facts about the rows of a column; a row below rounding beside its scale everywhere counts as zero.

    `bits` are those of relations, which the rows may contain besides the symbols.

    Zeros and linearity that only cancellation brings about (transpose(S)*S) are believed where the row is
    built of smooth operations alone: then what holds near a few random states holds everywhere.
    """
    if rows.numel() == 0:
        return []
    structure = zip(
        ca.vertsplit(rows),
        ca.which_depends(rows, symbols.a, 1, True),
        ca.which_depends(rows, symbols.v, 1, True),
        ca.which_depends(rows, symbols.q, 1, True),
        ca.which_depends(rows, symbols.v, 2, True),
        strict=True,
    )
    seen = _sample(rows, scales, symbols, bits)
    facts = []
    for i, (row, has_acceleration, has_velocity, has_position, nonlinear) in enumerate(structure):
        if row.is_constant():
            value = float(row)
            facts.append(RowFacts(value == 0, value, False, False, False, True))
            continue
        written = RowFacts(False, None, has_acceleration, has_velocity, has_position, not nonlinear)
        facts.append(_refined(written, row, seen[i]))
    return facts


def _refined(written: RowFacts, row: ca.SX, seen: _Seen) -> RowFacts:
    """The facts that the structure shows, and what numbers show beyond them."""
    still = written.has_velocity and seen.still
    fixed = written.has_position and seen.fixed
    if not (seen.zero or still or fixed or (written.has_velocity and not written.is_linear)):
        return written
    smooth = _is_smooth(row)
    # A step function of the velocities has no slope, but is not linear for that.
    step = still and not smooth
    return replace(
        written,
        is_zero=seen.zero and smooth,
        has_velocity=written.has_velocity and not (still and smooth),
        has_position=written.has_position and not (fixed and smooth),
        is_linear=not step and (written.is_linear or (seen.linear and smooth)),
    )


@frozen
class _Seen:
    """What random states showed of a row: all 0, no slope by v or by q, a slope by v that is fixed."""

    zero: bool
    still: bool
    fixed: bool
    linear: bool


def _sample(rows: ca.SX, scales: ca.SX, symbols: Symbols, bits: ca.SX) -> list[_Seen]:
    q, v = symbols.q, symbols.v
    others = ca.vertcat(
        symbols.time, symbols.a, symbols.parameters, symbols.inputs, symbols.unknowns, symbols.unknown_rates, bits
    )
    along_q, along_v = ca.SX.sym("along_q", q.numel()), ca.SX.sym("along_v", v.numel())
    slopes = [ca.jtimes(rows, v, along_v), ca.jtimes(rows, q, along_q)]
    sample = ca.Function("sample", [q, v, others, along_q, along_v], [rows, scales, *slopes])
    draws = Draws(20)
    # All states in one call, a column each.
    at, moving, faster, dq, dv = (_away_from_zero(draws, column.numel()) for column in (q, v, v, q, v))
    rest = draws.column(0.2, 1.2, others.numel() * _SAMPLES).reshape(-1, _SAMPLES)
    row, scale, by_v, by_q = (np.asarray(x) for x in sample(at, moving, rest, dq, dv))
    _, _, later, _ = (np.asarray(x) for x in sample(at, faster, rest, dq, dv))
    # Where a sample is not a number nothing is concluded: comparisons with NaN are false.
    with np.errstate(invalid="ignore"):
        seen = [
            np.abs(row) <= _ROUNDING * scale,
            np.abs(by_v) <= _ROUNDING * scale,
            np.abs(by_q) <= _ROUNDING * scale,
            np.abs(by_v - later) <= 1e-11 * (np.abs(by_v) + scale),
        ]
    return [_Seen(*(bool(flag) for flag in column)) for column in np.all(seen, axis=2).T]


def _away_from_zero(draws: Draws, size: int) -> Floats:
    """(size, samples) numbers."""
    numbers = draws.column(-1, 1, size * _SAMPLES).reshape(-1, _SAMPLES)
    return numbers + np.copysign(0.2, numbers)


def _is_smooth(row: ca.SX) -> bool:
    function = ca.Function("row", ca.symvar(row), [row])
    return all(function.instruction_id(k) in _SMOOTH_OPERATIONS for k in range(function.n_instructions()))
