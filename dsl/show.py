"""A flat model as text: what is left when components, loops, functions and records are gone.

It reads like the language, with dotted names. An operation that several expressions share, because a
function's argument was put in more than once, is written once in front as `$1 = ...`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from . import flat, statements
from .depth import deep_recursion
from .flat import Expr, FlatModel, VariableDeclaration, parts

# How tightly operators bind, as in the grammar; what binds less is put in parentheses.
_CONDITIONAL: Final = 0
_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_RELATION: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_POWER: Final = 7
_OPERAND: Final = 8

_BINDING: Final[dict[str, int]] = {
    "or": _OR, "and": _AND, "<": _RELATION, "<=": _RELATION, ">": _RELATION, ">=": _RELATION,
    "==": _RELATION, "<>": _RELATION, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, ".*": _PRODUCT,
    "./": _PRODUCT, "^": _POWER,
}  # fmt: skip


def show_flat(model: FlatModel) -> str:
    """The text of a flat model, variables first, each statement on a line."""
    with deep_recursion():
        return _shown(model)


def _shown(model: FlatModel) -> str:
    printer = _Printer(model)
    heading = f"model {model.name}" + _described(model.description)
    variables = [printer.variable(v) for v in model.variables]
    stated = list(printer.stated())
    run = model.experiment
    interval = "" if run.interval is None else f", Interval = {_number(run.interval)}"
    stated.append(
        f"annotation(experiment(StopTime = {_number(run.stop_time)}{interval}, Tolerance = {_number(run.tolerance)}));"
    )
    groups = [_components(model), printer.shared, variables, stated]
    body = "\n\n".join("\n".join(f"  {line}" for line in group) for group in groups if group)
    return f"{heading}\n{body}\nend {model.name};"


def _components(model: FlatModel) -> list[str]:
    return [f"// {path}: {name}" for path, name in model.components.items()]


def _described(description: str) -> str:
    escaped = description.replace("\\", "\\\\").replace('"', '\\"')
    return f' "{escaped}"' if description else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


class _Printer:
    """Prints expressions; what is shared gets a name when it is first met."""

    def __init__(self, model: FlatModel) -> None:
        self.model = model
        self.shared: list[str] = []
        self._names: dict[int, str] = {}
        self._is_shared = _shared(_all(model))

    # --- variables ---------------------------------------------------------------------------

    def variable(self, variable: VariableDeclaration) -> str:
        words = ["final"] if variable.final else []
        words += ["structural"] if variable.structural else []
        words += [variable.kind] if variable.kind != "plain" else []
        words.append(variable.type_name)
        sizes = f"[{', '.join(map(str, variable.dimensions))}]" if variable.dimensions else ""
        attributes = [f"{name} = {self.text(value)}" for name, value in variable.attributes.items()]
        if variable.unit is not None:
            attributes.append(f'unit = "{variable.unit}"')
        behind = f"({', '.join(attributes)})" if attributes else ""
        binding = "" if variable.binding is None else f" = {self.text(variable.binding)}"
        described = _described(variable.description)
        return f"{' '.join(words)} {variable.name}{sizes}{behind}{binding}{described};"

    # --- statements --------------------------------------------------------------------------

    def stated(self) -> Iterator[str]:
        all_ = self.model.statements
        text = self.text
        for energy in all_.energies:
            name = f"{energy.kind} {energy.name}".rstrip()
            yield f"{name} = {text(energy.value)}{_described(energy.description)};"
        for force in all_.forces:
            effort, flow = text(force.effort), text(force.flow)
            yield f"force {force.name}: {effort} on {flow}{_described(force.description)};"
        for constraint in all_.constraints:
            words = f"{constraint.qualifier} constraint" if constraint.qualifier else "constraint"
            yield f"{words} {constraint.name}: {self._sides(constraint)};"
        for servo in all_.servos:
            rate = self._options([("rate", servo.rate)])
            inputs = ", ".join(text(i) for i in servo.inputs)
            sides = f"{text(servo.left)} = {text(servo.right)}"
            yield f"servo {servo.name}{rate}: {sides} using {inputs}{_described(servo.description)};"
        for limit in all_.limits:
            yield self._limit(limit)
        for friction in all_.frictions:
            options = self._options(friction.options)
            pressed = f"{text(friction.coefficient)}, {text(friction.normal)}"
            on = f"{text(friction.flow)}{_described(friction.description)}"
            yield f"friction {friction.name}{options}: {pressed} on {on};"
        for equation in all_.equations:
            yield f"{equation.kind} {equation.name}: {self._sides(equation)};"
        for when in all_.whens:
            actions = " ".join(self._action(action) for action in when.actions)
            yield f"when {text(when.condition)} then {actions} end when;"
        for claim in all_.asserts:
            word = "warn" if claim.is_warning else "assert"
            yield f"{word}({text(claim.condition)},{_described(claim.message)});"
        for visual in all_.visuals:
            yield self._visual(visual)

    def _sides(self, stated: statements.Constraint[Expr] | statements.Equation[Expr]) -> str:
        return f"{self.text(stated.left)} = {self.text(stated.right)}{_described(stated.description)}"

    def _options(self, options: Iterable[tuple[str, Expr | None]]) -> str:
        given = [f"{name} = {self.text(value)}" for name, value in options if value is not None]
        return f"({', '.join(given)})" if given else ""

    def _limit(self, limit: statements.Limit[Expr]) -> str:
        value = self.text(limit.value, _SUM)
        if limit.lower is not None and limit.upper is not None:
            bounds = f"{self.text(limit.lower, _SUM)} <= {value} <= {self.text(limit.upper, _SUM)}"
        elif limit.lower is not None:
            bounds = f"{value} >= {self.text(limit.lower, _SUM)}"
        else:
            bounds = value if limit.upper is None else f"{value} <= {self.text(limit.upper, _SUM)}"
        options = self._options([("restitution", limit.restitution)])
        return f"limit {limit.name}{options}: {bounds}{_described(limit.description)};"

    def _action(self, action: statements.Reinit[Expr] | statements.Terminate) -> str:
        if isinstance(action, statements.Terminate):
            return f"terminate({_described(action.message).strip()});"
        return f"reinit({self.text(action.target)}, {self.text(action.value)});"

    def _visual(self, visual: statements.Visual[Expr]) -> str:
        arguments = ", ".join(f"{name} = {self.text(value)}" for name, value in visual.arguments)
        place = ""
        if visual.position is not None and visual.attitude is not None:
            frame = f"r = {self.text(visual.position)}, R = {self.text(visual.attitude)}"
            place = f" on Frame({frame})"
        elif visual.position is not None:
            place = f" on {self.text(visual.position)}"
        return f"visual {visual.shape}({arguments}){place}{_described(visual.description)};"

    # --- expressions -------------------------------------------------------------------------

    def text(self, expression: Expr, least: int = _CONDITIONAL) -> str:
        """An expression where what stands around it binds with strength `least`."""
        if id(expression) in self._is_shared:
            return self._name(expression)
        text, binding = self._printed(expression)
        return f"({text})" if binding < least else text

    def _name(self, expression: Expr) -> str:
        name = self._names.get(id(expression))
        if name is None:
            printed = self._printed(expression)[0]
            name = self._names[id(expression)] = f"${len(self._names) + 1}"
            self.shared.append(f"{name} = {printed};")
        return name

    def _printed(self, expression: Expr) -> tuple[str, int]:
        """The text of an expression and how tightly it binds."""
        text = self.text
        match expression:
            case flat.Number():
                negative = expression.value < 0
                unit = _unit(expression)
                return _number_or_infinity(expression.value) + unit, _SUM if negative else _OPERAND
            case flat.Truth():
                return str(expression.value).lower(), _OPERAND
            case flat.Text():
                return _described(expression.value).strip() or '""', _OPERAND
            case flat.Variable():
                return expression.name, _OPERAND
            case flat.Time():
                return "time", _OPERAND
            case flat.Element():
                indices = ", ".join(_subscript(s) for s in expression.subscripts)
                return f"{text(expression.base, _OPERAND)}[{indices}]", _OPERAND
            case flat.Unary():
                if expression.operator == "not":
                    return f"not {text(expression.operand, _RELATION)}", _NOT
                return f"-{text(expression.operand, _PRODUCT)}", _SUM
            case flat.Binary():
                return self._binary(expression)
            case flat.Conditional():
                condition, then = text(expression.condition), text(expression.then)
                return f"if {condition} then {then} else {text(expression.otherwise)}", _CONDITIONAL
            case flat.Array():
                return f"{{{', '.join([text(item) for item in expression.items])}}}", _OPERAND
            case flat.Call():
                return (
                    f"{expression.function}({', '.join([text(a) for a in expression.arguments])})",
                    _OPERAND,
                )
            case flat.Reaction():
                on = "" if expression.coordinate is None else f", {text(expression.coordinate)}"
                return f"reaction({expression.label}{on})", _OPERAND
            case flat.Table():
                argument = text(expression.argument)
                return f'table("{expression.path}", "{expression.column}", {argument})', _OPERAND
            case flat.Declared():
                operand = expression.operand
                is_shared = id(operand) in self._is_shared
                return (self._name(operand), _OPERAND) if is_shared else self._printed(operand)
            case flat.Poison():
                return "?", _OPERAND
        assert_never(expression)

    def _binary(self, expression: flat.Binary) -> tuple[str, int]:
        operator = expression.operator
        binding = _BINDING[operator]
        # Operators of one strength group to the left; a power and a relation do not chain.
        loose = operator == "^" or binding == _RELATION
        left = self.text(expression.left, binding + 1 if loose else binding)
        right = self.text(expression.right, binding + 1)
        space = "" if operator in ("*", "/", "^") else " "
        return f"{left}{space}{operator}{space}{right}", binding


def _number_or_infinity(value: float) -> str:
    if value == math.pi:
        return "pi"
    finite = value == value and abs(value) != float("inf")
    return _number(value) if finite else str(value)


def _unit(number: flat.Number) -> str:
    if number.dimension is None:
        return ""
    return f"[{number.dimension}]"


def _subscript(subscript: int | tuple[int, ...] | None) -> str:
    if subscript is None:
        return ":"
    if isinstance(subscript, int):
        return str(subscript)
    first, last = subscript[0] if subscript else 1, subscript[-1] if subscript else 0
    if subscript == tuple(range(first, last + 1)):
        return f"{first}:{last}"
    return f"{{{', '.join(map(str, subscript))}}}"


# --- what is shared --------------------------------------------------------------------------


def _all(model: FlatModel) -> Iterator[Expr]:
    for variable in model.variables:
        yield from variable.attributes.values()
        if variable.binding is not None:
            yield variable.binding
    yield from statements.expressions(model.statements)


def _shared(expressions: Iterable[Expr]) -> set[int]:
    """Operations that stand in more than one place; short ones are repeated instead."""
    seen: set[int] = set()
    shared: set[int] = set()
    waiting = list(expressions)
    while waiting:
        node = waiting.pop()
        below = parts(node)
        if id(node) in seen:
            if len(below) > 4 or any(parts(b) for b in below):
                shared.add(id(node))
            continue
        seen.add(id(node))
        waiting.extend(below)
    return shared
