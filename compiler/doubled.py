"""A force that does again what a declared potential does already."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from mbdc.dsl.diagnostics import Diagnostic

from .complaints_build import force_repeats_potential
from .draws import Draws
from .mechanics import MechanicalSystem

POINTS = 3
MOST_VELOCITIES = 150
MOST_PAIRS = 400


def doubled(system: MechanicalSystem) -> tuple[Diagnostic, ...]:
    """A warning for each force statement equal to -∂V/∂q of one potential, at random values of all symbols.

    Parameters take random values too: two springs of equal stiffness are no mistake.
    """
    potentials = [energy for energy in system.energies if energy.kind == "potential"]
    pairs = len(system.forces) * len(potentials)
    if not 0 < pairs <= MOST_PAIRS or system.symbols.v.numel() > MOST_VELOCITIES:
        return ()
    forces = ca.horzcat(*(force.generalized for force in system.forces))
    gradients = ca.horzcat(*(ca.gradient(energy.value, system.symbols.q) for energy in potentials))
    pulls = -ca.mtimes(ca.jacobian(system.kinematics, system.symbols.v).T, gradients)
    return tuple(
        force_repeats_potential(system.forces[i].name, potentials[k].name, system.forces[i].span, potentials[k].span)
        for i, k in _alike(forces, pulls)
    )


def _alike(forces: ca.SX, pulls: ca.SX) -> Iterator[tuple[int, int]]:
    """Which columns of both are equal, and not zero, at every point."""
    symbols = ca.vertcat(*ca.symvar(ca.horzcat(forces, pulls)))
    evaluate = ca.Function("doubled", [symbols], [ca.densify(forces), ca.densify(pulls)])
    draws = Draws(7)
    samples = [
        tuple(np.asarray(m.full()) for m in evaluate(draws.column(0.4, 1.6, symbols.numel()))) for _ in range(POINTS)
    ]
    for i in range(forces.size2()):
        for k in range(pulls.size2()):
            if all(_equal(one[:, i], other[:, k]) for one, other in samples):
                yield i, k


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    size = float(np.max(np.abs(one), initial=0.0))
    return 0 < size < np.inf and float(np.max(np.abs(one - other))) <= 1e-10 * size
