"""MonoRollBot over the whole travel of its screw, through its inelastic stops: the paper's three kinds of path.

The paper ("Full Nonlinear Nonholonomic Dynamics and Motion Analysis of a 3-DoF Underactuated Spherical Rolling Robot",
Fig. 6) shows one path that is nearly straight and then spirals and one like a wave, from starts it prints; end points
depend on parameters that are not printed, the kind of path does not.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mbdc import load_model
from mbdc.compiler.trajectory import Result

Floats = NDArray[np.float64]

MODEL = Path(__file__).resolve().parents[2] / "models" / "monorollbot.mbd"
TURNED = np.deg2rad(5) - np.pi
STARTS: dict[str, dict[str, float]] = {
    "default": {},
    "horizontal screw": {"alpha": TURNED, "gamma": 0.0, "theta_n": 0.3 + 7 * np.pi, "r": 0.05},
    "mass above": {"alpha": TURNED},
}
STEP = 0.02
"""Paths are looked at every so many metres."""


@pytest.fixture(scope="module")
def runs() -> dict[str, Result]:
    model = load_model(MODEL)
    return {name: model.simulate(start=start, interval=0.02) for name, start in STARTS.items()}


def path(result: Result) -> Floats:
    """The way of the centre to the end of the screw, at equal steps along it, (n, 2)."""
    ended = int(np.argmax(result["d_a"] > 2 * (0.17 - 0.0886) - 1e-9))
    assert ended > 0, "the end of the screw is not reached"
    points = np.column_stack([result["x"], result["y"]])[: ended + 1]
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    moved = np.concatenate([[True], np.diff(way) > 0])
    at = np.arange(0, way[-1], STEP)
    return np.column_stack([np.interp(at, way[moved], points[moved, i]) for i in (0, 1)])


def headings(points: Floats) -> Floats:
    step = np.diff(points, axis=0)
    return np.unwrap(np.arctan2(step[:, 1], step[:, 0]))


def off_the_chord(points: Floats) -> float:
    """The largest distance of a stretch from the line through its ends, as a part of its length."""
    chord = points[-1] - points[0]
    aside = (points - points[0]) @ np.array([-chord[1], chord[0]]) / np.linalg.norm(chord)
    return float(np.abs(aside).max() / (STEP * (len(points) - 1)))


def reversals(heading: Floats, least: float = 0.3) -> int:
    """How often turning changes its sense by more than `least` (rad)."""
    count, sense, extreme = 0, 0, heading[0]
    for value in heading:
        if sense >= 0 and value < extreme - least:
            count, sense, extreme = count + (sense > 0), -1, value
        elif sense <= 0 and value > extreme + least:
            count, sense, extreme = count + (sense < 0), 1, value
        else:
            extreme = max(extreme, value) if sense > 0 else min(extreme, value) if sense < 0 else extreme
    return count


@pytest.mark.parametrize("name", STARTS)
def test_energy_is_accounted_for_and_no_stop_is_passed(runs: dict[str, Result], name: str) -> None:
    result = runs[name]
    energy = result.report.energy
    assert result.report.outcome == "completed" and energy is not None
    assert energy.impacts > 1e-3
    assert energy.worst < 1e-7 * energy.scale
    z_off = 0.17 - 0.0886
    r, d = result["r"], result["d_a"]
    assert r.min() > -1e-12 and d.min() > -1e-12 and (d - 2 * z_off).max() < 1e-12
    assert (r**2 + (d - z_off) ** 2 - z_off**2).max() < 1e-12
    hits = [event for event in result.events if event.what.startswith("hits")]
    assert {event.name for event in hits} == {"inside", "clearance"}


def test_from_a_horizontal_screw_it_runs_straight_and_then_spirals(runs: dict[str, Result]) -> None:
    points = path(runs["horizontal screw"])
    assert off_the_chord(points[: int(1.3 / STEP)]) < 0.02
    turned = headings(points[int(1.3 / STEP) :])
    assert turned[0] - turned[-1] > 4 * np.pi and reversals(turned) == 0


def test_with_the_mass_above_it_zigzags(runs: dict[str, Result]) -> None:
    assert reversals(headings(path(runs["mass above"]))) >= 5


def test_from_the_default_start_it_curls_and_loops(runs: dict[str, Result]) -> None:
    points = path(runs["default"])
    assert off_the_chord(points[: int(1.3 / STEP)]) > 0.15
    turned = headings(points)
    assert turned.max() - turned.min() > 4 * np.pi and reversals(turned) <= 3
