"""From classes to a flat model: what each construct of the language becomes, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from mbdc.dsl import flat
from mbdc.dsl.analyse import Analysis, analyse
from mbdc.dsl.diagnostics import render_all
from mbdc.dsl.show import show_flat
from mbdc.dsl.source import Source

MOVING = "coordinate Length x(start = 0);\nkinetic motion = 1[kg]/2*der(x)^2;\n"


def analysed(text: str, structure: Mapping[str, float | bool] | None = None, model: str | None = None) -> Analysis:
    return analyse(Source("<text>", text), model=model, structure=structure)


def flattened(text: str, structure: Mapping[str, float | bool] | None = None) -> flat.FlatModel:
    """The flat model of a text without mistakes."""
    analysis = analysed(text, structure)
    assert analysis.flat is not None and not analysis.has_errors, render_all(analysis.diagnostics)
    return analysis.flat


def lines(text: str, structure: Mapping[str, float | bool] | None = None) -> list[str]:
    """The flat model as text, a declaration or statement a line, units of types left out."""
    printed = re.sub(r'\(unit = "[^"]*"\)|, unit = "[^"]*"', "", show_flat(flattened(text, structure)))
    return [line.strip() for line in printed.splitlines()]


def model(body: str, before: str = "") -> str:
    return f"{before}\nmodel Main\n{MOVING}{body}\nend Main;\n"


def binding(body: str, name: str = "y", before: str = "") -> str:
    """What the declaration of `name` in a body becomes, without type and semicolon."""
    found = next(line for line in lines(model(body, before)) if f" {name} = " in line or f" {name}[" in line)
    return found.partition(" = ")[2].rstrip(";")


# --- components ------------------------------------------------------------------------------

PART = """
model Part
  parameter Mass m = 1;
  Length foot;
  coordinate Length z(start = 0);
  kinetic motion = m/2*der(z + foot)^2;
  constraint stop: z = foot;
end Part;
"""


def test_members_and_labels_of_a_component_get_its_path() -> None:
    told = lines(model("Part part(foot = x, m = 2);", PART))
    assert "parameter Mass part.m = 2;" in told
    assert "Length part.foot = x;" in told
    assert "kinetic part.motion = part.m/2*der(part.z + part.foot)^2;" in told
    assert "constraint part.stop: part.z = part.foot;" in told


def test_a_modification_is_looked_up_where_it_is_written() -> None:
    told = lines(model("Length foot = 2*x; Part part(foot = foot);", PART))
    assert "Length part.foot = foot;" in told


def test_a_modification_may_reach_deep_and_change_attributes() -> None:
    outer = PART + "model Outer Part part(foot = 0[m]); end Outer;"
    told = lines(model("Outer outer(part.z(start = 3), part(m = 5));", outer))
    assert "coordinate Length outer.part.z(start = 3);" in told
    assert "parameter Mass outer.part.m = 5;" in told


def test_components_are_listed_with_their_classes() -> None:
    flat_model = flattened(model("Part part[2](foot = x);\nFrame f(r = {x, 0, 0}, R = identity(3));", PART))
    assert flat_model.components == {"part[1]": "Part", "part[2]": "Part", "f": "Frame"}
    assert {v.component for v in flat_model.variables} == {"", "part[1]", "part[2]", "f"}


def test_an_array_of_components_takes_one_value_for_all_or_one_for_each() -> None:
    told = lines(model("Part part[2](m = {3, 4}, foot = x, z(start = {5, 6}));", PART))
    assert "parameter Mass part[1].m = 3;" in told
    assert "parameter Mass part[2].m = 4;" in told
    assert "Length part[2].foot = x;" in told
    assert "coordinate Length part[2].z(start = 6);" in told


def test_a_vector_for_a_vector_goes_to_all_and_a_matrix_row_by_row() -> None:
    vector = "model V Length r[2]; constraint c: r = {0, 0}; end V;"
    told = lines(model("V v[2](r = {x, 0}); V w[2](r = {{x, 1[m]}, {x, 2[m]}});", vector))
    assert "Length v[1].r[2] = {x, 0};" in told
    assert "Length w[2].r[2] = {x, 2[m]};" in told


def test_members_of_all_components_of_an_array_make_an_array() -> None:
    assert binding("Part part[2](foot = x); Length y[2] = part.z;", before=PART) == "{part[1].z, part[2].z}"
    assert binding("Part part[3](foot = x); Length y[2] = part[2:end].z;", before=PART) == ("{part[2].z, part[3].z}")


def test_nested_arrays_of_components() -> None:
    told = lines(model("Part part[2, 2](foot = x, m = {{1, 2}, {3, 4}}); Length y = part[2, 1].z;", PART))
    assert "parameter Mass part[2,1].m = 3;" in told
    assert "Length y = part[2,1].z;" in told


# --- inheritance -----------------------------------------------------------------------------


def test_a_base_comes_first_and_takes_modifications() -> None:
    base = "partial model Base parameter Mass m = 1; kinetic k = m*der(x)^2; coordinate Length x; end Base;"
    text = f"{base}\nmodel Main extends Base(m = 3); potential p = 1[N]*x; end Main;"
    assert lines(text)[1] == "parameter Mass m = 3;"


def test_modifications_from_outside_win_over_those_of_extends() -> None:
    base = "partial model Base parameter Mass m = 1; kinetic k = m*der(z)^2; coordinate Length z; end Base;"
    middle = "model Middle extends Base(m(min = 0) = 2); end Middle;"
    told = lines(model("Middle a; Middle b(m = 3);", f"{base}\n{middle}"))
    assert "parameter Mass a.m(min = 0) = 2;" in told
    assert "parameter Mass b.m(min = 0) = 3;" in told


def test_a_base_reached_over_two_ways_counts_once() -> None:
    text = """
    partial model Root coordinate Length x; kinetic k = 1[kg]*der(x)^2; end Root;
    partial model Left extends Root; end Left;
    partial model Right extends Root; end Right;
    model Main extends Left; extends Right; end Main;
    """
    assert len(flattened(text).statements.energies) == 1


def test_a_class_does_not_see_what_only_its_heirs_declare() -> None:
    text = """
    partial model Base kinetic k = m*der(x)^2; coordinate Length x; end Base;
    model Main extends Base; parameter Mass m = 1; end Main;
    """
    assert [d.code for d in analysed(text).diagnostics] == ["unknown-name"]


def test_nested_classes_are_found_and_inherited() -> None:
    text = """
    partial model Kit
      model Ball coordinate Length z; kinetic k = 1[kg]*der(z)^2; end Ball;
    end Kit;
    model Main extends Kit; Ball ball; end Main;
    """
    assert "coordinate Length ball.z;" in lines(text)


def test_a_final_modification_makes_a_parameter_final() -> None:
    told = lines(model("Part part(final m = 2, foot = x);", PART))
    assert "final parameter Mass part.m = 2;" in told


# --- records and frames ----------------------------------------------------------------------


def test_a_record_is_given_member_by_member() -> None:
    told = lines(model("Frame f = Frame(r = {x, 0, 0}, R = rotZ(0)); Frame g = f; Length y = g.r[1];"))
    assert 'Rotation f.R = rotZ(0) "attitude, body to world";' in told
    assert 'Rotation g.R = f.R "attitude, body to world";' in told
    assert "Length y = g.r[1];" in told


def test_a_record_of_a_component_is_given_from_outside() -> None:
    holder = "model Holder Frame frame; constraint c: frame.r[1] = 0; end Holder;"
    told = lines(model("Holder h(frame = Frame({x, 0, 0}, rotX(0)));\nHolder i(frame = h.frame);", holder))
    assert any(line.startswith("Length h.frame.r[3] = {x, 0, 0}") for line in told)
    assert any(line.startswith("Length i.frame.r[3] = h.frame.r") for line in told)


def test_one_member_of_a_given_record_may_be_replaced() -> None:
    told = lines(model("Frame f = Frame({x, 0, 0}, rotX(0));\nFrame g(r = {0, x, 0}) = f;"))
    assert any(line.startswith("Length g.r[3] = {0, x, 0}") for line in told)
    assert any(line.startswith("Rotation g.R = f.R") for line in told)


def test_a_record_may_be_a_parameter() -> None:
    pair = "record Pair Length a; Mass b; end Pair;"
    body = "parameter Pair p = Pair(a = 1, b = 2); potential v = p.b*p.a*x*1[1/s2];"
    told = lines(model(body, pair))
    assert "parameter Mass p.b = 2;" in told


def test_an_array_of_records() -> None:
    pair = "record Pair Length a; Mass b; end Pair;"
    body = "Pair p[2] = {Pair(a = 1, b = 2), Pair(a = 3, b = 4)}; potential v = sum(p.b)*x*1[m/s2];"
    told = lines(model(body, pair))
    assert "Length p[2].a = 3;" in told
    assert "potential v = sum({p[1].b, p[2].b})*x*1[m.s-2];" in told


def test_a_choice_between_records_is_made_member_by_member() -> None:
    body = "Frame f = Frame({x, 0, 0}, rotX(0)); Frame g = if time > 1[s] then f else Frame({0, x, 0}, rotZ(0));"
    told = lines(model(body))
    assert any("g.R = if time > 1[s] then f.R else rotZ(0)" in line for line in told)


# --- functions -------------------------------------------------------------------------------


def test_a_function_is_put_in() -> None:
    f = "function f input Real x; input Real k = 2; Real half = x/2; output Real y = k*half + half; end f;"
    assert binding("Real y = f(time/1[s]);", before=f) == "2*$1 + $1"
    assert binding("Real y = f(3, k = 5);", before=f) == "5*(3/2) + 3/2"
    assert binding("Real y = f(k = 5, x = 3);", before=f) == "5*(3/2) + 3/2"


def test_a_function_may_take_any_size_and_give_an_array() -> None:
    f = """
    function ends
      input Real v[:];
      constant Integer n = size(v, 1);
      output Real w[2] = {v[1], v[n]};
    end ends;
    """
    assert binding("Real y[2] = ends({7, 8, 9});", before=f) == "{7, 9}"
    assert binding("Real y[2] = ends({1});", before=f) == "{1, 1}"


def test_a_function_may_call_itself_where_the_end_is_known() -> None:
    f = "function f input Integer n; output Real y = if n <= 1 then 1 else n*f(n - 1); end f;"
    text = model("structural parameter Integer n = 4; Real a[f(n) - 20] = {1, 2, 3, 4};", f)
    assert "Real a[4] = {1, 2, 3, 4};" in lines(text)


def test_a_function_may_take_and_give_records() -> None:
    f = """
    function raised input Frame f; input Length h; output Frame g = Frame(f.r + {0, 0, h}, f.R); end raised;
    """
    told = lines(model("Frame f = Frame({x, 0, 0}, rotX(0)); Frame g = raised(f, 2[m]);", f))
    assert any("g.r[3] = f.r + {0, 0, 2[m]}" in line for line in told)


def test_a_literal_argument_has_the_dimension_that_the_function_declares() -> None:
    f = "function f input Length x; output Energy e = 1[N]*x; end f;"
    assert not analysed(model("potential p = f(2) + f(x);", f)).diagnostics


def test_equal_calls_of_functions_share_their_result() -> None:
    chain = "function f0 input Real x; output Real y = x; end f0;\n"
    for i in range(60):
        chain += f"function f{i + 1} input Real x; output Real y = f{i}(x) + f{i}(x); end f{i + 1};\n"
    flat_model = flattened(model("potential p = 1[J]*f60(x/1[m]);", chain))
    nodes: set[int] = set()
    waiting: list[flat.Expr] = [flat_model.statements.energies[1].value]
    while waiting:
        node = waiting.pop()
        if id(node) not in nodes:
            nodes.add(id(node))
            waiting.extend(flat.parts(node))
    assert len(nodes) < 100


# --- loops and branches ----------------------------------------------------------------------


def test_a_loop_repeats_statements_under_indexed_labels() -> None:
    body = "coordinate Length p[2]; for i in 1:2 loop constraint c: p[i] = i*x; force f: 1[N] on p[i]; end for;"
    told = lines(model(body))
    assert "constraint c[2]: p[2] = 2*x;" in told
    assert "force f[1]: 1[kg.m.s-2] on p[1];" in told


def test_nested_loops_have_two_indices() -> None:
    inner = "for j in i:2 loop limit l: p[i, j] >= 0; end for;"
    body = f"coordinate Length p[2, 2]; for i in 1:2 loop {inner} end for;"
    labels = [limit.name for limit in flattened(model(body)).statements.limits]
    assert labels == ["l[1,1]", "l[1,2]", "l[2,2]"]


def test_several_iterators_are_nested_loops() -> None:
    body = "coordinate Length p[2, 2]; for i in 1:2, j in i:2 loop limit l: p[i, j] >= 0; end for;"
    labels = [limit.name for limit in flattened(model(body)).statements.limits]
    assert labels == ["l[1,1]", "l[1,2]", "l[2,2]"]


def test_a_loop_declares_one_of_each_and_sees_those_of_other_rounds() -> None:
    body = """
    for i in 1:3 loop
      Part part(foot = if i == 1 then x else part[i - 1].z);
      Length twice = 2*part.z;
    end for;
    """
    told = lines(model(body + "Length last = part[end].z; Length all[3] = twice;", PART))
    assert "Length part[2].foot = part[1].z;" in told
    assert "Length twice[3] = 2*part[3].z;" in told
    assert "Length last = part[3].z;" in told
    assert "Length all[3] = {twice[1], twice[2], twice[3]};" in told


def test_a_branch_is_decided_before_the_run() -> None:
    body = """
    structural parameter Integer n = 2;
    if n > 2 then
      potential many = 1[N]*x;
    elseif n == 2 then
      potential two = 2[N]*x;
      Length h = x;
    else
      potential few = 3[N]*x;
    end if;
    """
    names = [e.name for e in flattened(model(body)).statements.energies]
    assert names == ["motion", "two"]
    assert [e.name for e in flattened(model(body), {"n": 5}).statements.energies] == ["motion", "many"]
    assert [e.name for e in flattened(model(body), {"n": 0}).statements.energies] == ["motion", "few"]


def test_a_choice_that_can_be_decided_is_gone() -> None:
    assert binding("constant Boolean b = true; Real y = if b then time/1[s] else 1/0;") == "time/1[s]"
    assert binding("parameter Boolean b = true; Real y = if b then 1 else 2;") == "if b then 1 else 2"


def test_sums_comprehensions_and_ranges() -> None:
    assert binding("Real y = sum(i*j for i in 1:2, j in i:2);") == "sum({1*1, 1*2, 2*2})"
    assert binding("Real y = sum(i for i in 1:0);") == "0"
    assert binding("Real y = product(i for i in 1:0);") == "1"
    assert binding("Real y[3] = {i^2 for i in 1:3};") == "{1^2, 2^2, 3^2}"
    assert binding("Real y[2, 2] = {{i + j for j in 1:2} for i in {5, 7}};") == "{{5 + 1, 5 + 2}, {7 + 1, 7 + 2}}"
    assert binding("Real y[11] = {t for t in 0:0.1:1};").count(",") == 10
    assert binding("parameter Real k[2] = {1, 2}; Real y = sum(v^2 for v in k);") == "sum({k[1]^2, k[2]^2})"


# --- indices ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "became"),
    [
        ("p[end]", "p[3]"),
        ("p[end - 1]", "p[2]"),
        ("p[2:3]", "p[2:3]"),
        ("p[{3, 1}]", "p[{3, 1}]"),
        ("p[end:-1:1]", "p[{3, 2, 1}]"),
        ("A[2, :]", "A[2, :]"),
        ("A[:, end]", "A[:, 2]"),
        ("A[2]", "A[2]"),
        ("A[end, end]", "A[2, 2]"),
        ("{x, 2*x}[2]", "2*x"),
        ("(p + p)[end]", "(p + p)[3]"),
        ("p[:]", "p"),
    ],
)
def test_indices(written: str, became: str) -> None:
    declared = "parameter Length p[3] = {1, 2, 3}; parameter Length A[2, 2] = {{1, 2}, {3, 4}};"
    flat_model = flattened(model(f"{declared} potential v = 1[N]*sum({{{written}*1}});"))
    printed = show_flat(flat_model)
    assert f"sum({{{became}*1}})" in printed or f"sum({{({became})*1}})" in printed


def test_a_matrix_is_an_array_of_rows() -> None:
    assert binding("Real y[2, 2] = [1, 2; 3, 4];") == "{{1, 2}, {3, 4}}"


def test_a_size_may_follow_from_the_value() -> None:
    told = lines(model("parameter Real k[:] = {1, 2, 3}; Real y[size(k, 1)] = 2*k;"))
    assert "Real y[3] = 2*k;" in told


def test_rotations_in_arrays_are_split() -> None:
    body = """
    coordinate Rotation S[2](start = {identity(3), rotX(1)}, rate = {0, 0, 1});
    Real y = S[2][1, 3] + S[1, 2, 2];
    potential p = 1[J]*y;
    """
    told = lines(model(body))
    assert "coordinate Rotation S[2](start = rotX(1), rate = {0, 0, 1});" in told
    assert "Real y = S[2][1, 3] + S[1][2, 2];" in told
    assert [v.dimensions for v in flattened(model(body)).variables if v.base == "Rotation"] == [(), ()]


# --- structure, units, types -----------------------------------------------------------------


def test_structural_values_may_come_from_outside() -> None:
    text = model("structural parameter Integer n = 2; structural parameter Boolean b = false; Real y[n] = zeros(n);")
    assert flattened(text).structure == {"n": 2, "b": False}
    changed = flattened(text, {"n": 4, "b": True})
    assert changed.structure == {"n": 4, "b": True}
    assert next(v.dimensions for v in changed.variables if v.name == "y") == (4,)


def test_a_size_may_follow_from_final_parameters_of_parts() -> None:
    part = "model P structural parameter Integer n = 1; final parameter Integer m = 2*n; end P;"
    told = lines(model("P p(n = 3); Real y[p.m] = zeros(6);", part))
    assert "Real y[6] = zeros(6);" in told


def test_a_parameter_without_value_may_get_it_from_outside() -> None:
    text = model("parameter Force k; potential p = k*x;")
    assert [d.code for d in analysed(text).diagnostics] == ["parameter-without-value"]
    assert "parameter Force k = 3;" in lines(text, {"k": 3.0})


def test_unit_literals_become_si() -> None:
    assert binding("parameter Angle y = 90[deg];") == "1.5707963267948966[1]"
    assert binding("parameter Pressure y = 2.5[kPa];") == "2500[kg.m-1.s-2]"
    assert binding("parameter Temperature y = -5[degC];") == "268.15[K]"
    assert binding("parameter Length y = -5[mm];") == "-0.005[m]"


def test_types_are_followed_to_their_base() -> None:
    types = "type Width = Length(min = 0, max = 9); type Narrow = Width(max = 1);"
    told = lines(model("parameter Narrow w(nominal = 2) = 0.5; potential p = 1[N]*w;", types))
    assert "parameter Narrow w(nominal = 2, max = 1, min = 0) = 0.5;" in told


# --- inner and outer -------------------------------------------------------------------------

WEIGHT = """
model Weight
  outer World world;
  coordinate Length z;
  kinetic k = 1[kg]*der(z)^2;
  potential p = 1[kg]*world.g*z;
end Weight;
"""


def test_parts_share_the_inner_world_of_the_model() -> None:
    told = lines(model("inner World world(g = 1.62); Weight a; Weight b;", WEIGHT))
    assert any(line.startswith("parameter Acceleration world.g = 1.62") for line in told)
    assert "potential b.p = 1[kg]*world.g*b.z;" in told


def test_the_nearest_inner_is_meant() -> None:
    planet = WEIGHT + "model Planet inner World world(g = 2); Weight w; end Planet;"
    told = lines(model("inner World world; Weight a; Planet planet;", planet))
    assert "potential a.p = 1[kg]*world.g*a.z;" in told
    assert "potential planet.w.p = 1[kg]*planet.world.g*planet.w.z;" in told


def test_without_an_inner_world_there_is_one_default() -> None:
    analysis = analysed(model("Weight a; Weight b;", WEIGHT))
    assert [d.code for d in analysis.diagnostics] == ["default-world"]
    assert analysis.flat is not None
    assert [v.name for v in analysis.flat.variables].count("world.g") == 1


# --- reactions -------------------------------------------------------------------------------


def test_labels_of_parts_and_loops_are_found() -> None:
    body = """
    Part part(foot = x), parts[2](foot = x);
    for i in 1:2 loop
      limit up: x <= i*1[m];
      output Force own = reaction(up);
      output Force first = reaction(up[1]);
    end for;
    output Force a = reaction(part.stop);
    output Force b = reaction(parts[2].stop, parts[2].z);
    output Force c = reaction(up[2]);
    """
    told = lines(model(body, PART))
    assert "output Force own[2] = reaction(up[2]);" in told
    assert "output Force first[2] = reaction(up[1]);" in told
    assert "output Force a = reaction(part.stop);" in told
    assert "output Force b = reaction(parts[2].stop, parts[2].z);" in told
    assert "output Force c = reaction(up[2]);" in told


def test_a_part_names_its_own_constraints() -> None:
    part = """
    model P
      coordinate Length z;
      kinetic k = 1[kg]*der(z)^2;
      constraint c: z = 0;
      output Force f = reaction(c);
    end P;
    """
    assert "output Force p.f = reaction(p.c);" in lines(model("P p;", part))


# --- the model as a whole --------------------------------------------------------------------


def test_the_last_model_that_is_not_partial_is_run() -> None:
    text = model("") + "partial model Later coordinate Length z; end Later;"
    assert flattened(text).name == "Main"


def test_another_model_may_be_named() -> None:
    text = model("", PART)
    analysis = analysed(text, model="Part")
    assert analysis.flat is not None and analysis.flat.name == "Part"
    told = analysed(text, model="Mian").diagnostics
    assert [d.code for d in told] == ["unknown-model"] and told[0].help == "did you mean `Main`?"


def test_classes_that_are_not_used_are_looked_at_too() -> None:
    text = model("", "model Unused coordinate Length z; kinetic k = 1[kg]*der(q)^2; end Unused;")
    assert [d.code for d in analysed(text).diagnostics] == ["unknown-name"]


def test_what_only_a_user_can_give_may_miss_in_a_class_not_used() -> None:
    open_class = """
    partial model Open
      structural parameter Integer n;
      Length r[n];
      outer World world;
      for i in 1:n loop
        Length h = r[i];
      end for;
      kinetic k = 1[kg]*der(r)*der(r) + 1[kg*m2/s2]*sum(r[i]*r[i] for i in 1:n)/1[m2];
      potential p = 1[kg]*world.g*h[1];
    end Open;
    """
    assert not analysed(model("", open_class)).diagnostics


def test_the_experiment_is_read_and_inherited() -> None:
    base = "partial model Base annotation(experiment(StopTime = 2[min], Tolerance = 1e-6)); end Base;"
    text = model("extends Base; annotation(experiment(Interval = 0.5));", base)
    experiment = flattened(text).experiment
    assert (experiment.stop_time, experiment.interval, experiment.tolerance) == (120.0, 0.5, 1e-6)


def test_all_mistakes_are_told_in_one_go() -> None:
    body = """
    parameter Lenght L = 1;
    potential p = 1[N]*q;
    potential r = 1[N]*x + 1[kg];
    limit low(bounce = 1): x >= 0;
    Part part(mm = 3);
    """
    told = [d.code for d in analysed(model(body, PART)).diagnostics]
    assert told == [
        "unknown-type",
        "unknown-name",
        "dimension-clash",
        "unknown-option",
        "no-value",
        "unknown-member",
    ]


def test_a_mistake_in_a_part_is_told_once_however_often_it_is_used() -> None:
    part = "model P coordinate Length z; kinetic k = 1[kg]*der(q)^2; end P;"
    assert [d.code for d in analysed(model("P p[20]; P q1; P q2;", part)).diagnostics] == ["unknown-name"]


def test_a_chain_of_three_hundred_parts_is_flattened_whole() -> None:
    body = "for i in 1:300 loop Part part(foot = if i == 1 then x else part[i - 1].z); end for;"
    flat_model = flattened(model(body, PART))
    assert len(flat_model.variables) == 1 + 300 * 3
    assert len(flat_model.statements.constraints) == 300


def test_every_shipped_model_is_flattened() -> None:
    models = sorted((Path(__file__).parents[1] / "models").glob("*.mbd"))
    assert models
    for path in models:
        source = Source(path.name, path.read_text(encoding="utf-8"), path)
        assert not analyse(source).has_errors, path.name
