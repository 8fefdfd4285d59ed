"""The statements of a flat model, over expressions of one kind.

A part's statements have been added to the whole under dotted labels (`wheel.rolling`, `sphere[3]`);
loops and structural branches are gone. `FlatModel` holds them over expressions whose names are bound,
`Program` over expressions that also have a shape and a dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Literal, TypeVar

from .records import field, frozen
from .source import Span

E = TypeVar("E")


@frozen(kw_only=True)
class Statement:
    """Anything with a place in the text and a description in the author's words."""

    span: Span = field(compare=False, repr=False)
    description: str = ""


@frozen(kw_only=True)
class Energy(Statement, Generic[E]):
    """A term of T, V or the Rayleigh function D. `name` is dotted; unnamed ones get `""` behind the path."""

    kind: Literal["kinetic", "potential", "dissipation"]
    name: str
    value: E


@frozen(kw_only=True)
class Force(Statement, Generic[E]):
    """The generalized force (∂flow/∂q̇)ᵀ·effort; effort and flow have one shape."""

    name: str
    effort: E
    flow: E


@frozen(kw_only=True)
class Constraint(Statement, Generic[E]):
    """left = right, scalar or vector."""

    name: str
    qualifier: Literal["holonomic", "nonholonomic"] | None
    left: E
    right: E


@frozen(kw_only=True)
class Servo(Statement, Generic[E]):
    """left = right kept by the inputs named; `rate` (1/s) sets how fast a start off it converges."""

    name: str
    left: E
    right: E
    inputs: tuple[E, ...]
    rate: E | None


@frozen(kw_only=True)
class Limit(Statement, Generic[E]):
    """lower <= value <= upper, at least one bound given."""

    name: str
    lower: E | None
    value: E
    upper: E | None
    restitution: E | None


@frozen(kw_only=True)
class Friction(Statement, Generic[E]):
    """Dry friction: coefficient times the positive part of normal, against flow.

    `options` holds `static`, `viscous`, `stribeck` where given.
    """

    name: str
    coefficient: E
    normal: E
    flow: E
    options: tuple[tuple[str, E], ...]


@frozen(kw_only=True)
class Equation(Statement, Generic[E]):
    """left = right for a first-order or algebraic unknown, or (`initial`) at the start only."""

    kind: Literal["equation", "initial"]
    name: str
    left: E
    right: E


@frozen(kw_only=True)
class Reinit(Generic[E]):
    """A variable, or the rate of one, takes a new value."""

    target: E
    value: E


@frozen(kw_only=True)
class Terminate:
    """The run ends well, for the reason given."""

    message: str


@frozen(kw_only=True)
class When(Statement, Generic[E]):
    """Actions at the instant the condition turns true."""

    condition: E
    actions: tuple[Reinit[E] | Terminate, ...]


@frozen(kw_only=True)
class Assert(Statement, Generic[E]):
    """The run stops with the message where the condition is false; a warning is only told in the report."""

    condition: E
    message: str
    is_warning: bool = False


@frozen(kw_only=True)
class Visual(Statement, Generic[E]):
    """A shape to draw. `position` and `attitude` are those of the frame, None where no frame is needed."""

    shape: str
    arguments: tuple[tuple[str, E], ...]
    position: E | None
    attitude: E | None


@frozen
class Experiment:
    """How to run a model by default: times in seconds, the tolerance relative."""

    stop_time: float = 10.0
    interval: float | None = None
    tolerance: float = 1e-8


@frozen(kw_only=True)
class Statements(Generic[E]):
    """All statements of a flat model, each kind in the order its text was met."""

    energies: tuple[Energy[E], ...] = ()
    forces: tuple[Force[E], ...] = ()
    constraints: tuple[Constraint[E], ...] = ()
    servos: tuple[Servo[E], ...] = ()
    limits: tuple[Limit[E], ...] = ()
    frictions: tuple[Friction[E], ...] = ()
    equations: tuple[Equation[E], ...] = ()
    whens: tuple[When[E], ...] = ()
    asserts: tuple[Assert[E], ...] = ()
    visuals: tuple[Visual[E], ...] = ()


def expressions(statements: Statements[E]) -> Iterator[E]:
    """All expressions of all statements."""
    yield from acting(statements)
    for visual in statements.visuals:
        yield from (value for _, value in visual.arguments)
        yield from (e for e in (visual.position, visual.attitude) if e is not None)


def acting(statements: Statements[E]) -> Iterator[E]:
    """All expressions of the statements that act on the motion: of all but what is drawn."""
    for energy in statements.energies:
        yield energy.value
    for force in statements.forces:
        yield from (force.effort, force.flow)
    for constraint in statements.constraints:
        yield from (constraint.left, constraint.right)
    for servo in statements.servos:
        yield from (servo.left, servo.right, *servo.inputs)
        if servo.rate is not None:
            yield servo.rate
    for limit in statements.limits:
        optional = (limit.lower, limit.value, limit.upper, limit.restitution)
        yield from (e for e in optional if e is not None)
    for friction in statements.frictions:
        yield from (friction.coefficient, friction.normal, friction.flow)
        yield from (value for _, value in friction.options)
    for equation in statements.equations:
        yield from (equation.left, equation.right)
    for when in statements.whens:
        yield when.condition
        for action in when.actions:
            if not isinstance(action, Terminate):
                yield from (action.target, action.value)
    for claim in statements.asserts:
        yield claim.condition
