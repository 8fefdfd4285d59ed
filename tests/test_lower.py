"""Each rule of `lower` against a value worked out independently: differences in NumPy, closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from program_builder import (
    TIME,
    Build,
    E,
    State,
    call,
    cross,
    der,
    either,
    f,
    lookup,
    random_state,
    reaction,
    relation,
    rot,
    spin,
    state,
    wrap,
)

from mbdc.compiler.lower import lower
from mbdc.compiler.mechanics import MechanicalSystem, SettingError
from mbdc.dsl.diagnostics import ModelError


def value(at: State, name: str) -> Any:
    """A recorded quantity in a state, in its own shape."""
    (quantity,) = (q for q in at.system.quantities if q.name == name)
    return np.reshape(at(quantity.value), quantity.type.shape)


def codes(build: Build) -> list[str]:
    """The codes of the errors that a program gives."""
    with pytest.raises(ModelError) as caught:
        lower(build.program())
    return [d.code for d in caught.value.diagnostics]


def skew(v: Any) -> Any:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def quaternion_matrix(q: Any) -> Any:
    """The textbook formula for unit (w, x, y, z), written apart from the one under test."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn(axis: int, angle: float) -> Any:
    """A rotation about an axis of the frame, by its plane."""
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[[i, i, j, j], [i, j, i, j]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return matrix


def moved(at: State, dt: float) -> State:
    """The state a short time later, along v and a held constant (the attitudes by small steps)."""
    v, a = at.values["v"], at.values["a"]
    q = np.array(at.values["q"], dtype=float)
    for c in at.system.coordinates:
        if c.is_rotation:
            q[c.q] = _turned(q[c.q], v[c.v], a[c.v], dt)
        else:
            q[c.q] += v[c.v] * dt + a[c.v] * dt**2 / 2
    w = at.values["unknowns"] + at.values["unknown_rates"] * dt
    changed = {"q": q, "v": v + a * dt, "time": at.values["time"] + dt, "unknowns": w}
    return State(at.system, at.values | changed)


def _turned(q: Any, v: Any, a: Any, dt: float, steps: int = 8) -> Any:
    def rate(q: Any, t: float) -> Any:
        w = v + a * t
        return 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])

    h = dt / steps
    for i in range(steps):
        t = i * h
        k1 = rate(q, t)
        k2 = rate(q + h / 2 * k1, t + h / 2)
        k3 = rate(q + h / 2 * k2, t + h / 2)
        k4 = rate(q + h * k3, t + h)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return q


def body(build: Build, name: str = "x", shape: tuple[int, ...] = (), **attributes: Any) -> E:
    """A coordinate with unit inertia."""
    x = build.coordinate(name, shape, **attributes)
    build.kinetic(0.5 * (der(x) * der(x) if len(shape) == 1 else der(x) ** 2), f"of {name}")
    return x


def turning(build: Build, name: str = "S", **attributes: Any) -> E:
    """A `Rotation` with unit inertia."""
    s = build.rotation(name, **attributes)
    build.kinetic(0.5 * (spin(s) * spin(s)), f"of {name}")
    return s


# --- values --------------------------------------------------------------------------------------


def test_operations_have_their_meaning() -> None:
    b = Build()
    p, m = body(b, "p", (3,)), b.parameter("M", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x, n = p[0], wrap([0.3, -0.2, 0.9])
    k = wrap([[0.1, 0.7], [0.2, -0.4]])
    cases: dict[str, tuple[E, Callable[[Any], Any]]] = {
        "sum": (call("sum", (), p), lambda p: p.sum()),
        "product": (call("product", (), p), lambda p: p.prod()),
        "norm": (call("norm", (), p), np.linalg.norm),
        "cross": (cross(p, n), lambda p: np.cross(p, [0.3, -0.2, 0.9])),
        "skew": (call("skew", (3, 3), p), skew),
        "dot": (p * n, lambda p: p @ [0.3, -0.2, 0.9]),
        "matvec": (m * p, lambda p: np.array([[1, 2, 3], [4, 5, 6]]) @ p),
        "vecmat": (p[0:2] * m, lambda p: p[:2] @ np.array([[1, 2, 3], [4, 5, 6]])),
        "transpose": (call("transpose", (3, 2), m), lambda p: np.array([[1, 4], [2, 5], [3, 6]])),
        "diagonal": (call("diagonal", (3, 3), p), np.diag),
        "matpower": (
            call("matpower", (2, 2), k, 5),
            lambda p: np.linalg.matrix_power([[0.1, 0.7], [0.2, -0.4]], 5),
        ),
        "identity": (call("identity", (3, 3)), lambda p: np.eye(3)),
        "ones": (call("ones", (2, 3)), lambda p: np.ones((2, 3))),
        "zeros": (call("zeros", (0,)), lambda p: np.zeros(0)),
        "empty sum": (call("sum", (), call("zeros", (0,))), lambda p: 0.0),
        "row": (m[1, :], lambda p: np.array([4, 5, 6])),
        "column": (m[:, 2], lambda p: np.array([3, 6])),
        "block": (m[0:2, 1:3], lambda p: np.array([[2, 3], [5, 6]])),
        "one row": (m[1:2, :], lambda p: np.array([[4, 5, 6]])),
        "min": (call("min", (), p[0], p[1]), lambda p: min(p[:2])),
        "maximum": (call("maximum", (), p), max),
        "atan2": (call("atan2", (), p[0], p[1]), lambda p: np.arctan2(p[0], p[1])),
        "if": (either(x < p[1], [1.0, x], [p[1], 2.0]), lambda p: [1, p[0]] if p[0] < p[1] else [p[1], 2]),
        "untaken": (either(x < 10.0, 1.0, f("log", x - 20.0)), lambda p: 1.0),
        "logic": (relation("and", x < 10.0, relation("not", x < -10.0)), lambda p: 1.0),
        "stack": (wrap([[x, 2.0], [3.0, p[1]]]), lambda p: [[p[0], 2], [3, p[1]]]),
    }  # fmt: skip
    for name, (expression, _) in cases.items():
        b.define(name, expression)
    at = random_state(lower(b.program()))
    for name, (_, meaning) in cases.items():
        np.testing.assert_allclose(value(at, name), meaning(at.values["q"]), atol=1e-14, err_msg=name)


def test_interpolation_is_linear_and_held_at_the_ends() -> None:
    b = Build()
    x = body(b)
    xs, ys = [-0.5, 0.1, 0.4, 2.0], [1.0, -1.0, 3.0, 2.5]
    b.define("tabled", lookup(xs, ys, x))
    b.define("called", call("interpolate", (), wrap(xs), wrap(ys), x))
    system = lower(b.program())
    for at in np.linspace(-2, 3, 41):
        here = state(system, q=[at])
        assert value(here, "tabled") == pytest.approx(np.interp(at, xs, ys), abs=1e-14)
        assert value(here, "called") == pytest.approx(np.interp(at, xs, ys), abs=1e-14)


def test_euler_angles_are_read_back() -> None:
    b = Build()
    angles = body(b, "angles", (3,))
    attitude = rot("Z", angles[0]) * rot("Y", angles[1]) * rot("X", angles[2])
    b.define("read", call("eulerZYX", (3,), attitude))
    at = state(lower(b.program()), q=[2.5, -1.2, -3.0])
    np.testing.assert_allclose(value(at, "read"), [2.5, -1.2, -3.0], atol=1e-14)


# --- rates ---------------------------------------------------------------------------------------


def moving_expressions(b: Build) -> dict[str, E]:
    """One expression, or a few, for each rule of differentiation."""
    p, x = body(b, "p", (3,)), body(b, "x")
    s = turning(b)
    k = b.parameter("k", 1.7)
    c = b.define("C", p + s * wrap([x, f("sin", x), k]))
    positive = 2.0 + x * p[0]
    square = wrap([[x, p[0]], [p[1], 1.0]])
    return {
        "named": c,
        "twice": c * c,
        "linear": call("sum", (), call("transpose", (3, 3), call("skew", (3, 3), p)) * p) - (-x),
        "bilinear": cross(c, p) * (p * s),
        "product": call("product", (), p),
        "quotient": p / positive,
        "shared": x / (x * x + 1.0),
        "power": positive**2.5 + (-positive) ** 3 + positive ** p[1] + x**k,
        "elementary": f("exp", f("sin", p)) * f("cos", p) + f("tan", x) + f("log", positive),
        "inverse": f("asin", 0.3 * x) + f("acos", 0.3 * x) + f("atan", x) + f("sqrt", positive),
        "hyperbolic": f("sinh", x) + f("cosh", x) + f("tanh", x) + f("log10", positive),
        "atan2": call("atan2", (), positive, x) + call("norm", (), p),
        "kinks": f("abs", x) + call("min", (), x, p[0]) + call("maximum", (), p),
        "steps": f("sign", x) * p[0] + f("floor", x + 0.5) * x,
        "if": either(x < 0.0, x * p[0], p[1] * p[1]),
        "table": lookup([-3.0, 0.1, 3.0], [1.0, 2.0, -1.0], x) * x,
        "time": f("sin", 3.0 * TIME) * x + TIME**3,
        "matpower": call("matpower", (2, 2), square, 3),
        "diagonal": call("diagonal", (3, 3), p) * p,
        "attitude": s * rot("X", x) * call("rotAxis", (3, 3), p, x),
        "angles": call("eulerZYX", (3,), s),
        "parts": p[1:3] * c[0:2],
    }  # fmt: skip


def test_rates_and_accelerations_are_those_of_differences() -> None:
    b = Build()
    cases = moving_expressions(b)
    for name, expression in cases.items():
        b.define(f"{name} 0", expression)
        b.define(f"{name} 1", der(b.use(f"{name} 0")))
        b.define(f"{name} 2", der(der(expression)))
    system = lower(b.program())
    h = 1e-5
    for seed in (1, 2):
        # |x| < 1 keeps all functions defined; the exponent k of x wants it positive.
        at = random_state(system, seed)
        (x,) = (c for c in system.coordinates if c.name == "x")
        at.values["q"][x.q] = abs(at.values["q"][x.q])
        later, before = moved(at, h), moved(at, -h)
        for name in cases:
            for order in (0, 1):
                lower_order, rate = f"{name} {order}", f"{name} {order + 1}"
                difference = (value(later, lower_order) - value(before, lower_order)) / (2 * h)
                np.testing.assert_allclose(value(at, rate), difference, rtol=2e-7, atol=2e-7, err_msg=rate)


def test_rates_of_what_does_not_move() -> None:
    b = Build()
    k = b.parameter("k", 2.0)
    c = b.constant("c", 3.0)
    m = b.parameter("m", k * c, final=True)
    body(b)
    w = b.unknown("w", is_state=True)
    b.equation("e", der(w), -w)
    b.define("still", der(k * c * m) + 0.0)
    b.define("clock", der(TIME * m))
    b.define("rate", der(w * w))
    system = lower(b.program())
    at = state(system, unknowns=[0.7], unknown_rates=[0.2])
    assert value(at, "still") == 0
    assert value(at, "clock") == 6
    assert value(at, "rate") == pytest.approx(2 * 0.7 * 0.2)
    assert system.rates_used.tolist() == [True]


def test_a_fixed_exponent_takes_no_logarithm() -> None:
    b = Build()
    x = body(b)
    b.define("rate", der(x**3))
    b.define("still", der(wrap(0.0) ** wrap(2.0) + x * 0.0))
    at = state(lower(b.program()), q=[-2.0], v=[0.5])
    assert value(at, "rate") == pytest.approx(6.0)


def test_what_has_no_rate_is_refused() -> None:
    b = Build()
    u, x, w = b.input("u", 0.0), body(b), b.unknown("w")
    b.equation("e", w, x)
    b.define("first", der(u * x))
    b.define("third", der(der(der(x))))
    b.define("second", der(der(w)))
    assert sorted(codes(b)) == ["derivative-of-input", "derivative-order", "derivative-order"]


# --- attitudes -----------------------------------------------------------------------------------


def test_attitude_does_not_depend_on_the_length_of_its_parameters() -> None:
    b = Build()
    turning(b)
    b.define("T", b.use("S"))
    system = lower(b.program())
    q = np.array([0.3, -0.5, 0.1, 0.8])
    for scale in (1.0, 0.2, 30.0):
        np.testing.assert_allclose(value(state(system, q=q * scale), "S"), quaternion_matrix(q), atol=1e-15)


def test_kinematics_turn_the_attitude_with_the_angular_velocity() -> None:
    b = Build()
    turning(b)
    system = lower(b.program())
    at = random_state(system)
    q, rate = at.values["q"], at(system.kinematics)
    h = 1e-6
    difference = (quaternion_matrix(q + h * rate) - quaternion_matrix(q - h * rate)) / (2 * h)
    np.testing.assert_allclose(difference, value(at, "S") @ skew(at.values["v"]), atol=1e-9)
    assert q @ rate == pytest.approx(0, abs=1e-15)


def test_angular_velocities_are_those_of_the_matrices() -> None:
    b = Build()
    angles = body(b, "angles", (3,))
    s = turning(b)
    zyx = rot("Z", angles[0]) * rot("Y", angles[1]) * rot("X", angles[2])
    named = b.define("R", zyx, base="Rotation")
    oblique = call("rotAxis", (3, 3), wrap([1.0, 2.0, -2.0]), angles[0])
    swinging = call("rotAxis", (3, 3), wrap([f("cos", angles[1]), f("sin", angles[1]), 0.5]), angles[0])
    mirror = call("diagonal", (3, 3), wrap([1.0, -1.0, 1.0]))
    plain = b.define("plain", rot("Z", angles[0]) + 0.0 * s)
    cases = {
        "zyx": zyx,
        "named": named,
        "free": s,
        "back": call("transpose", (3, 3), s * named),
        "oblique": oblique,
        "swinging": swinging * oblique,
        "mirrored": mirror * zyx * mirror,
        "plain": plain,
        "fixed": call("identity", (3, 3)),
        "if": either(angles[0] < 0.0, s, named),
    }
    for name, rotation in cases.items():
        b.define(f"{name} R", rotation)
        b.define(f"{name} w", spin(rotation))
        b.define(f"{name} a", der(spin(rotation)))
    system = lower(b.program())
    at, h = random_state(system), 1e-5
    later, before = moved(at, h), moved(at, -h)
    for name in cases:
        matrix, w = value(at, f"{name} R"), value(at, f"{name} w")
        difference = (value(later, f"{name} R") - value(before, f"{name} R")) / (2 * h)
        np.testing.assert_allclose(matrix @ skew(w), difference, atol=1e-8, err_msg=name)
        spin_up = (value(later, f"{name} w") - value(before, f"{name} w")) / (2 * h)
        np.testing.assert_allclose(value(at, f"{name} a"), spin_up, atol=1e-7, err_msg=name)


def test_acceleration_of_a_rotation_is_its_symbol() -> None:
    b = Build()
    b.define("a", der(spin(turning(b))))
    at = state(lower(b.program()), q=[1, 0, 0, 0], v=[1, 2, 3], a=[4, 5, 6])
    assert value(at, "a").tolist() == [4, 5, 6]


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, np.pi - 1e-9, np.pi, 4.0, 2 * np.pi])
@pytest.mark.parametrize("order", ["ZYX", "XYZ", "XXX", "YYY", "ZZZ"])
def test_start_attitudes_become_euler_parameters(angle: float, order: str) -> None:
    b = Build()
    third = angle if order[0] == order[1] else angle / 3
    start = rot(order[0], third) if order[0] == order[1] else None
    if start is None:
        start = rot(order[0], angle) * rot(order[1], 0.5 * angle) * rot(order[2], -0.3 * angle)
    turning(b, start=start, rate=[1.0, 2.0, 3.0])
    system = lower(b.program())
    q = state(system)(system.starts.position)
    expected = turn("XYZ".index(order[0]), third)
    if order[0] != order[1]:
        expected = turn("XYZ".index(order[0]), angle)
        expected = expected @ turn("XYZ".index(order[1]), 0.5 * angle)
        expected = expected @ turn("XYZ".index(order[2]), -0.3 * angle)
    assert np.linalg.norm(q) == pytest.approx(1, abs=1e-14)
    assert q[0] >= 0
    np.testing.assert_allclose(quaternion_matrix(q), expected, atol=1e-9)
    assert system.starts.position_given.all() and system.starts.velocity_given.all()
    assert state(system)(system.starts.velocity).tolist() == [1, 2, 3]
    assert all(state(system)(bound.condition) > 0 for bound in system.bounds)


def test_a_start_that_is_no_rotation_breaks_a_bound() -> None:
    b = Build()
    turning(b, start=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
    system = lower(b.program())
    assert state(system)(system.bounds[0].condition) < 0
    assert "not a rotation" in system.bounds[0].message


# --- work ----------------------------------------------------------------------------------------


def chain(n: int) -> MechanicalSystem:
    """n bodies, each placed by its turn against the one before, with velocities, spins, accelerations."""
    b = Build()
    b.define("R0", call("identity", (3, 3)), base="Rotation")
    b.define("P0", [0.0, 0.0, 0.0])
    for i in range(1, n + 1):
        angle = b.coordinate(f"q{i}")
        turned = b.define(f"R{i}", b.use(f"R{i - 1}") * rot("XYZ"[i % 3], angle), base="Rotation")
        place = b.define(f"P{i}", b.use(f"P{i - 1}") + turned * wrap([1.0, 0.2, 0.0]))
        b.define(f"w{i}", spin(b.use(f"R{i}")))
        b.define(f"A{i}", der(der(b.use(f"P{i}"))))
        b.kinetic(0.5 * (der(place) * der(place)) + 0.1 * (b.use(f"w{i}") * b.use(f"w{i}")), f"k{i}")
        b.force(f"f{i}", [1.0, 0.0, 0.0], place)
    return lower(b.program())


def instructions(system: MechanicalSystem) -> int:
    s = system.symbols
    recorded = ca.vertcat(system.total("kinetic"), *(q.value for q in system.quantities))
    return int(ca.Function("all", [s.q, s.v, s.a], [recorded]).n_instructions())


def test_work_grows_in_proportion_to_the_text() -> None:
    small, middle, large = (instructions(chain(n)) for n in (20, 40, 80))
    assert large - middle == pytest.approx(2 * (middle - small), rel=0.02)


def test_definitions_may_build_on_one_another_very_deep() -> None:
    b = Build()
    x = body(b)
    b.define("d0", x)
    for i in range(1, 3000):
        b.define(f"d{i}", b.use(f"d{i - 1}") + 1.0)
    b.define("rate", der(b.use("d2999")))
    assert value(state(lower(b.program()), v=[0.5]), "rate") == 0.5


def test_generalized_forces_one_by_one_and_together() -> None:
    system = chain(4)
    at = random_state(system)
    together = at(system.applied)
    np.testing.assert_allclose(together, sum(at(force.generalized) for force in system.forces), atol=1e-14)


# --- constraints ---------------------------------------------------------------------------------


def test_rows_have_levels_labels_and_multipliers() -> None:
    b = Build()
    p, q = body(b, "p", (3,)), body(b, "q", (2,))
    b.constraint("rod", p * p, 1.0)
    b.constraint("mixed", [p[0] * q[0], der(p)[1] * q[0], p[2] - p[2]], [0.0, der(q)[1], 0.0])
    b.constraint("fast", der(p) * der(p), 4.0, qualifier="nonholonomic")
    system = lower(b.program())
    rows = system.rows
    assert [r.label for r in rows] == ["rod", "mixed[1]", "mixed[2]", "fast"]
    assert [r.level for r in rows] == ["position", "position", "velocity", "velocity"]
    assert [r.linear for r in rows] == [True, True, True, False]
    assert [r.multiplier for r in rows] == [0, 1, 2, 3]
    assert system.constraints[1].row_indices == (0, 1)
    assert system.constraints[1].size == 3
    assert [c.scalar for c in system.constraints] == [True, False, True]
    assert [c.qualifier for c in system.constraints] == [None, None, "nonholonomic"]
    assert [n.code for n in system.notes] == ["row-dropped"]
    at = random_state(system)
    x = at.values["q"]
    assert at(rows[0].residual) == pytest.approx(x[:3] @ x[:3] - 1)


def test_what_cancels_is_seen_through() -> None:
    b = Build()
    x, y = body(b, "x"), body(b, "y")
    s = turning(b)
    circle = f("sin", x) ** 2 + f("cos", x) ** 2
    b.constraint("row", [circle, y], [1.0, x])
    b.constraint("level", y + der(x) - circle * der(x), 0.0)
    plane = b.define("plane", [der(x), der(y), 0.0])
    b.constraint("linear", (s * plane) * (s * plane) - der(x) ** 2 - der(y) ** 2 + der(x), 0.0)
    system = lower(b.program())
    assert [(r.label, r.level, r.linear) for r in system.rows] == [
        ("row[2]", "position", True),
        ("level", "position", True),
        ("linear", "velocity", True),
    ]


def test_a_row_that_is_flat_at_samples_is_not_dropped() -> None:
    b = Build()
    x = body(b)
    b.constraint("far", call("max", (), x - 50.0, 0.0), 0.0)
    assert len(lower(b.program()).rows) == 1


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda b, x: b.constraint("c", x - x, 0.5), "constraint-constant"),
        (lambda b, x: b.constraint("c", x - x, 0.0), "constraint-constant"),
        (lambda b, x: b.constraint("c", b.parameter("k", 1.0), 2.0), "constraint-constant"),
        (lambda b, x: b.constraint("c", TIME, 2.0), "constraint-constant"),
        (lambda b, x: b.constraint("c", f("sin", x) ** 2 + f("cos", x) ** 2, 2.0), "constraint-constant"),
        (lambda b, x: b.constraint("c", x, 1.0, qualifier="nonholonomic"), "qualifier-wrong"),
        (lambda b, x: b.constraint("c", der(der(x)), 1.0), "acceleration-in-constraint"),
        (lambda b, x: b.constraint("c", x, reaction("c")), "reaction-here"),
        (lambda b, x: b.force("f", 1.0, der(x) ** 2), "flow-not-linear"),
        (lambda b, x: b.force("f", 1.0, f("sign", der(x))), "flow-not-linear"),
        (lambda b, x: b.force("f", 1.0, f("abs", der(x))), "flow-not-linear"),
        (lambda b, x: b.force("f", 1.0, der(der(x))), "flow-not-linear"),
        (lambda b, x: b.force("f", 1.0, TIME), "flow-constant"),
        (lambda b, x: b.force("f", 1.0, b.input("u", 0.0) * x), "derivative-of-input"),
        (lambda b, x: b.friction("f", 1.0, 1.0, der(x) ** 2), "flow-not-linear"),
        (lambda b, x: b.kinetic(der(der(x))), "acceleration-in-energy"),
        (lambda b, x: b.coordinate("z"), "no-inertia"),
        (lambda b, x: b.unknown("w"), "no-value"),
        (lambda b, x: b.coordinate("many", (30_000,)), "too-large"),
        (lambda b, x: b.servo("s", x, TIME, []), "servo-count"),
        (lambda b, x: b.servo("s", x, TIME, [x]), "servo-input-expected"),
        (lambda b, x: b.when(x < 0.0, (TIME, 0.0)), "reinit-target"),
        (lambda b, x: b.coordinate("y", start=x), "start-depends"),
        (lambda b, x: b.input("u", x), "input-depends"),
        (lambda b, x: b.parameter("k", x), "parameter-depends"),
        (lambda b, x: b.define("v", der(x), start=1.0), "attribute-misplaced"),
        (lambda b, x: b.define("v", reaction("missing")), "pushes-nothing"),
    ],
)  # fmt: skip
def test_mistakes_are_named(make: Callable[[Build, E], object], code: str) -> None:
    b = Build()
    make(b, body(b))
    assert code in codes(b)


def test_mistakes_are_told_together() -> None:
    b = Build()
    x = body(b)
    b.force("f", 1.0, der(x) ** 2)
    b.force("g", 1.0, TIME)
    b.constraint("c", x - x, 1.0)
    assert sorted(codes(b)) == ["constraint-constant", "flow-constant", "flow-not-linear"]


def test_a_mass_that_was_forgotten_is_named() -> None:
    """Case sing-01."""
    b = Build()
    body(b, "x")
    z = b.coordinate("z")
    b.energy("potential", 9.81 * z)
    with pytest.raises(ModelError, match="no inertia acts on `z`"):
        lower(b.program())


@pytest.mark.parametrize("tie", ["constraint", "equation", "servo", "force"])
def test_no_mass_is_needed_where_something_else_determines_the_motion(tie: str) -> None:
    b = Build()
    z = b.coordinate("z")
    match tie:
        case "constraint":
            b.constraint("c", z, f("sin", TIME))
        case "equation":
            b.equation("e", der(z), -z)
        case "servo":
            b.servo("s", z, f("sin", TIME), [b.input("u")])
        case _:
            b.force("inertia", -der(der(z)), z)
    assert lower(b.program()).coordinates


# --- forces and energies ---------------------------------------------------------------------------


def test_generalized_force_of_a_point_force() -> None:
    b = Build()
    angle, x = body(b, "angle"), body(b, "x")
    point = b.define("C", [x + 2.0 * f("cos", angle), 2.0 * f("sin", angle)])
    push = b.input("F", [3.0, -1.0])
    b.force("push", push, point)
    b.force("brake", -0.5 * der(x), der(x) - 0.3 * TIME)
    system = lower(b.program())
    at = state(system, q=[0.4, 1.0], v=[0.7, -0.2], inputs=[3.0, -1.0], time=2.0)
    arm = np.array([-2 * np.sin(0.4), 2 * np.cos(0.4)])
    np.testing.assert_allclose(at(system.forces[0].generalized), [arm @ [3, -1], 3.0])
    np.testing.assert_allclose(at(system.forces[0].power), arm @ [3, -1] * 0.7 + 3.0 * -0.2)
    np.testing.assert_allclose(at(system.forces[1].generalized), [0, 0.1])
    assert at(system.forces[1].power) == pytest.approx(0.1 * (-0.2 - 0.6))
    np.testing.assert_allclose(at(system.applied), [arm @ [3, -1], 3.1])


def test_a_torque_on_a_rotation_is_in_body_axes() -> None:
    b = Build()
    s = turning(b)
    b.force("M", [1.0, 2.0, 3.0], spin(s))
    system = lower(b.program())
    assert random_state(system)(system.forces[0].generalized).tolist() == [1, 2, 3]


def test_energies_keep_their_names() -> None:
    b = Build()
    x = body(b)
    b.energy("potential", 2.0 * x * x, "spring")
    b.energy("dissipation", der(x) ** 2, "lost")
    system = lower(b.program())
    at = state(system, q=[3.0], v=[2.0])
    assert at(system.total("potential")) == 18
    assert at(system.total("kinetic")) == 2
    assert [e.name for e in system.energies] == ["of x", "spring", "lost"]


def test_a_part_may_push_against_what_its_user_has_fixed() -> None:
    b = Build()
    x = body(b)
    b.constraint("joint.planar", x - x, 0.0)
    b.force("spring.onWall", 3.0, TIME - TIME)
    b.force("spring.onBody", 3.0, x)
    system = lower(b.program())
    assert state(system)(system.applied) == 3
    assert system.constraints[0].rows == ()
    assert [n.code for n in system.notes] == ["row-dropped"]


def test_friction_and_limits_and_events_are_data() -> None:
    b = Build()
    x, p = body(b), body(b, "p", (2,))
    s = turning(b)
    w = b.unknown("w", is_state=True)
    b.equation("e", [der(w), x], [-w, x], kind="initial")
    b.equation("g", der(w), -w)
    b.friction("f", 0.3, 10.0 - x, x, static=0.7)
    b.limit("travel", x, 0.0, 2.0, restitution=0.5)
    b.limit("both", p, lower=[-1.0, -1.0])
    b.when(x < 0.0, (der(x), -der(x)), (p[1], 0.0), (w, 1.0), (spin(s), [0.0, 0.0, 1.0]), "done")
    b.when(x < 1.0, (s, rot("Z", np.pi / 2)))
    b.check(x < 5.0, "too far")
    system = lower(b.program())
    at = state(system, q=[0.5, 1, 2, 1, 0, 0, 0], v=[3, 0, 0, 0, 0, 0], unknowns=[0.2], unknown_rates=[1])
    (friction,) = system.frictions
    assert (at(friction.coefficient), at(friction.normal), at(friction.flow)) == (0.3, 9.5, 3)
    assert at(friction.static) == 0.7
    assert [limit.name for limit in system.limits] == ["travel", "both[1]", "both[2]"]
    assert [at(gap) for gap in system.limits[0].gaps] == [0.5, 1.5]
    assert [limit.sides for limit in system.limits] == [("lower", "upper"), ("lower",), ("lower",)]
    first, second = system.whens
    assert [getattr(a, "target", "end") for a in first.actions] == [
        "velocity", "position", "unknown", "velocity", "end",
    ]  # fmt: skip
    assert [getattr(a, "elements", ()) for a in first.actions] == [(0,), (2,), (0,), (3, 4, 5), ()]
    assert at(first.condition) == 0
    turned = at(second.actions[0].value)  # type: ignore[union-attr]
    np.testing.assert_allclose(turned, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-15)
    assert at(system.asserts[0].condition) == 1
    assert [row.label for row in system.initial] == ["e[1]", "e[2]"]
    assert at(system.equations[0].residual) == pytest.approx(1.2)


def test_servos_name_the_inputs_that_keep_them() -> None:
    b = Build()
    p = body(b, "p", (2,))
    b.input("spare", 1.0)
    u = b.input("u", shape=(3,))
    b.servo("path", p, [f("sin", TIME), TIME], [u[2], u[0]], rate=5.0)
    b.servo("speed", der(p)[0], 1.0, [u[1]])
    system = lower(b.program())
    assert [servo.inputs for servo in system.servos] == [(3, 1), (2,)]
    assert [[row.order for row in servo.rows] for servo in system.servos] == [[0, 0], [1]]
    assert [row.label for row in system.servos[0].rows] == ["path[1]", "path[2]"]
    at = state(system, q=[1.0, 2.0], time=0.5)
    assert at(system.servos[0].rows[1].residual) == 1.5
    assert at(system.servos[0].rows[0].rate) == 5  # type: ignore[arg-type]
    assert np.isnan(at(system.input_defaults)[1:]).all()


# --- reactions -----------------------------------------------------------------------------------


def test_reactions_on_coordinates_are_what_the_constraint_exerts() -> None:
    b = Build()
    p, s = body(b, "p", (3,)), turning(b)
    arm = wrap([0.3, -0.2, 0.5])
    b.constraint("pin", p + s * arm, [0.0, 0.0, 0.0])
    b.constraint("twice", 2.0 * (p + s * arm), [0.0, 0.0, 0.0])
    b.constraint("roll", [der(p)[0] - spin(s)[1], p[2] - p[2], der(p)[1]], [0.0, 0.0, 0.0])
    b.define("lambda", reaction("pin", (3,)))
    b.define("rolls", reaction("roll", (3,)))
    for name in ("pin", "twice", "roll"):
        b.define(f"{name} force", reaction(name, (3,), p))
        b.define(f"{name} x", reaction(name, (), p[0]))
        b.define(f"{name} torque", reaction(name, (3,), s))
    b.force("from reaction", reaction("pin", (3,))[0], p[1])
    system = lower(b.program())
    at = random_state(system)
    pin, twice, roll = np.split(at.values["multipliers"], [3, 6])
    matrix, lever = value(at, "S"), np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(value(at, "lambda"), pin)
    np.testing.assert_allclose(value(at, "rolls"), [roll[0], 0, roll[1]])
    np.testing.assert_allclose(value(at, "pin force"), pin)
    assert value(at, "pin x") == pytest.approx(pin[0])
    # A force F at an arm l turns a body by l x (Rᵀ·F), in body axes.
    np.testing.assert_allclose(value(at, "pin torque"), np.cross(lever, matrix.T @ pin), atol=1e-14)
    np.testing.assert_allclose(value(at, "twice torque"), 2 * np.cross(lever, matrix.T @ twice), atol=1e-14)
    np.testing.assert_allclose(value(at, "roll torque"), [0, -roll[0], 0])
    np.testing.assert_allclose(value(at, "roll force"), [roll[0], roll[1], 0])


def test_the_rate_of_a_reaction_is_refused() -> None:
    b = Build()
    x = body(b)
    b.constraint("c", x, 1.0)
    b.define("r", der(reaction("c")))
    assert codes(b) == ["derivative-of-reaction"]


# --- declarations ----------------------------------------------------------------------------------


def test_names_and_places() -> None:
    b = Build()
    body(b, "x")
    m = b.coordinate("m", (2, 2))
    b.kinetic(0.5 * call("sum", (), call("multiply", (2, 2), der(m), der(m))), "m")
    turning(b, "part.S")
    b.define("N", call("transpose", (2, 2), m))
    system = lower(b.program())
    assert system.coordinates[1].position_names == ("m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]")
    assert system.coordinates[1].velocity_names[1] == "der(m[1,2])"
    assert system.coordinates[2].position_names == ("part.S.w", "part.S.x", "part.S.y", "part.S.z")
    assert system.coordinates[2].velocity_names[0] == "angularVelocity(part.S)[1]"
    assert (system.coordinates[2].q, system.coordinates[2].v) == (slice(5, 9), slice(5, 8))
    at = state(system, q=[0, 1, 2, 3, 4, 1, 0, 0, 0])
    assert at(system.quantities[1].value).tolist() == [1, 2, 3, 4]
    assert at(system.quantities[3].value).tolist() == [1, 3, 2, 4]
    assert system.quantities[2].element_names[1] == "part.S[1,2]"
    assert [q.name for q in system.quantities] == ["x", "m", "part.S", "N"]


def test_starts_say_what_is_given() -> None:
    b = Build()
    length = b.parameter("L", 2.0)
    body(b, "x", start=length, nominal=1e-3)
    body(b, "y", guess=0.5, rate=-1.0)
    turning(b)
    w = b.unknown("w", start=3.0)
    b.equation("e", der(w), -w)
    system = lower(b.program())
    s, at = system.starts, state(system)
    assert at(s.position).tolist() == [2, 0, 1, 0, 0, 0]
    assert s.position_given.tolist() == [True] + [False] * 5
    assert s.velocity_given.tolist() == [False, True, False, False, False]
    assert at(s.velocity)[1] == -1
    assert at(s.position_guess).tolist() == [0, 0.5, 1, 0, 0, 0]
    assert at(s.nominal).tolist() == [1e-3, 1, 1, 1, 1]
    assert (at(s.unknown), s.unknown_given.tolist()) == (3, [True])
    assert state(system, parameters=system.parameter_values({"L": 5.0}))(s.position)[0] == 5


def test_bounds_are_gaps() -> None:
    b = Build()
    body(b, "x", min=-1.0)
    b.define("C", [b.use("x"), 2.0 * b.use("x")], max=[3.0, 3.0])
    system = lower(b.program())
    at = state(system, q=[2.0])
    assert [at(bound.condition) for bound in system.bounds] == [3, 1, -1]
    assert system.bounds[2].message == "`C[2]` is above its max"


# --- parameters ------------------------------------------------------------------------------------


def settable() -> tuple[Build, MechanicalSystem]:
    b = Build(structure={"n": 2})
    n = b.parameter("n", 3.0, structural=True)
    c = b.parameter("c", b.declare("b", "parameter", shape=()) * n)
    a = b.parameter("a", 0.5, min=0.0, max=10.0)
    b.declare("b", "parameter", a + 1.0)
    b.parameter("z", c - a, final=True, min=-5.0)
    b.parameter("V", [1.0, 2.0, 3.0])
    b.parameter("whole", 2.0, base="Integer")
    b.parameter("attitude", rot("Z", a), base="Rotation")
    b.constant("g", 9.81)
    body(b)
    b.input("u", 0.0)
    b.define("seen", b.use("z") + b.use("n"))
    return b, lower(b.program())


def test_bindings_see_settings() -> None:
    _, system = settable()
    values = system.parameter_values
    names = [name for group in system.parameters for name in group.element_names]
    assert names[:6] == ["b", "c", "a", "V[1]", "V[2]", "V[3]"]
    assert values({})[:6].tolist() == [1.5, 3, 0.5, 1, 2, 3]
    assert values({"a": 2.0})[:3].tolist() == [3, 6, 2]
    assert values({"b": 7.0, "V": np.array([4.0, 5.0, 6.0])})[:6].tolist() == [7, 14, 0.5, 4, 5, 6]
    assert value(state(system, parameters=values({"c": 10.0})), "seen") == 11.5


@pytest.mark.parametrize(
    ("settings", "code", "text"),
    [
        ({"atitude": np.eye(3)}, "unknown-name", "did you mean `attitude`"),
        ({"z": 1.0}, "final-set", "`z` is final"),
        ({"g": 1.0}, "final-set", "constant"),
        ({"n": 4.0}, "not-a-parameter", "when the model is loaded"),
        ({"x": 1.0}, "not-a-parameter", "x.start"),
        ({"u": 1.0}, "not-a-parameter", "among the inputs"),
        ({"seen": 1.0}, "not-a-parameter", "not a parameter"),
        ({"V": 1.0}, "setting-shape", "vector of 3, but a single number"),
        ({"a": np.array([1.0])}, "setting-shape", "single number"),
        ({"a": np.nan}, "setting-kind", "finite"),
        ({"a": "much"}, "setting-kind", "a number"),
        ({"whole": 1.5}, "setting-kind", "whole number"),
        ({"a": -1.0}, "out-of-bounds", "below its min of 0"),
        ({"a": 11.0}, "out-of-bounds", "above its max of 10"),
        ({"c": -6.0}, "out-of-bounds", "`z` is -6.5"),
        ({"attitude": np.ones((3, 3))}, "not-a-rotation", "attitude"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], code: str, text: str) -> None:
    _, system = settable()
    with pytest.raises(SettingError, match=text) as caught:
        system.parameter_values(settings)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_parameter_without_a_value_is_named() -> None:
    b = Build()
    body(b)
    b.parameter("wheel.A", shape=(), component="wheel")
    b.parameter("twice", 2.0 * b.use("wheel.A"))
    system = lower(b.program())
    with pytest.raises(SettingError, match="`A` of `Part wheel` has no value"):
        system.parameter_values({})
    assert system.parameter_values({"wheel.A": 2.0}).tolist() == [2, 4]


def test_a_value_that_is_no_number_is_named() -> None:
    b = Build()
    body(b)
    a = b.parameter("a", 0.0)
    b.parameter("inverse", 1.0 / a, final=True)
    with pytest.raises(SettingError, match="`inverse` is inf"):
        lower(b.program()).parameter_values({})
