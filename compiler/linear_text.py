"""Sums of coordinates with coefficients in parameters, as text in the operators of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from mbdc.dsl.records import frozen

_LONGEST = 60

_SUM, _PRODUCT, _ATOM = range(3)

Text = tuple[str, int]


def coefficient_text(value: ca.SX, symbols: ca.SX, names: Sequence[str]) -> str | None:
    """A scalar in the free `symbols` (a column), which have `names`; None where the text would be long."""
    function = ca.Function("shown", [symbols], [ca.densify(value)])
    slots: dict[int, Text] = {}
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        inputs, outputs = function.instruction_input(k), function.instruction_output(k)
        if operation == ca.OP_OUTPUT:
            return slots[inputs[0]][0]
        if operation == ca.OP_INPUT:
            text = names[inputs[1]], _ATOM
        elif operation == ca.OP_CONST:
            text = _number(function.instruction_constant(k))
        else:
            write = _WRITE.get(operation)
            if write is None:
                return None
            text = write(*(slots[i] for i in inputs))
        if len(text[0]) > _LONGEST:
            return None
        slots[outputs[0]] = text
    return None


@frozen
class Sum:
    """A sum as text; `sign` is -1 where all terms have been turned round."""

    text: str
    sign: int


def sum_text(coefficients: Sequence[ca.SX], terms: Sequence[str], symbols: ca.SX, names: Sequence[str]) -> Sum | None:
    """`x - r*(a - b)`: terms with equal coefficients together, the first one without a minus."""
    groups: dict[str, list[tuple[bool, str]]] = {}
    for coefficient, term in zip(coefficients, terms, strict=True):
        signed = _signed(coefficient, symbols, names)
        if signed is None:
            return None
        groups.setdefault(signed[1], []).append((signed[0], term))
    flip = next(iter(groups.values()))[0][0]
    turned = {size: [(minus != flip, term) for minus, term in group] for size, group in groups.items()}
    parts = [_group_text(size, group) for size, group in turned.items()]
    return Sum(_joined(parts), -1 if flip else 1)


def _signed(value: ca.SX, symbols: ca.SX, names: Sequence[str]) -> tuple[bool, str] | None:
    """Whether a minus stands before the coefficient, and the rest as a factor (empty for 1)."""
    plain, opposite = (coefficient_text(v, symbols, names) for v in (value, -value))
    if plain is None or opposite is None:
        return None
    minus = (plain.startswith("-"), len(plain)) > (opposite.startswith("-"), len(opposite))
    text = opposite if minus else plain
    if text == "1":
        return minus, ""
    return minus, f"({text})" if " " in text or text.startswith("-") else text


def _group_text(size: str, group: Sequence[tuple[bool, str]]) -> tuple[bool, str]:
    minus = group[0][0]
    inside = _joined([(sign != minus, term) for sign, term in group])
    if not size:
        return minus, inside if not minus or len(group) == 1 else f"({inside})"
    return minus, f"{size}*({inside})" if len(group) > 1 else f"{size}*{inside}"


def _joined(parts: Sequence[tuple[bool, str]]) -> str:
    text = ""
    for minus, part in parts:
        if not text:
            text = f"-{part}" if minus else part
        else:
            text += f" - {part}" if minus else f" + {part}"
    return text


def _number(value: float) -> Text:
    text = f"{value:.12g}"
    return text, _SUM if text.startswith("-") else _ATOM


def _in(text: Text, rank: int) -> str:
    return text[0] if text[1] >= rank else f"({text[0]})"


def _call(name: str) -> Callable[..., Text]:
    return lambda *inside: (f"{name}({', '.join(text for text, _ in inside)})", _ATOM)


def _product(x: Text, y: Text) -> Text:
    if y[0][:1].isdigit() and not x[0][:1].isdigit():
        x, y = y, x
    return f"{_in(x, _PRODUCT)}*{_in(y, _PRODUCT)}", _PRODUCT


_WRITE: dict[int, Callable[..., Text]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_ADD: lambda x, y: (f"{x[0]} + {_in(y, _PRODUCT)}", _SUM),
    ca.OP_SUB: lambda x, y: (f"{x[0]} - {_in(y, _PRODUCT)}", _SUM),
    ca.OP_MUL: _product,
    ca.OP_DIV: lambda x, y: (f"{_in(x, _PRODUCT)}/{_in(y, _ATOM)}", _PRODUCT),
    ca.OP_NEG: lambda x: (f"-{_in(x, _PRODUCT)}", _SUM),
    ca.OP_SQ: lambda x: (f"{_in(x, _ATOM)}^2", _PRODUCT),
    ca.OP_TWICE: lambda x: (f"2*{_in(x, _PRODUCT)}", _PRODUCT),
    ca.OP_INV: lambda x: (f"1/{_in(x, _ATOM)}", _PRODUCT),
    ca.OP_POW: lambda x, y: (f"{_in(x, _ATOM)}^{_in(y, _ATOM)}", _PRODUCT),
    ca.OP_CONSTPOW: lambda x, y: (f"{_in(x, _ATOM)}^{_in(y, _ATOM)}", _PRODUCT),
    ca.OP_SQRT: _call("sqrt"),
    ca.OP_SIN: _call("sin"),
    ca.OP_COS: _call("cos"),
    ca.OP_TAN: _call("tan"),
    ca.OP_EXP: _call("exp"),
    ca.OP_LOG: _call("log"),
}
