"""What can go wrong after a model was checked: its start, and its run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mbdc.dsl.diagnostics import Diagnostic, MbdError, ModelError

if TYPE_CHECKING:
    from .trajectory import Result

__all__ = ["MbdError", "ModelError", "SimulationError", "StartError"]


class StartError(MbdError):
    """Start values that cannot be: one that breaks a constraint, stands outside a limit, or does not exist.

    `nearest` holds the closest valid start by result name (`x`, `der(x)`) in SI units, where one was found.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], *, nearest: Mapping[str, float] | None = None) -> None:
        super().__init__(diagnostics)
        self.nearest = dict(nearest or {})


class SimulationError(MbdError):
    """A run that stopped before its stop time; `result` holds all that was computed up to there."""

    def __init__(self, diagnostics: Iterable[Diagnostic], *, result: Result) -> None:
        super().__init__(diagnostics)
        self.result = result
