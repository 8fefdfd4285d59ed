"""Mechanisms built from parts only, against published values and against the same system written in energies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parts import machine


def test_andrews(compiled: Any):
    """Seven bodies and ten pins end where the published seven angles do."""
    result = compiled("parts_andrews").simulate(stop_time=0.03, interval=0.01, tolerance=1e-9)
    angles = {"k1": 15.810771195153702, "k3": 0.040822240119647114, "k5": 0.524409965879954, "k7": 1.048080741041938}
    for body, angle in angles.items():
        assert result[f"{body}.phi"][-1] == pytest.approx(angle, abs=2e-8), body
    assert result["k2.phi"][-1] == pytest.approx(15.810771195153702 - 15.756371058411831, abs=2e-8)
    assert result["k4.phi"][-1] == pytest.approx(-0.5347301163420776 + 0.524409965879954, abs=2e-8)


def test_bricard(compiled: Any):
    """Six hinges, one row too many wherever it stands: none is a special one."""
    result = compiled("parts_bricard").simulate(stop_time=1, interval=0.5)
    assert result["P3"][1] == pytest.approx([0.9682836791067772, -1.2246251594363338, 0.7501466094377669], abs=1e-6)
    assert result["P3"][2] == pytest.approx([0.5105014611872198, -1.6491675993948063, 0.14012311455318588], abs=1e-6)
    assert "rank 35 of 36" in str(result.report)


def test_spatial_slider_crank(compiled: Any):
    result = compiled("parts_slider_crank").simulate(stop_time=1, interval=0.5, tolerance=1e-9)
    assert result["bearing.angle"][1:] == pytest.approx([5.249898842578904, 10.48407383852432], rel=1e-7)
    assert result["rail.travel"][1:] == pytest.approx([0.188748103261186, 0.23376475033546176], abs=1e-7)
    assert result["cross.angle"][1] == pytest.approx([-0.8089288981440882, 0.890323843159067], abs=1e-6)


def test_flyball_governor(compiled: Any):
    result = compiled("parts_governor").simulate(stop_time=0.1, interval=0.05)
    assert result["bearing.angle"][1:] == pytest.approx([0.313347930807, 0.6221066814026875], rel=1e-6)
    assert result["guide.travel"][1:] == pytest.approx([0.506100897243678, 0.5238364755695765], rel=1e-6)
    for hinge in ("hinge1", "hinge2"):
        assert result[f"{hinge}.angle"][1:] == pytest.approx([0.5164869312148944, 0.4961738690758997], rel=1e-6)


def test_a_four_bar_linkage_from_spatial_hinges(compiled: Any):
    """Articraft#127: the rocker keeps its branch through a whole turn; repeated rows are told and survived."""
    result = compiled("parts_four_bar").simulate(stop_time=2 * np.pi, interval=np.pi / 50)
    rocker = result["C.angle"]
    assert rocker[0] == pytest.approx(0.98081331, abs=1e-8)
    assert rocker[-1] == pytest.approx(0.98081331, abs=1e-7)
    assert 0.67413051 - 1e-7 < rocker.min() < 0.6747
    assert 2.3720 < rocker.max() < 2.3727991 + 1e-7
    assert "rank 22 of 25" in str(result.report)


def test_a_double_cardan_shaft_runs_evenly(compiled: Any):
    """What comes out runs as what goes in; the shaft between runs between w cos(bend) and w/cos(bend)."""
    result = compiled("parts_cardan").simulate(stop_time=1, interval=0.01)
    assert result["bearing.angle"] == pytest.approx(10 * result.time, abs=1e-8)
    bend = np.radians(25)
    assert result["uneven"].min() == pytest.approx(10 * np.cos(bend), abs=1e-3)
    assert result["uneven"].max() == pytest.approx(10 / np.cos(bend), abs=3e-3)


def test_a_homokinetic_joint_runs_evenly():
    """One joint, bent by 30 degrees, between two shafts."""
    model = machine("""\
  RigidBody one(m = 1, I = diagonal({1e-3, 1e-3, 2e-3}));
  RigidBody two(m = 1, I = diagonal({1e-3, 1e-3, 2e-3}), S(guess = rotX(30[deg])));
  joints.Revolute bearing(b = one.frame, drive = "course", course = time*3[rad/s]);
  joints.ConstantVelocity joint(a = one.frame, b = two.frame);
  Rotation tilted = rotX(30[deg]);
  joints.Revolute other(a = Frame(r = {0, 0, 0}, R = tilted), b = two.frame, at_a = {0, 0, 0.3}, at_b = {0, 0, 0.3});
""")
    result = model.simulate(stop_time=2, interval=0.1)
    assert result["other.angle"] - result["other.angle"][0] == pytest.approx(3 * result.time, abs=1e-7)
    assert result["joint.bend"] == pytest.approx(np.radians(30), abs=1e-7)


def test_a_stewart_platform_does_what_its_legs_are_driven_for(compiled: Any):
    """Thirteen bodies, eighteen joints; leg lengths from the motion asked for give that motion."""
    result = compiled("parts_stewart").simulate(stop_time=1, interval=0.1)
    assert result["plate.r"] == pytest.approx(result["place"], abs=1e-9)
    assert result["plate.S"] == pytest.approx(result["turned"], abs=1e-9)
    # The plate's weight and acceleration are what its six ball joints carry.
    force = sum(result[f"leg[{i}].ball.force"] for i in range(1, 7))
    acceleration = np.stack([result[f"der(der(plate.r[{i}]))"] for i in (1, 2, 3)], axis=1)
    assert -force == pytest.approx(8 * (acceleration + np.array([0, 0, 9.81])), abs=1e-5)


def planar_chain_accelerations(n: int, mass: float, length: float, inertia: float, slope: float) -> np.ndarray:
    """Angular accelerations of n equal bars hung up in a plane, released in line (Lagrange, dense)."""
    matrix, moment = np.zeros((n, n)), np.zeros(n)
    for body in range(n):
        arm = np.where(np.arange(n) < body, length, 0.0)
        arm[body] = length / 2
        matrix += mass * np.outer(arm, arm)
        moment -= mass * 9.81 * arm * np.sin(slope)
    return np.linalg.solve(matrix + inertia * np.eye(n), moment)


@pytest.mark.parametrize("n", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_a_chain_in_space(n: int, compiled: Any):
    """Bars on ball joints, let go: 200 of them have 1200 coordinates and 600 constraint rows."""
    model = compiled("parts_chain", n=n)
    turned = np.array([[1, 0, 0], [0, np.cos(0.5), -np.sin(0.5)], [0, np.sin(0.5), np.cos(0.5)]])
    state = {}
    for i in range(n):
        state[f"bar[{i + 1}].r"] = turned @ [0, 0, -0.1 * i]
        state[f"bar[{i + 1}].S"] = turned
    rest = {f"bar[{i + 1}].{part}": np.zeros(3) for i in range(n) for part in ("r", "S")}
    found = model.accelerations(state, rest)
    inertia = 0.05 / 12 * (3 * 0.01**2 + 0.1**2)
    expected = planar_chain_accelerations(n, 0.05, 0.1, inertia, 0.5)
    for i in range(n):
        turning = np.asarray(found[f"der(angularVelocity(bar[{i + 1}].S))"])
        assert turning == pytest.approx([expected[i], 0, 0], abs=1e-6), i


def test_monorollbot_from_parts_is_the_energies_model(compiled: Any):
    """Ball, screw, nut, arm and mass: the same motion to 1e-9."""
    parts = compiled("parts_monorollbot").simulate(stop_time=3, interval=0.1, tolerance=1e-10)
    energies = compiled("monorollbot_rotation").simulate(stop_time=3, interval=0.1, tolerance=1e-10)
    pairs = {"shell.r[1]": "x", "shell.r[2]": "y", "screw.travel": "d_a", "nut.angle": "theta_n", "arm.travel": "r"}
    for part, energy in pairs.items():
        assert parts[part] == pytest.approx(energies[energy], abs=1e-9), part
    assert parts["shell.S"] == pytest.approx(energies["S"], abs=1e-9)
    assert parts["mass.C"] == pytest.approx(energies["C"], abs=1e-9)
