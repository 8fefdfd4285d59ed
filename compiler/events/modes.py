"""The modes of a run as numbers: which limits are held, which frictions stick, which relations are true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen, replace

from ..reduced import ReducedSystem

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@frozen(eq=False)
class ModeValues:
    """Numbers for `mechanics.Modes`, of the same names; `held` counts all gaps of limits."""

    held: Flags
    sticking: Flags
    pressed: Flags
    small: Floats
    direction: Floats
    bits: Flags

    @staticmethod
    def none(reduced: ReducedSystem) -> ModeValues:
        """Nothing held, no friction, no relation true."""
        modes = reduced.equations.system.modes
        return ModeValues(
            held=np.zeros(modes.held.numel(), dtype=bool),
            sticking=np.zeros(modes.sticking.numel(), dtype=bool),
            pressed=np.zeros(modes.pressed.numel(), dtype=bool),
            small=np.zeros(modes.small.numel()),
            direction=np.zeros(modes.direction.numel()),
            bits=np.zeros(modes.bits.numel(), dtype=bool),
        )

    @property
    def column(self) -> Floats:
        """All of it in one column, in the order of `mechanics.Modes`."""
        parts = (self.held, self.sticking, self.pressed, self.small, self.direction, self.bits)
        return np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])

    @property
    def key(self) -> bytes:
        """The same for the same modes of contacts, small speeds left aside."""
        signs = np.sign(self.direction)
        return self.held.tobytes() + self.sticking.tobytes() + self.pressed.tobytes() + signs.tobytes()

    def hold(self, place: int, held: bool) -> ModeValues:
        return replace(self, held=_set(self.held, place, held))

    def press(self, friction: int, pressed: bool) -> ModeValues:
        return replace(self, pressed=_set(self.pressed, friction, pressed))

    def stick(self, friction: int) -> ModeValues:
        return replace(self, sticking=_set(self.sticking, friction, True))

    def slide(self, friction: int, places: slice, direction: Floats) -> ModeValues:
        changed = self.direction.copy()
        changed[places] = direction
        return replace(self, sticking=_set(self.sticking, friction, False), direction=changed)

    def free(self, friction: int, places: slice) -> ModeValues:
        """A friction without a normal force does nothing."""
        return self.press(friction, False).slide(friction, places, np.zeros(places.stop - places.start))


def _set(flags: Flags, place: int, value: bool) -> Flags:
    changed = flags.copy()
    changed[place] = value
    return changed
