"""Room for recursion over what users nest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Deep enough for all that the bounds of the passes let through; Python's own 1000 is not.
_DEEPEST = 30_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raises Python's limit while it is open. What is deeper still raises RecursionError."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
