"""What the text says of the start: firm values and guesses, in the parameters."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.program import Program, VariableDefinition

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Allowed, Layout
from .lower_expression import Evaluator
from .mechanics import Assertion, Coordinate, NamedScalars, StartValues
from .operations import zeros
from .rotations import euler_parameters

_ORTHOGONAL = 1e-6


def lower_starts(
    program: Program, evaluator: Evaluator, layout: Layout, findings: Findings
) -> tuple[StartValues, tuple[Assertion, ...]]:
    """The start values, and what must hold of them (that an attitude's start is a rotation matrix)."""
    reader = _Reader(program, evaluator, layout, findings)
    coordinates, unknowns = layout.coordinates, layout.unknowns
    for definition in program.variables.values():
        reader.verify_effect(definition)
    position, position_given = _joined([reader.position(c, "start") for c in coordinates])
    velocity, velocity_given = _joined([reader.velocity(c, "rate") for c in coordinates])
    position_guess, _ = _joined([reader.position(c, "guess") for c in coordinates])
    velocity_guess, _ = _joined([reader.velocity(c, "guessRate") for c in coordinates])
    nominal, _ = _joined([reader.nominal(c) for c in coordinates])
    unknown, unknown_given = _joined([reader.unknown(u, "start") for u in unknowns])
    unknown_guess, _ = _joined([reader.unknown(u, "guess") for u in unknowns])
    values = StartValues(
        position=position,
        position_given=position_given,
        velocity=velocity,
        velocity_given=velocity_given,
        position_guess=position_guess,
        velocity_guess=velocity_guess,
        nominal=nominal,
        unknown=unknown,
        unknown_given=unknown_given,
        unknown_guess=unknown_guess,
    )
    return values, tuple(reader.attitudes)


_Part = tuple[ca.SX, bool]


def _joined(parts: Sequence[_Part]) -> tuple[ca.SX, NDArray[np.bool_]]:
    """One column, and for each element whether the text gives it."""
    given = [flag for value, flag in parts for _ in range(value.numel())]
    column = ca.densify(ca.vertcat(*(value for value, _ in parts))) if parts else ca.SX(0, 1)
    return column, np.array(given, dtype=bool)


class _Reader:
    """Attributes of variables as columns: a value, and whether it is given."""

    def __init__(self, program: Program, evaluator: Evaluator, layout: Layout, findings: Findings) -> None:
        self._variables = program.variables
        self._evaluator = evaluator
        self._findings = findings
        self._allowed = Allowed(layout.symbols.parameters)
        self.attitudes: list[Assertion] = []

    def verify_effect(self, definition: VariableDefinition) -> None:
        """A start of something that is worked out or set from outside would be ignored: it is refused."""
        if definition.kind == "coordinate" or (definition.kind in ("plain", "output") and definition.binding is None):
            return
        for attribute in ("start", "rate", "guess", "guessRate"):
            if attribute in definition.attributes:
                self._findings.add(complaints.start_of_expression(definition, attribute))

    def position(self, coordinate: Coordinate, attribute: str) -> _Part:
        """A position attribute in q: as Euler parameters for a `Rotation`, by default 0 or the identity."""
        if not coordinate.is_rotation:
            return self._column(coordinate.name, attribute, (coordinate.q.stop - coordinate.q.start, 1))
        matrix = self._read(coordinate.name, attribute, (3, 3))
        if matrix is None:
            return ca.SX(ca.DM([1, 0, 0, 0])), False
        message = complaints.start_not_a_rotation(coordinate.name, attribute)
        span = self._variables[coordinate.name].attributes[attribute].span
        gap = 1 - _distance_from_rotation(matrix) / _ORTHOGONAL
        self.attitudes.append(Assertion(gap, message, span))
        return euler_parameters(matrix), True

    def velocity(self, coordinate: Coordinate, attribute: str) -> _Part:
        """A velocity attribute in v, 0 by default."""
        return self._column(coordinate.name, attribute, (coordinate.v.stop - coordinate.v.start, 1))

    def nominal(self, coordinate: Coordinate) -> _Part:
        """The nominal size in v, 1 by default."""
        size = coordinate.v.stop - coordinate.v.start
        value, given = self._column(coordinate.name, "nominal", (size, 1))
        return (value, True) if given else (ca.SX(ca.DM.ones(size, 1)), False)

    def unknown(self, group: NamedScalars, attribute: str) -> _Part:
        """An attribute of an unknown, 0 by default."""
        return self._column(group.name, attribute, (group.elements.stop - group.elements.start, 1))

    def _column(self, name: str, attribute: str, shape: tuple[int, int]) -> _Part:
        value = self._read(name, attribute, shape)
        return (zeros((shape[0],)), False) if value is None else (value, True)

    def _read(self, name: str, attribute: str, shape: tuple[int, int]) -> ca.SX | None:
        """An attribute's value: the column of its elements, or the matrix where that is wanted."""
        definition = self._variables[name]
        expression = definition.attributes.get(attribute)
        if expression is None:
            return None
        value: ca.SX | None = None
        with self._findings.collect():
            found = self._evaluator.value(expression) if shape[1] > 1 else self._evaluator.column(expression)
            if not self._allowed.cover(found):
                what = f"`{attribute}` of `{name}`"
                raise ModelError(
                    [complaints.depends("start-depends", what, "parameters and constants", expression.span)]
                )
            if found.numel() == 1 and shape != (1, 1):
                found = ca.repmat(found, *shape)
            if found.shape != shape:
                raise ModelError([complaints.attribute_shape(definition, attribute)])
            value = found
        return value


def _distance_from_rotation(matrix: ca.SX) -> ca.SX:
    error = ca.mtimes(matrix.T, matrix) - ca.SX(ca.DM.eye(3))
    # A reflection is as orthogonal as a rotation: its determinant tells.
    return ca.sqrt(ca.sumsqr(error)) + ca.fabs(ca.det(matrix) - 1)
