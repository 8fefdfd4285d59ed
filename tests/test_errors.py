"""One mistake a file: `tests/errors/*.mbd`.

Each line with a mistake says in a comment what must be told there: `// error: unknown-name`, several with
commas between: `// error: unknown-name, warning: unused-input`. A complaint without a place stands on the
first line as `// error without place: no-model`. What is told, word for word, is kept in `golden/errors.txt`;
`python -m pytest tests/test_errors.py --accept` writes that file anew.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from mbdc.dsl.analyse import analyse
from mbdc.dsl.diagnostics import Diagnostic, render_all
from mbdc.dsl.source import Source

HERE = Path(__file__).parent
ROOT = HERE.parent
FILES = sorted((HERE / "errors").glob("*.mbd"))
GOLDEN = HERE / "golden" / "errors.txt"
EXPECTED = re.compile(r"(error|warning|note)( without place)?: ([a-z-]+)")

Told = tuple[int, str, str]


@cache
def diagnostics(path: Path) -> tuple[Diagnostic, ...]:
    source = Source(f"errors/{path.name}", path.read_text(encoding="utf-8"), path)
    return analyse(source).diagnostics


def expected(path: Path) -> list[Told]:
    """Line, severity and code of each complaint that a file announces; line 0 for those without a place."""
    told: list[Told] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for severity, nowhere, code in EXPECTED.findall(line.partition("//")[2]):
            told.append((0 if nowhere else number, severity, code))
    return sorted(told)


def line(diagnostic: Diagnostic) -> int:
    span = diagnostic.span
    return 0 if span is None else span.source.position(span.start)[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_told_its_mistakes_and_no_others(path: Path) -> None:
    told = sorted((line(d), str(d.severity), d.code) for d in diagnostics(path))
    assert told == expected(path), render_all(diagnostics(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_announces_a_mistake(path: Path) -> None:
    assert expected(path)


def test_what_is_told_is_as_accepted(request: pytest.FixtureRequest) -> None:
    parts = []
    for path in FILES:
        text = render_all(diagnostics(path)).replace(str(ROOT / "models"), "models").replace(f"{HERE}/", "")
        parts.append(f"=== {path.name}\n{text}\n")
    told = "\n".join(parts)
    if request.config.getoption("--accept"):
        GOLDEN.write_text(told, encoding="utf-8")
    assert GOLDEN.exists() and told == GOLDEN.read_text(encoding="utf-8"), (
        "read the difference; `python -m pytest tests/test_errors.py --accept` keeps it"
    )
