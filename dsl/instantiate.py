"""Instances filled from their classes: what a class and its bases declare and state, with modifications.

Only structural branches and loops are decided here; bindings stay lazy.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import RESERVED
from .constants import fixed_condition, int_or_none
from .context import COST_OF_INSTANCE, COST_OF_ROUND, MOST_INSTANCES, Context
from .declare import declare, indexed
from .instances import (
    Block,
    BrokenMember,
    Change,
    Family,
    Instance,
    Item,
    Key,
    Label,
    Layer,
    Modifier,
    PassedOver,
    Scope,
    SingleMember,
    Stated,
    Value,
)
from .library import Class
from .modifications import changes
from .nearest import closest
from .records import replace
from .rounds import rounds
from .untaken import declared_in

_Waiting = tuple[Layer, syntax.For | syntax.If, Scope, Block]


def open_instance(context: Context, instance: Instance) -> None:
    """Fills the layers of an instance, once."""
    if instance.opened:
        return
    instance.opened = True
    context.instances.append(instance)
    context.spend(instance.span, COST_OF_INSTANCE)
    if len(context.instances) > MOST_INSTANCES:
        context.abandon(complain.too_many_instances(instance.span, MOST_INSTANCES))
    waiting: list[_Waiting] = []
    _fill(context, instance.layer, {id(instance.cls): instance.layer}, waiting)
    # Loops and branches come last: what they depend on may stand anywhere in the class.
    for layer, element, scope, block in waiting:
        _decide(context, layer, element, scope, block.items)
    _verify_names(context, instance.layer, instance.modifiers, instance.cls.name)


def _fill(context: Context, layer: Layer, known: dict[int, Layer], waiting: list[_Waiting]) -> None:
    cls = layer.cls
    context.visited.add(cls)
    layer.incomplete = cls.inside.incomplete
    scope = Scope(cls.inside, layer, {})
    bases = {id(extends): base for extends, base in cls.bases}
    for element in cls.definition.elements:
        if isinstance(element, syntax.Extends):
            if id(element) in bases:
                _extend(context, layer, element, bases[id(element)], scope, known, waiting)
        elif isinstance(element, (syntax.For, syntax.If)):
            block = Block()
            layer.items.append(block)
            waiting.append((layer, element, scope, block))
        else:
            _add(context, layer, element, scope, layer.items)


def _extend(
    context: Context,
    layer: Layer,
    element: syntax.Extends,
    base: Class,
    scope: Scope,
    known: dict[int, Layer],
    waiting: list[_Waiting],
) -> None:
    own = Modifier(Change(element.span, children=changes(context, element.modifications, scope)))
    if id(base) in known:
        # Reached twice over different bases it is one base, as long as nobody changes it.
        if element.modifications or known[id(base)] in layer.bases:
            context.tell(complain.extended_twice(element.span, base.name))
        else:
            layer.bases.append(known[id(base)])
        return
    below = Layer(base, layer.instance, (*layer.modifiers, own))
    known[id(base)] = below
    layer.bases.append(below)
    layer.items.append(below)
    _fill(context, below, known, waiting)
    _verify_names(context, below, (own,), base.name)


def _add(context: Context, layer: Layer, element: syntax.Element, scope: Scope, items: list[Item]) -> None:
    """One declaration or statement of a class, in the scope it has there or in a round of a loop."""
    match element:
        case syntax.Declaration():
            for declarator in element.declarators:
                _declare(context, layer, element, declarator, scope, items)
        case syntax.For() | syntax.If():
            block = Block()
            items.append(block)
            _decide(context, layer, element, scope, block.items)
        case syntax.ClassDefinition() | syntax.TypeDefinition() | syntax.Import():
            if scope.loops:
                context.tell(complain.misplaced_class(element.span))
        case syntax.Extends():
            context.tell(complain.misplaced_class(element.span))
        case syntax.Annotation():
            items.append(Stated(element, scope, layer.instance.path))
        case _:
            if layer.cls.definition.kind == "record":
                context.tell(complain.statement_in(element.span, "record", layer.cls.name))
                return
            items.append(Stated(element, scope, _label(context, layer, element, scope)))


# --- declarations ----------------------------------------------------------------------------


def _declare(
    context: Context,
    layer: Layer,
    declaration: syntax.Declaration,
    declarator: syntax.Declarator,
    scope: Scope,
    items: list[Item],
) -> None:
    name = declarator.name
    if name in RESERVED:
        context.tell(complain.reserved(declarator.span, name))
        member: SingleMember = BrokenMember(declarator.span)
    else:
        member = declare(context, layer, declaration, declarator, scope)
    if _enter(context, layer, name, member, scope):
        items.append(member)


def _enter(context: Context, layer: Layer, name: str, member: SingleMember, scope: Scope) -> bool:
    """Makes a member known under its name; False after a complaint that the name is taken."""
    first = layer.instance.layer.find(name) or layer.members.get(name)
    if not scope.loops:
        if first is None:
            layer.members[name] = member
            return True
        context.tell(complain.duplicate_name(member.span, name, first.span))
        return False
    if first is None:
        layer.members[name] = Family(member.span, {scope.key: (scope.loops, member)})
        return True
    same_depth = isinstance(first, Family) and len(next(iter(first.items))) == len(scope.key)
    if not isinstance(first, Family) or not same_depth or scope.key in first.items:
        context.tell(complain.duplicate_name(member.span, name, first.span))
        return False
    first.items[scope.key] = (scope.loops, member)
    return True


# --- labels ----------------------------------------------------------------------------------


def _label(context: Context, layer: Layer, statement: syntax.Statement, scope: Scope) -> str:
    """The full label of a statement, entered among those of its instance."""
    name, what = _name_and_kind(statement)
    if name is None:
        # Only energies may go without a name; `""` then stands behind the path.
        return layer.instance.named("")
    full = layer.instance.named(indexed(name, scope.key))
    # Energies have names apart by kind, all other statements share one namespace.
    entry = f"{what} {name}" if isinstance(statement, syntax.Energy) else name
    family = next((below.labels[entry] for below in layer.instance.layer.all() if entry in below.labels), None)
    if family is None:
        family = layer.labels.setdefault(entry, {})
    first = family.get(scope.key)
    if first is not None:
        context.tell(complain.duplicate_label(statement.span, name, what, first.what, first.span))
    else:
        family[scope.key] = Label(full, what, statement.span, scope.loops)
    return full


_WORDS = {"kinetic": "kinetic energy", "potential": "potential energy", "initial": "initial condition"}


def _name_and_kind(statement: syntax.Statement) -> tuple[str | None, str]:
    match statement:
        case syntax.Energy():
            return statement.name, _WORDS.get(statement.kind, statement.kind)
        case syntax.Equation():
            return statement.name, _WORDS.get(statement.kind, statement.kind)
        case syntax.Force() | syntax.Constraint() | syntax.Servo() | syntax.Limit() | syntax.Friction():
            return statement.name, type(statement).__name__.lower()
        case _:
            return None, ""


# --- branches and loops ----------------------------------------------------------------------


def _decide(context: Context, layer: Layer, element: syntax.For | syntax.If, scope: Scope, items: list[Item]) -> None:
    if isinstance(element, syntax.If):
        _branch(context, layer, element, scope, items)
    else:
        _loop(context, layer, element, element.iterators, scope, (), {}, items)


def _branch(context: Context, layer: Layer, element: syntax.If, scope: Scope, items: list[Item]) -> None:
    taken: syntax.Branch | None = None
    for branch in element.branches:
        holds: bool | None = True
        if branch.condition is not None:
            holds = fixed_condition(context, branch.condition, scope, "the condition of an `if` over statements")
        if holds is None:
            layer.incomplete = True
            return
        if holds:
            taken = branch
            break
    passed = [branch for branch in element.branches if branch is not taken]
    declared = [declarator for branch in passed for declarator in declared_in(branch.body)]
    layer.absent.update((d.name, d.span) for d in declared)
    inside = replace(scope, conditional=True)
    for inner in taken.body if taken is not None else ():
        _add(context, layer, inner, inside, items)
    rest = tuple([inner for branch in passed for inner in branch.body])
    items.append(PassedOver(rest, inside, frozenset(d.name for d in declared)))


def _loop(
    context: Context,
    layer: Layer,
    element: syntax.For,
    iterators: tuple[syntax.Iterator, ...],
    scope: Scope,
    key: Key,
    values: dict[str, Value],
    items: list[Item],
) -> None:
    if not iterators:
        context.spend(element.span, COST_OF_ROUND)
        inside = scope.inside(element, key, values)
        for inner in element.body:
            _add(context, layer, inner, inside, items)
        return
    iterator = iterators[0]
    here = rounds(context, iterator, scope.with_locals(values) if values else scope)
    if here is None:
        layer.incomplete = True
        return
    for value in here:
        context.spend(iterator.span)
        number = int_or_none(value.value) if isinstance(value, flat.Number) else None
        if number is None or not isinstance(value, flat.Number) or value.value != number:
            context.tell(complain.loop_not_whole(iterator.span, iterator.name))
            layer.incomplete = True
            return
        _loop(
            context,
            layer,
            element,
            iterators[1:],
            scope,
            (*key, number),
            {**values, iterator.name: value},
            items,
        )


# --- names in modifications ------------------------------------------------------------------


def _verify_names(context: Context, layer: Layer, modifiers: Iterable[Modifier], name: str) -> None:
    """Complains about changes of members that the class does not have."""
    known: set[str] | None = None
    for modifier in modifiers:
        if modifier.through or not modifier.change.children:
            continue
        if known is None:
            known = {n for below in layer.all() for n in below.members}
        for changed, change in modifier.change.children.items():
            if changed in known or layer.is_incomplete():
                continue
            absent = next((b.absent[changed] for b in layer.all() if changed in b.absent), None)
            if absent is not None:
                context.tell(complain.absent_member(change.span, changed, name, absent))
            else:
                close = closest(changed, known)
                declared = layer.find(close) if close else None
                place = declared.span if declared is not None else layer.cls.span
                context.tell(complain.unknown_member(change.span, changed, name, close, place))
