"""Instances while a model is being flattened: components, variables, the modifications that reach them.

An instance is made of layers: its class and, below it, the classes that class extends. A text sees the names
of its own layer and of those below. What is not asked for is not worked out: bindings, sizes and the insides
of components are lazy, because a size here may follow from a parameter there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from . import flat, syntax
from .lazy import Lazy
from .library import Class, Namespace
from .records import field, frozen, mutable, replace
from .source import Span

Key: TypeAlias = tuple[int, ...]
"""The values of the iterators of the loops around a declaration or statement, outermost first."""

Loops: TypeAlias = tuple[tuple[syntax.For, Key], ...]
"""The loops around a place with the values their iterators have there."""


# --- values ----------------------------------------------------------------------------------


@frozen(eq=False)
class RecordValue:
    """What a record constructor or a function returns: a value for each member."""

    name: str
    fields: Mapping[str, Value]


@frozen(eq=False)
class Many:
    """An array whose items are components, records or rotations; row by row."""

    extents: tuple[int, ...]
    items: tuple[Value | Member, ...]


Value: TypeAlias = "flat.Expr | RecordValue | Many | Instance"


# --- where a text stands ---------------------------------------------------------------------


@frozen(eq=False)
class Scope:
    """What the names in a piece of text mean.

    `locals` are iterators, and in a function its inputs and local variables; `function` is that function.
    `conditional` says that the text stands in a loop or branch.
    """

    namespace: Namespace
    layer: Layer | None
    locals: Mapping[str, Value | Lazy[Value]]
    loops: Loops = ()
    function: Class | None = None
    conditional: bool = False

    def with_locals(self, more: Mapping[str, Value | Lazy[Value]]) -> Scope:
        return replace(self, locals={**self.locals, **more})

    def inside(self, loop: syntax.For, key: Key, more: Mapping[str, Value | Lazy[Value]]) -> Scope:
        """The scope of a loop's body in one of its rounds."""
        return replace(self, locals={**self.locals, **more}, loops=(*self.loops, (loop, key)), conditional=True)

    @property
    def key(self) -> Key:
        return tuple(value for _, key in self.loops for value in key)


# --- modifications ---------------------------------------------------------------------------


@frozen(eq=False)
class Written:
    """A right-hand side, looked up where it is written."""

    expression: syntax.Expr
    value: Lazy[Value]

    @property
    def span(self) -> Span:
        return self.expression.span


@mutable(eq=False)
class Change:
    """What one place in a text says about a member: its value, and changes of its members or attributes."""

    span: Span
    written: Written | None = None
    final: bool = False
    children: dict[str, Change] = field(default_factory=dict)
    picked: dict[tuple[str, ...], flat.Expr] = field(default_factory=dict)


@frozen(eq=False)
class Modifier:
    """A change as it reaches one member.

    `through` are the member names followed into the value where a whole record was given. `indices` are
    those of the arrays of components passed on the way, `extents` the sizes of these arrays.
    """

    change: Change
    through: tuple[str, ...] = ()
    indices: Key = ()
    extents: tuple[int, ...] = ()

    def reaching(self, name: str) -> Iterator[Modifier]:
        """The modifiers that this one makes for a member, the stronger one first."""
        if self.through:
            yield Modifier(self.change, (*self.through, name), self.indices, self.extents)
            return
        child = self.change.children.get(name)
        if child is not None:
            yield Modifier(child, (), self.indices, self.extents)
        if self.change.written is not None:
            yield Modifier(self.change, (name,), self.indices, self.extents)

    def at(self, indices: Key, extents: tuple[int, ...]) -> Modifier:
        """The modifier for one element of an array of components."""
        return Modifier(self.change, self.through, self.indices + indices, self.extents + extents)


Modifiers: TypeAlias = tuple[Modifier, ...]
"""Strongest first: from the outermost component inwards, the declaration itself last."""


# --- members ---------------------------------------------------------------------------------


@mutable(eq=False)
class VariableMember:
    """A variable of the flat model in the making.

    `extents` is None where a mistake hides the sizes. `binding` is None for a variable without value.
    """

    name: str
    kind: flat.VariableKind
    base: flat.BaseType
    type_name: str
    final: bool
    structural: bool
    declaration: syntax.Declaration
    declarator: syntax.Declarator
    owner: Instance
    modifiers: Modifiers
    extents: Lazy[tuple[int, ...] | None]
    binding: Lazy[flat.Expr | None]
    attributes: Callable[[], dict[str, flat.Expr]]
    given_by: Span | None

    @property
    def span(self) -> Span:
        return self.declarator.span

    @property
    def rank(self) -> int:
        """Number of dimensions; a `Rotation` is a matrix."""
        return 2 if self.base == "Rotation" else len(self.declarator.dimensions)

    def shape(self) -> tuple[int, ...] | None:
        return (3, 3) if self.base == "Rotation" else self.extents.get()


@mutable(eq=False)
class ArrayMember:
    """An array of components or rotations; its items are members."""

    span: Span
    rank: int
    items: Lazy[Many | None]


@mutable(eq=False)
class OuterMember:
    """`outer World world;`: stands for a member of an instance around this one."""

    span: Span
    target: Lazy[Member]


@mutable(eq=False)
class BrokenMember:
    """A member whose declaration was complained about."""

    span: Span


@mutable(eq=False)
class Family:
    """What a declaration inside loops makes: one member for each round. Items know their loops."""

    span: Span
    items: dict[Key, tuple[Loops, SingleMember]] = field(default_factory=dict)


SingleMember: TypeAlias = "VariableMember | Instance | ArrayMember | OuterMember | BrokenMember"
Member: TypeAlias = "SingleMember | Family"


# --- instances -------------------------------------------------------------------------------


@mutable(eq=False)
class Label:
    """A labelled statement of an instance: its full name and what it is."""

    name: str
    what: str
    span: Span
    loops: Loops


@frozen(eq=False)
class Stated:
    """A statement and where it stands; `name` is its full label."""

    statement: syntax.Statement
    scope: Scope
    name: str


@mutable(eq=False)
class Block:
    """A structural `if` or `for` whose content is not yet known; `items` is filled when it is."""

    items: list[Item] = field(default_factory=list)


@frozen(eq=False)
class PassedOver:
    """Branches that are not taken; `declared` are the names they would declare."""

    elements: tuple[syntax.Element, ...]
    scope: Scope
    declared: frozenset[str]


Item: TypeAlias = "SingleMember | Stated | Block | PassedOver | Layer"


@mutable(eq=False)
class Layer:
    """One class of an instance: what its own text declares and states, in the order of the text.

    `incomplete` says that a mistake told elsewhere hides some names. `absent` are names declared in
    branches that were not taken.
    """

    cls: Class
    instance: Instance
    modifiers: Modifiers
    bases: list[Layer] = field(default_factory=list)
    members: dict[str, Member] = field(default_factory=dict)
    labels: dict[str, dict[Key, Label]] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    absent: dict[str, Span] = field(default_factory=dict)
    incomplete: bool = False

    def all(self) -> list[Layer]:
        """This layer and all below it, each once."""
        if not self.bases:
            return [self]
        result: dict[int, Layer] = {}
        waiting = [self]
        while waiting:
            layer = waiting.pop()
            if id(layer) not in result:
                result[id(layer)] = layer
                waiting.extend(reversed(layer.bases))
        return list(result.values())

    def find(self, name: str) -> Member | None:
        """The member a name means in the text of this layer."""
        found = self.members.get(name)
        if found is not None or not self.bases:
            return found
        return next((layer.members[name] for layer in self.all() if name in layer.members), None)

    def labelled(self, name: str) -> dict[Key, Label]:
        """The statements with a label, by the indices of the loops around them."""
        return next((layer.labels[name] for layer in self.all() if name in layer.labels), {})

    def is_incomplete(self) -> bool:
        return any(layer.incomplete for layer in self.all())


@mutable(eq=False)
class Instance:
    """A component, or the whole model (`path` is then empty).

    `kind` and `final` are those of its declaration, handed down to the members of a record. `inner` are the
    names of members that all parts below may share. `conditional`: declared in a loop, a branch or an array.
    """

    path: str
    cls: Class
    span: Span
    parent: Instance | None
    depth: int
    modifiers: Modifiers
    kind: flat.VariableKind = "plain"
    final: bool = False
    conditional: bool = False
    layer: Layer = field(init=False)
    opened: bool = False
    inner: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.layer = Layer(self.cls, self, self.modifiers)

    def named(self, name: str) -> str:
        """The full name of a member."""
        return f"{self.path}.{name}" if self.path else name


@frozen
class ResolvedType:
    """A type followed down to its base; the attributes that types on the way give, nearest first."""

    base: Literal["Real", "Integer", "Boolean", "String", "Rotation"]
    attributes: tuple[tuple[syntax.Modification, Scope], ...] = ()
