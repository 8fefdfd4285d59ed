"""What is said of a start that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic, Related, error
from mbdc.dsl.records import frozen
from mbdc.dsl.source import Span

from .equations import Row
from .mechanics import ConstraintRow, Coordinate, EquationRow, MechanicalSystem
from .reduced import ReducedSystem, StateEntry

Floats = NDArray[np.float64]

_ELSEWHERE = "something in it divides by zero or leaves its range there: give a `start` or a `guess` elsewhere"


class Fault(Protocol):
    """Places in z that nothing determines, and rows that contradict each other."""

    @property
    def undetermined(self) -> tuple[int, ...]: ...
    @property
    def conflicting(self) -> tuple[int, ...]: ...


class NamedRow(Protocol):
    """A row in the author's words."""

    @property
    def name(self) -> str: ...
    @property
    def order(self) -> int: ...
    @property
    def span(self) -> Span: ...


@frozen
class Miss:
    """A row that the firm start values break, and by how much."""

    row: NamedRow
    residual: float


def start_misses(miss: Miss, used: Mapping[str, float], nearest: Mapping[str, float]) -> Diagnostic:
    """Firm start values break a constraint."""
    moves = ", ".join(f"{name} = {value:.9g}" for name, value in nearest.items() if name in used)
    return error(
        "start-inconsistent",
        f"the start breaks {_called(miss.row)}: its residual is {miss.residual:.6g} where it must be 0"
        f" (with {_list(used)})",
        miss.row.span,
        help=f"the nearest valid start has {moves}; leave a value out to have it completed",
    )


def start_without_value(row: NamedRow) -> Diagnostic:
    """A constraint divides by zero, or takes a root of a negative number, where the start is."""
    return error(
        "start-without-value",
        f"{_called(row)} has no value or no slope at the start",
        row.span,
        help=_ELSEWHERE,
    )


def cannot_hold(rows: Iterable[NamedRow], residual: Floats, relative: Floats, tolerance: float) -> list[Diagnostic]:
    """No start satisfies these rows: the closest point found still breaks them."""
    broken = [(row, value) for row, value, part in zip(rows, residual, relative, strict=True) if not part <= tolerance]
    first, *others = broken
    related = [Related(f"and {_called(r)} by {value:.6g}", r.span) for r, value in others[:4]]
    together = " together with the others below" if others else ""
    return [
        error(
            "cannot-hold",
            f"no start was found that satisfies {_called(first[0])}{together}:"
            f" the closest one misses it by {first[1]:.6g}",
            first[0].span,
            *related,
            help="check that these can hold at once, or give a `guess` nearer to a valid configuration",
        )
    ]


def contradict(rows: Sequence[NamedRow], gap: float) -> Diagnostic:
    """Rows that restrict the same thing to different values, at the closest point found."""
    first, *others = rows
    names = [_called(row) for row in rows[:4]]
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    related = [Related(f"and {_called(row)}", row.span) for row in others[:4]]
    return error(
        "cannot-hold",
        f"{', '.join(names[:-1])} and {names[-1]}{more} contradict each other by {abs(gap):.6g}: where they come"
        " closest to holding, what is left of them cannot be lessened by any motion",
        first.span,
        *related,
        help="take out one of them, or make them agree; if they can hold elsewhere, give a `guess` near that place",
    )


def outside_limit(system: MechanicalSystem, limits: Floats, conditions: Floats) -> list[Diagnostic]:
    """The start stands outside a limit, or breaks an assertion or a bound."""
    found = []
    names = [(limit, side) for limit in system.limits for side in limit.sides]
    for (limit, side), gap in zip(names, limits, strict=True):
        if gap < 0:
            found.append(
                error(
                    "start-outside-limit",
                    f"the start stands outside limit `{limit.name}`: {-gap:.6g} beyond its {side} bound",
                    limit.span,
                    help="start inside the limit, or widen it",
                )
            )
    for assertion, holds in zip((*system.asserts, *system.bounds), conditions, strict=True):
        if not holds:
            found.append(error("start-assertion", f"at the start: {assertion.message}", assertion.span))
    return found


def initial_restricts_nothing(row: EquationRow) -> Diagnostic:
    """An `initial` statement that depends on no start value, or on accelerations."""
    return error(
        "initial-not-a-state",
        f"`initial {row.label}` does not restrict a position, a velocity or a state",
        row.span,
        help="write it in coordinates, their rates and the unknowns of equations",
    )


def _called(row: NamedRow) -> str:
    match row.order:
        case 0:
            return f"`{row.name}`"
        case 1:
            return f"the rate of `{row.name}` (its derivative, which must hold too)"
        case n:
            return f"derivative {n} of `{row.name}` (which must hold too)"


def _list(values: Mapping[str, float]) -> str:
    shown = [f"{name} = {value:.9g}" for name, value in list(values.items())[:8]]
    return ", ".join(shown + (["..."] if len(values) > 8 else []))


def unknown_start(name: str, nearest: str | None) -> Diagnostic:
    """A start setting for a name that has no start value."""
    advice = f"did you mean `{nearest}`?" if nearest else "start values are those of coordinates, as `x` or `der(x)`"
    return error("unknown-start", f"`{name}` is not a start value of this model", None, help=advice)


def bad_start_value(name: str, wrong: str) -> Diagnostic:
    """A start setting of the wrong shape, or not a number."""
    return error("bad-start-value", f"the start value `{name}` {wrong}", None)


def cannot_move(reduced: ReducedSystem, fault: Fault) -> Diagnostic:
    """At the start, accelerations (or a servo's inputs) do not exist or are not determined."""
    equations = reduced.equations
    free = [reduced.z_entries[i] for i in fault.undetermined]
    rows = [equations.rows[i] for i in fault.conflicting]
    inputs = [e for e in free if equations.unknowns[e.unknown].kind == "input"]
    if inputs:
        servos = [row for row in equations.rows if row.kind == "servo"]
        named = ", ".join(f"`{e.name}`" for e in inputs)
        return error(
            "servo-cannot",
            f"{named} cannot produce the motion that servo `{servos[0].name}` asks for at the start:"
            " no force along it acts through this input here",
            servos[0].span,
            help="start where the input has a grip on the motion, or add an input that has",
        )
    if free:
        names = ", ".join(f"`{e.name}`" for e in free)
        return error(
            "undetermined",
            f"nothing determines {names} at the start",
            equations.unknowns[free[0].unknown].span,
            help=_remedy(reduced, free),
        )
    if len(rows) == 1:
        return error(
            "cannot-hold",
            f"`{rows[0].name}` cannot be kept from this start: it asks for an acceleration, and none acts along it here"
            " (a change point, or an end of the motion)",
            rows[0].span,
            help="start beside this configuration, or with velocities that do not lead out of the constraint",
        )
    related = [Related(f"and `{row.name}`", row.span) for row in rows[1:5]]
    return error(
        "cannot-hold",
        f"`{rows[0].name}` cannot hold together with the other rows named here: their accelerations contradict",
        rows[0].span,
        *related,
        help="take out one of them, or make them agree in their second derivatives",
    )


def slope_without_value(row: ConstraintRow) -> Diagnostic:
    """A constraint's gradient by the velocities or accelerations is not a number at the start."""
    return error(
        "start-without-value",
        f"`{row.label}` has no slope at the start",
        row.span,
        help=_ELSEWHERE,
    )


def inertia_without_value(system: MechanicalSystem) -> Diagnostic:
    """The kinetic energy, or its slope by velocities, is not a number."""
    return error(
        "start-without-value",
        "the kinetic energy has no value or no slope at the start",
        system.energies[0].span if system.energies else None,
        help=_ELSEWHERE,
    )


def row_without_value(row: Row) -> Diagnostic:
    """A row that determines accelerations, multipliers or rates is not a number at the start."""
    named = row.name if row.kind == "motion" else f"{row.kind} `{row.name}`"
    return error("start-without-value", f"{named} has no value at the start", row.span, help=_ELSEWHERE)


def inertia_not_positive(system: MechanicalSystem, velocities: Sequence[int]) -> Diagnostic:
    """The mass matrix is not positive definite: no motion is the least in it, and none may follow from it."""
    return error(
        "inertia-not-positive",
        f"the kinetic energy falls below 0 as {_velocities(system, velocities)} grows from 0, at the start",
        _coordinate_of(system, velocities[0]).span,
        help="a mass or an inertia is negative there, or a matrix of inertia is not symmetric and positive",
    )


def _velocities(system: MechanicalSystem, places: Sequence[int]) -> str:
    names = [name for coordinate in system.coordinates for name in coordinate.velocity_names]
    return " with ".join(f"`{names[place]}`" for place in places[:4])


def _coordinate_of(system: MechanicalSystem, velocity: int) -> Coordinate:
    return next(c for c in system.coordinates if c.v.start <= velocity < c.v.stop)


def gradient_vanishes(row: ConstraintRow) -> Diagnostic:
    """A velocity constraint that is not linear has no direction to act in at this state."""
    return error(
        "gradient-vanishes",
        f"`{row.label}` cannot act at the start: it is not linear in the velocities, and there its gradient by"
        " them is 0, so that Chetaev's rule gives its force no direction",
        row.span,
        help="start with velocities at which the gradient does not vanish",
    )


def _remedy(reduced: ReducedSystem, free: Sequence[StateEntry]) -> str:
    """What to do about accelerations that nothing determines: several angles may stand at their pole."""
    angles = {reduced.x_entries[p].unknown for alike in reduced.alike if alike.is_angle for p in alike.places[0]}
    advice = "give the coordinate inertia, or a constraint that determines how it moves"
    if len(free) > 1 and all(entry.unknown in angles for entry in free):
        return f"angles of an attitude start at their pole here: use a `coordinate Rotation`; or else {advice}"
    return advice
