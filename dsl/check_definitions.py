"""Checks what is declared: units, bindings, and what each kind of variable may depend on."""

from __future__ import annotations

from collections.abc import Sequence

from . import complaints_check as say
from . import flat, program
from .check_dimension import harden
from .check_expression import Expressions
from .check_order import names_in
from .check_site import Site
from .check_value import (
    CHANGING,
    INPUT,
    PARAMETER,
    POSITION,
    TIME,
    UNKNOWN,
    Dims,
    Facts,
    Shape,
    Value,
    ValueKind,
    final_type,
    wrong,
)
from .diagnostics import Related
from .dimension import ONE
from .flat import VariableDeclaration, VariableKind
from .records import frozen
from .units import UnknownUnit, parse_unit, unit_text

_HIGHEST_RANK = 2
_ROTATION: Shape = (3, 3)


@frozen
class Definition:
    """A variable whose binding is checked.

    `kind` differs from the declared one where an input of a part is fed by the whole. `bound` is its binding.
    """

    declaration: VariableDeclaration
    kind: VariableKind
    value: Value
    bound: Value | None
    unit: str

    @property
    def is_unknown(self) -> bool:
        """Found by equations."""
        return is_unknown(self.declaration)


def is_unknown(declaration: VariableDeclaration) -> bool:
    free = declaration.kind in ("plain", "output") and declaration.binding is None
    return free and declaration.base == "Real"


def define(expressions: Expressions, declaration: VariableDeclaration) -> Definition:
    """Checks a variable's binding, whose variables are defined already, and makes the variable known."""
    site = expressions.site
    shape = _ROTATION if declaration.base == "Rotation" else declaration.dimensions
    dims = _declared_dims(site, declaration)
    bound = _bound(expressions, declaration, shape, dims)
    if len(shape) > _HIGHEST_RANK:
        bound = site.mistake(say.rank_too_high(declaration.span, f"`{declaration.name}`"))
    _verify_kind(site, declaration)
    kind = declaration.kind
    if bound is not None and not bound.is_wrong:
        kind = _kind_as_bound(declaration, bound)
        _verify_dependence(expressions, declaration, kind, bound)
        if dims is None:
            dims = harden(bound.dims)
    value = _value(declaration, kind, shape, dims or (ONE,), bound)
    expressions.variables[declaration.name] = value
    return Definition(declaration, kind, value, bound, _unit(declaration, value))


def refuse_cycle(expressions: Expressions, cycle: Sequence[str]) -> None:
    """Tells of definitions in a circle; their values fit everywhere from here on."""
    declared = expressions.declared
    first = declared[cycle[0]]
    places = [Related(f"`{name}` is defined here", declared[name].span) for name in cycle[1:-1]]
    expressions.site.report(say.cyclic_definition(first.span, cycle, places))
    for name in cycle:
        expressions.variables[name] = wrong(declared[name].span)


def _declared_dims(site: Site, declaration: VariableDeclaration) -> Dims | None:
    """The dimensions a declaration fixes; None where a plain Real takes those of its binding."""
    if declaration.unit is None or declaration.base != "Real":
        if declaration.unit is not None:
            reason = f"{declaration.base} values have no unit"
            site.report(say.attribute_misplaced(declaration.span, "unit", declaration.name, reason))
        takes = declaration.kind in ("constant", "plain", "output") and declaration.binding is not None
        return None if takes and declaration.base == "Real" else (ONE,)
    what = f"`{declaration.name}`"
    try:
        unit = parse_unit(declaration.unit)
    except UnknownUnit as reason:
        told = say.unknown_unit(declaration.span, what, str(reason), reason.suggestions)
        site.report(told)
        return wrong(declaration.span).dims
    if unit.scale != 1 or unit.offset:
        si = unit_text(unit.dimension)
        site.report(say.unit_not_si(declaration.span, what, declaration.unit, si))
    return (unit.dimension,)


def _bound(expressions: Expressions, declaration: VariableDeclaration, shape: Shape, dims: Dims | None) -> Value | None:
    """The binding, where it fits the declaration; wrong, and told, where not."""
    if declaration.binding is None:
        return None
    site = expressions.site
    value = site.settle_trouble(expressions.check(declaration.binding))
    what = f"`{declaration.name}`"
    if value.is_wrong:
        return value
    match declaration.base:
        case "Real" | "Integer":
            fitting = site.fits(value, what, shape, harden(value.dims) if dims is None else dims)
            if (
                declaration.base == "Integer"
                and not fitting.is_wrong
                and not is_whole(declaration.binding, expressions)
            ):
                return site.mistake(say.not_an_integer(value.span, what), value)
            return fitting
        case "Rotation":
            return rotation(site, value, what)
        case "Boolean":
            return _of_kind(site, value, what, shape, "boolean")
        case "String":
            return _of_kind(site, value, what, shape, "text")


def rotation(site: Site, value: Value, what: str) -> Value:
    """A value that is a rotation by construction; wrong, and told, where it is not known to be."""
    if value.is_wrong:
        return value
    if value.kind == "real" and value.shape != _ROTATION:
        return site.mistake(say.shape_expected(value.span, what, "a rotation", value.shape or ()), value)
    if not value.rotation:
        return site.mistake(say.not_a_rotation(value.span, what), value)
    return value


def _of_kind(site: Site, value: Value, what: str, shape: Shape, kind: ValueKind) -> Value:
    if value.kind != kind:
        complain = say.condition_expected if kind == "boolean" else say.text_expected
        return site.mistake(complain(value.span), value)
    if value.shape != shape:
        return site.mistake(say.shape_expected(value.span, what, shape, value.shape or ()), value)
    return value


_WHOLE_OPERATIONS = frozenset({"+", "-", "*", ".*"})
_WHOLE_FUNCTIONS = frozenset({"floor", "ceil", "min", "max", "abs", "sign", "sum", "product", "zeros", "ones"})


def is_whole(expression: flat.Expr, expressions: Expressions) -> bool:
    """Whether an expression can only be a whole number."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        number = expressions.check(node).number
        if number is not None:
            if any(x != int(x) for x in number):
                return False
            continue
        match node:
            case flat.Variable():
                if expressions.declared[node.name].base != "Integer":
                    return False
            case flat.Binary() if node.operator in _WHOLE_OPERATIONS:
                waiting += [node.left, node.right]
            case flat.Unary():
                waiting.append(node.operand)
            case flat.Element():
                waiting.append(node.base)
            case flat.Array():
                waiting += node.items
            case flat.Conditional():
                waiting += [node.then, node.otherwise]
            case flat.Call() if node.function in _WHOLE_FUNCTIONS:
                waiting += [] if node.function in ("floor", "ceil", "sign") else node.arguments
            case _:
                return False
    return True


def _verify_kind(site: Site, declaration: VariableDeclaration) -> None:
    name = declaration.name
    match declaration.kind:
        case "coordinate":
            if declaration.base not in ("Real", "Rotation"):
                site.report(say.coordinate_type(declaration.span, name, declaration.base))
            if declaration.binding is not None:
                site.report(say.coordinate_bound(declaration.given_by or declaration.span, name))
        case "input":
            if declaration.base != "Real":
                site.report(say.input_type(declaration.span, name, declaration.base))
        case "constant":
            if declaration.binding is None:
                site.report(say.no_value(declaration.span, name, ""))
        case "plain" | "output":
            if declaration.binding is None and declaration.base != "Real":
                site.report(say.no_value(declaration.span, name, ""))
        case "parameter":
            pass  # one without a value must be given by whoever runs the model


def _kind_as_bound(declaration: VariableDeclaration, bound: Value) -> VariableKind:
    """An input of a part that the whole feeds with something that moves is a named expression."""
    fed = "." in declaration.name and bound.has(CHANGING & ~TIME)
    return "plain" if declaration.kind == "input" and fed else declaration.kind


_ALLOWED: dict[VariableKind, tuple[int, str]] = {
    "parameter": (PARAMETER, "parameters and constants"),
    "constant": (0, "constants"),
    "input": (PARAMETER | TIME, "time, tables, parameters and constants"),
}


def _verify_dependence(
    expressions: Expressions,
    declaration: VariableDeclaration,
    kind: VariableKind,
    bound: Value,
) -> None:
    allowed = _ALLOWED.get(kind)
    if allowed is None or declaration.binding is None or not bound.has(~allowed[0]):
        return
    on = culprit(expressions, declaration.binding, ~allowed[0])
    code = f"{kind}-depends"
    expressions.site.report(say.depends_on(bound.span, code, f"{kind} `{declaration.name}`", on, allowed[1]))


def culprit(expressions: Expressions, expression: flat.Expr, bits: int) -> str:
    """What in an expression brings a dependence that is not allowed."""
    for name in names_in([expression]):
        if expressions.variables[name].has(bits):
            kind = expressions.declared[name].kind
            named = kind in ("coordinate", "input", "parameter")
            return f"the {kind} `{name}`" if named else f"`{name}`, which changes"
    return "`time`" if expressions.check(expression).has(bits & TIME) else "a reaction"


def _value(
    declaration: VariableDeclaration, kind: VariableKind, shape: Shape, dims: Dims, bound: Value | None
) -> Value:
    base_kind: ValueKind = {"Boolean": "boolean", "String": "text"}.get(declaration.base, "real")  # type: ignore[assignment]
    if bound is not None and bound.is_wrong and declaration.unit is None and declaration.base == "Real":
        dims = bound.dims if kind in ("plain", "output", "constant") else dims
    if len(shape) > _HIGHEST_RANK:
        return wrong(declaration.span)
    node = program.Variable(declaration.name, type=final_type(shape, dims, base_kind), span=declaration.span)
    number = None if bound is None or kind == "input" else bound.number
    return Value(node, shape, dims, base_kind, _facts(declaration, kind, bound), number, declaration.base == "Rotation")


def _facts(declaration: VariableDeclaration, kind: VariableKind, bound: Value | None) -> Facts:
    match kind:
        case "coordinate":
            return Facts(POSITION)
        case "input":
            return Facts(INPUT)
        case "constant":
            return Facts()
        case "parameter":
            fixed = declaration.final and bound is not None and not bound.facts.depends
            return Facts() if declaration.structural or fixed else Facts(PARAMETER)
        case "plain" | "output":
            if bound is not None:
                return bound.facts
            return Facts(UNKNOWN, frozenset({declaration.name}))


def _unit(declaration: VariableDeclaration, value: Value) -> str:
    """The unit to show; empty for truth values, texts and arrays of several dimensions."""
    if declaration.unit is not None:
        return declaration.unit
    if value.kind != "real" or len(value.node.type.dimensions) > 1:
        return ""
    return unit_text(value.node.type.dimension())
