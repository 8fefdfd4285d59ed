"""mbdc: mechanical systems from their energies, constraints and forces.

`load_model` compiles a `.mbd` text; the `Model` it gives is asked for matrices and accelerations and
simulated. Everything is loaded when it is first used, so that `import mbdc` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbdc.compiler.compare import Comparison
    from mbdc.compiler.errors import MbdError, ModelError, SimulationError, StartError
    from mbdc.compiler.model import Model, load_model
    from mbdc.compiler.report import Report
    from mbdc.compiler.trajectory import Result

__all__ = [
    "Comparison",
    "MbdError",
    "Model",
    "ModelError",
    "Report",
    "Result",
    "SimulationError",
    "StartError",
    "__version__",
    "load_model",
]

__version__ = "0.1.0"

_HOMES = {
    "Comparison": "mbdc.compiler.compare",
    "MbdError": "mbdc.compiler.errors",
    "ModelError": "mbdc.compiler.errors",
    "SimulationError": "mbdc.compiler.errors",
    "StartError": "mbdc.compiler.errors",
    "Model": "mbdc.compiler.model",
    "load_model": "mbdc.compiler.model",
    "Report": "mbdc.compiler.report",
    "Result": "mbdc.compiler.trajectory",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mbdc' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
