"""What linking complains about: files and classes that are not there, cycles, names given twice."""

from __future__ import annotations

from .diagnostics import Diagnostic, Related, error
from .source import Span


def _meant(suggestion: str | None) -> str | None:
    return f"did you mean `{suggestion}`?" if suggestion else None


def unknown_import(span: Span, path: str, suggestion: str | None, looked_in: list[str]) -> Diagnostic:
    advice = _meant(suggestion) or "looked in " + ", ".join(looked_in)
    return error("unknown-import", f"no file holds `{path}`", span, help=advice)


def unknown_class(span: Span, name: str, suggestion: str | None, where: str) -> Diagnostic:
    return error("unknown-class", f"there is no class `{name}` {where}", span, help=_meant(suggestion))


def not_a_class(span: Span, name: str, what: str) -> Diagnostic:
    return error(
        "unknown-class",
        f"`{name}` is {what}, which cannot be extended",
        span,
        help="extend a model or a record",
    )


def kinds_differ(span: Span, kind: str, name: str, other: str) -> Diagnostic:
    return error("extends-kind", f"a {kind} cannot extend the {other} `{name}`", span)


def import_cycle(span: Span, chain: list[str]) -> Diagnostic:
    return error(
        "import-cycle",
        f"files import each other in a circle: {' imports '.join(chain)}",
        span,
        help="move what both need into a file of its own",
    )


def inheritance_cycle(span: Span, chain: list[str]) -> Diagnostic:
    return error("cyclic-inheritance", f"`{chain[0]}` extends itself: {' extends '.join(chain)}", span)


def duplicate_class(span: Span, name: str, first: Span) -> Diagnostic:
    return error("duplicate-name", f"`{name}` is declared twice", span, Related("first declared here", first))


def built_in(span: Span, name: str) -> Diagnostic:
    return error("reserved-name", f"`{name}` is built in and cannot be declared", span, help="choose another name")


def unreadable(span: Span, message: str, help: str | None) -> Diagnostic:
    return error("file-unreadable", message, span, help=help)


def too_many_files(span: Span, limit: int) -> Diagnostic:
    return error("too-large", f"more than {limit} files are imported", span)
