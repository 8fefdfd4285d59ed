"""Everything the README shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from code_blocks import CodeBlock, code_blocks, ran

from mbdc import load_model

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"

COMMANDS = [line for block in code_blocks(README, "sh") for line in block.text.splitlines()]
# These two install the project; `.ci/run` runs them word for word in a fresh environment.
INSTALLING = [line for line in COMMANDS if "pip install" in line]


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.language for block in code_blocks(README)} == {"mbd", "sh", "python"}


@pytest.mark.parametrize("block", code_blocks(README, "mbd"), ids=str)
def test_models_run(block: CodeBlock) -> None:
    model = load_model(text=block.text, strict=True)
    result = model.simulate(stop_time=0.2, interval=0.1)
    assert result.time[-1] == 0.2


@pytest.mark.parametrize("block", code_blocks(README, "python"), ids=str)
def test_python_runs(block: CodeBlock, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    exec(compile(block.text, str(block), "exec"), {})


@pytest.mark.parametrize("line", [line for line in COMMANDS if line not in INSTALLING])
def test_commands_run(line: str, clone: Path) -> None:
    run = ran(line, clone)
    assert run.returncode == 0, run.stderr
    assert run.stdout


def test_the_installing_commands_are_those_of_ci() -> None:
    assert INSTALLING == [
        "python -m pip install . && mbdc models/monorollbot.mbd",
        "python -m pip install -e '.[test]' && python -m pytest",
    ]
    ci = (ROOT / ".ci" / "run.py").read_text(encoding="utf-8")
    assert "readme_commands" in ci and "mbdc models/monorollbot.mbd" in ci


def test_links_lead_somewhere() -> None:
    prose = re.sub(r"```.*?```", "", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", prose):
        assert (ROOT / target).exists(), target
