"""Diagnostics gathered while a pass goes on, so that all of a model's mistakes are told at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mbdc.dsl.diagnostics import Diagnostic, ModelError, Severity, in_order
from mbdc.dsl.records import field, mutable


@mutable
class Findings:
    """What has been found so far."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, diagnostic: Diagnostic) -> None:
        """One more."""
        self.diagnostics.append(diagnostic)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Keeps the errors of one statement and goes on behind the `with` block."""
        try:
            yield
        except ModelError as failure:
            self.diagnostics.extend(failure.diagnostics)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == Severity.ERROR for d in self.diagnostics)

    def settle(self) -> tuple[Diagnostic, ...]:
        """All notes and warnings, once each; raises ModelError with everything if there is an error."""
        found = in_order(self.diagnostics)
        if self.has_errors:
            raise ModelError(found)
        return tuple(found)
