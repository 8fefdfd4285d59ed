"""Checked programs built by hand, for tests of what comes behind the checker.

Shapes follow from the operands, dimensions are all 1. `E` wraps an expression so that it can be written
with operators; `Build` collects variables and statements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from mbdc.compiler.mechanics import MechanicalSystem
from mbdc.dsl import statements as st
from mbdc.dsl.flat import BaseType, VariableKind
from mbdc.dsl.program import (
    Apply,
    Conditional,
    Constant,
    Derivative,
    Element,
    Expr,
    Lookup,
    Program,
    Reaction,
    Stack,
    Time,
    Type,
    Variable,
    VariableDefinition,
)
from mbdc.dsl.records import field_names
from mbdc.dsl.source import Source, Span

SPAN = Span(Source("<test>", "model M end M;"), 0, 5)


@dataclass(frozen=True, eq=False)
class E:
    """An expression with operators."""

    node: Expr

    @property
    def shape(self) -> tuple[int, ...]:
        return self.node.type.shape

    def __add__(self, other: Any) -> E:
        return call("add", self.shape, self, other)

    def __radd__(self, other: Any) -> E:
        return call("add", self.shape, other, self)

    def __sub__(self, other: Any) -> E:
        return call("subtract", self.shape, self, other)

    def __rsub__(self, other: Any) -> E:
        return call("subtract", self.shape, other, self)

    def __neg__(self) -> E:
        return call("negate", self.shape, self)

    def __mul__(self, other: Any) -> E:
        return multiply(self, wrap(other))

    def __rmul__(self, other: Any) -> E:
        return multiply(wrap(other), self)

    def __truediv__(self, other: Any) -> E:
        return call("shrink" if self.shape else "divide", self.shape, self, other)

    def __rtruediv__(self, other: Any) -> E:
        return call("divide", (), other, self)

    def __pow__(self, other: Any) -> E:
        return call("raise", self.shape, self, other)

    def __lt__(self, other: Any) -> E:
        return relation("less", self, other)

    def __getitem__(self, subscripts: Any) -> E:
        given = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        kept: list[int] = []
        places: list[int | tuple[int, ...]] = []
        for subscript, extent in zip(given, self.shape, strict=True):
            if isinstance(subscript, slice):
                places.append(tuple(range(extent)[subscript]))
                kept.append(len(range(extent)[subscript]))
            else:
                places.append(subscript)
        return E(Element(type=Type(tuple(kept)), span=SPAN, base=self.node, subscripts=tuple(places)))


def wrap(value: Any) -> E:
    """A number, an expression, or nested lists of them."""
    if isinstance(value, E):
        return value
    if isinstance(value, (list, tuple)):
        items = [wrap(item) for item in value]
        shape = (len(items), *(items[0].shape if items else ()))
        return E(Stack(type=Type(shape), span=SPAN, items=tuple(i.node for i in items)))
    kind = "boolean" if isinstance(value, bool) else "real"
    return E(Constant(type=Type((), kind=kind), span=SPAN, value=value))


def _nodes(*arguments: Any) -> tuple[Expr, ...]:
    return tuple(wrap(a).node for a in arguments)


def call(operation: str, shape: tuple[int, ...], *arguments: Any) -> E:
    """A built-in operation whose value has this shape."""
    return E(Apply(type=Type(shape), span=SPAN, operation=operation, arguments=_nodes(*arguments)))


def multiply(a: E, b: E) -> E:
    """`a*b` as in the language."""
    match len(a.shape), len(b.shape):
        case 0, 0:
            return call("multiply", (), a, b)
        case 0, _:
            return call("scale", b.shape, a, b)
        case _, 0:
            return call("scale", a.shape, b, a)
        case 1, 1:
            return call("dot", (), a, b)
        case 2, 1:
            return call("matvec", (a.shape[0],), a, b)
        case 1, 2:
            return call("vecmat", (b.shape[1],), a, b)
    return call("matmul", (a.shape[0], b.shape[1]), a, b)


def relation(operation: str, *arguments: Any) -> E:
    """A relation between scalars, or logic."""
    kind = Type((), kind="boolean")
    return E(Apply(type=kind, span=SPAN, operation=operation, arguments=_nodes(*arguments)))


def f(operation: str, *arguments: Any) -> E:
    """An elementwise function: the shape is the first argument's."""
    return call(operation, wrap(arguments[0]).shape, *arguments)


def der(e: E) -> E:
    return E(Derivative(type=Type(e.shape), span=SPAN, operand=e.node))


def spin(rotation: E) -> E:
    """`angularVelocity(rotation)`."""
    return call("angularVelocity", (3,), rotation)


def cross(a: Any, b: Any) -> E:
    return call("cross", (3,), a, b)


def rot(axis: str, angle: Any) -> E:
    """`rotX(angle)` and so on."""
    return call(f"rot{axis}", (3, 3), angle)


def either(condition: E, then: Any, otherwise: Any) -> E:
    """`if condition then a else b`."""
    a, b = wrap(then), wrap(otherwise)
    return E(Conditional(type=Type(a.shape), span=SPAN, condition=condition.node, then=a.node, otherwise=b.node))


def lookup(xs: list[float], ys: list[float], argument: E) -> E:
    return E(Lookup(type=Type(), span=SPAN, xs=tuple(xs), ys=tuple(ys), argument=argument.node))


def reaction(label: str, shape: tuple[int, ...] = (), coordinate: E | None = None) -> E:
    target = None if coordinate is None else coordinate.node
    return E(Reaction(type=Type(shape), span=SPAN, label=label, coordinate=target))


TIME = E(Time(type=Type(), span=SPAN))


class Build:
    """A program in the making."""

    def __init__(self, structure: dict[str, float | bool] | None = None) -> None:
        self._variables: dict[str, VariableDefinition] = {}
        self._structure = structure or {}
        self._components: dict[str, str] = {}
        kinds = list(field_names(st.Statements))
        self._statements: dict[str, list[Any]] = {kind: [] for kind in kinds}

    def declare(
        self,
        name: str,
        kind: VariableKind,
        binding: Any = None,
        shape: tuple[int, ...] | None = None,
        base: BaseType = "Real",
        final: bool = False,
        structural: bool = False,
        is_state: bool = False,
        component: str = "",
        **attributes: Any,
    ) -> E:
        bound = None if binding is None else wrap(binding)
        if shape is None:
            shape = (3, 3) if base == "Rotation" else () if bound is None else bound.shape
        type_ = Type(shape, kind="boolean" if base == "Boolean" else "real")
        self._variables[name] = VariableDefinition(
            name=name,
            kind=kind,
            base=base,
            type=type_,
            unit="1",
            attributes={key: wrap(value).node for key, value in attributes.items()},
            binding=None if bound is None else bound.node,
            final=final,
            structural=structural,
            description="",
            is_state=is_state,
            component=component,
            span=SPAN,
        )
        if component:
            self._components[component] = "Part"
        return self.use(name)

    def use(self, name: str) -> E:
        """A fresh occurrence of a variable."""
        return E(Variable(type=self._variables[name].type, span=SPAN, name=name))

    def coordinate(self, name: str, shape: tuple[int, ...] = (), **attributes: Any) -> E:
        return self.declare(name, "coordinate", shape=shape, **attributes)

    def rotation(self, name: str, **attributes: Any) -> E:
        return self.declare(name, "coordinate", base="Rotation", **attributes)

    def parameter(self, name: str, binding: Any = None, **options: Any) -> E:
        return self.declare(name, "parameter", binding, **options)

    def constant(self, name: str, binding: Any) -> E:
        return self.declare(name, "constant", binding)

    def input(self, name: str, binding: Any = None, **options: Any) -> E:
        return self.declare(name, "input", binding, **options)

    def define(self, name: str, binding: Any, **options: Any) -> E:
        return self.declare(name, "plain", binding, **options)

    def unknown(self, name: str, shape: tuple[int, ...] = (), **options: Any) -> E:
        return self.declare(name, "plain", shape=shape, **options)

    def energy(self, kind: Any, value: E, name: str = "") -> None:
        self._statements["energies"].append(st.Energy(kind=kind, name=name or kind, value=value.node, span=SPAN))

    def kinetic(self, value: E, name: str = "") -> None:
        self.energy("kinetic", value, name)

    def force(self, name: str, effort: Any, flow: Any) -> None:
        effort, flow = _nodes(effort, flow)
        self._statements["forces"].append(st.Force(name=name, effort=effort, flow=flow, span=SPAN))

    def constraint(self, name: str, left: Any, right: Any, qualifier: Any = None) -> None:
        left, right = _nodes(left, right)
        self._statements["constraints"].append(
            st.Constraint(name=name, qualifier=qualifier, left=left, right=right, span=SPAN)
        )

    def servo(self, name: str, left: Any, right: Any, inputs: list[E], rate: Any = None) -> None:
        left, right = _nodes(left, right)
        self._statements["servos"].append(
            st.Servo(
                name=name,
                left=left,
                right=right,
                inputs=_nodes(*inputs),
                rate=None if rate is None else wrap(rate).node,
                span=SPAN,
            )
        )

    def limit(self, name: str, value: E, lower: Any = None, upper: Any = None, restitution: Any = None) -> None:
        lower, upper, restitution = (None if e is None else wrap(e).node for e in (lower, upper, restitution))
        self._statements["limits"].append(
            st.Limit(name=name, lower=lower, value=value.node, upper=upper, restitution=restitution, span=SPAN)
        )

    def friction(self, name: str, coefficient: Any, normal: Any, flow: E, **options: Any) -> None:
        coefficient, normal = _nodes(coefficient, normal)
        given = tuple((key, wrap(value).node) for key, value in options.items())
        self._statements["frictions"].append(
            st.Friction(name=name, coefficient=coefficient, normal=normal, flow=flow.node, options=given, span=SPAN)
        )

    def equation(self, name: str, left: Any, right: Any, kind: Any = "equation") -> None:
        left, right = _nodes(left, right)
        self._statements["equations"].append(st.Equation(kind=kind, name=name, left=left, right=right, span=SPAN))

    def when(self, condition: E, *actions: Any) -> None:
        lowered = tuple(
            st.Terminate(message=a) if isinstance(a, str) else st.Reinit(target=a[0].node, value=wrap(a[1]).node)
            for a in actions
        )
        self._statements["whens"].append(st.When(condition=condition.node, actions=lowered, span=SPAN))

    def check(self, condition: E, message: str) -> None:
        self._statements["asserts"].append(st.Assert(condition=condition.node, message=message, span=SPAN))

    def program(self) -> Program:
        return Program(
            name="M",
            description="",
            source=SPAN.source,
            span=SPAN,
            variables=self._variables,
            statements=st.Statements(**{kind: tuple(found) for kind, found in self._statements.items()}),
            experiment=st.Experiment(),
            structure=self._structure,
            components=self._components,
        )


@dataclass(frozen=True)
class State:
    """Numbers for all symbols of a system."""

    system: MechanicalSystem
    values: dict[str, Any]

    def __call__(self, expression: ca.SX) -> Any:
        """The number, or the array, of an expression in this state."""
        s = self.system.symbols
        names = list(field_names(s))
        given = [self.values.get(name, np.zeros(getattr(s, name).shape)) for name in names]
        function = ca.Function("value", [getattr(s, name) for name in names], [expression])
        result = np.asarray(function(*given))
        return float(result[0, 0]) if result.size == 1 else result[:, 0] if result.shape[1] == 1 else result


def state(system: MechanicalSystem, **values: Any) -> State:
    """A state of a system; symbols that are not given are 0, parameters have their declared values."""
    values.setdefault("parameters", system.parameter_values({}))
    return State(system, values)


def random_state(system: MechanicalSystem, seed: int = 1) -> State:
    """A state of random numbers of either sign; Euler parameters have length 1."""
    random = np.random.default_rng(seed)
    s = system.symbols
    values = {name: random.uniform(-1, 1, getattr(s, name).numel()) for name in field_names(s)}
    for c in system.coordinates:
        if c.is_rotation:
            values["q"][c.q] /= np.linalg.norm(values["q"][c.q])
    values["time"] = 0.3
    return state(system, **(values | {"parameters": system.parameter_values({})}))
