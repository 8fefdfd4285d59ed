"""A bound on work whose end cannot be foreseen.

Calls of Python functions are counted, not seconds: one text gets one answer, on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class OutOfEffort(BaseException):
    """The calls are used up. No `Exception`, so that the library at work does not take it for one of its own."""


class Effort:
    """So many calls, for all blocks of code that share it."""

    def __init__(self, calls: int) -> None:
        self._left = calls

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Raises `OutOfEffort` inside the block as soon as the calls are used up."""
        before = sys.getprofile()
        sys.setprofile(self._count)
        try:
            yield
        finally:
            # A profiler written in C cannot be put back by its own object; it stays away.
            sys.setprofile(before if callable(before) else None)

    def _count(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call":
            return
        self._left -= 1
        if self._left < 0:
            raise OutOfEffort
