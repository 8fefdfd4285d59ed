"""Model files read from disk, and the folder for what is kept between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .diagnostics import ModelError, error
from .source import Source

LARGEST = 20_000_000


def read_source(path: str | os.PathLike[str]) -> Source:
    """The text of a file under the path as given, a byte order mark left out.

    Raises `ModelError` where there is no such file, or it may not be read, is not UTF-8, or is too large.
    """
    name = os.fspath(path)
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            raise _refused(name, f"has more than {LARGEST // 1_000_000} MB", "a model's numbers belong in tables")
        data = file.read_bytes()
    except OSError as refused:
        raise _refused(name, f"cannot be read: {refused.strerror}", None) from refused
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise _refused(name, f"is not UTF-8 text (line {line})", "save it in the encoding UTF-8") from wrong
    return Source(name, text, file)


def cache_folder() -> Path:
    """Where mbdc keeps what it can make again, in the place that each system has for that. It may not exist."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local"), "mbdc", "Cache")
    if sys.platform == "darwin":
        return Path(os.path.expanduser("~/Library/Caches"), "mbdc")
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mbdc")


def _refused(name: str, what: str, help: str | None) -> ModelError:
    return ModelError([error("file-unreadable", f"`{name}` {what}", None, help=help)])
