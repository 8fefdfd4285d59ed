"""What velocity rows keep constant: single rows, combinations of them, and the function if one is found."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbdc.dsl.records import frozen

from .distribution import eliminate
from .form_functions import Function, Scene, function_of, varies
from .mechanics import ConstraintRow, Floats
from .pfaffian import ZERO


@frozen
class Integral:
    """Rows of which a combination keeps a function of position constant.

    `combination` is that of the rows, empty for a single row and where it varies; `general` says that it
    holds whatever values the parameters have. `function` is None where no closed form was found.
    """

    rows: tuple[ConstraintRow, ...]
    combination: str
    function: Function | None
    general: bool = True


def hidden_integrals(scene: Scene) -> list[Integral]:
    """The functions that the velocity rows keep constant and no position row says.

    There may be more (`Growth.integrals`): combinations that vary from place to place are only named where
    their function is found.
    """
    moving = [place for place in scene.growth.independent if place >= scene.block.positions]
    reach = _on_closures(scene, moving)
    single = [k for k in range(len(moving)) if not np.any(reach[k])]
    found = [_single(scene, moving[k]) for k in single]
    rest = [k for k in range(len(moving)) if k not in single]
    for weights in _constant_combinations(reach[rest]):
        found.append(_combined(scene, [moving[k] for k in rest], weights))
    hidden = scene.growth.integrals - (len(scene.growth.independent) - len(moving))
    return found if len(found) == hidden else found + _eliminated(scene, moving, found, hidden)


def leaves_closure(scene: Scene, place: int) -> bool:
    """Whether a row forbids directions that brackets of allowed motions lead to."""
    return bool(np.any(_on_closures(scene, [place])))


def _on_closures(scene: Scene, places: Sequence[int]) -> Floats:
    """The rows' values on the closures' bases at all points, 0 where that is rounding."""
    parts = []
    for form, closure in zip(scene.forms, scene.growth.closures, strict=True):
        rows = form.coefficients[list(places)]
        values, terms = rows @ closure, np.abs(rows) @ np.abs(closure)
        parts.append(np.where(np.abs(values) > ZERO * terms, values, 0.0))
    return np.hstack(parts)


def _constant_combinations(reach: Floats) -> list[Floats]:
    """Weights w of rows with w·reach = 0, as few rows each as elimination leaves, the first weight 1."""
    if reach.shape[0] < 2:
        return []
    heights = np.max(np.abs(reach), axis=1)
    u, s, _ = np.linalg.svd(reach / heights[:, None])
    rank = int(np.sum(s > 1e-8 * s[0]))
    weights = u[:, rank:].T / heights
    for i in range(len(weights)):
        pivot = int(np.argmax(np.abs(weights[i]) > 1e-8 * np.max(np.abs(weights[i]))))
        weights[i] /= weights[i, pivot]
        for other in range(len(weights)):
            if other != i:
                weights[other] = weights[other] - weights[other, pivot] * weights[i]
    cleaned = np.where(np.abs(weights) > 1e-9, weights, 0.0)
    return [row / row[np.flatnonzero(row)[0]] for row in cleaned]


def _single(scene: Scene, place: int) -> Integral:
    form = scene.block.forms[place, :].T
    function, general = function_of(scene, ca.SX(form))
    return Integral((scene.block.rows[place],), "", function, general)


def _combined(scene: Scene, places: Sequence[int], weights: Floats) -> Integral:
    block = scene.block
    used = [(place, round(float(w), 9)) for place, w in zip(places, weights, strict=True) if w != 0]
    rows = tuple(block.rows[place] for place, _ in used)
    form = sum((w * block.forms[place, :].T for place, w in used), ca.SX(block.size, 1))
    whole = all(w == round(w) for _, w in used)
    function, general = function_of(scene, form) if whole else (None, False)
    if not general and len(used) == 2:
        (one, _), (other, weight) = used
        exact, exactly = function_of(scene, _cancelled(scene, one, other, weight))
        if exact is not None:
            function, general = exact, exactly
    text = _combination_text(rows, [w for _, w in used])
    return Integral(rows, text, function, general or function is None)


def _cancelled(scene: Scene, one: int, other: int, weight: float) -> ca.SX:
    """The combination `one` + weight·`other` with the weight written in the rows' own coefficients."""
    forms = scene.block.forms
    first, second = scene.forms[0].coefficients[one], weight * scene.forms[0].coefficients[other]
    vanishing = np.flatnonzero((first != 0) & (np.abs(first + second) <= 1e-7 * np.abs(first)))
    if not vanishing.size:
        return forms[one, :].T + weight * forms[other, :].T
    # A column whose coefficients do not vary gives the ratio in parameters at once.
    columns = [int(k) for k in vanishing]
    column = min(columns, key=lambda j: varies(scene.block, ca.vertcat(forms[one, j], forms[other, j])))
    ratio = forms[one, column] / forms[other, column]
    return ca.SX(forms[one, :].T - ratio * forms[other, :].T)


def _eliminated(scene: Scene, moving: Sequence[int], known: Sequence[Integral], hidden: int) -> list[Integral]:
    """Functions kept by combinations that vary with position: what they do not contain is eliminated."""
    block = scene.block
    used, absent = _combined_columns(scene, moving, hidden)
    matrix, numbers, _ = eliminate(block, scene.forms, scene.growth.independent, first=absent)
    texts = {integral.function.text for integral in known if integral.function is not None}
    found: list[Integral] = []
    for i, place in enumerate(scene.growth.independent):
        if place < block.positions or np.any(numbers[:, i, absent]) or len(known) + len(found) == hidden:
            continue
        function, general = function_of(scene, ca.vertcat(*matrix[i]))
        if function is not None and function.text not in texts:
            texts.add(function.text)
            found.append(Integral(tuple(block.rows[place] for place in used), "", function, general))
    return found


def _combined_columns(scene: Scene, moving: Sequence[int], hidden: int) -> tuple[list[int], list[int]]:
    """The rows that occur in what is kept constant, and the columns that do not."""
    weights, columns = [], []
    for form, closure in zip(scene.forms, scene.growth.closures, strict=True):
        rows = form.coefficients[list(moving)]
        left = np.linalg.svd(rows @ closure)[0][:, len(moving) - hidden :].T
        weights.append(np.max(np.abs(left), axis=0))
        columns.append(np.max(np.abs(left @ rows), axis=0))
    largest = np.max(columns, axis=0)
    absent = np.flatnonzero(largest < 1e-9 * np.max(largest))
    used = np.flatnonzero(np.max(weights, axis=0) > 1e-9)
    return [moving[int(k)] for k in used], [int(k) for k in absent]


def _combination_text(rows: Sequence[ConstraintRow], weights: Sequence[float]) -> str:
    text = ""
    for row, weight in zip(rows, weights, strict=True):
        size = f"{abs(weight):.6g}"
        part = f"`{row.label}`" if size == "1" else f"{size}*`{row.label}`"
        if not text:
            text = part if weight > 0 else f"-{part}"
        else:
            text += f" - {part}" if weight < 0 else f" + {part}"
    return text
