"""From a form that rows make to the function of position that it is the differential of."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen

from .distribution import Growth
from .effort import Effort, OutOfEffort
from .generic_points import Start
from .linear_text import sum_text
from .pfaffian import ZERO, Block, Forms, Point

MOST_FACTORS = 4
"""Forms with more coefficients than this that vary are not tried with factors."""


@frozen
class Function:
    """A function of position that a motion keeps constant.

    `value` is its value at the start where the text gives all it depends on. `factor` says that a row is its
    differential only after a factor, `with_others` only where other rows hold.
    """

    text: str
    value: float | None
    factor: bool
    with_others: bool


@frozen
class Scene:
    """A block and what is known of it, at `points` with the parameters given, at `others` with other ones."""

    block: Block
    growth: Growth
    points: tuple[Point, ...]
    forms: tuple[Forms, ...]
    others: tuple[Point, ...]
    start: Start
    effort: Effort


def function_of(scene: Scene, form: ca.SX) -> tuple[Function | None, bool]:
    """The function whose differential the form is, if need be after a factor or with other rows' help.

    Also whether that holds for other parameter values.
    """
    block = scene.block
    if block.signalled:
        return None, True
    form = _without_rounding(scene, form)
    fixed = _fixed_columns(scene)
    for held in [set[int](), *([fixed] if fixed else [])]:
        kept = ca.SX(form)
        kept[sorted(held)] = 0
        kept = ca.sparsify(kept)
        if not kept.nnz() or any(block.names[k] is None for k in kept.row()):
            continue
        for number, candidate in enumerate([kept, *_with_factors(block, kept)]):
            if not _is_closed(scene, candidate, held, scene.points):
                continue
            general = _is_closed(scene, candidate, held, scene.others)
            if not general:
                # With these values alone: then they stand in the function as numbers.
                candidate = ca.substitute(candidate, block.system.symbols.parameters, scene.start.parameters)
            settled = ca.sparsify(_settled(scene, candidate))
            return _as_function(scene, settled, number > 0, bool(held)), general
    return None, True


def _without_rounding(scene: Scene, form: ca.SX) -> ca.SX:
    """Entries that are 0 at every point, against the rows they come from, left out."""
    places = [*scene.points, *scene.others]
    function = scene.block.function("form", [form])
    numbers = np.stack([np.asarray(function(p.q, p.t, p.parameters)).ravel() for p in places])
    size = float(np.max(np.abs(numbers), initial=0.0))
    result = ca.SX(form)
    for k in np.flatnonzero(np.all(np.abs(numbers) <= 1e-12 * size, axis=0)):
        result[int(k)] = 0
    return ca.sparsify(result)


def _settled(scene: Scene, form: ca.SX) -> ca.SX:
    """The form with entries that do not vary, whatever is written in them, in parameters alone."""
    block = scene.block
    at_zero = ca.substitute(form, block.state, ca.SX.zeros(block.state.numel()))
    function = block.function("entries", [form, at_zero])
    still = np.ones(block.size, dtype=bool)
    for point in (*scene.points, *scene.others):
        here, zero = (np.asarray(part).ravel() for part in function(point.q, point.t, point.parameters))
        # What is not a number at zero is not equal to anything.
        still &= np.abs(here - zero) <= 1e-9 * np.abs(here)
    result = ca.SX(form)
    for k in set(form.row()):
        if still[k]:
            result[k] = at_zero[k]
    return result


def _fixed_columns(scene: Scene) -> set[int]:
    """Columns of coordinates that cannot move at all."""
    closures = scene.growth.closures
    still = np.all([np.all(np.abs(c) < 1e-12 * (1 + np.max(np.abs(c), initial=0.0)), axis=1) for c in closures], axis=0)
    return {int(k) for k in np.flatnonzero(still)}


def _with_factors(block: Block, form: ca.SX) -> list[ca.SX]:
    """The form divided by products of two of its own coefficients, and by each of them."""
    varying = [form[k] for k in form.row() if varies(block, form[k])]
    if not 0 < len(varying) <= MOST_FACTORS:
        return []
    pairs = [one * other for i, one in enumerate(varying) for other in varying[i:]]
    return [form / divisor for divisor in (*varying, *pairs)]


def _is_closed(scene: Scene, form: ca.SX, fixed: set[int], points: Sequence[Point]) -> bool:
    """Whether the differential of a form is 0 at all points, coordinates in `fixed` held."""
    block = scene.block
    slopes = ca.mtimes(ca.jacobian(form, block.state), block.frame)
    function = block.function("slopes", [slopes, form])
    free = [k for k in range(block.size) if k not in fixed]
    for point in points:
        slope, size = (np.asarray(part) for part in function(point.q, point.t, point.parameters))
        values = slope[np.ix_(free, free)]
        if not np.all(np.isfinite(values)):
            return False
        # Factors leave rounding where a slope is 0: what it is small beside are the coefficients.
        least = 1e-11 * float(np.max(np.abs(size)))
        if np.any(np.abs(values - values.T) > ZERO * (np.abs(values) + np.abs(values.T)) + least):
            return False
    return True


def _as_function(scene: Scene, form: ca.SX, factor: bool, with_others: bool) -> Function | None:
    block, s = scene.block, scene.block.system.symbols
    columns = sorted(set(form.row()))
    names = [block.names[k] or "" for k in columns]
    places = [_place(block, k) for k in columns]
    parameter_names = list(block.system.parameter_names)
    coefficients = [form[k] for k in columns]
    at_start = _given_at_start(scene, places)
    if not any(varies(block, c) for c in coefficients):
        written = sum_text(coefficients, names, s.parameters, parameter_names)
        if written is None:
            return None
        value = _linear_value(scene, coefficients, places) * written.sign if at_start else None
        return Function(written.text, value, factor, with_others)
    # What the other rows hold stands in the coefficients: its start would be needed too.
    return _integrated(scene, coefficients, places, at_start and not with_others, factor, with_others)


def _integrated(
    scene: Scene,
    coefficients: Sequence[ca.SX],
    places: Sequence[int],
    at_start: bool,
    factor: bool,
    with_others: bool,
) -> Function | None:
    # SymPy takes longer to load than most models to compile: only what needs it waits for it.
    from .potential import potential

    block, s = scene.block, scene.block.system.symbols
    system = block.system
    symbols = ca.vertcat(s.q, s.time, s.parameters)
    names = [name for c in system.coordinates for name in c.position_names]
    names += ["time", *system.parameter_names]
    samples = [np.concatenate([p.q, [p.t], p.parameters]) for p in scene.points]
    samples.append(np.concatenate([scene.start.q, [0.0], scene.start.parameters]))
    try:
        with scene.effort.bound():
            found = potential(coefficients, places, symbols, names, samples)
    except OutOfEffort:
        # What takes so long to be written down would not be read.
        return None
    if found is None:
        return None
    value = found.value if at_start and np.isfinite(found.value) else None
    return Function(found.text, value, factor, with_others)


def _place(block: Block, column: int) -> int:
    """The place of a column's coordinate in (q, time)."""
    system = block.system
    if column == len(block.velocities):
        return int(system.symbols.q.numel())
    velocity = block.velocities[column]
    for c in system.coordinates:
        if c.v.start <= velocity < c.v.stop:
            return int(c.q.start + velocity - c.v.start)
    raise AssertionError(f"no coordinate has the velocity {velocity}")


def _given_at_start(scene: Scene, places: Sequence[int]) -> bool:
    given = scene.block.system.starts.position_given
    return all(place == given.size or given[place] for place in places)


def _linear_value(scene: Scene, coefficients: Sequence[ca.SX], places: Sequence[int]) -> float:
    """Σ coefficient·coordinate at the start."""
    function = scene.block.function("weights", [ca.vertcat(*coefficients)])
    start = scene.start
    weights = np.asarray(function(start.q, 0.0, start.parameters)).ravel()
    return float(weights @ np.append(start.q, 0.0)[list(places)])


def varies(block: Block, value: ca.SX) -> bool:
    """Whether positions or time stand in an expression."""
    return bool(value.nnz()) and ca.depends_on(value, block.state)
