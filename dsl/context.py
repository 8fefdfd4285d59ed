"""What the modules of flattening share: what has been found so far, and the bounds that hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeAlias

from . import complaints_flatten as complain
from . import flat, syntax
from .diagnostics import Diagnostic
from .instances import Instance, ResolvedType, Scope, Value, VariableMember
from .library import Class
from .records import field, mutable
from .signatures import Signature
from .source import Span

Constant: TypeAlias = "float | bool | str | tuple[Constant, ...]"

MOST_ELEMENTS: Final = 1_000_000
# What flattens in a few seconds: a chain of a thousand bodies takes half of it.
MOST_NODES: Final = 300_000
# What a component, a variable and a call cost beside the nodes of their expressions.
COST_OF_INSTANCE: Final = 20
COST_OF_VARIABLE: Final = 3
COST_OF_CALL: Final = 8
COST_OF_ROUND: Final = 10
MOST_INSTANCES: Final = 20_000
DEEPEST_NESTING: Final = 60
DEEPEST_CALLS: Final = 200


class Abandon(Exception):
    """Nothing more can be said about the model; what is wrong has been told."""


@mutable(eq=False)
class Context:
    """One flattening: one model with all its parts, or one class looked at alone.

    `alone` says that the class is not the whole model: what its user must give may be missing. `structure`
    holds values given from outside, by full name; `used` the names of variables that something mentions;
    `defaults` the instances made for an `outer` that found no `inner`.
    """

    bind: Callable[[Context, syntax.Expr, Scope], Value]
    open: Callable[[Context, Instance], None]
    structure: Mapping[str, float | bool]
    alone: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variables: dict[str, VariableMember] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    defaults: dict[str, Instance] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    constants: dict[str, Constant] = field(default_factory=dict)
    evaluating: set[str] = field(default_factory=set)
    values: dict[int, tuple[flat.Expr, Constant]] = field(default_factory=dict)
    shapes: dict[int, tuple[flat.Expr, tuple[int, ...] | None]] = field(default_factory=dict)
    types: dict[tuple[int, tuple[str, ...]], ResolvedType | Class | None] = field(default_factory=dict)
    signatures: dict[Class, Signature | None] = field(default_factory=dict)
    results: dict[tuple[Class, tuple[tuple[str, int], ...]], tuple[tuple[Value, ...], Value]] = field(
        default_factory=dict
    )
    visited: set[Class] = field(default_factory=set)
    nodes: int = 0
    elements: int = 0
    calls: list[Class] = field(default_factory=list)

    def tell(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def poison(self, diagnostic: Diagnostic, span: Span) -> flat.Poison:
        """Tells of a mistake and stands in for the expression that holds it."""
        self.diagnostics.append(diagnostic)
        return flat.Poison(span=span)

    def abandon(self, diagnostic: Diagnostic) -> NoReturn:
        self.diagnostics.append(diagnostic)
        raise Abandon

    def spend(self, span: Span, nodes: int = 1) -> None:
        """Counts nodes of expressions; gives up where there are too many."""
        self.nodes += nodes
        if self.nodes > MOST_NODES:
            self.abandon(complain.too_many_nodes(span, MOST_NODES))

    def allocate(self, span: Span, elements: int) -> None:
        """Counts elements of variables; gives up where there are too many."""
        self.elements += elements
        if self.elements > MOST_ELEMENTS:
            self.abandon(complain.too_many_elements(span, MOST_ELEMENTS))
