"""Draws docs/rolling_disc.svg: a run of the model in README.md, seen from above and aside.

Run it after that model was changed: `python tools/draw_rolling_disc.py` (needs matplotlib).
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from mbdc import load_model

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "rolling_disc.svg"
RADIUS = 0.5
INK, TRACK, FACE = "#1f3a5f", "#c8553d", "#8fb3d9"

Floats = NDArray[np.float64]


def main() -> None:
    block = re.search(r"```mbd\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    result = load_model(text=block[1]).simulate()
    centre, attitude, contact = result["C"], result["S"], result["C"] + result["down"]
    mpl.rcParams |= {"svg.hashsalt": "mbdc", "svg.fonttype": "path"}
    figure, axes = plt.subplots(figsize=(8.0, 4.2))
    draw_line(axes, contact, TRACK, 1.4)
    shown = np.linspace(0, len(centre) - 1, 15).round().astype(int)
    for k in sorted(shown, key=lambda k: depth(contact[k])):
        draw_disc(axes, centre[k], attitude[k])
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(PICTURE, bbox_inches="tight", transparent=True, metadata={"Date": None})


def seen(points: Floats) -> Floats:
    """World points (n, 3) as they are seen, (n, 2): x to the right, y into the picture, z up."""
    return np.column_stack([points[:, 0] + 0.25 * points[:, 1], 0.45 * points[:, 1] + 0.9 * points[:, 2]])


def depth(point: Floats) -> float:
    return -float(point[1])


def draw_line(axes: plt.Axes, points: Floats, colour: str, width: float) -> None:
    axes.plot(*seen(points).T, color=colour, linewidth=width, zorder=1)


def draw_disc(axes: plt.Axes, centre: Floats, attitude: Floats) -> None:
    angles = np.linspace(0, 2 * np.pi, 73)
    rim = np.column_stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)]) * RADIUS
    placed = centre + rim @ attitude.T
    axes.fill(*seen(placed).T, facecolor=FACE, edgecolor=INK, linewidth=0.9, alpha=0.75, zorder=2)
    spoke = np.vstack([centre, placed[0]])
    axes.plot(*seen(spoke).T, color=INK, linewidth=0.9, zorder=2)


if __name__ == "__main__":
    main()
