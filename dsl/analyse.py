"""The one call that runs all passes over a text and collects what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .check import check
from .collection import uncollected
from .depth import deep_recursion
from .diagnostics import Diagnostic, Severity, in_order
from .flat import FlatModel
from .flatten import flatten
from .link import link
from .parse import parse
from .program import Program
from .records import frozen
from .source import Source
from .syntax import Module


@frozen
class Analysis:
    """What is known of a text: `program` only without errors, the stages before it as far as they go."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    flat: FlatModel | None
    module: Module | None

    @property
    def has_errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.diagnostics)


def analyse(
    source: Source,
    model: str | None = None,
    structure: Mapping[str, float | bool] | None = None,
    search_path: Sequence[str | Path] = (),
) -> Analysis:
    """Parses, links, flattens and checks a text; every pass goes on as far as the mistakes before it let it.

    `model` names the main model where it is not the last of the file. `structure` holds values from outside
    by full name: for structural parameters, and for parameters and inputs that have no value.
    """
    with deep_recursion(), uncollected():
        # Parsing and linking come together: which files there are is known only from what is parsed.
        library, diagnostics = link(source, parse, search_path)
        flat, told = flatten(library, model, structure)
        diagnostics += told
        program: Program | None = None
        if flat is not None:
            # Poison keeps the checker silent about mistakes told already; it adds those of its own.
            program, told = check(flat)
            diagnostics += told
    ordered = tuple(in_order(diagnostics))
    if any(d.severity is Severity.ERROR for d in ordered):
        program = None
    return Analysis(program, ordered, flat, library.module)
