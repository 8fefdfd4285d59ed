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
