"""Integrated states to recorded ones: projected, and their algebraic unknowns solved again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .integrate import Piece, State
from .kernels import Kernels, mapped

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settled:
    """States on all constraints: the piece's instants with x and z replaced, and the rows' residuals.

    before, after: (rows, k), of the constraints and servos as written.
    """

    piece: Piece
    before: Floats
    after: Floats

    def state(self, k: int) -> State:
        return self.piece.state(k)


def settle(kernels: Kernels, piece: Piece, environment: Floats) -> Settled:
    """Project a piece's states and solve for z again.

    The multipliers an integrator returns can be far off where they are kept out of its error test,
    so they are never recorded as they come.
    """
    k = piece.times.size
    times = piece.times[None, :]
    (before,) = mapped(kernels.residuals, k, [times, piece.x, environment])
    (projected,) = mapped(kernels.project, k, [times, piece.x, environment])
    better, _ = mapped(kernels.solve_algebraic, k, [times, projected, piece.z, environment])
    (after,) = mapped(kernels.residuals, k, [times, projected, environment])
    settled = Piece(piece.times, projected.full(), better.full(), piece.work, piece.steps)
    return Settled(settled, before.full(), after.full())


@dataclass
class Record:
    """What a run has recorded so far: blocks of instants, each with the environment (ne,) it was run in."""

    kernels: Kernels
    blocks: list[tuple[Settled, Floats]] = field(default_factory=list)

    def add_start(self, state: State, environment: Floats) -> None:
        """The first instant, as initialization found it."""
        piece = Piece(np.array([state.time]), state.x[:, None], state.z[:, None], state.work[:, None], 0)
        (residual,) = mapped(self.kernels.residuals, 1, [state.time, state.x, environment])
        self.blocks.append((Settled(piece, residual.full(), residual.full()), environment))

    def add(self, settled: Settled, environment: Floats) -> None:
        self.blocks.append((settled, environment))
