"""Chaplygin's sleigh against its closed form and its two endpoints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison import assert_at, drift
from scipy.integrate import quad


@pytest.mark.parametrize(("settings", "tolerance"), [({}, 1e-5), ({"tolerance": 1e-11}, 1e-7)])
def test_the_sleigh_that_ships_ends_where_it_should(compiled, settings, tolerance):
    """m = 1, I = 0.5, mass centre 0.3 ahead; confirmed by the closed form and DOP853 at 1e-13."""
    result = compiled("chaplygin_sleigh").simulate(stop_time=20, interval=0.1, **settings)
    expected = {"x": -14.493848459, "y": 25.172096311, "heading": 2.191652881}
    assert_at(result, 20.0, expected, absolute=tolerance)


def test_closed_form(compiled):
    """Chaplygin 1911; Bloch: forward speed u = V tanh(s), yaw rate (V/c) sech(s), s = s0 + a V t/c^2, with
    c^2 = (J + m a^2)/m. Here m = 2, J = 0.3, a = 0.25, u(0) = 0.4, yaw rate(0) = 1.5."""
    m, inertia, a, u0, w0 = 2.0, 0.3, 0.25, 0.4, 1.5
    c = math.sqrt((inertia + m * a * a) / m)
    energy_speed = math.hypot(u0, c * w0)
    s0 = math.atanh(u0 / energy_speed)

    def s(t: float) -> float:
        return s0 + a * energy_speed * t / c**2

    def heading(t: float) -> float:
        return (c / a) * 2 * (math.atan(math.tanh(s(t) / 2)) - math.atan(math.tanh(s0 / 2)))

    def blade(t: float) -> tuple[float, float]:
        speed = [lambda t: energy_speed * math.tanh(s(t)) * math.cos(heading(t))]
        speed.append(lambda t: energy_speed * math.tanh(s(t)) * math.sin(heading(t)))
        x, y = (quad(f, 0, t, epsabs=1e-13, epsrel=1e-13)[0] for f in speed)
        return x, y

    start = {"x": a, "y": 0, "heading": 0, "der(heading)": w0}
    model = compiled("chaplygin_sleigh", m=m, I=inertia, ahead=a)
    result = model.simulate(stop_time=4, interval=0.5, tolerance=1e-11, start=start | {"der(x)": u0, "der(y)": a * w0})
    for t in (0.5, 1.0, 2.0, 4.0):
        x, y = blade(t)
        expected = {
            "blade[1]": x,
            "blade[2]": y,
            "heading": heading(t),
            "der(heading)": energy_speed / c / math.cosh(s(t)),
            "speed": energy_speed * math.tanh(s(t)),
        }
        assert_at(result, t, expected, absolute=1e-8)
    assert energy_speed == pytest.approx(0.7988272654335229, rel=1e-14)
    assert_at(result, 4.0, {"blade[1]": 0.23939423013429142, "blade[2]": 2.6495439523196835}, absolute=1e-8)
    assert drift(result, "energy.total") < 1e-8


def test_it_ends_up_straight_ahead(compiled):
    """Knife edge 0.2 behind the mass centre, m = 1, I = 0.1: forward acceleration 1.8, yaw acceleration
    -2.14285714 at first; in the end forward speed 1.22882057, heading 2.15471722."""
    model = compiled("chaplygin_sleigh", m=1, I=0.1, ahead=0.2)
    q = {"x": 0.2, "y": 0, "heading": 0}
    first = model.accelerations(q, {"x": 0.5, "y": 0.6, "heading": 3})
    # Of the mass centre: the blade's forward acceleration less the centripetal one.
    assert first["der(der(x))"] == pytest.approx(1.8 - 0.2 * 9, abs=1e-9)
    assert first["der(der(heading))"] == pytest.approx(-2.14285714, abs=1e-8)
    start = {"x": 0.2, "y": 0, "heading": 0, "der(heading)": 3, "der(x)": 0.5, "der(y)": 0.6}
    result = model.simulate(stop_time=30, interval=1, start=start)
    assert result["speed"][-1] == pytest.approx(math.sqrt(0.25 + 0.14 * 9), abs=1e-5)
    assert result["heading"][-1] == pytest.approx(2.15471722, abs=1e-5)
    assert np.all(np.diff(result["der(heading)"]) < 1e-9)
