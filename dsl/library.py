"""The classes of all files of a model, each in the place where its text stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from . import syntax
from .records import field, frozen, mutable
from .source import Source, Span

BASE_TYPES = ("Real", "Integer", "Boolean", "String", "Rotation")


@mutable(eq=False)
class Namespace:
    """The class names that a text sees: those of its own, those inherited, then those around it.

    `name` is dotted and empty for a file. `inherited` are the inner namespaces of a class's bases.
    `incomplete` says that a mistake told elsewhere hides some names. `lost` are words of statements that
    could not be read.
    """

    name: str
    source: Source
    parent: Namespace | None
    entries: dict[str, Entry] = field(default_factory=dict)
    inherited: list[Namespace] = field(default_factory=list)
    definition: syntax.ClassDefinition | None = None
    incomplete: bool = False
    lost: frozenset[str] = frozenset()

    def find(self, name: str) -> Entry | None:
        """The class, type or file a simple name means here."""
        place: Namespace | None = self
        while place is not None:
            found = place.own(name)
            if found is not None:
                return found
            place = place.parent
        return None

    def own(self, name: str) -> Entry | None:
        """Declared here, imported here or inherited."""
        found = self.entries.get(name)
        if found is not None or not self.inherited:
            return found
        return next((b.entries[name] for b in self.ancestors() if name in b.entries), None)

    def ancestors(self) -> list[Namespace]:
        """The inner namespaces of all bases, nearest first, each once."""
        result: dict[int, Namespace] = {}
        waiting = list(reversed(self.inherited))
        while waiting:
            base = waiting.pop()
            if id(base) not in result:
                result[id(base)] = base
                waiting.extend(reversed(base.inherited))
        return list(result.values())

    def look_up(self, path: tuple[str, ...]) -> Entry | None:
        """The class, type or file a dotted name means here."""
        found = self.find(path[0])
        for name in path[1:]:
            found = found.inside.own(name) if isinstance(found, Class) else _in_file(found, name)
        return found

    def is_incomplete(self) -> bool:
        """Some name may be missing because of a mistake that has been told."""
        place: Namespace | None = self
        while place is not None:
            if place.incomplete:
                return True
            place = place.parent
        return False

    def hides(self, name: str) -> bool:
        """Whether a name may be declared, or was put in, where the text could not be read."""
        place = self
        while place.parent is not None and place.parent.source is place.source:
            place = place.parent
        return name.startswith("?") or name in place.lost

    def visible(self) -> Iterator[tuple[str, Entry]]:
        """All names that `find` knows, nearest first."""
        place: Namespace | None = self
        while place is not None:
            yield from place.entries.items()
            for base in place.ancestors():
                yield from base.entries.items()
            place = place.parent


def _in_file(entry: Entry | None, name: str) -> Entry | None:
    return entry.own(name) if isinstance(entry, Namespace) else None


@frozen(eq=False)
class Class:
    """A model, record or function; `inside` is the namespace of its body.

    `bases` pairs each `extends` whose class was found with that class; they form no cycle.
    """

    definition: syntax.ClassDefinition
    inside: Namespace
    bases: list[tuple[syntax.Extends, Class]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def span(self) -> Span:
        return self.definition.name_span


@frozen(eq=False)
class Type:
    """`type Length = Real(unit = "m");` and where it stands."""

    definition: syntax.TypeDefinition
    where: Namespace

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def span(self) -> Span:
        return self.definition.span


Entry: TypeAlias = Class | Type | Namespace


@frozen(eq=False)
class Library:
    """A file with all that it imports.

    `module` is what could be read of the file; `classes` are its own, nested ones included, in the order
    of the text.
    """

    source: Source
    module: syntax.Module | None
    main: Namespace
    classes: tuple[Class, ...]
