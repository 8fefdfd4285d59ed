"""Joints: how each moves, what it holds back, its reactions, drives and springs."""

from __future__ import annotations

import numpy as np
import pytest
from parts import machine

from mbdc import StartError

BODY = "RigidBody body(m = 2, I = diagonal({0.1, 0.2, 0.3})"


def test_fixed_carries_weight_and_moment():
    """2 kg, half a metre out: 19.62 N up and 9.81 N m, in world axes and in those of a turned ground."""
    model = machine(f"""\
  {BODY}, c = {{0.5, 0, 0}});
  joints.Fixed joint(b = body.frame);
""")
    result = model.simulate(stop_time=0.1, interval=0.1)
    assert result["joint.force"][0] == pytest.approx([0, 0, 19.62], abs=1e-9)
    assert result["joint.torque"][0] == pytest.approx([0, -9.81, 0], abs=1e-9)
    turned = machine(f"""\
  {BODY}, c = {{0.5, 0, 0}}, S(guess = rotX(90[deg])));
  joints.Fixed joint(a = Frame(r = {{0, 0, 0}}, R = rotX(90[deg])), b = body.frame);
""")
    result = turned.simulate(stop_time=0.1, interval=0.1)
    assert result["joint.force_a"][0] == pytest.approx([0, 19.62, 0], abs=1e-9)
    assert result["joint.force"][0] == pytest.approx([0, 0, 19.62], abs=1e-9)


def test_revolute_is_a_physical_pendulum_and_counts_whole_turns():
    """Angular acceleration m g l/(I + m l^2); spun fast it turns on past half a turn."""
    text = f"""\
  {BODY}, c = {{0.5, 0, 0}});
  joints.Revolute joint(b = body.frame, axis = {{0, 2, 0}}, angle(start = 0, rate = RATE));
"""
    result = machine(text.replace("RATE", "0")).simulate(stop_time=0.1, interval=0.1)
    assert result["der(der(joint.angle))"][0] == pytest.approx(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25), rel=1e-9)
    assert result["joint.torque"][0] @ [0, 1, 0] == pytest.approx(0, abs=1e-9)
    result = machine(text.replace("RATE", "10"), g=0).simulate(stop_time=2, interval=0.5)
    assert result["joint.angle"] == pytest.approx(10 * result.time, abs=1e-7)
    # Centripetal force on the body at the hinge.
    assert np.linalg.norm(result["joint.force"], axis=1) == pytest.approx(2 * 100 * 0.5, rel=1e-7)


@pytest.mark.parametrize("mount", ["rotX(70[deg])", "rotZ(180[deg])", "rotY(90[deg])*rotX(10[deg])"])
def test_a_mount_turns_the_body_not_the_joint(mount: str):
    model = machine(
        f"""\
  {BODY}, S(guess = {mount}));
  joints.Revolute joint(b = body.frame, axis = {{0, 0, 1}}, mount = {mount}, drive = "course",
    course = time*2[rad/s]);
  Rotation expected = rotZ(joint.angle)*{mount};
""",
        g=0,
    )
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["body.S"] == pytest.approx(result["expected"], abs=1e-8)


def test_put_together_half_a_turn_off_is_refused():
    model = machine(f"""\
  {BODY}, S(start = rotX(180[deg])));
  joints.Prismatic joint(b = body.frame);
""")
    with pytest.raises(StartError, match="`joint`: the joint is put together half a turn off"):
        model.simulate(stop_time=1)


def test_prismatic_slides_on_a_slope():
    model = machine(f"""\
  {BODY});
  joints.Prismatic joint(b = body.frame, axis = {{cos(0.3), 0, -sin(0.3)}}, travel(start = 0, rate = 0));
""")
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["joint.travel"] == pytest.approx(9.81 * np.sin(0.3) * result.time**2 / 2, abs=1e-8)
    assert np.linalg.norm(result["joint.force"], axis=1) == pytest.approx(19.62 * np.cos(0.3), rel=1e-9)


def test_cylindrical_turns_and_slides_at_once():
    model = machine(f"""\
  {BODY});
  joints.Cylindrical joint(b = body.frame, angle(start = 0, rate = 3), travel(start = 0, rate = 0));
""")
    result = model.simulate(stop_time=1, interval=0.5, tolerance=1e-10)
    assert result["joint.travel"] == pytest.approx(-9.81 * result.time**2 / 2, abs=1e-8)
    assert result["joint.angle"] == pytest.approx(3 * result.time, abs=1e-8)


def test_screw_shares_its_weight_between_falling_and_turning():
    """a = g m/(m + I (2 pi/h)^2) along the screw."""
    model = machine(f"""\
  {BODY});
  joints.Screw joint(b = body.frame, lead = 0.8, angle(start = 0, rate = 0));
""")
    result = model.simulate(stop_time=1, interval=0.5)
    fall = 9.81 * 2 / (2 + 0.3 * (2 * np.pi / 0.8) ** 2)
    assert result["joint.travel"] == pytest.approx(-fall * result.time**2 / 2, abs=1e-8)


def test_planar_joint_keeps_a_body_in_its_plane():
    model = machine(f"""\
  {BODY});
  joints.Planar joint(b = body.frame, axis = {{0, sin(0.3), cos(0.3)}}, angle(start = 0, rate = 2),
    shift(start = {{0, 0}}, rate = {{0, 0}}));
  Real n[3] = {{0, sin(0.3), cos(0.3)}};
  output Length off = n*body.r;
  output Length down = body.r[3];
""")
    result = model.simulate(stop_time=1, interval=0.5, tolerance=1e-10)
    assert result["off"] == pytest.approx(0, abs=1e-9)
    assert result["down"] == pytest.approx(-9.81 * np.sin(0.3) ** 2 * result.time**2 / 2, abs=1e-8)
    assert result["joint.angle"] == pytest.approx(2 * result.time, abs=1e-8)


def test_universal_joint_turns_unevenly():
    """tan(out) = tan(in)/cos(bend), the first yoke standing across the bend at the start."""
    model = machine(f"""\
  {BODY});
  RigidBody two(m = 1, I = diagonal({{0.1, 0.1, 0.1}}), S(guess = rotZ(30[deg])));
  joints.Revolute bearing(b = body.frame, axis = {{1, 0, 0}}, drive = "course", course = time*1[rad/s]);
  joints.Universal cross(a = body.frame, b = two.frame, axis = {{0, 1, 0}}, second = {{0, 0, 1}});
  Rotation tilted = rotZ(30[deg]);
  joints.Revolute other(a = Frame(r = {{0, 0, 0}}, R = tilted), b = two.frame, axis = {{1, 0, 0}});
  initial zero: cross.angle[2] = 30[deg];
  initial straight: cross.angle[1] = 0;
""")
    result = model.simulate(stop_time=1.2, interval=0.3)
    turned = result["other.angle"] - result["other.angle"][0]
    assert np.tan(turned) == pytest.approx(np.tan(result.time) / np.cos(np.radians(30)), abs=1e-6)


def test_spherical_and_distance_are_pendulums():
    """A ball joint and a massless rod of the same length carry the same point mass alike; the rod pulls."""
    model = machine("""\
  RigidBody bob(m = 1, I = 1e-9*identity(3), r(start = {0.6, 0, -0.8}), S(start = rotX(0), rate = {0, 0, 0}));
  PointMass point(m = 1, r(start = {0.6, 0, -0.8}, rate = {0, 0, 0}));
  joints.Distance rod(b = point.frame, length = 1);
  joints.Spherical ball(b = bob.frame, at_b = {-0.6, 0, 0.8});
""")
    result = model.simulate(stop_time=0.5, interval=0.25)
    assert result["point.r"] == pytest.approx(result["bob.r"], abs=1e-6)
    assert result["rod.tension"][0] == pytest.approx(9.81 * 0.8, abs=1e-9)
    assert result["ball.force"][0] == pytest.approx(9.81 * 0.8 * np.array([-0.6, 0, 0.8]), abs=1e-6)


def test_points_on_line_plane_and_curve():
    """Down a slope, on a tilted plane, and on a helix: all by energy."""
    model = machine("""\
  PointMass one(m = 1), two(m = 1), three(m = 1);
  joints.PointOnLine line(b = one.frame, axis = {0.6, 0, -0.8}, travel(start = 0, rate = 0));
  joints.PointOnPlane plane(b = two.frame, axis = {0.6, 0, 0.8});
  joints.PointOnCurve wire(b = three.frame, s(start = 0, rate = 0),
    curve = {cos(wire.s/1[m])*1[m], sin(wire.s/1[m])*1[m], -wire.s/2});
  initial rest: der(two.r) = {0[m/s], 0[m/s], 0[m/s]};
  initial place: two.r = {0[m], 0[m], 0[m]};
""")
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["line.travel"] == pytest.approx(9.81 * 0.8 * result.time**2 / 2, abs=1e-7)
    assert result["two.r[3]"] == pytest.approx(-9.81 * 0.36 * result.time**2 / 2, abs=1e-7)
    assert result["plane.press"] == pytest.approx(9.81 * 0.8, abs=1e-7)
    assert result["wire.s"] == pytest.approx(9.81 * 0.5 / 1.25 * result.time**2 / 2, abs=1e-7)


def test_gear_and_rack():
    """Two hinged wheels and a rack, one torque: inertias add by the squares of their ratios."""
    model = machine(
        """\
  RigidBody one(m = 1, I = 0.1*identity(3)), two(m = 1, I = 0.3*identity(3), r(guess = {1, 0, 0})),
    bar(m = 2, I = 0.1*identity(3));
  joints.Revolute h1(b = one.frame, angle(start = 0, rate = 0), drive = "torque", motor = 0.7);
  joints.Revolute h2(at_a = {1, 0, 0}, b = two.frame, angle(start = 0));
  joints.Prismatic rail(b = bar.frame, axis = {0, 1, 0}, travel(start = 0));
  joints.Gear gear(first = h1.angle, second = h2.angle, ratio = -0.5);
  joints.RackAndPinion rack(travel = rail.travel, angle = h2.angle, radius = 0.4);
""",
        g=0,
    )
    result = model.simulate(stop_time=1, interval=0.5, tolerance=1e-10)
    inertia = 0.1 + 0.25 * (0.3 + 2 * 0.16)
    assert result["h1.angle"] == pytest.approx(0.7 / inertia * result.time**2 / 2, abs=1e-8)
    assert result["rail.travel"] == pytest.approx(-0.2 * result["h1.angle"], abs=1e-8)
    # What the gear does to the second wheel turns it and pushes the rack.
    assert result["gear.torque"] == pytest.approx(-0.5 * 0.7 / inertia * (0.3 + 0.32), abs=1e-7)
    assert result["rack.force"] == pytest.approx(2 * -0.2 * 0.7 / inertia, abs=1e-7)


def test_drives_and_springs_of_a_joint():
    """A sprung hinge swings at sqrt(k/I); one on a course needs the torque that moves the inertia so."""
    text = f"""\
  {BODY});
  joints.Revolute joint(b = body.frame, OPTIONS);
"""
    sprung = text.replace("OPTIONS", "sprung = true, stiffness = 1.2, rest = 0.1, angle(start = 0.3, rate = 0)")
    result = machine(sprung, g=0).simulate(stop_time=2, interval=0.5)
    assert result["joint.angle"] == pytest.approx(0.1 + 0.2 * np.cos(2 * result.time), abs=1e-7)
    driven = text.replace("OPTIONS", 'drive = "course", course = 0.5*sin(time*2[rad/s])')
    result = machine(driven, g=0).simulate(stop_time=2, interval=0.5)
    assert result["joint.motor"] == pytest.approx(-0.3 * 4 * 0.5 * np.sin(2 * result.time), abs=1e-7)
    assert result["joint.torque"] == pytest.approx(
        np.column_stack([0 * result.time, 0 * result.time, result["joint.motor"]]), abs=1e-7
    )


def test_planar_pins_and_slides():
    """A slider-crank in the plane, driven: the slider is where the triangle says; forces add to m a."""
    model = machine(
        """\
  PlanarBody crank(m = 1, I = 0.1), rod(m = 1, I = 0.1, r(guess = {0.4, 0})), slider(m = 3, I = 0, r(guess = {1.4, 0}));
  planar.PlanarRevolute O(b = crank.pose, drive = "course", course = time*2[rad/s]);
  planar.PlanarRevolute A(a = crank.pose, at_a = {0.4, 0}, b = rod.pose);
  planar.PlanarRevolute B(a = rod.pose, at_a = {1, 0}, b = slider.pose);
  planar.PlanarPrismatic rail(b = slider.pose);
""",
        g=0,
    )
    result = model.simulate(stop_time=2, interval=0.25)
    a = 2 * result.time
    assert result["rail.travel"] == pytest.approx(0.4 * np.cos(a) + np.sqrt(1 - (0.4 * np.sin(a)) ** 2), abs=1e-8)
    push = 3 * result["der(der(slider.r[1]))"]
    assert result["B.force"][:, 0] == pytest.approx(push, abs=1e-7)
    assert result["B.force"][:, 1] == pytest.approx(-result["rail.force"], abs=1e-7)


def test_a_disc_rolls_down_a_line():
    """A solid disc on a slope: two thirds of what slides."""
    model = machine(
        """\
  PlanarBody disc(m = 2, I = 2*0.3^2/2, phi(start = 0, rate = 0));
  planar.PlanarDisc rolling(b = disc.pose, radius = 0.3, normal = {sin(0.4), cos(0.4)});
  initial place: rolling.s = 0;
""",
        up="{0, 1, 0}",
    )
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["rolling.s"] == pytest.approx(9.81 * np.sin(0.4) * 2 / 3 * result.time**2 / 2, abs=1e-8)
    assert result["rolling.force"][:, 1] == pytest.approx(2 * 9.81 * np.cos(0.4), abs=1e-8)
    assert result["rolling.force"][:, 0] == pytest.approx(-2 * 9.81 * np.sin(0.4) / 3, abs=1e-8)
