"""What to run, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .record import Record

Progress = Callable[[float, float], None]
"""Called with the time reached and the stop time."""


@dataclass(frozen=True)
class Plan:
    """What to run: instants every `interval` from `start` to `stop` (s), relative accuracy `tolerance`."""

    start: float
    stop: float
    interval: float
    tolerance: float


@dataclass
class Run:
    """What came of it. `outcome` and `reason` as in `Report`; `steps` of the integrator in all."""

    record: Record
    outcome: Literal["completed", "ended", "stopped"] = "completed"
    reason: str = ""
    steps: int = 0
    wall_time: float = 0.0
    events: list[tuple[float, str, str]] = field(default_factory=list)
