"""Rolling contacts that may slide and lift: closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from parts import machine

from mbdc import load_model

G = 9.81


BALL = "m = 2, I = 0.4*2*0.1^2*identity(3)"


def test_a_ball_that_slides_rolls_in_the_end():
    """It slows at mu g and spins up at 5/2 mu g/R: at t = 2 v/(7 mu g) it rolls, at 5/7 of its speed."""
    model = machine(f"""\
  RigidBody ball({BALL}, r(start = {{0, 0, 0.1}}, rate = {{3, 0, 0}}), S(start = identity(3), rate = {{0, 0, 0}}));
  RollingSphere contact(b = ball.frame, radius = 0.1, slips = true, friction_coefficient = 0.2);
""")
    result = model.simulate(stop_time=1, interval=0.05)
    rolls = 2 * 3 / (7 * 0.2 * G)
    (event,) = (e for e in result.events if e.what == "sticks")
    assert event.name == "contact.rubbing"
    assert event.time == pytest.approx(rolls, abs=1e-6)
    after = result.time > rolls + 1e-3
    assert result["der(ball.r)"][after, 0] == pytest.approx(3 * 5 / 7, abs=1e-7)
    assert result["contact.slip"][after] == pytest.approx(0, abs=1e-12)
    way = 3 * rolls - 0.2 * G * rolls**2 / 2 + 3 * 5 / 7 * (1 - rolls)
    assert result["ball.r"][-1, 0] == pytest.approx(way, abs=1e-7)
    before = result.time < rolls - 1e-3
    assert result["contact.force"][before, 2] == pytest.approx(2 * G, abs=1e-7)
    assert np.linalg.norm(result["contact.force"][before, :2], axis=1) == pytest.approx(0.2 * 2 * G, abs=1e-7)


def test_a_ball_with_side_spin_curves_until_it_rolls():
    """The friction of a sliding ball keeps its direction (Euler 1758): a parabola, then a straight line at
    v - (2/7)(v - R spin x n) for the slip v + spin x (-R n)."""
    model = machine(f"""\
  RigidBody ball({BALL}, r(start = {{0, 0, 0.1}}, rate = {{2, 0, 0}}), S(start = identity(3), rate = {{-15, 0, 0}}));
  RollingSphere contact(b = ball.frame, radius = 0.1, slips = true, friction_coefficient = 0.3);
""")
    result = model.simulate(stop_time=1, interval=0.05)
    slip = np.array([2.0, 0.0]) + np.array([0.0, -15 * 0.1])
    rolls = 2 * np.linalg.norm(slip) / (7 * 0.3 * G)
    (event,) = (e for e in result.events if e.what == "sticks")
    assert event.time == pytest.approx(rolls, abs=1e-6)
    assert result["der(ball.r)"][-1, :2] == pytest.approx(np.array([2.0, 0.0]) - 2 / 7 * slip, abs=1e-7)


def test_a_disc_dropped_with_spin_bounces_and_runs_off():
    """Each bounce on a rough ground gives at most mu times the normal impulse to the motion along the ground."""
    model = machine(
        """\
  PlanarLike wheel;
""".replace(
            "  PlanarLike wheel;\n",
            """\
  RigidBody wheel(m = 2, I = diagonal({0.12, 0.06, 0.12}), r(start = {0, 0, 0.5}, rate = {0, 0, 0}),
    S(start = identity(3), rate = {0, 20, 0}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {0, 1, 0}, slips = true, friction_coefficient = 0.1,
    restitution = 0.5);
""",
        )
    )
    result = model.simulate(stop_time=0.4, interval=0.01)
    falls = np.sqrt(2 * 0.2 / G)
    first = next(e for e in result.events if e.name == "contact.touch")
    assert first.time == pytest.approx(falls, abs=1e-9)
    after = np.flatnonzero(result.time > falls + 1e-6)[0]
    impulse = 1.5 * 2 * G * falls
    assert result["der(wheel.r)"][after, 0] == pytest.approx(0.1 * impulse / 2, abs=1e-7)
    assert abs(result["angularVelocity(wheel.S)"][after, 1]) == pytest.approx(20 - 0.3 * 0.1 * impulse / 0.06, abs=1e-6)


def test_a_wheel_on_a_slope_rolls_where_friction_allows_and_slides_where_not():
    """A disc rolls down without slip up to tan(slope) = mu (1 + m R^2/I)."""
    for mu, slides in ((0.15, False), (0.05, True)):
        slope = 0.4
        model = machine(f"""\
  RigidBody wheel(m = 2, I = diagonal({{0.12, 0.06, 0.12}}), r(start = {{0.3*sin({slope}), 0, 0.3*cos({slope})}}),
    S(start = identity(3)));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {{0, 1, 0}},
    plane_normal = {{sin({slope}), 0, cos({slope})}}, slips = true, friction_coefficient = {mu});
""")
        result = model.simulate(stop_time=0.5, interval=0.1)
        pull = G * np.sin(slope) - (mu * G * np.cos(slope) if slides else 0)
        acceleration = pull if slides else pull / (1 + 0.06 / (2 * 0.3**2))
        assert (np.tan(slope) > mu * (1 + 2 * 0.3**2 / 0.06)) == slides
        way = acceleration * 0.5**2 / 2 * np.cos(slope)
        assert result["wheel.r"][-1, 0] - result["wheel.r"][0, 0] == pytest.approx(way, abs=1e-7), mu


def test_a_ball_rolled_over_a_crest_lifts():
    """A ball on a sphere leaves it where 17 cos(angle) = 10 cos(start), if friction holds until then."""
    model = machine(f"""\
  RigidBody ball({BALL}, r(start = {{1.1*sin(0.1), 0, 1.1*cos(0.1)}}, rate = {{0, 0, 0}}),
    S(start = identity(3), rate = {{0, 0, 0}}));
  contacts.SphereOnSphere contact(b = ball.frame, radius = 0.1, radius_a = 1, slips = true,
    friction_coefficient = 1000);
""")
    result = model.simulate(stop_time=3, interval=0.01)
    lifts = next(e for e in result.events if e.name == "contact.touch" and "leaves" in e.what)
    at = int(np.argmin(np.abs(result.time - lifts.time)))
    angle = np.arctan2(result["ball.r"][at, 0], result["ball.r"][at, 2])
    assert np.cos(angle) == pytest.approx(10 / 17 * np.cos(0.1), abs=2e-5)


def test_a_cart_wheel_is_pressed_by_the_load_it_is_told():
    """A wheel whose height something else keeps has the friction of its `load`."""
    model = load_model(
        text="""
import contacts.Wheel;
model Cart
  parameter Mass m = 10;
  coordinate Length x(start = 0, rate = 0);
  kinetic cart = m/2*der(x)^2;
  Wheel wheel(hub = Frame(r = {x, 0, 0.2}, R = identity(3)), radius = 0.2, m_wheel = 1, I_axle = 0.02, drive = true,
    rolling(slips = true, lateral = false, friction_coefficient = 0.1, load = 98.1), torque = 5,
    spin(start = 0, rate = 0));
end Cart;
"""
    )
    result = model.simulate(stop_time=1, interval=0.5)
    # The torque is more than 0.1*98.1 N*0.2 m: the wheel spins, and the cart is pushed by what friction gives.
    assert result["x"][-1] == pytest.approx(0.1 * 98.1 / 11 / 2, abs=1e-7)
