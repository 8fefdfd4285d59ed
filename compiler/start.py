"""Where a run begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen

from .redundancy import Redundancy
from .report import StartResidual, StartValue

Floats = NDArray[np.float64]


@frozen
class Start:
    """A consistent state at a time: x (nx,), z (nz,), and how its values came about.

    `residuals` are what is left of each row at each level, `notes` what there is to say about the choices made.
    """

    time: float
    x: Floats
    z: Floats
    values: tuple[StartValue, ...]
    redundancy: Redundancy | None
    residuals: tuple[StartResidual, ...] = ()
    notes: tuple[str, ...] = ()
