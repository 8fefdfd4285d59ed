"""Formulations that are ordinary differential equations, followed by an explicit method of order eight.

DOP853 of Hairer, Nørsett and Wanner (Solving Ordinary Differential Equations I, II.5 and II.10), by SciPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import field, frozen

from ..integrate import Accuracy, Driver, Piece, State
from ..redundancy import Redundancy
from .matrices import Matrices

Floats = NDArray[np.float64]

MOST_STEPS = 10_000
"""A piece that takes as many is stuck, or too stiff for an explicit method."""
STARTING = 10
STUCK = 1e-5
"""After the first few steps one of less than this part of a piece leads nowhere."""


class Chart(ABC):
    """The variables y in which a formulation is integrated near one state, under one environment.

    `scales` (ny,) are their sizes, `work_scale` is that of the work in units of the energy. Raises numpy's LinAlgError
    where a state has no solution.
    """

    scales: Floats
    work_scale: float = 1.0

    @abstractmethod
    def enter(self, t: float, x: Floats) -> Floats:
        """y of a state."""

    @abstractmethod
    def state(self, t: float, y: Floats) -> Floats:
        """x of y."""

    @abstractmethod
    def solve(self, t: float, x: Floats) -> Floats:
        """z = (a, λ) of a state."""

    @abstractmethod
    def rate(self, t: float, x: Floats, x_rate: Floats) -> Floats:
        """y' where the state moves by x'."""

    @abstractmethod
    def serves(self, t: float, x: Floats) -> bool:
        """Whether y are still good variables here."""


ChartAt: TypeAlias = Callable[[float, Floats, Floats, Floats], Chart]
"""Makes a chart at (t, x) under an environment, for states of given scales."""


@frozen
class ExplicitDriver(Driver):
    """Follows charts instead of a compiled integrator; tolerances are multiplied by `sharper`."""

    matrices: Matrices = field(repr=False)
    chart_at: ChartAt = field(repr=False)
    most_steps: int = MOST_STEPS
    sharper: float = 1.0

    def integrate(
        self,
        state: State,
        stop: float,
        instants: int,
        kappa: float,
        accuracy: Accuracy,
        redundancy: Redundancy | None = None,
    ) -> Piece | None:
        """As in `Driver`; κ and redundancy mean nothing here."""
        times = state.time + (stop - state.time) * np.arange(1, instants + 1) / instants
        times[-1] = stop
        try:
            with np.errstate(all="ignore"):
                return _Walk(self, state, times, accuracy).finish()
        except np.linalg.LinAlgError:
            return None


class _Walk:
    """One piece in the making. y is followed by the work, in units of the energy."""

    def __init__(self, driver: ExplicitDriver, state: State, times: Floats, accuracy: Accuracy) -> None:
        self._driver = driver
        self._times = times
        self._accuracy = accuracy
        self._environment = driver.environment(state.time, float(times[-1]))
        self._recorded: list[tuple[Floats, Floats, Floats]] = []
        self._steps = 0
        self._start = state
        self._solver = self._begin(state.time, state.x, state.work / accuracy.energy, None)

    def finish(self) -> Piece | None:
        """Step to the end of the piece; None where the method could not."""
        while self._solver.status == "running":
            self._solver.step()
            self._steps += 1
            if self._solver.status == "failed" or self._steps > self._driver.most_steps or self._is_stuck():
                return None
            self._record()
            self._renew()
        x, z, work = (np.column_stack(columns) for columns in zip(*self._recorded, strict=True))
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(z))):
            return None
        return Piece(self._times, x, self._driver.matrices.whole(z), work * self._accuracy.energy, self._steps)

    def _is_stuck(self) -> bool:
        """Whether steps have shrunk to nothing, at its start-up left aside."""
        duration = float(self._times[-1]) - self._start.time
        return self._steps > STARTING and self._solver.t - self._solver.t_old < STUCK * duration

    def _begin(self, t: float, x: Floats, work: Floats, step: float | None) -> Any:
        # Imported where it is needed: it takes longer to load than most models take to compile.
        from scipy.integrate import DOP853

        accuracy = self._accuracy.loosened(self._driver.sharper)
        self._chart = self._driver.chart_at(t, x, self._environment, accuracy.scales)
        scales = np.concatenate([self._chart.scales, np.full(work.size, self._chart.work_scale)])
        y = np.concatenate([self._chart.enter(t, x), work])
        if not np.all(np.isfinite(y)):
            raise np.linalg.LinAlgError("a state that is no number")
        end = float(self._times[-1])
        return DOP853(
            self._rate,
            t,
            y,
            end,
            rtol=max(accuracy.relative, 1e-13),
            atol=accuracy.absolute * scales,
            first_step=None if step is None else min(step, end - t),
        )

    def _rate(self, t: float, y: Floats) -> Floats:
        x = self._chart.state(t, y[: self._chart.scales.size])
        z = self._chart.solve(t, x)
        x_rate, power = self._driver.matrices.rates(t, x, z, self._environment)
        return np.concatenate([self._chart.rate(t, x, x_rate), power / self._accuracy.energy])

    def _record(self) -> None:
        """The instants that the last step has passed."""
        solver, done = self._solver, len(self._recorded)
        passed = self._times[done:][self._times[done:] <= solver.t]
        if not passed.size:
            return
        between = solver.dense_output()
        for t in passed:
            y = solver.y if t == solver.t else between(t)
            x = self._chart.state(float(t), y[: self._chart.scales.size])
            self._recorded.append((x, self._chart.solve(float(t), x), y[self._chart.scales.size :]))

    def _renew(self) -> None:
        solver, size = self._solver, self._chart.scales.size
        if solver.status != "running":
            return
        x = self._chart.state(solver.t, solver.y[:size])
        if not self._chart.serves(solver.t, x):
            self._solver = self._begin(solver.t, x, solver.y[size:], solver.h_abs)
