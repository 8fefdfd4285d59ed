"""What a process loads: each run pays for what it needs, not for what others need."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

MODELS = Path(__file__).parents[1] / "models"
LISTED = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
HELP = f"""
import mbdc.compiler.cli as cli
try:
    cli.main(["--help"])
except SystemExit:
    {LISTED}
"""
READY = f"""
from mbdc import load_model
load_model(path_of_model)._built.kernels.integrators.over(10, 1e-9, 1e-11)
{LISTED}
"""
# Of no use before a run, or only where something is wrong, or slow to load for the little they do.
NOT_FOR_COMPILING = {
    "scipy", "sympy", "pandas", "matplotlib", "numpy.random", "csv", "difflib",
    "mbdc.compiler.runs", "mbdc.compiler.simulate", "mbdc.compiler.initialize", "mbdc.compiler.compare",
    "mbdc.compiler.formulations.choose", "mbdc.compiler.remarks", "mbdc.compiler.summary",
    "mbdc.compiler.report", "mbdc.compiler.show", "mbdc.dsl.recover", "mbdc.dsl.show", "mbdc.dsl.format",
}  # fmt: skip


def loaded(script: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


def test_help_loads_the_command_line_alone() -> None:
    modules = loaded(HELP)
    assert {"click", "mbdc.compiler.cli"} <= modules
    assert modules.isdisjoint({"numpy", "casadi", "lark", "mbdc.compiler.model", "mbdc.dsl.parse"})


@pytest.mark.parametrize("stem", ["monorollbot", "rolling_disc", "chaplygin_sleigh"])
def test_a_model_is_compiled_without_what_runs_it(stem: str) -> None:
    path = MODELS / f"{stem}.mbd"
    modules = loaded(READY.replace("path_of_model", repr(str(path))))
    assert "mbdc.compiler.kernels" in modules
    assert modules.isdisjoint(NOT_FOR_COMPILING)


@pytest.mark.parametrize("name", sorted(NOT_FOR_COMPILING))
def test_what_is_left_out_exists(name: str) -> None:
    """Else a module that has another name now would be left out for ever."""
    assert find_spec(name) is not None
