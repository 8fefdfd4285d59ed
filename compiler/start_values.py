"""What is given of a start: by the text, and over it by the settings of one run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbdc.dsl.nearest import closest
from mbdc.dsl.records import frozen

from .complaints_start import bad_start_value, unknown_start
from .errors import StartError
from .mechanics import Coordinate
from .reduced import ReducedSystem
from .rotations import euler_parameters

Floats = NDArray[np.float64]
Settings: TypeAlias = Mapping[str, ArrayLike]


@frozen
class Given:
    """x (nx,): firm values, and guesses where there are none; `firm` (nx,) tells them apart.

    z (nz,) is where to look for the algebraic unknowns: their guesses (a `start` of one is no more than that), else 0.
    """

    x: Floats
    firm: NDArray[np.bool_]
    z: Floats


@frozen(eq=False)
class StartTexts:
    """The start values of a reduced system's text, ready to be worked out for given parameters."""

    reduced: ReducedSystem

    def given(self, parameters: Floats, settings: Settings) -> Given:
        """Values for parameters (np,); `settings` by result name (`x`, `der(x)`, `S`, `der(p)`) win.

        Raises StartError for a name that is no start value, or a value of the wrong shape.
        """
        r = self.reduced
        firm, guess, mask, z = (np.asarray(m).ravel() for m in self._evaluate(parameters))
        x = np.where(mask > 0, firm, guess)
        firm_mask = mask > 0
        for name, value in settings.items():
            places, numbers = self._place(name, value)
            x[places] = numbers
            firm_mask[places] = True
        for block in r.norm_blocks:
            x[block] /= np.linalg.norm(x[block])
        return Given(x, firm_mask, z)

    @cached_property
    def _evaluate(self) -> ca.Function:
        r = self.reduced
        s = r.equations.system.starts
        nq, nv = r.equations.q.numel(), s.velocity.numel()
        columns = {
            0: (s.position, s.position_guess, s.position_given),
            1: (s.velocity, s.velocity_guess, s.velocity_given),
        }
        firm, guess, mask = ca.SX(r.x.numel(), 1), ca.SX(r.x.numel(), 1), np.zeros(r.x.numel())
        for i, entry in enumerate(r.x_entries):
            if i < nq or (entry.unknown < nv and entry.order == 1):
                values, guesses, given = columns[min(entry.order, 1)]
                k = i if i < nq else entry.unknown
            elif entry.unknown >= nv and entry.order == 0 and entry.unknown - nv < s.unknown.numel():
                values, guesses, given, k = s.unknown, s.unknown_guess, s.unknown_given, entry.unknown - nv
            else:
                continue
            firm[i] = values[k] if given[k] else 0
            guess[i] = guesses[k]
            mask[i] = given[k]
        parameters = r.equations.system.symbols.parameters
        z = ca.SX(r.z.numel(), 1)
        for i, entry in enumerate(r.z_entries):
            k = entry.unknown - nv
            if entry.order == 0 and 0 <= k < s.unknown.numel():
                z[i] = s.unknown[k] if s.unknown_given[k] else s.unknown_guess[k]
        return ca.Function("starts", [parameters], [ca.densify(firm), ca.densify(guess), ca.DM(mask), ca.densify(z)])

    def _place(self, name: str, value: ArrayLike) -> tuple[list[int], Floats]:
        wanted = "".join(name.split())
        for coordinate in self._rotations:
            if wanted == coordinate.name:
                matrix = _shaped(name, value, (3, 3))
                return _range(coordinate.q), np.asarray(ca.DM(euler_parameters(ca.SX(matrix)))).ravel()
        places = self._known.get(wanted)
        if places is None:
            raise StartError([unknown_start(name, closest(wanted, self._known))])
        numbers = np.asarray(value, dtype=float).ravel()
        if numbers.size != len(places):
            raise StartError([bad_start_value(name, f"takes {len(places)} numbers, not {numbers.size}")])
        if not np.all(np.isfinite(numbers)):
            raise StartError([bad_start_value(name, "must be a finite number")])
        return places, numbers

    @cached_property
    def _rotations(self) -> list[Coordinate]:
        return [c for c in self.reduced.equations.system.coordinates if c.is_rotation]

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        """Settable names, of elements and of whole arrays, to places in x."""
        r = self.reduced
        known: dict[str, list[int]] = {}
        place = {e.name: i for i, e in enumerate(r.x_entries)}
        hidden = {name for c in self._rotations for name in c.position_names}
        nv = r.equations.coordinate_orders[0].numel()
        for i, entry in enumerate(r.x_entries):
            if entry.name not in hidden and (entry.order <= 1 if entry.unknown < nv else entry.order == 0):
                known[entry.name] = [i]
        for coordinate in r.equations.system.coordinates:
            rates = [place[n] for n in coordinate.velocity_names if n in place]
            known.setdefault(f"der({coordinate.name})", rates)
            if not coordinate.is_rotation:
                known.setdefault(coordinate.name, _range(coordinate.q))
        for group in r.equations.system.unknowns:
            if all(n in place for n in group.element_names):
                known.setdefault(group.name, [place[n] for n in group.element_names])
        return known


def _range(block: slice) -> list[int]:
    return list(range(block.start, block.stop))


def _shaped(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(value, dtype=float)
    if array.shape != shape:
        raise StartError([bad_start_value(name, f"takes an array of shape {shape}, not {array.shape}")])
    return array
