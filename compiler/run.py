"""What to run, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import field, frozen, mutable

from .integrate import State
from .record import Record
from .redundancy import Redundancy

Floats = NDArray[np.float64]
Progress = Callable[[float, float], None]
"""Called with the time reached and the stop time."""

LOST = "the motion cannot be followed further"
"""The reason of a run that its integrator gave up."""


@frozen
class Plan:
    """What to run: instants every `interval` from `start` to `stop` (s), relative accuracy `tolerance`."""

    start: float
    stop: float
    interval: float
    tolerance: float

    def parts_of_at_least(self, count: int) -> int:
        """In how many parts each interval is to be cut for a run to have so many instants."""
        return max(1, int(np.ceil(count * self.interval / (self.stop - self.start))))

    def instants(self, parts: int = 1) -> Floats:
        """Those after the start, each interval in so many parts.

        The stop time is the last also where the interval does not divide it.
        """
        step = self.interval / parts
        whole = int(np.floor((self.stop - self.start) / step * (1 + 1e-12)))
        grid: Floats = self.start + step * np.arange(1, whole + 1, dtype=np.float64)
        if not whole or self.stop - grid[-1] > 1e-9 * step:
            return np.append(grid, self.stop)
        grid[-1] = self.stop
        return grid


@mutable
class Run:
    """What came of it. `outcome` and `reason` as in `Report`; `steps` of the integrator in all.

    `events` are (time, name, what), `notes` what there is to say about them.
    `lost` is the last state before the integrator gave up, `rank_change` the first time at which the constraint
    rows had another rank than at the start, and their dependence then.
    """

    record: Record
    outcome: Literal["completed", "ended", "stopped"] = "completed"
    reason: str = ""
    steps: int = 0
    wall_time: float = 0.0
    events: list[tuple[float, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lost: State | None = None
    rank_change: tuple[float, Redundancy | None] | None = None
