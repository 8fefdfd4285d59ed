"""The shapes and dimensions of reactions, which definitions may name before their statements are checked."""

from __future__ import annotations

from collections.abc import Sequence

from . import flat
from .check_dimension import compact, meet, over
from .check_expression import Expressions, ReactionType, nodes_of
from .check_value import VELOCITY, Dim, Dims, Soft, Value
from .dimension import ENERGY, POWER
from .statements import Statements

_ROTATION = (3, 3)


def declare_reactions(expressions: Expressions, statements: Statements[flat.Expr], reactive: frozenset[str]) -> None:
    """Makes known what each `reaction(label)` is. `reactive` are variables not yet defined.

    With M a = Q + A^T reaction and A the derivative of the row with respect to velocities, a reaction times
    the rate of a row of positions is a power, and so is one times a row of velocities.
    """
    for constraint in statements.constraints:
        sides = _ready(expressions, [constraint.left, constraint.right], reactive)
        expressions.reactions[constraint.name] = None if sides is None else _of_rows(*sides)
    for limit in statements.limits:
        bounds = [bound for bound in (limit.lower, limit.upper) if bound is not None]
        sides = _ready(expressions, [limit.value, *bounds[:1]], reactive)
        expressions.reactions[limit.name] = None if sides is None else _of_rows(*sides)
    for friction in statements.frictions:
        flows = _ready(expressions, [friction.flow], reactive)
        expressions.reactions[friction.name] = None if flows is None else _of_rows(flows[0], flows[0])


def _ready(expressions: Expressions, written: Sequence[flat.Expr], reactive: frozenset[str]) -> list[Value] | None:
    """The values of expressions; None where they are wrong, or contain a reaction and will be refused."""
    for node in nodes_of(written):
        if isinstance(node, flat.Reaction) or (isinstance(node, flat.Variable) and node.name in reactive):
            return None
    values = [expressions.check(expression) for expression in written]
    return None if any(value.is_wrong or value.kind != "real" for value in values) else values


def _of_rows(left: Value, right: Value) -> ReactionType | None:
    if left.shape != right.shape:
        return None
    met = meet(left.dims, right.dims)
    if met.quarrel == "clash":
        return None
    moving = left.has(VELOCITY) or right.has(VELOCITY)
    dims: Dims = compact([_multiplier(dim, moving) for dim in met.dims])
    if left.rotation and left.shape == _ROTATION:
        return ReactionType((3,), (ENERGY,))
    return ReactionType(() if left.size == 1 else left.shape or (), dims)


def _multiplier(dim: Dim, moving: bool) -> Dim:
    return Soft.UNKNOWN if isinstance(dim, Soft) else over(POWER if moving else ENERGY, dim)
