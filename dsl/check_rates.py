"""The rates of expressions: what `der` and `angularVelocity` depend on, and where a rate does not exist."""

from __future__ import annotations

from . import complaints_check as say
from . import program
from .check_dimension import each, over
from .check_site import Site
from .check_value import (
    ACCELERATION,
    CHANGING,
    INPUT,
    POSITION,
    REACTION,
    UNKNOWN,
    UNKNOWN_RATE,
    VELOCITY,
    Facts,
    Value,
    final_type,
    wrong,
)
from .dimension import ONE, TIME
from .source import Span


def rate_of(site: Site, operand: Value, span: Span) -> Value:
    """`der(e)`: dimensions per second; of a rotation, the rate of its matrix."""
    facts = rate_facts(site, operand, span)
    if facts is None:
        return wrong(span)
    dims = each(over, operand.dims, (TIME,))
    shape = operand.shape or ()
    node = program.Derivative(operand.node, type=final_type(shape, dims), span=span)
    return Value(node, shape, dims, facts=facts, trouble=operand.trouble)


def angular_velocity(site: Site, attitude: Value, span: Span) -> Value:
    """`angularVelocity(S)`, shape (3,), 1/s, body axes."""
    facts = rate_facts(site, attitude, span)
    if facts is None:
        return wrong(span)
    node = program.Apply("angularVelocity", (attitude.node,), type=final_type((3,), (ONE / TIME,)), span=span)
    return Value(node, (3,), (ONE / TIME,), facts=facts)


def rate_facts(site: Site, operand: Value, span: Span) -> Facts | None:
    """What a rate depends on; None where it does not exist (told). Its unknowns become states."""
    complain = next((told for bits, told in _RATES_UNKNOWN if operand.has(bits)), None)
    if complain is not None:
        site.report(complain(span, operand.span))
        return None
    _warn_of_zero_rate(site, operand, span)
    site.states.update(operand.facts.unknowns)
    depends = operand.facts.depends
    # A total derivative: positions bring velocities, velocities accelerations, states their rates.
    depends |= VELOCITY if depends & POSITION else 0
    depends |= ACCELERATION if operand.has(VELOCITY) else 0
    depends |= UNKNOWN_RATE if depends & UNKNOWN else 0
    return Facts(depends, operand.facts.unknowns)


_RATES_UNKNOWN = (
    (ACCELERATION, say.derivative_order),
    (REACTION, say.derivative_of_reaction),
    (UNKNOWN_RATE, say.derivative_of_state_rate),
    (INPUT, say.derivative_of_input),
)


def _warn_of_zero_rate(site: Site, operand: Value, span: Span) -> None:
    """A part may be fixed by whoever uses it; only what is plainly written at the top is told."""
    node = operand.node
    if isinstance(node, program.Element):
        node = node.base
    named = isinstance(node, program.Variable) and "." not in node.name
    if named and operand.lacks(CHANGING):
        site.report(say.derivative_zero(span, operand.span))
