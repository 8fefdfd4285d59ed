"""What is said to a user about a model: one complaint, its place, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from .records import frozen
from .source import Span


class Severity(StrEnum):
    """How grave a diagnostic is; only an error stops the compilation."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@frozen
class Related:
    """A second place that explains a diagnostic, such as "declared here"."""

    message: str
    span: Span


@frozen
class Diagnostic:
    """One complaint.

    `code` is a stable slug (``unknown-name``); `message` names the user's own thing;
    `help` says what to do. `span` is None only where no place in a text exists
    (a command-line value, a file that is not there).
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    related: tuple[Related, ...] = ()
    help: str | None = None

    def to_json(self) -> dict[str, Any]:
        """A dictionary with file, start and end line and column, severity, code and message."""
        result: dict[str, Any] = {"severity": str(self.severity), "code": self.code, "message": self.message}
        result |= _place(self.span)
        if self.help is not None:
            result["help"] = self.help
        if self.related:
            result["related"] = [{"message": r.message} | _place(r.span) for r in self.related]
        return result


class MbdError(Exception):
    """What a user's model, start or run got wrong, as diagnostics; a bug of ours is never one of these."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(render_all(self.diagnostics))


class ModelError(MbdError):
    """A model that cannot be compiled; carries every diagnostic found."""


def error(code: str, message: str, span: Span | None, *related: Related, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, related, help)


def warning(code: str, message: str, span: Span | None, *related: Related, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, span, related, help)


def note(code: str, message: str, span: Span | None, *related: Related, help: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.NOTE, message, span, related, help)


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as a person reads it: place, sentence, source line with carets, advice."""
    lines = [_headline(diagnostic.span, f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}")]
    if diagnostic.span is not None:
        lines += _excerpt(diagnostic.span)
    for related in diagnostic.related:
        lines.append(_headline(related.span, f"note: {related.message}"))
        lines += _excerpt(related.span)
    if diagnostic.help is not None:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics, a blank line between two of them."""
    return "\n\n".join(render(d) for d in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, each said once however many instances of a part repeat it."""
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for d in diagnostics:
        place = (d.span.source.name, d.span.start, d.span.end) if d.span else ("", 0, 0)
        unique.setdefault((place, d.code, d.message), d)
    return [unique[key] for key in sorted(unique, key=lambda key: (key[0], key[1]))]


def _headline(span: Span | None, text: str) -> str:
    return text if span is None else f"{span}: {text}"


def _excerpt(span: Span) -> list[str]:
    number, column = span.source.position(span.start)
    line = span.source.line(number)
    if len(line) > 500:
        return []
    width = max(1, min(span.end - span.start, len(line) - column + 1))
    # A tab stays a tab under the line, so that the carets stand where the eye expects them.
    indent = "".join("\t" if character == "\t" else " " for character in line[: column - 1])
    return [f"{number:5} | {line}", f"      | {indent}{'^' * width}"]


def _place(span: Span | None) -> dict[str, Any]:
    if span is None:
        return {}
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }
