"""Contacts of discs with surfaces and curves, and of an ellipsoid with a plane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from parts import machine
from scipy.special import ellipk

from mbdc import load_model

G = 9.81
DISC = "m = 2, I = diagonal({0.12, 0.06, 0.12})"


def test_a_disc_on_a_flat_surface_is_a_disc_on_a_plane():
    """The same start on z = 0.3 x, written as a surface and as a plane."""
    attitude = "S(start = rotY(-atan(0.3))*rotX(0.2), rate = {0.4, 6, 0.3})"
    body = f"RigidBody disc({DISC}, {attitude}, r(guess = {{0, 0, 0.3}}));"
    plane = machine(f"""\
  {body}
  RollingDisc contact(b = disc.frame, radius = 0.3, disc_axis = {{0, 1, 0}}, plane_normal = {{-0.3, 0, 1}});
  initial middle: contact.point[1:2] = {{0.1, 0.2}};
""").simulate(stop_time=2, interval=0.25, tolerance=1e-10)
    surface = machine(f"""\
  {body}
  contacts.DiscOnSurface contact(b = disc.frame, radius = 0.3, disc_axis = {{0, 1, 0}}, spot(start = {{0.1, 0.2}}),
    rim(guess = -pi/2), f = 0.3*contact.spot[1], slope = {{0.3, 0}});
""").simulate(stop_time=2, interval=0.25, tolerance=1e-10)
    assert surface["disc.r"] == pytest.approx(plane["disc.r"], abs=1e-7)
    assert surface["disc.S"] == pytest.approx(plane["disc.S"], abs=1e-6)
    assert surface["contact.press"] == pytest.approx(plane["contact.force"][:, 2], abs=1e-5)
    assert surface["contact.point"] == pytest.approx(plane["contact.point"], abs=1e-7)


def test_a_disc_in_a_bowl_keeps_its_energy_and_its_touch():
    result = machine(f"""\
  RigidBody disc({DISC}, S(start = rotZ(0.3), rate = {{0.2, 8, 0}}), r(guess = {{0.5, 0, 0.5}}));
  contacts.DiscOnSurface contact(b = disc.frame, radius = 0.3, disc_axis = {{0, 1, 0}}, spot(start = {{0.5, 0.1}}),
    rim(guess = -pi/2), f = 0.2*contact.spot*contact.spot/1[m], slope = 0.4*contact.spot/1[m]);
""").simulate(stop_time=2, interval=0.1)
    assert result["energy.total"] == pytest.approx(result["energy.total"][0], abs=1e-6)
    assert result["contact.slip"] == pytest.approx(0, abs=1e-9)
    spot, point = result["contact.spot"], result["contact.point"]
    assert point[:, 2] == pytest.approx(0.2 * np.sum(spot**2, axis=1), abs=1e-12)
    assert np.linalg.norm(result["disc.r"] - point, axis=1) == pytest.approx(0.3, abs=1e-10)


def test_a_disc_in_a_round_valley_swings_like_a_pendulum():
    """(3/2) theta'' = -g/(R - r) sin(theta): the period is 4 K(sin(theta0/2)^2) sqrt(1.5 (R - r)/g)."""
    result = machine(
        """\
  PlanarBody disc(m = 3, I = 3*0.2^2/2, r(guess = {0.6, -0.4}), phi(start = 0, rate = 0));
  planar.PlanarDiscOnCurve rolling(b = disc.pose, radius = 0.2, s(start = 1, rate = 0),
    curve = {sin(rolling.s/1[m]), -cos(rolling.s/1[m])}*1[m], slope = {cos(rolling.s/1[m]), sin(rolling.s/1[m])});
""",
        up="{0, 1, 0}",
    ).simulate(stop_time=4 * ellipk(np.sin(0.5) ** 2) * np.sqrt(1.5 * 0.8 / G), interval=10, tolerance=1e-10)
    assert result["rolling.s"][-1] == pytest.approx(1, abs=1e-7)
    assert result["der(rolling.s)"][-1] == pytest.approx(0, abs=1e-6)
    # At rest 1 rad up, the valley carries the weight's part along the normal.
    assert result["rolling.press"][0] == pytest.approx(3 * G * np.cos(1), abs=1e-7)


def test_a_disc_on_a_wavy_road_keeps_its_energy():
    result = machine(
        """\
  PlanarBody disc(m = 3, I = 0.06, r(guess = {0, 0.3}), phi(start = 0));
  planar.PlanarDiscOnCurve rolling(b = disc.pose, radius = 0.2, s(start = 0, rate = 3),
    curve = {rolling.s, 0.1[m]*cos(rolling.s/0.5[m])}, slope = {1, -0.2*sin(rolling.s/0.5[m])});
""",
        up="{0, 1, 0}",
    ).simulate(stop_time=3, interval=0.1)
    assert result["energy.total"] == pytest.approx(result["energy.total"][0], abs=1e-6)
    middle = result["disc.r"] - result["rolling.curve"]
    assert np.linalg.norm(middle, axis=1) == pytest.approx(0.2, abs=1e-10)


def test_a_round_ellipsoid_is_a_ball():
    body = (
        "RigidBody ball(m = 1, I = 0.004*identity(3), r(guess = {0, 0, 0.1}), S(start = rotX(0.3), rate = {1, 2, 3}));"
    )
    ball = machine(f"{body} RollingSphere contact(b = ball.frame, radius = 0.1);").simulate(stop_time=1, interval=0.5)
    round_one = machine(f"{body} contacts.Ellipsoid contact(b = ball.frame, half_axes = {{0.1, 0.1, 0.1}});").simulate(
        stop_time=1, interval=0.5
    )
    assert round_one["ball.r"] == pytest.approx(ball["ball.r"], abs=1e-8)
    assert round_one["contact.force_world"] == pytest.approx(ball["contact.force_world"], abs=1e-7)


def test_a_rattleback_of_parts_turns_round_as_that_of_energies():
    """Kane and Levinson 1982: the spin of -5 rad/s turns to about +5.25 rad/s. Here z is up, there it is down."""
    path = Path(__file__).resolve().parents[2] / "models" / "rattleback.mbd"
    energies = load_model(path).simulate(stop_time=7, interval=0.05, tolerance=1e-10)
    # Half a turn about x takes z down to z up.
    parts = machine("""\
  RigidBody stone(m = 1, I = [2e-4, -2e-5, 0; -2e-5, 1.6e-3, 0; 0, 0, 1.7e-3], r(guess = {0, 0, 0.01}),
    S(start = rotX(pi)*rotX(0.5[deg])*rotY(0.5[deg]), rate = {0, 0, -5}));
  contacts.Ellipsoid contact(b = stone.frame, half_axes = {0.2, 0.03, 0.02}, at = {0, 0, -0.01});
""").simulate(stop_time=7, interval=0.05, tolerance=1e-10)
    spin = parts["angularVelocity(stone.S)"]
    assert spin[:, 2].max() > 5 and spin[0, 2] == pytest.approx(-5)
    assert spin[:81] == pytest.approx(energies["w"][:81], abs=1e-5)
