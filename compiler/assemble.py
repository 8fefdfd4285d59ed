"""A run's record to a result: every quantity under its author's name, in SI units."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.dimension import TIME, Dimension
from mbdc.dsl.program import Type
from mbdc.dsl.records import replace
from mbdc.dsl.units import unit_text

from .kernels import Kernels, mapped
from .layout import element_names
from .mechanics import Constraint, Coordinate, MechanicalSystem, Servo
from .record import Record, Settled
from .report import ConstraintResidual, EnergyBalance, Event, Report
from .run import Plan, Run
from .start import Start
from .trajectory import Result, Series

Floats = NDArray[np.float64]

JOULE = Dimension((2, 1, -2, 0, 0, 0, 0))


def assemble(kernels: Kernels, plan: Plan, start: Start, run: Run, notes: tuple[str, ...]) -> Result:
    """All that was recorded, and the report on it."""
    table = _Table(kernels, run.record)
    series = tuple(table.series())
    units = {name: s.unit(i) for s in series for i, name in enumerate(s.element_names)}
    report = Report(
        model=kernels.reduced.equations.system.program.name,
        outcome=run.outcome,
        reason=run.reason,
        start_time=plan.start,
        end_time=float(table.times[-1]),
        stop_time=plan.stop,
        points=table.times.size,
        tolerance=plan.tolerance,
        steps=run.steps,
        wall_time=run.wall_time,
        residuals=tuple(table.residuals()),
        energy=table.balance(),
        start=tuple(replace(value, unit=units.get(value.name, "")) for value in start.values),
        start_residuals=start.residuals,
        events=tuple(Event(*event) for event in run.events),
        notes=(*notes, *run.notes),
    )
    return Result(table.times, series, report)


class _Table:
    """A record laid out by instants, read column by column."""

    def __init__(self, kernels: Kernels, record: Record) -> None:
        self._kernels = kernels
        self._system = kernels.reduced.equations.system
        self._restraints: tuple[Constraint | Servo, ...] = (*self._system.constraints, *self._system.servos)
        blocks = record.blocks
        self.times = np.concatenate([b.piece.times for b, _ in blocks])
        self._x = np.hstack([b.piece.x for b, _ in blocks])
        self._z = np.hstack([b.piece.z for b, _ in blocks])
        self._work = np.hstack([b.piece.work for b, _ in blocks])
        self._before = np.hstack([b.before for b, _ in blocks])
        self._after = np.hstack([b.after for b, _ in blocks])
        self._values = np.hstack([self._observed(b, e) for b, e in blocks])
        self._energies = np.hstack([self._energy(b, e) for b, e in blocks])
        self._place = {e.name: self._x[i] for i, e in enumerate(kernels.reduced.x_entries)}
        self._place |= {e.name: self._z[i] for i, e in enumerate(kernels.reduced.z_entries)}

    def series(self) -> Iterator[Series]:
        """In the order of a table: variables, rates, accelerations, reactions, energies, residuals."""
        row = 0
        for quantity in self._system.quantities:
            size = quantity.type.size
            values = self._values[row : row + size].T
            row += size
            yield _array(
                quantity.name,
                values,
                quantity.element_names,
                quantity.type.shape,
                _units(quantity.type, ()),
                quantity.description,
            )
        for coordinate in self._system.coordinates:
            yield from self._rates(coordinate)
        for constraint in self._system.constraints:
            yield self._reaction(constraint)
        yield from self._contact_forces()
        yield from self._energy_series(row)
        row = 0
        for restraint in self._restraints:
            yield self._residual(restraint, row)
            row += len(restraint.rows)

    def _rates(self, coordinate: Coordinate) -> Iterator[Series]:
        kind = self._system.program.variables[coordinate.name].type
        for order in (1, 2):
            names = tuple(_rate(n, order - 1) for n in coordinate.velocity_names)
            values = np.column_stack([self._place[n] for n in names])
            if coordinate.is_rotation:
                name = _rate(f"angularVelocity({coordinate.name})", order - 1)
                yield _array(name, values, names, (3,), ("rad/s" if order == 1 else "rad/s2",), "")
            else:
                name = _rate(coordinate.name, order)
                yield _array(name, values, names, coordinate.shape, _units(kind, (TIME,) * order), "")

    def _reaction(self, constraint: Constraint) -> Series:
        statement = next(c for c in self._system.program.statements.constraints if c.name == constraint.name)
        kind = statement.left.type
        values = np.zeros((self.times.size, constraint.size))
        units = [""] * constraint.size
        for row, index in zip(constraint.rows, constraint.row_indices, strict=True):
            values[:, index] = self._kernels.reduced.multiplier(row.multiplier, self._x, self._z)
            effort = JOULE / kind.dimension(index)
            units[index] = unit_text(effort if row.level == "position" else effort / TIME)
        label = f"reaction({constraint.name})"
        names = (label,) if constraint.scalar else tuple(f"{label}[{i + 1}]" for i in range(constraint.size))
        shape = () if constraint.scalar else (constraint.size,)
        return _array(label, values, names, shape, tuple(units), "")

    def _contact_forces(self) -> Iterator[Series]:
        """The reactions of limits and frictions."""
        reduced = self._kernels.reduced
        first = reduced.z.numel() - reduced.equations.contacts.numel()
        statements = self._system.program.statements
        kinds = {
            name: (limit.value.type, i)
            for limit in statements.limits
            for i, name in enumerate(element_names(limit.name, limit.value.type.shape))
        }
        for limit in self._system.limits:
            if limit.level is None:
                continue
            signs = np.array([1.0 if side == "lower" else -1.0 for side in limit.sides])
            values = signs @ self._z[[first + place for place in limit.places]]
            kind, element = kinds[limit.name]
            effort = JOULE / kind.dimension(element)
            unit = unit_text(effort if limit.level == "position" else effort / TIME)
            label = f"reaction({limit.name})"
            yield Series(label, values, (label,), (unit,))
        flows = {friction.name: friction.flow.type for friction in statements.frictions}
        for friction in self._system.frictions:
            values = self._z[first + friction.places.start : first + friction.places.stop].T
            label, kind = f"reaction({friction.name})", flows[friction.name]
            units = tuple(unit_text(JOULE / TIME / kind.dimension(i)) for i in range(values.shape[1]))
            yield _array(label, values, element_names(label, kind.shape), kind.shape, units, "")

    def _energy_series(self, row: int) -> Iterator[Series]:
        kinetic, potential = self._energies[0], self._energies[1]
        totals = {"kinetic": kinetic, "potential": potential, "total": kinetic + potential}
        for name, values in totals.items():
            yield Series(f"energy.{name}", values, (f"energy.{name}",), ("J",))
        for energy in self._system.energies:
            name = f"energy.{energy.kind}.{energy.name}"
            if energy.name:
                unit = "W" if energy.kind == "dissipation" else "J"
                yield Series(name, self._values[row], (name,), (unit,))
            row += 1

    def _residual(self, restraint: Constraint | Servo, row: int) -> Series:
        label = f"residual({restraint.name})"
        values = self._after[row : row + len(restraint.rows)].T
        if len(restraint.rows) == 1 and restraint.rows[0].label == restraint.name:
            return _array(label, values, (label,), (), _residual_units(self._system, restraint), "")
        names = tuple(f"residual({restraint.name}){r.label[len(restraint.name) :]}" for r in restraint.rows)
        return _array(label, values, names, (len(names),), _residual_units(self._system, restraint), "")

    def residuals(self) -> Iterator[ConstraintResidual]:
        """The worst of each constraint and servo, over rows and instants."""
        row = 0
        for restraint in self._restraints:
            size = len(restraint.rows)
            if size:
                before, after = (np.abs(r[row : row + size]).max() for r in (self._before, self._after))
                units = set(_residual_units(self._system, restraint))
                unit = units.pop() if len(units) == 1 else ""
                yield ConstraintResidual(restraint.name, float(before), float(after), unit)
            row += size

    def balance(self) -> EnergyBalance | None:
        """Energy against work at every instant. The energy is the Jacobi integral v·∂T/∂v - T + V."""
        if not self._system.energies:
            return None
        doing = [f.name for f in self._system.forces] + [f.name for f in self._system.frictions]
        count = len(doing)
        jacobi = self._energies[3]
        # An energy beyond all numbers has no balance; what comes out is NaN.
        with np.errstate(invalid="ignore", over="ignore"):
            change = jacobi - jacobi[0]
            lost, moving, explicit = self._work[count : count + 3]
            impacts, set_anew = self._work[count + 3 :] if self._work.shape[0] > count + 3 else (0 * lost, 0 * lost)
            error = change + lost + impacts - self._work[:count].sum(axis=0) - moving - explicit - set_anew
            exchanged = np.abs(self._work).max(axis=1, initial=0.0)
            spread = np.ptp(self._energies[0]), np.ptp(self._energies[1]), np.abs(change).max()
        return EnergyBalance(
            stored=float(change[-1]),
            dissipated=float(lost[-1]),
            work={name: float(w) for name, w in zip(doing, self._work[:count, -1], strict=True)},
            prescribed=float(moving[-1] + explicit[-1]),
            impacts=float(impacts[-1]),
            set_anew=float(set_anew[-1]),
            worst=float(np.abs(error).max()),
            scale=float(max(*spread, *exchanged)),
        )

    def _observed(self, block: Settled, environment: Floats) -> Floats:
        p = block.piece
        arguments = [p.times[None, :], p.x, p.z, environment]
        return np.asarray(mapped(self._kernels.observe, p.times.size, arguments)[0].full())

    def _energy(self, block: Settled, environment: Floats) -> Floats:
        p = block.piece
        (values,) = mapped(self._kernels.energies, p.times.size, [p.times[None, :], p.x, environment])
        return np.asarray(values.full())


def _rate(name: str, times: int) -> str:
    return "der(" * times + name + ")" * times


def _array(
    name: str,
    values: Floats,
    element_names: tuple[str, ...],
    shape: tuple[int, ...],
    units: tuple[str, ...],
    description: str,
) -> Series:
    return Series(name, values.reshape(values.shape[0], *shape), element_names, units, description)


def _units(kind: Type, divided_by: tuple[Dimension, ...]) -> tuple[str, ...]:
    texts = []
    for dimension in kind.dimensions:
        for divisor in divided_by:
            dimension = dimension / divisor
        texts.append(unit_text(dimension))
    return tuple(texts)


def _residual_units(system: MechanicalSystem, restraint: Constraint | Servo) -> tuple[str, ...]:
    statements = system.program.statements
    sides = {s.name: s.left for s in statements.constraints} | {s.name: s.left for s in statements.servos}
    kind = sides[restraint.name].type
    indices = restraint.row_indices if isinstance(restraint, Constraint) else range(len(restraint.rows))
    return tuple(unit_text(kind.dimension(i)) for i in indices)
