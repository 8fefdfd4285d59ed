"""The order in which definitions can be worked out, and those that go in a circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import flat
from .check_expression import nodes_of
from .records import frozen


@frozen
class DefinitionOrder:
    """`names`: each after all that its binding names. `cycles`: each begins and ends with one name.

    `reactive` are the names whose value contains a reaction, after all definitions are put in.
    """

    names: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    reactive: frozenset[str]


def definition_order(variables: Mapping[str, flat.VariableDeclaration]) -> DefinitionOrder:
    """Depth first with a stack of its own: chains of definitions can be as long as a model."""
    needs: dict[str, list[str]] = {}
    reactive: set[str] = set()
    for name, variable in variables.items():
        needs[name], reacts = _needs(variable.binding)
        if reacts:
            reactive.add(name)
    names, cycles = _sorted(needs)
    for name in names:
        if any(need in reactive for need in needs[name]):
            reactive.add(name)
    return DefinitionOrder(tuple(names), tuple(cycles), frozenset(reactive))


def names_in(expressions: Sequence[flat.Expr]) -> dict[str, None]:
    """The variables named in expressions, in the order met."""
    return {node.name: None for node in nodes_of(expressions) if isinstance(node, flat.Variable)}


def _needs(binding: flat.Expr | None) -> tuple[list[str], bool]:
    if binding is None:
        return [], False
    names: dict[str, None] = {}
    reacts = False
    for node in nodes_of([binding]):
        if isinstance(node, flat.Variable):
            names[node.name] = None
        elif isinstance(node, flat.Reaction):
            reacts = True
    return list(names), reacts


def _sorted(needs: Mapping[str, list[str]]) -> tuple[list[str], list[tuple[str, ...]]]:
    done: dict[str, None] = {}
    cycles: list[tuple[str, ...]] = []
    told: set[str] = set()
    for root in needs:
        if root in done:
            continue
        path = {root: iter(needs[root])}
        while path:
            name, following = next(reversed(path.items()))
            need = next(following, None)
            if need is None:
                del path[name]
                done[name] = None
            elif need in path:
                chain = list(path)[list(path).index(need) :]
                if not told.issuperset(chain):
                    told.update(chain)
                    cycles.append((*chain, need))
            elif need in needs and need not in done:
                path[need] = iter(needs[need])
    return list(done), cycles
