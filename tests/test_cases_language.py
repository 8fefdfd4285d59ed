"""Problems users met elsewhere, the language's part: what is said of a wrong model, and what units mean.

Each test names where the problem was reported and what must happen here.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mbdc import ModelError, load_model

MISSPELT = """\
model Typo
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Angle theta(start = 0.1);
  parameter Length L = 1;
  kinetic motion = m/2*(L*der(theta))^2;
  potential gravity = -m*g*L*cos(tehta);
end Typo;
"""


def complaints(text: str) -> list:
    with pytest.raises(ModelError) as refused:
        load_model(text=text)
    return list(refused.value.diagnostics)


def test_err_01_unknown_name():
    """OpenModelica#5477, #1235, pymoca#233: one error with place, unknown and nearest name."""
    (complaint,) = [d for d in complaints(MISSPELT) if d.severity == "error"]
    assert complaint.code == "unknown-name"
    line, column = complaint.span.source.position(complaint.span.start)
    assert (line, column) == (7, 34)
    assert "tehta" in complaint.message
    assert "theta" in f"{complaint.message} {complaint.help}"


def test_err_01_at_the_command_line(tmp_path):
    """Exit code 1, no traceback, and the same in JSON."""
    file = tmp_path / "typo.mbd"
    file.write_text(MISSPELT)
    command = [str(Path(sys.executable).parent / "mbdc"), str(file), "--check"]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    assert plain.returncode == 1
    output = plain.stdout + plain.stderr
    assert "typo.mbd:7:34" in output
    assert "tehta" in output
    assert "Traceback" not in output
    machine = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert machine.returncode == 1
    assert '"unknown-name"' in machine.stdout
    assert json.loads(machine.stdout) is not None


def test_err_04_a_quadratic_velocity_constraint_is_no_linear_one():
    """sympy#26900, #27152: never a silent linearisation. It is supported, by Chetaev's rule, and said so."""
    text = """\
model Perpendicular
  parameter Mass m = 1;
  coordinate Length x1(start = 0, rate = 1), y1(start = 0, rate = 0);
  coordinate Length x2(start = 1, rate = 0), y2(start = 0, rate = 2);
  parameter Force f = 1;
  kinetic motion = m/2*(der(x1)^2 + der(y1)^2 + der(x2)^2 + der(y2)^2);
  force push: f on y1;
  nonholonomic constraint c1: der(x1)*der(x2) + der(y1)*der(y2) = 0;
end Perpendicular;
"""
    model = load_model(text=text)
    assert any("Chetaev" in d.message and "c1" in d.message for d in model.diagnostics)
    result = model.simulate(stop_time=1, interval=0.1)
    product = result["der(x1)"] * result["der(x2)"] + result["der(y1)"] * result["der(y2)"]
    assert np.max(np.abs(product)) < 1e-10
    # By hand at the start: A = (vx2, vy2, vx1, vy1) = (0, 2, 1, 0), f on y1: lambda = -2 f/5.
    reaction = model.reactions([0, 0, 1, 0], [1, 0, 0, 2])["reaction(c1)"]
    assert reaction == pytest.approx(-2 / 5, abs=1e-12)


def test_err_04_where_the_gradient_vanishes():
    """At rest the gradient by velocities is 0: a named stop, no division by zero."""
    text = """\
model AtRest
  parameter Mass m = 1;
  coordinate Length x1(start = 0, rate = 0), y1(start = 0, rate = 0);
  coordinate Length x2(start = 1, rate = 0), y2(start = 0, rate = 0);
  constant Acceleration g = 9.81;
  kinetic motion = m/2*(der(x1)^2 + der(y1)^2 + der(x2)^2 + der(y2)^2);
  potential gravity = m*g*(y1 + y2);
  constraint c1: der(x1)*der(x2) + der(y1)*der(y2) = 0;
end AtRest;
"""
    from mbdc import MbdError

    with pytest.raises(MbdError) as stopped:
        load_model(text=text).simulate(stop_time=1)
    assert "c1" in str(stopped.value)


def test_err_03_a_holonomic_constraint_among_the_velocities():
    """sympy#29890, #29889: x' - r phi' = 0 is integrable; the motion is right anyway: 2/3 g sin(20 deg)."""
    text = """\
model Downhill
  parameter Mass m = 1;
  parameter Length r = 0.3;
  parameter Angle slope = 20[deg];
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0, rate = 0);
  coordinate Angle phi(start = 0, rate = 0);
  kinetic motion = m/2*der(x)^2 + m*r^2/4*der(phi)^2;
  potential gravity = -m*g*sin(slope)*x;
  constraint rolling: der(x) - r*der(phi) = 0;
end Downhill;
"""
    model = load_model(text=text)
    result = model.simulate(stop_time=1, interval=0.1)
    assert result["der(der(x))"] == pytest.approx(2.23681174, abs=1e-7)
    assert np.max(np.abs(result["x"] - 0.3 * result["phi"])) < 1e-8
    notes = " ".join(d.message for d in model.diagnostics) + " ".join(result.report.notes)
    assert "rolling" in notes
    assert "derivative" in notes


def test_sing_01_a_forgotten_mass():
    """drake#16992, #17081, opensim#3579: an error that names z and its place."""
    text = """\
model Forgotten
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0), z(start = 1);
  kinetic motion = m/2*der(x)^2;
  potential gravity = m*g*z;
end Forgotten;
"""
    (complaint,) = [d for d in complaints(text) if d.severity == "error"]
    assert "`z`" in complaint.message
    assert "inertia" in complaint.message
    assert complaint.span.source.position(complaint.span.start) == (4, 35)


def pendulum(start: str) -> str:
    return f"""\
model Released
  parameter Mass m = 1;
  parameter Length L = 1;
  constant Acceleration g = 9.81;
  coordinate Angle theta(start = {start}, rate = 0);
  kinetic motion = m/2*(L*der(theta))^2;
  potential gravity = -m*g*L*cos(theta);
end Released;
"""


def test_unit_01_thirty_degrees():
    """OpenIPSL#161, ModelicaStandardLibrary#3127: 30[deg] is 0.5236 rad, period 2.04098989 s."""
    result = load_model(text=pendulum("30[deg]")).simulate(stop_time=5, interval=0.005, tolerance=1e-10)
    theta = result["theta"]
    assert theta[0] == pytest.approx(0.52359878, abs=1e-8)
    falling = np.flatnonzero((theta[:-1] > 0) & (theta[1:] <= 0))
    share = theta[falling] / (theta[falling] - theta[falling + 1])
    times = result.time[falling] + 0.005 * share
    assert np.diff(times) == pytest.approx(2.04098989, abs=1e-6)


def test_unit_01_thirty_radians_are_doubted():
    """A bare 30 is 30 rad: beyond a full turn, which is warned of."""
    model = load_model(text=pendulum("30"))
    warnings = [d for d in model.diagnostics if d.severity == "warning"]
    assert any("theta" in d.message and "30" in d.message for d in warnings)
    assert any("deg" in f"{d.message} {d.help}" for d in warnings)


def test_unit_03_revolutions_per_minute():
    """ModelicaStandardLibrary#4774, #4046: 60 rpm is 6.28318531 rad/s, at r = 0.3 m a speed of 1.88495559."""
    text = """\
model Wheel
  parameter Mass m = 2;
  parameter Length r = 0.3;
  coordinate Length x(start = 0);
  coordinate Angle phi(start = 0, rate = 60[rpm]);
  kinetic motion = m/2*der(x)^2 + m*r^2/4*der(phi)^2;
  constraint rolling: x = r*phi;
end Wheel;
"""
    result = load_model(text=text).simulate(stop_time=1, interval=1)
    assert result["der(phi)"][0] == pytest.approx(2 * math.pi, rel=1e-12)
    assert result["der(x)"][0] == pytest.approx(1.88495559, abs=1e-8)


@pytest.mark.parametrize("unit", ["RPMs", "turns", "foot_pounds"])
def test_unit_03_an_unknown_unit_is_refused_by_name(unit):
    text = f"model W\n  coordinate Angle phi(start = 0, rate = 60[{unit}]);\n"
    text += "  kinetic k = 1[kg.m2]*der(phi)^2;\nend W;\n"
    assert any(unit in d.message for d in complaints(text))


def test_a_length_and_a_time_do_not_add():
    """A clash of two dimensions is an error at its place."""
    text = """\
model Clash
  parameter Mass m = 1;
  coordinate Length x(start = 0);
  parameter Time T = 2;
  kinetic motion = m/2*der(x)^2;
  constraint odd: x + T = 0;
end Clash;
"""
    (complaint,) = [d for d in complaints(text) if d.severity == "error"]
    line, _ = complaint.span.source.position(complaint.span.start)
    assert line == 6


def test_err_03_wrong_qualifier():
    """A qualifier is checked: this one row is the rate of x - r phi."""
    text = """\
model Downhill
  parameter Mass m = 1;
  parameter Length r = 0.3;
  coordinate Length x(start = 0, rate = 1);
  coordinate Angle phi(start = 0);
  kinetic motion = m/2*der(x)^2 + m*r^2/4*der(phi)^2;
  nonholonomic constraint rolling: der(x) = r*der(phi);
end Downhill;
"""
    assert any("rolling" in d.message for d in complaints(text) if d.severity == "error")
