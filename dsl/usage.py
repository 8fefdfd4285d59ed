"""Whether all that is declared has a value and an effect: told of the flat model as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from . import complaints_flatten as complain
from . import flat
from .context import Context
from .instances import VariableMember
from .statements import Statements, Terminate

Pairs = Sequence[tuple[VariableMember, flat.VariableDeclaration]]


def verify_usage(
    context: Context, pairs: Pairs, statements: Statements[flat.Expr], incomplete: bool
) -> set[str]:
    """Complains about variables without value and declarations without effect.

    Gives the names of variables that have no value. `incomplete` says that mistakes told elsewhere may hide
    uses, so that nothing can be said about missing ones.
    """
    names = {declaration.name: _names_in(_expressions(declaration)) for _, declaration in pairs}
    in_equations = _reached(names, _names_in(_sides(statements)))
    missing = _without_value(context, pairs, in_equations)
    poisoned = incomplete or _has_poison(pairs, statements)
    if not poisoned:
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
    acting = _reached(names, _names_in(_stated(statements)))
    for member, declaration in pairs:
        if declaration.kind == "coordinate" and declaration.name not in acting:
            context.tell(complain.unused_coordinate(member.span, declaration.name))
        elif member.owner.path:
            continue
        elif declaration.kind == "input" and declaration.name not in acting:
            context.tell(complain.unused_input(member.span, declaration.name))
        elif declaration.kind in ("parameter", "constant") and declaration.name not in context.used:
            context.tell(complain.unused_parameter(member.span, declaration.kind, declaration.name))


def _stated(statements: Statements[flat.Expr]) -> Iterator[flat.Expr]:
    """All expressions of the statements that act on the motion."""
    for energy in statements.energies:
        yield energy.value
    for force in statements.forces:
        yield from (force.effort, force.flow)
    for constraint in statements.constraints:
        yield from (constraint.left, constraint.right)
    for servo in statements.servos:
        yield from (servo.left, servo.right, *servo.inputs)
    for limit in statements.limits:
        yield from (e for e in (limit.lower, limit.value, limit.upper) if e is not None)
    for friction in statements.frictions:
        yield from (friction.coefficient, friction.normal, friction.flow)
        yield from (value for _, value in friction.options)
    for equation in statements.equations:
        yield from (equation.left, equation.right)
    for when in statements.whens:
        yield when.condition
        for action in when.actions:
            if not isinstance(action, Terminate):
                yield from (action.target, action.value)
    for claim in statements.asserts:
        yield claim.condition


def _drawn(statements: Statements[flat.Expr]) -> Iterator[flat.Expr]:
    for visual in statements.visuals:
        yield from (value for _, value in visual.arguments)
        yield from (e for e in (visual.position, visual.attitude) if e is not None)


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


def _names_in(expressions: Iterable[flat.Expr]) -> set[str]:
    return {node.name for node in _nodes(expressions) if isinstance(node, flat.Variable)}


def _has_poison(pairs: Pairs, statements: Statements[flat.Expr]) -> bool:
    bindings = (e for _, declaration in pairs for e in _expressions(declaration))
    for group in (bindings, _stated(statements), _drawn(statements)):
        if any(isinstance(node, flat.Poison) for node in _nodes(group)):
            return True
    return False


def _nodes(expressions: Iterable[flat.Expr]) -> Iterator[flat.Expr]:
    """Every node of some expressions, each once."""
    seen: set[int] = set()
    for expression in expressions:
        waiting = [expression]
        while waiting:
            node = waiting.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting.extend(flat.parts(node))
