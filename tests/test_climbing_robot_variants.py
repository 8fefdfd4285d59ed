"""The climbing robot beside its path, and by the equations its paper prints.

Source: "Concise method to the dynamic modeling of climbing robot", equations (19)-(25).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import sqrtm

from mbdc import load_model

MODELS = Path(__file__).resolve().parents[1] / "models"


def test_a_start_beside_the_path_joins_it_at_the_rate_asked_for():
    """(d/dt + k)^3 e = 0 from e = 0.5 m at rest, with the acceleration error e'' the start leaves: closed form."""
    result = load_model(MODELS / "climbing_robot_off_path.mbd").simulate()
    t, off = result.time, result["off"]
    k = 2.0
    bend = result["der(der(x))"][0]
    c0, c1 = 0.5, 0.5 * k
    c2 = (bend + 2 * k * c1 - k * k * c0) / 2
    assert off[:, 0] == pytest.approx((c0 + c1 * t + c2 * t**2) * np.exp(-k * t), abs=1e-7)
    assert np.abs(off[-1]).max() < 1e-8
    assert np.abs(result["residual(noSlip)"]).max() < 1e-12


def printed_acceleration(t: float, s: np.ndarray) -> np.ndarray:
    """(10) with the printed M and Q of (20), by SciPy's matrix square root."""
    m, inertia, r, d, g = 5, 0.33, 0.027, 0.3, 9.81
    f = (1 - 0.53) * 0.8 * 2500 * 0.06
    _, _, theta, vx, vy, w = s
    c, n = np.cos(theta), np.sin(theta)
    mass = np.array([[m * r * c, m * r * n, 0], [0, 0, inertia * r / d], [n, -c, 0]])
    force = np.array([m * r * w * (n * vx - c * vy) - f * r - m * g * r * n, 0, -w * (c * vx + n * vy)])
    free = np.linalg.solve(mass, force)
    inverse_root = np.linalg.inv(sqrtm(mass))
    rows = np.array([[1.0, 0, 0], [0, 1, 0]])
    asked = np.array([-10 * np.sin(t), 6 * np.cos(t)]) - rows @ free
    return free + inverse_root @ np.linalg.pinv(rows @ inverse_root) @ asked


def test_the_printed_equations_are_followed_and_slip():
    result = load_model(MODELS / "climbing_robot_udwadia_kalaba.mbd").simulate(tolerance=1e-10)
    other = solve_ivp(
        lambda t, s: np.concatenate([s[3:], printed_acceleration(t, s)]),
        (0, 1.5),
        [0, -6, 0, 10, 0, 0.6],
        rtol=1e-11,
        atol=1e-12,
    )
    x, y, theta, *_ = other.y[:, -1]
    assert [result[n][-1] for n in ("x", "y", "theta")] == pytest.approx([x, y, theta], abs=1e-7)
    assert result["slip"][-1] == pytest.approx(3.633768, abs=1e-5)
    assert abs(result["force"][-1, 2]) > 1
