"""What a system is, before it moves: coordinates, constraints by kind, and its freedom."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from mbdc.dsl.records import frozen

if TYPE_CHECKING:
    from .integrability import Integrability
    from .mechanics import Constraint, MechanicalSystem


@frozen(kw_only=True)
class Summary:
    """The system in numbers and names.

    `coordinates` maps each declared coordinate to its degrees of freedom (3 for a `Rotation`).
    `holonomic` and `nonholonomic` map constraints to their rows. `position_freedom` is the number of
    coordinates less the holonomic rows and what velocity rows keep constant in disguise, `velocity_freedom`
    less all rows (independent ones). `integrability` says what velocity rows amount to, those that share
    coordinates together.
    """

    model: str
    description: str
    coordinates: dict[str, int]
    holonomic: dict[str, int]
    nonholonomic: dict[str, int]
    position_freedom: int
    velocity_freedom: int
    integrability: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    forces: tuple[str, ...] = ()
    servos: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    frictions: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """A few aligned lines; kinds of things the system does not have are left out."""
        lists = [
            ("coordinates", _counted(self.coordinates)),
            ("holonomic", _counted(self.holonomic)),
            ("nonholonomic", _counted(self.nonholonomic)),
            ("integrability", "; ".join(self.integrability)),
            ("equations for", ", ".join(self.unknowns)),
            ("inputs", ", ".join(self.inputs)),
            ("forces", ", ".join(self.forces)),
            ("servos", ", ".join(self.servos)),
            ("limits", ", ".join(self.limits)),
            ("frictions", ", ".join(self.frictions)),
            ("freedom", f"{self.position_freedom} in position, {self.velocity_freedom} in velocity"),
        ]
        title = f"{self.model}: {self.description}" if self.description else self.model
        return "\n".join([title, *(line for name, text in lists if text for line in _entry(name, text))])

    def to_json(self) -> dict[str, Any]:
        """The summary as plain dictionaries, lists, numbers and texts."""
        return {
            "model": self.model,
            "description": self.description,
            "coordinates": self.coordinates,
            "holonomic": self.holonomic,
            "nonholonomic": self.nonholonomic,
            "position_freedom": self.position_freedom,
            "velocity_freedom": self.velocity_freedom,
            "integrability": list(self.integrability),
            "inputs": list(self.inputs),
            "forces": list(self.forces),
            "servos": list(self.servos),
            "limits": list(self.limits),
            "frictions": list(self.frictions),
            "unknowns": list(self.unknowns),
        }


def summarize(
    system: MechanicalSystem, integrability: Integrability, *, redundant: tuple[int, int] = (0, 0)
) -> Summary:
    """The summary of a system and of what its velocity rows amount to.

    `redundant` is how many rows at position level, and how many of all rows, say what others say already.
    """
    holonomic = {c.name: _rows(c, "position") for c in system.constraints}
    nonholonomic = {c.name: _rows(c, "velocity") for c in system.constraints}
    size = sum(c.v.stop - c.v.start for c in system.coordinates)
    position = sum(holonomic.values()) + integrability.hidden - redundant[0]
    everything = sum(holonomic.values()) + sum(nonholonomic.values()) - redundant[1]
    return Summary(
        model=system.program.name,
        description=system.program.description,
        coordinates={c.name: c.v.stop - c.v.start for c in system.coordinates},
        holonomic={name: rows for name, rows in holonomic.items() if rows},
        nonholonomic={name: rows for name, rows in nonholonomic.items() if rows},
        position_freedom=size - position,
        velocity_freedom=size - everything,
        integrability=integrability.texts,
        inputs=tuple(i.name for i in system.inputs),
        forces=tuple(f.name for f in system.forces),
        servos=tuple(s.name for s in system.servos),
        limits=tuple(limit.name for limit in system.limits),
        frictions=tuple(friction.name for friction in system.frictions),
        unknowns=tuple(u.name for u in system.unknowns),
    )


def _rows(constraint: Constraint, level: str) -> int:
    return sum(row.level == level for row in constraint.rows)


def _counted(sizes: dict[str, int]) -> str:
    """`8: x, y, p (3)`; a name alone stands for one."""
    if not sizes:
        return ""
    names = [name if size == 1 else f"{name} ({size})" for name, size in sizes.items()]
    shown = names if len(names) <= 24 else [*names[:20], f"and {len(names) - 20} more"]
    return f"{sum(sizes.values())}: {', '.join(shown)}"


def _entry(name: str, text: str) -> list[str]:
    first, *others = wrap(text, 80, break_long_words=False)
    return [f"  {name:13}  {first}", *(f"  {'':13}  {line}" for line in others)]
