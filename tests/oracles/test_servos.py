"""Servo constraints: the inputs that produce a prescribed motion, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison import assert_at
from published import PROBLEMS


@pytest.mark.parametrize("stem", ["overhead_crane", "overhead_crane_minimal"])
def test_overhead_crane(compiled, stem):
    """Blajer and Kolodziejczyk, data of Altmann and Heiland: the flat solution gives force and torque."""
    result = compiled(stem).simulate(stop_time=6, interval=0.5, tolerance=1e-10)
    for time, values in PROBLEMS["servo_overhead_crane"]["values"].items():
        expected = {name: values[name] for name in ("s", "F", "M")}
        if stem == "overhead_crane":
            expected |= {name: values[name] for name in ("beta", "x", "z")}
        else:
            expected |= {"l": values["beta"] * 0.1, "load[1]": values["x"], "load[2]": values["z"]}
        assert_at(result, float(time), expected, absolute=1e-6, relative=1e-8)


def test_overhead_crane_rope_force(compiled):
    """reaction(rope) is minus the source's multiplier m (g - z'')/(2 z)."""
    result = compiled("overhead_crane").simulate(stop_time=6, interval=0.5, tolerance=1e-10)
    for time, values in PROBLEMS["servo_overhead_crane"]["values"].items():
        assert_at(result, float(time), {"reaction(rope)": -values["lam"]}, absolute=1e-6, relative=1e-8)


def test_two_cars(compiled):
    """m2 x2'' = k (x1 + d - x2): x1 and F in closed form."""
    result = compiled("two_cars").simulate(stop_time=6, interval=0.5, tolerance=1e-10)
    for time, values in PROBLEMS["servo_two_cars"]["values"].items():
        assert_at(result, float(time), values, absolute=1e-7)


def climbing_torques(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Right and left torque along x = 10 sin t, y = -6 cos t: parameters as the paper prints them."""
    m, inertia, r, d, g = 5.0, 0.33, 0.027, 0.3, 9.81
    friction = (1 - 0.53) * 0.8 * 2500 * 0.06
    vx, vy = 10 * np.cos(t), 6 * np.sin(t)
    ax, ay = -10 * np.sin(t), 6 * np.cos(t)
    jx, jy = -10 * np.cos(t), -6 * np.sin(t)
    speed2 = vx**2 + vy**2
    speed = np.sqrt(speed2)
    speed_rate = (vx * ax + vy * ay) / speed
    turning = vx * ay - vy * ax
    # theta' = turning/speed^2, so that theta'' follows by the quotient rule.
    theta_dd = (vx * jy - vy * jx) / speed2 - turning * 2 * (vx * ax + vy * ay) / speed2**2
    total = r * (m * speed_rate + friction + m * g * vy / speed)
    difference = inertia * r * theta_dd / d
    return (total + difference) / 2, (total - difference) / 2


@pytest.mark.parametrize(("settings", "position", "torque"), [({}, 1e-7, 1e-7), ({"tolerance": 1e-11}, 1e-9, 1e-9)])
def test_climbing_robot(compiled, settings, position, torque):
    """Closed form from the paper's own equations (11)-(17) along (21), at every recorded instant."""
    result = compiled("climbing_robot").simulate(stop_time=20, interval=0.05, **settings)
    t = result.time
    right, left = climbing_torques(t)
    assert np.max(np.abs(result["x"] - 10 * np.sin(t))) < position
    assert np.max(np.abs(result["y"] + 6 * np.cos(t))) < position
    assert np.max(np.abs(result["tau_R"] - right)) < torque
    assert np.max(np.abs(result["tau_L"] - left)) < torque


def test_climbing_robot_heading_follows_the_ellipse(compiled):
    result = compiled("climbing_robot").simulate(stop_time=3, interval=0.1)
    t = result.time
    heading = np.unwrap(np.arctan2(6 * np.sin(t), 10 * np.cos(t)))
    assert result["theta"] == pytest.approx(heading, abs=1e-7)
    assert result["theta"][-1] > math.pi / 2
