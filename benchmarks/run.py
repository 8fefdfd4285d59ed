"""Start-up times of whole cold processes, against what the same would cost without mbdc.

    python benchmarks/run.py [repeats]

Runs what is compared in turn, so that a noisy machine is noisy for both, and prints medians, the difference
and the ratio. Byte code and parser tables are warm: everything has been run once before it is timed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
PYTHON = sys.executable
# As on a user's machine, byte code is kept: without it all imports look several times slower.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Comparison:
    """Two commands that do the same; ours may take `allowed` seconds more."""

    name: str
    ours: tuple[str, ...]
    plain: tuple[str, ...]
    allowed: float


def comparisons() -> list[Comparison]:
    systems = ("monorollbot", "rolling_disc", "chaplygin_sleigh")
    ready = [
        Comparison(
            f"{name}: text to integrator",
            (PYTHON, str(HERE / "ready.py"), str(MODELS / f"{name}.mbd")),
            (PYTHON, str(HERE / "by_hand" / f"{name}.py")),
            0.2,
        )
        for name in systems
    ]
    helping = Comparison("mbdc --help", (str(Path(PYTHON).parent / "mbdc"), "--help"), (PYTHON, "-c", "pass"), 0.15)
    return [*ready, helping]


def seconds(command: tuple[str, ...]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return time.perf_counter() - started


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"medians of {repeats} cold processes each, in s")
    print(f"{'':32}{'mbdc':>8}{'plain':>8}{'more':>8}{'ratio':>8}   goal")
    for comparison in comparisons():
        seconds(comparison.ours), seconds(comparison.plain)
        pairs = [(seconds(comparison.ours), seconds(comparison.plain)) for _ in range(repeats)]
        ours, plain = (median(column) for column in zip(*pairs, strict=True))
        more = ours - plain
        verdict = "met" if more <= comparison.allowed else "missed"
        print(
            f"{comparison.name:32}{ours:8.3f}{plain:8.3f}{more:8.3f}{ours / plain:8.2f}"
            f"   <= {comparison.allowed} more: {verdict}"
        )


if __name__ == "__main__":
    main()
