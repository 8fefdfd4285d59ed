"""Why a run could not be followed further, as far as numbers at its last state tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from . import notes
from .geometry import Angles, Geometry, Path, Rows, dips
from .integrate import State
from .kernels import Kernels
from .record import Record

Floats = NDArray[np.float64]

AHEAD = 0.3
"""How far ahead a value is looked for that is no number, as a part of the last interval recorded."""

NEARLY = 0.03
NEAR_END = 5
"""So many of the last instants count as the end of a run."""

GROWN = 1e3
NOTHING = 1e-6


def why_lost(record: Record, last: State) -> str:
    """One clause that names what degenerates at the last state, or grows; empty where nothing is seen to."""
    path = Path.of(record, last)
    for found in (_no_number(path, last), _degenerate(path), _grown(record, path, last)):
        if found is not None:
            return found
    return ""


def _no_number(path: Path, last: State) -> str | None:
    """The first quantity, or else the first row, without a finite value at the last state or just ahead of it."""
    kernels = path.kernels
    environment = path.environments[:, -1]
    interval = float(path.times[-1] - path.times[max(path.times.size - 3, 0)]) or 1.0
    slope = np.asarray(kernels.dae(last.time, last.x, last.z, environment, 0.0)[0]).ravel()
    if not np.all(np.isfinite(slope)):
        slope = np.zeros_like(slope)
    for ahead in (0.0, *np.geomspace(1e-9, AHEAD, 12) * interval):
        found = _broken(kernels, last, ahead * slope, ahead, environment)
        if found is not None:
            return notes.no_number(*found, float(ahead))
    return None


def _broken(kernels: Kernels, last: State, change: Floats, ahead: float, environment: Floats) -> tuple[str, str] | None:
    system = kernels.reduced.equations.system
    state = (last.time + ahead, last.x + change, last.z, environment)
    values = np.asarray(kernels.observe(*state)).ravel()
    names = [name for quantity in system.quantities for name in quantity.element_names]
    names += [f"energy.{energy.kind}.{energy.name}" for energy in system.energies]
    # Quantities may hold what an equation or reaction gives: those that depend on nothing else come first.
    for name, value in zip(names, values, strict=True):
        if not np.isfinite(value):
            return "", name
    # The rows of limits and frictions come last, and are numbers where those before them are.
    rows = zip(kernels.reduced.equations.rows, np.asarray(kernels.linearised(*state)[0]).ravel(), strict=False)
    bad = [row for row, value in rows if not np.isfinite(value)]
    if not bad:
        return None
    # An equation of motion breaks with what acts in it: the constraint is the nearer cause.
    row = next((row for row in bad if row.kind != "motion"), bad[0])
    return "the equation " if row.kind == "motion" else f"{row.kind} ", row.name


def _degenerate(path: Path) -> str | None:
    geometry = Geometry.along(path)
    if geometry.rows is not None:
        time, part = _lowest_near_end(geometry.rows)
        if part < NEARLY:
            return notes.lost_rank(geometry.rows.involved(time), part)
    if geometry.angles is not None:
        time, part = _lowest_near_end(geometry.angles)
        if part < NEARLY:
            return notes.pole_text(geometry.angles.alike(time), geometry.angles.at_pole(time))
    return None


def _lowest_near_end(watched: Rows | Angles) -> tuple[float, float]:
    """The least of the last few values, as a part of the usual, and its time."""
    times = watched.path.times
    values = watched.measure(watched.path)
    found = [dip for dip in dips(watched) if dip.time >= times[-min(NEAR_END, times.size)]]
    if found:
        return found[-1].time, found[-1].part
    return float(times[-1]), float(values[-1] / max(float(np.median(values)), 1e-300))


def _grown(record: Record, path: Path, last: State) -> str | None:
    """The state, acceleration or multiplier that has outgrown its usual size most."""
    names, values = _all_values(record, last)
    sizes = np.abs(values)
    usual = np.median(sizes, axis=1)
    # What has been rounding so far has no usual size: it is judged by the largest of the others.
    usual = np.maximum(usual, NOTHING * max(float(usual.max()), 1.0))
    growth = sizes[:, -1] / usual
    growth[~np.isfinite(growth)] = np.inf
    most = int(np.argmax(growth))
    if growth[most] < GROWN:
        return None
    before = float(10 * usual[most])
    quiet = np.flatnonzero(sizes[most] <= before)
    times = np.concatenate([*(b.piece.times for b, _ in record.blocks), [last.time]])
    since = float(times[quiet[-1]]) if quiet.size else float(times[0])
    return notes.grows(names[most], float(values[most, -1]), before, since)


def _all_values(record: Record, last: State) -> tuple[list[str], Floats]:
    reduced = record.kernels.reduced
    names = [entry.name for entry in (*reduced.x_entries, *reduced.z_entries)]
    blocks: Iterator[Floats] = (np.vstack([b.piece.x, b.piece.z]) for b, _ in record.blocks)
    known = len(names)
    return names, np.hstack([*blocks, np.concatenate([last.x, last.z])[:, None]])[:known]
