"""What is said of events, in the model's own terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mbdc.dsl.dimension import TIME
from mbdc.dsl.units import unit_text

from ..equations import Gap
from ..kernels import Kernels
from ..layout import element_names
from ..mechanics import When
from ..notes import named

if TYPE_CHECKING:
    from .impact import Hit
    from .solve import Doubt
    from .watch import Watched


def reached(name: str, side: str) -> str:
    """A limit on what nothing can push."""
    return f"limit `{name}` reached at its {side} bound"


def hit(kernels: Kernels, gap: Gap, found: Hit) -> str:
    """An impact, with the speeds before and after it."""
    unit = _speed_unit(kernels, gap)
    arrived = f"hits its {gap.side} bound at {-found.before:.6g}{unit}" if found.before else "is struck"
    return f"{arrived}, leaves at {found.after:.6g}{unit}" if found.after else arrived


def held(gap: Gap, is_held: bool) -> str:
    """A limit begins or ends to push."""
    return f"rests on its {gap.side} bound" if is_held else f"leaves its {gap.side} bound"


def came_to_rest(gap: Gap, time: float, fastest: float) -> str:
    """A cascade of impacts that was ended."""
    return (
        f"limit `{gap.limit}`: its bounces had become too small to matter beside the fastest of {fastest:.3g}, so the"
        f" cascade of impacts was ended at {time:.9g} s, where it came to rest on its {gap.side} bound"
    )


def fired(when: When) -> str:
    """A condition that has turned true."""
    return f"`{' '.join(when.text.split())}` has become true"


def too_many(involved: Sequence[str], time: float) -> str:
    """Events without end at one instant."""
    who = f" of {named(involved)}" if involved else ""
    return f"events{who} accumulate at {time:.9g} s: there is no motion past them (a cascade without rest)"


def too_fast(involved: Sequence[str], count: int, interval: float) -> str:
    """Events that come faster than they can be recorded."""
    who = f" of {named(involved)}" if involved else ""
    return f"more than {count} events{who} in {interval:.3g} s: with a shorter interval they can be followed"


def undecided(kernels: Kernels, doubt: Doubt) -> str:
    """No modes are consistent."""
    equations = kernels.reduced.equations
    limits = [equations.gaps[k].limit for k in doubt.gaps]
    frictions = [equations.frictions[k].name for k in doubt.frictions]
    rubbing = [f.name for f in equations.frictions]
    if limits and (frictions or rubbing):
        return (
            f"no forces of {named(limits)} and friction {named(frictions or rubbing)} fit the motion: with dry friction"
            " rigid bodies can come to where none exist (Painlevé's paradox)"
        )
    return f"no forces of {named([*limits, *frictions])} fit the motion"


def names(kernels: Kernels, watched: Sequence[Watched]) -> list[str]:
    """What is watched, by the author's names."""
    equations = kernels.reduced.equations
    found = []
    for one in watched:
        match one.kind:
            case "gap":
                found.append(equations.gaps[one.place].limit)
            case "friction" | "pressed":
                found.append(equations.frictions[one.place].name)
            case "relation":
                found.append(str(equations.system.relations[one.place].condition))
    return found


def _speed_unit(kernels: Kernels, gap: Gap) -> str:
    declared = kernels.reduced.equations.system.program.statements.limits
    statement = next(s for s in declared if gap.limit in element_names(s.name, s.value.type.shape))
    text = unit_text(statement.value.type.dimension(0) / TIME)
    return f" {text}" if text else ""
