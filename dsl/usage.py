"""Whether all that is declared has a value and an effect: told of the flat model as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from . import complaints_flatten as complain
from . import flat
from .context import Context
from .instances import VariableMember
from .statements import Statements, acting, expressions

Pairs = Sequence[tuple[VariableMember, flat.VariableDeclaration]]


def verify_usage(context: Context, pairs: Pairs, statements: Statements[flat.Expr], incomplete: bool) -> set[str]:
    """Complains about variables without value and declarations without effect.

    Gives the names of variables that have no value. `incomplete` says that mistakes told elsewhere may hide
    uses, so that nothing can be said about missing ones.
    """
    names = {declaration.name: _names_in(_expressions(declaration)) for _, declaration in pairs}
    in_equations = _reached(names, _names_in(_sides(statements)))
    missing = _without_value(context, pairs, in_equations)
    if not incomplete and not (context.diagnostics and _has_poison(pairs, statements)):
        _without_effect(context, pairs, names, statements)
    return missing


# --- values ----------------------------------------------------------------------------------


def _without_value(context: Context, pairs: Pairs, in_equations: set[str]) -> set[str]:
    missing: set[str] = set()
    for member, declaration in pairs:
        if declaration.binding is not None or declaration.kind in ("coordinate", "input"):
            continue
        if declaration.kind in ("plain", "output") and declaration.name in in_equations:
            continue
        missing.add(declaration.name)
        owner = member.owner
        part = complain.component(owner.path, owner.cls.name) if owner.path else None
        if declaration.kind == "parameter":
            context.tell(complain.parameter_without_value(member.declarator, part, owner.span))
        else:
            context.tell(complain.no_value(member.declarator, declaration.kind, part, owner.span))
    return missing


def _sides(statements: Statements[flat.Expr]) -> Iterator[flat.Expr]:
    """Both sides of each equation that determines unknowns."""
    for equation in statements.equations:
        if equation.kind == "equation":
            yield equation.left
            yield equation.right


# --- effects ---------------------------------------------------------------------------------


def _without_effect(
    context: Context, pairs: Pairs, names: dict[str, set[str]], statements: Statements[flat.Expr]
) -> None:
    effective = _reached(names, _names_in(acting(statements)))
    for member, declaration in pairs:
        if declaration.kind == "coordinate" and declaration.name not in effective:
            context.tell(complain.unused_coordinate(member.span, declaration.name))
        elif member.owner.path:
            continue
        elif declaration.kind == "input" and declaration.name not in effective:
            context.tell(complain.unused_input(member.span, declaration.name))
        elif declaration.kind in ("parameter", "constant") and declaration.name not in context.used:
            context.tell(complain.unused_parameter(member.span, declaration.kind, declaration.name))


# --- walking ---------------------------------------------------------------------------------


def _expressions(variable: flat.VariableDeclaration) -> Iterator[flat.Expr]:
    """The binding; attributes concern the start alone and do not carry an effect on."""
    if variable.binding is not None:
        yield variable.binding


def _reached(names: dict[str, set[str]], start: set[str]) -> set[str]:
    """All variables that some names depend on through definitions, themselves included."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(names.get(name, ()))
    return reached


def _names_in(roots: Iterable[flat.Expr]) -> set[str]:
    return {node.name for node in _nodes(roots) if isinstance(node, flat.Variable)}


def _has_poison(pairs: Pairs, statements: Statements[flat.Expr]) -> bool:
    bindings = (e for _, declaration in pairs for e in _expressions(declaration))
    everything = chain(bindings, expressions(statements))
    return any(isinstance(node, flat.Poison) for node in _nodes(everything))


def _nodes(roots: Iterable[flat.Expr]) -> Iterator[flat.Expr]:
    """Every node of some expressions, each once."""
    seen: set[int] = set()
    for expression in roots:
        waiting = [expression]
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting.extend(flat.parts(node))
