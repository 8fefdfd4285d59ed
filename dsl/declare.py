"""One declaration of a class as a member of an instance: a variable, a component, or an array of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

from . import complaints_flatten as complain
from . import flat, syntax
from .builtins import ATTRIBUTES
from .constants import fixed_integer
from .context import COST_OF_VARIABLE, DEEPEST_NESTING, MOST_ELEMENTS, Context
from .instances import (
    ArrayMember,
    BrokenMember,
    Change,
    Instance,
    Key,
    Layer,
    Many,
    Member,
    Modifier,
    Modifiers,
    OuterMember,
    ResolvedType,
    Scope,
    SingleMember,
    VariableMember,
)
from .lazy import Lazy
from .library import Class
from .members import as_plain
from .modifications import attribute_modifier, changes, given_value, holding, reaching, written
from .shapes import shape_of
from .source import Span
from .types import resolve_type


def indexed(name: str, key: Key) -> str:
    """`sphere[3]`, `rod[2,3]`."""
    return f"{name}[{','.join(map(str, key))}]" if key else name


def declare(
    context: Context,
    layer: Layer,
    declaration: syntax.Declaration,
    declarator: syntax.Declarator,
    scope: Scope,
) -> SingleMember:
    """The member that a declaration makes, in one round of the loops around it."""
    type_ = resolve_type(context, layer.cls.inside, declaration.type_name, declaration.type_span)
    if type_ is None:
        return BrokenMember(declarator.span)
    place = _Place(context, layer, declaration, declarator, scope)
    if declaration.outer:
        return place.outer(type_)
    if declaration.inner:
        layer.instance.inner.add(declarator.name)
    make = place.component(type_) if isinstance(type_, Class) else place.variable(type_)
    if make is None:
        return BrokenMember(declarator.span)
    if declarator.dimensions and (isinstance(type_, Class) or type_.base == "Rotation"):
        return place.array(make)
    return make((), ())


class _Place:
    """A declarator where it stands: what its members are made of."""

    def __init__(
        self,
        context: Context,
        layer: Layer,
        declaration: syntax.Declaration,
        declarator: syntax.Declarator,
        scope: Scope,
    ) -> None:
        self.context = context
        self.layer = layer
        self.instance = layer.instance
        self.declaration = declaration
        self.declarator = declarator
        self.scope = scope
        self.span = declarator.span

    # --- what is said about it ---------------------------------------------------------------

    def modifiers(self) -> Modifiers:
        """All that reaches the member, the declaration's own last."""
        context, declarator = self.context, self.declarator
        binding = declarator.binding
        own = Change(
            self.span,
            None if binding is None else written(context, binding, self.scope),
            self.declaration.final,
            changes(context, declarator.modifications, self.scope),
        )
        return (*reaching(self.layer.modifiers, declarator.name), Modifier(own))

    def full_name(self, key: Key) -> str:
        return self.instance.named(indexed(self.declarator.name, self.scope.key + key))

    def owner(self) -> str:
        return complain.component(self.instance.path, self.instance.cls.name) if self.instance.path else ""

    # --- arrays ------------------------------------------------------------------------------

    def sizes(self, binding: Callable[[], flat.Expr | None]) -> tuple[int, ...] | None:
        """The declared sizes; a `:` takes the size of the binding."""
        result: list[int] = []
        for position, dimension in enumerate(self.declarator.dimensions):
            if isinstance(dimension, syntax.Whole):
                size = self._size_given(binding(), position)
            else:
                size = self._size_written(dimension)
            if size is None:
                return None
            result.append(size)
        if math.prod(result) > MOST_ELEMENTS:
            self.context.tell(complain.too_large(self.span, f"`{self.declarator.name}`", MOST_ELEMENTS))
            return None
        return tuple(result)

    def _size_written(self, dimension: syntax.Expr) -> int | None:
        role = f"the size of `{self.declarator.name}`"
        size = fixed_integer(self.context, dimension, self.scope, role)
        if size is not None and size < 0:
            self.context.tell(complain.negative_size(dimension.span, role, size))
            return None
        return size

    def _size_given(self, binding: flat.Expr | None, position: int) -> int | None:
        shape = None if binding is None else shape_of(self.context, binding)
        if binding is None and not self.context.alone:
            self.context.tell(complain.size_without_value(self.span, self.declarator.name))
        return shape[position] if shape is not None and position < len(shape) else None

    def array(self, make: Callable[[Key, tuple[int, ...]], SingleMember]) -> ArrayMember:
        """An array of members, each with its own name."""

        def items() -> Many | None:
            extents = self.sizes(lambda: None)
            if extents is None:
                return None
            self.context.spend(self.span, math.prod(extents))
            keys = product(*(range(1, n + 1) for n in extents))
            return Many(extents, tuple([make(key, extents) for key in keys]))

        return ArrayMember(self.span, len(self.declarator.dimensions), Lazy(items))

    # --- components --------------------------------------------------------------------------

    def component(self, cls: Class) -> Callable[[Key, tuple[int, ...]], SingleMember] | None:
        """How to make the component, or None after a complaint that the class cannot be one."""
        if not self._may_be_component(cls):
            return None
        modifiers = self._of_component(cls, self.modifiers())
        instance = self.instance
        kind = self.declaration.kind if self.declaration.kind != "plain" else instance.kind
        conditional = self.scope.conditional or bool(self.declarator.dimensions)

        def make(key: Key, extents: tuple[int, ...]) -> SingleMember:
            reached = tuple([m.at(key, extents) for m in modifiers]) if key else modifiers
            final = self.declaration.final or instance.final
            made = Instance(
                self.full_name(key),
                cls,
                self.span,
                instance,
                instance.depth + 1,
                reached,
                kind,
                final,
                conditional,
            )
            return self._bounded(made)

        return make

    def _may_be_component(self, cls: Class) -> bool:
        context, kind = self.context, cls.definition.kind
        type_span = self.declaration.type_span
        if kind == "function":
            context.tell(complain.function_as_type(type_span, cls.name))
        elif cls.definition.partial:
            context.tell(complain.partial_component(type_span, cls.name, self.declarator.name, cls.span))
        elif kind == "model" and (self.declaration.kind != "plain" or self.declaration.structural):
            context.tell(complain.kind_on_model(self.declaration.span, self.declaration.kind, cls.name))
        elif kind == "model" and self.layer.cls.definition.kind == "record":
            context.tell(complain.model_in_record(self.declaration.span, cls.name, self.layer.cls.name))
        else:
            return True
        return False

    def _of_component(self, cls: Class, modifiers: Modifiers) -> Modifiers:
        """The modifiers without values for the whole, which only a record can have."""
        if cls.definition.kind != "model":
            return modifiers
        result: list[Modifier] = []
        for modifier in modifiers:
            change = modifier.change
            if change.written is not None:
                told = complain.model_given_value(change.written.span, self.declarator.name, cls.name)
                self.context.tell(told)
                change = Change(change.span, None, change.final, change.children)
            result.append(Modifier(change, (), modifier.indices, modifier.extents))
        return tuple(result)

    def _bounded(self, made: Instance) -> Instance | BrokenMember:
        """The instance, unless it would contain itself without end."""
        chain = [made]
        certain = not made.conditional
        around = made.parent
        while around is not None:
            chain.append(around)
            if around.cls is made.cls and certain:
                names = [i.cls.name for i in reversed(chain)]
                self.context.tell(complain.endless_containment(self.span, names))
                return BrokenMember(self.span)
            certain = certain and not around.conditional
            around = around.parent
        if made.depth > DEEPEST_NESTING:
            self.context.abandon(complain.too_deep(self.span, made.cls.name, DEEPEST_NESTING))
        return made

    # --- shared members ----------------------------------------------------------------------

    def outer(self, type_: ResolvedType | Class) -> OuterMember:
        declarator = self.declarator
        if declarator.binding is not None or declarator.modifications or declarator.dimensions:
            self.context.tell(complain.outer_with_value(self.span, declarator.name))
        return OuterMember(self.span, Lazy(lambda: self._shared(type_)))

    def _shared(self, type_: ResolvedType | Class) -> Member:
        name = self.declarator.name
        around = self.instance.parent
        hidden: Member | None = None
        while around is not None:
            found = around.layer.find(name)
            if found is not None and name in around.inner:
                return self._fitting(found, type_)
            hidden = hidden or found
            around = around.parent
        return self._default(type_, hidden)

    def _fitting(self, found: Member, type_: ResolvedType | Class) -> Member:
        if isinstance(found, Instance) and isinstance(type_, Class):
            fits = type_.inside is found.cls.inside or type_.inside in found.cls.inside.ancestors()
        else:
            fits = isinstance(found, VariableMember) and not isinstance(type_, Class)
        if fits or isinstance(found, BrokenMember):
            return found
        wanted = ".".join(self.declaration.type_name)
        self.context.tell(complain.inner_of_other_type(self.span, self.declarator.name, wanted, found.span))
        return BrokenMember(self.span)

    def _default(self, type_: ResolvedType | Class, hidden: Member | None) -> Member:
        context, name = self.context, self.declarator.name
        wanted = ".".join(self.declaration.type_name)
        has_default = isinstance(type_, Class) and type_.name == "World" and not type_.definition.partial
        if hidden is not None or not isinstance(type_, Class) or not has_default:
            if not context.alone or hidden is not None:
                place = hidden.span if hidden is not None else None
                context.tell(complain.no_inner(self.span, name, wanted, place))
            return BrokenMember(self.span)
        if name not in context.defaults:
            if not context.alone:
                context.tell(complain.default_world(self.span, name, wanted))
            context.defaults[name] = Instance(name, type_, self.span, None, 1, ())
        return context.defaults[name]

    # --- variables ---------------------------------------------------------------------------

    def variable(self, type_: ResolvedType) -> Callable[[Key, tuple[int, ...]], SingleMember]:
        modifiers = self.modifiers()
        self._verify_attributes(modifiers)

        def make(key: Key, extents: tuple[int, ...]) -> SingleMember:
            reached = tuple([m.at(key, extents) for m in modifiers]) if key else modifiers
            return self._variable(type_, self.full_name(key), reached)

        return make

    def _verify_attributes(self, modifiers: Modifiers) -> None:
        for modifier in modifiers:
            if modifier.through:
                continue
            for name, change in modifier.change.children.items():
                if name not in ATTRIBUTES:
                    self.context.tell(complain.unknown_attribute(change.span, name, self.declarator.name))
                elif change.children or change.written is None:
                    self.context.tell(complain.attribute_without_value(change.span, name))

    def _variable(self, type_: ResolvedType, name: str, modifiers: Modifiers) -> VariableMember:
        context, declaration, instance = self.context, self.declaration, self.instance
        kind = declaration.kind
        if kind == "plain" and instance.cls.definition.kind == "record":
            kind = instance.kind
        rank = 2 if type_.base == "Rotation" else len(self.declarator.dimensions)
        binding = Lazy(lambda: self._binding(name, kind, rank, modifiers))
        extents: Lazy[tuple[int, ...] | None]
        extents = Lazy((lambda: ()) if type_.base == "Rotation" else lambda: self.sizes(binding.get))
        given = next((m.change.written.span for m in modifiers if m.change.written is not None), None)
        member = VariableMember(
            name,
            kind,
            type_.base,
            ".".join(declaration.type_name),
            instance.final or any(m.change.final for m in modifiers),
            declaration.structural,
            declaration,
            self.declarator,
            instance,
            modifiers,
            extents,
            binding,
            lambda: self._attributes(type_, rank, modifiers),
            given,
        )
        context.spend(self.span, COST_OF_VARIABLE)
        context.variables[name] = member
        return member

    def _binding(self, name: str, kind: flat.VariableKind, rank: int, modifiers: Modifiers) -> flat.Expr | None:
        context = self.context
        modifier = holding(context, self.declarator.name, modifiers, self.owner())
        if name in context.structure and (
            self.declaration.structural or (modifier is None and kind in ("parameter", "input"))
        ):
            return _given_from_outside(context.structure[name], self.span)
        return None if modifier is None else given_value(context, modifier, rank)

    def _attributes(self, type_: ResolvedType, rank: int, modifiers: Modifiers) -> dict[str, flat.Expr]:
        """The attributes that the declaration, its modifications or its type give."""
        names = {n for m in modifiers if not m.through for n in m.change.children}
        own = {n for n in names if n in ATTRIBUTES}
        result: dict[str, flat.Expr] = {}
        for name in ATTRIBUTES:
            if name in own:
                self._own_attribute(name, type_, rank, modifiers, result)
        for modification, scope in type_.attributes:
            name = modification.path[0]
            if name not in result and name in ATTRIBUTES and modification.value is not None:
                value = self.context.bind(self.context, modification.value, scope)
                result[name] = as_plain(self.context, value, modification.span)
        return result

    def _own_attribute(
        self, name: str, type_: ResolvedType, rank: int, modifiers: Modifiers, into: dict[str, flat.Expr]
    ) -> None:
        if name == "unit":
            rank = 0
        elif type_.base == "Rotation":
            rank = 1 if name in ("rate", "guessRate") else 2
        modifier = attribute_modifier(self.context, name, modifiers, self.declarator.name)
        if modifier is not None:
            into[name] = given_value(self.context, modifier, rank)


def _given_from_outside(value: float | bool, span: Span) -> flat.Expr:
    if isinstance(value, bool):
        return flat.Truth(value, span=span)
    return flat.Number(float(value), span=span)
