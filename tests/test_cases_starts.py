"""Problems users met elsewhere, the starts: inconsistent, incomplete, over-determined and redundant ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbdc import MbdError, StartError, load_model


def pendulum(start: str, constraints: str = "constraint c1: x^2 + y^2 - 1[m2] = 0;") -> str:
    return f"""\
model P
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Length {start};
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential gravity = m*g*y;
  {constraints}
end P;
"""


def test_ic_01_a_velocity_along_the_rod():
    """pydy#571, #572, OrdinaryDiffEq#1498: refused with the rate of c1 (0.36) and the nearest velocity."""
    model = load_model(text=pendulum("x(start = 0.6, rate = 0.3), y(start = -0.8, rate = 0)"))
    with pytest.raises(StartError) as refused:
        model.simulate(stop_time=5)
    message = str(refused.value)
    assert "c1" in message
    assert "0.36" in message
    assert refused.value.nearest["der(x)"] == pytest.approx(0.192, abs=1e-9)
    assert refused.value.nearest["der(y)"] == pytest.approx(0.144, abs=1e-9)
    assert "0.192" in message
    assert "0.144" in message


def test_ic_01_the_offered_velocity_is_accepted():
    model = load_model(text=pendulum("x(start = 0.6), y(start = -0.8)"))
    result = model.simulate(stop_time=5, interval=0.5, start={"der(x)": 0.192, "der(y)": 0.144})
    assert np.max(np.abs(np.hypot(result["x"], result["y"]) - 1)) < 1e-9


FOUR_BAR = """\
model FourBar
  parameter Length ground = 1, crank = 0.5, coupler = 1.2, rocker = 0.8;
  parameter Inertia J = 1;
  coordinate Angle th(start = {th}), a(guess = {a}), b(guess = {b});
  kinetic motion = J/2*(der(th)^2 + der(a)^2 + der(b)^2);
  constraint closing: crank*{{cos(th), sin(th)}} + coupler*{{cos(a), sin(a)}}
    = {{ground, 0}} + rocker*{{cos(b), sin(b)}};
  {more}
  annotation(experiment(StopTime = 1));
end FourBar;
"""


@pytest.mark.parametrize(
    ("guesses", "expected"),
    [((0.5, 1.5), (0.20478212, 0.98081331)), ((-1, -2), (-1.25065780, -2.02668898))],
)
def test_ic_03_assembly_branches(guesses, expected):
    """learn-multibody-dynamics#185, drake#330, #471: the branch nearest to the guesses, a closed loop."""
    text = FOUR_BAR.format(th=1.0, a=guesses[0], b=guesses[1], more="")
    result = load_model(text=text).simulate(stop_time=0.01, interval=0.01)
    assert result["a"][0] == pytest.approx(expected[0], abs=1e-7)
    assert result["b"][0] == pytest.approx(expected[1], abs=1e-7)


def test_ic_03_the_other_branch_is_mentioned():
    text = FOUR_BAR.format(th=1.0, a=0.5, b=1.5, more="")
    report = load_model(text=text).simulate(stop_time=0.01, interval=0.01).report
    account = report.to_text()
    assert "branch" in account
    assert "closing" in account


def test_ic_04_multipliers_need_no_start():
    """ModelingToolkit#5011, SciMLBenchmarks#1878: at rest at (0.6, -0.8) lambda = -3.924, tension 7.848 N."""
    model = load_model(text=pendulum("x(start = 0.6, rate = 0), y(start = -0.8, rate = 0)"))
    result = model.simulate(stop_time=0.1, interval=0.01)
    assert result["reaction(c1)"][0] == pytest.approx(-3.924, abs=1e-8)
    assert -2 * result["reaction(c1)"][0] == pytest.approx(7.848, abs=1e-8)
    assert result["der(der(x))"][0] == pytest.approx(-4.7088, abs=1e-8)
    assert result["der(der(y))"][0] == pytest.approx(-3.5316, abs=1e-8)


def test_ic_05_a_position_off_the_constraint():
    """pydy#572, ModelingToolkit#2952: refused with residual -0.02 and the nearest point."""
    model = load_model(text=pendulum("x(start = 0.7, rate = 0), y(start = -0.7, rate = 0)"))
    with pytest.raises(StartError) as refused:
        model.simulate(stop_time=1)
    message = str(refused.value)
    assert "c1" in message
    assert "-0.02" in message
    nearest = refused.value.nearest
    assert nearest["x"] == pytest.approx(0.70710678, abs=1e-8)
    assert nearest["y"] == pytest.approx(-0.70710678, abs=1e-8)
    assert math.hypot(nearest["x"] - 0.7, nearest["y"] + 0.7) == pytest.approx(0.01005051, abs=1e-8)
    assert "0.7071067" in message


def test_ic_05_projected_on_request():
    model = load_model(text=pendulum("x(start = 0.7, rate = 0), y(start = -0.7, rate = 0)"))
    result = model.simulate(stop_time=0.1, interval=0.1, start="project")
    assert result["x"][0] == pytest.approx(0.70710678, abs=1e-8)
    assert any(value.name == "x" and value.given == 0.7 for value in result.report.start)


CHAIN = """\
model Chain
  parameter Mass m = 1;
  parameter Length l = 0.5;
  constant Acceleration g = 9.81;
  coordinate Length p[3, 2](start = {{0.5, 0}, {1, 0}, {1.5, 0}}, rate = zeros(3, 2));
  kinetic motion = m/2*sum(der(p[i, :])*der(p[i, :]) for i in 1:3);
  potential gravity = m*g*sum(p[i, 2] for i in 1:3);
  constraint first: p[1, :]*p[1, :] = l^2;
  for i in 2:3 loop
    constraint rod: (p[i, :] - p[i - 1, :])*(p[i, :] - p[i - 1, :]) = l^2;
  end for;
end Chain;
"""


def test_ic_07_a_straight_chain_starts():
    """ModelingToolkit#2952: three masses on rods, horizontal: all fall at g, all rods are without force."""
    result = load_model(text=CHAIN).simulate(stop_time=0.1, interval=0.01)
    for i in (1, 2, 3):
        assert result[f"der(der(p[{i},1]))"][0] == pytest.approx(0, abs=1e-9)
        assert result[f"der(der(p[{i},2]))"][0] == pytest.approx(-9.81, abs=1e-9)
    for name in ("reaction(first)", "reaction(rod[2])", "reaction(rod[3])"):
        assert result[name][0] == pytest.approx(0, abs=1e-9)


def test_starts_do_not_depend_on_the_sign_of_a_guess():
    """A start that succeeds still succeeds mirrored."""
    for sign in (1, -1):
        text = pendulum(f"x(start = 0.6), y(guess = {sign}*1[m])")
        result = load_model(text=text).simulate(stop_time=0.1, interval=0.1)
        assert result["y"][0] == pytest.approx(sign * 0.8, abs=1e-12)


def test_a_start_that_leaves_a_choice_is_made_nearest_to_the_guess():
    """Only the rod is given: nearest to (3, -4) is (0.6, -0.8)."""
    result = load_model(text=pendulum("x(guess = 3), y(guess = -4)")).simulate(stop_time=0.1, interval=0.1)
    assert result["x"][0] == pytest.approx(0.6, abs=1e-9)
    assert result["y"][0] == pytest.approx(-0.8, abs=1e-9)


TWICE = "constraint c1: x^2 + y^2 - 1[m2] = 0;\n  constraint c2: "


def test_red_01_a_repeated_constraint():
    """EXUDYN#39, ModelicaSpecification#3385: the pair is named, the motion is that of one of them."""
    text = pendulum("x(start = 1), y(start = 0)", TWICE + "2*x^2 + 2*y^2 - 2[m2] = 0;")
    model = load_model(text=text)
    result = model.simulate(stop_time=1, interval=0.1)
    assert result["x"][-1] == pytest.approx(-0.98629175, abs=1e-6)
    assert result["y"][-1] == pytest.approx(-0.16501085, abs=1e-6)
    notes = " ".join(result.report.notes) + " ".join(d.message for d in model.diagnostics)
    assert "c1" in notes
    assert "c2" in notes
    assert "redundant" in notes or "repeat" in notes
    assert "unique" in notes
    # The total force is unique: (2 lambda1 + 4 lambda2) times the position.
    total = 2 * result["reaction(c1)"] + 4 * result["reaction(c2)"]
    speed2 = result["der(x)"] ** 2 + result["der(y)"] ** 2
    assert total == pytest.approx(9.81 * result["y"] - speed2, abs=1e-6)


def test_red_02_constraints_that_contradict():
    """EXUDYN#39, ModelingToolkit#1068: never a run; both names, and another message than for red-01."""
    text = pendulum("x(start = 1), y(start = 0)", TWICE + "x^2 + y^2 - 1.21[m2] = 0;")
    with pytest.raises(MbdError) as refused:
        load_model(text=text).simulate(stop_time=1)
    message = str(refused.value)
    assert "c1" in message
    assert "c2" in message
    assert "redundant" not in message


def test_red_02_the_gap_is_told():
    text = pendulum("x(guess = 1), y(guess = 0)", TWICE + "x^2 + y^2 - 1.21[m2] = 0;")
    with pytest.raises(MbdError, match=r"0\.21"):
        load_model(text=text).simulate(stop_time=1)


PLATFORM = """\
model Platform
  parameter Mass M = 2, m = 0.5;
  parameter Length L = 0.8;
  parameter Inertia J = 1, I = m*L^2/12 "platform, link";
  parameter Angle phi0 = 0.6;
  constant Acceleration g = 9.81;
  coordinate Length c[3, 2](start = {{(i - 1)*1[m] + L/2*sin(phi0), -L/2*cos(phi0)} for i in 1:3}) "links";
  coordinate Angle phi[3](start = phi0*ones(3));
  coordinate Length p[2](start = {1[m] + L*sin(phi0), -L*cos(phi0)}) "platform";
  coordinate Angle theta(start = 0);
  kinetic links = sum(m/2*der(c[i, :])*der(c[i, :]) + I/2*der(phi[i])^2 for i in 1:3);
  kinetic platform = M/2*der(p)*der(p) + J/2*der(theta)^2;
  potential gravity = g*(M*p[2] + m*sum(c[i, 2] for i in 1:3));
  for i in 1:3 loop
    constraint upper: c[i, :] + L/2*{-sin(phi[i]), cos(phi[i])} = {(i - 1)*1[m], 0};
    constraint lower: c[i, :] + L/2*{sin(phi[i]), -cos(phi[i])} = p + (i - 2)*1[m]*{cos(theta), sin(theta)};
  end for;
  annotation(experiment(StopTime = 4, Interval = 0.01));
end Platform;
"""


def periods(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(time, values)
    return np.diff(spline.roots(extrapolate=False)[::2])


def test_red_04_three_parallel_links():
    """EXUDYN#39, dart#465: twelve pin equations of rank eleven; period 1.7500851 s at 0.6 rad."""
    model = load_model(text=PLATFORM)
    result = model.simulate(stop_time=4, interval=0.01, tolerance=1e-9)
    assert periods(result.time, result["phi[1]"]) == pytest.approx(1.7500851, abs=1e-6)
    assert np.max(np.abs(result["phi"] - result["phi"][:, :1])) < 1e-6
    notes = " ".join(result.report.notes) + " ".join(d.message for d in model.diagnostics)
    assert "lower" in notes or "upper" in notes


def test_red_04_small_swing():
    """1.71077941 s for small oscillations: w^2 = (g/L)(M + 1.5 m)/(M + m) with M, m of platform and links."""
    model = load_model(text=PLATFORM, parameters={"phi0": 0.001})
    result = model.simulate(stop_time=4, interval=0.01, tolerance=1e-10)
    assert periods(result.time, result["phi[1]"]) == pytest.approx(1.71077941, abs=1e-6)


def test_sweep_01_a_parameter_in_a_start(compiled):
    """OpenModelica#14200, #12262: L = 1.2 is honoured in equations and start: period 2.5938409 s."""
    model = compiled("pendulum")
    result = model.simulate(stop_time=6, interval=0.005, parameters={"L": 1.2}, tolerance=1e-9)
    assert result["x"][0] == pytest.approx(1.2)
    assert periods(result.time, result["x"]) == pytest.approx(2.5938409, abs=1e-6)


def test_sweep_01_a_fixed_start_misses_the_longer_rod():
    text = pendulum("x(start = 1), y(start = 0)", "parameter Length L = 1; constraint rod: x^2 + y^2 = L^2;")
    model = load_model(text=text)
    with pytest.raises(StartError) as refused:
        model.simulate(stop_time=1, parameters={"L": 1.2})
    assert "rod" in str(refused.value)
    assert "-0.44" in str(refused.value)


THREE = "constraint a: x = 1[m]; constraint b: y = 0; constraint c: x + y = {}[m];"


def test_more_holonomic_constraints_than_coordinates():
    """Three rows on two coordinates: fine where one repeats the others, which is said."""
    result = load_model(text=pendulum("x(start = 1), y(start = 0)", THREE.format(1))).simulate(stop_time=1)
    assert np.max(np.abs(result["y"])) < 1e-12
    assert any("`c`" in note and "`a`" in note for note in result.report.notes)


def test_more_holonomic_constraints_than_can_hold():
    with pytest.raises(MbdError) as refused:
        load_model(text=pendulum("x(guess = 1), y(guess = 0)", THREE.format(2))).simulate(stop_time=1)
    for name in "abc":
        assert f"`{name}`" in str(refused.value)
