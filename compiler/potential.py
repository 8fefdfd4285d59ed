"""The function of position whose differential has given coefficients, by integrals along axes, in SymPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.integrals.manualintegrate import manualintegrate

from mbdc.dsl.records import frozen

from .mechanics import Floats
from .symbolic import Named, text_of, to_sympy

MOST_OPERATIONS = 60
"""Longer coefficients are not integrated: the answer would not be read, and finding it takes minutes."""

MOST_TO_SIMPLIFY = 30

_TEXT = 160


@frozen
class Potential:
    """A function as text, and its value at the place asked for."""

    text: str
    value: float


def potential(
    coefficients: Sequence[ca.SX],
    places: Sequence[int],
    symbols: ca.SX,
    names: Sequence[str],
    samples: Sequence[Floats],
) -> Potential | None:
    """F with ∂F/∂(symbols[places[i]]) = coefficients[i] and no other dependence on what is integrated over.

    `samples` are values of all symbols: at the last the function's value is taken, at the others its gradient
    is checked.
    None where no closed form is found.
    """
    size = ca.Function("size", [symbols], [ca.vertcat(*coefficients)]).n_nodes() - symbols.numel()
    if size > MOST_OPERATIONS:
        return None
    named = [Named(name, place) for place, name in enumerate(names)]
    written = to_sympy(ca.vertcat(*coefficients), symbols, named, share=False).expressions
    along = [named[place] for place in places]
    near = {named[p]: float(samples[0][p]) for p in places}
    function = None
    unknown = {call.func.__name__ for slope in written for call in slope.atoms(AppliedUndef)}
    if unknown - {"sign"}:
        # Cases, tables and the like have no closed form; a step is constant on either side.
        return None
    # Simplifying takes seconds: only what cannot be integrated as it stands is simplified.
    for tidy in (sp.expand, sp.simplify) if size <= MOST_TO_SIMPLIFY else (sp.expand,):
        slopes = [tidy(slope) for slope in written]
        function = _integrated(slopes, along, near, tidy)
        if function is not None and _is_right(function, slopes, along, named, samples):
            break
    else:
        return None
    function = _shortest(function)
    text = text_of(function)
    if len(text) > _TEXT:
        return None
    with np.errstate(all="ignore"):
        value = complex(_numbers(named, function)(*samples[-1].astype(complex)))
    return Potential(text, value.real if value.imag == 0 else float("nan"))


def _integrated(
    slopes: Sequence[sp.Expr],
    along: Sequence[Named],
    near: dict[Named, float],
    tidy: Callable[[sp.Expr], sp.Expr],
) -> sp.Expr | None:
    function = sp.Integer(0)
    for place, (slope, variable) in enumerate(zip(slopes, along, strict=True)):
        rest = tidy(slope - sp.diff(function, variable))
        # What is left cannot depend on variables integrated over before; where it seems to, any value does.
        seeming = [earlier for earlier in along[:place] if earlier in rest.free_symbols]
        rest = rest.subs({earlier: sp.nsimplify(round(near[earlier], 2)) for earlier in seeming})
        if rest == 0:
            continue
        part = _generic(manualintegrate(sp.expand(rest), variable))
        if part.has(sp.Integral):
            part = _generic(manualintegrate(rest, variable))
        if part.has(sp.Integral):
            return None
        function += part
    return function


def _generic(expression: sp.Expr) -> sp.Expr:
    """Of each set of cases the one that is not for a special value of what divides."""
    while expression.has(sp.Piecewise):
        expression = expression.replace(sp.Piecewise, _usual)
    return expression


def _usual(*cases: Any) -> sp.Expr:
    usual: sp.Expr = next((case for case, when in cases if not isinstance(when, sp.Eq)), cases[-1][0])
    return usual


def _shortest(function: sp.Expr) -> sp.Expr:
    """The shorter of two forms, without a constant and without a minus in front where that can be."""
    shortest: sp.Expr = min((function, sp.factor_terms(sp.expand(function))), key=sp.count_ops)
    _, rest = shortest.as_independent(*shortest.free_symbols, as_Add=True)
    turned: sp.Expr = sp.expand_mul(-rest) if rest.is_Add else -rest
    return turned if text_of(rest).startswith("-") and not text_of(turned).startswith("-") else rest


def _numbers(named: Sequence[Named], expressions: sp.Expr | list[sp.Expr]) -> Callable[..., Any]:
    """The expressions as a function of the symbols' values. The author's names stay out of the code made for it."""
    anonymous = {symbol: sp.Dummy() for symbol in named}
    many = isinstance(expressions, list)
    each = expressions if isinstance(expressions, list) else [expressions]
    listed = [e.xreplace(anonymous) for e in each]
    made: Callable[..., Any] = sp.lambdify(list(anonymous.values()), listed if many else listed[0])
    return made


def _is_right(
    function: sp.Expr,
    slopes: Sequence[sp.Expr],
    along: Sequence[Named],
    named: Sequence[Named],
    samples: Sequence[Floats],
) -> bool:
    """Whether the gradient of the function, up to its sign, has the slopes wanted."""
    found = _numbers(named, [sp.diff(function, variable) for variable in along])
    wanted = _numbers(named, list(slopes))
    for sample in samples[:-1]:
        with np.errstate(all="ignore"):
            one, other = (np.asarray(f(*sample.astype(complex)), dtype=complex) for f in (found, wanted))
        size = 1e-8 * (1 + float(np.max(np.abs(other))))
        if not (np.allclose(one, other, atol=size) or np.allclose(one, -other, atol=size)):
            return False
    return True
