"""Equations of motion to a system of index one: hidden constraints made explicit."""

from __future__ import annotations

from math import comb

import casadi as ca

from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.dimension import ONE, Dimension

from .chains import Chains
from .complaints_reduce import never_regular
from .contacts import contact_rows
from .equations import EquationsOfMotion
from .reduced import Alike, ReducedSystem, Stage, StateEntry
from .singular import Derivatives, replacement
from .structure import Offsets, offsets, plain_offsets

MOST_REPLACEMENTS = 12


def reduce(equations: EquationsOfMotion) -> ReducedSystem:
    """Differentiate each row as often as the structure asks, and lay out states and algebraic unknowns.

    Raises ModelError, naming unknowns and rows, where no matching of rows to unknowns exists.
    """
    chains = Chains(equations)
    found, derivatives = _differentiated(equations, chains)
    x_entries, x = _states(equations, chains, found)
    z_entries, z = _tops(equations, chains, found)
    kappa = ca.SX.sym("kappa")
    contacts = contact_rows(equations, chains, kappa)
    metric = _metric(equations)
    velocities = equations.coordinate_orders[0].numel()
    return ReducedSystem(
        equations=equations,
        x=x,
        z=ca.vertcat(z, equations.contacts),
        kappa=kappa,
        rhs=_rhs(equations, chains, x_entries, kappa),
        algebraic=ca.vertcat(_attracting(equations, derivatives, kappa), contacts.rows),
        x_entries=x_entries,
        z_entries=z_entries,
        differentiations=found.rows,
        derivatives=derivatives,
        stages=_stages(equations, found, derivatives, x, x_entries, metric),
        metric=metric[:velocities, :velocities],
        contacts=contacts,
        norm_blocks=tuple(c.q for c in equations.system.coordinates if c.is_rotation),
        alike=_alike(equations, x_entries),
    )


def _differentiated(equations: EquationsOfMotion, chains: Chains) -> tuple[Offsets, Derivatives]:
    """Offsets, and F, F', ... of every row.

    Where the structure hides that the system is singular everywhere, a row is replaced by what follows
    from it and the others without the highest derivatives, and the analysis is made again.
    """
    residuals = [row.residual for row in equations.rows]
    plain = plain_offsets(equations)
    if plain is not None:
        return plain, _derivatives(residuals, plain, chains)
    for _ in range(MOST_REPLACEMENTS):
        found = offsets(equations, residuals, chains)
        if not isinstance(found, Offsets):
            raise ModelError([found])
        derivatives = _derivatives(residuals, found, chains)
        replaced = replacement(equations, found, derivatives, chains)
        if replaced is None:
            return found, derivatives
        residuals[replaced.row] = replaced.residual
    raise ModelError([never_regular(equations)])


def _derivatives(residuals: list[ca.SX], found: Offsets, chains: Chains) -> Derivatives:
    """F, F', ... of every row; all rows of one level are differentiated in one sweep."""
    table: list[list[ca.SX]] = [[residual] for residual in residuals]
    for level in range(1, max(found.rows, default=0) + 1):
        places = [i for i, count in enumerate(found.rows) if count >= level]
        swept = chains.total_derivative(ca.vertcat(*(table[i][-1] for i in places)))
        for k, i in enumerate(places):
            table[i].append(swept[k])
    return tuple(tuple(row) for row in table)


def _attracting(equations: EquationsOfMotion, derivatives: Derivatives, kappa: ca.SX) -> ca.SX:
    """(d/dt + κ)^c F for each row; a servo's own rate comes before the common κ."""
    rows = []
    for row, chain in zip(equations.rows, derivatives, strict=True):
        c = len(chain) - 1
        rate = kappa if row.rate is None else row.rate
        rows.append(sum((comb(c, k) * rate ** (c - k) * chain[k] for k in range(c + 1)), ca.SX(0)))
    return ca.densify(ca.vertcat(*rows))


def _states(equations: EquationsOfMotion, chains: Chains, found: Offsets) -> tuple[tuple[StateEntry, ...], ca.SX]:
    entries: list[StateEntry] = []
    for coordinate in equations.system.coordinates:
        for k, name in enumerate(coordinate.position_names):
            unknown = coordinate.v.start + (0 if coordinate.is_rotation else k)
            entries.append(StateEntry(name, unknown, 0))
    nv = equations.kinematics.numel() and equations.coordinate_orders[0].numel()
    for order in range(1, max(found.unknowns, default=0)):
        for j in range(nv):
            if found.unknowns[j] > order:
                entries.append(StateEntry(chains.name(j, order), j, order))
    for j in range(nv, len(equations.unknowns)):
        for order in range(found.unknowns[j]):
            entries.append(StateEntry(chains.name(j, order), j, order))
    nq = equations.q.numel()
    symbols = [equations.q] + [chains.symbol(e.unknown, e.order) for e in entries[nq:]]
    return tuple(entries), ca.vertcat(*symbols)


def _tops(equations: EquationsOfMotion, chains: Chains, found: Offsets) -> tuple[tuple[StateEntry, ...], ca.SX]:
    entries = tuple(StateEntry(chains.name(j, d), j, d) for j, d in enumerate(found.unknowns))
    return entries, ca.vertcat(*(chains.symbol(e.unknown, e.order) for e in entries))


def _rhs(equations: EquationsOfMotion, chains: Chains, entries: tuple[StateEntry, ...], kappa: ca.SX) -> ca.SX:
    """Each state's derivative is the next of its chain; Euler parameters are drawn back to unit norm."""
    q = equations.q
    drift = ca.SX.zeros(q.numel())
    for coordinate in equations.system.coordinates:
        if coordinate.is_rotation:
            block = q[coordinate.q]
            drift[coordinate.q] = kappa / 2 * (ca.sumsqr(block) - 1) * block
    upper = [chains.symbol(e.unknown, e.order + 1) for e in entries[q.numel() :]]
    return ca.densify(ca.vertcat(equations.kinematics - drift, *upper))


def _stages(
    equations: EquationsOfMotion,
    found: Offsets,
    derivatives: Derivatives,
    x: ca.SX,
    entries: tuple[StateEntry, ...],
    metric: ca.SX,
) -> tuple[Stage, ...]:
    """Level k = -max d, ..., -1: rows F_i^(c_i + k) restrict the states y_j^(d_j + k)."""
    stages = []
    for k in range(-max(found.unknowns, default=0), 0):
        targets = tuple(i for i, e in enumerate(entries) if e.order == found.unknowns[e.unknown] + k)
        if not targets:
            continue
        # A servo with a rate of its own may start off its path: nothing puts it there but that rate.
        rows = tuple(i for i, c in enumerate(found.rows) if c + k >= 0 and equations.rows[i].rate is None)
        orders = tuple(found.rows[i] + k for i in rows)
        residual = ca.densify(ca.vertcat(*(derivatives[i][m] for i, m in zip(rows, orders, strict=True))))
        deltas = tuple(j for j, d in enumerate(found.unknowns) if d + k >= 0)
        tangent = _tangent(equations, entries, x, deltas, found, k)
        jacobian = ca.mtimes(ca.jacobian(residual, x), tangent)
        stages.append(
            Stage(
                residual=residual,
                tangent=tangent,
                jacobian=jacobian,
                metric=metric[list(deltas), list(deltas)],
                rows=rows,
                orders=orders,
                targets=targets,
                deltas=deltas,
                anchors=_anchors(equations, entries, deltas, found, k),
            )
        )
    return tuple(stages)


def _tangent(
    equations: EquationsOfMotion,
    entries: tuple[StateEntry, ...],
    x: ca.SX,
    deltas: tuple[int, ...],
    found: Offsets,
    k: int,
) -> ca.SX:
    nq = equations.q.numel()
    result = ca.SX(x.numel(), len(deltas))
    turning = ca.jacobian(equations.kinematics, equations.coordinate_orders[0])
    place = {(e.unknown, e.order): i for i, e in enumerate(entries) if i >= nq}
    for column, j in enumerate(deltas):
        order = found.unknowns[j] + k
        if order == 0 and equations.unknowns[j].kind == "coordinate":
            result[:nq, column] = turning[:, j]
        else:
            result[place[j, order], column] = 1
    return result


def _anchors(
    equations: EquationsOfMotion,
    entries: tuple[StateEntry, ...],
    deltas: tuple[int, ...],
    found: Offsets,
    k: int,
) -> tuple[int, ...]:
    nq = equations.q.numel()
    position = [0] * len(equations.unknowns)
    for coordinate in equations.system.coordinates:
        for n, j in enumerate(range(coordinate.v.start, coordinate.v.stop)):
            position[j] = coordinate.q.start + (0 if coordinate.is_rotation else n)
    place = {(e.unknown, e.order): i for i, e in enumerate(entries) if i >= nq}
    anchors = []
    for j in deltas:
        order = found.unknowns[j] + k
        is_position = order == 0 and equations.unknowns[j].kind == "coordinate"
        anchors.append(position[j] if is_position else place[j, order])
    return tuple(anchors)


def _metric(equations: EquationsOfMotion) -> ca.SX:
    """The mass matrix plus a small part in the nominal sizes, so that it is definite for massless unknowns."""
    v = equations.coordinate_orders[0]
    nominal = equations.system.starts.nominal
    n = len(equations.unknowns)
    mass = ca.hessian(equations.kinetic, v)[0] if v.numel() else ca.SX(0, 0)
    sizes = ca.diag(mass) * nominal**2
    largest = ca.mmax(sizes) if v.numel() else ca.SX(1)
    small = 1e-6 * ca.if_else(largest > 0, largest, 1)
    weights = ca.vertcat(small / nominal**2, small * ca.SX.ones(n - v.numel()))
    return ca.diagcat(mass, ca.SX(n - v.numel(), n - v.numel())) + ca.diag(weights)


def _alike(equations: EquationsOfMotion, entries: tuple[StateEntry, ...]) -> tuple[Alike, ...]:
    """Coordinates by their dimension; every other unknown is of its own kind."""
    kinds: list[Dimension | str] = [unknown.name for unknown in equations.unknowns]
    for coordinate in equations.system.coordinates:
        declared = equations.system.program.variables[coordinate.name].type
        for k, j in enumerate(range(coordinate.v.start, coordinate.v.stop)):
            kinds[j] = ONE if coordinate.is_rotation else declared.dimension(k)
    highest = max((entry.order for entry in entries), default=0)
    groups: dict[Dimension | str, list[list[int]]] = {}
    for i, entry in enumerate(entries):
        group = groups.setdefault(kinds[entry.unknown], [[] for _ in range(highest + 1)])
        group[entry.order].append(i)
    return tuple(Alike(tuple(tuple(p) for p in places), kind == ONE) for kind, places in groups.items())
