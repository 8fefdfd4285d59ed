"""Parameter settings to the numbers of all parameters."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.nearest import closest
from mbdc.dsl.program import Program, Variable, VariableDefinition
from mbdc.dsl.records import frozen

from . import complaints_lower as complaints
from .findings import Findings
from .layout import Allowed, Layout, element_names
from .lower_expression import Evaluator
from .mechanics import Floats, NamedScalars, SettingError


@frozen
class Checked:
    """All parameters and constants, flattened: the function gives (values, lower, upper) of the elements."""

    elements: tuple[tuple[VariableDefinition, str], ...]
    function: ca.Function


class ParameterValues:
    """Works out all parameters: settings win over bindings, bindings see the settings.

    `defaults` maps the parameter column to the column of bindings (NaN where there is none); `depth` is the
    longest chain of parameters whose bindings contain one another.
    """

    def __init__(
        self,
        program: Program,
        groups: tuple[NamedScalars, ...],
        defaults: ca.Function,
        depth: int,
        checked: Checked,
    ) -> None:
        self._program = program
        self._groups = groups
        self._defaults = defaults
        self._depth = depth
        self._checked = checked

    def __call__(self, settings: Mapping[str, float | Floats]) -> Floats:
        """The parameter column (np,). Raises SettingError with all that is wrong with the settings."""
        found: list[Diagnostic] = []
        size = sum(g.elements.stop - g.elements.start for g in self._groups)
        values = np.full(size, np.nan)
        is_set = np.zeros(size, dtype=bool)
        places = {group.name: group.elements for group in self._groups}
        for name, setting in settings.items():
            column = self._read(name, setting, found)
            if column is not None:
                values[places[name]] = column
                is_set[places[name]] = True
        if found:
            raise SettingError(found)
        for _ in range(self._depth):
            values = np.where(is_set, values, np.asarray(self._defaults(values)).ravel())
        self._verify(values, settings)
        return values

    def _read(self, name: str, setting: float | Floats, found: list[Diagnostic]) -> Floats | None:
        """The elements of a setting, or None and a complaint."""
        names = [group.name for group in self._groups]
        definition = self._program.variables.get(name)
        if name not in names:
            if definition is None:
                found.append(complaints.unknown_setting(name, closest(name, names)))
            else:
                found.append(complaints.not_a_parameter(definition))
            return None
        assert definition is not None
        try:
            array = np.asarray(setting, dtype=float)
        except (TypeError, ValueError):
            found.append(complaints.setting_kind(definition, "a number or an array of numbers"))
            return None
        if array.shape != definition.type.shape:
            found.append(complaints.setting_shape(definition, array.shape))
            return None
        wanted = _wanted(definition, array)
        if wanted is not None:
            found.append(complaints.setting_kind(definition, wanted))
            return None
        return array.ravel()

    def _verify(self, values: Floats, settings: Mapping[str, float | Floats]) -> None:
        """Every parameter has a finite value within its bounds; final ones and constants too."""
        missing = [
            d
            for group in self._groups
            if (d := self._program.variables[group.name]).binding is None and d.name not in settings
        ]
        if missing:
            raise SettingError([complaints.no_value(d, self._program.components) for d in missing])
        found = _verdicts(self._checked, values)
        if found:
            raise SettingError(found)


def _verdicts(checked: Checked, parameters: Floats) -> list[Diagnostic]:
    """Complaints about parameters and constants that are no numbers, out of bounds, or no rotations."""
    found: list[Diagnostic] = []
    values, lower, upper = (np.asarray(x).ravel() for x in checked.function(parameters))
    rotations: dict[str, list[float]] = {}
    for (definition, element), value, low, high in zip(checked.elements, values, lower, upper, strict=True):
        if not np.isfinite(value):
            found.append(complaints.not_finite(definition, element, float(value)))
        elif value < low:
            found.append(complaints.out_of_range(definition, element, float(value), "min", float(low)))
        elif value > high:
            found.append(complaints.out_of_range(definition, element, float(value), "max", float(high)))
        if definition.base == "Rotation":
            rotations.setdefault(definition.name, []).append(float(value))
    by_name = {definition.name: definition for definition, _ in checked.elements}
    for name, elements in rotations.items():
        if not _is_rotation(np.reshape(elements, (3, 3))):
            found.append(complaints.not_a_rotation(by_name[name]))
    return found


def _is_rotation(matrix: Floats) -> bool:
    return bool(np.allclose(matrix.T @ matrix, np.eye(3), atol=1e-6) and np.linalg.det(matrix) > 0)


def _wanted(definition: VariableDefinition, setting: Floats) -> str | None:
    """What a setting should be, where it is not that."""
    if not np.all(np.isfinite(setting)):
        return "finite"
    if definition.base == "Integer" and np.any(setting != np.round(setting)):
        return "a whole number"
    if definition.type.kind == "boolean" and not np.all((setting == 0) | (setting == 1)):
        return "true or false"
    return None


def parameter_values(program: Program, evaluator: Evaluator, layout: Layout, findings: Findings) -> ParameterValues:
    """The rule from settings to parameters."""
    p = layout.symbols.parameters
    allowed = Allowed(p)
    columns = []
    for group in layout.parameters:
        definition = program.variables[group.name]
        column = ca.SX(ca.DM.nan(definition.type.size, 1))
        if definition.binding is not None:
            with findings.collect():
                column = evaluator.column(definition.binding)
                _verify_fixed(definition, column, allowed, findings)
        columns.append(column)
    defaults = ca.densify(ca.vertcat(*columns)) if columns else ca.SX(0, 1)
    checked = _checked(program, evaluator, p, findings)
    if findings.has_errors:
        # What was collected is raised before anything is worked out from this.
        defaults = ca.SX(ca.DM.nan(p.numel(), 1))
    function = ca.Function("defaults", [p], [defaults])
    return ParameterValues(program, layout.parameters, function, _depth(defaults, p), checked)


def _verify_fixed(definition: VariableDefinition, value: ca.SX, allowed: Allowed, findings: Findings) -> None:
    if not allowed.cover(value):
        what = f"the value of `{definition.name}`"
        findings.add(
            complaints.depends(f"{definition.kind}-depends", what, "parameters and constants", definition.span)
        )


def _depth(defaults: ca.SX, parameters: ca.SX) -> int:
    """How often the bindings must be evaluated until every chain of them is worked out."""
    size = parameters.numel()
    rows, columns = ca.jacobian_sparsity(defaults, parameters).get_triplet() if size else ([], [])
    uses: dict[int, list[int]] = {}
    for row, column in zip(rows, columns, strict=True):
        uses.setdefault(int(row), []).append(int(column))
    depth = [0] * size
    for first in range(size):
        pending = [first]
        while pending:
            place = pending[-1]
            below = uses.get(place, [])
            waiting = [other for other in below if depth[other] == 0]
            if waiting:
                pending.extend(waiting)
                continue
            depth[place] = 1 + max((depth[other] for other in below), default=0)
            pending.pop()
    return max(depth, default=0)


def _checked(program: Program, evaluator: Evaluator, parameters: ca.SX, findings: Findings) -> Checked:
    allowed = Allowed(parameters)
    elements: list[tuple[VariableDefinition, str]] = []
    columns: tuple[list[ca.SX], list[ca.SX], list[ca.SX]] = ([], [], [])
    for definition in program.variables.values():
        if definition.kind not in ("parameter", "constant") or definition.type.kind == "text":
            continue
        with findings.collect():
            parts = _value_and_bounds(definition, evaluator)
            _verify_fixed(definition, ca.vertcat(*parts), allowed, findings)
            elements += [(definition, n) for n in element_names(definition.name, definition.type.shape)]
            for column, part in zip(columns, parts, strict=True):
                column.append(part)
    outputs = [ca.densify(ca.vertcat(*column)) if column else ca.SX(0, 1) for column in columns]
    if findings.has_errors:
        elements, outputs = [], [ca.SX(0, 1)] * 3
    return Checked(tuple(elements), ca.Function("checked", [parameters], outputs))


def _value_and_bounds(definition: VariableDefinition, evaluator: Evaluator) -> tuple[ca.SX, ca.SX, ca.SX]:
    whole = Variable(type=definition.type, span=definition.span, name=definition.name)
    size = definition.type.size
    bounds = []
    for attribute, default in (("min", -np.inf), ("max", np.inf)):
        given = definition.attributes.get(attribute)
        bound = ca.SX(default) if given is None else evaluator.column(given)
        bounds.append(ca.repmat(bound, size, 1) if bound.numel() == 1 else bound)
    return evaluator.column(whole), bounds[0], bounds[1]
