"""The known name a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable

# Of more names than this only some are compared in full, those that begin or end alike: comparing is slow.
_MANY = 100


def nearest(name: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Up to `count` of the known names that resemble a name, the most alike first."""
    from difflib import get_close_matches  # 5 ms that only a mistake needs

    names = list(dict.fromkeys(known))
    other_case = [n for n in names if n.casefold() == name.casefold() and n != name]
    if len(names) > _MANY:
        names = [n for n in names if n[:2] == name[:2] or n[-2:] == name[-2:]]
        names = [n for n in names if abs(len(n) - len(name)) <= 2][:_MANY]
    alike = get_close_matches(name, names, n=count, cutoff=0.6)
    return list(dict.fromkeys([*other_case, *alike]))[:count]


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that resembles a name most, None where none does."""
    return next(iter(nearest(name, known)), None)
