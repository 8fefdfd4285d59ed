"""Draws docs/monorollbot_paths.svg: where MonoRollBot rolls from the three starts of its paper, seen from above.

Run it after the model was changed: `python tools/draw_monorollbot_paths.py` (needs matplotlib).
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from mbdc import load_model

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "monorollbot_paths.svg"
STARTS: dict[str, dict[str, float]] = {
    "curls, runs and loops": {},
    "runs straight, then spirals": {
        "alpha": np.deg2rad(5) - np.pi, "gamma": 0.0, "theta_n": 0.3 + 7 * np.pi, "r": 0.05,
    },
    "zigzags": {"alpha": np.deg2rad(5) - np.pi},
}  # fmt: skip
INK, TRACK = "#1f3a5f", "#c8553d"


def main() -> None:
    model = load_model(ROOT / "models" / "monorollbot.mbd")
    travel = 2 * float(model.parameters["R"] - model.parameters["R_c"])
    mpl.rcParams |= {"svg.hashsalt": "mbdc", "svg.fonttype": "path"}
    figure, panels = plt.subplots(1, 3, figsize=(9.0, 3.2))
    for axes, (kind, start) in zip(panels, STARTS.items(), strict=True):
        result = model.simulate(start=start)
        ended = int(np.argmax(result["d_a"] > travel - 1e-9)) or len(result.time) - 1
        x, y = result["x"][: ended + 1], result["y"][: ended + 1]
        axes.plot(x, y, color=TRACK, linewidth=1.3)
        axes.plot(x[0], y[0], "o", color=INK, markersize=4)
        axes.set_title(f"{kind} ({result.time[ended]:.1f} s)", fontsize=9)
        axes.set_aspect("equal")
        axes.tick_params(labelsize=7)
    figure.savefig(PICTURE, bbox_inches="tight", transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
