"""Straight lines of SymPy: long expressions kept as short named steps, and differentiated step by step.

Written out, the derivatives of a robot's kinetic energy have hundreds of thousands of terms. As lines that
name what several terms share, each differentiated once in a direction, they have some thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp


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
                terms.append(sp.diff(expression, symbol) * slope)
        return self.name(sp.Add(*terms))

    def _slope(self, symbol: sp.Symbol, direction: Direction) -> sp.Expr:
        if symbol not in self.steps:
            return direction.seeds.get(symbol, sp.Integer(0))
        if not self._reach[symbol] & direction.seeds.keys():
            return sp.Integer(0)
        key = (symbol, id(direction))
        if key not in self._slopes:
            self._slopes[key] = self.along(self.steps[symbol], direction)
        return self._slopes[key]

    def function(self, arguments: Sequence[Any], outputs: Any) -> Callable[..., Any]:
        """A NumPy function of the arguments; only the steps that the outputs need are computed."""

        def needed(expressions: Any) -> tuple[list[tuple[sp.Symbol, sp.Expr]], Any]:
            return self._needed(expressions), expressions

        return sp.lambdify(arguments, outputs, "numpy", cse=needed)

    def _needed(self, expressions: Any) -> list[tuple[sp.Symbol, sp.Expr]]:
        wanted: set[sp.Symbol] = set()
        pending = [s for e in _flat(expressions) for s in e.free_symbols if s in self.steps]
        while pending:
            symbol = pending.pop()
            if symbol not in wanted:
                wanted.add(symbol)
                pending += [s for s in self.steps[symbol].free_symbols if s in self.steps]
        return [(symbol, step) for symbol, step in self.steps.items() if symbol in wanted]


def _flat(expressions: Any) -> list[sp.Expr]:
    if isinstance(expressions, list | tuple):
        return [leaf for item in expressions for leaf in _flat(item)]
    return [sp.sympify(expressions)]
