"""Limits and dry frictions as rows of the reduced system, each with a mode that is a parameter.

With λ the multiplier of a gap g that takes c differentiations, and τ those of a friction against the flow w,

    held·(d/dt + κ)^c g + (1 - held)·λ = 0
    sticking·(d/dt + κ) w + (1 - sticking)·(τ + F·direction) = 0,

where F is the force of sliding. One compiled system serves all modes, and each row is sparse in every one of them.
"""

from __future__ import annotations

from math import comb

import casadi as ca

from mbdc.dsl.records import frozen

from .chains import Chains
from .equations import EquationsOfMotion
from .mechanics import Friction, Modes

LEAST = 1e-150
"""Keeps the direction of a flow that is 0 a number."""


@frozen
class ContactRows:
    """`rows` (nc,) are to be 0, in the order of `Symbols.contacts`; `still` are the same without attraction.

    For gaps: `gaps`, their first derivatives `rates` and their second `closing` (0 where a gap is of velocity level,
    whose rate contains accelerations already), each (ng,). For frictions: `flows` and `slips`, their rates, (nw,);
    `normals`, `resting` (the largest force of sticking) and `sliding` (the force of sliding), each (nf,).
    `tangents` maps the force of sliding on flows: rows of `direction`, (nw,).
    """

    rows: ca.SX
    still: ca.SX
    gaps: ca.SX
    rates: ca.SX
    closing: ca.SX
    flows: ca.SX
    slips: ca.SX
    normals: ca.SX
    resting: ca.SX
    sliding: ca.SX


def contact_rows(equations: EquationsOfMotion, chains: Chains, kappa: ca.SX) -> ContactRows:
    """The rows of all limits that coordinates move, and of all frictions."""
    modes = equations.system.modes
    contacts = equations.contacts
    gaps = ca.vertcat(ca.SX(0, 1), *(gap.residual for gap in equations.gaps))
    flows = ca.vertcat(ca.SX(0, 1), *(friction.flow for friction in equations.frictions))
    first = chains.total_derivative(ca.vertcat(gaps, flows))
    rates, slips = ca.vertsplit(first, [0, gaps.numel(), first.numel()])
    closing = chains.total_derivative(rates)
    rows = ca.SX(contacts)
    places = [gap.place for gap in equations.gaps]
    for k, gap in enumerate(equations.gaps):
        orders = [gaps[k], rates[k], closing[k]]
        c = 2 if gap.level == "position" else 1
        kept = sum((comb(c, i) * kappa ** (c - i) * orders[i] for i in range(c + 1)), ca.SX(0))
        held = modes.held[places[k]]
        rows[places[k]] = held * kept + (1 - held) * contacts[places[k]]
        if gap.level == "velocity":
            closing[k] = 0
    sliding = []
    start = 0
    for k, friction in enumerate(equations.frictions):
        stop = start + friction.flow.numel()
        force, direction = _sliding(friction, modes, k, start, stop)
        sliding.append(force)
        kept = slips[start:stop] + kappa * flows[start:stop]
        slid = contacts[friction.places] + force * direction
        rows[friction.places] = modes.sticking[k] * kept + (1 - modes.sticking[k]) * slid
        start = stop
    return ContactRows(
        rows=ca.densify(rows),
        still=ca.densify(ca.substitute(rows, kappa, 0)),
        gaps=ca.densify(gaps),
        rates=ca.densify(rates),
        closing=ca.densify(closing),
        flows=ca.densify(flows),
        slips=ca.densify(slips),
        normals=ca.densify(ca.vertcat(ca.SX(0, 1), *(f.normal for f in equations.frictions))),
        resting=ca.densify(ca.vertcat(ca.SX(0, 1), *(f.static * f.normal for f in equations.frictions))),
        sliding=ca.densify(ca.vertcat(ca.SX(0, 1), *sliding)),
    )


def _sliding(friction: Friction, modes: Modes, k: int, start: int, stop: int) -> tuple[ca.SX, ca.SX]:
    """The force of sliding, and the direction of the flow it acts against."""
    given = modes.direction[start:stop]
    if stop - start == 1:
        direction, speed = given, given * friction.flow
    else:
        flow = friction.flow + given
        length = ca.sqrt(ca.sumsqr(flow) + modes.small[k] ** 2 + LEAST**2)
        direction, speed = flow / length, ca.sumsqr(flow) / length
    coefficient = friction.coefficient
    if friction.stribeck is not None:
        fallen = ca.exp(-((speed / friction.stribeck) ** 2))
        coefficient += (friction.static - friction.coefficient) * fallen
    return modes.pressed[k] * (coefficient * friction.normal + friction.viscous * speed), direction
