"""Gives every flat expression a shape and dimensions, and turns it into a node of the program.

The walk is a loop with a stack of its own: functions put in where they are called can nest deeper than
Python's stack. A node that is shared is checked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from . import complaints_check as say
from . import flat, program
from .check_arrays import element, stack
from .check_dimension import compact
from .check_site import Site, fitted
from .check_tables import TableError, Tables
from .check_value import (
    REACTION,
    TIME,
    Dim,
    Dims,
    Facts,
    Shape,
    Soft,
    Value,
    final_type,
    first_trouble,
    united,
    wrong,
)
from .dimension import ENERGY, ONE
from .dimension import TIME as SECOND
from .fold import interpolated
from .functions import call
from .operators import binary, unary
from .records import frozen


@frozen
class ReactionType:
    """What `reaction(label)` is: a multiplier for each row."""

    shape: Shape
    dims: Dims


class Expressions:
    """The expressions of one model. `variables` is filled as definitions are checked, in their order."""

    def __init__(self, site: Site, declared: Mapping[str, flat.VariableDeclaration]) -> None:
        self.site = site
        self.variables: dict[str, Value] = {}
        self.reactions: dict[str, ReactionType | None] = {}
        self.declared = declared
        self._values: dict[int, Value] = {}
        self._tables = Tables()

    def check(self, expression: flat.Expr) -> Value:
        """The value of an expression; its mistakes are reported."""
        known = self._values
        waiting = [expression]
        while waiting:
            node = waiting[-1]
            if id(node) in known:
                waiting.pop()
                continue
            parts = [part for part in children(node) if id(part) not in known]
            if parts:
                waiting.extend(reversed(parts))
                continue
            known[id(node)] = self._value(node)
            waiting.pop()
        return known[id(expression)]

    def _value(self, node: flat.Expr) -> Value:
        """The value of a node whose parts are known."""
        match node:
            case flat.Number():
                return _number(node)
            case flat.Truth():
                constant = program.Constant(node.value, type=final_type((), (ONE,), "boolean"), span=node.span)
                return Value(constant, (), kind="boolean", number=(float(node.value),))
            case flat.Text():
                return Value(
                    program.Text(node.value, type=final_type((), (ONE,), "text"), span=node.span),
                    (),
                    kind="text",
                )
            case flat.Variable():
                return self._variable(node)
            case flat.Time():
                time = program.Time(type=final_type((), (SECOND,)), span=node.span)
                return Value(time, (), (SECOND,), facts=Facts(TIME))
            case flat.Element():
                return element(self.site, self._values[id(node.base)], node)
            case flat.Unary():
                return unary(self.site, node.operator, self._values[id(node.operand)], node.span)
            case flat.Binary():
                left, right = self._values[id(node.left)], self._values[id(node.right)]
                return binary(self.site, node.operator, left, right, node.span)
            case flat.Conditional():
                return self._conditional(node)
            case flat.Array():
                return stack(self.site, [self._values[id(item)] for item in node.items], node.span)
            case flat.Call():
                arguments = [self._values[id(argument)] for argument in node.arguments]
                return call(self.site, node.function, arguments, node.span)
            case flat.Reaction():
                return self._reaction(node)
            case flat.Table():
                return self._table(node)
            case flat.Declared():
                value = self._values[id(node.operand)]
                return self.site.fits(value, f"`{node.name}`", value.shape or (), (node.dimension,))
            case flat.Poison():
                return wrong(node.span)
        assert_never(node)

    def _variable(self, node: flat.Variable) -> Value:
        value = self.variables.get(node.name)
        if value is None or value.is_wrong:
            return wrong(node.span, value.facts if value else Facts())
        return value._replace(node=program.Variable(node.name, type=value.node.type, span=node.span))

    def _conditional(self, node: flat.Conditional) -> Value:
        site = self.site
        condition = site.condition(self._values[id(node.condition)])
        then, otherwise = self._values[id(node.then)], self._values[id(node.otherwise)]
        if condition.is_wrong or then.is_wrong or otherwise.is_wrong:
            return wrong(node.span)
        if then.kind != otherwise.kind:
            return site.mistake(say.kinds_differ(node.span, then.span, otherwise.span), then, otherwise)
        sides = fitted(site, node.span, "choose between", then, otherwise)
        if sides is None:
            return wrong(node.span)
        then, otherwise, dims = sides
        shape = then.shape or ()
        if condition.is_fixed and condition.number is not None:
            # What the branch that is never taken would divide by does not matter.
            return (then if condition.number[0] else otherwise)._replace(dims=dims)
        kind = then.kind
        checked = program.Conditional(
            condition.node, then.node, otherwise.node, type=final_type(shape, dims, kind), span=node.span
        )
        parts = (condition, then, otherwise)
        number = None
        if condition.number is not None:
            number = then.number if condition.number[0] else otherwise.number
        return Value(
            checked, shape, dims, kind, united(part.facts for part in parts), number,
            then.rotation and otherwise.rotation, first_trouble(parts),
        )  # fmt: skip

    def _reaction(self, node: flat.Reaction) -> Value:
        site = self.site
        if node.label not in self.reactions:
            return site.mistake(say.reaction_of_what(node.span, node.label, tuple(self.reactions)))
        reaction = self.reactions[node.label]
        if node.coordinate is None:
            if reaction is None:
                return wrong(node.span, Facts(REACTION))
            checked = program.Reaction(node.label, None, type=final_type(reaction.shape, reaction.dims), span=node.span)
            return Value(checked, reaction.shape, reaction.dims, facts=Facts(REACTION))
        coordinate = self._values[id(node.coordinate)]
        if coordinate.is_wrong:
            return wrong(node.span, Facts(REACTION))
        name = base_variable(coordinate.node)
        if not name or self.declared[name].kind != "coordinate":
            return site.mistake(say.coordinate_expected(node.coordinate.span))
        whole_rotation = self.declared[name].base == "Rotation"
        if whole_rotation and not isinstance(coordinate.node, program.Variable):
            return site.mistake(say.coordinate_expected(node.coordinate.span))
        shape: Shape = (3,) if whole_rotation else coordinate.shape or ()
        dims = energy_over(coordinate.dims)
        checked = program.Reaction(node.label, coordinate.node, type=final_type(shape, dims), span=node.span)
        return Value(checked, shape, dims, facts=Facts(REACTION))

    def _table(self, node: flat.Table) -> Value:
        argument = self._values[id(node.argument)]
        if argument.is_wrong or not self.site.real(argument):
            return wrong(node.span, argument.facts)
        if argument.shape != ():
            told = say.shape_expected(argument.span, "the place to look up", (), argument.shape or ())
            return self.site.mistake(told, argument)
        try:
            columns = self._tables.columns(node.path, node.column, node.span)
        except TableError as reason:
            return self.site.mistake(reason.diagnostic)
        # The numbers of a file are literals: they are in SI and take the dimension they meet.
        dims: Dims = (Soft.LITERAL,)
        lookup = program.Lookup(columns.xs, columns.ys, argument.node, type=final_type((), dims), span=node.span)
        number = None
        if argument.number is not None:
            number = (interpolated(columns.xs, columns.ys, argument.number[0]),)
        return Value(lookup, (), dims, facts=argument.facts, number=number, trouble=argument.trouble)


def children(node: flat.Expr) -> Sequence[flat.Expr]:
    """The expressions directly inside one."""
    match node:
        case flat.Variable() | flat.Number() | flat.Time() | flat.Truth() | flat.Text() | flat.Poison():
            return ()
        case flat.Binary():
            return (node.left, node.right)
        case flat.Unary() | flat.Declared():
            return (node.operand,)
        case flat.Element():
            return (node.base,)
        case flat.Conditional():
            return (node.condition, node.then, node.otherwise)
        case flat.Array():
            return node.items
        case flat.Call():
            return node.arguments
        case flat.Reaction():
            return () if node.coordinate is None else (node.coordinate,)
        case flat.Table():
            return (node.argument,)
    assert_never(node)


def nodes_of(expressions: Sequence[flat.Expr], seen: set[int] | None = None) -> Iterator[flat.Expr]:
    """Every node in expressions, shared ones once; nodes in `seen` (by identity) are passed over."""
    met = set() if seen is None else seen
    waiting = list(expressions)
    while waiting:
        node = waiting.pop()
        if id(node) not in met:
            met.add(id(node))
            yield node
            waiting.extend(children(node))


def base_variable(node: program.Expr) -> str:
    """The name of the variable that an expression is, or is an element of; else empty."""
    while isinstance(node, program.Element):
        node = node.base
    return node.name if isinstance(node, program.Variable) else ""


def energy_over(dims: Dims) -> Dims:
    """The dimensions of generalized forces on coordinates of given dimensions."""
    return compact([Soft.UNKNOWN if isinstance(d, Soft) else ENERGY / d for d in dims])


def _number(node: flat.Number) -> Value:
    dim: Dim = node.dimension if node.dimension is not None else Soft.LITERAL if node.value else Soft.ZERO
    constant = program.Constant(node.value, type=final_type((), (dim,)), span=node.span)
    value = Value(constant, (), (dim,), number=(node.value,))
    if node.value - node.value == 0:
        return value
    return value._replace(number=None, trouble=say.not_finite(node.span, node.value))
