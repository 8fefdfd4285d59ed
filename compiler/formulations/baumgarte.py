"""Baumgarte's stabilisation with gains that are given (Comput. Methods Appl. Mech. Eng. 1 (1972) 1).

A constraint F between positions is replaced by F'' + 2α F' + β² F = 0, one between velocities by
F' + α F = 0. With α = β errors decay like (1 + ct) e^(-αt). Index one; followed by IDAS.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from mbdc.dsl.diagnostics import Diagnostic
from mbdc.dsl.records import frozen, replace

from ..integrate import Driver
from ..kernels import Kernels
from ..start import Start
from . import refusals
from .formulation import Formulation, FormulationName


@frozen(eq=False)
class Baumgarte(Formulation):
    """`alpha`, `beta` in 1/s."""

    alpha: float
    beta: float

    @property
    def name(self) -> FormulationName:
        return "baumgarte"

    @property
    def title(self) -> str:
        return f"Baumgarte ({self.alpha:g} /s, {self.beta:g} /s)"

    def refusals(self, driver: Driver, start: Start) -> list[Diagnostic]:
        reduced = self.kernels.reduced
        return [
            *refusals.of_statements(self.title, reduced),
            *refusals.of_redundancy(self.title, reduced, start),
        ]

    def follower(self, driver: Driver) -> Driver:
        return Driver(self._stabilised, driver.parameters, driver.inputs)

    @cached_property
    def _stabilised(self) -> Kernels:
        reduced = self.kernels.reduced
        rows = ca.vertcat(*(self._row(chain) for chain in reduced.derivatives), reduced.contacts.rows)
        return Kernels(replace(reduced, algebraic=ca.densify(rows)))

    def _row(self, chain: tuple[ca.SX, ...]) -> ca.SX:
        match chain:
            case (undifferentiated,):
                return undifferentiated
            case (velocity, rate):
                return rate + self.alpha * velocity
            case (position, velocity, acceleration):
                return acceleration + 2 * self.alpha * velocity + self.beta**2 * position
            case _:
                raise AssertionError("deeper chains have been refused")
