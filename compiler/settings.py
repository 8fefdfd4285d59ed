"""Values given from outside as text: `--set L=0.4`, `--set alpha.start=5[deg]`, `--set p={1, 2, 3}`.

A value is read by the parser of the language and worked out here from numbers, unit literals, `pi`,
`true` and `false`, arrays, signs and the four operations: nothing else can stand in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from mbdc.dsl import syntax
from mbdc.dsl.dimension import ONE, Dimension
from mbdc.dsl.flat import FlatModel, VariableDeclaration
from mbdc.dsl.nearest import nearest
from mbdc.dsl.records import field, frozen
from mbdc.dsl.units import UnknownUnit, parse_unit, unit_text

Value: TypeAlias = "float | bool | list[Value]"

_ATTRIBUTE = re.compile(r"(?P<name>.+)\.(?P<attribute>start|rate)")
_ELEMENT = re.compile(r"(?P<name>.+)\[\d+(,\d+)*\]")


class SettingError(ValueError):
    """A setting that cannot be understood, or that sets what cannot be set; the message says which."""


@frozen
class Setting:
    """`name = value` with `value` in SI units, and the dimensions of its numbers that carried a unit."""

    name: str
    value: Value
    dimensions: frozenset[Dimension] = frozenset()


@frozen
class SortedSettings:
    """Settings by what they set, under the names the Python face takes; `structure` is part of `parameters`.

    Starts are under `x` and `der(x)`.
    """

    parameters: dict[str, Value] = field(default_factory=dict)
    inputs: dict[str, Value] = field(default_factory=dict)
    starts: dict[str, Value] = field(default_factory=dict)


def split_setting(text: str) -> tuple[str, str]:
    """`name=value` as its two texts. Raises `SettingError`."""
    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        raise SettingError(f"`{text}` is not a setting: write name=value, such as L=0.4 or alpha.start=5[deg]")
    return "".join(name.split()), value.strip()


def as_module(value: str) -> str:
    """A text with the value as a binding, for the parser."""
    return f"model Setting\n  parameter Real value = {value}\n  ;\nend Setting;\n"


def expression_in(name: str, module: syntax.Module | None) -> syntax.Expr:
    """The value in a text made by `as_module`. Raises `SettingError` where there is anything else in it."""
    match module:
        case syntax.Module(
            elements=[syntax.ClassDefinition(elements=[syntax.Declaration(declarators=[declarator])])]
        ) if declarator.binding is not None and not declarator.description:
            return declarator.binding
        case _:
            raise SettingError(f"the value of `{name}` is not an expression")


def evaluate(name: str, expression: syntax.Expr) -> Setting:
    """The setting of a parsed value. Raises `SettingError` where it is not a number, truth value or array."""
    dimensions: set[Dimension] = set()
    value = _value(name, expression, dimensions)
    return Setting(name, value, frozenset(dimensions))


def sort_settings(settings: Iterable[Setting], flat: FlatModel) -> SortedSettings:
    """Tell parameters, inputs and starts apart by what the model declares.

    Raises `SettingError` for a name the model does not have or that cannot be set, and for a unit of
    another dimension than the variable's.
    """
    variables = {variable.name: variable for variable in flat.variables}
    result = SortedSettings()
    for setting in settings:
        if setting.name in variables:
            _add_variable(setting, variables[setting.name], result)
        else:
            _add_start(setting, variables, flat, result)
    return result


def _add_variable(setting: Setting, variable: VariableDeclaration, result: SortedSettings) -> None:
    _verify_dimension(setting, variable, rate=False)
    match variable.kind:
        case "parameter" if variable.final:
            raise SettingError(f"`{setting.name}` is final: it follows from other values and cannot be set")
        case "parameter":
            result.parameters[setting.name] = setting.value
        case "input":
            result.inputs[setting.name] = setting.value
        case "coordinate":
            raise SettingError(
                f"`{setting.name}` is a coordinate: set its start with {setting.name}.start="
                f" or its initial velocity with {setting.name}.rate="
            )
        case "constant" | "plain" | "output":
            kind = "a constant" if variable.kind == "constant" else "worked out by the model"
            raise SettingError(f"`{setting.name}` is {kind}: parameters, inputs and starts can be set")


def _add_start(
    setting: Setting, variables: Mapping[str, VariableDeclaration], flat: FlatModel, result: SortedSettings
) -> None:
    match = _ATTRIBUTE.fullmatch(setting.name)
    if match is None:
        raise SettingError(_unknown(setting.name, variables, flat))
    element = _ELEMENT.fullmatch(match["name"])
    variable = variables.get(element["name"] if element else match["name"])
    if variable is None:
        raise SettingError(_unknown(match["name"], variables, flat))
    rate = match["attribute"] == "rate"
    unknown = variable.kind in ("plain", "output") and variable.binding is None and not rate
    if variable.kind != "coordinate" and not unknown:
        raise SettingError(f"`{match['name']}` is not a coordinate: it has no {match['attribute']}")
    _verify_dimension(setting, variable, rate=rate)
    result.starts[f"der({match['name']})" if rate else match["name"]] = setting.value


def _verify_dimension(setting: Setting, variable: VariableDeclaration, *, rate: bool) -> None:
    declared = parse_unit(variable.unit).dimension if variable.unit else ONE
    if rate:
        declared = declared / parse_unit("s").dimension
    for dimension in setting.dimensions:
        if dimension != declared:
            raise SettingError(f"`{setting.name}` is set in {unit_text(dimension)}, but it is in {unit_text(declared)}")


def _unknown(name: str, variables: Mapping[str, VariableDeclaration], flat: FlatModel) -> str:
    settable = [n for n, v in variables.items() if v.kind in ("parameter", "input", "coordinate")]
    near = nearest(name, settable)
    advice = f"; did you mean `{near[0]}`?" if near else ""
    return f"`{flat.name}` has no parameter, input or coordinate `{name}`{advice}"


def _value(name: str, expression: syntax.Expr, dimensions: set[Dimension]) -> Value:
    match expression:
        case syntax.Number():
            return _number(name, expression, dimensions)
        case syntax.Truth(value=value):
            return value
        case syntax.Name(id="pi"):
            return math.pi
        case syntax.Unary(operator="-" | "+" as sign, operand=operand):
            number = _scalar(name, operand, dimensions)
            return -number if sign == "-" else number
        case syntax.Binary(operator="+" | "-" | "*" | "/" as operator, left=left, right=right):
            # The dimension of a computed value is not followed: units stand behind single numbers.
            return _combined(name, operator, _plain(name, left), _plain(name, right))
        case syntax.Array(items=items):
            return [_value(name, item, dimensions) for item in items]
        case syntax.Matrix(rows=rows):
            return [[_value(name, item, dimensions) for item in row] for row in rows]
        case _:
            raise SettingError(
                f"the value of `{name}` must be a number (a unit may follow: 30[deg]), true, false,"
                " or an array of these such as {1, 2, 3}"
            )


def _number(name: str, number: syntax.Number, dimensions: set[Dimension]) -> float:
    value = number.value
    if number.unit is not None:
        try:
            unit = parse_unit(number.unit)
        except UnknownUnit as unknown:
            near = f"; did you mean {unknown.suggestions[0]}?" if unknown.suggestions else ""
            raise SettingError(f"the value of `{name}`: {unknown}{near}") from unknown
        dimensions.add(unit.dimension)
        value = unit.to_si(value)
    return _finite(name, value)


def _scalar(name: str, expression: syntax.Expr, dimensions: set[Dimension]) -> float:
    value = _value(name, expression, dimensions)
    if isinstance(value, bool | list):
        raise SettingError(f"the value of `{name}` reckons with something that is not a number")
    return value


def _plain(name: str, expression: syntax.Expr) -> float:
    dimensions: set[Dimension] = set()
    value = _scalar(name, expression, dimensions)
    if dimensions - {ONE}:
        raise SettingError(f"the value of `{name}` reckons with units: give the result as one number")
    return value


def _combined(name: str, operator: str, left: float, right: float) -> float:
    if operator == "/" and right == 0:
        raise SettingError(f"the value of `{name}` divides by zero")
    results = {"+": left + right, "-": left - right, "*": left * right}
    return _finite(name, results[operator] if operator != "/" else left / right)


def _finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise SettingError(f"the value of `{name}` is too large")
    return value
