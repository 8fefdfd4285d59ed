"""Expressions to CasADi: the value of any node and its total time derivatives, each worked out once.

The derivative of order k of a node comes from its arguments' orders up to k. Where names run out:
a coordinate's orders are its position, N(q)·v and so on; a parameter's derivative is 0. So `der` costs
what the expression costs, however deep the definitions under it are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, assert_never

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic, ModelError
from mbdc.dsl.program import (
    Apply,
    Conditional,
    Constant,
    Derivative,
    Element,
    Expr,
    Lookup,
    Reaction,
    Stack,
    Text,
    Time,
    Variable,
    VariableDefinition,
)
from mbdc.dsl.records import frozen
from mbdc.dsl.source import Span

from . import complaints_lower as complaints
from .operations import CREATED, choose, create, flatten, select, zeros
from .rates import Rates, needed
from .relations import Relations
from .rotations import Spins

Task: TypeAlias = tuple[Expr, int]
Reactions: TypeAlias = Callable[[Reaction], ca.SX]


@frozen
class Leaf:
    """A variable that is symbols: its total derivatives by order, in the variable's shape.

    Higher orders are 0 where `beyond` is None, else the complaint it gives. `spin` holds the orders of the
    angular velocity of a `Rotation` coordinate.
    """

    orders: tuple[ca.SX, ...]
    beyond: Callable[[str, Span], Diagnostic] | None = None
    spin: tuple[ca.SX, ...] = ()


class Evaluator:
    """Values of a program's expressions. Raises ModelError where an expression has no value or no rate."""

    def __init__(
        self,
        variables: dict[str, VariableDefinition],
        leaves: dict[str, Leaf],
        time: ca.SX,
        relations: Relations,
        reactions: Reactions | None = None,
    ) -> None:
        self._variables = variables
        self._leaves = leaves
        self._time = time
        self.relations = relations
        self._reactions = reactions
        self._rates = Rates()
        self._spins = Spins(variables)
        self._expansions: dict[Expr, Expr] = {}
        self._known: dict[Task, ca.SX] = {}

    def with_reactions(self, reactions: Reactions) -> Evaluator:
        """The same evaluator, values kept, that knows the reactions of constraints."""
        other = Evaluator(self._variables, self._leaves, self._time, self.relations, reactions)
        other._rates, other._spins = self._rates, self._spins
        other._expansions, other._known = self._expansions, self._known
        return other

    def value(self, expression: Expr, order: int = 0) -> ca.SX:
        """The value, or the total time derivative of an order: 1 x 1, n x 1 or m x n."""
        # A stack of our own: definitions may build on one another a thousand deep.
        tasks = [(expression, order)]
        while tasks:
            task = tasks[-1]
            if task in self._known:
                tasks.pop()
                continue
            missing = [t for t in self._needs(*task) if t not in self._known]
            if missing:
                tasks.extend(missing)
                continue
            self._known[task] = self._compute(*task)
        return self._known[expression, order]

    def column(self, expression: Expr, order: int = 0) -> ca.SX:
        """The value flattened row by row."""
        return flatten(self.value(expression, order))

    def _needs(self, node: Expr, order: int) -> Sequence[Task]:
        """The values that a node's derivative of an order is worked out from."""
        match node:
            case Constant() | Time() | Text() | Reaction():
                return ()
            case Variable(name=name):
                binding = self._binding(name)
                return () if binding is None else ((binding, order),)
            case Element(base=base):
                return ((base, order),)
            case Apply(operation="angularVelocity", arguments=(attitude,)):
                return () if self._spins.is_free(attitude) else ((self._expansion(node, attitude), order),)
            case Apply(operation=operation, arguments=arguments):
                return [(a, k) for k in needed(operation, order) for a in arguments]
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return ((condition, 0), (then, order), (otherwise, order))
            case Stack(items=items):
                return [(item, order) for item in items]
            case Derivative(operand=operand):
                return ((operand, order + 1),)
            case Lookup(argument=argument):
                return [(argument, k) for k in range(order + 1)]
        assert_never(node)

    def _compute(self, node: Expr, order: int) -> ca.SX:
        """A node's derivative of an order, from the values it needs."""
        known = self._known
        match node:
            case Constant(value=value):
                return ca.SX(float(value) if order == 0 else 0)
            case Time():
                return self._time if order == 0 else ca.SX(1 if order == 1 else 0)
            case Text():
                raise AssertionError(f"the text {node.value!r} has no number")
            case Variable(name=name):
                return self._variable(node, name, order)
            case Element(base=base, subscripts=subscripts):
                return select(known[base, order], base.type.shape, subscripts)
            case Apply(operation="angularVelocity", arguments=(attitude,)):
                return self._angular_velocity(node, attitude, order)
            case Apply():
                return self._apply(node, order)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                holds = self.relations.held(known[condition, 0])
                return choose(holds, known[then, order], known[otherwise, order])
            case Stack(items=items):
                return self._stack(node, [known[item, order] for item in items])
            case Derivative(operand=operand):
                return known[operand, order + 1]
            case Reaction():
                return self._reaction(node, order)
            case Lookup(xs=xs, ys=ys, argument=argument):
                return self._rates.lookup(xs, ys, [known[argument, k] for k in range(order + 1)], order)
        assert_never(node)

    def _apply(self, node: Apply, order: int) -> ca.SX:
        if node.operation in CREATED:
            return create(node.operation, node.type.shape) if order == 0 else zeros(node.type.shape)
        orders = needed(node.operation, order)
        # Orders that the rule does not look at are not worked out: any value stands for them.
        arguments = [[self._known[a, k] if k in orders else ca.SX(0) for k in range(order + 1)] for a in node.arguments]
        if node.operation == "matpower":
            return self._rates.matrix_power(arguments[0], self._whole_exponent(node), order)
        return self._rates.apply(node.operation, arguments, order, node.type.shape)

    def _whole_exponent(self, node: Apply) -> int:
        exponent = self._known[node.arguments[1], 0]
        if not (exponent.is_constant() and float(exponent).is_integer() and float(exponent) >= 0):
            raise ModelError([complaints.matrix_exponent(node.span)])
        return int(exponent)

    def _variable(self, node: Variable, name: str, order: int) -> ca.SX:
        binding = self._binding(name)
        if binding is not None:
            return self._known[binding, order]
        leaf = self._leaves.get(name)
        if leaf is None:
            raise ModelError([complaints.no_value(self._variables[name])])
        if order < len(leaf.orders):
            return leaf.orders[order]
        if leaf.beyond is not None:
            raise ModelError([leaf.beyond(name, node.span)])
        return zeros(node.type.shape)

    def _binding(self, name: str) -> Expr | None:
        """The definition a name is put in for; None where the name is symbols."""
        return None if name in self._leaves else self._variables[name].binding

    def _expansion(self, node: Expr, attitude: Expr) -> Expr:
        if node not in self._expansions:
            self._expansions[node] = self._spins.expand(attitude)
        return self._expansions[node]

    def _angular_velocity(self, node: Expr, attitude: Expr, order: int) -> ca.SX:
        if node in self._expansions:
            return self._known[self._expansions[node], order]
        assert isinstance(attitude, Variable)
        leaf = self._leaves[attitude.name]
        if order < len(leaf.spin):
            return leaf.spin[order]
        assert leaf.beyond is not None
        raise ModelError([leaf.beyond(attitude.name, node.span)])

    def _stack(self, node: Stack, items: list[ca.SX]) -> ca.SX:
        if not items:
            return zeros(node.type.shape)
        if len(node.type.shape) == 1:
            return ca.vertcat(*items)
        return ca.vertcat(*(item.T for item in items))

    def _reaction(self, node: Reaction, order: int) -> ca.SX:
        if order > 0:
            raise ModelError([complaints.reaction_rate(node.label, node.span)])
        if self._reactions is None:
            raise ModelError([complaints.reaction_here(node.label, node.span)])
        return self._reactions(node)
