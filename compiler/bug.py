"""What a user is told when the fault is ours."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence


def report_bug(bug: Exception, words: Sequence[str], code: int) -> int:
    """Tell of a bug in mbdc, keep the traceback in a file, and give back the exit code.

    With the environment variable MBDC_TRACEBACK set, the traceback is printed.
    """
    what = f"{type(bug).__name__}: {bug}".splitlines()[0][:300]
    trace = "".join(traceback.format_exception(bug))
    if os.environ.get("MBDC_TRACEBACK"):
        sys.stderr.write(trace)
        place = "is printed above"
    else:
        command = " ".join(["mbdc", *words])
        place = "is in " + _kept(f"{command}\n{trace}")
    if "--json" in words:
        print(json.dumps({"exit_code": code, "outcome": "bug", "message": what}))
    sys.stderr.write(
        f"This is a bug in mbdc, not in your model: {what}\n"
        f"Please report it together with the model; the full account {place}.\n"
    )
    return code


def _kept(text: str) -> str:
    handle, name = tempfile.mkstemp(prefix="mbdc-bug-", suffix=".txt")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return name
