"""Python's search for cyclic garbage, and when it is not worth its time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cyclic garbage meanwhile.

    A compilation makes hundreds of thousands of small objects that live to its end: looking through them again and
    again takes as long as all the rest.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
