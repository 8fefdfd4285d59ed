"""From a text to the classes of all files it needs: imports found and read, bases found.

A file is read only where an `import` names it. It is looked for in the shipped library, beside the importing
file, then along the search path; `import a.b.C;` may mean the file a/b/C.mbd, or C in a/b.mbd, or b.C in
a.mbd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from . import complaints_link as complain
from . import syntax
from .builtins import UNDECLARABLE_CLASSES
from .diagnostics import Diagnostic, ModelError
from .files import read_source
from .library import BASE_TYPES, Class, Entry, Library, Namespace, Type
from .nearest import closest
from .source import Source, Span

Parse: TypeAlias = Callable[[Source], tuple[syntax.Module | None, list[Diagnostic]]]

SHIPPED = Path(__file__).parents[1] / "models" / "library"
# What every model sees without an import.
_PRELUDE = ("quantities.mbd", "frame.mbd", "world.mbd")
_MOST_FILES = 1000
# No file lies deeper than this many folders.
_DEEPEST_PATH = 30


def link(source: Source, parse: Parse, search_path: Sequence[str | Path] = ()) -> tuple[Library, list[Diagnostic]]:
    """All classes that a text can name, and what is wrong with the syntax and the imports of all files."""
    prelude, diagnostics = _prelude(parse)
    linker = _Linker(parse, prelude, [Path(p) for p in search_path])
    linker.diagnostics += diagnostics
    module, main = linker.read(source)
    classes = tuple(linker.classes_of(main))
    linker.find_bases()
    return Library(source, module, main, classes), linker.diagnostics


@cache
def _prelude(parse: Parse) -> tuple[Namespace, list[Diagnostic]]:
    """The shipped types; read once in a process."""
    linker = _Linker(parse, None, [])
    prelude = Namespace("", Source("", ""), None)
    linker.prelude = prelude
    for name in _PRELUDE:
        if (SHIPPED / name).is_file():
            prelude.entries |= linker.read(read_source(SHIPPED / name))[1].entries
    linker.find_bases()
    return prelude, linker.diagnostics


class _Linker:
    """Reads files as they are met; bases are found when all are read."""

    def __init__(self, parse: Parse, prelude: Namespace | None, search_path: list[Path]) -> None:
        self.parse = parse
        self.prelude = prelude
        self.search_path = search_path
        self.diagnostics: list[Diagnostic] = []
        self._files: dict[Path, Namespace] = {}
        self._reading: list[tuple[Path, str]] = []
        self._classes: list[Class] = []

    def read(self, source: Source) -> tuple[syntax.Module | None, Namespace]:
        """The module of a text, and the namespace of its file with its imports."""
        module, diagnostics = self.parse(source)
        self.diagnostics += diagnostics
        namespace = Namespace("", source, self.prelude, incomplete=bool(diagnostics))
        key = _key(source.path)
        if key is not None:
            self._files[key] = namespace
            self._reading.append((key, source.name))
        if module is not None:
            namespace.lost = module.lost
            self._declare_all(module.elements, namespace)
        if key is not None:
            self._reading.pop()
        return module, namespace

    def classes_of(self, file: Namespace) -> Iterator[Class]:
        """The classes that a file declares itself, nested ones included."""
        return (c for c in self._classes if c.inside.source is file.source)

    def _declare_all(self, elements: Sequence[syntax.Element], into: Namespace) -> None:
        for element in elements:
            match element:
                case syntax.ClassDefinition():
                    self._declare_class(element, into)
                case syntax.TypeDefinition():
                    self._declare(element.name, Type(element, into), element.span, into)
                case syntax.Import():
                    self._import(element, into)
                case _:
                    pass  # declarations and statements belong to instances

    def _declare_class(self, definition: syntax.ClassDefinition, into: Namespace) -> None:
        name = f"{into.name}.{definition.name}" if into.name else definition.name
        inside = Namespace(name, into.source, into, definition=definition)
        entry = Class(definition, inside)
        self._declare(definition.name, entry, definition.name_span, into)
        self._classes.append(entry)
        self._declare_all(definition.elements, inside)

    def _declare(self, name: str, entry: Entry, span: Span, into: Namespace) -> None:
        if name in UNDECLARABLE_CLASSES:
            self.diagnostics.append(complain.built_in(span, name))
        first = into.entries.setdefault(name, entry)
        if first is not entry and not isinstance(first, Namespace):
            self.diagnostics.append(complain.duplicate_class(span, name, first.span))

    # --- imports -----------------------------------------------------------------------------

    def _import(self, element: syntax.Import, into: Namespace) -> None:
        name = element.path[-1]
        entry = self._imported(element, into.source)
        if entry is None:
            into.incomplete = True
        elif into.entries.setdefault(name, entry) is not entry:
            first = into.entries[name]
            if not isinstance(first, Namespace):
                self.diagnostics.append(complain.duplicate_class(element.span, name, first.span))

    def _imported(self, element: syntax.Import, source: Source) -> Entry | None:
        """The first class or file that the path may mean; a file without the class is passed by."""
        told: Diagnostic | None = None
        for root in self._roots(source):
            for length in range(min(len(element.path), _DEEPEST_PATH), 0, -1):
                path = root.joinpath(*element.path[:length]).with_suffix(".mbd")
                if not _is_file(path):
                    continue
                file = self._file(element, path)
                if file is None:
                    return None
                found = _in_file(file, element.path, length)
                if found is not None or file.incomplete:
                    return found
                told = told or self._not_in_file(element, file, length)
        self.diagnostics.append(told or self._not_found(element, source))
        return None

    def _roots(self, source: Source) -> list[Path]:
        beside = [source.path.parent] if source.path is not None else []
        return [SHIPPED, *beside, *self.search_path]

    def _not_in_file(self, element: syntax.Import, file: Namespace, length: int) -> Diagnostic:
        rest = element.path[length:]
        close = closest(rest[0], file.entries)
        return complain.unknown_class(element.span, ".".join(rest), close, f"in `{file.source.name}`")

    def _file(self, element: syntax.Import, path: Path) -> Namespace | None:
        key = _key(path)
        assert key is not None
        chain = [name for _, name in self._reading]
        for depth, (reading, _) in enumerate(self._reading):
            if reading == key:
                circle = [*chain[depth:], chain[depth]]
                self.diagnostics.append(complain.import_cycle(element.span, circle))
                return None
        if key in self._files:
            return self._files[key]
        if len(self._files) >= _MOST_FILES:
            self.diagnostics.append(complain.too_many_files(element.span, _MOST_FILES))
            return None
        try:
            source = read_source(path)
        except ModelError as refused:
            first = refused.diagnostics[0]
            self.diagnostics.append(complain.unreadable(element.span, first.message, first.help))
            return None
        return self.read(source)[1]

    def _not_found(self, element: syntax.Import, source: Source) -> Diagnostic:
        path = element.path
        roots = self._roots(source)
        beside = [p.stem for root in roots for p in sorted(root.glob("*.mbd"))]
        close = closest(path[0], beside)
        suggestion = ".".join([close, *path[1:]]) if close else None
        places = ["the shipped library", *(f"`{root}`" for root in roots[1:])]
        return complain.unknown_import(element.span, ".".join(path), suggestion, places)

    # --- bases -------------------------------------------------------------------------------

    def find_bases(self) -> None:
        """Finds the class of each `extends`; one that would close a circle is left out."""
        for entry in self._classes:
            for element in entry.definition.elements:
                if isinstance(element, syntax.Extends):
                    self._find_base(entry, element)

    def _find_base(self, entry: Class, element: syntax.Extends) -> None:
        base = self._base(entry, element)
        if base is None:
            entry.inside.incomplete = True
            return
        chain = _chain(base, entry)
        if chain is not None:
            self.diagnostics.append(complain.inheritance_cycle(element.span, [entry.name, *chain]))
            return
        entry.bases.append((element, base))
        entry.inside.inherited.append(base.inside)

    def _base(self, entry: Class, element: syntax.Extends) -> Class | None:
        name = ".".join(element.base)
        found = entry.inside.look_up(element.base)
        if isinstance(found, Class):
            kind, other = entry.definition.kind, found.definition.kind
            if kind == other != "function":
                return found
            self.diagnostics.append(complain.kinds_differ(element.span, kind, name, other))
        elif found is not None or name in BASE_TYPES:
            what = "a file" if isinstance(found, Namespace) else "a type"
            self.diagnostics.append(complain.not_a_class(element.span, name, what))
        elif not entry.inside.is_incomplete():
            classes = [n for n, e in entry.inside.visible() if isinstance(e, Class)]
            close = closest(element.base[-1], classes)
            self.diagnostics.append(complain.unknown_class(element.span, name, close, "to extend"))
        return None


def _in_file(file: Namespace, path: tuple[str, ...], length: int) -> Entry | None:
    """What the rest of an import's path means in a file; the file itself where nothing is left."""
    rest = path[length:]
    if not rest:
        # A file may hold one class of its own name; else it is the home of several.
        return file.entries.get(path[-1], file)
    return file.look_up(rest) if rest[0] in file.entries else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A name too long for any file, or a folder that may not be looked into.
        return False


def _key(path: Path | None) -> Path | None:
    return None if path is None else path.resolve()


def _chain(base: Class, target: Class) -> list[str] | None:
    """The names from a class through its bases to another, None where the other is not among them."""
    seen: set[int] = set()
    waiting: list[tuple[Class, list[str]]] = [(base, [base.name])]
    while waiting:
        current, names = waiting.pop()
        if current is target:
            return names
        if id(current) not in seen:
            seen.add(id(current))
            waiting.extend((b, [*names, b.name]) for _, b in current.bases)
    return None
