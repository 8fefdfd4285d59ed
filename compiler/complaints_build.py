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


def nothing_moves(name: str, span: Span) -> Diagnostic:
    """A model whose run would have nothing to follow."""
    return error(
        "nothing-moves",
        f"nothing moves in `{name}`: it has no coordinate, and no unknown whose rate an equation gives",
        span,
        help="declare a `coordinate`, or find an unknown by an `equation` with its `der`",
    )
