"""Relations inside `if` and `when`: each is a bit that is held between events, so that no law has a kink in a piece.

A relation `a < b` becomes a symbol that is 1 while it holds; the margin b - a says when it changes. What a run
integrates is smooth; the instants at which a margin changes sign are located.
"""

from __future__ import annotations

import casadi as ca

from mbdc.dsl.records import field, frozen, mutable

MOST_DEPTH = 200
"""Conditions nest as deep as `and` and `or` are written; what lies deeper is left as it is."""


@frozen(eq=False)
class Relation:
    """`bit` is 1 where `condition` holds: where `margin` is positive (or 0 where not `strict`), else 0."""

    bit: ca.SX
    margin: ca.SX
    strict: bool
    condition: ca.SX


@mutable(eq=False)
class Relations:
    """All relations met so far. `fixed` are the hashes of symbols that do not change in a run."""

    fixed: frozenset[int]
    found: list[Relation] = field(default_factory=list)
    _known: dict[tuple[int, int, bool], ca.SX] = field(default_factory=dict)

    @property
    def bits(self) -> ca.SX:
        """The bits, a column in the order found."""
        return ca.vertcat(ca.SX(0, 1), *(relation.bit for relation in self.found))

    def held(self, condition: ca.SX, depth: int = 0) -> ca.SX:
        """A condition with bits in place of its relations; one that depends on parameters alone stays as it is."""
        if condition.is_constant() or depth > MOST_DEPTH:
            return condition
        operation = condition.op()
        if operation in (ca.OP_LT, ca.OP_LE):
            return self._bit(condition.dep(0), condition.dep(1), operation == ca.OP_LT, condition)
        if operation not in (ca.OP_AND, ca.OP_OR, ca.OP_NOT, ca.OP_ADD, ca.OP_IF_ELSE_ZERO):
            return condition
        parts = [self.held(condition.dep(k), depth + 1) for k in range(condition.n_dep())]
        match operation:
            case ca.OP_AND:
                return ca.logic_and(*parts)
            case ca.OP_OR:
                return ca.logic_or(*parts)
            case ca.OP_NOT:
                return ca.logic_not(parts[0])
            case ca.OP_ADD:
                return parts[0] + parts[1]
            case _:
                return ca.if_else(parts[0], parts[1], 0)

    def unheld(self, column: ca.SX) -> ca.SX:
        """An expression with the relations themselves in place of their bits."""
        for relation in reversed(self.found):
            column = ca.substitute(column, relation.bit, relation.condition)
        return column

    def _bit(self, left: ca.SX, right: ca.SX, strict: bool, condition: ca.SX) -> ca.SX:
        if all(symbol.element_hash() in self.fixed for symbol in ca.symvar(condition)):
            return condition
        key = (left.element_hash(), right.element_hash(), strict)
        if key not in self._known:
            relation = Relation(ca.SX.sym(f"relation{len(self.found) + 1}"), right - left, strict, condition)
            self.found.append(relation)
            self._known[key] = relation.bit
        return self._known[key]
