"""What scalar rows depend on: found from structure, and where cancellation hides in it, from numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from .mechanics import Symbols

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


@dataclass(frozen=True)
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


def row_facts(rows: ca.SX, scales: ca.SX, symbols: Symbols) -> list[RowFacts]:
    """Facts about the rows of a column; a row below rounding beside its scale everywhere counts as zero.

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
    seen = _sample(rows, scales, symbols)
    facts = []
    for i, (row, has_acceleration, has_velocity, has_position, nonlinear) in enumerate(structure):
        if row.is_constant():
            value = float(row)
            facts.append(RowFacts(value == 0, value, False, False, False, True))
            continue
        written = RowFacts(False, None, has_acceleration, has_velocity, has_position, not nonlinear)
        facts.append(_refined(written, row, seen.at(i)))
    return facts


def _refined(written: RowFacts, row: ca.SX, seen: tuple[bool, bool, bool]) -> RowFacts:
    """The facts that the structure shows, and what numbers show beyond them."""
    zero, still, linear = seen
    if not (zero or (written.has_velocity and (still or not written.is_linear))):
        return written
    smooth = _is_smooth(row)
    # A step function of the velocities has no slope, but is not linear for that.
    step = written.has_velocity and still and not smooth
    return replace(
        written,
        is_zero=zero and smooth,
        has_velocity=written.has_velocity and not (still and smooth),
        is_linear=not step and (written.is_linear or (linear and smooth)),
    )


@dataclass(frozen=True)
class _Seen:
    """What random states showed of each row: all 0, no velocity in it, the velocities' factors fixed."""

    zero: NDArray[np.bool_]
    still: NDArray[np.bool_]
    linear: NDArray[np.bool_]

    def at(self, row: int) -> tuple[bool, bool, bool]:
        return bool(self.zero[row]), bool(self.still[row]), bool(self.linear[row])


def _sample(rows: ca.SX, scales: ca.SX, symbols: Symbols) -> _Seen:
    others = ca.vertcat(
        symbols.time, symbols.a, symbols.parameters, symbols.inputs, symbols.unknowns, symbols.unknown_rates
    )
    direction = ca.SX.sym("direction", symbols.v.numel())
    slope = ca.jtimes(rows, symbols.v, direction)
    sample = ca.Function("sample", [symbols.q, symbols.v, others, direction], [rows, scales, slope])
    random = np.random.default_rng(20)
    count = rows.numel()
    zero, still, linear = (np.ones(count, dtype=bool) for _ in range(3))
    for _ in range(_SAMPLES):
        q, v, w, d = (random.uniform(0.2, 1.2, n) * random.choice((-1, 1), n) for n in _sizes(symbols))
        rest = random.uniform(0.2, 1.2, others.numel())
        row, scale, first = (np.asarray(x).ravel() for x in sample(q, v, rest, d))
        _, _, second = (np.asarray(x).ravel() for x in sample(q, w, rest, d))
        # Where a sample is not a number nothing is concluded: comparisons with NaN are false.
        with np.errstate(invalid="ignore"):
            zero &= np.abs(row) <= _ROUNDING * scale
            still &= np.abs(first) <= _ROUNDING * scale
            linear &= np.abs(first - second) <= 1e-11 * (np.abs(first) + scale)
    return _Seen(zero, still, linear)


def _sizes(symbols: Symbols) -> tuple[int, int, int, int]:
    nv = symbols.v.numel()
    return symbols.q.numel(), nv, nv, nv


def _is_smooth(row: ca.SX) -> bool:
    function = ca.Function("row", ca.symvar(row), [row])
    return all(function.instruction_id(k) in _SMOOTH_OPERATIONS for k in range(function.n_instructions()))
