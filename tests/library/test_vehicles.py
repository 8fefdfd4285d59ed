"""Bicycle, robot and trailer, built from bodies, hinges and wheels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

MODELS = Path(__file__).resolve().parents[2] / "models"


def test_the_bicycle_takes_few_lines():
    lines = (MODELS / "parts_bicycle.mbd").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60


def test_the_bicycle_s_nine_accelerations(compiled: Any):
    """Basu-Mandal and others (2007), table 1: far from upright, all nine to 1e-10; there, steering left is positive."""
    model = compiled("parts_bicycle")
    place = {
        "frame.r": [0, 0, 0.24404721029250953],
        "frame.angle": [0, 0.6206670416476966, -0.01588535210044397],
        "steer.angle": -0.2311385135743,
        "rear.angle": 0,
        "front.angle": 0,
    }
    rate = {
        "frame.r": [2.806934571454458, 0.14809823960007545, 0.10587787462605408],
        "frame.angle": [0.7830033527064924, -0.6068425835418, -0.011918552806873855],
        "steer.angle": -0.4859824687093,
        "rear.angle": 8.912989661489,
        "front.angle": 8.013362058415455,
    }
    found = model.accelerations(place, rate)
    expected = {
        "frame.r": [0.5041626315047627, 0.3449706619454398, -1.460452833298022],
        "frame.angle": [0.8353281706379995, 7.8555281128243, 0.12055438978837274],
        "steer.angle": 4.619890403939769,
        "rear.angle": 1.8472554144219373,
        "front.angle": 2.4548072904552143,
    }
    for name, value in expected.items():
        assert np.asarray(found[f"der(der({name}))"]) == pytest.approx(np.asarray(value), abs=1e-10), name


MANOEUVRES = {
    "M1": (4.0, 0.05, {"roll": 0.007952196613080074, "steer.angle": -0.007871832038713764, "yaw": 0.0333217564974977,
                       "frame.r[1]": 7.999005258551662, "frame.r[2]": -0.12801668881818784,
                       "speed": 3.9993046316386205, "pitch": -3.955761133513971e-06}),
    "M2": (4.6, 0.5, {"roll": 0.05618080869601403, "steer.angle": 0.063097319083782, "yaw": -0.19266341653682345,
                      "frame.r[1]": 9.085638384634981, "frame.r[2]": -1.6499436811241315,
                      "speed": 4.63700457828896, "pitch": 0.0003072399321649913}),
    "M3": (8.0, 0.05, {"roll": 0.004031489617938515, "steer.angle": 0.0006264720319006242,
                       "yaw": -0.014965044598152694, "frame.r[1]": 15.99937780418919,
                       "frame.r[2]": -0.16314740462918823, "speed": 8.000153189106525}),
}  # fmt: skip


@pytest.mark.parametrize("name", MANOEUVRES)
def test_the_bicycle_s_manoeuvres(name: str):
    """Pushed sideways at 4, 4.6 and 8 m/s: where it is, and how it leans and steers, after 2 s."""
    from mbdc import load_model

    speed, kick, expected = MANOEUVRES[name]
    text = (MODELS / "parts_bicycle.mbd").read_text(encoding="utf-8")
    text = text.replace("der(roll) = 0.5[rad/s]", f"der(roll) = {kick}[rad/s]").replace("4.6[m/s]", f"{speed}[m/s]")
    result = load_model(text=text).simulate(stop_time=2, interval=1, tolerance=1e-9)
    for quantity, value in expected.items():
        assert result[quantity][-1] == pytest.approx(value, abs=1e-6), quantity


def test_a_robot_on_two_wheels(compiled: Any):
    """Unequal torques: wheels keep to no slip, one lateral row repeats the other, and the work adds up."""
    result = compiled("parts_robot").simulate(stop_time=3, interval=0.1)
    phi = result["body.phi"]
    ahead = result["der(body.r[1])"] * np.cos(phi) + result["der(body.r[2])"] * np.sin(phi)
    turn = result["der(body.phi)"]
    assert 0.05 * result["der(left.spin)"] == pytest.approx(ahead - 0.15 * turn, abs=1e-8)
    assert 0.05 * result["der(right.spin)"] == pytest.approx(ahead + 0.15 * turn, abs=1e-8)
    done = 0.02 * result["left.spin"] + 0.03 * result["right.spin"]
    assert result["energy.total"] - result["energy.total"][0] == pytest.approx(done, abs=1e-6)
    assert "repeats" in str(result.report)


def test_a_trailer_follows_on_its_own_circle(compiled: Any):
    """In a steady curve: the hitch runs at radius sqrt(R^2 + o^2), the trailer's axle at sqrt(R^2 + o^2 - d^2)."""
    result = compiled("parts_trailer").simulate(stop_time=20, interval=1)
    hitch = np.hypot(8, 0.8)
    expected = -(np.arctan2(0.8, 8) + np.arctan2(3, np.sqrt(hitch**2 - 9)))
    assert result["hitch.angle"][-1] == pytest.approx(expected, abs=1e-5)
    middle = np.stack([result["car.r[1]"], result["car.r[2]"]], axis=1)
    assert np.hypot(middle[:, 0], middle[:, 1] - 8) == pytest.approx(8, abs=1e-5)
    assert "repeats" in str(result.report)
