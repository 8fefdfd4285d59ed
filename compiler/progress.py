"""A progress line for long runs, on a terminal only."""

from __future__ import annotations

import sys
import time

_PATIENCE = 1.0
_BETWEEN = 0.1
_WIDTH = 30


class ProgressBar:
    """Called with the time reached and the stop time; shows nothing in the first second."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._shown = 0.0
        self._visible = False

    def __call__(self, reached: float, stop: float) -> None:
        now = time.monotonic()
        if now - self._started < _PATIENCE or now - self._shown < _BETWEEN:
            return
        self._shown = now
        self._visible = True
        part = min(1.0, reached / stop) if stop > 0 else 1.0
        done = round(_WIDTH * part)
        bar = "█" * done + "·" * (_WIDTH - done)
        sys.stderr.write(f"\r{bar} {part:4.0%}  {reached:.4g} s of {stop:.4g} s\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line, so that the report starts on a clean one."""
        if self._visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
