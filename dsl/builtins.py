"""The names that every model has without declaring them."""

from __future__ import annotations

from .library import BASE_TYPES

FUNCTIONS = frozenset(
    {
        "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "exp", "floor", "log", "log10",
        "max", "min", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
        "cross", "diagonal", "dot", "identity", "norm", "ones", "product", "skew", "sum", "transpose",
        "zeros", "angularVelocity", "eulerZYX", "rotAxis", "rotX", "rotY", "rotZ", "interpolate", "der",
    }
)  # fmt: skip
"""Functions that a flat model may call."""

PUT_IN = frozenset({"reaction", "size", "table"})
"""Functions that have nodes of their own in a flat model, or whose value is put in."""

VALUES = frozenset({"time", "pi"})

ATTRIBUTES = ("start", "rate", "guess", "guessRate", "min", "max", "nominal", "unit")

RESERVED = frozenset({"time", "pi", "der", "reaction", "residual", "energy"})
"""Names that no variable may have."""

UNDECLARABLE_CLASSES = FUNCTIONS | PUT_IN | RESERVED | frozenset(BASE_TYPES)
"""Names that no class may have."""
