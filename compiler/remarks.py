"""What there is to remark on a start and on a run, found in numbers; the words are in `notes`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from . import notes
from .branches import adrift, other_branch
from .failure import NEAR_END, why_lost
from .geometry import Angles, Geometry, Path, Rows, dips
from .kernels import Kernels, column_at
from .reduced import ReducedSystem
from .redundancy import Redundancy
from .run import LOST, Run
from .search import Level, Mask
from .start import Start

Floats = NDArray[np.float64]

HALF = 0.5


def on_level(kernels: Kernels, level: Level, x: Floats, free: Mask) -> list[str]:
    """Of one level of a start: unknowns left at their guess, and another branch that it could be on."""
    reduced = kernels.reduced
    found = []
    left = adrift(level, x, free)
    if left is not None:
        values = {reduced.x_entries[i].name: float(x[i]) for i in left.places}
        found.append(notes.left_at_guess(values, _constraints(reduced, level, left.rows)))
    branch = other_branch(level, x, free, reduced)
    if branch is not None and _allowed(kernels, branch.point, level):
        names = {i: reduced.x_entries[i].name for i in branch.places}
        taken = {name: float(x[i]) for i, name in names.items()}
        other = {name: float(branch.point[i]) for i, name in names.items()}
        found.append(notes.another_branch(_constraints(reduced, level, branch.rows), taken, other))
    return found


def on_run(kernels: Kernels, start: Start, run: Run) -> tuple[str, ...]:
    """Of a whole run; also tells in its reason why it was lost, where it was."""
    found = list(start.notes)
    if start.redundancy is not None:
        found.append("at the start " + _dependence(kernels.reduced, start.redundancy))
    if run.rank_change is not None:
        found.append(_rank_change(kernels.reduced, start.redundancy, *run.rank_change))
    why = why_lost(run.record, run.lost) if run.lost is not None else ""
    if why:
        run.reason = f"{LOST}: {why}"
    found += _warned(kernels, run)
    path = Path.of(run.record)
    geometry = Geometry.along(path)
    # What happened at the very end is told by the reason.
    end = path.times[-min(NEAR_END, path.times.size)] if why else np.inf
    told = [_of_rows(geometry.rows, float(end)), _of_angles(geometry.angles, float(end))]
    return (*found, *(text for text in told if text))


def _warned(kernels: Kernels, run: Run) -> list[str]:
    """Where the conditions of warnings did not hold, at the instants recorded."""
    warnings = kernels.reduced.equations.system.warnings
    if not warnings:
        return []
    pieces = [(settled.piece, environment) for settled, environment in run.record.blocks]
    times = np.concatenate([p.times for p, _ in pieces])
    looks = [column_at(kernels.warnings, p.times.size, [p.times[None, :], p.x, p.z, e]) for p, e in pieces]
    holds = np.hstack(looks)
    told = []
    for warning, row in zip(warnings, holds, strict=True):
        broken = np.flatnonzero(row < HALF)
        if broken.size:
            stretches = 1 + int(np.sum(np.diff(broken) > 1))
            ended = float(times[broken[-1]])
            told.append(notes.warned(warning.message, float(times[broken[0]]), ended, stretches))
    return told


def _of_rows(rows: Rows | None, end: float) -> str:
    if rows is None:
        return ""
    found = [dip for dip in dips(rows) if dip.time < end]
    if not found:
        return ""
    involved = [name for dip in found for name in rows.involved(dip.time)]
    return notes.change_point([dip.time for dip in found], involved)


def _of_angles(angles: Angles | None, end: float) -> str:
    if angles is None:
        return ""
    found = [dip for dip in dips(angles) if dip.time < end]
    if not found:
        return ""
    first = found[0].time
    return notes.pole([dip.time for dip in found], angles.alike(first), angles.at_pole(first))


def _dependence(reduced: ReducedSystem, redundancy: Redundancy) -> str:
    rows = [row.label for row in reduced.equations.system.rows]
    found = redundancy.repeats()
    repeats = [(rows[r.row], [rows[i] for i in r.of]) for r in found[: notes.MOST]]
    free = [rows[i] for i in redundancy.not_unique]
    return notes.redundant(repeats, len(found), free, redundancy.rank, len(rows))


def _rank_change(reduced: ReducedSystem, start: Redundancy | None, time: float, redundancy: Redundancy | None) -> str:
    rows = len(reduced.equations.system.rows)
    before = rows if start is None else start.rank
    now = rows if redundancy is None else redundancy.rank
    dependence = "" if redundancy is None else _dependence(reduced, redundancy)
    return notes.rank_changed(time, now, before, rows, dependence)


def _constraints(reduced: ReducedSystem, level: Level, rows: Iterable[int]) -> list[str]:
    """Rows by the name of the constraint they belong to."""
    known = {row.label: row.constraint for row in reduced.equations.system.rows}
    labels = [level.stage.rows[i].name for i in rows]
    return list(dict.fromkeys(known.get(label, label) for label in labels))


def _allowed(kernels: Kernels, x: Floats, level: Level) -> bool:
    """Whether a state lies within the limits, as far as positions tell."""
    z = np.zeros(kernels.reduced.z.numel())
    limits, _ = kernels.gaps(level.time, x, z, level.environment)
    return not np.any(np.asarray(limits).ravel() < 0)
