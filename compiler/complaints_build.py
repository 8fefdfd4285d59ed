"""What is said of statements that are understood, but cannot be run, or do what others do already."""

from __future__ import annotations

from collections.abc import Sequence

from mbdc.dsl.diagnostics import Diagnostic, Related, error, note, warning
from mbdc.dsl.source import Span


def contact_too_deep(kind: str, name: str, span: Span) -> Diagnostic:
    """A limit or friction beside a servo whose hidden constraints contain derivatives of accelerations."""
    return error(
        "contact-too-deep",
        f"{kind} `{name}` cannot act here: a servo ties derivatives of accelerations, which a sudden force would break",
        span,
        help="use a `force` in place of the servo, or take the limit or friction out",
    )


def nothing_moves(name: str, span: Span) -> Diagnostic:
    """A model whose run would have nothing to follow."""
    return error(
        "nothing-moves",
        f"nothing moves in `{name}`: it has no coordinate, and no unknown whose rate an equation gives",
        span,
        help="declare a `coordinate`, or find an unknown by an `equation` with its `der`",
    )


def force_repeats_potential(force: str, potential: str, span: Span, related: Span) -> Diagnostic:
    """A force statement equal to minus the gradient of a potential: legal, and hardly ever meant."""
    one = f"force `{force}`" if force else "this force"
    other = f"potential `{potential}`" if potential else "a declared potential"
    return warning(
        "force-repeats-potential",
        f"{one} is the same force as that of {other}, which acts already: together they act twice",
        span,
        Related("the potential", related),
        help="take out one of them, unless twice the force is meant",
    )


def more_rows_than_coordinates(rows: int, velocities: int, names: Sequence[str], span: Span) -> Diagnostic:
    """Holonomic constraints outnumber the coordinates: some repeat others, or nothing moves."""
    shown = ", ".join(f"`{name}`" for name in names[:6]) + (", ..." if len(names) > 6 else "")
    return note(
        "more-rows-than-coordinates",
        f"{rows} holonomic rows ({shown}) restrict {velocities} coordinates: some must repeat others",
        span,
        help="the report of a run names those that do; where none does, no start satisfies all of them",
    )
