"""The checker: shapes, dimensions, what operators become, and what may depend on what."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mbdc.dsl import flat, program
from mbdc.dsl.builtins import FUNCTIONS
from mbdc.dsl.check import check
from mbdc.dsl.diagnostics import Diagnostic, Severity, render_all
from mbdc.dsl.dimension import ENERGY, ONE, Dimension
from mbdc.dsl.flatten import flatten
from mbdc.dsl.functions import BUILTINS
from mbdc.dsl.link import link
from mbdc.dsl.parse import parse
from mbdc.dsl.program import OPERATIONS, Program
from mbdc.dsl.source import Source, Span
from mbdc.dsl.statements import Experiment, Statements
from mbdc.dsl.units import parse_unit

PLANE = """
  parameter Mass m = 1; parameter Inertia J = 2; parameter Length L = 1;
  coordinate Length x, y, z; coordinate Angle th; coordinate Rotation S; coordinate Length p[3];
  kinetic T = m/2*(der(x)^2 + der(y)^2 + der(z)^2 + der(p)*der(p)) + J/2*der(th)^2
    + J/2*angularVelocity(S)*angularVelocity(S);
"""


def analysed(body: str, path: Path | None = None) -> tuple[Program | None, list[Diagnostic]]:
    source = Source("test.mbd", f"model Test\n{PLANE}{body}\nend Test;\n", path)
    library, diagnostics = link(source, parse)
    model, more = flatten(library)
    assert model is not None
    checked, last = check(model)
    told = [d for d in [*diagnostics, *more, *last] if not d.code.startswith("unused")]
    return checked, told


def checked(body: str) -> Program:
    """The program of a body in which nothing is wrong."""
    result, diagnostics = analysed(body)
    told = [d for d in diagnostics if d.severity is not Severity.NOTE]
    assert result is not None and not told, render_all(told)
    return result


def codes(body: str) -> list[str]:
    return [d.code for d in analysed(body)[1] if d.severity is not Severity.NOTE]


def binding(body: str, name: str = "e") -> program.Expr:
    found = checked(body).variables[name].binding
    assert found is not None
    return found


def unit_of(body: str, name: str = "e") -> str:
    return checked(body).variables[name].unit


# --- operators -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "operation", "shape"),
    [
        ("x*y", "multiply", ()), ("x*p", "scale", (3,)), ("p*x", "scale", (3,)), ("p*p", "dot", ()),
        ("S*p", "matvec", (3,)), ("p*S", "vecmat", (3,)), ("S*S", "matmul", (3, 3)), ("p/x", "shrink", (3,)),
        ("x/y", "divide", ()), ("p .* p", "multiply", (3,)), ("x .* p", "scale", (3,)),
        ("p ./ p", "divide", (3,)),
        ("p ./ x", "shrink", (3,)), ("1 ./ p", "divide", (3,)), ("x^2", "raise", ()),
        ("S^3", "matpower", (3, 3)),
        ("-p", "negate", (3,)), ("p + p", "add", (3,)), ("p - p", "subtract", (3,)), ("min(x, y)", "min", ()),
        ("max(p)", "maximum", ()), ("cross(p, p)", "cross", (3,)), ("transpose(S)", "transpose", (3, 3)),
        ("skew(p)", "skew", (3, 3)), ("diagonal(p)", "diagonal", (3, 3)), ("norm(p)", "norm", ()),
        ("sum(p)", "sum", ()), ("sin({th, 2*th})", "sin", (2,)), ("zeros(2, 3)", "zeros", (2, 3)),
        ("angularVelocity(S)", "angularVelocity", (3,)), ("eulerZYX(S)", "eulerZYX", (3,)),
        ("interpolate({0, 1}, {2, 3}, th)", "interpolate", ()), ("rotAxis(p, th)", "rotAxis", (3, 3)),
    ],
)  # fmt: skip
def test_operators_are_told_apart_by_shapes(expression: str, operation: str, shape: tuple[int, ...]) -> None:
    sizes = f"[{', '.join(map(str, shape))}]" if shape else ""
    node = binding(f"  Real e{sizes} = {expression};")
    assert isinstance(node, program.Apply)
    assert node.operation == operation
    assert node.operation in OPERATIONS
    assert node.type.shape == shape


def test_every_function_of_the_language_has_a_rule() -> None:
    assert set(BUILTINS) == FUNCTIONS


@pytest.mark.parametrize(
    "expression",
    ["p + x", "p*{1, 2}", "S*{1, 2}", "2/p", "p^2", "S^0.5", "cross({x, y}, p)", "transpose(p)", "{p, x}",
     "S + p", "atan2(p, p)", "if x > L then p else x"],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(expression: str) -> None:
    told = codes(f"  Real e = {expression};")
    assert len(told) == 1
    assert told[0] in ("shape-mismatch", "exponent-not-constant", "index-out-of-range")


def test_a_comparison_chain_and_logic_are_conditions() -> None:
    node = binding("  Real e = if x > L and not (y < L or z >= L) then 1 else 0;")
    assert isinstance(node, program.Conditional)
    assert node.condition.type.kind == "boolean"


# --- dimensions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "unit"),
    [
        ("x*y", "m2"), ("der(x)", "m/s"), ("der(der(x))", "m/s2"), ("sqrt(x^2 + y^2)", "m"),
        ("x^(1/2)*x^0.5", "m"),
        ("m*der(x)^2", "N.m"), ("norm({x, y, 2})", "m"), ("atan2(y, 3)", "1"), ("max(x, 0)", "m"),
        ("sum({x, 1, y})", "m"), ("product({x, y, z})", "m3"), ("p*p", "m2"), ("sign(x)", "1"),
        ("abs(x)", "m"),
        ("p[2]", "m"), ("if x > 0 then 0 else y", "m"), ("interpolate({0, 1}, {0[N], 1[N]}, x/L)", "N"),
        ("2*pi*L", "m"), ("10[m]*sin(time*1[rad/s])", "m"), ("x/0.5", "m"), ("1/x", "1/m"),
        ("x^(-2)", "1/m2"),
        ("identity(2)*{x, y}*{x, y}", "m2"), ("{x, th}*diagonal({m, J})*{x, th}", "kg.m2"),
    ],
)  # fmt: skip
def test_units_of_plain_reals_follow(expression: str, unit: str) -> None:
    body = f"  Real e = {expression};"
    assert unit_of(body) == unit


def test_zeros_fit_every_dimension() -> None:
    body = """
  Real v[3] = {der(x), der(y), der(th)};
  Real M[3, 3] = diagonal({m, m, J});
  Real N[3, 3] = [m, 0, 0; 0, m, 0; 0, 0, J];
  Energy e = v*M*v/2 + v*N*v/2 + v*identity(3)*M*v/2 + 0;
"""
    assert checked(body).variables["e"].type.dimensions == (ENERGY,)


def test_a_literal_takes_the_dimension_it_meets() -> None:
    program_ = checked("  constraint c: {x, y, z} = {0, -1.5, 2*pi};")
    (constraint,) = program_.statements.constraints
    assert constraint.right.type.dimensions == (parse_unit("m").dimension,)
    assert isinstance(constraint.right, program.Stack)
    assert constraint.right.items[1].type.dimension() == parse_unit("m").dimension


def test_dimensions_are_kept_by_element() -> None:
    found = checked("  Real e[3] = {x, th, m};").variables["e"]
    assert found.type.dimensions == (parse_unit("m").dimension, ONE, parse_unit("kg").dimension)
    assert checked("  Real e[3] = {x, th, m}; Real f = e[3]*2;").variables["f"].unit == "kg"


def test_a_constant_can_be_an_exponent_and_a_parameter_cannot() -> None:
    assert unit_of("  constant Integer n = 3; Real e = x^n;") == "m3"
    assert codes("  parameter Integer n = 3; Real e = x^n;") == ["exponent-not-constant"]
    assert unit_of("  parameter Integer n = 3; Real e = (x/L)^n;") == "1"


def test_irrational_power_of_a_quantity_is_refused() -> None:
    assert codes("  Real e = x^pi;") == ["exponent-not-constant"]
    assert unit_of("  Real e = (x/L)^pi;") == "1"


def test_each_mistake_is_told_once() -> None:
    body = "  Real a = x + m; Real b = a*a + L; Real c = sin(b) + a; constraint k: c = a;"
    assert codes(body) == ["dimension-clash"]


def test_a_model_of_plain_numbers_warns_and_passes() -> None:
    body = "  coordinate Real q; kinetic E = der(q)^2/2; potential V = q^2/2; force f: -q on q;"
    program_, diagnostics = analysed(body)
    assert program_ is not None
    assert {d.code for d in diagnostics} == {"plain-number"}


def test_a_clash_in_an_array_names_the_element() -> None:
    (told,) = [d for d in analysed("  constraint c: {x, m} = {L, L};")[1] if d.code == "dimension-clash"]
    assert "element 2" in told.message


# --- literals that are no numbers ------------------------------------------------------------


@pytest.mark.parametrize("expression", ["1/0", "10^1e9", "sqrt(-1)", "log(0)", "x/0", "0*x + exp(1e4)", "(-8)^0.5"])
def test_values_that_are_not_finite_are_told(expression: str) -> None:
    assert codes(f"  Real e = {expression};") == ["not-finite"]


def test_a_branch_that_is_never_taken_may_divide_by_zero() -> None:
    body = "  constant Real k = 0; Real e = if k == 0 then 1 else 1/k;"
    assert codes(body) == []


def test_sizes_are_bounded() -> None:
    for size in ("1000000000", "100001", "1000, 1000"):
        assert codes(f"  Real e = sum(zeros({size}));") == ["too-large"]


# --- what depends on what --------------------------------------------------------------------


def test_reactions_have_shapes_and_dimensions() -> None:
    body = """
  constraint rod: x^2 + y^2 = L^2;
  constraint pin: p = {x, y, z};
  constraint roll: der(z) = L*der(th);
  limit stop: x <= 2*L;
  Real a = reaction(rod); Real b[3] = reaction(pin); Real c = reaction(roll); Real d = reaction(stop);
  Real f = reaction(rod, x); Real g[3] = reaction(pin, S); Real h[3] = reaction(pin, p);
"""
    units = {name: checked(body).variables[name].unit for name in "abcdfgh"}
    assert units == {"a": "N/m", "b": "N", "c": "N", "d": "N", "f": "N", "g": "N.m", "h": "N"}


def test_a_flow_is_a_velocity() -> None:
    body = "  input Force F; input Torque M[3]; force a: F on x; force b: M on S; force c: {F, 0, 0} on p;"
    forces = {force.name: force for force in checked(body).statements.forces}
    assert isinstance(forces["a"].flow, program.Derivative)
    assert isinstance(forces["b"].flow, program.Apply) and forces["b"].flow.operation == "angularVelocity"
    assert forces["b"].flow.type.shape == forces["b"].effort.type.shape == (3,)


def test_states_are_those_whose_rate_is_taken() -> None:
    body = """
  parameter Resistance R = 1; parameter Inductance H = 1; input Voltage u;
  Current i(start = 0); Voltage drop;
  equation coil: H*der(i) = u - drop;
  equation ohm: drop = R*i;
"""
    variables = checked(body).variables
    assert variables["i"].is_state and not variables["drop"].is_state


def test_attributes_have_the_shape_of_their_variable() -> None:
    variables = checked("  coordinate Length q[2](start = 1, rate = {1, 2});").variables
    assert variables["q"].attributes["start"].type.shape == (2,)
    assert variables["q"].attributes["rate"].type.shape == (2,)
    assert variables["q"].attributes["rate"].type.dimension() == parse_unit("m/s").dimension


def test_a_rotation_stays_one_through_products() -> None:
    body = "  Rotation Q = transpose(S)*rotX(th)*(if x > 0 then identity(3) else [0, -1, 0; 1, 0, 0; 0, 0, 1]);"
    assert checked(body).variables["Q"].type.shape == (3, 3)
    assert codes("  Rotation Q = S + S;") == ["not-a-rotation"]


def test_cycles_are_told_with_their_chain() -> None:
    told = analysed("  Length a = b + x; Length b = c; Length c = 2*a; Length d = a;")[1]
    (cycle,) = [d for d in told if d.code == "cyclic-definition"]
    assert "a -> b -> c -> a" in cycle.message
    assert len(cycle.related) == 2


def test_definitions_may_stand_in_any_order() -> None:
    assert unit_of("  Real e = later*later; Real later = x + L;") == "m2"


# --- tables ----------------------------------------------------------------------------------


def table_codes(tmp_path: Path, content: str, column: str = "force") -> list[str]:
    (tmp_path / "pull.csv").write_text(content, encoding="utf-8")
    body = f'  input Force F = table("pull.csv", "{column}", time); force f: F on x;'
    return [d.code for d in analysed(body, tmp_path / "test.mbd")[1] if d.severity is not Severity.NOTE]


def test_tables_are_read(tmp_path: Path) -> None:
    assert table_codes(tmp_path, "time,force\n0,1\n1,2.5\n\n2,3e1\n") == []
    assert table_codes(tmp_path, "time;force\n0;1\n1;2\n") == []
    assert table_codes(tmp_path, '"time","force"\n0,1\n1,2\n') == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("time,pull\n0,1\n1,2\n", "table-column"), ("time,force\n0,1\n1,two\n", "table-value"),
        ("time,force\n0,1\n1\n", "table-value"), ("time,force\n0,1\n0,2\n", "table-order"),
        ("time,force\n0,1\n", "table-unreadable"), ("", "table-column"),
        ("time,force\n0,1\n1,inf\n", "table-value"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_told(tmp_path: Path, content: str, code: str) -> None:
    assert table_codes(tmp_path, content) == [code]


# --- size and depth --------------------------------------------------------------------------

SPAN = Span(Source("made", "x"), 0, 1)


def declared(name: str, kind: flat.VariableKind, value: flat.Expr | None) -> flat.VariableDeclaration:
    return flat.VariableDeclaration(
        name=name, kind=kind, base="Real", type_name="Length", unit="m", dimensions=(), attributes={},
        binding=value, final=False, structural=False, description="", span=SPAN,
    )  # fmt: skip


def made(*variables: flat.VariableDeclaration) -> flat.FlatModel:
    return flat.FlatModel(
        name="Made", description="", source=SPAN.source, span=SPAN, variables=variables,
        statements=Statements(), experiment=Experiment(), structure={}, components={},
    )  # fmt: skip


def test_long_chains_deep_nesting_and_shared_nodes_pass() -> None:
    """Neither Python's stack nor time bounds them: 2^200 paths lead through the shared nodes."""
    chain = [declared("x0", "coordinate", None)]
    for i in range(1, 3000):
        before = flat.Variable(f"x{i - 1}", span=SPAN)
        chain.append(declared(f"x{i}", "plain", flat.Binary("+", before, flat.Number(1.0, span=SPAN), span=SPAN)))
    deep: flat.Expr = flat.Variable("x0", span=SPAN)
    shared: flat.Expr = deep
    for _ in range(3000):
        deep = flat.Unary("-", deep, span=SPAN)
    for _ in range(200):
        shared = flat.Binary("+", shared, shared, span=SPAN)
    start = time.process_time()
    result, told = check(made(*reversed(chain), declared("deep", "plain", deep), declared("shared", "plain", shared)))
    assert result is not None and not told
    assert time.process_time() - start < 60  # not a measurement: exponential work would never end


def test_shapes_and_dimensions_of_the_program_hold_together() -> None:
    length = Dimension((1, 0, 0, 0, 0, 0, 0))
    variables = checked("  Length e[3] = S*{x, 0, L};").variables
    assert variables["e"].type == program.Type((3,), (length,))
