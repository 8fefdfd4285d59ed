"""Every published motion that needs nothing but a run, as accurately as it is known."""

from __future__ import annotations

import pytest
from comparison import assert_at
from published import PROBLEMS

RUNS = {problem: entry for problem, entry in PROBLEMS.items() if "run" in entry}


@pytest.mark.parametrize(
    "problem",
    [pytest.param(p, marks=pytest.mark.slow) if e["run"].get("slow") else p for p, e in RUNS.items()],
)
def test_published_motion(compiled, problem):
    entry = RUNS[problem]
    run = entry["run"]
    times = {float(time): values for time, values in entry["values"].items()}
    result = compiled(entry["model"], **run.get("parameters", {})).simulate(
        stop_time=run.get("stop", max(times)),
        interval=run["interval"],
        tolerance=run["tolerance"],
        start=run.get("start", {}),
    )
    for time, values in times.items():
        absolute, relative = run.get("absolute", 0.0), run.get("relative", 0.0)
        assert_at(result, time, values, absolute=absolute, relative=relative)
