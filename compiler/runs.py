"""A compiled model put to run: settings to a start, a start to a result, formulations side by side.

Loaded by a model's first run: one that is only compiled, or asked for its matrices, needs none of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbdc.dsl.diagnostics import Diagnostic, error
from mbdc.dsl.records import frozen

from .assemble import assemble
from .build import Built
from .compare import Attempt, Comparison, difference
from .errors import ModelError, SimulationError
from .formulations.choose import formulated
from .formulations.formulation import NAMES, Formulation, FormulationName
from .formulations.march import march
from .initialize import initialize
from .inputs import Inputs, InputSetting
from .integrate import Driver
from .interrupts import deferred
from .remarks import on_run
from .run import Plan, Progress, Run
from .simulate import simulate
from .start import Start
from .trajectory import Result
from .truth import MOST_ROUNDS, with_relations


@frozen
class Trial:
    """All that a run needs but a formulation."""

    plan: Plan
    driver: Driver
    start: Start


class Runs:
    """The runs of one compiled model; its formulations are kept for further runs, which then compile nothing."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._formulations: dict[tuple[str, tuple[float, float]], Formulation] = {}

    def plan(self, stop_time: float | None, interval: float | None, tolerance: float | None) -> Plan:
        """What is not given is taken from the experiment. Raises ValueError for what is not positive."""
        experiment = self._built.program.experiment
        stop = experiment.stop_time if stop_time is None else float(stop_time)
        step = interval if interval is not None else experiment.interval
        plan = Plan(
            0.0,
            stop,
            float(step) if step is not None else stop / 500,
            float(tolerance or experiment.tolerance),
        )
        for what, value in (
            ("stop_time", plan.stop),
            ("interval", plan.interval),
            ("tolerance", plan.tolerance),
        ):
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"{what} must be a positive number, not {value!r}")
        return plan

    def trial(
        self,
        plan: Plan,
        parameters: NDArray[np.float64],
        inputs: Mapping[str, InputSetting],
        start: Mapping[str, ArrayLike],
        project: bool = False,
    ) -> Trial:
        """A start for a column of parameters and what else is set. Raises `StartError`."""
        built = self._built
        signals = Inputs(built.system, built.kernels.reduced.equations.signals, inputs)
        driver = Driver(built.kernels, parameters, signals)
        given = built.starts.given(parameters, start)
        environment = driver.environment(plan.start, plan.start)
        environment = with_relations(built.kernels, environment, plan.start, given.x, given.z)
        with deferred() as interrupts:
            for _ in range(MOST_ROUNDS):
                found = initialize(built.kernels, given, environment, plan.start, project)
                interrupts.check()
                settled = with_relations(built.kernels, environment, plan.start, found.x, found.z)
                if np.array_equal(settled, environment):
                    break
                # What was found lies on the other side of a relation than what was given.
                environment = settled
        return Trial(plan, driver, found)

    def simulate(
        self, trial: Trial, formulation: FormulationName, gains: tuple[float, float], progress: Progress | None
    ) -> Result:
        """Raises `ModelError` where the formulation refuses, `SimulationError` for a run that stops early."""
        chosen = self._formulation(formulation, gains)
        refused = chosen.refusals(trial.driver, trial.start)
        if refused:
            raise ModelError(refused)
        result = self._result(trial, _follow(chosen, trial, progress))
        if result.report.outcome == "stopped":
            raise SimulationError([self._stopped(result)], result=result)
        return result

    def compare(
        self,
        trial: Trial,
        formulations: Sequence[FormulationName],
        gains: tuple[float, float],
        progress: Progress | None,
    ) -> Comparison:
        """The default first, as the reference."""
        names = dict.fromkeys((NAMES[0], *formulations))
        default, *others = (self._formulation(name, gains) for name in names)
        # The others know no impacts: all of them end at the first limit.
        reference = _follow(default, trial, progress, ends_at_limits=True)
        report = self._result(trial, reference).report
        attempts = [Attempt(formulation=default.name, title=default.title, report=report)]
        for other in others:
            # Who interrupts one run wants no more of them.
            if attempts[-1].report is not None and attempts[-1].report.reason == "interrupted":
                break
            attempts.append(self._attempt(other, trial, reference, progress))
        return Comparison(
            model=self._built.program.name,
            stop_time=trial.plan.stop,
            tolerance=trial.plan.tolerance,
            attempts=tuple(attempts),
        )

    def _formulation(self, name: FormulationName, gains: tuple[float, float]) -> Formulation:
        if name not in NAMES:
            raise ValueError(f"there is no formulation {name!r}; there are {', '.join(NAMES)}")
        alpha, beta = (float(gain) for gain in gains)
        if not (np.isfinite([alpha, beta]).all() and min(alpha, beta) >= 0):
            raise ValueError(f"gains must be two numbers that are not negative, not {gains!r}")
        key = (name, (alpha, beta))
        if key not in self._formulations:
            self._formulations[key] = formulated(name, self._built.kernels, (alpha, beta))
        return self._formulations[key]

    def _attempt(self, other: Formulation, trial: Trial, reference: Run, progress: Progress | None) -> Attempt:
        refused = other.refusals(trial.driver, trial.start)
        if refused:
            return Attempt(formulation=other.name, title=other.title, refused=tuple(refused))
        run = _follow(other, trial, progress)
        return Attempt(
            formulation=other.name,
            title=other.title,
            report=self._result(trial, run).report,
            difference=difference(self._built.kernels, trial.plan, reference, run),
        )

    def _result(self, trial: Trial, run: Run) -> Result:
        notes = on_run(self._built.kernels, trial.start, run)
        return assemble(self._built.kernels, trial.plan, trial.start, run, notes)

    def _stopped(self, result: Result) -> Diagnostic:
        report = result.report
        return error(
            "run-stopped",
            f"the run stopped at {report.end_time:.9g} s of {report.stop_time:g} s: {report.reason}",
            self._built.program.span,
        )


def _follow(formulation: Formulation, trial: Trial, progress: Progress | None, *, ends_at_limits: bool = False) -> Run:
    """The default has a run of its own, which steers κ, keeps to the constraints and knows events; the others march."""
    if formulation.name == NAMES[0]:
        return simulate(trial.driver, trial.start, trial.plan, progress, ends_at_limits=ends_at_limits)
    return march(formulation, trial.driver, trial.start, trial.plan, progress)
