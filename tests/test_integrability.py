"""What constraints on velocities amount to, against growth vectors and integrals worked out by hand.

Growth vectors: knife edge and Heisenberg's (contact) distribution (2, 3); a disc that rolls upright
(2, 3, 4), one that also leans (3, 4, 5); a ball on a plane (3, 5); the snakeboard (3, 5) where its angles are
generic; a car with trailers gains one dimension a step (Goursat).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from conftest import model_path

from mbdc import ModelError, load_model
from mbdc.compiler.distribution import bracket, turning
from mbdc.compiler.generic_points import points_near, start_of
from mbdc.compiler.integrability import Integrability, integrability
from mbdc.compiler.linear_text import coefficient_text, sum_text
from mbdc.compiler.lower import lower
from mbdc.compiler.mechanics import MechanicalSystem
from mbdc.compiler.pfaffian import Block, blocks
from mbdc.dsl.analyse import analyse
from mbdc.dsl.diagnostics import Diagnostic, render_all
from mbdc.dsl.files import read_source
from mbdc.dsl.source import Source

WRONG = sorted((Path(__file__).parent / "errors" / "compiled").glob("*.mbd"))
EXPECTED = re.compile(r"(error|warning|note): ([a-z-]+)")


def system_of(source: Source) -> MechanicalSystem:
    program = analyse(source).program
    assert program is not None
    return lower(program)


def text(statements: str, *, lengths: str = "x, y, z", angles: str = "", also: str = "") -> str:
    """A model with unit inertia on each coordinate; dimensions are left out by `Real`."""
    names = [name.split("(")[0].strip() for name in re.sub(r"\(.*?\)", "", f"{lengths}, {angles}").split(",")]
    energies = " + ".join(f"der({name})^2" for name in names if name)
    declared = f"coordinate Real {lengths};" + (f" coordinate Angle {angles};" if angles else "")
    return f"model M\n{also}\n{declared}\nkinetic motion = {energies};\n{statements}\nend M;\n"


def judged(statements: str, **declared: str) -> Integrability:
    return integrability(system_of(Source("<text>", text(statements, **declared))))


def told(result: Integrability, code: str = "integrable") -> list[Diagnostic]:
    return [d for d in result.notes if d.code == code]


def functions(result: Integrability) -> list[str]:
    """The functions that notes give, in order."""
    found = [re.findall(r"(?:derivative of|keeps) `([^`]*)`", d.message) for d in told(result)]
    return [name for names in found for name in names]


# --- growth vectors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "vector"),
    [
        ("knife_edge_incline", (2, 3)),
        ("chaplygin_sleigh", (2, 3)),
        ("nonholonomic_particle", (2, 3)),
        ("suslov", (2, 3)),
        ("vertical_disc", (2, 3, 4)),
        ("coin_on_incline", (2, 3, 4)),
        ("rolling_disc", (3, 4, 5)),
        ("snakeboard", (3, 5)),
        ("monorollbot", (3, 5)),
        ("monorollbot_rotation", (3, 5)),
        ("rattleback", (3, 5)),
        ("roller_racer", (2, 3, 4)),
        ("turntable_ball", (4, 6)),
    ],
)
def test_truly_nonholonomic_models(stem: str, vector: tuple[int, ...]) -> None:
    result = integrability(system_of(read_source(model_path(stem))))
    (verdict,) = result.verdicts
    assert verdict.vector == vector
    assert (verdict.kind, verdict.hidden, result.notes) == ("nonholonomic", 0, ())


def test_time_counts_where_rows_depend_on_it() -> None:
    timed = {
        stem: integrability(system_of(read_source(model_path(stem)))).verdicts[0].timed
        for stem in ("turntable_ball", "roller_racer", "snakeboard", "monorollbot_rotation")
    }
    assert timed == {
        "turntable_ball": True,
        "roller_racer": True,
        "snakeboard": False,
        "monorollbot_rotation": False,
    }


@pytest.mark.parametrize("trailers", [1, 2, 3, 4])
def test_a_car_with_trailers_gains_one_dimension_a_step(trailers: int) -> None:
    angles = [f"a{k}" for k in range(trailers + 1)]
    rows = ["constraint c0: der(x)*sin(a0) = der(y)*cos(a0);"]
    for k in range(1, trailers + 1):
        hinges = " - ".join(f"der(a{j})*cos(a{j} - a{k})" for j in range(1, k + 1))
        rows.append(f"constraint c{k}: der(x)*sin(a{k}) - der(y)*cos(a{k}) - {hinges} = 0;")
    result = judged("\n".join(rows), lengths="x, y", angles=", ".join(angles))
    assert result.verdicts[0].vector == tuple(range(2, trailers + 4))


def test_rows_that_share_no_coordinate_are_judged_apart() -> None:
    result = judged("constraint one: der(z) = y*der(x); constraint two: der(u) = 2*der(v);", lengths="x, y, z, u, v")
    assert [(v.labels, v.kind) for v in result.verdicts] == [
        (("one",), "nonholonomic"),
        (("two",), "holonomic in disguise"),
    ]


def test_units_of_very_different_size_do_not_change_the_verdict() -> None:
    result = judged("constraint c: 1e-6*der(z) = 1e6*y*der(x);", lengths="x(nominal = 1e-6), y, z(nominal = 1e6)")
    assert result.verdicts[0].vector == (2, 3)
    result = judged("constraint c: 1e-6*der(z) = 1e6*der(x);", lengths="x(nominal = 1e-6), y, z(nominal = 1e6)")
    assert result.hidden == 1


# --- the forms behind them -------------------------------------------------------------------------


def block_of(statements: str, **declared: str) -> tuple[Block, Any]:
    system = system_of(Source("<text>", text(statements, **declared)))
    (block,) = blocks(system)
    return block, points_near(block, start_of(system), 3)


def test_position_rows_are_closed_and_points_lie_on_them() -> None:
    block, points = block_of(
        "constraint on: p*p + x*y = 4; constraint side: {0, 0, 1}*der(S*p) = x*der(y);",
        also="coordinate Rotation S; coordinate Real p[3](start = {1, 1, 1}); Real w[3] = angularVelocity(S);"
        " kinetic turning = w*w; kinetic moving = der(p)*der(p);",
    )
    assert [row.label for row in block.rows] == ["on", "side"]
    for point in points:
        assert np.abs(block.misses(point)[0]).max() < 1e-12
        assert np.abs(block.at(point).derivative[0]).max() < 1e-12


def test_the_derivative_of_a_row_with_a_rotation_is_closed() -> None:
    block, points = block_of(
        "constraint still: der({0, 0, 1}*S*{0.3, x, y} + sin(time*1[rad/s])*x) = 0;",
        also="coordinate Rotation S; Real w[3] = angularVelocity(S); kinetic turning = w*w;",
    )
    assert block.timed
    for point in points:
        forms = block.at(point)
        assert np.abs(forms.derivative).max() < 1e-13 < np.abs(forms.terms).max()


def test_brackets_of_fields_agree_with_the_derivatives_of_forms() -> None:
    """dω(X, Y) = -ω([X, Y]) for fields that the rows allow."""
    from mbdc.compiler.distribution import allowed_fields

    block, points = block_of(
        "constraint one: {0, 0, 1}*(S*angularVelocity(S)) = x*der(y); constraint two: der(x) = y*der(z);",
        also="coordinate Rotation S; Real w[3] = angularVelocity(S); kinetic turning = w*w;",
    )
    forms = [block.at(point) for point in points]
    fields = allowed_fields(block, forms, (0, 1))
    rows = block.function("rows", [ca.mtimes(block.forms, bracket(block, fields[0], fields[1])), ca.horzcat(*fields)])
    for point, form in zip(points, forms, strict=True):
        along, basis = (np.asarray(part) for part in rows(point.q, point.t, point.parameters))
        assert np.abs(form.coefficients @ basis).max() < 1e-12
        wanted = -np.einsum("rij,i,j->r", form.derivative, basis[:, 0], basis[:, 1])
        np.testing.assert_allclose(along.ravel(), wanted, atol=1e-12)
        assert turning(form, (0, 1))[0].shape == basis.shape


# --- integrals -------------------------------------------------------------------------------------

DRIVE = """
  constraint side: der(y)*cos(theta) = der(x)*sin(theta);
  constraint right: der(x)*cos(theta) + der(y)*sin(theta) + d*der(theta) = r*der(phi_R);
  constraint left: der(x)*cos(theta) + der(y)*sin(theta) - d*der(theta) = r*der(phi_L);
"""
DRIVEN = {"lengths": "x, y", "angles": "theta, phi_R, phi_L"}
SIZES = "parameter Real r = 0.1, d = 0.3;"


def test_two_wheels_on_an_axle_hide_one_integral() -> None:
    result = judged(DRIVE, also=SIZES, **DRIVEN)
    (verdict,) = result.verdicts
    assert (verdict.kind, verdict.vector, verdict.hidden) == ("partly integrable", (2, 3, 4), 1)
    (note,) = told(result)
    assert "`right` - `left`" in note.message and "4 degrees of freedom in position" in note.message
    assert "3 points" in note.message
    assert functions(result) == ["2*d*theta - r*(phi_R - phi_L)"]


def test_wheels_written_as_vectors_hide_it_too() -> None:
    rows = """
      constraint right: der({x, y} + d*{sin(theta), -cos(theta)}) = r*der(phi_R)*{cos(theta), sin(theta)};
      constraint left:  der({x, y} - d*{sin(theta), -cos(theta)}) = r*der(phi_L)*{cos(theta), sin(theta)};
    """
    result = judged(rows, also=SIZES, **DRIVEN)
    assert result.hidden == 1
    assert functions(result) == ["theta - r/(2*d)*(phi_R - phi_L)"]


def test_wheels_of_different_size_are_combined_in_their_own_terms() -> None:
    rows = """
      constraint right: (der(x)*cos(theta) + der(y)*sin(theta) + d*der(theta))/r_R = der(phi_R);
      constraint left: (der(x)*cos(theta) + der(y)*sin(theta) - d*der(theta))/r_L = der(phi_L);
    """
    for sizes in ("r_R = 0.1, r_L = 0.12", "r_R = 0.1, r_L = 0.1"):
        (function,) = functions(judged(rows, also=f"parameter Real {sizes}, d = 0.3;", **DRIVEN))
        values = {"d": 0.3, "r_R": 0.11, "r_L": 0.17, "phi_R": 0.7, "phi_L": -0.4, "theta": 0.2}
        found = evaluate(function, values)
        assert found == pytest.approx(2 * 0.3 * 0.2 / 0.11 - 0.7 - 0.4 * 0.17 / 0.11)


def test_a_combination_that_varies_with_position_is_found() -> None:
    rows = DRIVE.replace("left: der(x)*cos(theta) + der(y)*sin(theta)", "left: der(x)/cos(theta)")
    result = judged(rows, also=SIZES, **DRIVEN)
    assert result.hidden == 1
    assert "a combination that varies" in told(result)[0].message
    assert functions(result) == ["theta - r/(2*d)*(phi_R - phi_L)"]


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("x*der(y) + y*der(x) = 0", "x*y"),
        ("der(x) = 2*der(y) - 3*der(z)", "x - 2*y + 3*z"),
        ("x*der(y) = y*der(x)", "x/y"),
        ("der(x)/y = der(y)/x", "x^2 - y^2"),
        ("der(x) = cos(y)*der(y) - sin(y + z)*(der(y) + der(z))", "x - sin(y) - cos(y + z)"),
        ("der(x^2*sin(z) + 0.4*exp(x*y)) = 0", "x^2*sin(z) + 0.4*exp(x*y)"),
        ("der(x) = 0.3*cos(time)", "x - 0.3*sin(time)"),
    ],
)
def test_a_row_that_is_a_derivative_is_told_of_what(row: str, wanted: str) -> None:
    result = judged(f"constraint c: {row};", lengths="x(start = 1), y(start = 2), z(start = 0.5)")
    (function,) = functions(result)
    places = ({"x": 1.1, "y": 0.7, "z": 0.4, "time": 0.3}, {"x": 0.6, "y": 1.7, "z": -0.2, "time": 0.9})
    steps = [np.subtract(*(evaluate(f, place) for place in places)) for f in (function, wanted)]
    assert abs(steps[0] / steps[1]) in (pytest.approx(1), pytest.approx(0.5))
    assert result.hidden == 1 and result.verdicts[0].kind == "holonomic in disguise"


def evaluate(function: str, values: dict[str, float]) -> float:
    """The value of a function as told, in the language's own reading."""
    names = [name for name in values if name != "time"]
    declared = "".join(f"parameter Real {name} = {values[name]!r};\n" for name in names)
    time = f"({values['time']!r})" if "time" in values else "0"
    written = re.sub(r"\btime\b", time, function)
    model = load_model(
        text=f"model F\n{declared}coordinate Real k(start = {written});\nkinetic T = der(k)^2;\nend F;\n"
    )
    value = model.coordinates["k"]
    assert isinstance(value, float)
    return value


def test_a_pair_integrates_together_where_neither_row_does() -> None:
    rows = "constraint one: der(z) = y*der(x) + der(w); constraint two: der(w) = x*der(y);"
    result = judged(rows, lengths="x, y, z, w")
    assert (result.hidden, functions(result)) == (1, ["x*y - z"])
    for row, lengths in (("der(z) = y*der(x) + der(w)", "x, y, z, w"), ("der(w) = x*der(y)", "x, y, w")):
        assert judged(f"constraint c: {row};", lengths=lengths).hidden == 0


def test_a_row_that_integrates_because_others_hold_is_told_so() -> None:
    result = judged("constraint one: der(y) = 0; constraint two: der(z) = y*der(x);")
    assert (result.hidden, functions(result)) == (2, ["y", "x*y - z"])
    assert "where the other constraints hold" in told(result)[1].message


def test_a_blade_with_a_fixed_heading_may_be_called_nonholonomic() -> None:
    rows = "constraint heading: a = 0.3; nonholonomic constraint edge: der(x)*sin(a) = der(y)*cos(a);"
    result = judged(rows, lengths="x, y", angles="a")
    assert functions(result) == ["x*sin(a) - y*cos(a)"]
    assert result.hidden == 1


def test_repeating_a_position_constraint_hides_nothing() -> None:
    result = judged("constraint p: x = 2*y; constraint v: der(x) = 2*der(y);")
    assert (result.hidden, told(result)) == (0, [])


def test_what_holds_only_for_the_values_given_is_told_so() -> None:
    result = judged("nonholonomic constraint c: der(z) = a*y*der(x);", also="parameter Real a = 0;")
    assert functions(result) == ["z"]
    assert "with the parameter values as given" in told(result)[0].message


def test_inputs_count_as_any_signal() -> None:
    assert judged("constraint c: der(x) = u;", also="input Real u = 1;").hidden == 1
    assert judged("constraint c: der(x) = u*der(y);", also="input Real u = 1;").hidden == 0


def test_attitude_rows() -> None:
    spin = "coordinate Rotation S; Real w[3] = angularVelocity(S); kinetic turning = w*w;"
    one = judged("constraint c: w[3] = 0;", also=spin)
    two = judged("constraint c: w[1:2] = {0, 0};", also=spin)
    assert (one.verdicts[0].vector, two.verdicts[0].vector) == ((2, 3), (1,))
    # About an axis that is held, turning and travelling are tied by a relation between positions.
    held = judged("constraint up: (S*{0, 0, 1})[1:2] = {0, 0}; constraint c: der(x) = w[3];", also=spin)
    assert held.hidden == 1


# --- what is not tested, and what is told once ------------------------------------------------------


def test_rows_with_unknowns_are_not_tested_and_told_so() -> None:
    result = judged("equation e: der(w) = -w; constraint c: der(x) = w*der(y);", also="Real w(start = 1);")
    assert [d.code for d in result.notes] == ["integrability-untested"]


def test_of_many_rows_each_is_tested_by_itself() -> None:
    rows = """for i in 1:19 loop
        nonholonomic constraint c: der(p[i])*sin(p[i + 1]) = der(q[i])*cos(p[i + 1]);
      end for;
      constraint d: der(p[20]) = 2*der(q[20]);"""
    also = "coordinate Real p[20], q[20]; kinetic many = der(p)*der(p) + der(q)*der(q);"
    result = judged(rows, also=also, lengths="x")
    assert len(told(result, "integrability-untested")) == 1
    assert functions(result) == ["p[20] - 2*q[20]"]
    assert {v.apart for v in result.verdicts} == {True}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("constraint c: der(z) = 1; constraint d: der(z) = 2;", "no motion satisfies them all"),
        ("constraint c: der(y) = sqrt(x - 50)*der(z);", "have no value"),
        (
            "constraint p: x^2 + y^2 = -1; constraint c: der(z) = x*der(y);",
            "satisfy the position constraints",
        ),
    ],
)
def test_what_cannot_be_looked_at_is_told(rows: str, why: str) -> None:
    result = judged(rows)
    (note,) = told(result, "integrability-untested")
    assert why in note.message and result.hidden == 0


def test_rows_that_fix_all_motion() -> None:
    result = judged("constraint c: {der(x), der(y), der(z)} = {1, 2*x, 0};")
    assert (result.hidden, functions(result)) == (3, ["x - time", "z"])


def test_coefficients_with_steps_keep_them() -> None:
    # What is kept is kept with either sign.
    (kept,) = functions(judged("constraint c: sign(x)*der(z) = der(y);"))
    assert kept in {"y - z*sign(x)", "z*sign(x) - y"}


def test_many_rows_that_are_alike_take_one_line() -> None:
    also = "coordinate Real p[3, 9]; kinetic many = sum(der(p[1, i])^2 + der(p[2, i])^2 for i in 1:9);"
    rows = "for i in 1:9 loop constraint v: der(p[1, i]) = p[2, i]*der(p[3, i]); end for;"
    (line,) = judged(rows, also=also, lengths="x").texts
    assert line == "v[1] / v[2] / v[3] / v[4] / 5 more: truly nonholonomic, growth vector (2, 3) at 3 points"


@pytest.mark.parametrize("stem", ["appell_hamel", "isokinetic_particle", "benenti"])
def test_chetaevs_rule_is_told_once_a_constraint(compiled: Callable[..., Any], stem: str) -> None:
    assert [d.code for d in compiled(stem).diagnostics].count("chetaev") == 1


# --- in a model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_qualifier_is_refused(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    expected = sorted(
        (i, s, c) for i, line in enumerate(lines, 1) for s, c in EXPECTED.findall(line.partition("//")[2])
    )
    with pytest.raises(ModelError) as caught:
        load_model(path)
    found = sorted(
        (d.span.source.position(d.span.start)[0], str(d.severity), d.code) for d in caught.value.diagnostics if d.span
    )
    assert found == expected, render_all(caught.value.diagnostics)


def test_a_refusal_says_why() -> None:
    with pytest.raises(ModelError, match=r"lead to 3 dimensions of positions \(growth vector \(2, 3\)"):
        judged("holonomic constraint c: der(z) = y*der(x);")
    with pytest.raises(ModelError, match=r"it keeps `x - 2\*y` constant"):
        judged("nonholonomic constraint c: der(x) = 2*der(y);")


DOWNHILL = """\
model Downhill
  parameter Mass m = 1;
  parameter Length r = 0.3;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0.2, rate = 0);
  coordinate Angle phi(start = 0);
  kinetic motion = m/2*der(x)^2 + m*r^2/4*der(phi)^2;
  potential gravity = -m*g*sin(20[deg])*x;
  constraint rolling: der(x) - r*der(phi) = 0;
end Downhill;
"""


def test_a_disc_straight_down_a_slope_err_03() -> None:
    model = load_model(text=DOWNHILL)
    (note,) = [d for d in model.diagnostics if d.code == "integrable"]
    assert "`x - r*phi`" in note.message and "1 degree of freedom" in note.message
    assert note.help is not None and "constraint rolling: x - r*phi = 0.2;" in note.help
    assert (model.summary.position_freedom, model.summary.velocity_freedom) == (1, 1)
    assert "holonomic in disguise" in str(model.summary)
    assert model.accelerations([0.2, 0.0], [0.0, 0.0])["der(der(x))"] == pytest.approx(2.23681174, rel=1e-7)
    written = DOWNHILL.replace("der(x) - r*der(phi) = 0", "x - r*phi = 0.2")
    again = load_model(text=written)
    assert again.diagnostics == ()
    assert again.accelerations([0.2, 0.0], [0.0, 0.0])["der(der(x))"] == pytest.approx(2.23681174, rel=1e-7)


def test_freedom_counts_hidden_integrals() -> None:
    model = load_model(text=text(DRIVE, also=SIZES, **DRIVEN))
    assert (model.summary.position_freedom, model.summary.velocity_freedom) == (4, 2)
    assert model.summary.to_json()["integrability"] == [
        "side, right, left: partly integrable, growth vector (2, 3, 4) at 3 points"
    ]


def test_linear_functions_need_no_sympy() -> None:
    code = "import sys, mbdc; mbdc.load_model(text=sys.stdin.read()); print('sympy' in sys.modules)"
    for model in (DOWNHILL, text(DRIVE, also=SIZES, **DRIVEN)):
        run = subprocess.run([sys.executable, "-c", code], input=model, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "False"


# --- text --------------------------------------------------------------------------------------------


def test_coefficients_as_text() -> None:
    symbols = ca.SX.sym("p", 3)
    a, b, c = ca.vertsplit(symbols)
    names = ("a", "b", "c[1]")
    cases = {
        "a": a, "2*a": a + a, "a*(b + c[1])": a * (b + c), "a - (b - c[1])": a - (b - c),
        "a/(b*c[1])": a / (b * c), "(a*b)^2": (a * b) ** 2, "-a": -a, "sqrt(a)": ca.sqrt(a),
        "2.5": ca.SX(2.5), "1/a": 1 / a, "a^-3": a**-3,
    }  # fmt: skip
    for wanted, value in cases.items():
        written = coefficient_text(value, symbols, names)
        assert written is not None
        expected, found = (eval_text(t, {"a": 0.7, "b": 1.3, "c[1]": 2.1}) for t in (wanted, written))
        assert found == pytest.approx(expected), (wanted, written)
    assert coefficient_text(ca.fabs(a), symbols, names) is None


def eval_text(written: str, values: dict[str, float]) -> float:
    """The value of arithmetic written in the operators of the language."""
    import sympy as sp

    for name, value in values.items():
        written = (
            written.replace(name, f"({value!r})") if "[" in name else re.sub(rf"\b{name}\b", f"({value!r})", written)
        )
    return float(sp.sympify(written.replace("^", "**")))


def test_sums_put_equal_coefficients_together() -> None:
    symbols = ca.SX.sym("p", 1)
    r = symbols[0]
    cases: list[tuple[list[Any], str, int]] = [
        ([ca.SX(1), -r], "x - r*y", 1),
        ([ca.SX(-1), r], "x - r*y", -1),
        ([-r, r, ca.SX(2)], "r*(x - y) - 2*z", -1),
        ([ca.SX(1), ca.SX(1), ca.SX(-1)], "x + y - z", 1),
        ([r, ca.SX(-1), ca.SX(-1)], "r*x - (y + z)", 1),
    ]
    for coefficients, wanted, sign in cases:
        found = sum_text(coefficients, ("x", "y", "z")[: len(coefficients)], symbols, ("r",))
        assert found is not None and (found.text, found.sign) == (wanted, sign)
