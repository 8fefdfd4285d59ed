"""Straight lines of SymPy: long expressions kept as short named steps, and differentiated step by step.

Written out, the derivatives of a robot's kinetic energy have hundreds of thousands of terms. As lines that
name what several terms share, each differentiated once in a direction, they have some thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

_RULES: dict[Any, Callable[..., float]] = {
    sp.Add: lambda *terms: sum(terms),
    sp.Mul: lambda *factors: math.prod(factors),
    sp.Pow: lambda base, exponent: base**exponent,
    sp.sin: math.sin,
    sp.cos: math.cos,
    sp.tan: math.tan,
    sp.exp: math.exp,
    sp.log: math.log,
    sp.atan2: math.atan2,
}
"""Functions worked out in floating point; all others by SymPy."""


@dataclass(frozen=True, eq=False)
class Direction:
    """How the free symbols change: the derivative of an expression along it is Σ ∂expression/∂symbol·seed."""

    seeds: Mapping[sp.Symbol, sp.Expr]


@dataclass
class Lines:
    """Named steps, each in terms of free symbols and of earlier steps."""

    steps: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    _names: dict[sp.Expr, sp.Symbol] = field(default_factory=dict)
    _reach: dict[sp.Symbol, frozenset[sp.Symbol]] = field(default_factory=dict)
    _slopes: dict[tuple[sp.Symbol, int], sp.Expr] = field(default_factory=dict)
    _partials: dict[tuple[sp.Expr, sp.Symbol], sp.Expr] = field(default_factory=dict)

    def name(self, expression: sp.Expr) -> sp.Expr:
        """The expression itself where it is short, else the symbol of a step that holds it."""
        if not isinstance(expression, sp.Expr) or not expression.args:
            return expression
        if expression.is_Mul and len(expression.args) == 2 and expression.args[0].is_Number:
            return expression
        if expression not in self._names:
            symbol = sp.Symbol(f"s{len(self.steps)}", real=True)
            self._reach[symbol] = self.free(expression)
            self._names[expression] = symbol
            self.steps[symbol] = expression
        return self._names[expression]

    def free(self, expression: sp.Expr) -> frozenset[sp.Symbol]:
        """The free symbols that an expression depends on, through its steps."""
        reach = self._reach
        return frozenset().union(*(reach.get(s, frozenset({s})) for s in expression.free_symbols))

    def along(self, expression: sp.Expr, direction: Direction) -> sp.Expr:
        """The derivative in a direction, in terms of steps."""
        terms = []
        for symbol in sorted(expression.free_symbols, key=str):
            slope = self._slope(symbol, direction)
            if slope != 0:
                terms.append(self._partial(expression, symbol) * slope)
        return self.name(sp.Add(*terms))

    def _partial(self, expression: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
        """∂expression/∂symbol, worked out once for all directions."""
        key = (expression, symbol)
        if key not in self._partials:
            self._partials[key] = self.name(sp.diff(expression, symbol))
        return self._partials[key]

    def _slope(self, symbol: sp.Symbol, direction: Direction) -> sp.Expr:
        if symbol not in self.steps:
            return direction.seeds.get(symbol, sp.Integer(0))
        if not self._reach[symbol] & direction.seeds.keys():
            return sp.Integer(0)
        key = (symbol, id(direction))
        if key not in self._slopes:
            self._slopes[key] = self.along(self.steps[symbol], direction)
        return self._slopes[key]

    def numbers(self, expressions: Sequence[sp.Expr], values: Mapping[sp.Symbol, float]) -> list[float]:
        """The expressions at a point; only the steps that they need are worked out, each once."""
        known = dict(values)
        for symbol in self._needed(expressions):
            known[symbol] = _number(self.steps[symbol], known)
        return [_number(expression, known) for expression in expressions]

    def _needed(self, expressions: Sequence[sp.Expr]) -> list[sp.Symbol]:
        wanted: set[sp.Symbol] = set()
        pending = [s for e in expressions for s in e.free_symbols if s in self.steps]
        while pending:
            symbol = pending.pop()
            if symbol not in wanted:
                wanted.add(symbol)
                pending += [s for s in self.steps[symbol].free_symbols if s in self.steps]
        return [symbol for symbol in self.steps if symbol in wanted]


def _number(expression: sp.Expr, known: Mapping[sp.Symbol, float]) -> float:
    if expression.is_Symbol:
        return known[expression]
    if not expression.args:
        return float(expression)
    rule = _RULES.get(expression.func)
    if rule is not None:
        return rule(*(_number(argument, known) for argument in expression.args))
    return float(expression.xreplace({s: sp.Float(known[s], 17) for s in expression.free_symbols}))
