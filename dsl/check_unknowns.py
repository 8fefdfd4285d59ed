"""Whether equations determine what they are to determine: as many as unknowns, and one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import complaints_check as say
from . import flat
from .check_events import EquationRows
from .check_site import Site
from .source import Span

_MOST_MATCHED = 3000


def verify_unknowns(
    site: Site,
    unknowns: Mapping[str, tuple[flat.VariableDeclaration, int]],
    rows: Sequence[EquationRows],
    components: Mapping[str, str],
    span: Span,
) -> None:
    """`unknowns` gives the declaration and the number of elements of each variable that equations find."""
    if any(row.rows < 0 for row in rows):
        return  # a wrong equation: its unknowns are not known
    used = frozenset[str]().union(*(row.facts.unknowns for row in rows))
    for name, (declaration, _) in unknowns.items():
        if name not in used:
            member, owner = _owner(name, components)
            site.report(say.no_value(declaration.span, member, owner))
    for row in rows:
        if not row.facts.unknowns:
            site.report(say.equation_without_unknown(row.equation.span, row.name))
    counted = {name: size for name, (_, size) in unknowns.items() if name in used}
    real = [row for row in rows if row.facts.unknowns]
    total = sum(counted.values())
    lines = sum(row.rows for row in real)
    if total != lines:
        place = real[0].equation.span if real else span
        labels = [row.name for row in real]
        site.report(say.equations_unknowns(place, list(counted), total, labels, lines))
    elif total <= _MOST_MATCHED:
        left = _undetermined(counted, real)
        if left:
            site.report(say.not_determined(unknowns[left[0]][0].span, left))


def _owner(name: str, components: Mapping[str, str]) -> tuple[str, str]:
    """The member's own name, and `of Wheel w` where it belongs to a part."""
    path, _, member = name.rpartition(".")
    if not path or path not in components:
        return name, ""
    return member, f" of `{components[path]} {path}`"


def _undetermined(counted: Mapping[str, int], rows: Sequence[EquationRows]) -> list[str]:
    """Unknowns that no equation is left for, by a matching of rows and unknowns (augmenting paths)."""
    copies = [name for name, size in counted.items() for _ in range(size)]
    places: dict[str, list[int]] = {}
    for place, name in enumerate(copies):
        places.setdefault(name, []).append(place)
    row_of: dict[int, int] = {}
    lines = [row for row in rows for _ in range(row.rows)]
    choices = [[place for name in sorted(row.facts.unknowns) for place in places[name]] for row in lines]
    for line in range(len(lines)):
        _match(line, choices, row_of)
    return list(dict.fromkeys(name for place, name in enumerate(copies) if place not in row_of))


def _match(line: int, choices: Sequence[Sequence[int]], row_of: dict[int, int]) -> bool:
    """Finds a place for a row, moving other rows where they have another choice (breadth first)."""
    came_from: dict[int, int] = {}
    waiting = [line]
    for row in waiting:
        for place in choices[row]:
            if place in came_from:
                continue
            came_from[place] = row
            if place not in row_of:
                _move(place, came_from, row_of, line)
                return True
            waiting.append(row_of[place])
    return False


def _move(place: int, came_from: Mapping[int, int], row_of: dict[int, int], line: int) -> None:
    place_of = {row: taken for taken, row in row_of.items()}
    while True:
        row = came_from[place]
        before = place_of.get(row)
        row_of[place] = row
        if row == line or before is None:
            return
        place = before
