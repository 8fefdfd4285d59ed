"""What is said of statements that are understood, but cannot be run."""

from __future__ import annotations

from mbdc.dsl.diagnostics import Diagnostic, error
from mbdc.dsl.source import Span


def not_run_yet(statement: str, name: str, span: Span) -> Diagnostic:
    """A statement of the language whose run-time does not exist in this version."""
    called = f"`{statement} {name}`" if name else f"this `{statement}`"
    return error(
        "not-supported",
        f"{called} is understood, but this version cannot simulate `{statement}` statements",
        span,
        help="take it out to run the rest of the model",
    )
