"""Where along a run geometry degenerates: rows that become dependent for an instant, angles at their pole.

Looked for once, after the run, at a bounded number of its instants. Both are dips of a number that is 0 where it
happens: the smallest singular value (that counts) of the constraint rows' gradients in the mass metric, and the
smallest eigenvalue of the mass matrix over the angles, scaled to a unit diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .integrate import State
from .kernels import Kernels, mapped
from .record import Record
from .redundancy import stacked

Floats = NDArray[np.float64]

MOST_VELOCITIES = 150
MOST_INSTANTS = 300
MOST_WORK = 2e7
"""Instants times the cost of a decomposition at one: what a look may cost."""

VANISHES = 1e-3
"""A dip to this part of the usual value counts as one to 0."""

STEEP = 0.3
"""Only minima below this part of the usual value are looked at more closely."""

RANK = 1e-6
MOST_DIPS = 12


@frozen(eq=False)
class Path:
    """What a run recorded: times (k,) that increase, x (nx, k), environments (ne, k)."""

    kernels: Kernels
    times: Floats
    x: Floats
    environments: Floats

    @staticmethod
    def of(record: Record, last: State | None = None) -> Path:
        """All recorded instants, and a last state behind them."""
        blocks = record.blocks
        times = [b.piece.times for b, _ in blocks]
        x = [b.piece.x for b, _ in blocks]
        environments = [np.repeat(e[:, None], b.piece.times.size, axis=1) for b, e in blocks]
        if last is not None:
            times.append(np.array([last.time]))
            x.append(last.x[:, None])
            environments.append(environments[-1][:, -1:])
        t = np.concatenate(times)
        keep = np.append(True, np.diff(np.maximum.accumulate(t)) > 0)
        return Path(record.kernels, t[keep], np.hstack(x)[:, keep], np.hstack(environments)[:, keep])

    def thinned(self, count: int) -> Path:
        """At most so many of its instants, the first and the last among them."""
        if self.times.size <= count:
            return self
        kept = np.unique(np.linspace(0, self.times.size - 1, count).round().astype(int))
        return Path(self.kernels, self.times[kept], self.x[:, kept], self.environments[:, kept])

    def at(self, times: Floats) -> Path:
        """The path at other times, by cubics through four recorded instants."""
        states = np.empty((self.x.shape[0], times.size))
        places = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, self.times.size - 1)
        for column, (t, k) in enumerate(zip(times, places, strict=True)):
            first = int(np.clip(k - 1, 0, max(self.times.size - 4, 0)))
            near = slice(first, first + 4)
            states[:, column] = self.x[:, near] @ _weights(self.times[near], t)
        return Path(self.kernels, times, states, self.environments[:, places])


def _weights(nodes: Floats, t: float) -> Floats:
    """Lagrange's: what each node's value counts at t."""
    apart = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(apart, 1.0)
    factors = np.where(np.eye(nodes.size, dtype=bool), 1.0, (t - nodes)[None, :] / apart)
    return np.asarray(factors.prod(axis=1))


@frozen
class Dip:
    """A time at which a measure comes near 0, and what part of its usual value it then has."""

    time: float
    part: float


@frozen(eq=False)
class Rows:
    """The constraint rows' gradients along a path, in units of each row's usual length."""

    path: Path

    @cached_property
    def _units(self) -> tuple[Floats, Floats]:
        """Usual lengths of rows (m,) without massless velocities, then of the columns of those (nv,).

        The metric gives what is massless next to nothing: rows that share it would all seem to point along it.
        """
        whitened = _whitened(self.path)
        light = list(self.path.kernels.massless)
        rows = np.median(np.linalg.norm(np.delete(whitened, light, axis=2), axis=2), axis=0)
        rows = np.where(rows > 0, rows, np.median(np.linalg.norm(whitened, axis=2), axis=0))
        rows = np.where(rows > 0, rows, 1.0)
        columns = np.ones(whitened.shape[2])
        usual = np.median(np.linalg.norm(whitened / rows[:, None], axis=1), axis=0)[light]
        columns[light] = np.where(usual > 0, usual, 1.0)
        return rows, columns

    @cached_property
    def rank(self) -> int:
        s = _singular_values(self._scaled(self.path))
        return int(np.max(np.sum(s > RANK * s[:, :1], axis=1)))

    def _scaled(self, path: Path) -> Floats:
        rows, columns = self._units
        return np.asarray(_whitened(path) / rows[:, None] / columns)

    def measure(self, path: Path) -> Floats:
        """The smallest singular value that counts, (k,)."""
        return np.asarray(_singular_values(self._scaled(path))[:, self.rank - 1])

    def involved(self, time: float) -> tuple[str, ...]:
        """The constraints whose rows become dependent at a time."""
        u, _, _ = np.linalg.svd(self._scaled(self.path.at(np.array([time])))[0])
        weights = np.abs(u[:, self.rank - 1])
        rows = self.path.kernels.reduced.equations.system.rows
        return tuple(dict.fromkeys(rows[i].constraint for i in np.flatnonzero(weights > 0.1 * weights.max())))


def _whitened(path: Path) -> Floats:
    """The gradients in the mass metric, (k, m, nv)."""
    k = path.times.size
    gradients, metrics = mapped(path.kernels.constraint_rows, k, [path.times[None, :], path.x, path.environments])
    lower = np.linalg.cholesky(stacked(metrics, k))
    return np.asarray(np.linalg.solve(lower, stacked(gradients, k).transpose(0, 2, 1)).transpose(0, 2, 1))


def _singular_values(matrices: Floats) -> Floats:
    """By the smaller of the two Gram matrices: exact to 1e-8 of the largest, and in a tenth of the time."""
    turned = matrices.transpose(0, 2, 1)
    gram = matrices @ turned if matrices.shape[1] <= matrices.shape[2] else turned @ matrices
    return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0))[:, ::-1])


@frozen(eq=False)
class Angles:
    """The mass matrix over the coordinates that are angles, along a path."""

    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        reduced = self.path.kernels.reduced
        return tuple(reduced.x_entries[place].name for place in self.path.kernels.angles)

    def measure(self, path: Path) -> Floats:
        """The smallest eigenvalue of the scaled mass matrix, (k,)."""
        return np.asarray(np.linalg.eigvalsh(_correlations(path))[:, 0])

    def alike(self, time: float) -> tuple[str, ...]:
        """The angles that cannot be told apart at a time."""
        _, vectors = np.linalg.eigh(_correlations(self.path.at(np.array([time])))[0])
        return tuple(name for name, part in zip(self.names, vectors[:, 0], strict=True) if abs(part) > 0.3)

    def at_pole(self, time: float) -> str | None:
        """The angle that opens them up most when it is turned a little to and fro."""
        here = self.path.at(np.array([time]))
        places = list(self.path.kernels.angles)
        x = np.repeat(here.x, 2 * len(places), axis=1)
        for k, place in enumerate(places):
            x[place, 2 * k : 2 * k + 2] += (0.1, -0.1)
        times = np.repeat(here.times, x.shape[1])
        environments = np.repeat(here.environments, x.shape[1], axis=1)
        opened = self.measure(Path(here.kernels, times, x, environments)).reshape(-1, 2).sum(axis=1)
        most = int(np.argmax(opened))
        return self.names[most] if opened[most] > 2 * (float(self.measure(here)[0]) + 1e-4) else None


def _correlations(path: Path) -> Floats:
    k = path.times.size
    (masses,) = mapped(path.kernels.angle_mass, k, [path.times[None, :], path.x, path.environments])
    mass = stacked(masses, k)
    sizes = np.sqrt(np.maximum(np.einsum("kii->ki", mass), 1e-300))
    return np.asarray(mass / sizes[:, :, None] / sizes[:, None, :])


@frozen(eq=False)
class Geometry:
    """What there is to look at along a path; None where there is nothing, or it would cost too much."""

    rows: Rows | None
    angles: Angles | None

    @staticmethod
    def along(path: Path) -> Geometry:
        equations = path.kernels.reduced.equations
        velocities, rows = equations.coordinate_orders[0].numel(), len(equations.system.rows)
        if not 0 < velocities <= MOST_VELOCITIES:
            return Geometry(None, None)
        watched = Rows(path.thinned(_affordable(rows, velocities))) if rows else None
        many = len(path.kernels.angles)
        angles = Angles(path.thinned(_affordable(many, many))) if many > 1 else None
        if watched is not None and watched.rank == 0:
            watched = None
        return Geometry(watched, angles)


def _affordable(rows: int, columns: int) -> int:
    return int(np.clip(MOST_WORK / (rows * columns * min(rows, columns)), 20, MOST_INSTANTS))


def dips(watched: Rows | Angles) -> list[Dip]:
    """Where the measure comes to nearly 0, ends of the path included, in order of time."""
    path = watched.path
    values = watched.measure(path)
    usual = float(np.median(values))
    if not usual > RANK:
        return []
    padded = np.concatenate([[np.inf], values, [np.inf]])
    minima = (values <= padded[:-2]) & (values < padded[2:]) & (values < STEEP * usual)
    found = [_refined(watched.measure, path, int(k)) for k in np.flatnonzero(minima)[:MOST_DIPS]]
    return [Dip(time, value / usual) for time, value in found if value < VANISHES * usual]


def _refined(measure: Callable[[Path], Floats], path: Path, k: int) -> tuple[float, float]:
    """The minimum between the neighbours of an instant, and its time."""
    low, high = path.times[max(k - 1, 0)], path.times[min(k + 1, path.times.size - 1)]
    time, value = float(path.times[k]), np.inf
    for _ in range(4):
        tried = np.linspace(low, high, 13)
        values = measure(path.at(tried))
        best = int(np.argmin(values))
        time, value = float(tried[best]), float(values[best])
        low, high = tried[max(best - 1, 0)], tried[min(best + 1, 12)]
    return time, value
