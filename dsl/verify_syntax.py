"""What the grammar lets pass and the language does not."""

from __future__ import annotations

from typing import Any

from . import complaints_syntax as say
from .diagnostics import Diagnostic
from .records import field_names
from .syntax import Binary, End, Module, Node, Subscript

# Passes may recurse over what comes out of the parser: so many levels of brackets, calls and classes,
DEPTH_LIMIT = 200
# and so many steps in all, where each term of a sum is one: `a + b + c` is `(a + b) + c`.
STEPS_LIMIT = 1000

_FIELDS = {
    kind: tuple(name for name in field_names(kind) if not name.endswith("span")) for kind in Node.__subclasses__()
}


def verify_syntax(module: Module) -> tuple[list[Diagnostic], bool]:
    """Complaints about a module, and whether it is shallow enough for passes that recurse."""
    complaints: list[Diagnostic] = []
    # Nodes still to be looked at: with their depth, their steps, and whether they stand in an index.
    pending: list[tuple[Node, int, int, bool]] = [(element, 1, 1, False) for element in module.elements]
    while pending:
        node, depth, steps, in_index = pending.pop()
        if depth > DEPTH_LIMIT:
            return [*complaints, say.too_deep(node.span, DEPTH_LIMIT)], False
        if steps > STEPS_LIMIT:
            return [*complaints, say.too_long(node.span, STEPS_LIMIT)], False
        if isinstance(node, End) and not in_index:
            complaints.append(say.end_outside_index(node.span))
        pending += [
            (
                child,
                depth if _continues(node, child) else depth + 1,
                steps + 1,
                in_index or (isinstance(node, Subscript) and child is not node.base),
            )
            for child in _children(node)
        ]
    return complaints, True


def _continues(node: Node, child: Node) -> bool:
    """Whether the child is the same sum or product, one term shorter."""
    return isinstance(node, Binary) and child is node.left and isinstance(child, Binary)


def _children(node: Node) -> list[Node]:
    children: list[Node] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, Node):
            children.append(value)
        elif isinstance(value, tuple) and value:
            children += _nodes(value)
    return children


def _nodes(values: tuple[Any, ...]) -> list[Node]:
    """The nodes in a tuple, or in the rows of a matrix; names in a path are none."""
    rows = [item for value in values for item in value] if isinstance(values[0], tuple) else values
    return [item for item in rows if isinstance(item, Node)]
