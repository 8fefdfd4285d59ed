"""How the command speaks: to a person, as the work goes on, or to a program, in one JSON document."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mbdc.dsl.diagnostics import Diagnostic, MbdError, Severity, render

if TYPE_CHECKING:
    from .compare import Comparison
    from .model import Model
    from .trajectory import Result

Progress = Callable[[float, float], None]

_OUTCOMES = {0: "done", 1: "wrong model or start", 2: "wrong usage", 3: "stopped early"}


class Voice(Protocol):
    """What the command has to say, in the order it comes up; `finish` hands the exit code back."""

    def system(self, model: Model) -> None:
        """The model was compiled: what it is, and what there is to note about it."""

    def complain(self, error: MbdError) -> None:
        """Something about the model, its start or its run is wrong."""

    def warn(self, text: str) -> None:
        """Something about this machine needs to be known."""

    def report(self, result: Result, path: Path) -> None:
        """The run is over and its result is in the file."""

    def notes(self, model: Model) -> None:
        """The model was compiled: what there is to note about it."""

    def comparison(self, comparison: Comparison) -> None:
        """Formulations have been run side by side."""

    def progress(self) -> Any:
        """A context in which a run tells how far it is."""

    def finish(self, code: int) -> int:
        """Nothing more is to come."""


class TextVoice:
    """Sentences: the system and the report on standard output, complaints on standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    def system(self, model: Model) -> None:
        self._diagnostics(model.diagnostics)
        if not self._quiet:
            print(model.summary, end="\n\n", flush=True)

    def complain(self, error: MbdError) -> None:
        self._diagnostics(error.diagnostics)
        if error.diagnostics:
            print(_tally(error.diagnostics), file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        print(f"warning: {text}", file=sys.stderr, flush=True)

    def report(self, result: Result, path: Path) -> None:
        if not self._quiet:
            print(result.report.to_text(), end="\n\n")
            print(f"Written to {path}: {len(result.names)} columns, {len(result.time)} rows.", flush=True)

    def notes(self, model: Model) -> None:
        self._diagnostics(model.diagnostics)

    def comparison(self, comparison: Comparison) -> None:
        print(comparison.to_text(), flush=True)

    @contextmanager
    def progress(self) -> Iterator[Progress | None]:
        if self._quiet or not sys.stderr.isatty():
            yield None
            return
        from .progress import ProgressBar

        bar = ProgressBar()
        try:
            yield bar
        finally:
            bar.close()

    def finish(self, code: int) -> int:
        return code

    def _diagnostics(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if not (self._quiet and diagnostic.severity is Severity.NOTE):
                print(render(diagnostic), end="\n\n", file=sys.stderr, flush=True)


class JsonVoice:
    """One JSON document on standard output at the end; numbers that are not finite become null."""

    def __init__(self) -> None:
        self._document: dict[str, Any] = {
            "exit_code": 0,
            "outcome": "",
            "diagnostics": [],
            "warnings": [],
            "system": None,
            "report": None,
            "output": None,
        }

    def system(self, model: Model) -> None:
        self._document["system"] = model.summary.to_json()
        self._document["diagnostics"] += [d.to_json() for d in model.diagnostics]

    def complain(self, error: MbdError) -> None:
        self._document["diagnostics"] += [d.to_json() for d in error.diagnostics]

    def warn(self, text: str) -> None:
        self._document["warnings"].append(text)

    def usage(self, message: str, code: int) -> None:
        """The command line itself is wrong."""
        self._document["diagnostics"].append({"severity": "error", "code": "usage", "message": message})
        self.finish(code)

    def report(self, result: Result, path: Path) -> None:
        self._document["report"] = result.report.to_json()
        self._document["output"] = str(path)

    def notes(self, model: Model) -> None:
        self._document["diagnostics"] += [d.to_json() for d in model.diagnostics]

    def comparison(self, comparison: Comparison) -> None:
        self._document["comparison"] = comparison.to_json()

    @contextmanager
    def progress(self) -> Iterator[Progress | None]:
        yield None

    def finish(self, code: int) -> int:
        self._document |= {"exit_code": code, "outcome": _OUTCOMES[code]}
        print(json.dumps(_finite(self._document), indent=2, ensure_ascii=False), flush=True)
        return code


def _tally(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    severities = [d.severity for d in diagnostics]
    counts = [(s, severities.count(s)) for s in Severity if s in severities]
    return ", ".join(f"{n} {s}" if n == 1 else f"{n} {s}s" for s, n in counts)


def _finite(value: Any) -> Any:
    """The same document with null where JSON has no number."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value
