"""Relations that change and what `when` does: instants, orders, values set on constrained coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from happened import after, before, times

from mbdc import load_model

G = 9.81

SPRINGS = """\
model Springs
  parameter Mass m = 1;
  parameter Stiffness k1 = 400, k2 = 100;
  coordinate Length x(start = 0.1, rate = 0);
  kinetic motion = m/2*der(x)^2;
  force spring: if x > 0 then -k1*x else -k2*x on x;
end Springs;
"""


@pytest.mark.parametrize("interval", [0.01, 3])
def test_a_spring_with_a_kink(interval):
    """Half periods pi/20 and pi/10; amplitudes 0.1 and 0.2; to 1e-8 after ten periods."""
    result = load_model(text=SPRINGS).simulate(stop_time=4.7, interval=interval, tolerance=1e-10)
    period = math.pi / 20 + math.pi / 10
    phase = np.mod(result.time + math.pi / 40, period)
    right = phase < math.pi / 20
    expected = np.where(right, 0.1 * np.sin(20 * phase), -0.2 * np.sin(10 * (phase - math.pi / 20)))
    assert result["x"] == pytest.approx(expected, abs=1e-8)


JUMPS = """\
model Jumps "A force that jumps where the mass passes: bang-bang about 0"
  parameter Mass m = 2;
  parameter Force F = 3;
  coordinate Length x(start = 0.5, rate = 0);
  kinetic motion = m/2*der(x)^2;
  force switch: if x >= 0 then -F else F on x;
end Jumps;
"""


def test_a_force_that_jumps():
    """Parabolas: a quarter takes sqrt(2 m x/F); energy F |x| + m v^2/2 is kept."""
    result = load_model(text=JUMPS).simulate(stop_time=20, interval=0.1, tolerance=1e-10)
    quarter = math.sqrt(2 * 2 * 0.5 / 3)
    assert 3 * np.abs(result["x"]) + result["der(x)"] ** 2 == pytest.approx(1.5, abs=1e-8)
    turns = np.mod(result.time, 4 * quarter) / quarter
    away = np.minimum(turns, 4 - turns)
    expected = np.where(away <= 1, 0.5 * (1 - away**2), -0.5 * (1 - (2 - away) ** 2))
    assert result["x"] == pytest.approx(expected, abs=1e-7)


SHORT = """\
model Short "A push of a millisecond, nobody looks at"
  parameter Mass m = 1;
  coordinate Length x(start = 0, rate = 0);
  kinetic motion = m/2*der(x)^2;
  force push: if time > 0.5 and time < 0.501 then 1000 else 0 on x;
end Short;
"""


def test_two_events_within_one_interval():
    result = load_model(text=SHORT).simulate(stop_time=2, interval=1)
    assert result["der(x)"][-1] == pytest.approx(1.0, abs=1e-9)
    assert result["x"][-1] == pytest.approx(1.4995, abs=1e-9)


COUNTERS = """\
model Counters
  parameter Mass m = 1;
  parameter AngularVelocity w = 2;
  coordinate Length x(start = 1, rate = 0);
  Real up(start = 0), down(start = 0), both(start = 0);
  kinetic motion = m/2*der(x)^2;
  potential spring = m*w^2/2*x^2;
  equation a: der(up) = 0;
  equation b: der(down) = 0;
  equation c: der(both) = 0;
  when x > 0.5 then
    reinit(up, up + 1);
  end when;
  when x < 0.5 then
    reinit(down, down + 1);
  end when;
  when x > 0.5 then
    reinit(both, both + 1);
  end when;
end Counters;
"""


def test_both_directions_and_two_whens_at_one_instant():
    """x = cos 2t passes 0.5 falling at pi/6 and rising at 5 pi/6, ...; two conditions turn true at once."""
    result = load_model(text=COUNTERS).simulate(stop_time=10, interval=5, tolerance=1e-10)
    falling = np.array([math.pi / 6 + math.pi * n for n in range(4)])
    rising = np.array([5 * math.pi / 6 + math.pi * n for n in range(3)])
    assert result["down"][-1] == np.sum(falling < 10)
    assert result["up"][-1] == result["both"][-1] == np.sum(rising < 10)
    found = sorted(set(times(result, "when")))
    expected = np.sort(np.concatenate([falling, rising]))
    assert found == pytest.approx(expected[expected < 10], abs=1e-8)
    twice = [t for t in found if np.sum(times(result, "when") == t) == 2]
    assert twice == pytest.approx(rising[rising < 10], abs=1e-8)


def test_true_from_the_start_is_no_event():
    """x > 0.5 holds at the start: it fires when it has been false and turns true again."""
    result = load_model(text=COUNTERS).simulate(stop_time=0.4, interval=0.1)
    assert result["up"][-1] == 0
    assert not result.events


PENDULUM = """\
model Struck "A pendulum in Cartesian coordinates is struck as it passes the lowest point"
  parameter Mass m = 1;
  parameter Length L = 0.5;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0.3, rate = 0), y(start = -0.4);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential weight = m*g*y;
  constraint rod: x^2 + y^2 = L^2;
  when x < {where} then
    reinit(der(x), {factor}*der(x));
  end when;
end Struck;
"""


@pytest.mark.parametrize(("where", "factor"), [(0.0, 0.5), (0.2, 0.5), (-0.15, -1.0)])
def test_a_rate_set_on_a_constrained_coordinate(where, factor):
    """The other rate follows along the rod; the energy is that of the new speed; the set one is exact."""
    text = PENDULUM.format(where=where, factor=factor)
    result = load_model(text=text).simulate(stop_time=0.5, interval=0.01, tolerance=1e-10)
    (when,) = times(result, "when")[:1]
    old, new = before(result, when), after(result, when)
    assert result["x"][new] == pytest.approx(where, abs=1e-9)
    assert result["der(x)"][new] == pytest.approx(factor * result["der(x)"][old], rel=1e-12)
    tangent = result["x"] * result["der(x)"] + result["y"] * result["der(y)"]
    assert np.abs(tangent).max() < 1e-12
    assert result["der(y)"][new] == pytest.approx(factor * result["der(y)"][old], abs=1e-10)
    fallen = -9.81 * 0.4 - 9.81 * result["y"][old]
    assert result["energy.kinetic"][old] == pytest.approx(fallen, abs=1e-8)
    assert result["energy.kinetic"][new] == pytest.approx(factor**2 * fallen, abs=1e-8)
    assert result.report.energy.set_anew == pytest.approx((factor**2 - 1) * fallen, abs=1e-8)
    assert result.report.energy.worst < 1e-8


STAGED = """\
model Staged "A mass falls, is caught by a rope of 1 m, and the run ends when it hangs 1.2 m deep or 3 s old"
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Length z(start = 0, rate = 0);
  kinetic motion = m/2*der(z)^2;
  potential weight = -m*g*z;
  force rope: if z > 1 then -200[N/m]*(z - 1[m]) else 0[N] on z;
  when z > 1.2 or time > 3 then
    terminate("deep enough");
  end when;
end Staged;
"""


def test_a_run_that_ends_itself():
    """Energy at 1.2 m: v^2/2 = g 1.2 - 100 0.2^2; the time from both laws of motion."""
    result = load_model(text=STAGED).simulate(stop_time=10, interval=0.1, tolerance=1e-10)
    assert result.report.outcome == "ended"
    assert "deep enough" in result.report.reason
    assert result["z"][-1] == pytest.approx(1.2, abs=1e-10)
    assert result["der(z)"][-1] == pytest.approx(math.sqrt(2 * (G * 1.2 - 100 * 0.2**2)), abs=1e-8)
    w, v = math.sqrt(200), math.sqrt(2 * G)
    sag = G / 200
    amplitude, shift = math.hypot(sag, v / w), math.atan2(-sag, v / w)
    rope = (math.asin((0.2 - sag) / amplitude) - shift) / w
    assert result.time[-1] == pytest.approx(math.sqrt(2 / G) + rope, abs=1e-8)
