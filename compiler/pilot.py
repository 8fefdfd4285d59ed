"""A short run ahead that finds the time scale of a motion, and the sizes of its states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .integrate import Accuracy, Driver, Piece, State
from .kernels import mapped
from .reduced import ReducedSystem
from .redundancy import find_redundancy

Floats = NDArray[np.float64]

PILOT_TOLERANCE = 1e-6
ENOUGH_STEPS = 150
ROUNDING = 1e-13
"""What moves by no more than this (in SI units) is taken to rest: its numbers are rounding errors."""
KAPPA_STEPS = 0.15
"""κ times the pilot's mean step: small against what its steps resolve, so that the attraction costs none,
and yet fast against the motion. Found by measurement on systems from 1e-3 s to 1000 s."""


@frozen
class Pilot:
    """`step` is the mean step (s) at tolerance 1e-6 without attraction; `kappa` (1/s) follows from it.

    `scales` (nx,) are the sizes of the states met so far, `energy` (J) that of the energies exchanged.
    """

    step: float
    kappa: float
    scales: Floats
    energy: float


def pilot(driver: Driver, state: State, stop: float, met: Floats, exchanged: float) -> Pilot:
    """Run ahead from a state, over four times as long each time, until there are steps enough to judge.

    `met` (nx,) are the largest sizes of the states met so far (zeros at the start),
    `exchanged` (J) the energies.
    κ is never taken from the main run's own steps, which depend on κ: where a row is differentiated three
    times that would run away.
    """
    reduced = driver.kernels.reduced
    environment = driver.environment(state.time, state.time)
    redundancy = find_redundancy(driver.kernels, state.time, state.x, environment)
    largest = np.maximum(met, np.abs(state.x))
    duration = (driver.inputs.horizon(state.time, stop) - state.time) / 4096
    shorter: tuple[float, int] | None = None
    step, energy = stop - state.time, exchanged
    for _ in range(40):
        duration = min(duration, stop - state.time)
        end = driver.inputs.horizon(state.time, state.time + duration)
        accuracy = Accuracy(
            PILOT_TOLERANCE, PILOT_TOLERANCE / 100, scales_of(reduced, largest, stop - state.time), 1e300
        )
        piece = driver.integrate(state, end, 8, 0.0, accuracy, redundancy)
        if piece is None:
            if shorter is not None:
                break
            duration /= 64
            continue
        largest = np.maximum(largest, np.max(np.abs(piece.x), axis=1))
        energy = max(energy, _exchanged(driver, piece))
        step = _mean_step(shorter, end - state.time, piece.steps)
        if piece.steps >= ENOUGH_STEPS or end < state.time + duration or end >= stop:
            break
        shorter = (end - state.time, piece.steps)
        duration *= 4
    attracted = any(reduced.differentiations) or bool(reduced.norm_blocks)
    kappa = KAPPA_STEPS / step if attracted else 0.0
    return Pilot(step, kappa, scales_of(reduced, largest, stop - state.time), energy if energy > 0 else 1.0)


def _exchanged(driver: Driver, piece: Piece) -> float:
    """The largest kinetic energy, or swing of the potential one, in a piece."""
    environment = driver.environment(float(piece.times[0]), float(piece.times[-1]))
    arguments = [piece.times[None, :], piece.x, environment]
    energies = mapped(driver.kernels.energies, piece.times.size, arguments)[0].full()
    return float(max(np.max(np.abs(energies[0])), np.ptp(energies[1])))


def scales_of(reduced: ReducedSystem, largest: Floats, duration: float) -> Floats:
    """Each state's scale (nx,): its largest size so far, but not less than a thousandth of what its like can reach.

    A position reaches what the velocities of its dimension make of it in `duration` (s), a velocity matters
    where it changes a position; so for every order. Angles and Euler parameters have the scale 1.
    """
    scales = np.ones_like(largest)
    for alike in reduced.alike:
        sizes = [float(np.max(largest[list(places)], initial=0.0)) for places in alike.places]
        if alike.is_angle:
            sizes[0] = 1.0
        for order, places in enumerate(alike.places):
            if not places or (alike.is_angle and order == 0):
                continue
            reach = max(size * duration ** (k - order) for k, size in enumerate(sizes))
            moves = reach * duration**order > ROUNDING
            scales[list(places)] = np.maximum(largest[list(places)], 1e-3 * reach) if moves else 1.0
    return scales


def _mean_step(shorter: tuple[float, int] | None, duration: float, steps: int) -> float:
    """The mean step past the start-up, whose tiny steps the shorter run has made too."""
    if shorter is not None and steps > shorter[1]:
        return (duration - shorter[0]) / (steps - shorter[1])
    return duration / max(steps, 1)
