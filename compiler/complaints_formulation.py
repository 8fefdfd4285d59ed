"""What is said where a formulation cannot take a model that the default can."""

from __future__ import annotations

from collections.abc import Iterable

from mbdc.dsl.diagnostics import Diagnostic, error
from mbdc.dsl.source import Span

from .equations import Row
from .mechanics import ConstraintRow, Force, NamedScalars, Servo


def no_servo(title: str, servo: Servo) -> Diagnostic:
    """An input that is to be found acts along a force, not along a constraint's gradient."""
    return _cannot(title, f"it has no place for the unknown inputs of servo `{servo.name}`", servo.span)


def no_equation(title: str, unknown: NamedScalars) -> Diagnostic:
    """Motion alone, without first-order or algebraic equations beside it."""
    return _cannot(title, f"it has no place for `{unknown.name}`, found by an equation", unknown.span)


def no_statement(title: str, statement: str, name: str, span: Span) -> Diagnostic:
    """A statement that changes the equations during a run."""
    called = f"`{statement} {name}`" if name else f"a `{statement}`"
    return _cannot(title, f"{called} changes the equations during the run", span)


def force_of_reaction(title: str, force: Force) -> Diagnostic:
    """A force that is known only together with the accelerations or reactions."""
    return _cannot(title, f"force `{force.name}` depends on an acceleration or a reaction", force.span)


def hidden_too_deep(title: str, row: Row, times: int) -> Diagnostic:
    """A row that must be differentiated more often than its kind of constraint is in mechanics."""
    return _cannot(title, f"`{row.name}` would have to be differentiated {times} times", row.span)


def redundant_row(title: str, row: ConstraintRow, of: Iterable[ConstraintRow]) -> Diagnostic:
    """Dependent rows leave the multipliers, or the directions of motion, undetermined."""
    others = ", ".join(f"`{r.label}`" for r in of)
    return _cannot(title, f"it needs independent rows, but `{row.label}` follows from {others}", row.span)


def needs_inertia(title: str, names: Iterable[str], span: Span) -> Diagnostic:
    """The mass matrix is to be inverted and cannot be."""
    listed = ", ".join(f"`{name}`" for name in names)
    return _cannot(title, f"it inverts the mass matrix, which is singular at the start in {listed}", span)


def not_linear(title: str, row: ConstraintRow) -> Diagnostic:
    """Velocities that a constraint allows are no linear space."""
    return _cannot(title, f"`{row.label}` is not linear in the velocities", row.span)


def _cannot(title: str, why: str, span: Span) -> Diagnostic:
    return error("formulation-cannot", f"{title} cannot take this model: {why}", span)
