"""External inputs of one run: numbers, functions of time or sampled tables, as pieces of polynomials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbdc.dsl.diagnostics import Diagnostic, ModelError, error
from mbdc.dsl.nearest import closest
from mbdc.dsl.records import frozen

from .equations import SIGNAL_DEGREE, Signals
from .mechanics import MechanicalSystem

Floats = NDArray[np.float64]
Table: TypeAlias = tuple[ArrayLike, ArrayLike]
InputSetting: TypeAlias = ArrayLike | Callable[[float], ArrayLike] | Table

FIT = 1e-12
"""A piece is short enough where its polynomial meets the function to this part of its size."""

_NODES = np.cos(np.pi * (np.arange(SIGNAL_DEGREE + 1) + 0.5) / (SIGNAL_DEGREE + 1))
_TO_COEFFICIENTS = np.cos(np.outer(np.arange(SIGNAL_DEGREE + 1), np.arccos(_NODES))) * 2 / (SIGNAL_DEGREE + 1)
_TO_COEFFICIENTS[0] /= 2
_BETWEEN = np.array([-0.97, -0.71, -0.33, 0.13, 0.47, 0.83, 0.99])


@frozen
class _Source:
    """One external input that was replaced: its value at a time, and where it has corners."""

    place: int
    value: Callable[[float], float]
    constant: bool
    corners: Floats


class Inputs:
    """The replaced inputs of a run, and the numbers that stand for them in `Signals.column`."""

    def __init__(self, system: MechanicalSystem, signals: Signals, settings: Mapping[str, InputSetting]) -> None:
        """Raises ModelError for an unknown name, a servo's input, or a value of the wrong shape."""
        self._signals = signals
        self._sources = _sources(system, signals, settings)
        given = {signals.inputs[source.place] for source in self._sources}
        names = [name for group in system.inputs for name in group.element_names]
        missing = [n for n in signals.needed if names.index(n) not in given]
        if missing:
            raise ModelError([_needed(name, system) for name in missing])
        corners = [s.corners for s in self._sources if s.corners.size]
        self._corners = np.unique(np.concatenate(corners)) if corners else np.empty(0)

    def horizon(self, start: float, stop: float) -> float:
        """The latest time up to `stop` to which one polynomial of each input reaches from `start`."""
        later = self._corners[self._corners > start * (1 + 1e-14) + 1e-300]
        if later.size:
            stop = min(stop, float(later[0]))
        moving = [s for s in self._sources if not s.constant]
        shortest = 1e-7 * (stop - start)
        while moving and stop - start > shortest and not all(_fits(s, start, stop) for s in moving):
            stop = start + (stop - start) / 2
        return stop

    def column(self, start: float, stop: float) -> Floats:
        """The numbers of `Signals.column` for a piece from `start` to `stop`."""
        count = len(self._signals.inputs)
        replaced, coefficients = np.zeros(count), np.zeros((count, SIGNAL_DEGREE + 1))
        for source in self._sources:
            replaced[source.place] = 1.0
            coefficients[source.place] = _coefficients(source, start, stop)
        middle, half_width = (start + stop) / 2, max((stop - start) / 2, 1e-300)
        return np.concatenate([replaced, coefficients.ravel(order="F"), [middle, half_width]])


def _sources(system: MechanicalSystem, signals: Signals, settings: Mapping[str, InputSetting]) -> list[_Source]:
    groups = {group.name: group for group in system.inputs}
    elements = {
        name: place
        for group in system.inputs
        for name, place in zip(group.element_names, range(group.elements.start, group.elements.stop), strict=True)
    }
    sources = []
    for name, setting in settings.items():
        if name in groups:
            block = groups[name].elements
            places = list(range(block.start, block.stop))
        elif name in elements:
            places = [elements[name]]
        else:
            raise ModelError([_unknown_input(name, [*groups, *elements])])
        for k, place in enumerate(places):
            if place not in signals.inputs:
                raise ModelError([_found_by_servo(name)])
            sources.append(_source(name, setting, k, len(places), signals.inputs.index(place)))
    return sources


def _source(name: str, setting: InputSetting, element: int, size: int, place: int) -> _Source:
    if callable(setting):
        return _Source(place, lambda t: _number(name, setting(t), element, size), False, np.empty(0))
    if isinstance(setting, tuple) and len(setting) == 2 and np.ndim(setting[0]) == 1:
        times, values = (np.asarray(part, dtype=float) for part in setting)
        if times.size != values.shape[0] or times.size < 2 or np.any(np.diff(times) <= 0):
            raise ModelError([_bad_table(name)])
        column = values.reshape(times.size, -1)
        if column.shape[1] != size:
            raise ModelError([_wrong_size(name, column.shape[1], size)])
        sampled = column[:, element]
        return _Source(place, lambda t: float(np.interp(t, times, sampled)), False, times)
    value = _number(name, setting, element, size)
    return _Source(place, lambda t: value, True, np.empty(0))


def _number(name: str, value: object, element: int, size: int) -> float:
    try:
        array = np.asarray(value, dtype=float).ravel()
    except (TypeError, ValueError) as wrong:
        raise ModelError([_not_a_number(name, value)]) from wrong
    if array.size != size:
        raise ModelError([_wrong_size(name, array.size, size)])
    if not np.isfinite(array[element]):
        raise ModelError([_not_a_number(name, value)])
    return float(array[element])


def _coefficients(source: _Source, start: float, stop: float) -> Floats:
    if source.constant:
        return np.concatenate([[source.value(start)], np.zeros(SIGNAL_DEGREE)])
    middle, half = (start + stop) / 2, (stop - start) / 2
    return np.asarray(_TO_COEFFICIENTS @ [source.value(middle + half * x) for x in _NODES])


def _fits(source: _Source, start: float, stop: float) -> bool:
    coefficients = _coefficients(source, start, stop)
    middle, half = (start + stop) / 2, (stop - start) / 2
    exact = np.array([source.value(middle + half * x) for x in _BETWEEN])
    fitted = np.polynomial.chebyshev.chebval(_BETWEEN, coefficients)
    size = max(float(np.max(np.abs(exact))), float(np.max(np.abs(coefficients))))
    return bool(np.max(np.abs(exact - fitted)) <= FIT * size) if size > 0 else True


def _unknown_input(name: str, known: list[str]) -> Diagnostic:
    near = closest(name, known)
    advice = f"did you mean `{near}`?" if near else f"its inputs are {', '.join(known) or 'none'}"
    return error("unknown-input", f"`{name}` is not an input of this model", None, help=advice)


def _found_by_servo(name: str) -> Diagnostic:
    return error("input-of-servo", f"the input `{name}` is found by a servo and cannot be set", None)


def _wrong_size(name: str, size: int, expected: int) -> Diagnostic:
    return error("bad-input", f"the input `{name}` takes {expected} numbers, not {size}", None)


def _not_a_number(name: str, value: object) -> Diagnostic:
    return error("bad-input", f"the input `{name}` was given {value!r}, which is not a finite number", None)


def _bad_table(name: str) -> Diagnostic:
    return error(
        "bad-input",
        f"the table for input `{name}` must be (times, values) of one length, the times increasing",
        None,
    )


def _needed(name: str, system: MechanicalSystem) -> Diagnostic:
    span = next(group.span for group in system.inputs if name in group.element_names)
    return error(
        "input-without-value",
        f"the input `{name}` has no value",
        span,
        help=f"declare one (`input ... {name} = 0`) or give it to the run",
    )
