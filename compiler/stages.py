"""The stages of a compilation as text."""

from __future__ import annotations

from mbdc.dsl.analyse import Analysis, analyse
from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.source import Source


def show_stage(source: Source, model: str | None, stage: str) -> str:
    """A stage of a model as text: `syntax`, `flat`, `equations` or `reduced`.

    A stage that can be reached is shown although a later one has something to complain about.
    Raises `ModelError` where it cannot be reached.
    """
    analysis = analyse(source, model=model)
    match stage:
        case "syntax":
            return _syntax(analysis)
        case "flat":
            return _flat(analysis)
        case "equations":
            return _equations(analysis)
        case "reduced":
            return _reduced(analysis)
        case _:
            raise ValueError(f"there is no stage {stage}")


def _syntax(analysis: Analysis) -> str:
    from mbdc.dsl.format import format_module

    if analysis.module is None:
        raise ModelError(analysis.diagnostics)
    return format_module(analysis.module)


def _flat(analysis: Analysis) -> str:
    from mbdc.dsl.show import show_flat

    if analysis.flat is None:
        raise ModelError(analysis.diagnostics)
    return show_flat(analysis.flat)


def _equations(analysis: Analysis) -> str:
    from .derive import derive
    from .lower import lower
    from .show import show_equations

    if analysis.program is None:
        raise ModelError(analysis.diagnostics)
    return show_equations(derive(lower(analysis.program)))


def _reduced(analysis: Analysis) -> str:
    from .derive import derive
    from .lower import lower
    from .reduce import reduce
    from .show_reduced import show_reduced

    if analysis.program is None:
        raise ModelError(analysis.diagnostics)
    return show_reduced(reduce(derive(lower(analysis.program))))
