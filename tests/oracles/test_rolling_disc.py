"""The rolling disc (coin, wheel): where the shipped model ends, steady turning, and the classical trap.

Frame of models/rolling_disc.mbd: heading e1 = (cos yaw, sin yaw, 0), lean about e1 (positive: top to the
right), spin about the axle, attitude rotZ(yaw)*rotX(lean)*rotY(spin), x and y of the centre.
"""

from __future__ import annotations

import numpy as np
import pytest
from comparison import assert_at, drift

ENDPOINT = {
    "x": -7.695923941,
    "y": -16.538781539,
    "yaw": -4.007166671,
    "lean": 0.200182496,
    "spin": 81.761025147,
}
"""Uniform disc m = 1, r = 0.5, g = 9.81 from lean 0.2, yaw rate 0.3, spin rate 8, at 10 s.

Confirmed by SymPy's equations and DOP853 at 1e-12.
"""


@pytest.mark.parametrize(("settings", "tolerance"), [({}, 1e-5), ({"tolerance": 1e-11}, 1e-7)])
def test_the_disc_that_ships_ends_where_it_should(compiled, settings, tolerance):
    result = compiled("rolling_disc").simulate(stop_time=10, interval=0.1, **settings)
    assert_at(result, 10.0, ENDPOINT, absolute=tolerance)


def test_steady_turning(compiled):
    """Closed form: g/r sin(a) + (j+1) n W cos(a) - k n^2 sin(a) cos(a) = 0 with k = 1/4, j = 1/2, n the yaw
    rate, W the rate about the axle. The centre runs round a circle of radius -0.6717959955 (signed)."""
    start = {"yaw": 0, "lean": 0.4, "der(yaw)": -2.0, "der(lean)": 0, "der(spin)": 5.2574766547603815}
    model = compiled("rolling_disc", m=2, r=0.3)
    result = model.simulate(stop_time=3, interval=0.1, tolerance=1e-11, start=start)
    assert drift(result, "lean") < 1e-8
    assert_at(result, 0.0, {"about_axle": 4.478639970143081, "der(x)": 1.3435919910429241}, relative=1e-12)
    radius = -0.6717959955214621
    centre = np.stack([result["x"], result["y"]], axis=1)
    distance = np.linalg.norm(centre - np.array([0.0, radius]), axis=1)
    assert np.max(np.abs(distance - abs(radius))) < 1e-8


@pytest.mark.parametrize("spin", [0.7, 2.0, 9.0])
def test_no_slip_is_not_put_into_the_kinetic_energy(compiled, spin):
    """Upright disc at spin w: yaw'' = -2 w lean' is right (d'Alembert); the naive -6 w lean' is a trap,
    asserted by SymPy's own tests of its Lagrangian method. lean'' = 1.2 w yaw' comes out either way."""
    model = compiled("rolling_disc")
    q = {"x": 0, "y": 0, "yaw": 0, "lean": 0, "spin": 0}
    leaning = model.accelerations(q, {"x": 0.5 * spin, "y": -0.5, "yaw": 0, "lean": 1, "spin": spin})
    assert leaning["der(der(yaw))"] == pytest.approx(-2 * spin, rel=1e-10)
    turning = model.accelerations(q, {"x": 0.5 * spin, "y": 0, "yaw": 1, "lean": 0, "spin": spin})
    assert turning["der(der(lean))"] == pytest.approx(1.2 * spin, rel=1e-10)
