"""Formulations agree where they take a model, and say why where they do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from conftest import model_path

from mbdc import Comparison, ModelError, load_model
from mbdc.compiler import cli
from mbdc.compiler.formulations.formulation import NAMES, FormulationName

Compiled = Callable[..., Any]

OTHERS = NAMES[1:]


def verify_agreement(comparison: Comparison, most: float) -> None:
    """All that ran end within `most` of the reference, at one instant, and close their energy balance."""
    assert not comparison.stopped
    reference = comparison.attempts[0].report
    assert reference is not None
    for attempt in comparison.attempts[1:]:
        if attempt.refused:
            continue
        assert attempt.difference is not None and attempt.report is not None
        assert attempt.difference.time == pytest.approx(reference.end_time, abs=1e-7)
        assert attempt.report.outcome == reference.outcome
        assert attempt.difference.largest < most, (attempt.title, attempt.difference)
        assert attempt.report.energy is not None and reference.energy is not None
        assert attempt.report.energy.worst < 100 * comparison.tolerance * max(1.0, reference.energy.scale)


# Errors shrink with the tolerance: bounds are a few times the default's own error at each tolerance.
@pytest.mark.parametrize(
    ("stem", "stop", "tolerance", "most"),
    [
        ("rolling_disc", 2.0, 1e-8, 3e-7),
        ("rolling_disc", 2.0, 1e-10, 5e-9),
        ("chaplygin_sleigh", 10.0, 1e-8, 1e-7),
        ("chaplygin_sleigh", 10.0, 1e-10, 2e-9),
        ("andrews_squeezer", 0.01, 1e-8, 3e-6),
        ("andrews_squeezer", 0.01, 1e-10, 5e-8),
        ("monorollbot", 0.4, 1e-8, 1e-7),
        ("monorollbot", 0.4, 1e-10, 1e-9),
        ("monorollbot_rotation", 0.2, 1e-8, 1e-7),
        ("euler_top", 1.0, 1e-8, 1e-7),
        ("pendulum", 2.0, 1e-8, 1e-6),
    ],
)
def test_all_formulations_agree(compiled: Compiled, stem: str, stop: float, tolerance: float, most: float) -> None:
    comparison = compiled(stem).compare(stop_time=stop, interval=stop / 10, tolerance=tolerance)
    assert comparison.accepted == NAMES
    verify_agreement(comparison, most)


def test_a_limit_ends_every_run_at_the_same_instant() -> None:
    text = model_path("pendulum").read_text(encoding="utf-8")
    limited = text.replace("annotation(", "limit fence: y >= -0.7*L;\n  annotation(")
    comparison = load_model(text=limited).compare(stop_time=3, interval=0.05)
    ends = [a.report.end_time for a in comparison.attempts if a.report is not None]
    assert len(ends) == len(NAMES) and np.ptp(ends) < 1e-7
    verify_agreement(comparison, 1e-6)
    assert f"ended at {ends[0]:.9g} s: limit `fence` reached" in str(comparison)


def test_each_keeps_what_it_promises(compiled: Compiled) -> None:
    comparison = compiled("pendulum").compare(stop_time=5, interval=0.5, gains=(0.0, 0.0))
    rod = {a.formulation: a.report.residuals[0].before for a in comparison.attempts}
    # Without gains Baumgarte's is the acceleration level alone, which drifts, as Udwadia-Kalaba does.
    assert rod["baumgarte"] > 10 * rod["ggl"]
    assert rod["ggl"] < 1e-7 and rod["attraction"] < 1e-7
    sleigh = compiled("chaplygin_sleigh").compare(["null-space"], stop_time=5, interval=0.5)
    assert sleigh["null-space"].report.residuals[0].before < 1e-13


@pytest.mark.parametrize("formulation", OTHERS)
def test_reactions_and_accelerations_are_those_of_the_default(compiled: Compiled, formulation: FormulationName) -> None:
    model = compiled("car_axis")
    usual = model.simulate(stop_time=0.05, interval=0.01)
    other = model.simulate(stop_time=0.05, interval=0.01, formulation=formulation)
    assert other.names == usual.names
    for name in ("reaction(guide)", "reaction(axis)", "der(der(yl))"):
        assert other[name] == pytest.approx(usual[name], rel=1e-5)


def test_inputs_and_parameters_reach_every_formulation() -> None:
    cart = """
    model Cart
      parameter Mass m = 2;
      input Force push = 0;
      coordinate Length x(start = 0, rate = 0), y;
      kinetic motion = m/2*(der(x)^2 + der(y)^2);
      force push: push on x;
      constraint tie: y = 2*x;
    end Cart;
    """
    model = load_model(text=cart)
    for formulation in NAMES:
        result = model.simulate(
            stop_time=2, interval=0.5, parameters={"m": 1}, inputs={"push": ([0, 1, 2], [0, 5, 0])},
            formulation=formulation,
        )  # fmt: skip
        # x'' = push/5: a triangle of area 1 in velocity, 1 in position by symmetry.
        assert result["der(x)"][-1] == pytest.approx(1.0, abs=1e-7)
        assert result["x"][-1] == pytest.approx(1.0, abs=1e-7)
        assert result.report.energy.work["push"] == pytest.approx(2.5, abs=1e-6)


def refusals(comparison: Comparison, formulation: str) -> str:
    diagnostics = comparison[formulation].refused
    assert {d.code for d in diagnostics} <= {"formulation-cannot"}
    assert all(d.span is not None for d in diagnostics)
    return " ".join(d.message for d in diagnostics)


def test_a_servo_is_refused_by_name(compiled: Compiled) -> None:
    comparison = compiled("climbing_robot").compare(stop_time=0.02, interval=0.01)
    assert comparison.accepted == ("attraction",)
    for name in OTHERS:
        assert "servo `path`" in refusals(comparison, name)


def test_redundant_rows_are_taken_by_the_pseudo_inverse_alone(compiled: Compiled) -> None:
    comparison = compiled("bricard").compare(stop_time=0.2, interval=0.1)
    assert comparison.accepted == ("attraction", "udwadia-kalaba")
    assert comparison["udwadia-kalaba"].difference.largest < 1e-7
    for name in ("baumgarte", "ggl", "null-space"):
        assert "`hinge[2]` follows from `place[1]`" in refusals(comparison, name)


def test_an_equation_is_refused_by_those_that_solve_for_motion_alone(compiled: Compiled) -> None:
    comparison = compiled("slider_crank").compare(stop_time=0.02, interval=0.01)
    assert comparison.accepted == ("attraction", "baumgarte", "ggl")
    assert "`G`" in refusals(comparison, "null-space")
    assert "`G`" in refusals(comparison, "udwadia-kalaba")
    verify_agreement(comparison, 1e-6)


def test_a_nonlinear_row_is_refused_by_the_null_space(compiled: Compiled) -> None:
    comparison = compiled("appell_hamel").compare(stop_time=0.2, interval=0.1)
    assert comparison.accepted == ("attraction", "baumgarte", "ggl", "udwadia-kalaba")
    assert "`ratio` is not linear" in refusals(comparison, "null-space")


MASSLESS = """
model Massless "A wheel without inertia of its own between a mass and a spring"
  coordinate Length x(start = 0.1, rate = 0);
  coordinate Angle phi(start = 0.2), psi(start = 0.2);
  kinetic motion = 1[kg]/2*der(x)^2 + 1[kg.m2]/2*(der(phi) + der(psi))^2;
  potential spring = 30[N/m]/2*x^2;
  constraint rope: x = 0.5[m]*phi;
  constraint gear: phi = psi;
end Massless;
"""


def test_a_singular_mass_matrix_is_refused_where_it_would_be_inverted() -> None:
    comparison = load_model(text=MASSLESS).compare(stop_time=1, interval=0.5)
    assert "udwadia-kalaba" not in comparison.accepted
    assert "`der(phi)`, `der(psi)`" in refusals(comparison, "udwadia-kalaba")
    # The others need inertia in the directions alone that the constraints leave free.
    assert set(comparison.accepted) == set(NAMES) - {"udwadia-kalaba"}
    verify_agreement(comparison, 1e-6)


def test_a_force_that_depends_on_a_reaction_is_refused() -> None:
    text = """
    model Block
      coordinate Length x(start = 0, rate = 1), y(start = 0);
      kinetic motion = 1[kg]/2*(der(x)^2 + der(y)^2);
      potential gravity = 1[kg]*9.81[m/s2]*y;
      constraint floor: y = 0;
      force drag: -0.1*reaction(floor) on x;
    end Block;
    """
    comparison = load_model(text=text).compare(stop_time=0.5, interval=0.5)
    assert comparison.accepted == ("attraction", "baumgarte", "ggl")
    assert "force `drag`" in refusals(comparison, "null-space")
    verify_agreement(comparison, 1e-7)


def test_one_formulation_can_be_asked_for(compiled: Compiled) -> None:
    model = compiled("climbing_robot")
    with pytest.raises(ModelError, match="servo `path`"):
        model.simulate(stop_time=0.1, formulation="ggl")
    with pytest.raises(ValueError, match="there is no formulation 'gll'"):
        model.simulate(stop_time=0.1, formulation="gll")
    with pytest.raises(ValueError, match="gains"):
        model.simulate(stop_time=0.1, formulation="baumgarte", gains=(-1, 2))


def test_text_and_json_tell_the_same(compiled: Compiled) -> None:
    comparison = compiled("slider_crank").compare(["ggl", "null-space"], stop_time=0.02, interval=0.01)
    text, document = str(comparison), comparison.to_json()
    assert [f["formulation"] for f in document["formulations"]] == ["attraction", "ggl", "null-space"]
    default, ggl, maggi = document["formulations"]
    assert default["difference"] is None and default["report"]["outcome"] == "completed"
    assert f"{ggl['difference']['largest']:.1e} in {ggl['difference']['name']}" in text
    assert maggi["report"] is None and maggi["refused"][0]["code"] == "formulation-cannot"
    assert "null space (Maggi) cannot take this model" in text
    json.dumps(document)


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert isinstance(end.value.code, int)
    return end.value.code, capsys.readouterr().out


def test_the_command_prints_tables_or_json(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pendulum = str(model_path("pendulum"))
    times = ("--stop-time", "0.2", "--interval", "0.1")
    words = ("compare", pendulum, *times, "--set", "L=0.5", "--only", "ggl")
    code, out = answer(capsys, *words)
    assert code == 0 and "Gear-Gupta-Leimkuhler" in out and "(reference)" in out and "rod" in out
    code, out = answer(capsys, *words, "--json")
    assert code == 0
    names = [f["formulation"] for f in json.loads(out)["comparison"]["formulations"]]
    assert names == ["attraction", "ggl"]
    assert not list(tmp_path.iterdir())
    code, _ = answer(capsys, *words, "--set", "x.start=5")
    assert code == 1


def test_the_command_offers_what_there_is() -> None:
    assert get_args(FormulationName) == cli.FORMULATIONS == NAMES
