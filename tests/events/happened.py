"""What tests ask of events: the times of those of one name."""

from __future__ import annotations

from typing import Any

import numpy as np


def times(result: Any, name: str, what: str = "") -> np.ndarray:
    """Times (n,) of the events of a name whose sentence contains `what`."""
    return np.array([e.time for e in result.events if e.name == name and what in e.what])


def after(result: Any, time: float) -> int:
    """The last row recorded at a time: the state after what happened there."""
    return int(np.flatnonzero(result.time == time)[-1])


def before(result: Any, time: float) -> int:
    """The first row recorded at a time."""
    return int(np.flatnonzero(result.time == time)[0])
