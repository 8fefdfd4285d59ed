"""Formulations side by side: how far apart they end, how well they kept the constraints, what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen

from .kernels import Kernels
from .pilot import scales_of
from .report import ConstraintResidual, Report
from .run import Plan, Run

Floats = NDArray[np.float64]


@frozen
class Difference:
    """How far a state lies from that of the reference at `time` (s).

    `largest` is the largest difference of any state, as a part of its size (the one tolerances are meant
    in), found in `name`; `by_name` are the differences themselves, in SI units.
    """

    time: float
    largest: float
    name: str
    by_name: Mapping[str, float]


@frozen(kw_only=True)
class Attempt:
    """What became of one formulation: `refused` says why there was no run, else there is a `report`.

    `difference` is None for the reference itself.
    """

    formulation: str
    title: str
    refused: tuple[Diagnostic, ...] = ()
    report: Report | None = None
    difference: Difference | None = None


@frozen(kw_only=True)
class Comparison:
    """One model, one start, several formulations; the first is the reference."""

    model: str
    stop_time: float
    tolerance: float
    attempts: tuple[Attempt, ...]

    def __str__(self) -> str:
        return self.to_text()

    def __getitem__(self, formulation: str) -> Attempt:
        """The attempt of a formulation by its name. Raises `KeyError`."""
        for attempt in self.attempts:
            if attempt.formulation == formulation:
                return attempt
        raise KeyError(formulation)

    @property
    def accepted(self) -> tuple[str, ...]:
        """The names of the formulations that took the model."""
        return tuple(a.formulation for a in self.attempts if not a.refused)

    @property
    def stopped(self) -> tuple[str, ...]:
        """The names of the formulations whose runs stopped early."""
        reports = ((a.formulation, a.report) for a in self.attempts)
        return tuple(name for name, r in reports if r is not None and r.outcome == "stopped")

    def to_text(self) -> str:
        """Tables for a person: differences and costs, then residuals, then what was refused and why."""
        runs = [(a, a.report) for a in self.attempts if a.report is not None]
        sections = [
            [f"{self.model} to {self.stop_time:g} s at tolerance {self.tolerance:g}"],
            _run_table(runs),
            _early_ends(runs),
            _residual_table(runs),
            [line for a in self.attempts for d in a.refused for line in _refusal(d)],
        ]
        return "\n\n".join("\n".join(lines) for lines in sections if lines)

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain dictionaries, lists, numbers and texts."""
        return {
            "model": self.model,
            "stop_time": self.stop_time,
            "tolerance": self.tolerance,
            "formulations": [_attempt_json(a) for a in self.attempts],
        }


def difference(kernels: Kernels, plan: Plan, reference: Run, run: Run) -> Difference:
    """At the last instant that both have recorded."""
    reduced = kernels.reduced
    (here, states), (there, others) = _recorded(reference), _recorded(run)
    i, j = _last_common(here, there, 1e-6 * plan.interval)
    scales = scales_of(reduced, np.abs(states).max(axis=1), plan.stop - plan.start)
    apart = others[:, j] - states[:, i]
    relative = np.abs(apart) / scales
    names = [entry.name for entry in reduced.x_entries]
    worst = int(np.argmax(relative))
    by_name = dict(zip(names, apart.tolist(), strict=True))
    return Difference(float(here[i]), float(relative[worst]), names[worst], by_name)


def _recorded(run: Run) -> tuple[Floats, Floats]:
    """Times (k,) and states (nx, k)."""
    pieces = [block.piece for block, _ in run.record.blocks]
    return np.concatenate([p.times for p in pieces]), np.hstack([p.x for p in pieces])


def _last_common(here: Floats, there: Floats, slack: float) -> tuple[int, int]:
    """Places of the last instant in both: the ends, or where a run ended early the last before that."""
    for i in range(here.size - 1, -1, -1):
        j = int(np.argmin(np.abs(there - here[i])))
        if abs(there[j] - here[i]) <= slack:
            return i, j
    raise AssertionError("all runs begin at the same instant")


Runs = Sequence[tuple[Attempt, Report]]


def _run_table(runs: Runs) -> list[str]:
    head = ("formulation", "end state differs by", "energy error", "steps", "time")
    rows = [
        (
            attempt.title,
            _apart(attempt),
            "" if report.energy is None else f"{report.energy.worst:.1e} J",
            str(report.steps),
            f"{report.wall_time:.2g} s",
        )
        for attempt, report in runs
    ]
    return _table([head, *rows], "<<>>>")


def _apart(attempt: Attempt) -> str:
    if attempt.difference is None:
        return "(reference)"
    return f"{attempt.difference.largest:.1e} in {attempt.difference.name}"


def _early_ends(runs: Runs) -> list[str]:
    told: list[str] = []
    for attempt, report in runs:
        if report.outcome != "completed":
            verb = "ended" if report.outcome == "ended" else "stopped"
            told.append(f"{attempt.title}: {verb} at {report.end_time:.9g} s: {report.reason}")
    return told


def _residual_table(runs: Runs) -> list[str]:
    """A constraint a row, a formulation a column, at the level written and before anything was projected."""
    first = runs[0][1].residuals if runs else ()
    if not first:
        return []
    head = ("", *(attempt.formulation for attempt, _ in runs), "")
    rows = [
        (residual.name, *(_residual(report.residuals, residual.name) for _, report in runs), residual.unit)
        for residual in first
    ]
    title = "Worst constraint residuals, as integrated:"
    return [title, *_table([head, *rows], "<" + ">" * len(runs) + "<")]


def _residual(residuals: tuple[ConstraintResidual, ...], name: str) -> str:
    return next(f"{r.before:.1e}" for r in residuals if r.name == name)


def _refusal(diagnostic: Diagnostic) -> list[str]:
    place = "" if diagnostic.span is None else f" ({diagnostic.span})"
    return wrap(f"{diagnostic.message}{place}", 100, subsequent_indent="  ", break_long_words=False)


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    apart = attempt.difference
    return {
        "formulation": attempt.formulation,
        "title": attempt.title,
        "refused": [d.to_json() for d in attempt.refused],
        "report": None if attempt.report is None else attempt.report.to_json(),
        "difference": None
        if apart is None
        else {
            "time": apart.time,
            "largest": apart.largest,
            "name": apart.name,
            "by_name": dict(apart.by_name),
        },
    }


def _table(rows: Sequence[tuple[str, ...]], alignments: str) -> list[str]:
    """Rows as lines, columns aligned left (`<`) or right (`>`), indented by two."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(alignments))]
    return [
        "  " + "  ".join(f"{c:{a}{w}}" for c, a, w in zip(row, alignments, widths, strict=True)).rstrip()
        for row in rows
    ]
