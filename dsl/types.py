"""The type of a declaration, followed down to what it is made of."""

from __future__ import annotations

from typing import Literal, cast

from . import complaints_flatten as complain
from . import syntax
from .builtins import ATTRIBUTES
from .context import Context
from .instances import ResolvedType, Scope
from .library import BASE_TYPES, Class, Namespace, Type
from .nearest import closest
from .source import Span

Base = Literal["Real", "Integer", "Boolean", "String", "Rotation"]


def resolve_type(context: Context, where: Namespace, path: tuple[str, ...], span: Span) -> ResolvedType | Class | None:
    """What a type name means in a text: a base type with attributes, or a class; None after a complaint."""
    key = (id(where), path)
    if key not in context.types:
        context.types[key] = _resolve(context, where, path, span, ())
    return context.types[key]


def _resolve(
    context: Context, where: Namespace, path: tuple[str, ...], span: Span, through: tuple[Type, ...]
) -> ResolvedType | Class | None:
    entry = where.look_up(path)
    name = ".".join(path)
    match entry:
        case Class():
            return entry
        case Type():
            return _of_definition(context, entry, span, through)
        case None if name in BASE_TYPES:
            return ResolvedType(cast(Base, name))
        case None:
            if not where.is_incomplete():
                close = closest(path[-1], [*(n for n, _ in where.visible()), *BASE_TYPES])
                context.tell(complain.unknown_type(span, name, close))
            return None
        case Namespace():
            context.tell(complain.file_as_type(span, name, list(entry.entries)))
            return None


def _of_definition(context: Context, entry: Type, span: Span, through: tuple[Type, ...]) -> ResolvedType | Class | None:
    if entry in through:
        context.tell(complain.cyclic_type(entry.span, [t.name for t in through] + [entry.name]))
        return None
    definition = entry.definition
    below = _resolve(context, entry.where, definition.base, definition.span, (*through, entry))
    if isinstance(below, Class):
        context.tell(complain.type_of_class(definition.span, entry.name, below.name))
        return None
    if below is None:
        return None
    for attribute in definition.attributes:
        name = ".".join(attribute.path)
        if name not in ATTRIBUTES:
            context.tell(complain.unknown_attribute(attribute.span, name, entry.name))
        elif attribute.value is None or attribute.nested:
            context.tell(complain.attribute_without_value(attribute.span, name))
    scope = Scope(entry.where, None, {})
    own: list[tuple[syntax.Modification, Scope]] = [(a, scope) for a in definition.attributes]
    return ResolvedType(below.base, (*own, *below.attributes))
