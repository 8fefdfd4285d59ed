"""A value that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class CircularError(Exception):
    """A value was asked for while it was being worked out."""


class Lazy(Generic[T]):
    """Asks `make` once; an exception leaves it as if it had not been asked.

    `get` raises CircularError where the value depends on itself.
    """

    __slots__ = ("_busy", "_make", "_value")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._value: T | None = None
        self._busy = False

    def get(self) -> T:
        if self._make is None:
            return cast(T, self._value)
        if self._busy:
            raise CircularError
        self._busy = True
        try:
            self._value = self._make()
            self._make = None
        finally:
            self._busy = False
        return self._value
