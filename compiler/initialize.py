"""A start that satisfies every constraint, hidden ones too: what is given is firm, the rest is completed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .complaints_start import Miss, cannot_hold, outside_limit, start_misses
from .errors import StartError
from .kernels import Kernels, StageKernels
from .least_change import Evaluation, Outcome, least_change
from .report import StartValue
from .start_values import Given

Floats = NDArray[np.float64]

PRINTED_DIGITS = 1e-6
"""Firm values may miss a constraint by this part of its scale: they were printed with few digits."""

HOLDS = 1e-11


@dataclass(frozen=True)
class Start:
    """A consistent state at a time: x (nx,), z (nz,), and how its values came about."""

    time: float
    x: Floats
    z: Floats
    values: tuple[StartValue, ...]


def initialize(
    kernels: Kernels, given: Given, environment: Floats, time: float = 0.0, project: bool = False
) -> Start:
    """Complete the start values level by level: positions, then velocities, then what lies deeper.

    With `project`, firm values that break a constraint are moved (least in the mass metric) instead of refused.
    Raises StartError, which names the constraint, its residual and the nearest valid values.
    """
    x = given.x
    moved = np.zeros(x.size, dtype=bool)
    for stage in kernels.start_stages:
        x = _settle(kernels, stage, given, x, environment, time, project, moved)
    z = solve_for_algebraic(kernels, x, np.zeros(kernels.reduced.z.numel()), environment, time)
    _check_limits(kernels, x, z, environment, time)
    return Start(time, x, z, _account(kernels, given, x, moved))


def solve_for_algebraic(kernels: Kernels, x: Floats, z: Floats, environment: Floats, time: float) -> Floats:
    """Accelerations, multipliers and other algebraic unknowns of a state; Newton from a guess z."""
    for _ in range(30):
        better, left = (np.asarray(m).ravel() for m in kernels.solve_algebraic(time, x, z, environment))
        if not np.all(np.isfinite(better)):
            break
        z = better
        if np.max(np.abs(left), initial=0.0) <= 1e-9 * max(1.0, float(np.max(np.abs(z), initial=0.0))):
            return z
    return z


def _settle(
    kernels: Kernels,
    stage: StageKernels,
    given: Given,
    x: Floats,
    environment: Floats,
    time: float,
    project: bool,
    moved: NDArray[np.bool_],
) -> Floats:
    """One level: free values first; then, where firm ones miss by little (or may be moved), all of them."""
    free = ~_firm(stage, given)
    outcome = _search(stage, x, environment, time, free)
    if outcome.worst <= HOLDS:
        return outcome.point
    everything = _search(stage, outcome.point, environment, time, np.ones(free.size, dtype=bool))
    if everything.worst > HOLDS:
        raise StartError(cannot_hold(stage.rows, everything.residual, everything.relative, HOLDS))
    if outcome.worst > PRINTED_DIGITS and not project:
        raise _refusal(kernels, stage, outcome, everything)
    moved |= everything.point != outcome.point
    return everything.point


def _search(
    stage: StageKernels, x: Floats, environment: Floats, time: float, free: NDArray[np.bool_]
) -> Outcome:
    def evaluate(point: Floats) -> Evaluation:
        residual, jacobian, metric = stage.evaluate(time, point, environment)
        return Evaluation(np.asarray(residual).ravel(), np.asarray(jacobian.full()), np.asarray(metric.full()))

    def move(point: Floats, change: Floats) -> Floats:
        return np.asarray(stage.move(point, change)).ravel()

    targets = list(stage.stage.targets)

    def sizes(point: Floats) -> Floats:
        largest = float(np.max(np.abs(point[targets]), initial=0.0))
        return np.full(free.size, largest if largest > 0 else 1.0)

    outcome = least_change(evaluate, move, x, free, sizes)
    if outcome.worst <= HOLDS or not free.any():
        return outcome
    # A guess may lie where the rows have no slope (the centre of a circle): try beside it, both ways alike.
    for attempt in range(1, 7):
        rng = np.random.default_rng(attempt)
        nudge = np.where(free, rng.normal(size=free.size), 0.0) * 0.3 * sizes(x)
        other = least_change(evaluate, move, move(x, nudge), free, sizes)
        if other.worst < outcome.worst:
            outcome = other
        if outcome.worst <= HOLDS:
            break
    return outcome


def _firm(stage: StageKernels, given: Given) -> NDArray[np.bool_]:
    """Which of a stage's unknowns are given (an attitude's three together)."""
    return np.asarray([given.firm[place] for place in stage.stage.anchors], dtype=bool)


def _refusal(
    kernels: Kernels, stage: StageKernels, outcome: Outcome, nearest: Outcome
) -> StartError:
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


def _account(
    kernels: Kernels, given: Given, x: Floats, moved: NDArray[np.bool_]
) -> tuple[StartValue, ...]:
    values = []
    for i, entry in enumerate(kernels.reduced.x_entries):
        if not given.firm[i]:
            values.append(StartValue(entry.name, float(x[i]), "completed"))
        elif moved[i]:
            values.append(StartValue(entry.name, float(x[i]), "polished", given=float(given.x[i])))
        else:
            values.append(StartValue(entry.name, float(x[i]), "given"))
    return tuple(values)


