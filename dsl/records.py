"""Records: what `dataclass` gives, made in a tenth of its time.

The compiler has some two hundred of them, and making as many dataclasses takes longer than compiling a small
model: each writes, parses and compiles five methods. Here one method is written for each class, the
constructor; comparison, hashing and printing are shared. Type checkers read `frozen` as a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_MISSING = object()


class Field:
    """The default of a field, and whether it counts in comparison and shows in print."""

    __slots__ = ("compare", "default", "default_factory", "init", "repr")

    def __init__(
        self, default: Any, default_factory: Any, compare: bool = True, repr: bool = True, init: bool = True
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.compare = compare
        self.repr = repr
        self.init = init


def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    compare: bool = True,
    repr: bool = True,
    init: bool = True,
) -> Any:
    """A field with more to say than its type; one with `init=False` is set by `__post_init__`."""
    return Field(default, default_factory, compare, repr, init)


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class an immutable record of its annotated fields, those of its bases first.

    With `eq=False`, records are compared and hashed by identity. Fields of a `kw_only` class can only be
    given by name, in its subclasses too.
    """
    if cls is None:
        return lambda made: _made(made, eq, kw_only, True)
    return _made(cls, eq, kw_only, True)


@overload
def mutable(cls: type[T], /) -> type[T]: ...
@overload
def mutable(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def mutable(cls: Any = None, /, *, eq: bool = True) -> Any:
    """The same for records that change while a pass builds them. They have no hash unless `eq=False`."""
    if cls is None:
        return lambda made: _made(made, eq, False, False)
    return _made(cls, eq, False, False)


def replace(record: T, /, **changes: Any) -> T:
    """A copy of a record with some fields changed."""
    values = {name: getattr(record, name) for name, _, _ in _specification(record)}
    return type(record)(**(values | changes))


def field_names(record: object) -> tuple[str, ...]:
    """The names of the fields of a record or of its class, in order."""
    return tuple(name for name, _, _ in _specification(record))


_Specification = tuple[tuple[str, Field, bool], ...]


def _specification(record: object) -> _Specification:
    kind = record if isinstance(record, type) else type(record)
    found: _Specification = kind.__dict__["__frozen_fields__"]
    return found


def _made(cls: type[Any], eq: bool, kw_only: bool, immutable: bool) -> type[Any]:
    inherited: dict[str, tuple[Field, bool]] = {}
    for base in reversed(cls.__mro__[1:]):
        for name, spec, named in base.__dict__.get("__frozen_fields__", ()):
            inherited[name] = (spec, named)
    for name in cls.__dict__.get("__annotations__", {}):
        default = cls.__dict__.get(name, _MISSING)
        spec = default if isinstance(default, Field) else Field(default, _MISSING)
        inherited[name] = (spec, kw_only)
        if isinstance(default, Field):
            delattr(cls, name)
            if spec.default is not _MISSING:
                setattr(cls, name, spec.default)
    specification = tuple((name, spec, named) for name, (spec, named) in inherited.items())
    members: dict[str, Any] = {
        "__frozen_fields__": specification,
        "__match_args__": tuple(name for name, _, named in specification if not named),
        "__init__": _constructor(cls, specification),
    }
    if immutable:
        members |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    if "__repr__" not in cls.__dict__:
        members["__repr__"] = _repr
    if eq:
        members |= {"__eq__": _equal, "__hash__": _hash if immutable else None}
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def _constructor(cls: type[Any], specification: _Specification) -> Callable[..., None]:
    """`__init__`, written once for the class: the only text that is compiled."""
    scope: dict[str, Any] = {"_MISSING": _MISSING}
    positional: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for name, spec, only_named in specification:
        if not spec.init:
            continue
        text = name
        if spec.default is not _MISSING:
            scope[f"_default_{name}"] = spec.default
            text += f"=_default_{name}"
        elif spec.default_factory is not _MISSING:
            scope[f"_make_{name}"] = spec.default_factory
            text += "=_MISSING"
            body.append(f" if {name} is _MISSING: {name} = _make_{name}()")
        (named if only_named else positional).append(text)
        body.append(f" d[{name!r}] = {name}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = ["self", *positional, *(["*", *named] if named else [])]
    lines = [f"def __init__({', '.join(parameters)}):", " d = self.__dict__", *body]
    exec("\n".join(lines), scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _compared(record: object) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name, spec, _ in _specification(record) if spec.compare)


def _equal(self: object, other: object) -> Any:
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    return _compared(self) == _compared(other)


def _hash(self: object) -> int:
    return hash(_compared(self))


def _repr(self: object) -> str:
    shown = (f"{n}={getattr(self, n)!r}" for n, spec, _ in _specification(self) if spec.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be set")


def _refuse_delete(self: object, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be deleted")
