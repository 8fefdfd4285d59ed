"""CasADi expressions as SymPy ones, and as text in the operators of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import sympy as sp
from sympy.printing.str import StrPrinter

from mbdc.dsl.records import frozen

WORTH_A_NAME = 3
"""A value that is used again gets a name of its own where it took this many operations."""


LARGEST_RATIO = 12
"""Fractions with larger denominators are printed as decimal numbers."""


@frozen
class Symbolic:
    """Expressions over named symbols; `definitions` are shared parts in the order they are needed."""

    expressions: tuple[sp.Expr, ...]
    definitions: tuple[tuple[sp.Symbol, sp.Expr], ...]


class Named(sp.Symbol):  # type: ignore[misc]
    """A symbol that stands in products behind those of a smaller rank, by name among its like."""

    rank: int

    def __new__(cls, name: str, rank: int) -> Named:
        symbol: Named = super().__new__(cls, name, real=True)
        symbol.rank = rank
        return symbol

    def sort_key(self, order: str | None = None) -> Any:
        return self.class_key(), (1, (f"{self.rank} {self.name}",)), sp.S.One.sort_key(), sp.S.One


def to_sympy(expressions: ca.SX, symbols: ca.SX, names: Sequence[Named], *, share: bool, prefix: str = "e") -> Symbolic:
    """A dense column of expressions in the free `symbols` (a column), which become `names`.

    With `share`, parts that are used more than once become definitions `e1`, `e2`, ..., which keeps the
    text in proportion to the work; without, everything is written out.
    """
    function = ca.Function("shown", [symbols], [ca.densify(expressions)])
    uses = _uses(function) if share else {}
    definitions: list[tuple[sp.Symbol, sp.Expr]] = []
    slots: dict[int, sp.Expr] = {}
    results: list[sp.Expr] = [sp.Integer(0)] * expressions.numel()
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        inputs, outputs = function.instruction_input(k), function.instruction_output(k)
        if operation == ca.OP_OUTPUT:
            results[outputs[1]] = slots[inputs[0]]
            continue
        if operation == ca.OP_INPUT:
            value = names[inputs[1]]
        elif operation == ca.OP_CONST:
            value = _number(function.instruction_constant(k))
        else:
            value = _OPERATIONS[operation](*(slots[i] for i in inputs))
        if uses.get(k, 0) > 1 and value.count_ops() >= WORTH_A_NAME:
            name = Named(f"{prefix}{len(definitions) + 1}", 9)
            definitions.append((name, value))
            value = name
        slots[outputs[0]] = value
    return Symbolic(tuple(results), tuple(definitions))


def operation_count(expressions: ca.SX, symbols: ca.SX) -> int:
    """How many operations it takes to evaluate the expressions."""
    return int(ca.Function("counted", [symbols], [ca.densify(expressions)]).n_instructions())


def text_of(expression: sp.Expr) -> str:
    """The expression in the operators of the language."""
    decimals = {number: _decimal(number) for number in expression.atoms(sp.Rational) if number.q > LARGEST_RATIO}
    return str(_Printer().doprint(expression.xreplace(decimals)))


def _decimal(number: sp.Rational) -> sp.Expr:
    """A number that is printed with its point; the sign stays outside, where sums look for it."""
    size = Named(repr(float(abs(number))), 0)
    return size if number > 0 else -size


def _uses(function: ca.Function) -> dict[int, int]:
    """How often the value of each instruction is used, by the instruction's place."""
    maker: dict[int, int] = {}
    uses: dict[int, int] = {}
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        if operation not in (ca.OP_INPUT, ca.OP_CONST):
            for slot in function.instruction_input(k):
                uses[maker[slot]] = uses.get(maker[slot], 0) + 1
        if operation != ca.OP_OUTPUT:
            maker[function.instruction_output(k)[0]] = k
    return uses


def _number(value: float) -> sp.Expr:
    """The decimal number a reader sees, exactly: 9.81 is 981/100 here, and is printed 9.81 again."""
    return sp.Rational(repr(value)) if abs(value) < float("inf") else sp.Float(value)


def _named(name: str) -> Callable[..., sp.Expr]:
    function: Callable[..., sp.Expr] = sp.Function(name)
    return function


_OPERATIONS: dict[int, Callable[..., Any]] = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_ADD: lambda x, y: x + y,
    ca.OP_SUB: lambda x, y: x - y,
    ca.OP_MUL: lambda x, y: x * y,
    ca.OP_DIV: lambda x, y: x / y,
    ca.OP_NEG: lambda x: -x,
    ca.OP_POW: lambda x, y: x**y,
    ca.OP_CONSTPOW: lambda x, y: x**y,
    ca.OP_SQ: lambda x: x**2,
    ca.OP_TWICE: lambda x: 2 * x,
    ca.OP_INV: lambda x: 1 / x,
    ca.OP_SQRT: sp.sqrt,
    ca.OP_EXP: sp.exp,
    ca.OP_LOG: sp.log,
    ca.OP_SIN: sp.sin,
    ca.OP_COS: sp.cos,
    ca.OP_TAN: sp.tan,
    ca.OP_ASIN: sp.asin,
    ca.OP_ACOS: sp.acos,
    ca.OP_ATAN: sp.atan,
    ca.OP_ATAN2: sp.atan2,
    ca.OP_SINH: sp.sinh,
    ca.OP_COSH: sp.cosh,
    ca.OP_TANH: sp.tanh,
    ca.OP_ASINH: sp.asinh,
    ca.OP_ACOSH: sp.acosh,
    ca.OP_ATANH: sp.atanh,
    ca.OP_FABS: _named("abs"),
    ca.OP_SIGN: _named("sign"),
    ca.OP_FLOOR: _named("floor"),
    ca.OP_CEIL: _named("ceil"),
    ca.OP_FMOD: _named("mod"),
    ca.OP_FMIN: _named("min"),
    ca.OP_FMAX: _named("max"),
    ca.OP_HYPOT: _named("norm"),
    ca.OP_EXPM1: lambda x: sp.exp(x) - 1,
    ca.OP_LOG1P: lambda x: sp.log(1 + x),
    ca.OP_COPYSIGN: _named("copysign"),
    # Truth values are numbers to CasADi: they stay functions here, so that nothing reckons with them.
    ca.OP_LT: _named("less"),
    ca.OP_LE: _named("lessequal"),
    ca.OP_EQ: _named("equal"),
    ca.OP_NE: _named("unequal"),
    ca.OP_NOT: _named("isfalse"),
    ca.OP_AND: _named("both"),
    ca.OP_OR: _named("either"),
    ca.OP_IF_ELSE_ZERO: _named("where"),
}


class _Printer(StrPrinter):  # type: ignore[misc]
    """SymPy's text with `^` for powers."""

    def _print_Pow(self, expression: sp.Pow, rational: bool = False) -> str:
        return str(super()._print_Pow(expression, rational)).replace("**", "^")
