"""How a recorded run is held against published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def assert_at(
    result: Any,
    time: float,
    expected: Mapping[str, float],
    *,
    absolute: float = 0.0,
    relative: float = 0.0,
) -> None:
    """Each named quantity at the recorded instant `time` is within absolute + relative·|expected|.

    All misses are reported at once, with the error that would have been allowed.
    """
    instant = int(np.argmin(np.abs(result.time - time)))
    assert abs(result.time[instant] - time) < 1e-9 * max(1.0, time), f"nothing was recorded at {time} s"
    misses = []
    for name, value in expected.items():
        computed = float(result[name][instant])
        allowed = absolute + relative * abs(value)
        if not abs(computed - value) <= allowed:
            misses.append(f"{name}: {computed!r} is not {value!r} ({computed - value:.2e}, allowed {allowed:.1e})")
    assert not misses, f"at {time} s: " + "; ".join(misses)


def drift(result: Any, name: str) -> float:
    """How far a quantity that should be constant strays from its first value, over all instants."""
    values = np.asarray(result[name])
    return float(np.max(np.abs(values - values[0])))
