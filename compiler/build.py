"""The whole compilation, once, in order."""

from __future__ import annotations

from mbdc.dsl.analyse import Analysis, analyse
from mbdc.dsl.collection import uncollected
from mbdc.dsl.diagnostics import Diagnostic, ModelError, Severity, in_order
from mbdc.dsl.program import Program
from mbdc.dsl.records import frozen
from mbdc.dsl.source import Source

from .complaints_build import contact_too_deep, more_rows_than_coordinates, nothing_moves
from .derive import derive
from .doubled import doubled
from .integrability import Integrability, integrability
from .kernels import Kernels
from .lower import lower
from .mechanics import MechanicalSystem
from .reduce import reduce
from .reduced import ReducedSystem
from .start_values import StartTexts


@frozen
class Built:
    """A model ready to run: its system in symbols, its compiled functions, and what was noticed."""

    program: Program
    system: MechanicalSystem
    kernels: Kernels
    starts: StartTexts
    integrability: Integrability
    diagnostics: tuple[Diagnostic, ...]


@uncollected()
def build(
    source: Source,
    model: str | None = None,
    structure: dict[str, float | bool] | None = None,
    strict: bool = False,
) -> Built:
    """Text to compiled functions. Raises ModelError with every complaint; `strict` makes warnings errors."""
    # The language first: all complaints of all its passes are collected, so that one look mends them all.
    analysis = analyse(source, model=model, structure=structure or {})
    program = _checked(analysis, strict)
    if not any(v.kind == "coordinate" or v.is_state for v in program.variables.values()):
        raise ModelError([nothing_moves(program.name, program.span)])
    # From names to symbols; nothing after this looks a name up.
    system = lower(program)
    # What constraints on velocities amount to is seen in the symbols; a wrong qualifier ends it here.
    judged = integrability(system)
    # A force that a potential exerts already is legal, and hardly ever meant.
    twice = doubled(system)
    # Mechanics ends here: after `derive` there are rows and unknowns, whatever they came from.
    equations = derive(system)
    # Hidden constraints become rows of their own, so that the integrator sees index one.
    reduced = reduce(equations)
    _verify_contacts(reduced)
    # Functions are compiled as they are asked for: a check of a model compiles none.
    notes = (*system.notes, *judged.notes, *twice, *_crowded(system))
    diagnostics = tuple(in_order((*analysis.diagnostics, *notes)))
    if any(d.severity in _grave(strict) for d in diagnostics):
        raise ModelError(diagnostics)
    return Built(program, system, Kernels(reduced), StartTexts(reduced), judged, diagnostics)


def _crowded(system: MechanicalSystem) -> tuple[Diagnostic, ...]:
    rows = [row for row in system.rows if row.level == "position"]
    velocities = int(system.symbols.v.numel())
    if len(rows) <= velocities:
        return ()
    names = list(dict.fromkeys(row.constraint for row in rows))
    return (more_rows_than_coordinates(len(rows), velocities, names, rows[0].span),)


def _grave(strict: bool) -> set[Severity]:
    return {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}


def _checked(analysis: Analysis, strict: bool) -> Program:
    if analysis.program is None or any(d.severity in _grave(strict) for d in analysis.diagnostics):
        raise ModelError(in_order(analysis.diagnostics))
    return analysis.program


def _verify_contacts(reduced: ReducedSystem) -> None:
    """Refuses limits and frictions where hidden constraints go further than to accelerations."""
    equations = reduced.equations
    velocities = equations.coordinate_orders[0].numel()
    deep = [e.name for e in reduced.z_entries[:velocities] if e.order != 2]
    deep += [r.name for r, c in zip(equations.rows[:velocities], reduced.differentiations, strict=False) if c]
    if deep:
        limits = {gap.limit: contact_too_deep("limit", gap.limit, gap.span) for gap in equations.gaps}
        frictions = [contact_too_deep("friction", friction.name, friction.span) for friction in equations.frictions]
        if limits or frictions:
            raise ModelError([*limits.values(), *frictions])
