"""Whether constraints on velocities are nonholonomic in truth, or restrict positions in disguise.

The rows are taken together, those that share coordinates with each other, position rows included. What
qualifiers claim is judged by this: `holonomic` is wrong where rows do not integrate even with all others'
help, `nonholonomic` where they integrate by themselves. A row of a part that integrates only because of how
the part is used is no mistake of whoever uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen, replace

from . import complaints_integrability as complaints
from .distribution import grow, is_involutive, lets_time_pass
from .effort import Effort
from .findings import Findings
from .first_integrals import Integral, hidden_integrals, leaves_closure
from .form_functions import Scene
from .generic_points import OTHER_VALUES, POINTS, Start, points_near, start_of
from .mechanics import Constraint, MechanicalSystem
from .pfaffian import Block, blocks, rows_apart

MOST_VELOCITIES = 30
MOST_CALLS = 600_000
"""Of functions, for all integrals of a model: about a second. What is named in the tests takes half of it at most."""
MOST_ROWS = 12

Kind = Literal["nonholonomic", "holonomic in disguise", "partly integrable", "untested"]


@frozen
class Verdict:
    """What was found of rows that share coordinates: their labels, kind and growth vector.

    `hidden` is how many functions of position they keep constant beside the position rows. `timed` says that
    time counts as one of the dimensions, `apart` that a row was taken by itself, whatever others would add.
    """

    labels: tuple[str, ...]
    kind: Kind
    vector: tuple[int, ...] = ()
    hidden: int = 0
    timed: bool = False
    apart: bool = False

    @property
    def names(self) -> str:
        """The rows, in words."""
        return ", ".join(self.labels) if len(self.labels) <= 6 else f"{len(self.labels)} rows"

    @property
    def text(self) -> str:
        """What was found, in words."""
        if not self.vector:
            return self.kind
        timed = ", time included" if self.timed else ""
        apart = ", others left aside" if self.apart else ""
        grown = f"growth vector {complaints.vector_text(self.vector)} at {POINTS} points{timed}{apart}"
        return f"{'truly ' if self.kind == 'nonholonomic' else ''}{self.kind}, {grown}"


@frozen
class Integrability:
    """The verdicts, the number of integrals hidden in velocity rows, and what is to be said of them."""

    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The verdicts in words; those of many rows that are alike and share no coordinate together."""
        alike: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            alike.setdefault(verdict.text, []).append(verdict.names)
        return tuple(f"{_apart(names)}: {text}" for text, names in alike.items())

    @property
    def hidden(self) -> int:
        """How many functions of position velocity rows keep constant."""
        return sum(verdict.hidden for verdict in self.verdicts)


def _apart(names: Sequence[str]) -> str:
    shown = " / ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} / {len(names) - 4} more"


def integrability(system: MechanicalSystem) -> Integrability:
    """Judge all velocity rows. Raises ModelError where a qualifier is wrong."""
    findings = Findings()
    for constraint in system.constraints:
        _judge_nonlinear(constraint, findings)
    judged = _judged(system, Effort(MOST_CALLS), findings)
    refused: set[str] = set()
    for constraint in system.constraints:
        own = [j for j in judged if j.places(constraint)]
        match constraint.qualifier:
            case "holonomic":
                _verify_holonomic(constraint, own, findings)
            case "nonholonomic" if _integrates(constraint, own):
                findings.add(complaints.not_nonholonomic(constraint, _integrals_of(constraint, own)))
                refused.add(constraint.name)
            case _:
                pass
    _tell(judged, _freedom(system, judged), refused, findings)
    return Integrability(tuple(j.verdict for j in judged), findings.settle())


@frozen
class _Judged:
    """A block and what was found of it; `scene` and what follows are empty where it was not tested.

    `integrals` are those that have a name, `repeated` the number of position rows that repeat others. A row
    `apart` was taken out of a block that is too large to be tested.
    """

    block: Block
    verdict: Verdict
    scene: Scene | None = None
    integrals: tuple[Integral, ...] = ()
    repeated: int = 0
    apart: bool = False

    def places(self, constraint: Constraint) -> list[int]:
        """The places in the block of a constraint's velocity rows."""
        rows = enumerate(self.block.rows)
        return [k for k, row in rows if row.level == "velocity" and row.constraint == constraint.name]

    def alone(self, rows: Sequence[int]) -> bool:
        """Whether some of the rows integrate without the others, whatever the parameters."""
        independent = [k for k in rows if self.scene is not None and k in self.scene.growth.independent]
        if self.scene is None or len(independent) > self.verdict.hidden:
            return False
        others = (self.block.at(point) for point in self.scene.others)
        return all(is_involutive(forms, rows) for forms in chain(self.scene.forms, others))


def _judged(system: MechanicalSystem, effort: Effort, findings: Findings) -> list[_Judged]:
    found = blocks(system)
    if not found:
        return []
    start = start_of(system)
    judged = []
    for block in found:
        if len(block.velocities) <= MOST_VELOCITIES and len(block.rows) - block.positions <= MOST_ROWS:
            judged.append(_judge(block, start, effort, findings))
            continue
        why = "there are too many of them; each by itself was"
        findings.add(complaints.untested(_labels(block), why, block.rows[block.positions].span))
        judged += [_set_apart(_judge(row, start, effort, findings)) for row in rows_apart(block)]
    return judged


def _judge(block: Block, start: Start, effort: Effort, findings: Findings) -> _Judged:
    untested = _Judged(block, Verdict(_labels(block), "untested"))
    scene = _scene(block, start, effort)
    if isinstance(scene, str):
        findings.add(complaints.untested(_labels(block), scene, block.rows[block.positions].span))
        return untested
    growth = scene.growth
    fixed = sum(place < block.positions for place in growth.independent)
    moving = len(growth.independent) - fixed
    if not growth.complete:
        why = f"brackets of the motions allowed become too long (growth vector so far {growth.vector})"
        findings.add(complaints.untested(_labels(block), why, block.rows[block.positions].span))
        return replace(untested, scene=scene)
    hidden = growth.integrals - fixed
    kind: Kind = "nonholonomic" if hidden == 0 else "partly integrable"
    if hidden == moving:
        kind = "holonomic in disguise"
    verdict = Verdict(_labels(block), kind, growth.vector, hidden, block.timed)
    integrals = tuple(hidden_integrals(scene)) if hidden else ()
    return _Judged(block, verdict, scene, integrals, block.positions - fixed)


def _set_apart(judged: _Judged) -> _Judged:
    return replace(judged, apart=True, verdict=replace(judged.verdict, apart=True))


def _scene(block: Block, start: Start, effort: Effort) -> Scene | str:
    """The block looked at near the start; a text says why that cannot be."""
    s = block.system.symbols
    found = ca.vertcat(s.unknowns, s.unknown_rates)
    if found.numel() and ca.depends_on(block.forms, found):
        return "unknowns that equations find stand in them"
    points = points_near(block, start, POINTS)
    if len(points) < POINTS:
        if not block.positions:
            return "coefficients have no value at the points tried near the start"
        return "no points near the start were found that satisfy the position constraints"
    forms = tuple(block.at(point) for point in points)
    if block.timed and not all(lets_time_pass(form) for form in forms):
        return "no motion satisfies them all"
    growth = grow(block, points, forms)
    # Other parameter values matter only to what integrates.
    fixed = sum(place < block.positions for place in growth.independent)
    plain = growth.integrals == fixed and len(growth.independent) == len(block.rows)
    others = [] if plain or not s.parameters.numel() else points_near(block, start, OTHER_VALUES, other_values=True)
    return Scene(block, growth, tuple(points), forms, tuple(others), start, effort)


def _labels(block: Block) -> tuple[str, ...]:
    return tuple(row.label for row in block.rows if row.level == "velocity")


def _freedom(system: MechanicalSystem, judged: Sequence[_Judged]) -> int:
    rows = sum(row.level == "position" for row in system.rows)
    return int(system.symbols.v.numel()) - rows + sum(j.repeated - j.verdict.hidden for j in judged)


# --- qualifiers ------------------------------------------------------------------------------------


def _judge_nonlinear(constraint: Constraint, findings: Findings) -> None:
    if all(row.linear or row.level == "position" for row in constraint.rows):
        return
    if constraint.qualifier == "holonomic":
        findings.add(complaints.not_holonomic_as_nonlinear(constraint))
    else:
        findings.add(complaints.chetaev(constraint))


def _verify_holonomic(constraint: Constraint, judged: Sequence[_Judged], findings: Findings) -> None:
    for j in judged:
        # A row taken out of its block may well integrate with the others' help.
        if j.apart or j.scene is None:
            continue
        if any(leaves_closure(j.scene, place) for place in j.places(constraint)):
            findings.add(complaints.not_holonomic(constraint, j.scene.growth.vector, j.block))
            return


def _integrates(constraint: Constraint, judged: Sequence[_Judged]) -> bool:
    """Whether the velocity rows of a constraint integrate by themselves."""
    if "." in constraint.name or not all(row.linear for row in constraint.rows):
        return False
    return bool(judged) and all(j.alone(j.places(constraint)) for j in judged)


def _integrals_of(constraint: Constraint, judged: Sequence[_Judged]) -> list[Integral]:
    integrals = [integral for j in judged for integral in j.integrals]
    return [i for i in integrals if all(row.constraint == constraint.name for row in i.rows)]


# --- what is told ----------------------------------------------------------------------------------


def _tell(judged: Sequence[_Judged], freedom: int, refused: set[str], findings: Findings) -> None:
    for j in judged:
        for integral in j.integrals:
            if any(row.constraint in refused for row in integral.rows):
                continue
            places = [k for k, row in enumerate(j.block.rows) if row in integral.rows]
            findings.add(complaints.integrable(integral, j.alone(places), freedom))
        unnamed = j.verdict.hidden - len(j.integrals)
        if unnamed > 0:
            span = j.block.rows[j.block.positions].span
            findings.add(complaints.partly_integrable(j.verdict.labels, unnamed, freedom, span))
