"""What is remarked on starts and runs: redundancy, branches, change points, poles, and why a run was lost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbdc import ModelError, SimulationError, StartError, load_model

FOUR_BAR = """\
model FourBar
  parameter Length ground = 1, crank = {crank}, coupler = {coupler}, rocker = {rocker};
  parameter Inertia J = 1;
  coordinate Angle th, a(guess = {a}), b(guess = {b});
  kinetic motion = J/2*(der(th)^2 + der(a)^2 + der(b)^2);
  constraint closing: crank*{{cos(th), sin(th)}} + coupler*{{cos(a), sin(a)}}
    = {{ground, 0}} + rocker*{{cos(b), sin(b)}};
  constraint drive: th = {th0} + time*1[rad/s];
end FourBar;
"""

SPIN = """\
model Spin
  parameter Inertia I[3] = {{1, 2, 3}};
  coordinate Angle yaw(start = 0, rate = 0), pitch(start = {pitch}, rate = 1), roll(start = 0, rate = 0);
  Rotation S = rotZ(yaw)*rotY(pitch)*rotX(roll);
  AngularVelocity w[3] = angularVelocity(S);
  kinetic turning = w*(I.*w)/2;
end Spin;
"""


def rod(start: str, constraints: str = "constraint rod: x^2 + y^2 = 1[m2];") -> str:
    return f"""\
model Rod
  parameter Mass m = 1;
  coordinate Length {start};
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential gravity = m*9.81[m/s2]*y;
  {constraints}
end Rod;
"""


def particle(statements: str, start: str = "start = 1, rate = -1") -> str:
    return f"""\
model Particle
  parameter Mass m = 1;
  coordinate Length x({start});
  kinetic motion = m/2*der(x)^2;
  {statements}
end Particle;
"""


def notes(text: str, stop: float = 0.1, interval: float = 0.1) -> str:
    return "\n".join(load_model(text=text).simulate(stop_time=stop, interval=interval).report.notes)


def lost(text: str, stop: float = 3, interval: float = 0.1) -> SimulationError:
    with pytest.raises(SimulationError) as stopped:
        load_model(text=text).simulate(stop_time=stop, interval=interval)
    return stopped.value


def test_many_repeated_rows_make_one_short_note() -> None:
    more = "".join(f"constraint c{i}: {i}*x^2 + {i}*y^2 = {i}[m2];\n" for i in range(1, 15))
    (note,) = [n for n in notes(rod("x(start = 0.6), y(start = -0.8)", more)).splitlines() if "repeats" in n]
    assert "`c2` repeats `c1`" in note
    assert "rank 1 of 14" in note
    assert "9 more rows" in note
    assert "`c14`" not in note


@pytest.mark.parametrize("factor", [1, -3, 1e-4])
def test_the_gap_of_contradicting_rows_is_that_of_the_heaviest(factor: float) -> None:
    more = f"constraint one: x^2 + y^2 = 1[m2]; constraint two: {factor}*(x^2 + y^2) = {factor}*1.21[m2];"
    with pytest.raises(StartError, match=r"contradict each other by") as refused:
        load_model(text=rod("x(guess = 0.7), y(guess = 0.8)", more)).simulate(stop_time=1)
    gap = float(str(refused.value).split("other by ")[1].split(":")[0])
    assert gap == pytest.approx(0.21 * min(1, abs(factor)), rel=1e-4)


def test_one_row_that_cannot_hold_contradicts_nothing() -> None:
    with pytest.raises(StartError, match="no start was found") as refused:
        load_model(text=rod("x(guess = 1), y", "constraint c: x^2 + y^2 = -1[m2];")).simulate(stop_time=1)
    assert "contradict" not in str(refused.value)


@pytest.mark.parametrize("sign", [1, -1])
def test_each_branch_mentions_the_other(sign: int) -> None:
    told = notes(rod(f"x(start = 0.6), y(guess = {sign})"))
    assert "`rod`" in told
    assert f"the start is on that of y = {0.8 * sign:g}, another has y = {-0.8 * sign:g}" in told


def test_whole_turns_make_no_branch() -> None:
    told = notes(FOUR_BAR.format(crank=0.5, coupler=1.2, rocker=0.8, a=0.5, b=1.5, th0=1))
    assert "a = -1.25066, b = -2.02669" in told
    straight = rod("x(start = 0), y(start = 0)", "coordinate Angle t(guess = 1); constraint c: 2*t = 1;")
    assert "branch" not in notes(straight)


def test_a_start_with_a_choice_or_without_completion_has_no_branches() -> None:
    assert "branch" not in notes(rod("x(guess = 3), y(guess = -4)"))
    assert "branch" not in notes(rod("x(start = 0.6), y(start = -0.8)"))


def test_a_branch_beyond_a_limit_is_not_offered() -> None:
    below = "constraint rod: x^2 + y^2 = 1[m2]; limit ceiling: y <= 0.5[m];"
    assert "branch" not in notes(rod("x(start = 0.6), y(guess = -1)", below))


def test_what_rows_leave_at_its_guess_is_named() -> None:
    told = notes(rod("x(start = 1, rate = 0), y(start = 0)"))
    assert "der(y) = 0 stays at the guess" in told
    assert "`rod` does not determine it" in told
    assert "guess" not in notes(rod("x(start = 1), y"))
    assert "stays" not in notes(rod("x(start = 0.6, rate = 0), y(start = -0.8)"))


@pytest.mark.parametrize("guess", [0.7, -0.7])
def test_no_sign_of_a_guess_keeps_a_start_from_being_found(guess: float) -> None:
    root = rod(f"x(guess = {guess}), y(start = 0)", "constraint c: sqrt(x/1[m]) = 0.5;")
    result = load_model(text=root).simulate(stop_time=0.01, interval=0.01)
    assert result["x"][0] == pytest.approx(0.25, abs=1e-9)


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_mirrored_four_bars_start_alike(signs: tuple[int, int]) -> None:
    a, b = signs[0] * 0.5, signs[1] * 1.5
    found = []
    for mirror in (1, -1):
        text = FOUR_BAR.format(crank=0.5, coupler=1.2, rocker=0.8, a=mirror * a, b=mirror * b, th0=mirror)
        result = load_model(text=text.replace("+ time", f"{'+' if mirror > 0 else '-'} time")).simulate(stop_time=0.01)
        found.append([mirror * result[name][0] for name in ("a", "b")])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_every_level_of_a_start_is_accounted_for() -> None:
    report = load_model(text=rod("x(start = 0.6), y(guess = -1)")).simulate(stop_time=0.1).report
    assert {(r.name, r.order) for r in report.start_residuals} == {("rod", 0), ("rod", 1)}
    assert max(abs(r.residual) for r in report.start_residuals) < 1e-12
    assert report.to_json()["start_residuals"][0]["row"] == "rod"
    assert "constraints hold at the start within" in report.to_text()


def test_a_change_point_is_found_between_instants() -> None:
    told = notes(FOUR_BAR.format(crank=0.5, coupler=1, rocker=0.5, a=0, b=-0.2, th0=-0.213), 0.5, 0.05)
    assert "change point at 0.213 s: the rows of `closing` become dependent" in told


def test_no_change_point_where_the_linkage_stays_away_from_it() -> None:
    told = notes(FOUR_BAR.format(crank=0.5, coupler=1.2, rocker=0.8, a=0.2, b=1, th0=1), 6, 0.05)
    assert "change point" not in told


def test_a_pole_is_told_with_its_time_and_the_remedy() -> None:
    told = notes(SPIN.format(pitch=0), 2)
    assert "at 1.5708" in told
    assert "`pitch` comes to its pole" in told
    assert "`yaw` and `roll`" in told
    assert "`coordinate Rotation`" in told
    assert not notes(SPIN.format(pitch=0), 1.2)


def test_a_start_at_the_pole_is_refused_with_the_remedy() -> None:
    with pytest.raises(StartError, match="coordinate Rotation") as refused:
        load_model(text=SPIN.format(pitch="pi/2")).simulate(stop_time=1)
    assert "yaw" in str(refused.value)


def test_a_linkage_that_cannot_turn_further_stops_there() -> None:
    """With crank 0.9, rocker 0.5 and coupler 1 the crank cannot leave |th| < 1.82 rad: coupler + rocker is 1.5."""
    limit = math.acos((0.9**2 + 1 - 1.5**2) / (2 * 0.9))
    stopped = lost(FOUR_BAR.format(crank=0.9, coupler=1, rocker=0.5, a=0, b=1, th0=1), 2, 0.01)
    assert "`closing`" in str(stopped)
    assert "singular" in str(stopped)
    result = stopped.result
    assert result.time[-1] == pytest.approx(limit - 1, abs=1e-2)
    assert np.max(np.abs(result["residual(closing)"])) < 1e-3


def test_a_root_of_what_turns_negative_is_named() -> None:
    stopped = lost(particle("Real d = sqrt(x/1[m]); force f: -1[N]*d on x;"))
    assert "`d` is not a finite number" in str(stopped)
    assert stopped.result["x"][-1] == pytest.approx(0, abs=1e-6)
    assert np.all(np.isfinite(stopped.result["x"]))


def test_a_constraint_that_leaves_its_range_is_named() -> None:
    text = rod(
        "x(start = 1, rate = -1), y(guess = 0)",
        "constraint curve: y = 1[m]*asin(x/2[m] - 2*time/1[s]) - 0.5[m];",
    )
    stopped = lost(text)
    assert "constraint `curve` is not a finite number" in str(stopped)
    result = stopped.result
    assert result["x"][-1] / 2 - 2 * result.time[-1] == pytest.approx(-1, abs=1e-3)


def test_what_grows_without_bound_is_named_with_its_value() -> None:
    """x'' = x^3 from x = x' = 1 leaves every bound at a finite time."""
    stopped = lost(particle("force f: 1[N]*(x/1[m])^3 on x;", "start = 1, rate = 1"), 5, 0.01)
    assert "`der(der(x))` has grown to" in str(stopped)
    assert "up to 1" in str(stopped)
    assert stopped.result.report.reason.startswith("the motion cannot be followed further: ")


def test_a_force_that_repeats_a_potential_is_pointed_out_by_both_names() -> None:
    text = particle("potential pull = 3[N/m]*x^2/2; force back: -3[N/m]*x on x;")
    (found,) = load_model(text=text).diagnostics
    assert found.code == "force-repeats-potential"
    assert "`back`" in found.message
    assert "`pull`" in found.message


@pytest.mark.parametrize(
    "statements",
    [
        "potential pull = 3[N/m]*x^2/2; force back: 3[N/m]*x on x;",
        "parameter Stiffness a = 3, b = 3; potential pull = a*x^2/2; force back: -b*x on x;",
        "potential pull = 3[N/m]*x^2/2; force back: -3[N/m]*x - 1[N.s/m]*der(x) on x;",
    ],
)
def test_forces_of_another_kind_are_no_repetition(statements: str) -> None:
    assert "force-repeats-potential" not in {d.code for d in load_model(text=particle(statements)).diagnostics}


def test_torques_on_an_attitude_are_compared_too() -> None:
    text = """\
model Hung
  parameter Inertia I[3] = {1, 2, 3};
  coordinate Rotation S;
  Length arm[3] = S*{0, 0, 1[m]};
  AngularVelocity w[3] = angularVelocity(S);
  kinetic turning = w*(I.*w)/2;
  potential gravity = 5[N]*arm[3];
  force weight: {0, 0, -5[N]} on arm;
end Hung;
"""
    try:
        found = {d.code for d in load_model(text=text).diagnostics}
    except ModelError as refused:
        pytest.fail(str(refused))
    assert "force-repeats-potential" in found
