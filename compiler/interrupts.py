"""Ctrl-C between two pieces of a run: inside a CasADi call an exception would be taken for a wrong argument."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from mbdc.dsl.records import mutable


@mutable
class Interrupts:
    """Whether the user has asked for an end; while `at_once`, an end is an exception there and then."""

    asked: bool = False
    at_once: bool = False

    def check(self) -> None:
        """Raise `KeyboardInterrupt` where an end was asked for."""
        if self.asked:
            raise KeyboardInterrupt

    def ask(self, _signal: int, _frame: FrameType | None) -> None:
        """Whoever asks twice does not want to wait."""
        again, self.asked = self.asked, True
        if again or self.at_once:
            self.check()


_current = Interrupts()


@contextmanager
def at_once() -> Iterator[Interrupts]:
    """For a call that may take long: whatever it makes of an interrupt is a `KeyboardInterrupt` in the end."""
    current = _current
    current.at_once = True
    try:
        yield current
        current.check()
    except Exception as failure:
        if current.asked:
            raise KeyboardInterrupt from failure
        raise
    finally:
        current.at_once = False


@contextmanager
def deferred() -> Iterator[Interrupts]:
    """Ctrl-C is noted, for `check` to act on; a handler of the user's own, and other threads, are left alone."""
    global _current
    interrupts = Interrupts()
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return
    _current = interrupts
    signal.signal(signal.SIGINT, interrupts.ask)
    try:
        yield interrupts
    finally:
        _current = Interrupts()
        signal.signal(signal.SIGINT, signal.default_int_handler)
