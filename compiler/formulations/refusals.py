"""Reasons that several formulations share for not taking a model."""

from __future__ import annotations

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic

from ..complaints_formulation import (
    force_of_reaction,
    hidden_too_deep,
    no_equation,
    no_servo,
    no_statement,
    redundant_row,
)
from ..reduced import ReducedSystem
from ..start import Start


def of_statements(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    """What no formulation but the default takes: unknown inputs, friction and events.

    Where nothing of the kind is there, rows that must be differentiated more often than in mechanics.
    """
    found = [*of_changing_equations(title, reduced), *of_servos(title, reduced)]
    return found or of_depth(title, reduced)


def of_changing_equations(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    """Friction, `when` and laws that an `if` changes, which need more than one set of equations."""
    system = reduced.equations.system
    frictions = [no_statement(title, "friction", f.name, f.span) for f in system.frictions]
    whens = [no_statement(title, "when", "", w.span) for w in system.whens]
    relations = [no_statement(title, "if", "", system.program.span)] if system.relations and not whens else []
    return frictions + whens + relations


def of_servos(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    return [no_servo(title, servo) for servo in reduced.equations.system.servos]


def of_equations(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    return [no_equation(title, unknown) for unknown in reduced.equations.system.unknowns]


def of_forces(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    """Forces that must be solved for together with accelerations and multipliers."""
    s = reduced.equations.system.symbols
    unknown = ca.vertcat(s.a, s.multipliers)
    return [
        force_of_reaction(title, force)
        for force in reduced.equations.system.forces
        if ca.depends_on(force.effort, unknown)
    ]


def of_depth(title: str, reduced: ReducedSystem) -> list[Diagnostic]:
    """Positions are differentiated twice, velocities once and motion not at all; more is refused."""
    equations = reduced.equations
    usual = {"position": 2, "velocity": 1}
    levels = iter(equations.system.rows)
    found = []
    for row, times in zip(equations.rows, reduced.differentiations, strict=True):
        expected = usual[next(levels).level] if row.kind == "constraint" else 0
        if times != expected and row.kind != "servo":
            found.append(hidden_too_deep(title, row, times))
    return found


def of_redundancy(title: str, reduced: ReducedSystem, start: Start) -> list[Diagnostic]:
    if start.redundancy is None:
        return []
    rows = reduced.equations.system.rows
    return [redundant_row(title, rows[r.row], [rows[i] for i in r.of]) for r in start.redundancy.repeats()]
