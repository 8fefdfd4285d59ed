"""New values that a `when` gives to coordinates, rates and states; the others follow so that constraints hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import replace

from ..integrate import Driver, State
from ..mechanics import Reinit
from ..notes import named
from ..search import HOLDS, Level, search

Floats = NDArray[np.float64]


def reinitialized(driver: Driver, state: State, whens: Sequence[int]) -> State | str:
    """The state with the values of some `when`, the same object where they set none; or why there is no such state.

    What is set is firm; what else a constraint ties to it is moved the least in the mass metric.
    """
    kernels = driver.kernels
    system = kernels.reduced.equations.system
    environment = driver.environment(state.time, state.time)
    values = np.asarray(kernels.reinits(state.time, state.x, state.z, environment)).ravel()
    x = state.x.copy()
    firm: set[int] = set()
    start = 0
    for k, when in enumerate(system.whens):
        for action in when.actions:
            if not isinstance(action, Reinit):
                continue
            stop = start + action.value.numel()
            if k in whens:
                places = _places(driver, action)
                x[places] = values[start:stop]
                firm |= set(places)
            start = stop
    if not firm:
        return state
    if not np.all(np.isfinite(x)):
        return "a `reinit` has no finite value"
    for stage in kernels.stages:
        if not stage.rows:
            continue
        level = Level(stage, environment, state.time)
        free = np.array([anchor not in firm for anchor in stage.stage.anchors], dtype=bool)
        outcome = search(level, x, free)
        if outcome.worst > HOLDS:
            broken = [row.name for row, part in zip(stage.rows, outcome.relative, strict=True) if part > HOLDS]
            return f"the values that `reinit` sets cannot be: {named(broken)} would not hold"
        x = outcome.point
    return replace(state, x=x)


def _places(driver: Driver, action: Reinit) -> list[int]:
    reduced = driver.kernels.reduced
    nv = reduced.equations.coordinate_orders[0].numel()
    if action.target == "position":
        return list(action.elements)
    wanted = (1, 0) if action.target == "velocity" else (0, nv)
    order, shift = wanted
    places = {e.unknown: i for i, e in enumerate(reduced.x_entries) if e.order == order and (e.unknown >= shift)}
    return [places[element + shift] for element in action.elements]
