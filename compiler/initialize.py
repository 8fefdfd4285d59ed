"""A start that satisfies every constraint, hidden ones too: what is given is firm, the rest is completed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .complaints_start import Miss, cannot_hold, cannot_move, outside_limit, start_misses
from .errors import StartError
from .kernels import Kernels, StageKernels
from .least_change import Evaluation, Outcome, least_change
from .redundancy import Redundancy, find_fault, find_redundancy, least_algebraic
from .report import StartValue
from .start import Start
from .start_values import Given

Floats = NDArray[np.float64]

PRINTED_DIGITS = 1e-6
"""Firm values may miss a constraint by this part of its scale: they were printed with few digits."""

HOLDS = 1e-11


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
    redundancy = find_redundancy(kernels, time, x, environment)
    z = _algebraic(kernels, x, environment, time, redundancy)
    _check_limits(kernels, x, z, environment, time)
    return Start(time, x, z, _account(kernels, given, x, moved), redundancy)


def deeper_states(kernels: Kernels, x: Floats, environment: Floats, time: float) -> Floats:
    """x with the states beyond positions and velocities worked out from those, which are taken as given."""
    reduced = kernels.reduced
    given = reduced.equations.q.numel() + reduced.equations.coordinate_orders[0].numel()
    for stage in kernels.stages:
        free = np.asarray([anchor >= given for anchor in stage.stage.anchors], dtype=bool)
        if free.any():
            x = _search(stage, x, environment, time, free).point
    return x


def solve_for_algebraic(
    kernels: Kernels, x: Floats, z: Floats, environment: Floats, time: float
) -> Floats | None:
    """Accelerations, multipliers and other algebraic unknowns of a state, by Newton's method from a guess z.

    None where the rows are singular, or no solution is found.
    """
    for _ in range(30):
        try:
            better, left = (np.asarray(m).ravel() for m in kernels.solve_algebraic(time, x, z, environment))
        except RuntimeError as singular:
            # What CasADi's sparse factorisation says of a singular matrix.
            if "Evaluation failed" not in str(singular):
                raise
            return None
        if not np.all(np.isfinite(better)):
            return None
        z = better
        if np.max(np.abs(left), initial=0.0) <= 1e-9 * max(1.0, float(np.max(np.abs(z), initial=0.0))):
            return z
    return None


def _algebraic(
    kernels: Kernels, x: Floats, environment: Floats, time: float, redundancy: Redundancy | None
) -> Floats:
    """z at the start. Refuses a state whose accelerations and multipliers do not exist, or are not determined.

    Two guesses that lead to one solution are proof enough that it is the only one; singular directions are
    looked for only where that fails.
    """
    zero = np.zeros(kernels.reduced.z.numel())
    if redundancy is None:
        z = solve_for_algebraic(kernels, x, zero, environment, time)
        other = None if z is None else solve_for_algebraic(kernels, x, z + 1 + np.abs(z), environment, time)
        if z is not None and other is not None:
            size = 1.0 + float(np.max(np.abs(z), initial=0.0))
            if np.max(np.abs(other - z), initial=0.0) <= 1e-6 * size:
                return z
    fault = find_fault(kernels, time, x, environment)
    if fault is not None:
        raise StartError([cannot_move(kernels.reduced, fault)])
    return least_algebraic(kernels, np.array([time]), x[:, None], environment)[:, 0]


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


