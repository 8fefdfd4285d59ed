"""A formulation by its name."""

from __future__ import annotations

from typing import assert_never

from ..kernels import Kernels
from .attraction import Attraction
from .baumgarte import Baumgarte
from .formulation import Formulation, FormulationName
from .ggl import GearGuptaLeimkuhler
from .null_space import NullSpace
from .udwadia_kalaba import UdwadiaKalaba


def formulated(name: FormulationName, kernels: Kernels, gains: tuple[float, float]) -> Formulation:
    """The formulation of a model; `gains` (1/s) are Baumgarte's α and β."""
    match name:
        case "attraction":
            return Attraction(kernels)
        case "baumgarte":
            return Baumgarte(kernels, *gains)
        case "ggl":
            return GearGuptaLeimkuhler(kernels)
        case "udwadia-kalaba":
            return UdwadiaKalaba(kernels)
        case "null-space":
            return NullSpace(kernels)
        case _:
            assert_never(name)
