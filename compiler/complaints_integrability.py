"""What is said of constraints on velocities: one function for each complaint, wording only here."""

from __future__ import annotations

from collections.abc import Sequence

from mbdc.dsl.diagnostics import Diagnostic, Related, error, note
from mbdc.dsl.source import Span

from .first_integrals import Integral
from .form_functions import Function
from .generic_points import POINTS
from .mechanics import Constraint
from .pfaffian import Block

_CHECKED = f"checked at {POINTS} points near the start"


def not_holonomic(constraint: Constraint, vector: Sequence[int], block: Block) -> Diagnostic:
    """`holonomic` on rows that do not integrate: how far the motions they allow lead."""
    return error(
        "qualifier-wrong",
        f"constraint `{constraint.name}` is called holonomic, but does not integrate to a relation between "
        f"positions: {_reach(vector, block)}",
        constraint.span,
        help="leave the qualifier out, or write `nonholonomic`",
    )


def not_holonomic_as_nonlinear(constraint: Constraint) -> Diagnostic:
    return error(
        "qualifier-wrong",
        f"constraint `{constraint.name}` is called holonomic, but is not linear in the velocities: the "
        "derivative of a relation between positions always is",
        constraint.span,
        help="leave the qualifier out, or write `nonholonomic`",
    )


def not_nonholonomic(constraint: Constraint, integrals: Sequence[Integral]) -> Diagnostic:
    """`nonholonomic` on rows that integrate by themselves."""
    functions = [i.function for i in integrals if i.function is not None]
    if functions:
        says = f"it keeps {_listed([f'`{f.text}`' for f in functions])} constant"
    else:
        says = "the motions it allows keep to a surface in the space of positions"
    return error(
        "qualifier-wrong",
        f"constraint `{constraint.name}` is called nonholonomic, but integrates: {says} ({_CHECKED})",
        constraint.span,
        help=_position_form(constraint.name, functions[0])
        if len(functions) == 1 and constraint.size == 1
        else "leave the qualifier out, or write it at position level",
    )


def integrable(integral: Integral, alone: bool, freedom: int) -> Diagnostic:
    """A row, or a combination of rows, that is the derivative of a function of position."""
    first, *others = integral.rows
    function = integral.function
    says = _says(function, bool(others), alone)
    whole = first.label == first.constraint
    subject = f"constraint `{first.label}`" if whole else f"row `{first.label}`"
    if others:
        subject = f"rows {_listed([f'`{row.label}`' for row in integral.rows])} hide an integral: "
        subject += integral.combination or "a combination that varies with position"
    condition = "" if integral.general else ", with the parameter values as given"
    return note(
        "integrable",
        f"{subject} {says}{condition}; {_freedom(freedom)} ({_CHECKED})",
        first.span,
        *(Related("together with this row", row.span) for row in others if row.span != first.span),
        help=_advice(integral),
    )


def _says(function: Function | None, combined: bool, alone: bool) -> str:
    """What a row or a combination of rows is, behind its name."""
    whole = "" if combined else "is integrable: it "
    match function:
        case None if combined:
            return "is the derivative of a function of position up to a factor, which was not found"
        case None if alone:
            return "is integrable: it restricts positions, not velocities alone, by no function that was found"
        case None:
            return "is integrable where the other constraints hold too: it restricts positions"
        case Function(with_others=True):
            return f"{whole}keeps `{function.text}` constant where the other constraints hold too"
        case Function(factor=True):
            return f"{whole}is, up to a factor, the derivative of `{function.text}`, which stays constant"
        case _:
            return f"{whole}is the derivative of `{function.text}`, which stays constant"


def partly_integrable(labels: Sequence[str], count: int, freedom: int, span: Span) -> Diagnostic:
    """Integrals of which is known that they exist, but not what they are."""
    hidden = "an integral" if count == 1 else f"{count} integrals"
    return note(
        "integrable",
        f"rows {_listed([f'`{label}`' for label in labels])} together hide {hidden}, by combinations that "
        f"vary with position; {_freedom(freedom)} ({_CHECKED})",
        span,
    )


def untested(labels: Sequence[str], why: str, span: Span) -> Diagnostic:
    named = _listed([f"`{label}`" for label in labels])
    subject = f"rows {named} together restrict" if len(labels) > 1 else f"row {named} restricts"
    return note("integrability-untested", f"whether {subject} positions was not tested: {why}", span)


def chetaev(constraint: Constraint) -> Diagnostic:
    return note(
        "chetaev",
        f"constraint `{constraint.name}` is not linear in the velocities: its force is taken along its "
        "gradient by velocities (Chetaev's rule), which is a choice, not a law",
        constraint.span,
    )


def _reach(vector: Sequence[int], block: Block) -> str:
    """How far a distribution reaches, in words."""
    among = "positions and time" if block.timed else "positions"
    return (
        f"the motions allowed, {vector[0]} at a time, lead to {vector[-1]} dimensions of {among} "
        f"(growth vector {vector_text(vector)}, at {POINTS} points near the start)"
    )


def vector_text(vector: Sequence[int]) -> str:
    """`(2, 3, 5)`."""
    return f"({', '.join(str(d) for d in vector)})"


def _freedom(freedom: int) -> str:
    return f"the motion has {freedom} {'degree' if freedom == 1 else 'degrees'} of freedom in position"


def _advice(integral: Integral) -> str | None:
    function = integral.function
    if function is None:
        return None
    first, *others = integral.rows
    if others:
        relation = f"{function.text} = {_constant(function)}"
        replaced = f"put `constraint together: {relation};` in the place of one of them"
        return f"{replaced}: then the position cannot drift"
    return _position_form(first.label, function)


def _position_form(label: str, function: Function) -> str:
    name = label.rpartition(".")[2].replace("[", "_").replace("]", "")
    relation = f"{function.text} = {_constant(function)}"
    return f"write it at position level, `constraint {name}: {relation};`: then the position cannot drift"


def _constant(function: Function) -> str:
    return "..." if function.value is None else f"{function.value + 0.0:.9g}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names) if len(names) <= 6 else [*names[:6], f"{len(names) - 6} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
