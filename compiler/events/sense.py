"""What events are seen by, at many instants at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from ..integrate import Piece, State
from ..kernels import Kernels, column_at
from ..reduced import ReducedSystem
from .modes import ModeValues

Floats = NDArray[np.float64]


@frozen
class Places:
    """Where contacts lie: `gaps` (ng,) and `flows` in z, `owners` (nw,) are the frictions of flow elements.

    `modes` (ng,) are the places of gaps among the modes of all limits, `spans` those of each friction's flow.
    `hit` (ng,) are the gaps between positions, which close with an impact; the others are between velocities.
    `velocities` (nv,) are the places of velocities in x.
    """

    gaps: NDArray[np.intp]
    flows: NDArray[np.intp]
    owners: NDArray[np.intp]
    modes: NDArray[np.intp]
    spans: tuple[slice, ...]
    hit: NDArray[np.bool_]
    velocities: NDArray[np.intp]

    @staticmethod
    def of(kernels: Kernels) -> Places:
        reduced = kernels.reduced
        equations = reduced.equations
        first = reduced.z.numel() - equations.contacts.numel()
        frictions = equations.frictions
        sizes = [f.places.stop - f.places.start for f in frictions]
        ends = np.cumsum([0, *sizes])
        flows = [first + place for f in frictions for place in range(f.places.start, f.places.stop)]
        return Places(
            gaps=np.array([first + gap.place for gap in equations.gaps], dtype=np.intp),
            flows=np.array(flows, dtype=np.intp),
            owners=np.repeat(np.arange(len(frictions)), sizes),
            modes=np.array([gap.place for gap in equations.gaps], dtype=np.intp),
            spans=tuple(slice(int(a), int(b)) for a, b in pairwise(ends)),
            hit=np.array([gap.level == "position" for gap in equations.gaps], dtype=bool),
            velocities=_velocities(reduced),
        )


def _velocities(reduced: ReducedSystem) -> NDArray[np.intp]:
    nv = reduced.equations.coordinate_orders[0].numel()
    found = {e.unknown: i for i, e in enumerate(reduced.x_entries) if e.unknown < nv and e.order == 1}
    return np.array([found[j] for j in range(nv) if j in found], dtype=np.intp)


@frozen(eq=False)
class Sensed:
    """At k instants: gaps with two derivatives (ng, k); flows and their rates (nw, k); normal and largest sticking
    forces (nf, k); margins of relations and their rates (nb, k); conditions of `when` (nh, k); the sides of all limits
    (nl, k), of which some are no gaps; assertions and bounds as 1 or 0 (na, k); and the forces of gaps (ng, k) and of
    frictions (nw, k).
    """

    gaps: Floats
    rates: Floats
    closing: Floats
    flows: Floats
    slips: Floats
    normals: Floats
    resting: Floats
    margins: Floats
    changing: Floats
    whens: Floats
    sides: Floats
    conditions: Floats
    forces: Floats
    rubbing: Floats

    @staticmethod
    def of(kernels: Kernels, places: Places, piece: Piece, environment: Floats) -> Sensed:
        arguments = [piece.times[None, :], piece.x, piece.z, environment]
        function, ends = kernels.sensors
        stacked = column_at(function, piece.times.size, arguments)
        columns = [stacked[start:end] for start, end in pairwise((0, *ends))]
        return Sensed(*[*columns, piece.z[places.gaps], piece.z[places.flows]])

    @staticmethod
    def at(kernels: Kernels, places: Places, state: State, environment: Floats) -> Sensed:
        """At one state."""
        return Sensed.of(kernels, places, piece_of(state), environment)


def piece_of(state: State) -> Piece:
    """A piece of one instant."""
    return Piece(np.array([state.time]), state.x[:, None], state.z[:, None], state.work[:, None], 0)


def speeds(values: Floats, modes: ModeValues, spans: tuple[slice, ...]) -> Floats:
    """Flows (nw, k) to one number for each friction (nf, k): along its direction, or the length where it has many."""
    rows = [
        modes.direction[span] @ values[span] if span.stop - span.start == 1 else np.linalg.norm(values[span], axis=0)
        for span in spans
    ]
    return np.array(rows).reshape(len(spans), values.shape[1])
