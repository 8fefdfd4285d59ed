"""Random small systems with stops and friction: energy never grows, nothing is passed, nothing hangs."""

from __future__ import annotations

import pytest
import random_systems

FAMILIES = {"line": 0, "plane": 1, "pendulum": 2}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("part", range(4))
def test_all_holds_of_random_systems(family: str, part: int) -> None:
    seeds = [FAMILIES[family] + 3 * k for k in range(10 * part, 10 * part + 10)]
    verdicts = [random_systems.judge(seed) for seed in seeds]
    assert [verdict for verdict in verdicts if verdict.faults] == []
    # Some come to where no forces exist; most do not.
    assert sum(bool(verdict.stopped) for verdict in verdicts) <= 2
