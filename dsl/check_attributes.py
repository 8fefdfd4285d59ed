"""Checks the attributes of variables: start, rate, guess, guessRate, min, max, nominal."""

from __future__ import annotations

import math

from . import complaints_check as say
from . import flat, program
from .check_definitions import Definition, culprit, rotation
from .check_dimension import each, over
from .check_expression import Expressions
from .check_site import Site
from .check_value import ACCELERATION, PARAMETER, REACTION, Dims, Shape, Soft, Value, wrong
from .diagnostics import Diagnostic
from .dimension import ONE, TIME

_RATES = ("rate", "guessRate")
_STARTS = ("start", "guess")
_BOUNDS = ("min", "max", "nominal")
ATTRIBUTES = (*_STARTS, *_RATES, *_BOUNDS)
_ANGLE_UNIT = "rad"
_FREQUENCY_UNIT = "Hz"


def check_attributes(expressions: Expressions, definition: Definition) -> dict[str, program.Expr]:
    """The attributes of a variable, each with its shape; what does not fit is told."""
    declaration = definition.declaration
    values: dict[str, Value] = {}
    for attribute, written in declaration.attributes.items():
        span = written.span
        if attribute not in ATTRIBUTES:
            told = say.unknown_attribute(span, attribute, declaration.name, (*ATTRIBUTES, "unit"))
            expressions.site.report(told)
            continue
        reason = _misplaced(attribute, definition)
        if reason:
            expressions.site.report(say.attribute_misplaced(span, attribute, declaration.name, reason))
            continue
        values[attribute] = _attribute(expressions, attribute, written, definition)
    _verify_bounds(expressions.site, definition, values)
    _warn_of_slips(expressions, definition, values)
    return {attribute: value.node for attribute, value in values.items()}


def _misplaced(attribute: str, definition: Definition) -> str:
    """Why an attribute would have no effect; empty where it has one."""
    declaration = definition.declaration
    moves = declaration.kind == "coordinate"
    if attribute in _RATES and not moves:
        return "only coordinates have a rate at the start"
    if attribute in _STARTS and not moves and not definition.is_unknown:
        return "only coordinates and unknowns have a start; give it a value with `=`"
    if attribute in _BOUNDS and declaration.base not in ("Real", "Integer"):
        return f"{declaration.base} values have no size"
    return ""


def _attribute(expressions: Expressions, attribute: str, written: flat.Expr, definition: Definition) -> Value:
    site = expressions.site
    declaration = definition.declaration
    what = f"`{attribute}` of `{declaration.name}`"
    value = site.settle_trouble(expressions.check(written))
    if value.is_wrong:
        return value
    if value.has(~PARAMETER):
        return site.mistake(_not_fixed(expressions, written, value, what), value)
    is_rotation = declaration.base == "Rotation"
    if is_rotation and attribute in _STARTS:
        return rotation(site, value, what)
    shape = (3,) if is_rotation else definition.value.shape
    if shape is None:
        return value
    dims = definition.value.dims
    if attribute in _RATES:
        dims = each(over, (ONE,) if is_rotation else dims, (TIME,))
    return _fitting(site, value, what, shape, dims)


def _not_fixed(expressions: Expressions, written: flat.Expr, value: Value, what: str) -> Diagnostic:
    allowed = "parameters and constants"
    if value.has(REACTION):
        return say.misplaced(value.span, "reaction-in-start", "a reaction", what, None)
    if value.has(ACCELERATION):
        return say.misplaced(value.span, "acceleration-in-start", "an acceleration", what, None)
    return say.depends_on(value.span, "start-depends", what, culprit(expressions, written, ~PARAMETER), allowed)


def _fitting(site: Site, value: Value, what: str, shape: Shape, dims: Dims) -> Value:
    """The value with the variable's shape: a scalar holds for all elements."""
    if value.shape != () or not shape or value.kind != "real":
        return site.fits(value, what, shape, dims)
    if len(dims) > 1 and not value.is_literal:
        return site.fits(value, what, shape, dims)
    fitting = site.fits(value, what, (), dims[:1])
    if fitting.is_wrong:
        return fitting
    ones = site.apply("ones", [], value.span, shape, (Soft.LITERAL,))
    return wrong(value.span) if ones.is_wrong else site.apply("scale", [fitting, ones], value.span, shape, dims)


def _verify_bounds(site: Site, definition: Definition, values: dict[str, Value]) -> None:
    """What is fixed by the text must lie between the bounds; the rest is checked when it is known."""
    if not values:
        return
    name = definition.declaration.name
    low, high, nominal = (_fixed(values.get(attribute)) for attribute in _BOUNDS)
    if low and high and any(a > b for a, b in zip(low, high, strict=True)):
        site.report(say.bounds_empty(values["min"].span, name, max(low), min(high)))
        return
    if nominal and min(nominal) <= 0:
        site.report(say.nominal_not_positive(values["nominal"].span, name, min(nominal)))
    candidates = [(f"the {attribute} of `{name}`", values.get(attribute)) for attribute in _STARTS]
    candidates.append((f"`{name}`", definition.bound))
    for what, value in candidates:
        numbers = _fixed(value)
        if not numbers or value is None:
            continue
        for bound, limits, sign in (("min", low, 1), ("max", high, -1)):
            for number, limit in zip(numbers, limits or (), strict=False):
                if sign * number < sign * limit:
                    site.report(say.out_of_bounds(value.span, what, number, bound, limit))


def _fixed(value: Value | None) -> tuple[float, ...] | None:
    return value.number if value is not None and value.is_fixed else None


def _warn_of_slips(expressions: Expressions, definition: Definition, values: dict[str, Value]) -> None:
    """Degrees given for radians, hertz for an angular velocity."""
    declaration = definition.declaration
    name = declaration.name
    if declaration.unit == _ANGLE_UNIT:
        for attribute in _STARTS:
            if attribute in values:
                _warn_of_degrees(expressions, declaration.attributes[attribute], f"the {attribute} of `{name}`")
        if declaration.binding is not None and declaration.kind in ("parameter", "constant"):
            _warn_of_degrees(expressions, declaration.binding, f"`{name}`")
        for attribute in _RATES:
            if attribute in values:
                warn_of_hertz(expressions, declaration.attributes[attribute], f"the {attribute} of `{name}`")
    if declaration.unit is not None and declaration.unit.startswith("rad/s") and declaration.binding is not None:
        warn_of_hertz(expressions, declaration.binding, f"`{name}`")


def _warn_of_degrees(expressions: Expressions, written: flat.Expr, what: str) -> None:
    """A plain literal beyond a full turn: `start = 30` where 30 degrees are meant."""
    value = expressions.check(written)
    if not value.is_literal or not value.is_fixed or value.number is None or "pi" in written.span.text:
        return
    largest = max(value.number, key=abs, default=0.0)
    if abs(largest) > 2 * math.pi:
        expressions.site.report(say.angle_in_degrees(written.span, what, largest))


def warn_of_hertz(expressions: Expressions, written: flat.Expr, what: str) -> None:
    """A frequency given as it stands for an angular velocity."""
    node = written
    while isinstance(node, flat.Unary | flat.Element):
        node = node.operand if isinstance(node, flat.Unary) else node.base
    items = node.items if isinstance(node, flat.Array) else (node,)
    for item in items:
        in_hertz = isinstance(item, flat.Number) and item.span.text.endswith("Hz]")
        if in_hertz or (isinstance(item, flat.Variable) and expressions.declared[item.name].unit == _FREQUENCY_UNIT):
            expressions.site.report(say.hertz(written.span, what))
            return
