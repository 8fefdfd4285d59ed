"""Text that is passed over: branches that are not taken and choices decided the other way.

Its names are still looked up. A misspelt one is told before somebody flips the switch, and a parameter that
is needed on the other side is not called unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import syntax
from .context import Context
from .instances import Scope, VariableMember
from .types import resolve_type


def look_over(context: Context, nodes: Iterable[syntax.Node], scope: Scope, own: frozenset[str] = frozenset()) -> None:
    """Looks up the names in a text that has no effect; `own` are those it declares itself."""
    for node in nodes:
        match node:
            case syntax.Name():
                _name(context, node, scope, own)
            case syntax.Call(function=syntax.Name(id="reaction")):
                pass  # what stands there is a label
            case syntax.Call():
                look_over(context, (argument.value for argument in node.arguments), scope, own)
            case syntax.Comprehension() | syntax.For():
                look_over(context, (i.values for i in node.iterators), scope, own)
                inside = own | {i.name for i in node.iterators}
                body = node.body if isinstance(node, syntax.For) else (node.body,)
                look_over(context, body, scope, inside)
            case syntax.Declaration():
                resolve_type(context, scope.namespace, node.type_name, node.type_span)
                look_over(context, node.declarators, scope, own)
            case syntax.ClassDefinition() | syntax.TypeDefinition() | syntax.Import() | syntax.Annotation():
                pass
            case _:
                look_over(context, _below(node), scope, own)


def declared_in(elements: Iterable[syntax.Element]) -> Iterator[syntax.Declarator]:
    """What the declarations of a branch declare, those of branches and loops in it included."""
    for element in elements:
        match element:
            case syntax.Declaration():
                yield from element.declarators
            case syntax.For():
                yield from declared_in(element.body)
            case syntax.If():
                for branch in element.branches:
                    yield from declared_in(branch.body)
            case _:
                pass


def _name(context: Context, name: syntax.Name, scope: Scope, own: frozenset[str]) -> None:
    if name.id in own or name.id in scope.locals:
        return
    layer = scope.layer
    member = layer.find(name.id) if layer is not None else None
    if isinstance(member, VariableMember):
        context.used.add(member.name)
    elif member is None and (layer is None or name.id not in layer.absent):
        context.bind(context, name, scope)


def _below(node: syntax.Node) -> Iterator[syntax.Node]:
    """The nodes directly inside one."""
    for value in vars(node).values():
        if isinstance(value, syntax.Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, syntax.Node):
                    yield item
                elif isinstance(item, tuple):
                    yield from (entry for entry in item if isinstance(entry, syntax.Node))
