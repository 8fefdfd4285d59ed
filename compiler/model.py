"""A compiled model: asked for matrices and accelerations, and simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.files import read_source
from mbdc.dsl.records import field, frozen
from mbdc.dsl.source import Source
from mbdc.dsl.statements import Experiment

from .build import Built, build
from .formulations.formulation import GAINS, NAMES, FormulationName
from .inputs import Inputs, InputSetting

if TYPE_CHECKING:
    from .compare import Comparison
    from .run import Progress
    from .runs import Runs, Trial
    from .summary import Summary
    from .trajectory import Result

Floats = NDArray[np.float64]
Values: TypeAlias = Mapping[str, ArrayLike] | ArrayLike
Named: TypeAlias = dict[str, float | Floats]


def load_model(
    path: str | Path | None = None,
    *,
    text: str | None = None,
    model: str | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    strict: bool = False,
) -> Model:
    """Compile a `.mbd` file, or a text.

    `model` names one of its models (the last that is not partial, if not given); `parameters` are kept as
    the compiled model's own values, and structural ones among them set its size. With `strict`, warnings
    are errors. Raises `ModelError` with every complaint about the text.
    """
    if (path is None) == (text is None):
        raise TypeError("load_model takes a path or a text, one of the two")
    source = read_source(Path(path)) if path is not None else Source("<text>", text or "")
    settings = dict(parameters or {})
    structure = {k: v for k, v in settings.items() if isinstance(v, bool | int | float)}
    built = build(source, model, structure, strict)
    structural = set(built.program.structure)
    own = {k: _number_or_array(v) for k, v in settings.items() if k not in structural}
    loaded = Model(built, own)
    loaded._parameter_column({})
    return loaded


@frozen(eq=False)
class Model:
    """A compiled model with values for its parameters.

    Changing parameters, inputs or starts in a call compiles nothing. Positions q are given by name or as a
    column in the order of `coordinates`; a `Rotation` counts as a (3, 3) matrix by name, as its four Euler
    parameters (w, x, y, z) in a column, and as three velocities in body axes. SI units throughout.
    """

    _built: Built = field(repr=False)
    _settings: Named = field(repr=False)

    @property
    def name(self) -> str:
        return self._built.program.name

    @property
    def description(self) -> str:
        return self._built.program.description

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes about the text."""
        return self._built.diagnostics

    @property
    def experiment(self) -> Experiment:
        """How the text says to run it."""
        return self._built.program.experiment

    @cached_property
    def summary(self) -> Summary:
        """What the system is: coordinates, constraints by kind, degrees of freedom."""
        from .redundancy import count_repeats
        from .summary import summarize

        x = self._built.starts.given(self._parameter_column({}), {}).x
        redundant = count_repeats(self._built.kernels, x, self._environment(None, self._still, 0.0))
        return summarize(self._built.system, self._built.integrability, redundant=redundant)

    @property
    def coordinates(self) -> Named:
        """Coordinates and the positions the text starts them at (guesses where it gives none)."""
        x = self._built.starts.given(self._parameter_column({}), {}).x
        values: Named = {}
        for c in self._built.system.coordinates:
            shape = (4,) if c.is_rotation else c.shape
            values[c.name] = _shaped(x[c.q], shape)
        return values

    @property
    def parameters(self) -> Named:
        """Parameters that can be set, and their values."""
        column = self._parameter_column({})
        return {p.name: _shaped(column[p.elements], p.shape) for p in self._built.system.parameters}

    @property
    def inputs(self) -> Named:
        """Inputs and their declared values at time 0 (NaN where none is declared)."""
        s = self._built.system
        f = ca.Function("inputs", [s.symbols.time, s.symbols.parameters], [ca.densify(s.as_written(s.input_defaults))])
        column = np.asarray(f(0.0, self._parameter_column({}))).ravel()
        return {i.name: _shaped(column[i.elements], i.shape) for i in s.inputs}

    @property
    def constraints(self) -> dict[str, str]:
        """Constraints and their kind: `holonomic`, `nonholonomic` or `mixed`."""
        kinds = {}
        for constraint in self._built.system.constraints:
            levels = {row.level for row in constraint.rows}
            named = {"position": "holonomic", "velocity": "nonholonomic"}
            kinds[constraint.name] = named[levels.pop()] if len(levels) == 1 else "mixed"
        return kinds

    def mass_matrix(self, q: Values, t: float = 0.0, parameters: Mapping[str, ArrayLike] | None = None) -> Floats:
        """∂²T/∂v², (n, n), at positions q."""
        environment = self._environment(parameters, {}, t)
        from .truth import with_relations

        x = self._state(q, np.zeros(self._velocities))
        z = np.zeros(self._built.kernels.reduced.z.numel())
        environment = with_relations(self._built.kernels, environment, t, x, z)
        return np.asarray(self._mass(t, x, environment).full())

    def accelerations(
        self,
        q: Values,
        v: Values,
        t: float = 0.0,
        inputs: Mapping[str, InputSetting] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> Named:
        """Accelerations by name (`der(der(x))`, arrays whole) that respect the constraints, at a state as given."""
        x, z = self._solved(q, v, t, inputs, parameters)
        reduced = self._built.kernels.reduced
        values: Named = {}
        for c in self._built.system.coordinates:
            name = f"der(angularVelocity({c.name}))" if c.is_rotation else f"der(der({c.name}))"
            column = np.array([float(reduced.value(j, 2, x, z)) for j in range(c.v.start, c.v.stop)])
            values[name] = _shaped(column, (3,) if c.is_rotation else c.shape)
        return values

    def reactions(
        self,
        q: Values,
        v: Values,
        t: float = 0.0,
        inputs: Mapping[str, InputSetting] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> Named:
        """Multipliers by name (`reaction(rod)`; arrays for vector constraints), at a state as given."""
        x, z = self._solved(q, v, t, inputs, parameters)
        system = self._built.system
        values: Named = {}
        for constraint in system.constraints:
            column = np.zeros(constraint.size)
            for row, index in zip(constraint.rows, constraint.row_indices, strict=True):
                column[index] = self._built.kernels.reduced.multiplier(row.multiplier, x, z)
            shape = () if constraint.scalar else (constraint.size,)
            values[f"reaction({constraint.name})"] = _shaped(column, shape)
        return values

    def simulate(
        self,
        stop_time: float | None = None,
        interval: float | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, InputSetting] | None = None,
        start: Mapping[str, ArrayLike] | Literal["project"] | None = None,
        progress: Progress | None = None,
        project: bool = False,
        formulation: FormulationName = "attraction",
        gains: tuple[float, float] = GAINS,
    ) -> Result:
        """Run the model from time 0; what is not given is taken from its experiment.

        `inputs` are numbers, functions of time or tables (times, values); `start` gives firm values by result
        name (`x`, `der(x)`). With `project` (or `start="project"`) firm values that break a constraint are moved,
        the least in the mass metric, instead of refused; the report says how far. `formulation` is of use to those
        who compare; `gains` are Baumgarte's α and β (1/s). Raises `StartError` for a start that cannot be,
        `ModelError` where the formulation cannot take the model, and `SimulationError`, with the result so far, for a
        run that stops early.
        """
        if start == "project":
            start, project = None, True
        trial = self._trial(stop_time, interval, tolerance, parameters, inputs, start, project)
        return self._runs.simulate(trial, formulation, gains, progress)

    def compare(
        self,
        formulations: Sequence[FormulationName] = NAMES,
        stop_time: float | None = None,
        interval: float | None = None,
        tolerance: float | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, InputSetting] | None = None,
        start: Mapping[str, ArrayLike] | None = None,
        progress: Progress | None = None,
        gains: tuple[float, float] = GAINS,
    ) -> Comparison:
        """Run formulations side by side from one start; the default always runs too, as the reference.

        Arguments are those of `simulate`. Raises `StartError`; a formulation that cannot take the model, or a
        run that stops early, is told in the comparison.
        """
        trial = self._trial(stop_time, interval, tolerance, parameters, inputs, start)
        return self._runs.compare(trial, formulations, gains, progress)

    @cached_property
    def _runs(self) -> Runs:
        # Half of the compiler, which no model needs that is not run.
        from .runs import Runs

        return Runs(self._built)

    def _trial(
        self,
        stop_time: float | None,
        interval: float | None,
        tolerance: float | None,
        parameters: Mapping[str, ArrayLike] | None,
        inputs: Mapping[str, InputSetting] | None,
        start: Mapping[str, ArrayLike] | None,
        project: bool = False,
    ) -> Trial:
        plan = self._runs.plan(stop_time, interval, tolerance)
        column = self._parameter_column(parameters or {})
        return self._runs.trial(plan, column, inputs or {}, start or {}, project)

    @property
    def _velocities(self) -> int:
        return int(self._built.system.symbols.v.numel())

    def _parameter_column(self, settings: Mapping[str, ArrayLike]) -> Floats:
        own = {name: _number_or_array(value) for name, value in settings.items()}
        return self._built.system.parameter_values(self._settings | own)

    def _environment(
        self,
        parameters: Mapping[str, ArrayLike] | None,
        inputs: Mapping[str, InputSetting] | None,
        t: float,
    ) -> Floats:
        equations = self._built.kernels.reduced.equations
        signals = Inputs(self._built.system, equations.signals, inputs or {})
        return np.concatenate([self._parameter_column(parameters or {}), signals.column(t, t)])

    def _solved(
        self,
        q: Values,
        v: Values,
        t: float,
        inputs: Mapping[str, InputSetting] | None,
        parameters: Mapping[str, ArrayLike] | None,
    ) -> tuple[Floats, Floats]:
        from .algebraic import solve_for_algebraic
        from .initialize import deeper_states
        from .redundancy import least_algebraic
        from .truth import MOST_ROUNDS, with_relations

        environment = self._environment(parameters, inputs, t)
        kernels = self._built.kernels
        z = np.zeros(kernels.reduced.z.numel())
        x = self._state(q, v)
        for _ in range(MOST_ROUNDS):
            held = with_relations(kernels, environment, t, x, z)
            x = deeper_states(kernels, x, held, t)
            solved = solve_for_algebraic(kernels, x, z, held, t)
            z = least_algebraic(kernels, np.array([t]), x[:, None], held)[:, 0] if solved is None else solved
            # Relations may contain accelerations and reactions.
            environment = with_relations(kernels, held, t, x, z)
            if np.array_equal(environment, held):
                break
        return x, z

    def _state(self, q: Values, v: Values) -> Floats:
        """x for given positions and velocities; what else is in it takes its start value."""
        starts = self._built.starts
        x = starts.given(self._parameter_column({}), {}).x
        nq = self._built.system.symbols.q.numel()
        if isinstance(q, Mapping):
            x = starts.given(self._parameter_column({}), q).x
        else:
            x[:nq] = _column("q", q, nq)
        if isinstance(v, Mapping):
            rates = {k if k.startswith(("der(", "angularVelocity(")) else f"der({k})": r for k, r in v.items()}
            x[nq:] = starts.given(self._parameter_column({}), rates).x[nq:]
        else:
            x[nq : nq + self._velocities] = _column("v", v, self._velocities)
        return x

    @property
    def _still(self) -> dict[str, float]:
        """Inputs without a declared value at 0: for what does not depend on them."""
        return dict.fromkeys(self._built.kernels.reduced.equations.signals.needed, 0.0)

    @cached_property
    def _mass(self) -> ca.Function:
        kernels = self._built.kernels
        equations = kernels.reduced.equations
        velocities = equations.coordinate_orders[0]
        mass = ca.hessian(equations.kinetic, velocities)[0] if velocities.numel() else ca.SX(0, 0)
        return ca.Function("mass", [equations.time, kernels.reduced.x, kernels.environment], [ca.densify(mass)])


def _column(name: str, values: ArrayLike, size: int) -> Floats:
    column = np.asarray(values, dtype=float).ravel()
    if column.size != size:
        raise ValueError(f"{name} must have {size} numbers, not {column.size}")
    return column


def _number_or_array(value: ArrayLike) -> float | Floats:
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else array


def _shaped(column: Floats, shape: tuple[int, ...]) -> float | Floats:
    return column.reshape(shape) if shape else float(column[0])
