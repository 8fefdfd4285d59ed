"""Records: what `dataclass` gives, made in a tenth of its time.

The compiler has some two hundred of them, and making as many dataclasses takes longer than compiling a small
model: each writes, parses and compiles five methods. Here comparison, hashing and printing are shared, and the
text of a constructor is compiled once for all classes with as many fields. Type checkers read `frozen` as a
dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
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
    compared = [name for name, spec, _ in specification if spec.compare]
    members: dict[str, Any] = {
        "__frozen_fields__": specification,
        "__compared__": attrgetter(*compared) if compared else type,
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
    """`__init__` of a class: the code of its shape with the names of the fields put in."""
    scope: dict[str, Any] = {"_MISSING": _MISSING}
    names: dict[Any, str] = {}
    defaults: list[Any] = []
    named_defaults: dict[str, Any] = {}
    shape: list[tuple[bool, bool]] = []
    for name, spec, named in specification:
        if not spec.init:
            continue
        is_made = spec.default_factory is not _MISSING
        if is_made:
            scope[f"make_{len(shape)}"] = spec.default_factory
        names[f"field_{len(shape)}"] = name
        shape.append((named, is_made))
        if not is_made and spec.default is _MISSING:
            if defaults and not named:
                raise TypeError(f"{cls.__qualname__}: `{name}` has no default and follows a field that has one")
        elif named:
            named_defaults[name] = spec.default
        else:
            defaults.append(spec.default)
    code = _code(tuple(shape), hasattr(cls, "__post_init__"))
    # What is called as the placeholders are: the parameters, and the keys of the record's dictionary.
    code = code.replace(
        co_varnames=tuple(names.get(name, name) for name in code.co_varnames),
        co_consts=tuple(names.get(value, value) for value in code.co_consts),
        co_qualname=f"{cls.__qualname__}.__init__",
    )
    made = FunctionType(code, scope, "__init__", tuple(defaults))
    made.__kwdefaults__ = named_defaults
    return made


@cache
def _code(shape: tuple[tuple[bool, bool], ...], is_finished: bool) -> CodeType:
    """The code that sets as many fields; compiling it is what takes time, and few classes differ in shape.

    Of each field `shape` says whether it is given by name only, and whether its default is made anew;
    `is_finished` records have a `__post_init__`.
    """
    fields = [f"field_{i}" for i in range(len(shape))]
    positional = [field for field, (named, _) in zip(fields, shape, strict=True) if not named]
    only_named = [field for field, (named, _) in zip(fields, shape, strict=True) if named]
    parameters = ["self", *positional, *(["*", *only_named] if only_named else [])]
    body = [" d = self.__dict__"]
    for i, (field, (_, is_made)) in enumerate(zip(fields, shape, strict=True)):
        if is_made:
            body.append(f" if {field} is _MISSING: {field} = make_{i}()")
        body.append(f" d[{field!r}] = {field}")
    if is_finished:
        body.append(" self.__post_init__()")
    scope: dict[str, Any] = {}
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *body]), scope)
    code: CodeType = scope["__init__"].__code__
    return code


def _equal(self: Any, other: Any) -> Any:
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    return self.__compared__(self) == self.__compared__(other)


def _hash(self: Any) -> int:
    return hash(self.__compared__(self))


def _repr(self: object) -> str:
    shown = (f"{n}={getattr(self, n)!r}" for n, spec, _ in _specification(self) if spec.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be set")


def _refuse_delete(self: object, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be deleted")
