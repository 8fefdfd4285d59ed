"""What the report notes of a start and a run: one function for each remark, in the model's own terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

MOST = 4
"""Names told one by one; the rest is counted."""


def named(names: Iterable[str]) -> str:
    """``a`, `b` and 3 more``, each name once."""
    told = list(dict.fromkeys(names))
    shown = [f"`{name}`" for name in told[:MOST]]
    if len(told) > MOST:
        return f"{', '.join(shown)} and {len(told) - MOST} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def valued(values: Mapping[str, float]) -> str:
    """`a = 1.5, b = 2`, the first few."""
    shown = [f"{name} = {value:.6g}" for name, value in list(values.items())[:MOST]]
    return ", ".join(shown + ([f"and {len(values) - MOST} more"] if len(values) > MOST else []))


def redundant(
    repeats: Sequence[tuple[str, Sequence[str]]], count: int, not_unique: Sequence[str], rank: int, rows: int
) -> str:
    """The first of `count` rows that repeat others, and reactions that other choices would change."""
    told = "; ".join(f"`{row}` repeats {named(of)}" if of else f"`{row}` restricts nothing" for row, of in repeats)
    more = f"; so do {count - len(repeats)} more rows" if count > len(repeats) else ""
    motion = f"{told}{more} (rank {rank} of {rows} constraint rows); the motion is that without the repetition"
    if not not_unique:
        return motion
    kind = "reaction of" if len(not_unique) == 1 else "reactions of"
    verb = "is" if len(not_unique) == 1 else "are"
    return f"{motion}, but the {kind} {named(not_unique)} {verb} not unique: those of least norm are recorded"


def rank_changed(time: float, rank: int, before: int, rows: int, dependence: str) -> str:
    """The rank of the constraint rows is another than at the start."""
    changed = f"at {time:.6g} s the rank of the constraint rows is {rank} of {rows} ({before} at the start)"
    return f"{changed}: {dependence}" if dependence else changed


def another_branch(constraints: Sequence[str], taken: Mapping[str, float], other: Mapping[str, float]) -> str:
    """Rows that complete the start have another solution."""
    return (
        f"{named(constraints)} can be assembled on more than one branch: the start is on that of {valued(taken)},"
        f" another has {valued(other)}; a `guess` near it would start there"
    )


def left_at_guess(values: Mapping[str, float], rows: Sequence[str]) -> str:
    """Unknowns the rows determine elsewhere, but not at this start."""
    stays, determines = ("stays", "it") if len(values) == 1 else ("stay", "them")
    return (
        f"{valued(values)} {stays} at the guess: at this start {named(rows)} {_do(rows)} not determine {determines};"
        " give a start value if another is meant"
    )


def change_point(times: Sequence[float], constraints: Sequence[str]) -> str:
    """Constraint rows that become dependent for an instant."""
    rows = f"the rows of {named(constraints)}"
    return (
        f"change point {_when(times)}: {rows} become dependent (singular) there, and another branch of"
        " the motion meets this one; which of them a real mechanism takes, the model does not say"
    )


def pole(times: Sequence[float], alike: Sequence[str], at_pole: str | None) -> str:
    """Angles that describe an attitude near one where two of them turn about one axis."""
    return f"{_when(times)} {pole_text(alike, at_pole)}"


def pole_text(alike: Sequence[str], at_pole: str | None) -> str:
    """What is wrong near the pole of angles, and the remedy."""
    where = f"`{at_pole}` comes to its pole: " if at_pole else ""
    return (
        f"{where}the angles {named(alike)} turn about one axis there and cannot be told apart, so that their"
        " rates may grow without bound; a `coordinate Rotation` in their place has no such attitude"
    )


def warned(message: str, begins: float, ends: float, stretches: int) -> str:
    """The condition of a `warn` did not hold at some instants."""
    when = f"at {begins:.5g} s" if begins == ends else f"from {begins:.5g} s to {ends:.5g} s"
    often = f", in {stretches} stretches" if stretches > 1 else ""
    return f"{message} ({when}{often})"


def lost_rank(constraints: Sequence[str], part: float) -> str:
    """The run stopped where constraint rows become dependent."""
    return (
        f"the rows of {named(constraints)} become dependent (singular, {part:.1e} of what they were): the motion has"
        " come to where they cannot be kept, or to a change point"
    )


def no_number(kind: str, name: str, ahead: float) -> str:
    """A quantity or an equation that has no value just ahead."""
    when = "here" if ahead <= 0 else f"{ahead:.2g} s on"
    why = "a division by zero, or a root or logarithm of what is negative"
    return f"{kind}`{name}` is not a finite number {when}: {why}"


def grows(name: str, value: float, before: float, since: float) -> str:
    """A quantity that has outgrown what it was."""
    return f"`{name}` has grown to {value:.6g}; it was within {before:.3g} up to {since:.6g} s"


def _do(names: Sequence[str]) -> str:
    return "does" if len(set(names)) == 1 else "do"


def _when(times: Sequence[float]) -> str:
    if len(times) == 1:
        return f"at {times[0]:.5g} s"
    return f"at {times[0]:.5g} s and {len(times) - 1} more times up to {times[-1]:.5g} s"
