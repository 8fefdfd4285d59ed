"""Integrated states to recorded ones: projected, and their algebraic unknowns solved again."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import field, frozen, mutable

from .integrate import Piece, State
from .kernels import Kernels, StageKernels, mapped
from .redundancy import RANK, Redundancy, least_algebraic, stacked
from .truncation import Truncation

Floats = NDArray[np.float64]

MOST_TIMES = 100.0
"""Rows are left out where no other has to be taken more often to make up for them: digits are lost by so much."""
REMAINS, ROUNDING, UNSOLVED = 1e-3, 1e-12, 1e-6
"""What may be left of rows that were left out: of what they were before, of the states' size, of the forces' size."""


@frozen
class Settled:
    """States on all constraints: the piece's instants with x and z replaced, and the rows' residuals.

    before, after: (rows, k), of the constraints and servos as written.
    """

    piece: Piece
    before: Floats
    after: Floats

    def state(self, k: int) -> State:
        return self.piece.state(k)

    def only(self, chosen: NDArray[np.bool_]) -> Settled:
        """Some of the instants."""
        p = self.piece
        piece = Piece(p.times[chosen], p.x[:, chosen], p.z[:, chosen], p.work[:, chosen], p.steps)
        return Settled(piece, self.before[:, chosen], self.after[:, chosen])


def settle(
    kernels: Kernels,
    piece: Piece,
    environment: Floats,
    redundancy: Redundancy | None = None,
    *,
    passed: bool = False,
) -> Settled:
    """Project a piece's states and solve for z again.

    The multipliers an integrator returns can be far off where they are kept out of its error test,
    so they are never recorded as they come. Where rows repeat others, multipliers are the least ones.
    What has `passed` a change point is taken as it is: the method that passes them keeps the constraints itself, as
    far as they can be kept there.
    """
    k = piece.times.size
    times = piece.times[None, :]
    (before,) = mapped(kernels.residuals, k, [times, piece.x, environment])
    regular = None if passed else _regular(kernels, piece, environment, redundancy)
    if passed:
        x, z = piece.x, piece.z
    elif regular is not None:
        x, z = regular
    else:
        x = project_any_rank(kernels, piece.times, piece.x, environment)
        z = least_algebraic(kernels, piece.times, x, environment)
    (after,) = mapped(kernels.residuals, k, [times, x, environment])
    return Settled(Piece(piece.times, x, z, piece.work, piece.steps), before.full(), after.full())


def _regular(
    kernels: Kernels, piece: Piece, environment: Floats, redundancy: Redundancy | None
) -> tuple[Floats, Floats] | None:
    """All instants at once by sparse factorisation; None where a matrix was singular on the way.

    Also where rows cannot be left out, or where one that was does not hold.
    """
    if redundancy is not None and not kernels.can_leave_rows_out:
        return None
    k = piece.times.size
    times = piece.times[None, :]
    try:
        if redundancy is None:
            (states,) = mapped(kernels.project, k, [times, piece.x, environment])
            better, _ = mapped(kernels.solve_algebraic, k, [times, states, piece.z, environment])
        else:
            keep, out = np.ones(redundancy.lengths.size), redundancy.spare
            keep[out] = 0.0
            (states,) = mapped(kernels.project_kept, k, [times, piece.x, environment, keep])
            units = np.tile(np.eye(keep.size)[:, out], (1, k))
            better, *found = mapped(
                kernels.solve_least(out.size), k, [times, states, piece.z, environment, keep, units]
            )
            if not _served(kernels, piece, states.full(), better.full(), found, redundancy, environment):
                return None
    except RuntimeError as singular:
        if "Evaluation failed" not in str(singular):
            raise
        return None
    x, z = states.full(), better.full()
    return (x, z) if np.all(np.isfinite(x)) and np.all(np.isfinite(z)) else None


def _served(
    kernels: Kernels,
    piece: Piece,
    x: Floats,
    z: Floats,
    found: list[ca.DM],
    redundancy: Redundancy,
    environment: Floats,
) -> bool:
    """Whether rows that were left out could be done without all along, and hold like the others."""
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(z))):
        return False
    k, times = piece.times.size, piece.times[None, :]
    left, free = found[0].full(), stacked(found[1], k)
    lengths = redundancy.lengths
    if not np.abs(free * lengths[:, None] / lengths[redundancy.spare]).max() <= MOST_TIMES:
        return False
    before, after = (
        np.abs(mapped(kernels.residuals, k, [times, states, environment])[0].full()) for states in (piece.x, x)
    )
    rounding, much = ROUNDING * (1 + np.abs(x).max(initial=0.0)), UNSOLVED * (1 + np.abs(z).max(initial=0.0))
    return bool(after.max() <= REMAINS * before.max() + rounding and np.abs(left).max() <= much)


def project_any_rank(
    kernels: Kernels,
    times: Floats,
    x: Floats,
    environment: Floats,
    truncation: Truncation = Truncation(RANK),  # noqa: B008 - immutable
) -> Floats:
    """States (nx, k) moved the least onto all constraints, whatever the rank of their rows."""
    k = times.size
    for stage in kernels.stages:
        places = kernels.constraint_places(stage.stage)
        for _step in range(2):
            residual, jacobian, metric = mapped(stage.evaluate, k, [times[None, :], x, environment])
            residual, jacobian = _with_held(stage, k, [times[None, :], x, environment], residual, jacobian)
            if not residual.numel():
                break
            change = least_changes(residual.full().T, stacked(jacobian, k), stacked(metric, k), truncation, places)
            (moved,) = mapped(stage.move, k, [x, change.T])
            x = moved.full()
    return x


def least_changes(
    residual: Floats, jacobian: Floats, metric: Floats, truncation: Truncation, places: NDArray[np.intp]
) -> Floats:
    """One Newton step to the rows (..., m), the least in the metric (..., n, n): (..., n)."""
    lower = np.linalg.cholesky(metric)
    whitened = np.linalg.solve(lower, jacobian.swapaxes(-1, -2)).swapaxes(-1, -2)
    units = truncation.units(whitened, places)
    inverse = np.linalg.pinv(whitened / units[..., None], rcond=truncation.cutoff)
    steps = inverse @ (-residual / units)[..., None]
    return np.asarray(np.linalg.solve(lower.swapaxes(-1, -2), steps)[..., 0])


def _with_held(
    stage: StageKernels, k: int, arguments: list[Floats], residual: ca.DM, jacobian: ca.DM
) -> tuple[ca.DM, ca.DM]:
    """A stage's rows and those of the limits and frictions that are held; modes are the same at all instants."""
    if not stage.contacts.numel_out(0):
        return residual, jacobian
    gaps, slopes, flags = mapped(stage.contacts, k, arguments)
    held = [int(i) for i in np.flatnonzero(flags.full()[:, 0])]
    return ca.vertcat(residual, gaps[held, :]), ca.vertcat(jacobian, slopes[held, :])


@mutable
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
