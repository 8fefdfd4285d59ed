"""Mechanical system to equations of motion: constrained Lagrange-d'Alembert by automatic differentiation."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbdc.dsl.records import replace

from .equations import SIGNAL_DEGREE, EquationsOfMotion, Gap, Row, Signals, Unknown
from .mechanics import Friction, MechanicalSystem


def derive(system: MechanicalSystem) -> EquationsOfMotion:
    """The residual of every unknown; its size is in proportion to that of the energies and constraints."""
    s = system.symbols
    signals, put_in, input_values = _signals(system)
    kinetic = put_in(system.total("kinetic"))
    potential = put_in(system.total("potential"))
    dissipation = put_in(system.total("dissipation"))
    forces = put_in(system.applied)
    residuals = [put_in(row.residual) for row in system.rows]
    gaps = _gaps(system, put_in)
    frictions = _frictions(system, put_in)

    momentum = ca.gradient(kinetic, s.v)
    motion = (
        ca.jtimes(momentum, ca.vertcat(s.time, s.q, s.v), ca.vertcat(1, system.kinematics, s.a))
        + _transport(system, momentum)
        + pull_back(system, ca.gradient(potential - kinetic, s.q))
        + ca.gradient(dissipation, s.v)
        - forces
        - _constraint_forces(system, residuals)
        - _contact_forces(system, gaps, frictions)
    )
    servo_inputs = [place for servo in system.servos for place in servo.inputs]
    rates = ca.SX.sym("rate", len(residuals) + len(servo_inputs))
    return EquationsOfMotion(
        system=system,
        time=s.time,
        q=s.q,
        kinematics=system.kinematics,
        coordinate_orders=(s.v, s.a),
        other_orders=(
            ca.vertcat(s.unknowns, s.multipliers, s.inputs[servo_inputs, 0]),
            ca.vertcat(s.unknown_rates, rates),
        ),
        unknowns=_unknowns(system, servo_inputs),
        rows=_rows(system, motion, residuals, put_in),
        signals=signals,
        input_values=input_values,
        kinetic=kinetic,
        potential=potential,
        dissipation=dissipation,
        power=_power(system, kinetic, potential, dissipation, residuals, gaps, frictions, put_in),
        jacobi_energy=ca.dot(s.v, momentum) - kinetic + potential,
        contacts=s.contacts,
        gaps=gaps,
        frictions=frictions,
    )


def pull_back(system: MechanicalSystem, covector: ca.SX) -> ca.SX:
    """Nᵀ·covector: what a derivative by q is in terms of v."""
    s = system.symbols
    if not any(c.is_rotation for c in system.coordinates):
        return covector
    return ca.jtimes(system.kinematics, s.v, covector, True)


def _transport(system: MechanicalSystem, momentum: ca.SX) -> ca.SX:
    """ω×p in the rows of each `Rotation`, 0 elsewhere."""
    s = system.symbols
    columns = []
    for coordinate in system.coordinates:
        v, p = s.v[coordinate.v], momentum[coordinate.v]
        columns.append(ca.cross(v, p) if coordinate.is_rotation else ca.SX.zeros(v.numel()))
    return ca.vertcat(*columns)


def _constraint_forces(system: MechanicalSystem, residuals: list[ca.SX]) -> ca.SX:
    """Aᵀλ: position rows act by ∂/∂q, velocity rows by ∂/∂v (d'Alembert; Chetaev's rule where not linear)."""
    s = system.symbols
    force = ca.SX.zeros(s.v.numel())
    for level, symbols in (("position", s.q), ("velocity", s.v)):
        places = [row.multiplier for row in system.rows if row.level == level]
        if not places:
            continue
        stacked = ca.vertcat(*(residuals[i] for i, row in enumerate(system.rows) if row.level == level))
        covector = ca.jtimes(stacked, symbols, s.multipliers[places], True)
        force += pull_back(system, covector) if level == "position" else covector
    return force


def _gaps(system: MechanicalSystem, put_in: _PutIn) -> tuple[Gap, ...]:
    """The gaps of all limits that coordinates move."""
    return tuple(
        Gap(limit.name, side, put_in(gap), limit.level, put_in(limit.restitution), place, limit.span)
        for limit in system.limits
        if limit.level is not None
        for side, gap, place in zip(limit.sides, limit.gaps, limit.places, strict=True)
    )


def _frictions(system: MechanicalSystem, put_in: _PutIn) -> tuple[Friction, ...]:
    return tuple(
        replace(
            friction,
            coefficient=put_in(friction.coefficient),
            static=put_in(friction.static),
            normal=put_in(friction.normal),
            flow=put_in(friction.flow),
            viscous=put_in(friction.viscous),
            stribeck=None if friction.stribeck is None else put_in(friction.stribeck),
        )
        for friction in system.frictions
    )


def _contact_forces(system: MechanicalSystem, gaps: tuple[Gap, ...], frictions: tuple[Friction, ...]) -> ca.SX:
    """What limits and frictions push with: ∂gap/∂q or ∂gap/∂v, and ∂flow/∂v, times their multipliers."""
    s = system.symbols
    force = ca.SX.zeros(s.v.numel())
    closing = [gap for gap in gaps if gap.level == "position"]
    if closing:
        stacked, places = ca.vertcat(*(gap.residual for gap in closing)), [gap.place for gap in closing]
        force += pull_back(system, ca.jtimes(stacked, s.q, s.contacts[places], True))
    rates = [(gap.residual, s.contacts[gap.place]) for gap in gaps if gap.level == "velocity"]
    rates += [(friction.flow, s.contacts[friction.places]) for friction in frictions]
    if rates:
        stacked = ca.vertcat(*(flow for flow, _ in rates))
        force += ca.jtimes(stacked, s.v, ca.vertcat(*(multiplier for _, multiplier in rates)), True)
    return force


def _power(
    system: MechanicalSystem,
    kinetic: ca.SX,
    potential: ca.SX,
    dissipation: ca.SX,
    residuals: list[ca.SX],
    gaps: tuple[Gap, ...],
    frictions: tuple[Friction, ...],
    put_in: _PutIn,
) -> ca.SX:
    s = system.symbols
    # The part of a flow that moves with time does no work on the energies as this frame sees them.
    work = [ca.dot(f.effort, ca.jtimes(f.flow, f.velocities, f.velocities)) for f in system.forces]
    forces = put_in(ca.vertcat(*work))
    rubbed = [ca.dot(s.contacts[f.places], ca.jtimes(f.flow, s.v, s.v)) for f in frictions]
    lost = ca.jtimes(dissipation, s.v, s.v)
    moving = ca.SX(0)
    for row, residual in zip(system.rows, residuals, strict=True):
        if row.level == "position":
            # λ·φ_q·q̇ = -λ·φ_t, where the constraint holds: no need to build what cancels.
            moving -= s.multipliers[row.multiplier] * ca.jacobian(residual, s.time)
        else:
            moving += s.multipliers[row.multiplier] * ca.jtimes(residual, s.v, s.v)
    for gap in gaps:
        if gap.level == "position":
            moving -= s.contacts[gap.place] * ca.jacobian(gap.residual, s.time)
        else:
            moving += s.contacts[gap.place] * ca.jtimes(gap.residual, s.v, s.v)
    explicit = ca.jacobian(potential - kinetic, s.time)
    # What is done at an instant has no power; its work is added when it happens.
    sudden = ca.SX(2, 1) if gaps or system.whens else ca.SX(0, 1)
    return ca.densify(ca.vertcat(forces, *rubbed, lost, moving, explicit, sudden))


def _unknowns(system: MechanicalSystem, servo_inputs: list[int]) -> tuple[Unknown, ...]:
    unknowns = []
    for coordinate in system.coordinates:
        for name in coordinate.velocity_names:
            unknowns.append(Unknown(name, "coordinate", 2, coordinate.span))
    for group in system.unknowns:
        for place, name in zip(range(group.elements.start, group.elements.stop), group.element_names, strict=True):
            unknowns.append(Unknown(name, "unknown", int(system.rates_used[place]), group.span))
    for row in system.rows:
        unknowns.append(Unknown(f"reaction({row.constraint})", "multiplier", 0, row.span))
    names = {
        place: (name, group.span)
        for group in system.inputs
        for place, name in zip(range(group.elements.start, group.elements.stop), group.element_names, strict=True)
    }
    for place in servo_inputs:
        unknowns.append(Unknown(names[place][0], "input", 0, names[place][1]))
    return tuple(unknowns)


def _rows(system: MechanicalSystem, motion: ca.SX, residuals: list[ca.SX], put_in: _PutIn) -> tuple[Row, ...]:
    rows = []
    for coordinate in system.coordinates:
        for place, name in zip(range(coordinate.v.start, coordinate.v.stop), coordinate.position_names, strict=False):
            label = coordinate.name if coordinate.is_rotation else name
            rows.append(Row(f"motion of {label}", "motion", motion[place], coordinate.span))
    for equation in system.equations:
        rows.append(Row(equation.label, "equation", put_in(equation.residual), equation.span))
    for row, residual in zip(system.rows, residuals, strict=True):
        rows.append(Row(row.label, "constraint", residual, row.span))
    for servo in system.servos:
        for servo_row in servo.rows:
            rows.append(Row(servo_row.label, "servo", put_in(servo_row.residual), servo_row.span, servo_row.rate))
    return tuple(rows)


class _PutIn:
    """Puts the signals in for the external inputs."""

    def __init__(self, old: ca.SX, new: ca.SX) -> None:
        self._old = old
        self._new = new

    def __call__(self, expression: ca.SX) -> ca.SX:
        if self._old.numel() == 0:
            return expression
        return ca.substitute(expression, self._old, self._new)


def _signals(system: MechanicalSystem) -> tuple[Signals, _PutIn, ca.SX]:
    s = system.symbols
    found = {place for servo in system.servos for place in servo.inputs}
    places = tuple(i for i in range(s.inputs.numel()) if i not in found)
    names = [name for group in system.inputs for name in group.element_names]
    signals = Signals(
        inputs=places,
        needed=tuple(names[i] for i in places if _is_nan(system.input_defaults[i])),
        replaced=ca.SX.sym("replaced", len(places)),
        coefficients=ca.SX.sym("coefficient", len(places), SIGNAL_DEGREE + 1),
        middle=ca.SX.sym("middle"),
        half_width=ca.SX.sym("half_width"),
    )
    values = ca.SX(s.inputs)
    for k, place in enumerate(places):
        default = system.input_defaults[place]
        # An input without a declared value is always replaced: what stands here is never used.
        declared = 0 if _is_nan(default) else (1 - signals.replaced[k]) * default
        x = (s.time - signals.middle) / signals.half_width
        values[place] = declared + _clenshaw(signals.coefficients[k, :], x)
    return signals, _PutIn(s.inputs, values), values


def _clenshaw(coefficients: ca.SX, x: ca.SX) -> ca.SX:
    """Σ c_k T_k(x) by Clenshaw's recurrence."""
    newer, older = ca.SX(0), ca.SX(0)
    for k in range(SIGNAL_DEGREE, 0, -1):
        newer, older = coefficients[k] + 2 * x * newer - older, newer
    return coefficients[0] + x * newer - older


def _is_nan(value: ca.SX) -> bool:
    return bool(value.is_constant() and np.isnan(float(value)))
