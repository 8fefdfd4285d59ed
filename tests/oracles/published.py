"""Published and independently confirmed motions, in the names of the models here.

`published.json` holds each problem's source, how its numbers were confirmed, and the numbers by time. An
entry with `run` is simulated as it says: `parameters`, `start`, `stop`, `interval`, `tolerance`, and what it
may be off by (`absolute`, `relative`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROBLEMS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


def at(problem: str, time: str, *names: str) -> dict[str, float]:
    """The numbers of a problem at a time as it is written there, all or those named."""
    values: dict[str, float] = PROBLEMS[problem]["values"][time]
    return {name: values[name] for name in names} if names else values
