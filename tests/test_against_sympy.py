"""Every model's accelerations and multipliers against a second derivation, made with SymPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ROOT, model_path
from sympy_derivation import Derivation

from mbdc.dsl.analyse import analyse
from mbdc.dsl.files import read_source

SHIPPED = sorted(path.stem for path in (ROOT / "models").glob("*.mbd"))
OWN = sorted(path.stem for path in (ROOT / "tests" / "oracles").glob("*.mbd"))
LONG = {"bricard", "fekete"} | {f"parts_{n}" for n in ("bicycle", "bricard", "cardan", "chain", "governor", "stewart")}
STATES = 3


def checked_program(stem: str):
    source = read_source(model_path(stem))
    analysis = analyse(source)
    assert analysis.program is not None, analysis.diagnostics
    return analysis.program


def unit_attitudes(derivation: Derivation, q: np.ndarray) -> np.ndarray:
    """Random Euler parameters brought back to unit norm."""
    for place, _ in derivation.attitudes:
        q[place] /= np.linalg.norm(q[place])
    return q


@pytest.mark.parametrize("stem", [pytest.param(s, marks=pytest.mark.slow) if s in LONG else s for s in SHIPPED + OWN])
def test_accelerations_and_multipliers(compiled, stem):
    program = checked_program(stem)
    if program.statements.servos or not any(d.kind == "coordinate" for d in program.variables.values()):
        pytest.skip("no system of accelerations and multipliers; held against its closed form elsewhere")
    model = compiled(stem)
    derivation = Derivation(program)
    generator = np.random.default_rng(len(stem))
    q0, v0 = derivation.start()
    for _ in range(STATES):
        q = unit_attitudes(derivation, q0 + 0.05 * generator.normal(size=len(q0)))
        v = v0 + 0.5 * generator.normal(size=len(v0))
        t = generator.uniform(0, 2)
        if len(derivation.rows) > len(v):
            # Where rows repeat so often that they cannot hold at any state, they are compared where they do.
            q, v = derivation.settled(q, v)
        expected, multipliers = derivation.solve(q, v, t)
        computed = np.concatenate([np.ravel(a) for a in model.accelerations(q, v, t).values()])
        reactions = flat_reactions(model, derivation, q, v, t)
        assert np.max(np.abs(computed - expected)) <= 1e-10 * max(1.0, np.max(np.abs(expected)))
        if len(multipliers):
            scale = max(1.0, np.max(np.abs(multipliers)))
            assert np.max(np.abs(reactions - multipliers)) <= 1e-10 * scale


def flat_reactions(model, derivation: Derivation, q, v, t) -> np.ndarray:
    """The model's multipliers in the order of the derivation's rows."""
    named = model.reactions(q, v, t)
    values = []
    for label in derivation.labels:
        name, _, index = label.rpartition("[") if label.endswith("]") else (label, "", "")
        if f"reaction({label})" in named:
            values.append(named[f"reaction({label})"])
        else:
            values.append(named[f"reaction({name})"][int(index[:-1]) - 1])
    return np.array(values, dtype=float)


@pytest.mark.parametrize("stem", ["monorollbot", "turntable_ball", "euler_top"])
def test_angular_velocity_is_that_of_the_matrix(stem):
    """The rule for products of rotations, which keeps expressions short, against S^T·dS/dt itself."""
    derivation = Derivation(checked_program(stem))
    generator = np.random.default_rng(5)
    q = unit_attitudes(derivation, generator.normal(size=len(derivation.q)))
    v = generator.normal(size=len(derivation.v))
    assert derivation.value("w", q, v) == pytest.approx(derivation.body_rates_of_matrix("S", q, v), abs=1e-12)
