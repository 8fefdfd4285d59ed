"""Springs, dampers, bushings and applied forces, each against its closed form."""

from __future__ import annotations

import numpy as np
import pytest
from parts import machine


def test_springs_and_dampers_along_a_line():
    """A mass on a spring of 50 N/m, and one on a spring with a damper of 2 N s/m."""
    model = machine(
        """\
  PointMass one(m = 2, r(start = {1.2, 0, 0}, rate = {0, 0, 0})), two(m = 2, r(start = {0, 1.2, 0}, rate = {0, 0, 0}));
  forces.Spring spring(b = one.frame, stiffness = 50, free = 1);
  forces.SpringDamper both(b = two.frame, stiffness = 50, damping = 2, free = 1);
""",
        g=0,
    )
    result = model.simulate(stop_time=1, interval=0.1)
    t = result.time
    assert result["one.r[1]"] == pytest.approx(1 + 0.2 * np.cos(5 * t), abs=1e-7)
    w = np.sqrt(25 - 0.25)
    assert result["two.r[2]"] == pytest.approx(
        1 + 0.2 * np.exp(-t / 2) * (np.cos(w * t) + np.sin(w * t) / (2 * w)), abs=1e-7
    )
    assert result["spring.tension"] == pytest.approx(50 * (result["one.r[1]"] - 1), abs=1e-9)


def test_damper_and_actuator_pull_on_both_ends():
    """Between two free masses: the momentum stays, the relative speed decays or grows."""
    model = machine(
        """\
  PointMass a(m = 1, r(start = {0, 0, 0}, rate = {1, 0, 0})), b(m = 1, r(start = {2, 0, 0}, rate = {0, 0, 0}));
  forces.Damper damper(a = a.frame, b = b.frame, damping = 0.5);
  forces.Actuator actuator(a = a.frame, b = b.frame, push = 0.2);
""",
        g=0,
    )
    result = model.simulate(stop_time=1, interval=0.5)
    apart = result["der(b.r[1])"] - result["der(a.r[1])"]
    assert apart == pytest.approx(0.4 - 1.4 * np.exp(-result.time), abs=1e-7)
    assert result["der(b.r[1])"] + result["der(a.r[1])"] == pytest.approx(1, abs=1e-9)


def test_torsion_on_a_hinge():
    model = machine(
        """\
  carriers.Hinge hinge(angle(start = 0.2, rate = 0));
  AttachedBody body(m = 1, I = diagonal({0.3, 0.3, 0.5}), frame = hinge.b);
  forces.Torsion spring(angle = hinge.angle, stiffness = 2);
""",
        g=0,
    )
    result = model.simulate(stop_time=2, interval=0.5)
    assert result["hinge.angle"] == pytest.approx(0.2 * np.cos(2 * result.time), abs=1e-7)


def test_a_bushing_holds_in_all_six_ways():
    """Small motions along and about z at sqrt(k/m) and sqrt(k/I); under weight it sags by m g/k."""
    text = """\
  RigidBody body(m = 2, I = 0.5*identity(3), r(start = {0, 0, START}, rate = {0, 0, 0}),
    S(start = rotZ(0.01), rate = {0, 0, 0}));
  forces.Bushing bushing(b = body.frame, stiffness = {100, 100, 200}, turn_stiffness = {5, 5, 8});
"""
    result = machine(text.replace("START", "0.01"), g=0).simulate(stop_time=0.5, interval=0.1)
    assert result["body.r[3]"] == pytest.approx(0.01 * np.cos(10 * result.time), abs=1e-7)
    assert result["bushing.turn[3]"] == pytest.approx(0.01 * np.cos(4 * result.time), abs=2e-6)
    still = machine(text.replace("START", "-0.0981").replace("rotZ(0.01)", "rotZ(0)")).simulate(
        stop_time=0.5, interval=0.1
    )
    assert still["body.r[3]"] == pytest.approx(-0.0981, abs=1e-9)


def test_applied_forces_and_torques_in_either_axes():
    """A body turned by 90 degrees about z: its own x is the world's y; a force off the centre turns it."""
    text = """\
  RigidBody body(m = 2, I = diagonal({2, 3, 4}), r(start = {0, 0, 0}, rate = {0, 0, 0}),
    S(start = rotZ(90[deg]), rate = {0, 0, 0}));
  forces.AppliedForce push(b = body.frame, at = {0, 1, 0}, force = {3, 0, 0}, follows = FOLLOWS);
  forces.AppliedTorque turn(b = body.frame, torque = {1, 0, 0}, follows = FOLLOWS);
  output AngularAcceleration turning[3] = der(body.w);
"""
    own = machine(text.replace("FOLLOWS", "true"), g=0).simulate(stop_time=0.01, interval=0.01)
    acceleration = [own[f"der(der(body.r[{i}]))"][0] for i in (1, 2, 3)]
    assert acceleration == pytest.approx([0, 1.5, 0], abs=1e-9)
    assert own["turning"][0] == pytest.approx([1 / 2, 0, -3 / 4], abs=1e-9)
    world = machine(text.replace("FOLLOWS", "false"), g=0).simulate(stop_time=0.01, interval=0.01)
    acceleration = [world[f"der(der(body.r[{i}]))"][0] for i in (1, 2, 3)]
    assert acceleration == pytest.approx([1.5, 0, 0], abs=1e-9)
    # The arm points to the world's -x, along the force; the torque about the world's x is one about the body's -y.
    assert world["turning"][0] == pytest.approx([0, -1 / 3, 0], abs=1e-9)


def test_a_tabulated_force_and_a_field():
    model = machine(
        """\
  PointMass one(m = 1, r(start = {0, 0, 0}, rate = {0, 0, 0})), two(m = 1, r(start = {1, 0, 0}, rate = {0, 1, 0}));
  forces.AppliedForce push(b = one.frame, force = {interpolate({0[s], 1[s], 2[s]}, {0[N], 2[N], 0[N]}, time), 0, 0});
  forces.ForceField sun(b = two.frame, energy_there = -1[N.m2]/norm(sun.point));
""",
        g=0,
    )
    result = model.simulate(stop_time=2, interval=0.5)
    assert result["der(one.r[1])"] == pytest.approx([0, 0.25, 1, 1.75, 2], abs=1e-6)
    assert result["two.r"][:, :2] == pytest.approx(
        np.column_stack([np.cos(result.time), np.sin(result.time)]), abs=1e-7
    )
