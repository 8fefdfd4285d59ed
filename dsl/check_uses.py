"""Expressions where they count in a statement: sides, flows, options, and what may not stand in them."""

from __future__ import annotations

from . import complaints_check as say
from . import flat, program
from .check_expression import Expressions
from .check_rates import angular_velocity, rate_of
from .check_site import fitted
from .check_value import (
    ACCELERATION,
    MOTION,
    PARAMETER,
    REACTION,
    UNKNOWN_RATE,
    VELOCITY,
    Dims,
    Shape,
    Value,
    wrong,
)
from .source import Span

_HIGHEST_SIDE_RANK = 1
_ROTATION: Shape = (3, 3)


class Uses:
    """Takes the expressions of statements and tells what is wrong with their place."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self._site = expressions.site

    def use(self, written: flat.Expr) -> Value:
        """The value of an expression where it counts: one that is not finite is told now."""
        return self._site.settle_trouble(self.expressions.check(written))

    def sides(self, left: flat.Expr, right: flat.Expr, what: str, span: Span, rank: int = 1) -> tuple[Value, Value]:
        """Two sides of one shape and one dimension per row; both wrong, and told, where they do not fit."""
        a, b = self.use(left), self.use(right)
        if a.is_wrong or b.is_wrong:
            return wrong(a.span, a.facts), wrong(b.span, b.facts)
        if not self._site.real(a, b):
            return wrong(a.span), wrong(b.span)
        if a.shape == b.shape and len(a.shape or ()) > rank:
            self._site.report(say.matrix_sides(span, what))
            return wrong(a.span), wrong(b.span)
        found = fitted(self._site, span, "equate", a, b)
        return (wrong(a.span), wrong(b.span)) if found is None else found[:2]

    def without(self, value: Value, what: str, bits: int, place: str) -> Value:
        """The value, where none of the dependences named is in it; else wrong, and told."""
        if value.is_wrong or not value.has(bits):
            return value
        kinds: tuple[tuple[int, str, str, str | None], ...] = (
            (ACCELERATION, "acceleration", "an acceleration", None),
            (REACTION, "reaction", "a reaction", None),
            (
                UNKNOWN_RATE,
                "unknown-rate",
                "the rate of an unknown",
                "use the right-hand side of its equation",
            ),
            (VELOCITY, "velocity", "a velocity", "a potential holds positions; damping is a `dissipation`"),
        )
        _, code, thing, advice = next(kind for kind in kinds if kind[0] & bits and value.has(kind[0]))
        return self._site.mistake(say.misplaced(value.span, f"{code}-in-{place}", thing, what, advice), value)

    def option(self, written: flat.Expr | None, what: str, dims: Dims) -> program.Expr | None:
        return None if written is None else self.option_value(written, what, dims).node

    def option_value(self, written: flat.Expr, what: str, dims: Dims) -> Value:
        """A number that only parameters may enter."""
        value = self._site.fits(self.use(written), what, (), dims)
        if not value.is_wrong and value.has(~PARAMETER):
            told = say.depends_on(
                value.span, "option-depends", what, "what changes during the run", "parameters and constants"
            )
            return self._site.mistake(told, value)
        return value

    def scalar(self, value: Value, what: str) -> Value:
        if value.is_wrong or not self._site.real(value):
            return wrong(value.span)
        if value.shape != ():
            return self._site.mistake(say.shape_expected(value.span, what, (), value.shape or ()), value)
        return value

    def flow(self, written: flat.Expr, kind: str, name: str) -> Value:
        """A velocity expression: configuration expressions and attitudes stand for their rates."""
        flow = self.use(written)
        what = f"the flow of {kind} `{name}`"
        flow = self.without(flow, what, ACCELERATION | REACTION, "flow")
        if flow.is_wrong or not self._site.real(flow):
            return wrong(flow.span)
        if flow.lacks(MOTION):
            self._site.report(say.flow_without_motion(flow.span, kind, name))
        if flow.shape == _ROTATION and flow.rotation:
            return angular_velocity(self._site, flow, flow.span)
        if len(flow.shape or ()) > _HIGHEST_SIDE_RANK:
            told = say.shape_expected(flow.span, what, "a number, a vector or a Rotation", flow.shape or ())
            return self._site.mistake(told, flow)
        return flow if flow.has(VELOCITY) else rate_of(self._site, flow, flow.span)
