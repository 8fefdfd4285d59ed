"""Quantities that classical mechanics says are constant, or periods it knows, along whole runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison import assert_at, drift
from published import PROBLEMS, at
from scipy.interpolate import CubicSpline
from scipy.special import ellipk


def crossings(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a smooth signal passes 0 upwards."""
    roots = CubicSpline(time, values).roots(extrapolate=False)
    slope = CubicSpline(time, values).derivative()
    return np.array([root for root in roots if slope(root) > 0])


def test_routh_sphere(compiled):
    """Jellett's and Routh's integrals and the energy."""
    result = compiled("routh_sphere").simulate(stop_time=3, interval=0.1, tolerance=1e-10)
    integrals = PROBLEMS["routh_sphere_rolling"]["integrals"]
    expected = {
        "jellett": integrals["jellett"],
        "routh": integrals["routh"],
        "energy.total": integrals["energy"],
    }
    assert_at(result, 0.0, expected, relative=1e-12)
    for name, value in expected.items():
        assert drift(result, name) < 1e-8 * abs(value)


def test_tippe_top(compiled):
    """Jellett's integral survives sliding friction; the energy lost is the integral of 2 D."""
    result = compiled("tippe_top").simulate(stop_time=3, interval=0.05, tolerance=1e-10)
    assert drift(result, "jellett") < 1e-8 * abs(result["jellett"][0])
    balance = result.report.energy
    assert abs(balance.error) < 1e-7
    lost = result["energy.total"][0] - result["energy.total"][-1]
    assert balance.dissipated == pytest.approx(lost, abs=1e-7)
    assert lost > 0.02


def test_spherical_pendulum(compiled):
    """Energy, angular momentum about the vertical, turning heights from the cubic and the period between them
    (complete elliptic integral)."""
    result = compiled("spherical_pendulum").simulate(stop_time=10, interval=0.005, tolerance=1e-10)
    assert drift(result, "energy.total") < 1e-7
    assert drift(result, "spin") < 1e-7
    assert_at(result, 0.0, {"spin": 1.6, "energy.total": -3.886}, relative=1e-12)
    height = CubicSpline(result.time, result["p[3]"])
    rate = CubicSpline(result.time, result["der(p[3])"])
    turning = rate.roots(extrapolate=False)
    heights = height(turning)
    assert heights.min() == pytest.approx(-0.8404362437271513, abs=1e-6)
    assert heights[1:].max() == pytest.approx(-0.6, abs=1e-6)
    lowest = turning[heights < -0.8]
    assert np.diff(lowest) == pytest.approx(1.0687961262804218, abs=1e-5)


def test_kapitza_pendulum_stands_upside_down(compiled):
    """Averaging: upright is stable for a·omega > sqrt(2 g l) = 4.429 m/s. At 8 it stays, at 3 it falls."""
    model = compiled("kapitza_pendulum")
    stays = model.simulate(stop_time=5, interval=0.01)
    assert np.max(np.abs(stays["theta"] - math.pi)) < 0.6
    falls = model.simulate(stop_time=5, interval=0.01, parameters={"omega": 30})
    assert np.max(np.abs(falls["theta"] - math.pi)) > 2


@pytest.mark.parametrize(
    ("stem", "problem", "stop"),
    [("cartesian_kapitza", "kapitza_pendulum", 2.0), ("cartesian_double_pendulum", "double_pendulum", 3.0)],
)
def test_the_same_motion_from_constraints(compiled, stem, problem, stop):
    """Angles and constrained Cartesian coordinates give one motion."""
    entry = PROBLEMS[problem]
    result = compiled(stem).simulate(stop_time=stop, interval=0.5, tolerance=1e-11)
    for time, values in entry["values"].items():
        if float(time) > stop:
            continue
        if stem == "cartesian_kapitza":
            place = {"x": math.sin(values["theta"])}
        else:
            place = {"B[1]": values["B[1]"], "B[2]": values["B[2]"]}
        assert_at(result, float(time), place, absolute=3e-8)


def test_ball_on_a_turntable_runs_round_a_circle(compiled):
    """Two sevenths of the table's rate, wherever it starts (Neimark and Fufaev)."""
    result = compiled("turntable_ball").simulate(stop_time=3, interval=0.1, tolerance=1e-10)
    assert np.hypot(result["der(x)"], result["der(y)"]) == pytest.approx(0.5, abs=1e-8)
    rate = 2 * 2 / 7
    turn = np.unwrap(np.arctan2(result["der(y)"], result["der(x)"]))
    assert turn - turn[0] == pytest.approx(rate * result.time, abs=1e-7)


def test_ball_in_a_cylinder_bobs(compiled):
    """The height swings at sqrt(2/7) of the rate round the axis: 2.1380899 rad/s here."""
    result = compiled("ball_in_cylinder").simulate(stop_time=6, interval=0.02, tolerance=1e-9)
    rising = crossings(result.time, result["der(z)"])
    assert len(rising) >= 2
    assert np.diff(rising) == pytest.approx(2 * math.pi / 2.138089935299395, abs=1e-6)
    assert drift(result, "der(phi)") < 1e-7


def test_rattleback_turns_round(compiled):
    """Kane and Levinson 1982: a spin of -5 rad/s reverses to about +5.25 near 6.6 s."""
    result = compiled("rattleback").simulate(stop_time=8, interval=0.05)
    spin = result["w[3]"]
    assert spin[0] == pytest.approx(-5)
    assert 5.0 < spin.max() < 5.5
    assert 5.5 < result.time[np.argmax(spin)] < 7.5
    assert drift(result, "energy.total") < 1e-6


def test_suslov_goes_over_to_the_opposite_rotation(compiled):
    result = compiled("suslov").simulate(stop_time=2, interval=0.1, tolerance=1e-10)
    assert drift(result, "energy.total") < 1e-9
    assert np.max(np.abs(result["w[3]"])) < 1e-12
    # w1 = A sech(s) falls, w2 = B tanh(s) grows; w1^2 I11 + w2^2 I22 is twice the energy.
    assert np.all(np.diff(result["w[2]"]) > 0)


def test_knife_edge_is_a_cycloid(compiled):
    """Bloch: x = g sin(alpha)/(2 w^2) sin^2(w t), y = g sin(alpha)/(2 w^2) (w t - sin(2 w t)/2)."""
    result = compiled("knife_edge_incline").simulate(stop_time=5, interval=0.05, tolerance=1e-10)
    w, t = 1.3, result.time
    scale = 9.81 * math.sin(0.5) / (2 * w**2)
    assert result["x"] == pytest.approx(scale * np.sin(w * t) ** 2, abs=1e-7)
    assert result["y"] == pytest.approx(scale * (w * t - np.sin(2 * w * t) / 2), abs=1e-7)


def test_appell_hamel_falls_on_a_straight_line(compiled):
    """z'' = -g/(1 + a^2)."""
    result = compiled("appell_hamel").simulate(stop_time=2, interval=0.1, tolerance=1e-10)
    assert result["der(der(z))"] == pytest.approx(-9.81 / 1.36, abs=1e-8)


def test_nonlinear_constraints_are_announced(compiled):
    """Chetaev's rule is a choice, so that a note says it was used."""
    for stem in ("appell_hamel", "isokinetic_particle", "benenti"):
        notes = " ".join(d.message for d in compiled(stem).diagnostics)
        assert "Chetaev" in notes, stem


def test_euler_top(compiled):
    """Energy and momentum are constant; the body rates have the period 33.194997 s (closed form)."""
    result = compiled("euler_top").simulate(stop_time=40, interval=0.02, tolerance=1e-10)
    assert drift(result, "energy.total") < 1e-8
    for i in (1, 2, 3):
        assert drift(result, f"H[{i}]") < 1e-7
    passes = crossings(result.time, result["w[2]"])
    falls = crossings(result.time, -result["w[2]"])
    half = abs(passes[0] - falls[0])
    assert half == pytest.approx(33.194997008915486 / 2, abs=1e-4)
    attitude = result["S"]
    products = np.einsum("tij,tkj->tik", attitude, attitude)
    assert np.max(np.abs(products - np.eye(3))) < 1e-10


def test_heavy_top_through_the_vertical(compiled):
    """Bruels, Cardona and Arnold: it passes almost exactly through the vertical; the spin stays 150 rad/s."""
    result = compiled("heavy_top").simulate(stop_time=2, interval=0.005, tolerance=1e-10)
    assert result["w[2]"] == pytest.approx(150.0, abs=1e-6)
    assert drift(result, "energy.total") < 1e-8 * abs(result["energy.total"][0])
    assert result["C[3]"].min() < -0.999


def test_singular_mass_matrix(compiled):
    """Two masses in series, one coordinate without mass: the sum of two harmonic motions (by modes)."""
    result = compiled("singular_mass").simulate(stop_time=5, interval=0.05, tolerance=1e-10)
    frequencies = [2.0249077158891957, 6.625688548530817]
    basis = np.stack([np.cos(w * result.time) for w in frequencies], axis=1)
    for name in ("x1", "x2"):
        shares = np.linalg.lstsq(basis, result[name], rcond=None)[0]
        assert np.max(np.abs(basis @ shares - result[name])) < 1e-8


def test_inverse_kepler(compiled):
    """Held on an ellipse at constant areal velocity: what holds it is gravitation, -(L^2/l) r/r^3."""
    result = compiled("inverse_kepler").simulate(stop_time=5, interval=0.1, tolerance=1e-10)
    r = np.stack([result["x"], result["y"]], axis=1)
    pull = np.stack([result["der(der(x))"], result["der(der(y))"]], axis=1)
    expected = -(1.1**2 / 1.2) * r / np.linalg.norm(r, axis=1)[:, None] ** 3
    assert np.max(np.abs(pull - expected)) < 1e-6
    assert_at(result, 1.0, at("udwadia_kalaba_inverse_kepler", "1"), absolute=1e-7)


def test_pendulum_period(compiled):
    """4 K(sin(phi0/2))/sqrt(g/L): from the horizontal 2.36784195 s."""
    result = compiled("pendulum").simulate(stop_time=10, interval=0.01)
    period = 4 * ellipk(0.5) / math.sqrt(9.81)
    assert period == pytest.approx(2.3678419475762373, rel=1e-12)
    assert np.diff(crossings(result.time, result["x"])) == pytest.approx(period, abs=1e-6)
