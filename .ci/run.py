#!/usr/bin/env python3
"""Everything that must hold before a change is kept, from nothing but Python and a package registry.

In a copy of the tree: the wheel is built, installed in a fresh virtual environment, and runs the main job; in
another one the README's two commands are run word for word, the second of which runs all tests; types
are checked on what the wheel holds, and style on the sources. The last lines are pytest's closing lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Byte code is worth writing: tests start many processes.
LEFT_BEHIND = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
MAIN_JOB = "mbdc models/monorollbot.mbd"
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "venv", "build", "dist", "*.egg-info", "__pycache__", "node_modules", ".*_cache"
)


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may have an older one
        print("Python 3.11 or newer is needed")
        return 2
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mbdc-ci-") as folder:
        work = Path(folder)
        tree = work / "tree"
        shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
        run_job, run_tests = readme_commands(tree)
        wheel = build_wheel(tree, work)
        wheel_runs_main_job(wheel, tree, work)
        clone = environment(work / "from-clone")
        command(run_job, tree, clone)
        closing = command(run_tests, tree, clone)
        types_hold(wheel, tree, work, clone)
        command("python -m ruff check .", tree, clone)
        command("python -m ruff format --check .", tree, clone)
    print(f"\nAll holds ({time.monotonic() - started:.0f} s). The tests closed with:")
    print("\n".join(closing))
    return 0


def readme_commands(tree: Path) -> tuple[str, str]:
    """The README's command that runs the main job and the one that runs the tests."""
    text = (tree / "README.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    job = [line for line in lines if "pip install ." in line and MAIN_JOB in line]
    tests = [line for line in lines if "pip install -e" in line and "pytest" in line]
    if len(job) != 1 or len(tests) != 1:
        raise SystemExit("README.md must hold one command that runs the main job and one that runs the tests")
    return job[0], tests[0]


def build_wheel(tree: Path, work: Path) -> Path:
    """The one wheel of the tree."""
    command(
        f"python -m pip wheel --quiet --no-deps --wheel-dir {work / 'dist'} .",
        tree,
        environment(work / "build"),
    )
    (wheel,) = (work / "dist").glob("*.whl")
    # setuptools leaves its staging folder behind, which a later build would pick up.
    shutil.rmtree(tree / "build", ignore_errors=True)
    return wheel


def wheel_runs_main_job(wheel: Path, tree: Path, work: Path) -> None:
    """The main job, run by the installed wheel where no source tree is in reach."""
    place = work / "elsewhere"
    shutil.copytree(tree / "models", place / "models")
    fresh = environment(work / "from-wheel")
    command(f"python -m pip install --quiet {wheel}", place, fresh)
    command(MAIN_JOB, place, fresh)
    if not (place / "monorollbot.csv").is_file():
        raise SystemExit("the main job wrote no monorollbot.csv")


def types_hold(wheel: Path, tree: Path, work: Path, env: dict[str, str]) -> None:
    """mypy on the package as it is installed: the source folders are not laid out under one name."""
    unpacked = work / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    command("python -m mypy", tree, env | {"MYPYPATH": str(unpacked)})


def environment(place: Path) -> dict[str, str]:
    """Variables under which `python` and `mbdc` are those of a new virtual environment."""
    venv.create(place, with_pip=True)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    kept = {name: value for name, value in os.environ.items() if name not in LEFT_BEHIND}
    return kept | {
        "VIRTUAL_ENV": str(place),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def command(line: str, folder: Path, env: dict[str, str]) -> list[str]:
    """Run a shell command, show its output as it comes, and give back the last lines; exit where it fails."""
    print(f"\n$ {line}", flush=True)
    last: deque[str] = deque(maxlen=5)
    with subprocess.Popen(
        line, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for output in process.stdout:
            print(output, end="", flush=True)
            last.append(output.rstrip())
    if process.returncode != 0:
        print("\n" + "\n".join(last))
        raise SystemExit(f"failed with exit code {process.returncode}: {line}")
    return list(last)


if __name__ == "__main__":
    sys.exit(main())
