"""What a formulation is, and what it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import field, frozen

if TYPE_CHECKING:
    from ..integrate import Driver
    from ..kernels import Kernels
    from ..start import Start

FormulationName: TypeAlias = Literal["attraction", "baumgarte", "ggl", "udwadia-kalaba", "null-space"]
NAMES: Final[tuple[FormulationName, ...]] = get_args(FormulationName)
"""All there are, the default first."""

GAINS = (10.0, 10.0)
"""Baumgarte's α and β (1/s) where none are given: for motions with a time scale of a second; no choice serves all."""


@frozen(eq=False)
class Formulation(ABC):
    """A formulation of one compiled model's equations.

    `follower` is a driver whose states x are those of the model and whose z begins with the model's z, so
    that the same functions watch and record it.
    """

    kernels: Kernels = field(repr=False)

    @property
    @abstractmethod
    def name(self) -> FormulationName:
        """What it is called where it is chosen."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is called in tables and complaints."""

    @abstractmethod
    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        """Why it cannot take the model from this start; empty where it can."""

    @abstractmethod
    def follower(self, driver: Driver) -> Driver:
        """A driver with the same parameters and inputs that follows this formulation's equations."""
