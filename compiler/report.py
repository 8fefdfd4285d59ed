"""What a run did, in the model's own terms: how well it kept its promises, and what happened on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mbdc.dsl.records import field, frozen

NO_ENERGY = 1e-15
"""Energies (J) that are not worth comparing an error with: those of a system at rest, but for rounding."""


@frozen
class ConstraintResidual:
    """The worst absolute residual of a constraint (over rows and recorded instants), at the level written.

    `before` is what integration left, `after` what is recorded once the states were projected, in `unit`.
    """

    name: str
    before: float
    after: float
    unit: str = ""


@frozen
class EnergyBalance:
    """Where the energy went between the first and the last recorded instant, in joule.

    `stored` is the change of kinetic + potential energy, `dissipated` what dissipations took away (positive),
    `work` what each force statement, input or servo put in, `prescribed` what constraints (and energies) that
    move with time put in, `impacts` what impacts took away, `set_anew` what the `reinit` of a `when` put in.
    `worst` is the largest absolute `error` over all recorded instants and `scale` the
    largest energy that was stored or exchanged, to compare it with.
    """

    stored: float
    dissipated: float
    work: Mapping[str, float]
    prescribed: float
    worst: float
    scale: float
    impacts: float = 0.0
    set_anew: float = 0.0

    @property
    def error(self) -> float:
        """stored + dissipated + impacts - work - prescribed - set_anew at the end; zero in exact arithmetic."""
        given = sum(self.work.values()) + self.prescribed + self.set_anew
        return self.stored + self.dissipated + self.impacts - given


Origin = Literal["given", "polished", "completed"]


@frozen
class StartValue:
    """A start value as it was used: given and kept, given and polished, or completed because none was given.

    `given` is the number in the text (or setting) where it was polished; values are in `unit`.
    """

    name: str
    value: float
    origin: Origin
    unit: str = ""
    given: float | None = None


@frozen
class StartResidual:
    """What the start leaves of a row differentiated `order` times: the row as written, its rate, what lies deeper."""

    name: str
    order: int
    residual: float


@frozen
class Event:
    """Something that happened at a time (s): `name` is the limit or statement, `what` a short sentence."""

    time: float
    name: str
    what: str


Outcome = Literal["completed", "ended", "stopped"]


@frozen(kw_only=True)
class Report:
    """The account of one run.

    `outcome`: `completed` reached the stop time, `ended` was ended by the model itself (a limit, a
    `terminate`), `stopped` broke off (`reason` says why). `wall_time` is in s. Residuals stand in the
    order the constraints were declared.
    """

    model: str
    outcome: Outcome
    start_time: float
    end_time: float
    stop_time: float
    points: int
    tolerance: float
    steps: int
    wall_time: float
    reason: str = ""
    residuals: tuple[ConstraintResidual, ...] = ()
    energy: EnergyBalance | None = None
    start: tuple[StartValue, ...] = ()
    start_residuals: tuple[StartResidual, ...] = ()
    events: tuple[Event, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """The report as a person reads it; sections that have nothing to say are left out."""
        sections = [
            _start_section(self.start, self.start_residuals),
            [_outcome_line(self)],
            _event_section(tuple(e for e in self.events if e.what != self.reason)),
            _residual_section(self.residuals),
            _energy_section(self.energy),
            [f"note: {text}" for text in self.notes],
        ]
        return "\n\n".join("\n".join(lines) for lines in sections if lines)

    def to_json(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists, numbers and texts."""
        return {
            "model": self.model,
            "outcome": self.outcome,
            "reason": self.reason,
            "start_time": self.start_time,
            "end_time": self.end_time,
            "stop_time": self.stop_time,
            "points": self.points,
            "tolerance": self.tolerance,
            "steps": self.steps,
            "wall_time": self.wall_time,
            "residuals": [_residual_json(r) for r in self.residuals],
            "energy": None if self.energy is None else _energy_json(self.energy),
            "start": [_start_json(s) for s in self.start],
            "start_residuals": [
                {"row": r.name, "order": r.order, "residual": r.residual} for r in self.start_residuals
            ],
            "events": [{"time": e.time, "name": e.name, "what": e.what} for e in self.events],
            "notes": list(self.notes),
        }


def _residual_json(residual: ConstraintResidual) -> dict[str, Any]:
    return {
        "constraint": residual.name,
        "before": residual.before,
        "after": residual.after,
        "unit": residual.unit,
    }


def _energy_json(energy: EnergyBalance) -> dict[str, Any]:
    return {
        "stored": energy.stored,
        "dissipated": energy.dissipated,
        "work": dict(energy.work),
        "prescribed": energy.prescribed,
        "impacts": energy.impacts,
        "set_anew": energy.set_anew,
        "error": energy.error,
        "worst": energy.worst,
        "scale": energy.scale,
    }


def _start_json(start: StartValue) -> dict[str, Any]:
    result: dict[str, Any] = {"name": start.name, "value": start.value, "origin": start.origin}
    result["unit"] = start.unit
    if start.given is not None:
        result["given"] = start.given
    return result


def _outcome_line(report: Report) -> str:
    account = f"{_count(report.points, 'instant')}, {_count(report.steps, 'step')}, {report.wall_time:.2g} s"
    place = f"at {report.end_time:.9g} s of {report.stop_time:g} s"
    match report.outcome:
        case "completed":
            return f"Ran to {report.end_time:g} s ({account}; tolerance {report.tolerance:g})."
        case "ended":
            return f"Ended {place}: {report.reason} ({account})."
        case "stopped":
            return f"Stopped {place}: {report.reason} ({account})."


def _start_section(start: tuple[StartValue, ...], residuals: tuple[StartResidual, ...]) -> list[str]:
    """Only what the user did not write: values that were completed to something, or polished."""
    told = [s for s in start if s.origin == "polished" or (s.origin == "completed" and s.value != 0.0)]
    if not told:
        return []
    rows = [(s.name, f"{s.value:.9g}", s.unit, _origin(s)) for s in told]
    return ["Start values found:", *_table(rows, "<><<"), *_start_residual_lines(residuals)]


def _start_residual_lines(residuals: tuple[StartResidual, ...]) -> list[str]:
    """The worst at each level, in one line."""
    worst: dict[int, StartResidual] = {}
    for residual in residuals:
        known = worst.get(residual.order)
        if known is None or abs(residual.residual) > abs(known.residual):
            worst[residual.order] = residual
    if not worst:
        return []
    told = [f"{abs(r.residual):.1e} ({_level(order)}, `{r.name}`)" for order, r in sorted(worst.items())]
    return [f"  constraints hold at the start within {', '.join(told)}"]


def _level(order: int) -> str:
    match order:
        case 0:
            return "as written"
        case 1:
            return "its rate"
        case n:
            return f"derivative {n}"


def _origin(start: StartValue) -> str:
    if start.origin == "polished" and start.given is not None:
        return f"given as {start.given:.9g}, moved by {start.value - start.given:.1e}"
    return start.origin


def _event_section(events: tuple[Event, ...]) -> list[str]:
    if not events:
        return []
    shown = events if len(events) <= 12 else events[:10]
    lines = ["Events:", *_table([(f"{e.time:.9g}", "s", e.name, e.what) for e in shown], "><<<")]
    if len(shown) < len(events):
        lines.append(f"  ... and {len(events) - len(shown)} more, the last at {events[-1].time:.9g} s")
    return lines


def _residual_section(residuals: tuple[ConstraintResidual, ...]) -> list[str]:
    if not residuals:
        return []
    rows = [("", "integrated", "recorded", "")]
    rows += [(r.name, f"{r.before:.1e}", f"{r.after:.1e}", r.unit) for r in residuals]
    return ["Worst constraint residuals:", *_table(rows, "<>><")]


def _energy_section(energy: EnergyBalance | None) -> list[str]:
    if energy is None:
        return []
    rows = [("stored", _joule(energy.stored), "J")]
    if energy.dissipated:
        rows.append(("dissipated", _joule(energy.dissipated), "J"))
    rows += [(f"work of {name}", _joule(work), "J") for name, work in energy.work.items()]
    if abs(energy.prescribed) > energy.worst:
        rows.append(("work of prescribed motion", _joule(energy.prescribed), "J"))
    if energy.impacts:
        rows.append(("lost in impacts", _joule(energy.impacts), "J"))
    if energy.set_anew:
        rows.append(("set by `when`", _joule(energy.set_anew), "J"))
    comparable = energy.scale > NO_ENERGY
    relative = f" ({energy.worst / energy.scale:.1e} of {energy.scale:.3g} J)" if comparable else ""
    return ["Energy balance:", *_table(rows, "<><"), f"  closes within {energy.worst:.1e} J{relative}"]


def _joule(value: float) -> str:
    return f"{value:.6g}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _table(rows: Sequence[tuple[str, ...]], alignments: str) -> list[str]:
    """Rows as lines, columns aligned left (`<`) or right (`>`), indented by two."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(alignments))]
    return [
        "  " + "  ".join(f"{c:{a}{w}}" for c, a, w in zip(row, alignments, widths, strict=True)).rstrip()
        for row in rows
    ]
