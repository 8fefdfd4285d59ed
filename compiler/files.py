"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Write UTF-8 text beside `path` and put it in its place at the end; an older file stays until then.

    Raises `OSError` where the folder or the file cannot be written.
    """
    target = path.resolve()
    if target.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def why_not_writable(path: Path) -> str:
    """A sentence on why `write_atomically` would refuse this path; empty where it would not.

    Found out by writing nothing: a full disk is not seen.
    """
    target = path.resolve()
    if target.is_dir():
        return f"{path} is a folder"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return f"the folder {target.parent} may not be written to"
    if target.exists() and not os.access(target, os.W_OK):
        return f"{path} may not be overwritten"
    return ""
