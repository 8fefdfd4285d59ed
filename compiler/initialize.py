"""A start that satisfies every constraint, hidden ones too: what is given is firm, the rest is completed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic

from .algebraic import solve_for_algebraic
from .complaints_start import (
    Miss,
    cannot_hold,
    cannot_move,
    contradict,
    gradient_vanishes,
    inertia_not_positive,
    inertia_without_value,
    outside_limit,
    row_without_value,
    slope_without_value,
    start_misses,
    start_without_value,
)
from .errors import StartError
from .kernels import Kernels, StageKernels
from .least_change import Outcome
from .redundancy import Redundancy, find_fault, find_redundancy, least_algebraic
from .remarks import on_level
from .report import StartResidual, StartValue
from .search import HOLDS, Level, search
from .start import Start
from .start_assertions import broken_assertions, broken_parameters
from .start_values import Given

Floats = NDArray[np.float64]

PRINTED_DIGITS = 1e-6
"""Firm values may miss a constraint by this part of its scale: they were printed with few digits."""


def initialize(kernels: Kernels, given: Given, environment: Floats, time: float = 0.0, project: bool = False) -> Start:
    """Complete the start values level by level: positions, then velocities, then what lies deeper.

    With `project`, firm values that break a constraint are moved (least in the mass metric) instead of refused.
    Raises StartError, which names the constraint, its residual and the nearest valid values.
    """
    x = given.x
    moved = np.zeros(x.size, dtype=bool)
    levels = [Level(stage, environment, time) for stage in kernels.start_stages]
    broken = broken_parameters(kernels, x, environment, time)
    if broken:
        raise StartError(broken)
    _verify_inertia(kernels, x, environment, time)
    for level in levels:
        x = _settle(kernels, level, given, x, project, moved)
        _verify_inertia(kernels, x, environment, time)
    _verify_gradients(kernels, x, environment, time)
    redundancy = find_redundancy(kernels, time, x, environment)
    z = _algebraic(kernels, x, given.z, environment, time, redundancy)
    _check_limits(kernels, x, z, environment, time)
    notes = [note for level in levels for note in on_level(kernels, level, x, ~_firm(level.stage, given))]
    values = _account(kernels, given, x, moved)
    return Start(time, x, z, values, redundancy, _residuals(levels, x), tuple(notes))


def _verify_inertia(kernels: Kernels, x: Floats, environment: Floats, time: float) -> None:
    """Refuse a state whose mass matrix measures nothing: it is not a number, or not positive definite."""
    metric = kernels.constraint_rows(time, x, environment)[1].full()
    system = kernels.reduced.equations.system
    if not np.all(np.isfinite(metric)):
        raise StartError([inertia_without_value(system)])
    if metric.size == 0:
        return
    values, vectors = np.linalg.eigh((metric + metric.T) / 2)
    # To rounding, nothing is not negative yet.
    if values[0] < -1e-12 * max(values[-1], 0.0) or values[-1] <= 0:
        part = np.abs(vectors[:, 0])
        named = np.flatnonzero(part > 0.3 * np.max(part))
        raise StartError([inertia_not_positive(system, [int(place) for place in named])])


def _verify_gradients(kernels: Kernels, x: Floats, environment: Floats, time: float) -> None:
    """Refuse a start where a constraint has no slope, or, not linear in the velocities, none by them."""
    rows = kernels.reduced.equations.system.rows
    gradients, _ = kernels.constraint_rows(time, x, environment)
    lengths = np.linalg.norm(gradients.full(), axis=1)
    nowhere = [row for row, length in zip(rows, lengths, strict=True) if not np.isfinite(length)]
    if nowhere:
        raise StartError([slope_without_value(row) for row in nowhere])
    lost = [row for row, length in zip(rows, lengths, strict=True) if not row.linear and length == 0]
    if lost:
        raise StartError([gradient_vanishes(row) for row in lost])


def deeper_states(kernels: Kernels, x: Floats, environment: Floats, time: float) -> Floats:
    """x with the states beyond positions and velocities worked out from those, which are taken as given."""
    reduced = kernels.reduced
    given = reduced.equations.q.numel() + reduced.equations.coordinate_orders[0].numel()
    for stage in kernels.stages:
        free = np.asarray([anchor >= given for anchor in stage.stage.anchors], dtype=bool)
        if free.any():
            x = search(Level(stage, environment, time), x, free).point
    return x


def _algebraic(
    kernels: Kernels, x: Floats, guess: Floats, environment: Floats, time: float, redundancy: Redundancy | None
) -> Floats:
    """z at the start. Refuses a state whose accelerations and multipliers do not exist, or are not determined.

    Two guesses that lead to one solution are proof enough that it is the only one; singular directions are
    looked for only where that fails.
    """
    if redundancy is None:
        z = solve_for_algebraic(kernels, x, guess, environment, time)
        other = None if z is None else solve_for_algebraic(kernels, x, z + 1e-3 * (1 + np.abs(z)), environment, time)
        if z is not None and other is not None:
            size = 1.0 + float(np.max(np.abs(z), initial=0.0))
            if np.max(np.abs(other - z), initial=0.0) <= 1e-6 * size:
                return z
    rows, slopes = kernels.linearised(time, x, guess, environment)
    finite = np.isfinite(rows.full().ravel()) & np.isfinite(slopes.full()).all(axis=1)
    if not finite.all():
        # The rows of limits and frictions come last: they are no numbers where a row before them is not.
        named = [row for row, whole in zip(kernels.reduced.equations.rows, finite, strict=False) if not whole]
        raise StartError([row_without_value(row) for row in named])
    fault = find_fault(kernels, time, x, guess, environment)
    if fault is not None:
        raise StartError([cannot_move(kernels.reduced, fault)])
    return least_algebraic(kernels, np.array([time]), x[:, None], environment)[:, 0]


def _settle(kernels: Kernels, level: Level, given: Given, x: Floats, project: bool, moved: NDArray[np.bool_]) -> Floats:
    """One level: free values first; then, where firm ones miss by little (or may be moved), all of them."""
    free = ~_firm(level.stage, given)
    outcome = search(level, x, free)
    if outcome.worst <= HOLDS:
        return outcome.point
    if not np.isfinite(outcome.worst):
        told = broken_assertions(kernels, outcome.point, level.environment, level.time)
        raise StartError(told or _unsolved(level, outcome))
    everything = search(level, outcome.point, np.ones(free.size, dtype=bool))
    if everything.worst > HOLDS:
        raise StartError(_unsolved(level, everything))
    if outcome.worst > PRINTED_DIGITS and not project:
        raise _refusal(kernels, level.stage, outcome, everything)
    moved |= everything.point != outcome.point
    return everything.point


def _unsolved(level: Level, closest: Outcome) -> list[Diagnostic]:
    """Why no start satisfies a level's rows."""
    rows = level.stage.rows
    valueless = np.flatnonzero(~level.evaluate(closest.point).finite_rows)
    if valueless.size:
        return [start_without_value(rows[i]) for i in valueless[:4]]
    gap = _gap(level, closest)
    if gap is not None:
        return [contradict([rows[i] for i in gap[0]], gap[1])]
    return cannot_hold(rows, closest.residual, closest.relative, HOLDS)


def _gap(level: Level, closest: Outcome) -> tuple[list[int], float] | None:
    """Rows that contradict each other, and by how much; None where the search just did not get there.

    Where no step comes closer, the weighted residual r/s is orthogonal to all weighted gradients. Then with
    u = r/s² the combination Σ u_i r_i has no gradient: no small change closes it.
    """
    at = level.evaluate(closest.point)
    weighted = closest.relative * np.sign(closest.residual)
    parts = np.where(closest.relative > 0, closest.relative, 1.0)
    scales = np.where(closest.relative > 0, np.abs(closest.residual) / parts, 1.0)
    gradients = at.jacobian / scales[:, None] * level.size(closest.point)
    left = float(np.linalg.norm(gradients.T @ weighted))
    rows = [int(i) for i in np.flatnonzero(np.abs(weighted) > 1e-4 * np.abs(weighted).max())]
    if len(rows) < 2 or left > 1e-5 * float(np.linalg.norm(weighted)):
        return None
    u = weighted / scales
    return rows, float(u @ closest.residual / np.abs(u).max())


def _firm(stage: StageKernels, given: Given) -> NDArray[np.bool_]:
    """Which of a stage's unknowns are given (an attitude's three together)."""
    return np.asarray([given.firm[place] for place in stage.stage.anchors], dtype=bool)


def _refusal(kernels: Kernels, stage: StageKernels, outcome: Outcome, nearest: Outcome) -> StartError:
    broken = [
        Miss(row, float(residual))
        for row, residual, relative in zip(stage.rows, outcome.residual, outcome.relative, strict=True)
        if relative > PRINTED_DIGITS
    ]
    places = [i for i in stage.stage.targets if nearest.point[i] != outcome.point[i]]
    values = {kernels.reduced.x_entries[i].name: float(nearest.point[i]) for i in places}
    used = {kernels.reduced.x_entries[i].name: float(outcome.point[i]) for i in places}
    return StartError([start_misses(miss, used, values) for miss in broken], nearest=values)


def _check_limits(kernels: Kernels, x: Floats, z: Floats, environment: Floats, time: float) -> None:
    limits, asserts = (np.asarray(m).ravel() for m in kernels.gaps(time, x, z, environment))
    found = outside_limit(kernels.reduced.equations.system, limits, asserts)
    if found:
        raise StartError(found)


def _account(kernels: Kernels, given: Given, x: Floats, moved: NDArray[np.bool_]) -> tuple[StartValue, ...]:
    values = []
    for i, entry in enumerate(kernels.reduced.x_entries):
        if not given.firm[i]:
            values.append(StartValue(entry.name, float(x[i]), "completed"))
        elif moved[i]:
            values.append(StartValue(entry.name, float(x[i]), "polished", given=float(given.x[i])))
        else:
            values.append(StartValue(entry.name, float(x[i]), "given"))
    return tuple(values)


def _residuals(levels: list[Level], x: Floats) -> tuple[StartResidual, ...]:
    """What is left of every row at every level."""
    return tuple(
        StartResidual(row.name, row.order, float(residual))
        for level in levels
        for row, residual in zip(level.stage.rows, level.evaluate(x).residual, strict=True)
    )
