"""Nonholonomic classics once more, from parts: the same motion as the models written in energies."""

from __future__ import annotations

from typing import Any

import pytest
from parts import machine


def assert_same(parts: Any, energies: Any, pairs: dict[str, str], tolerance: float = 1e-7) -> None:
    for part, energy in pairs.items():
        assert parts[part] == pytest.approx(energies[energy], abs=tolerance), part


def test_snakeboard(compiled: Any):
    """A board and two blades on pins."""
    parts = machine(
        """\
  PlanarBody board(m = 1, I = 0.1, r(start = {0, 0}), phi(start = 0, rate = 0.4));
  PlanarBody front(m = 0, I = 0.02, r(guess = {0.35, 0})), rear(m = 0, I = 0.02, r(guess = {-0.35, 0}));
  planar.PlanarRevolute pin1(a = board.pose, at_a = {0.35, 0}, b = front.pose);
  planar.PlanarRevolute pin2(a = board.pose, at_a = {-0.35, 0}, b = rear.pose);
  KnifeEdge blade1(b = front.frame, normal = false), blade2(b = rear.frame, normal = false);
  initial steered: {pin1.angle, pin2.angle} = {0.3, -0.2};
  initial steering: {der(pin1.angle), der(pin2.angle)} = {0.5[rad/s], -0.3[rad/s]};
""",
        g=0,
    ).simulate(stop_time=4, interval=0.5, tolerance=1e-9)
    energies = compiled("snakeboard").simulate(stop_time=4, interval=0.5, tolerance=1e-9)
    names = {"board.r[1]": "x", "board.r[2]": "y", "board.phi": "th", "pin1.angle": "d1", "pin2.angle": "d2"}
    assert_same(parts, energies, names)


def test_roller_racer(compiled: Any):
    """A seat, a handle bar on a driven pin, two blades; the drive's torque is the multiplier of the other model."""
    parts = machine(
        """\
  PlanarBody seat(m = 1.5, I = 0.12, r(start = {0, 0}), phi(start = 0));
  PlanarBody bar(m = 0, I = 0.03, r(guess = {0.3, 0}));
  planar.PlanarRevolute pin(a = seat.pose, at_a = {0.3, 0}, b = bar.pose, drive = "course",
    course = 0.6*sin(time*3[rad/s]));
  KnifeEdge rear(b = seat.frame, at = {-0.2, 0, 0}, normal = false);
  KnifeEdge front(b = bar.frame, at = {0.15, 0, 0}, normal = false);
  initial ahead: der(seat.r[1]) = 0.2[m/s];
""",
        g=0,
    ).simulate(stop_time=2, interval=0.5, tolerance=1e-9)
    energies = compiled("roller_racer").simulate(stop_time=2, interval=0.5, tolerance=1e-9)
    assert_same(parts, energies, {"seat.r[1]": "x", "seat.r[2]": "y", "seat.phi": "th"})
    assert_same(parts, energies, {"pin.motor": "reaction(arms)"}, 1e-6)


def test_a_ball_with_a_pendulum_in_it(compiled: Any):
    """A shell that rolls, and a mass on a universal joint at its centre that does not turn with it."""
    parts = machine("""\
  RigidBody shell(m = 2, I = inertias.shell(2, 0.5), r(start = {0, 0, 0.5}, rate = {0.2, -0.1, 0}), S(start = rotX(0)));
  RollingSphere rolling(b = shell.frame, radius = 0.5);
  carriers.Hinge first(a = Frame(r = shell.r, R = identity(3)), axis = {1, 0, 0}, angle(start = 0.6, rate = 0.5));
  carriers.Hinge second(a = first.b, axis = {0, 1, 0}, angle(start = 0.4, rate = -0.3));
  AttachedBody bob(m = 1, I = zeros(3, 3), c = {0, 0, -0.3}, frame = second.b);
  initial spin: shell.w[3] = 0;
""").simulate(stop_time=2, interval=0.5, tolerance=1e-9)
    energies = compiled("ball_with_pendulum").simulate(stop_time=2, interval=0.5, tolerance=1e-9)
    names = {"shell.r[1]": "x", "shell.r[2]": "y", "first.angle": "p1", "second.angle": "p2"}
    assert_same(parts, energies, names)
