"""Problems users met elsewhere: crossings both ways, bounces that accumulate, friction that holds."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from happened import after, times
from scipy.special import ellipk

from mbdc import SimulationError, load_model

PENDULUM = """\
model Watched
  parameter Mass m = 1;
  parameter Length L = 1;
  constant Acceleration g = 9.81;
  coordinate Length x(start = L, rate = 0), y;
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential gravity = m*g*y;
  constraint rod: x^2 + y^2 = L^2;
  when x < 0 then
    reinit(der(x), der(x));
  end when;
  when not x < 0 then
    reinit(der(x), der(x));
  end when;
end Watched;
"""


@pytest.mark.parametrize("interval", [0.01, 1, 10])
def test_ev_01_both_directions_of_a_crossing(interval):
    """casadi#4393: CVODES and IDAS there see falling crossings only. K(1/2)/sqrt(g), then every two of it."""
    result = load_model(text=PENDULUM).simulate(stop_time=10, interval=interval, tolerance=1e-10)
    quarter = ellipk(0.5) / math.sqrt(9.81)
    found = times(result, "when")
    assert found == pytest.approx(quarter * np.arange(1, 2 * len(found), 2), abs=1e-8)
    assert len(found) == 8
    assert found[:2] == pytest.approx([0.59196049, 1.77588146], abs=1e-8)
    speeds = [result["der(x)"][after(result, t)] for t in found[:2]]
    assert speeds == pytest.approx([-4.42944692, 4.42944692], abs=1e-8)
    assert [e.what.split("`")[1] for e in result.events[:2]] == ["x < 0", "not x < 0"]


@pytest.mark.parametrize("interval", [0.01, 1.5])
def test_ev_02_a_ball_bounces_and_rests(compiled, interval):
    """OpenModelica#16009, #4229, DifferentialEquations#696: exact times, then rest, never below the floor."""
    result = compiled("bouncing_ball").simulate(stop_time=4, interval=interval)
    first = math.sqrt(2 / 9.81)
    found = times(result, "floor", "hits")
    exact = first + 2 * first * np.concatenate([[0.0], np.cumsum(0.7 ** np.arange(1, len(found)))])
    # The last rise by less than 1e-12 m: rounding of the height is longer there.
    assert found[:25] == pytest.approx(exact[:25], abs=1e-10)
    assert found == pytest.approx(exact, abs=1e-7)
    assert found[:3] == pytest.approx([0.45152364, 1.08365674, 1.52614991], abs=1e-8)
    end = first * 1.7 / 0.3
    assert end == pytest.approx(2.55863397, abs=1e-8)
    rest = times(result, "floor", "rests")
    assert rest == pytest.approx([end], abs=1e-6)
    assert result["z"].min() > -1e-11
    assert np.all(np.abs(result["z"][result.time >= rest[0]]) < 1e-12)
    assert np.all(result["z"][result.time > rest[0]] == 0)
    assert result["reaction(floor)"][-1] == pytest.approx(0.981, abs=1e-12)
    assert "cascade of impacts was ended at 2.55863" in " ".join(result.report.notes)
    assert result.report.energy.impacts == pytest.approx(0.981, abs=1e-11)


BLOCK = """\
model Block
  parameter Mass m = 1;
  parameter Stiffness k = 100;
  parameter Force F = 5;
  coordinate Length x(start = 0.28, rate = 0);
  kinetic motion = m/2*der(x)^2;
  potential spring = k/2*x^2;
  friction ground: 1, F on x;
end Block;
"""


def test_ev_05_friction_holds_for_a_thousand_seconds():
    """OpenModelica#16022, ModelicaStandardLibrary#4129, #4272: -0.18, 0.08, then at rest at 0.02 without creep."""
    result = load_model(text=BLOCK).simulate(stop_time=1001, interval=0.5, tolerance=1e-10)
    turns = times(result, "ground")
    assert [e.what for e in result.events] == ["turns round", "turns round", "sticks"]
    assert turns == pytest.approx(math.pi / 10 * np.array([1, 2, 3]), abs=1e-8)
    assert [result["x"][after(result, t)] for t in turns] == pytest.approx([-0.18, 0.08, 0.02], abs=1e-8)
    resting = result["x"][result.time >= turns[2]]
    assert len(resting) > 2000
    assert np.ptp(resting) < 1e-15
    assert result["reaction(ground)"][-1] == pytest.approx(2.0, abs=1e-6)
    assert result.report.energy.work["ground"] == pytest.approx(-5 * (0.46 + 0.26 + 0.06), abs=1e-7)


STRETCHED = """\
model Stretched "Two rods of 1 m are drawn straight"
  parameter Mass m = 1;
  parameter Velocity v = 0.5;
  coordinate Length p[2](guess = {0.7, 0.7}), q[2];
  kinetic motion = m/2*(der(p)*der(p) + der(q)*der(q));
  constraint first: p*p = 1[m2];
  constraint second: (q - p)*(q - p) = 1[m2];
  constraint pull: q = {sqrt(2)*1[m] + v*time, 0};
end Stretched;
"""


def test_res_03_results_up_to_the_failure(tmp_path):
    """OpenModelica#5755: no way on at (2 - sqrt(2))/0.5 s = 1.17157 s; all before it is there, with the reason."""
    with pytest.raises(SimulationError) as stopped:
        load_model(text=STRETCHED).simulate(stop_time=2, interval=0.01)
    result = stopped.value.result
    assert result.report.outcome == "stopped"
    assert result.report.reason
    assert result.time[-1] == pytest.approx((2 - math.sqrt(2)) / 0.5, abs=1e-2)
    half = (math.sqrt(2) + 0.5 * result.time) / 2
    assert result["p[1]"] == pytest.approx(half, abs=1e-6)
    assert np.abs(result["p[2]"]) == pytest.approx(np.sqrt(1 - half**2), abs=1e-6)
    result.save(tmp_path / "stretched.csv")
    with (tmp_path / "stretched.csv").open(newline="") as file:
        table = list(csv.reader(file))
    assert float(table[-1][0]) == result.time[-1]
