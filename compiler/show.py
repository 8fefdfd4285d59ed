"""The equations of motion as text, in the names of the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

import casadi as ca
import sympy as sp

from .equations import EquationsOfMotion
from .mechanics import MechanicalSystem, NamedScalars
from .symbolic import Named, operation_count, text_of, to_sympy

WRITTEN_OUT = 300
"""Up to this many operations everything is written out and simplified; beyond, shared parts get names."""
LARGEST = 30_000
_WORTH_SIMPLIFYING = 60
_WIDTH = 100
_KINDS = (("constraints", "constraint"), ("servos", "servo"), ("equations", "equation"))


def show_equations(equations: EquationsOfMotion) -> str:
    """Energies, one equation for each velocity, then constraints, servos and first-order equations.

    In a motion, inertia, stiffness and losses stand on the left, forces and reactions on the right.
    """
    shown = _Shown(equations)
    sections = [
        ("shared parts", shown.definitions),
        ("energies", shown.energies),
        ("motion", shown.motions),
        *((title, shown.others[kind]) for title, kind in _KINDS),
    ]
    blocks = ["\n".join([title, *lines]) for title, lines in sections if lines]
    return "\n\n".join([f"{equations.system.program.name}: equations of motion", *blocks])


def written(equations: EquationsOfMotion, column: ca.SX, states: ca.SX, state_names: Sequence[str]) -> list[str]:
    """A column of expressions in the states (and time, parameters, inputs), each as a text.

    What takes too many operations to read is told by its length.
    """
    symbols, names = _symbols(equations.system)
    known = {str(n) for n in names}
    extra = [i for i, n in enumerate(state_names) if n not in known]
    more = [Named(state_names[i], 6) for i in extra]
    all_symbols = ca.vertcat(symbols, *(states[i] for i in extra))
    texts = []
    for expression in ca.vertsplit(_inputs_by_name(equations, ca.densify(column))):
        count = operation_count(expression, all_symbols)
        if count > WRITTEN_OUT:
            texts.append(f"({count} operations)")
            continue
        found = to_sympy(expression, all_symbols, [*names, *more], share=False)
        texts.append(text_of(_simplified(found.expressions[0])))
    return texts


class _Shown:
    """All expressions of the equations, turned into text together so that they share definitions."""

    def __init__(self, equations: EquationsOfMotion) -> None:
        system = equations.system
        symbols, names = _symbols(system)
        motions = [row for row in equations.rows if row.kind == "motion"]
        others = [row for row in equations.rows if row.kind != "motion"]
        motion = _inputs_by_name(equations, ca.vertcat(*(row.residual for row in motions)))
        multipliers = ca.vertcat(system.symbols.multipliers, system.symbols.contacts)
        free = ca.substitute(motion, multipliers, ca.SX.zeros(multipliers.numel()))
        right = ca.densify(system.applied - (motion - free))
        energies = ca.vertcat(equations.kinetic, equations.potential, equations.dissipation)
        rest = _inputs_by_name(equations, ca.vertcat(energies, *(row.residual for row in others)))
        column = ca.vertcat(free + system.applied, right, rest)
        count = operation_count(column, symbols)
        if count > LARGEST:
            notice = f"  {count} operations: too long to print"
            self.definitions: list[str] = []
            self.energies = self.motions = [notice]
            self.others: dict[str, list[str]] = {kind: [] for _, kind in _KINDS}
            return
        share = count > WRITTEN_OUT
        symbolic = to_sympy(column, symbols, names, share=share)
        texts = [text_of(e if share else _simplified(e)) for e in symbolic.expressions]
        n = len(motions)
        self.definitions = _lines((str(name), " = ", text_of(value)) for name, value in symbolic.definitions)
        self.motions = _lines(
            (row.name.removeprefix("motion of "), ":  ", f"{left} = {right}")
            for row, left, right in zip(motions, texts[:n], texts[n : 2 * n], strict=True)
        )
        kinds = ("T", "V", "D")
        self.energies = _lines(
            (kind, " = ", text) for kind, text in zip(kinds, texts[2 * n : 2 * n + 3], strict=True) if text != "0"
        )
        tail = list(zip(others, texts[2 * n + 3 :], strict=True))
        self.others = {
            kind: _lines((row.name, ":  ", f"{text} = 0") for row, text in tail if row.kind == kind)
            for _, kind in _KINDS
        }


def _lines(entries: Iterable[tuple[str, str, str]]) -> list[str]:
    """Names aligned, long texts broken at spaces."""
    listed = list(entries)
    width = max((len(name) for name, _, _ in listed), default=0)
    lines = []
    for name, mark, text in listed:
        first, *more = wrap(text, _WIDTH - width, break_long_words=False, break_on_hyphens=False)
        lines.append(f"  {name:{width}}{mark}{first}")
        lines += [f"  {'':{width + len(mark) + 2}}{line}" for line in more]
    return lines


def _simplified(expression: sp.Expr) -> sp.Expr:
    """A shorter form of small expressions; simplifying large ones takes longer than reading them."""
    if expression.count_ops() > _WORTH_SIMPLIFYING:
        return sp.factor_terms(expression)
    shorter = sp.simplify(expression)
    return shorter if shorter.count_ops() < expression.count_ops() else expression


def _inputs_by_name(equations: EquationsOfMotion, expressions: ca.SX) -> ca.SX:
    """External inputs stand in the equations as polynomials in time: put their own symbols back."""
    signals = equations.signals
    inputs = equations.system.symbols.inputs
    coefficients = ca.SX.zeros(*signals.coefficients.shape)
    for k, place in enumerate(signals.inputs):
        coefficients[k, 0] = inputs[place]
    old = signals.column
    new = ca.vertcat(ca.SX.ones(len(signals.inputs)), ca.vec(coefficients), 0, 1)
    return ca.substitute(expressions, old, new)


def _symbols(system: MechanicalSystem) -> tuple[ca.SX, list[Named]]:
    """All free symbols in one column, and what each is called in results.

    In products parameters stand first, reactions last.
    """
    s = system.symbols
    velocities = [name for c in system.coordinates for name in c.velocity_names]
    accelerations = [
        f"der(angularVelocity({c.name}))[{k + 1}]" if c.is_rotation else f"der({name})"
        for c in system.coordinates
        for k, name in enumerate(c.velocity_names)
    ]
    unknowns = _element_names(system.unknowns)
    reactions = [f"reaction({row.constraint}){row.label.removeprefix(row.constraint)}" for row in system.rows]
    blocks = [
        (s.time, ["time"], 2),
        (s.q, [name for c in system.coordinates for name in c.position_names], 3),
        (s.v, velocities, 5),
        (s.a, accelerations, 6),
        (s.parameters, system.parameter_names, 1),
        (s.inputs, _element_names(system.inputs), 2),
        (s.unknowns, unknowns, 4),
        (s.unknown_rates, [f"der({name})" for name in unknowns], 5),
        (s.multipliers, reactions, 7),
        (s.contacts, [symbol.name() for symbol in ca.vertsplit(s.contacts)] if s.contacts.numel() else [], 7),
    ]
    names = [Named(name, rank) for _, group, rank in blocks for name in group]
    return ca.vertcat(*(symbols for symbols, _, _ in blocks)), names


def _element_names(groups: tuple[NamedScalars, ...]) -> list[str]:
    return [name for group in groups for name in group.element_names]
