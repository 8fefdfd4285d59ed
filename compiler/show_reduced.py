"""What was differentiated, and the hidden constraints found, in the names of the model."""

from __future__ import annotations

import casadi as ca

from .equations import EquationsOfMotion
from .reduced import ReducedSystem, Stage
from .show import written

_TIMES = {0: "as written", 1: "once", 2: "twice", 3: "three times"}
_LEVELS = {0: "", 1: "d/dt ", 2: "d²/dt² ", 3: "d³/dt³ "}


def show_reduced(reduced: ReducedSystem) -> str:
    """Rows and how often each is differentiated; hidden constraints; what a run carries and finds."""
    blocks = [
        f"{reduced.equations.system.program.name}: what the run keeps",
        _block("differentiated", _differentiated(reduced)),
        _block("hidden constraints", _hidden(reduced)),
        _block("carried from instant to instant", [", ".join(e.name for e in reduced.x_entries)]),
        _block("found at each instant", [", ".join(_found(reduced))]),
    ]
    return "\n\n".join(block for block in blocks if block)


def _found(reduced: ReducedSystem) -> list[str]:
    contacts = reduced.equations.contacts
    pushing = [symbol.name() for symbol in ca.vertsplit(contacts)] if contacts.numel() else []
    return [*(entry.name for entry in reduced.z_entries), *pushing]


def _block(title: str, lines: list[str]) -> str:
    return "\n".join([title, *(f"  {line}" for line in lines)]) if lines else ""


def _differentiated(reduced: ReducedSystem) -> list[str]:
    rows = zip(reduced.equations.rows, reduced.differentiations, strict=True)
    told = [(row.name, count) for row, count in rows if count or row.kind != "motion"]
    width = max((len(name) for name, _ in told), default=0)
    return [f"{name:{width}}  {_TIMES.get(count, f'{count} times')}" for name, count in told]


def _hidden(reduced: ReducedSystem) -> list[str]:
    """Every derivative of a row that restricts states, as an equation."""
    lines = []
    for stage in reduced.stages:
        lines += [
            f"{_LEVELS.get(order, f'd^{order}/dt^{order} ')}{name}: {text} = 0"
            for name, order, text in _restrictions(reduced, stage)
            if order > 0
        ]
    return lines


def _restrictions(reduced: ReducedSystem, stage: Stage) -> list[tuple[str, int, str]]:
    equations: EquationsOfMotion = reduced.equations
    names = [equations.rows[i].name for i in stage.rows]
    texts = written(equations, stage.residual, reduced.x, [e.name for e in reduced.x_entries])
    return list(zip(names, stage.orders, texts, strict=True))
