"""What is said where equations cannot be solved for what they should determine."""

from __future__ import annotations

from mbdc.dsl.diagnostics import Diagnostic, Related, error

from .equations import EquationsOfMotion


def no_reduction(equations: EquationsOfMotion, unknowns: list[int], rows: list[int]) -> Diagnostic:
    """Some unknowns are found by no row, however often rows are differentiated."""
    names = ", ".join(f"`{equations.unknowns[j].name}`" for j in unknowns)
    left = [equations.rows[i] for i in rows]
    related = [Related(f"`{row.name}` is left without anything to determine", row.span) for row in left]
    return error(
        "undetermined",
        f"nothing determines {names}",
        equations.unknowns[unknowns[0]].span,
        *related,
        help="give it inertia, a force, a constraint or an equation in which it appears",
    )


def never_regular(equations: EquationsOfMotion) -> Diagnostic:
    """However often rows are differentiated and combined, they do not determine every unknown."""
    servos = [row for row in equations.rows if row.kind == "servo"]
    if servos:
        inputs = ", ".join(f"`{u.name}`" for u in equations.unknowns if u.kind == "input")
        return error(
            "servo-cannot",
            f"servo `{servos[0].name}` cannot be kept by {inputs}: no derivative of it depends on what they do",
            servos[0].span,
            help="use an input whose force reaches what the servo prescribes",
        )
    return error(
        "undetermined",
        "the equations do not determine every unknown, however often they are differentiated",
        equations.system.program.span,
    )
