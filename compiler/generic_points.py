"""Places to look at forms: generic points near the start, on the position constraints."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen

from .draws import Draws
from .mechanics import Floats, MechanicalSystem, SettingError
from .pfaffian import Block, Point

POINTS = 3
"""How many generic points a claim rests on."""

OTHER_VALUES = 2
"""How many points with other parameter values say whether it holds for those too."""


@frozen
class Start:
    """Where the text starts the system, how far its like may lie from there, and the parameter values."""

    q: Floats
    spread: Floats
    parameters: Floats


def start_of(system: MechanicalSystem) -> Start:
    """The start as the text gives it; parameters without a value get one of no special size."""
    s = system.symbols
    try:
        parameters = system.parameter_values({})
    except SettingError:
        parameters = Draws(11).column(0.5, 1.5, s.parameters.numel())
    given = system.starts
    columns = [given.position, given.position_guess, given.nominal]
    values = ca.Function("start", [s.parameters], [ca.densify(c) for c in columns])(parameters)
    firm, guess, nominal = (np.asarray(value, dtype=float).ravel() for value in values)
    spread = np.ones(s.q.numel())
    for c in system.coordinates:
        if not c.is_rotation:
            spread[c.q] = nominal[c.v]
    return Start(np.where(given.position_given, firm, guess), spread, parameters)


def points_near(block: Block, start: Start, count: int, *, other_values: bool = False) -> list[Point]:
    """Generic points near the start on the block's position constraints; fewer where they cannot be reached.

    With `other_values` each has parameter values of its own, near those given.
    """
    draws = Draws(29 if other_values else 23)
    found: list[Point] = []
    spread = 0.5
    for _ in range(3 * count):
        values = start.parameters
        if other_values:
            shift = draws.column(0.05, 0.3, values.size)
            values = np.where(values == 0, shift, values * (1 + shift))
        away = draws.column(0.2, 1, start.q.size) * np.where(draws.column(0, 1, start.q.size) < 0.5, -1, 1)
        drawn = Point(start.q + spread * start.spread * away, draws.number(0.1, 0.9), values)
        point = _brought_on(block, drawn)
        if point is None:
            spread /= 2
            continue
        found.append(point)
        if len(found) == count:
            break
    return found


def _brought_on(block: Block, point: Point) -> Point | None:
    """The point moved onto the position rows by Gauss-Newton; None where that fails or is no number."""
    q = point.q
    for _ in range(25):
        here = Point(q, point.t, point.parameters)
        misses, slopes, fields = block.misses(here)
        if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(misses))):
            return None
        if misses.size == 0:
            break
        step = fields @ np.linalg.lstsq(slopes, -misses, rcond=1e-10)[0]
        q = q + step
        if float(np.max(np.abs(step))) < 1e-13 * (1 + float(np.max(np.abs(q)))):
            break
    else:
        return None
    here = Point(q, point.t, point.parameters)
    forms = block.at(here)
    return here if np.all(np.isfinite(forms.derivative)) and np.all(np.isfinite(forms.coefficients)) else None
