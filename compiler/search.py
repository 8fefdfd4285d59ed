"""A point where the rows of one level hold, near a guess: whatever the sign of the guess."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .kernels import StageKernels
from .least_change import Evaluation, Outcome, least_change

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

HOLDS = 1e-11
ALL_SIGNS = 4
"""Up to so many guesses every choice of their signs is tried."""

MANY = 60
"""Of so many free unknowns only few guesses are tried: each costs a dense solution."""


@frozen
class Level:
    """The rows of one level at a time, as functions of a whole state x (nx,)."""

    stage: StageKernels
    environment: Floats
    time: float

    def evaluate(self, point: Floats) -> Evaluation:
        residual, jacobian, metric = self.stage.evaluate(self.time, point, self.environment)
        return Evaluation(np.asarray(residual).ravel(), np.asarray(jacobian.full()), np.asarray(metric.full()))

    def move(self, point: Floats, change: Floats) -> Floats:
        return np.asarray(self.stage.move(point, change)).ravel()

    def sizes(self, point: Floats) -> Floats:
        """What counts as a large change of each unknown, (n,)."""
        return np.full(len(self.anchors), self.size(point))

    def size(self, point: Floats) -> float:
        largest = float(np.max(np.abs(point[list(self.stage.stage.targets)]), initial=0.0))
        return largest if largest > 0 else 1.0

    def solve(self, point: Floats, free: Mask) -> Outcome:
        """The nearest point found at which the rows hold, the free unknowns moved."""
        return least_change(self.evaluate, self.move, point, free, self.sizes)

    @property
    def anchors(self) -> tuple[int, ...]:
        return self.stage.stage.anchors

    @property
    def turning(self) -> Mask:
        """Which unknowns are the small turns of an attitude: three of them share an anchor."""
        _, places, counts = np.unique(np.asarray(self.anchors, dtype=int), return_inverse=True, return_counts=True)
        return np.asarray(counts[places] > 1)


def search(level: Level, guess: Floats, free: Mask) -> Outcome:
    """Solve from a guess; where that fails, from guesses of other signs and beside it: the nearest is taken.

    A guess may lie where the rows have no slope (the centre of a circle), or on the side that cannot be reached.
    """
    outcome = level.solve(guess, free)
    if outcome.worst <= HOLDS or not free.any():
        return outcome
    tried = [level.solve(other, free) for other in _others(level, guess, free)]
    found = [other for other in tried if other.worst <= HOLDS]
    if found:
        return min(found, key=lambda other: float(np.linalg.norm(other.point - guess)))
    return min((outcome, *tried), key=lambda o: o.worst if np.isfinite(o.worst) else np.inf)


def _others(level: Level, guess: Floats, free: Mask) -> Iterator[Floats]:
    """Mirrored guesses, then some beside the guess, placed by its signs: mirrored models are tried alike."""
    plain = np.asarray(level.anchors, dtype=int)[free & ~level.turning]
    few = int(free.sum()) <= MANY
    for flipped in _flips([int(place) for place in plain if guess[place] != 0], few):
        mirrored = guess.copy()
        mirrored[flipped] *= -1
        yield mirrored
    signs = np.where(level.turning | (guess[list(level.anchors)] >= 0), 1.0, -1.0)
    for attempt in range(1, 7 if few else 3):
        rng = np.random.default_rng(attempt)
        # A guess beyond all numbers has no size: nothing is found from there.
        with np.errstate(invalid="ignore", over="ignore"):
            nudge = np.where(free, rng.normal(size=free.size), 0.0) * 0.3 * level.sizes(guess) * signs
        yield level.move(guess, nudge)
        yield level.move(guess, -nudge)


def _flips(places: list[int], few: bool) -> Iterator[list[int]]:
    """Sets of guesses to change the signs of."""
    if not places:
        return
    if len(places) <= ALL_SIGNS:
        for chosen in product((False, True), repeat=len(places)):
            if any(chosen):
                yield [place for place, flip in zip(places, chosen, strict=True) if flip]
        return
    yield places
    if few:
        yield from ([place] for place in places)
