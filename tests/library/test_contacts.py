"""Rolling and sliding without slip: published motions, closed forms, any normal, moving ground, clear stops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from parts import machine

from mbdc import SimulationError, StartError

WHEEL = "m = 2, I = diagonal({0.12, 0.06, 0.12})"


def test_roll_01_a_wheel_set_off_upright():
    """ModelingToolkit#4237: no guesses are needed from the user."""
    model = machine(f"""\
  RigidBodyByAngles wheel({WHEEL}, sequence = {{3, 1, 2}}, r(start = {{0.2, 0.2, 0.3}}),
    angle(start = {{0, 0, 0}}, rate = {{0, 1, 5}}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {{0, 1, 0}});
""")
    result = model.simulate(stop_time=4, interval=1)
    assert result["wheel.angle"][1, :2] == pytest.approx([-3.3154831, 0.62938628], abs=1e-6)
    assert result["wheel.r"][1, :2] == pytest.approx([0.70011704, -0.70909478], abs=1e-6)
    assert result["wheel.angle[2]"][4] == pytest.approx(0.51557212, abs=2e-6)
    assert result["wheel.r"][4, :2] == pytest.approx([0.16176301, -2.23593323], abs=2e-6)


@pytest.mark.parametrize(
    ("up", "normal", "turn"),
    [
        ("{0, 1, 0}", "{0, 1, 0}", "rotX(-90[deg])"),
        ("{1, 0, 0}", "{2, 0, 0}", "rotY(90[deg])"),
        ("{sin(0.5), 0, cos(0.5)}", "{sin(0.5), 0, cos(0.5)}", "rotY(0.5)"),
    ],
)
def test_sign_07_any_normal(up: str, normal: str, turn: str):
    """ModelicaStandardLibrary#4056: the wheel of roll-01 on another plane leans alike."""
    model = machine(
        f"""\
  Rotation T = {turn};
  RigidBody wheel({WHEEL}, r(start = T*{{0.2, 0.2, 0.3}}), S(start = T, rate = {{1, 5, 0}}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {{0, 1, 0}}, plane_normal = {normal});
  output Angle lean = asin(contact.n*(wheel.S*{{0, 1, 0}}));
  output Length there[3] = transpose(T)*wheel.r;
""".replace("start = T", f"start = {turn}"),
        up=up,
    )
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["lean"][-1] == pytest.approx(0.62938628, abs=1e-6)
    assert result["there"][-1, :2] == pytest.approx([0.70011704, -0.70909478], abs=1e-6)


@pytest.mark.parametrize(
    ("axis", "turn"),
    [
        ("{1, 0, 0}", "rotZ(90[deg])"),
        ("{0, 0, 3}", "rotX(-90[deg])"),
        ("{0.6, 0, 0.8}", "rotZ(90[deg])*rotY(atan2(0.8, 0.6))"),
    ],
)
def test_any_axis_in_the_body(axis: str, turn: str):
    """The wheel of roll-01 again, its axle lying otherwise in its body."""
    model = machine(f"""\
  RigidBody wheel(m = 2, I = inertias.revolution(0.06, 0.12, {axis}/norm({axis})), r(start = {{0.2, 0.2, 0.3}}),
    S(start = {turn}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {axis});
  initial spin: wheel.S*wheel.w = {{1[rad/s], 5[rad/s], 0[rad/s]}};
  output Angle lean = asin(contact.axle[3]);
""")
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["lean"][-1] == pytest.approx(0.62938628, abs=1e-6)
    assert result["wheel.r"][-1, :2] == pytest.approx([0.70011704, -0.70909478], abs=1e-6)


STEADY = """\
  RigidBodyByAngles wheel(m = 2, I = diagonal({0.045, 0.09, 0.045}), r(start = {0, 0, 0.3*cos(0.3)}),
    angle(start = {0, 0.3, 0}, rate = {-0.866028986, 0, 8}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {0, 1, 0});
"""


def test_roll_05_a_steady_circle():
    """Lean 0.3 and spin 8 rad/s: 2.3232 m/s on a circle of 2.6826 m, 4.0240 N towards its centre."""
    result = machine(STEADY).simulate(stop_time=20, interval=1, tolerance=1e-9)
    assert result["wheel.angle[2]"] == pytest.approx(0.3, abs=1e-8)
    speed = np.hypot(result["der(wheel.r[1])"], result["der(wheel.r[2])"])
    assert speed == pytest.approx(2.32322128, abs=1e-6)
    assert np.abs(result["contact.force[1]"]) == pytest.approx(4.02395395, abs=1e-5)
    assert result["contact.force[2]"] == pytest.approx(0, abs=1e-6)
    assert result["contact.force[3]"] == pytest.approx(2 * 9.81, abs=1e-6)
    assert result["contact.friction_needed"] == pytest.approx(4.02395395 / 19.62, abs=1e-6)


def test_outputs_of_the_rolling_disc():
    """Forces, axes and trail agree with each other and with Newton's law.

    With the lateral axis n x ahead, {lateral, ahead, n} is left-handed, though it is called a rotation matrix
    where it was first described. A right-handed attitude is given beside it.
    """
    result = machine(STEADY).simulate(stop_time=0.5, interval=0.1)
    axes, trail = result["contact.axes"], result["contact.trail"]
    assert np.linalg.det(axes) == pytest.approx(-1, abs=1e-12)
    assert np.linalg.det(result["contact.R"]) == pytest.approx(1, abs=1e-12)
    assert result["contact.R"] == pytest.approx(axes[:, :, [1, 0, 2]], abs=0)
    assert axes[:, :, 2] == pytest.approx(np.tile([0, 0, 1], (6, 1)), abs=1e-12)
    assert np.einsum("ti,ti->t", trail, axes[:, :, 0]) == pytest.approx(0, abs=1e-6)
    assert np.einsum("ti,ti->t", trail, axes[:, :, 1]) == pytest.approx(8 * 0.3, abs=1e-6)
    assert result["contact.point"][:, 2] == pytest.approx(0, abs=1e-9)
    assert result["contact.slip"] == pytest.approx(0, abs=1e-9)
    world = np.einsum("tij,tj->ti", axes, result["contact.force"])
    assert world == pytest.approx(result["contact.force_world"], abs=1e-9)
    # On the whole wheel act contact and weight: m a = F + W.
    acceleration = np.stack([result[f"der(der(wheel.r[{i}]))"] for i in (1, 2, 3)], axis=1)
    assert 2 * acceleration == pytest.approx(world - [0, 0, 2 * 9.81], abs=1e-7)


def test_edge_mill_forces():
    """A wheel rolls round a pivot on an axle it may slide along: N = m g + J w^2/r + m w^2 r, F = m d w^2."""
    omega = math.sqrt(4.404166666666667)
    model = machine(f"""\
  RigidBody wheel(m = 30, I = diagonal({{43.2, 21.6, 21.6}}), r(start = {{3, 0, 1.8}}), S(start = rotZ(0)));
  RollingDisc contact(b = wheel.frame, radius = 1.8);
  joints.PointOnLine axle(a = wheel.frame, b = Frame(r = {{0, 0, 1.8}}, R = identity(3)), travel(guess = -3));
  initial round: der(wheel.r[2]) = {3 * omega}[m/s];
""")
    result = model.simulate(stop_time=1, interval=0.5, tolerance=1e-9)
    force = result["contact.force"]
    assert np.abs(force[:, 0]) == pytest.approx(396.375, rel=1e-5)
    assert force[:, 1] == pytest.approx(0, abs=1e-4)
    assert force[:, 2] == pytest.approx(637.825, rel=1e-5)
    # The contact holds the wheel on its circle: the force on the wheel points to the pivot.
    assert result["contact.force_world"][0, 0] == pytest.approx(-396.375, rel=1e-5)


def test_roll_02_a_ball_on_a_turning_table():
    """opty#196: the centre runs round a circle at 2/7 of the table's rate."""
    model = machine("""\
  parameter AngularVelocity turning = 3.5;
  RigidBody ball(m = 0.5, I = inertias.sphere(0.5, 0.1), r(start = {0.3, 0.1, 0.1}, rate = {0, 0.4, 0}));
  RollingSphere rolling(a = Frame(r = {0, 0, 0}, R = rotZ(turning*time)), b = ball.frame, radius = 0.1);
  initial attitude: ball.w[3] = 0;
""")
    result = model.simulate(stop_time=2, interval=1)
    assert result["ball.r"][1] == pytest.approx([0.11612092, 0.43658839, 0.1], abs=1e-7)
    assert result["ball.r"][2] == pytest.approx([-0.26645873, 0.46371897, 0.1], abs=1e-7)
    assert np.hypot(result["der(ball.r[1])"], result["der(ball.r[2])"]) == pytest.approx(0.4, abs=1e-7)


def test_a_disc_on_a_ground_that_moves_and_is_moved():
    """A disc and a heavy plate that floats: what one gains in momentum the other loses, and neither slips."""
    model = machine(
        """\
  RigidBody plate(m = 5, I = inertias.box(5, {2, 2, 0.1}), r(start = {0, 0, 0}, rate = {0, 0, 0}),
    S(start = rotX(0), rate = {0.1, 0.2, 0.3}));
  RigidBody wheel(m = 2, I = diagonal({0.12, 0.06, 0.12}), r(start = {0.2, 0.1, 0.3}), S(start = rotX(0)));
  RollingDisc contact(a = plate.frame, b = wheel.frame, radius = 0.3, disc_axis = {0, 1, 0});
  initial spin: wheel.w = {0.3[rad/s], 5[rad/s], 0.2[rad/s]};
  output Momentum p[3] = 5[kg]*der(plate.r) + 2[kg]*der(wheel.r);
  output AngularMomentum L[3] = cross(plate.r, 5[kg]*der(plate.r)) + plate.S*(plate.tensor*plate.w)
    + cross(wheel.r, 2[kg]*der(wheel.r)) + wheel.S*(wheel.tensor*wheel.w);
""",
        g=0,
    )
    result = model.simulate(stop_time=1, interval=0.25, tolerance=1e-9)
    for name in ("p", "L", "energy.total"):
        assert result[name] == pytest.approx(np.broadcast_to(result[name][0], result[name].shape), abs=1e-7), name
    assert result["contact.slip"] == pytest.approx(0, abs=1e-9)
    moved = np.gradient(result["contact.point"], result.time, axis=0, edge_order=2)
    assert result["contact.trail"] == pytest.approx(moved - result["contact.ground"], abs=0.3)


def test_each_flag_lets_one_motion_go():
    """Without the lateral row, the wheel is not pushed sideways; without any, it falls."""
    text = """\
  RigidBody wheel(m = 2, I = diagonal({0.12, 0.06, 0.12}), r(start = {0, 0, 0.3}),
    S(start = rotX(0), rate = {0, 5, 0}));
  RollingDisc contact(b = wheel.frame, radius = 0.3, disc_axis = {0, 1, 0});
  initial sideways: der(wheel.r[2]) = 0.7[m/s];
  force push: {1[N], 2[N], 0[N]} on wheel.r;
"""
    free = {"contact.lateral": False}
    result = machine(text, **free).simulate(stop_time=0.5, interval=0.5)
    assert result["der(wheel.r[2])"][-1] == pytest.approx(0.7 + 0.5 * 2 / 2, abs=1e-7)
    assert result["der(wheel.r[1])"][-1] == pytest.approx(1.5 + 0.5 / (2 + 0.06 / 0.09), abs=1e-7)
    assert result["contact.force"][:, 0] == pytest.approx(0, abs=0)
    slipping = text + "  initial ahead: der(wheel.r[1]) = 0[m/s];\n"
    result = machine(slipping, **free, **{"contact.longitudinal": False}).simulate(stop_time=0.5, interval=0.5)
    assert result["der(wheel.r[1])"][-1] == pytest.approx(0.25, abs=1e-7)
    assert result["wheel.r[3]"] == pytest.approx(0.3, abs=1e-9)
    airborne = slipping + "  initial up: der(wheel.r[3]) = 0[m/s];\n"
    result = machine(airborne, **{"contact.active": False}).simulate(stop_time=0.5, interval=0.5)
    assert result["wheel.r[3]"][-1] == pytest.approx(0.3 - 9.81 / 8, abs=1e-7)
    assert not result["contact.force"].any()


def test_a_disc_that_lies_flat_is_refused():
    model = machine(f"""\
  RigidBody disc({WHEEL}, r(start = {{0, 0, 0.3}}), S(start = rotX(90[deg]), rate = {{0, 5, 0}}));
  RollingDisc rolling(b = disc.frame, radius = 0.3, disc_axis = {{0, 1, 0}});
""")
    with pytest.raises(StartError, match="`rolling`: the disc lies flat"):
        model.simulate(stop_time=1)


def test_a_ground_that_would_have_to_pull_stops_the_run_where_asked():
    """A ball thrown over a table that accelerates downwards: the contact would pull at once."""
    text = """\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.1), S(start = rotX(0), rate = {0, 0, 0}));
  RollingSphere rolling(a = Frame(r = {0, 0, -1[m/s3]*time^3}, R = identity(3)), b = ball.frame, radius = 0.1,
    unilateral = true);
  initial place: ball.r[1:2] = {0[m], 0[m]};
"""
    with pytest.raises(SimulationError, match="the ground would have to pull") as stopped:
        machine(text).simulate(stop_time=3, interval=0.1)
    assert stopped.value.result.time[-1] == pytest.approx(9.81 / 6, abs=1e-6)


def test_routh_s_sphere():
    """An unbalanced ball: Jellett's and Routh's integrals, and its place after 3 s."""
    model = machine("""\
  RigidBodyByAngles ball(m = 0.5, I = diagonal({0.0016, 0.0016, 0.0019}), c = {0, 0, -0.02}, sequence = {3, 1, 3},
    angle(start = {0, 0.6, 0}, rate = {1.5, 0.3, 4}));
  RollingSphere rolling(b = ball.frame, radius = 0.1);
  initial place: ball.C[1:2] = {0[m], 0[m]};
  output AngularMomentum H[3] = ball.R*(ball.tensor*ball.w);
  output Real jellett = -H*(rolling.point - ball.C);
  output Real routh = ball.w[3]*sqrt(0.0016*0.0019
    + 0.5*(0.0016*(0.1*sin(ball.angle[2]))^2 + 0.0019*(0.1*cos(ball.angle[2]) - 0.02)^2));
""")
    result = model.simulate(stop_time=3, interval=0.5, tolerance=1e-9)
    assert result["ball.C"][-1] == pytest.approx(
        [-0.05128451760540349, 0.007713598581037378, 0.08322856829415297], abs=1e-7
    )
    assert result["jellett"] == pytest.approx(0.0006988639867572292, rel=1e-6)
    assert result["routh"] == pytest.approx(0.01597848027009766, rel=1e-6)


def test_roll_06_a_sleigh_on_its_knife_edge():
    """Chaplygin's sleigh: 1.8 m/s2 and -15/7 rad/s2 at the start; it ends at 1.2288 m/s, heading 2.1547 rad."""
    model = machine("""\
  PlanarBody body(m = 1, c = {0.2, 0}, I = 0.1, r(start = {0, 0}), phi(start = 0, rate = 3));
  KnifeEdge blade(b = body.frame, normal = false);
  initial ahead: der(body.r[1]) = 0.5[m/s];
""")
    result = model.simulate(stop_time=10, interval=1)
    assert result["der(der(body.r[1]))"][0] == pytest.approx(1.8, abs=1e-9)
    assert result["der(der(body.phi))"][0] == pytest.approx(-15 / 7, abs=1e-9)
    assert np.hypot(result["der(body.r[1])"], result["der(body.r[2])"])[-1] == pytest.approx(1.22882057, abs=1e-5)
    assert result["body.phi"][-1] == pytest.approx(2.15471722, abs=1e-5)


def test_a_torus_is_a_disc_when_its_tread_is_sharp_and_a_ball_when_it_is_all_tread():
    disc = machine(STEADY).simulate(stop_time=0.5, interval=0.5)
    for tread, kind, steady in (("0", "torus", True), ("0.3", "ball", False)):
        text = STEADY.replace("RollingDisc contact(", f"contacts.RollingTorus contact(tread = {tread}, ")
        text = text if steady else text.replace("0.3*cos(0.3)", "0.3")
        torus = machine(text).simulate(stop_time=0.5, interval=0.5)
        if steady:
            assert torus["wheel.r"] == pytest.approx(disc["wheel.r"], abs=1e-9), kind
        else:
            ball = STEADY.replace("RollingDisc contact(", "RollingSphere contact(").replace(
                ", disc_axis = {0, 1, 0}", ""
            )
            rolled = machine(ball.replace("0.3*cos(0.3)", "0.3")).simulate(stop_time=0.5, interval=0.5)
            assert torus["wheel.r"] == pytest.approx(rolled["wheel.r"], abs=1e-8), kind


def test_a_ball_in_a_cylinder_does_not_fall():
    """It swings up and down: z'' = -(5/7) g - (2/7) a n w_r - (2/7) n^2 z with n, the rate about the axis, constant."""
    model = machine("""\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.2), r(start = {0.8, 0, 0}, rate = {0, 3.2, 0}), S(start = rotX(0)));
  contacts.SphereInCylinder rolling(b = ball.frame, radius = 0.2, radius_cylinder = 1);
  initial radial: ball.w[1] = -3[rad/s];
""")
    result = model.simulate(stop_time=1, interval=0.5, tolerance=1e-9)
    assert result["ball.r[3]"] == pytest.approx([0, -0.717732559608351, -2.125868956268316], abs=1e-7)
    assert result["der(ball.r[3])"][1:] == pytest.approx([-2.5921543896214563, -2.49345429974836], abs=1e-7)
    assert np.arctan2(result["ball.r[2]"], result["ball.r[1]"])[1] == pytest.approx(2, abs=1e-7)
    assert np.linalg.norm(result["ball.r"][:, :2], axis=1) == pytest.approx(0.8, abs=1e-9)


def test_a_ball_rolls_off_another_at_ten_seventeenths():
    """The normal force vanishes where cos(theta) = 10/17 of that at the start from rest on top."""
    model = machine("""\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.1), r(start = {1.1*sin(0.1), 0, 1.1*cos(0.1)}),
    S(start = rotX(0), rate = {0, 0, 0}));
  contacts.SphereOnSphere rolling(b = ball.frame, radius = 0.1, radius_a = 1, unilateral = true);
""")
    with pytest.raises(SimulationError, match="the ground would have to pull") as stopped:
        model.simulate(stop_time=5, interval=0.1)
    place = stopped.value.result["ball.r"][-1]
    assert place[2] / 1.1 == pytest.approx(10 / 17 * math.cos(0.1), abs=1e-6)


def test_a_ball_in_a_bowl():
    """A surface z = f(x, y): the ball stays on it and does not slip; on a flat slope it is the ball on a plane."""
    model = machine("""\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.1), S(start = rotX(0), rate = {0, 0, 0}));
  contacts.SphereOnSurface rolling(b = ball.frame, radius = 0.1, spot(start = {0.2, 0.1}),
    f = rolling.spot*rolling.spot/1[m], slope = 2*rolling.spot/1[m]);
  output Length apart = norm(ball.r - rolling.point);
""")
    result = model.simulate(stop_time=1, interval=0.1, tolerance=1e-9)
    assert result["energy.total"] == pytest.approx(result["energy.total"][0], abs=1e-7)
    assert result["apart"] == pytest.approx(0.1, abs=1e-9)
    assert result["rolling.slip"] == pytest.approx(0, abs=1e-9)
    assert (result["rolling.press"] > 0).all()
    flat = machine("""\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.1), S(start = rotX(0), rate = {0, 0, 0}));
  contacts.SphereOnSurface rolling(b = ball.frame, radius = 0.1, spot(start = {0, 0}), f = 0.3*rolling.spot[1],
    slope = {0.3, 0});
""").simulate(stop_time=1, interval=1)
    ahead = 9.81 * 5 / 7 * math.sin(math.atan(0.3)) / 2
    assert np.linalg.norm(flat["rolling.spot"][-1]) / math.cos(math.atan(0.3)) == pytest.approx(ahead, abs=1e-7)
    assert flat["rolling.press"] == pytest.approx(9.81 * math.cos(math.atan(0.3)), abs=1e-7)


def test_the_report_tells_where_the_ground_would_have_had_to_pull():
    """A ball rolls over a ball: past cos(angle) = 10/17 only a pull can hold it; it needs friction before that."""
    model = machine("""\
  RigidBody ball(m = 1, I = inertias.sphere(1, 0.1), r(start = {0.11, 0, 1.0944861}),
    S(start = rotX(0), rate = {0, 0, 0}));
  contacts.SphereOnSphere rolling(b = ball.frame, radius = 0.1, radius_a = 1, grip = 0.5);
""")
    result = model.simulate(stop_time=1.5, interval=0.01)
    pull, grip = (next(n for n in result.report.notes if word in n) for word in ("pull", "grip"))
    assert pull.startswith("`rolling`: the ground would have to pull")
    first = result.time[np.argmax(result["rolling.force"][:, 2] < 0)]
    assert f"from {first:.5g} s to 1.5 s" in pull
    slides = result.time[np.argmax(result["rolling.friction_needed"] > 0.5)]
    assert f"(from {slides:.5g} s" in grip and slides < first
