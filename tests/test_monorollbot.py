"""MonoRollBot against the printed formulas of its paper, and its residuals along a run."""

from __future__ import annotations

import math

import monorollbot_paper as paper
import numpy as np
import pytest
from scipy.integrate import solve_ivp

NAMES = ("x", "y", "alpha", "beta", "gamma", "d_a", "theta_n", "r")
MODELS = ("monorollbot", "monorollbot_published")
STATES = 100


def states(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random positions all over the range of the angles and of the travel, and random velocities."""
    generator = np.random.default_rng(seed)
    scale = np.array([1, 1, math.pi, 1.4, math.pi, 0.08, 6, 0.05])
    middle = np.array([0, 0, 0, 0, 0, 0.08, 0, 0.05])
    return [
        (
            middle + scale * generator.uniform(-1, 1, 8),
            generator.normal(size=8) * [1, 1, 1, 1, 1, 0.05, 5, 0.1],
        )
        for _ in range(STATES)
    ]


def parameters(model) -> paper.Parameters:
    names = ("R", "R_c", "m_s", "m_c", "I_s", "I_c", "lead", "k_s", "c_s", "c_d", "c_theta", "c_r")
    return paper.Parameters(**{name: model.parameters[name] for name in names})


def vector(named, kind: str = "der(der({}))") -> np.ndarray:
    return np.array([named[kind.format(name)] for name in NAMES])


def test_the_coordinates_stand_in_the_paper_s_order(compiled):
    for stem in MODELS:
        assert tuple(compiled(stem).coordinates) == NAMES


@pytest.mark.parametrize("stem", MODELS)
def test_mass_matrix_is_21a(compiled, stem):
    model = compiled(stem)
    p = parameters(model)
    for q, _ in states(1):
        printed = paper.mass_matrix(q, p)
        computed = model.mass_matrix(q)
        assert np.max(np.abs(computed - printed)) <= 1e-12 * np.max(np.abs(printed))
        # Entry by entry, against the scale its row and column set.
        scale = np.sqrt(np.outer(np.diag(printed), np.diag(printed)))
        assert np.all(np.abs(computed - printed) <= 1e-12 * scale)


def applied(model, q, v, torque: float = 0.0) -> tuple[np.ndarray, list[np.ndarray]]:
    """M·a - A^T·lambda - J^T·mu from the model's accelerations and reactions, and the terms of that sum.

    By (16) this is Q - c - g - d, whatever the constraints are.
    """
    p = parameters(model)
    inputs = {"tau_m": torque}
    accelerations = vector(model.accelerations(q, v, inputs=inputs))
    reactions = model.reactions(q, v, inputs=inputs)
    rolling = paper.rolling_matrix(q, p)
    if model.name == "MonoRollBot":
        rolling = paper.consistent_rolling_matrix(q, p)
    terms = [
        model.mass_matrix(q) @ accelerations,
        -rolling.T @ reactions["reaction(rolling)"][:2],
        -paper.screw_matrix(p) * reactions["reaction(screw)"],
    ]
    return sum(terms), terms


@pytest.mark.parametrize("stem", MODELS)
def test_gravity_vector_is_27(compiled, stem):
    model = compiled(stem)
    p = parameters(model)
    for q, _ in states(2):
        computed, terms = applied(model, q, np.zeros(8))
        scale = max(float(np.max(np.abs(term))) for term in terms)
        assert np.max(np.abs(-computed - paper.gravity_vector(q, p))) <= 1e-12 * scale


def test_quadratic_velocity_vector_is_25_26(compiled):
    """c(q, v) = Q - g - d - (M·a - A^T·lambda - J^T·mu) with damping (28), for the published model."""
    model = compiled("monorollbot_published")
    p = parameters(model)
    for q, v in states(3):
        computed, terms = applied(model, q, v)
        others = paper.gravity_vector(q, p) + paper.damping_vector(v, p)
        scale = max(float(np.max(np.abs(term))) for term in [*terms, others])
        printed = paper.quadratic_velocity_vector(q, v, p)
        assert np.max(np.abs(-computed - others - printed)) <= 1e-12 * scale


def test_the_motor_acts_on_the_nut_alone(compiled):
    """Q of (19): tau_n = eta_g g_r tau_m on theta_n."""
    for stem in MODELS:
        model = compiled(stem)
        for q, v in states(4)[:10]:
            with_motor, terms = applied(model, q, v, torque=0.05)
            without, _ = applied(model, q, v)
            scale = max(float(np.max(np.abs(term))) for term in terms)
            expected = np.zeros(8)
            expected[6] = model.parameters["eta_g"] * model.parameters["g_r"] * 0.05
            assert np.max(np.abs(with_motor - without - expected)) <= 1e-12 * scale


def test_both_models_differ_in_the_rolling_constraint(compiled):
    """(8) is not the no-slip condition of attitude (2): at a common state the accelerations differ."""
    q = np.array([0, 0, 0.4, 0.3, -1.2, 0.05, 3.0, 0.02])
    first, second = (vector(compiled(stem).accelerations(q, np.zeros(8))) for stem in MODELS)
    assert np.max(np.abs(first - second)) > 1e-2


@pytest.mark.parametrize("stem", MODELS)
def test_height_is_13(compiled, stem):
    model = compiled(stem)
    p = parameters(model)
    name, base = ("C[3]", p.R) if stem == "monorollbot" else ("P_c[3]", 0.0)
    result = model.simulate(stop_time=0.4, interval=0.004)
    positions = np.stack([result[n] for n in NAMES], axis=1)
    assert len(positions) == STATES + 1
    for instant, q in enumerate(positions):
        printed = paper.height(q, p)
        assert result[name][instant] - base == pytest.approx(printed, rel=1e-12, abs=1e-12 * p.R)


@pytest.mark.parametrize("stem", MODELS)
def test_residuals_along_a_run(compiled, stem):
    """The paper reports 1e-7 for rolling and 1e-15 for the screw."""
    result = compiled(stem).simulate(stop_time=0.5, interval=0.005)
    assert np.max(np.abs(result["residual(rolling)"])) < 1e-10
    assert np.max(np.abs(result["residual(screw)"])) < 1e-14
    before = {residual.name: residual.before for residual in result.report.residuals}
    assert before["rolling"] < 1e-7
    assert before["screw"] < 1e-12


def test_the_start_is_the_published_one_with_an_admissible_radius(compiled):
    for stem in MODELS:
        model = compiled(stem)
        result = model.simulate(stop_time=0.01, interval=0.01)
        p = parameters(model)
        printed = {"x": 0, "y": 0, "alpha": math.radians(5), "beta": math.radians(3), "gamma": -math.pi / 2}
        printed |= {"theta_n": 0.30, "d_a": p.a * 0.30}
        for name, value in printed.items():
            assert result[name][0] == pytest.approx(value, abs=1e-15)
        for name in NAMES:
            assert result[f"der({name})"][0] == 0
        largest = math.sqrt(p.z_off**2 - (result["d_a"][0] - p.z_off) ** 2)
        assert 0.99 * largest < result["r"][0] < largest < 0.05


def test_published_motion_by_the_augmented_system_18(compiled):
    """The printed system (18), integrated by DOP853, against the published model."""
    model = compiled("monorollbot_published")
    p = parameters(model)
    constraint = paper.screw_matrix(p)

    def rhs(_t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:8], y[8:]
        rows = np.vstack([paper.rolling_matrix(q, p), constraint])
        step = 1e-30
        # The rate of A along v, by a complex step through the printed entries.
        slope = paper.rolling_matrix(q + 1j * step * v, p).imag / step
        matrix = np.block([[paper.mass_matrix(q, p), -rows.T], [rows, np.zeros((3, 3))]])
        force = -paper.quadratic_velocity_vector(q, v, p) - paper.gravity_vector(q, p)
        force = force - paper.damping_vector(v, p)
        force[6] += 0.9 * 2 * 0.0307
        bias = np.concatenate([-slope @ v, [0.0]])
        return np.concatenate([v, np.linalg.solve(matrix, np.concatenate([force, bias]))[:8]])

    start = np.array([0, 0, math.radians(5), math.radians(3), -math.pi / 2, p.a * 0.30, 0.30, 0.012])
    reference = solve_ivp(rhs, (0, 0.4), np.concatenate([start, np.zeros(8)]), method="DOP853", rtol=1e-11, atol=1e-13)
    result = model.simulate(stop_time=0.4, interval=0.1, tolerance=1e-10)
    for index, name in enumerate(NAMES):
        assert result[name][-1] == pytest.approx(reference.y[index, -1], abs=1e-8)
        assert result[f"der({name})"][-1] == pytest.approx(reference.y[8 + index, -1], abs=1e-6)


def test_a_rotation_moves_as_the_angles_do(compiled):
    """The same robot with a `Rotation` for its shell."""
    settings = {"stop_time": 0.5, "interval": 0.05, "tolerance": 1e-10}
    angles = compiled("monorollbot").simulate(**settings)
    rotation = compiled("monorollbot_rotation").simulate(**settings)
    for name in ("x", "y", "d_a", "theta_n", "r", "energy.total"):
        assert rotation[name] == pytest.approx(angles[name], abs=1e-8)
    yaw_pitch_roll = np.stack([angles["gamma"], angles["beta"], angles["alpha"]], axis=1)
    assert rotation["yaw_pitch_roll"] == pytest.approx(yaw_pitch_roll, abs=1e-7)


def test_a_rotation_rolls_on_through_the_pole(compiled):
    """Pitched to 90 degrees exactly, where the angles of the other model have no rates."""
    c = math.sqrt(0.5)
    attitude = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]) @ np.array([[1, 0, 0], [0, c, -c], [0, c, c]])
    result = compiled("monorollbot_rotation").simulate(stop_time=0.3, interval=0.01, start={"S": attitude})
    assert abs(result["S"][0][2, 0]) == pytest.approx(1.0)
    products = np.einsum("tij,tkj->tik", result["S"], result["S"])
    assert np.max(np.abs(products - np.eye(3))) < 1e-10
    assert np.max(np.abs(result["residual(rolling)"])) < 1e-10
    assert abs(result.report.energy.error) < 1e-7
