"""Index one with attraction: (d/dt + κ)^c of each row, κ from a pilot run; the default.

What follows it in a run is `simulate`, which also moves states onto the constraints between pieces.
"""

from __future__ import annotations

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen

from ..integrate import Driver
from ..start import Start
from .formulation import Formulation, FormulationName


@frozen(eq=False)
class Attraction(Formulation):
    """The reduced system as it is."""

    @property
    def name(self) -> FormulationName:
        return "attraction"

    @property
    def title(self) -> str:
        return "index one with attraction"

    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        return []

    def follower(self, driver: Driver) -> Driver:
        return driver
