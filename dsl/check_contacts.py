"""Checks limits and frictions."""

from __future__ import annotations

from . import complaints_check as say
from . import flat, program, statements
from .check_dimension import agree, over, times
from .check_site import fitted
from .check_uses import Uses
from .check_value import ACCELERATION, MOTION, REACTION, Dim, Dims, Soft, Value, wrong
from .dimension import ONE, POWER

Checked = program.Expr


class Contacts:
    """Checks what acts one-sidedly or dry."""

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self._site = uses.expressions.site

    def limit(self, limit: statements.Limit[flat.Expr]) -> statements.Limit[Checked]:
        """A number between bounds of its dimension."""
        what = f"limit `{limit.name}`"
        value = self._limited(self._uses.use(limit.value), what)
        bounds: list[Value | None] = []
        for written in (limit.lower, limit.upper):
            bound = None if written is None else self._limited(self._uses.use(written), what)
            if bound is not None and not bound.is_wrong and not value.is_wrong:
                sides = fitted(self._site, limit.span, "compare", bound, value)
                bound, value = (wrong(bound.span), value) if sides is None else sides[:2]
            bounds.append(bound)
        parts = [part for part in (value, *bounds) if part is not None]
        if all(part.lacks(MOTION) for part in parts):
            self._site.report(say.limit_constant(limit.span, limit.name))
        lower, upper = (None if bound is None else bound.node for bound in bounds)
        restitution = self._restitution(limit, what)
        return statements.Limit(
            span=limit.span, description=limit.description, name=limit.name,
            lower=lower, value=value.node, upper=upper, restitution=restitution,
        )  # fmt: skip

    def _limited(self, value: Value, what: str) -> Value:
        value = self._uses.without(value, what, ACCELERATION | REACTION, "limit")
        if value.is_wrong or not self._site.real(value):
            return wrong(value.span)
        if value.shape != ():
            return self._site.mistake(
                say.shape_expected(value.span, f"each part of {what}", (), value.shape or ()), value
            )
        return value

    def _restitution(self, limit: statements.Limit[flat.Expr], what: str) -> Checked | None:
        if limit.restitution is None:
            return None
        value = self._uses.option_value(limit.restitution, f"`restitution` of {what}", (ONE,))
        if value.is_fixed and value.number is not None and not 0 <= value.number[0] <= 1:
            self._site.report(say.restitution_range(value.span, value.number[0]))
        return value.node

    def friction(self, friction: statements.Friction[flat.Expr]) -> statements.Friction[Checked]:
        """Coefficient times normal times flow is a power; the flow is given as a velocity."""
        name, what = friction.name, f"friction `{friction.name}`"
        flow = self._uses.flow(friction.flow, "friction", name)
        coefficient = self._uses.scalar(self._uses.use(friction.coefficient), f"the coefficient of {what}")
        normal = self._uses.scalar(self._uses.use(friction.normal), f"the normal force of {what}")
        flow_dim = flow.dims[0] if len(flow.dims) == 1 else None
        if flow_dim is None:
            self._site.report(say.friction_mixed(friction.span, name))
            flow_dim = Soft.UNKNOWN
        self._verify_friction_power(friction, coefficient, normal, flow_dim)
        options = [(option, self._friction_option(option, value, what, flow_dim)) for option, value in friction.options]
        return statements.Friction(
            span=friction.span, description=friction.description, name=name, coefficient=coefficient.node,
            normal=normal.node, flow=flow.node, options=tuple(options),
        )  # fmt: skip

    def _verify_friction_power(
        self, friction: statements.Friction[flat.Expr], coefficient: Value, normal: Value, flow_dim: Dim
    ) -> None:
        if coefficient.is_wrong or normal.is_wrong:
            return
        effort = times(coefficient.dims[0], normal.dims[0])
        _, quarrel = agree(over(POWER, flow_dim), effort)
        if quarrel == "clash":
            told = say.friction_power(friction.span, friction.name, effort, over(POWER, flow_dim))
            self._site.report(told)
        elif quarrel == "plain":
            told = say.plain_number(
                normal.span, f"the normal force of friction `{friction.name}`", over(POWER, flow_dim), ""
            )
            self._site.report(told)

    def _friction_option(self, option: str, written: flat.Expr, what: str, flow_dim: Dim) -> Checked:
        """`static` is a coefficient, `stribeck` a velocity, `viscous` a force per velocity."""
        dims: dict[str, Dims] = {
            "static": (ONE,), "stribeck": (flow_dim,), "viscous": (over(over(POWER, flow_dim), flow_dim),),
        }  # fmt: skip
        if option not in dims:
            self._site.report(say.unknown_option(written.span, option, what, tuple(dims)))
            return self._uses.use(written).node
        return self._uses.option_value(written, f"`{option}` of {what}", dims[option]).node
