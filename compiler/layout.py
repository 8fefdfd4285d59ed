"""Where every variable lies among a system's symbols, and what its elements are called."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import casadi as ca

from mbdc.dsl.diagnostics import ModelError
from mbdc.dsl.program import Program, VariableDefinition
from mbdc.dsl.records import frozen

from . import complaints_lower as complaints
from .lower_expression import Leaf
from .mechanics import Coordinate, NamedScalars, Symbols
from .operations import unflatten
from .rotations import attitude, parameter_rates, skew

_MOST_SYMBOLS = 20_000


@frozen
class Layout:
    """All symbols but the multipliers (empty here), what they belong to, and the leaves of expressions."""

    symbols: Symbols
    coordinates: tuple[Coordinate, ...]
    parameters: tuple[NamedScalars, ...]
    inputs: tuple[NamedScalars, ...]
    unknowns: tuple[NamedScalars, ...]
    kinematics: ca.SX
    leaves: dict[str, Leaf]


def is_parameter(definition: VariableDefinition) -> bool:
    """Whether a variable is a parameter that can be set without compiling again."""
    return definition.kind == "parameter" and not (
        definition.final or definition.structural or definition.type.kind == "text"
    )


def is_unknown(definition: VariableDefinition) -> bool:
    """Whether a variable is found by equations."""
    return definition.kind in ("plain", "output") and definition.binding is None


def element_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """`x`, or `C[1]` ..., or `S[1,1]` ... row by row."""
    match shape:
        case ():
            return (name,)
        case (length,):
            return tuple(f"{name}[{i + 1}]" for i in range(length))
        case (rows, columns):
            return tuple(f"{name}[{i + 1},{j + 1}]" for i in range(rows) for j in range(columns))
    raise AssertionError(f"a value of shape {shape}")


class Allowed:
    """The symbols that an expression may contain."""

    def __init__(self, *columns: ca.SX) -> None:
        self._columns = columns

    def cover(self, value: ca.SX) -> bool:
        """Whether an expression contains no others."""
        if value.is_constant():
            return True
        return all(symbol.element_hash() in self._known for symbol in ca.symvar(value))

    @cached_property
    def _known(self) -> set[int]:
        return {symbol.element_hash() for column in self._columns for symbol in ca.vertsplit(column)}


def lay_out(program: Program) -> Layout:
    """Symbols for time, coordinates, parameters, inputs and unknowns, in the order declared.

    Raises ModelError where there are more than can be solved for.
    """
    variables = program.variables.values()
    _verify_size(program)
    coordinates = _coordinates(v for v in variables if v.kind == "coordinate")
    parameters = _scalars(v for v in variables if is_parameter(v))
    inputs = _scalars(v for v in variables if v.kind == "input")
    unknowns = _scalars(v for v in variables if is_unknown(v))
    rate_names = [name for c in coordinates for name in c.velocity_names]
    symbols = Symbols(
        time=ca.SX.sym("time"),
        q=_symbols(name for c in coordinates for name in c.position_names),
        v=_symbols(rate_names),
        a=_symbols(f"der({name})" for name in rate_names),
        parameters=_symbols(_names(parameters)),
        inputs=_symbols(_names(inputs)),
        unknowns=_symbols(_names(unknowns)),
        unknown_rates=_symbols(f"der({name})" for name in _names(unknowns)),
        multipliers=_symbols(()),
        contacts=_symbols(_contact_names(program)),
    )
    leaves = {c.name: _coordinate_leaf(c, symbols) for c in coordinates}
    for group in parameters:
        leaves[group.name] = Leaf((_value(symbols.parameters, group),))
    for group in inputs:
        leaves[group.name] = Leaf((_value(symbols.inputs, group),), complaints.input_rate)
    for group in unknowns:
        values = (_value(symbols.unknowns, group), _value(symbols.unknown_rates, group))
        leaves[group.name] = Leaf(values, complaints.second_rate)
    for name, fixed in program.structure.items():
        if name in program.variables and program.variables[name].structural:
            leaves[name] = Leaf((ca.SX(float(fixed)),))
    kinematics = _column([_position_rates(c, symbols) for c in coordinates])
    return Layout(symbols, coordinates, parameters, inputs, unknowns, kinematics, leaves)


def _contact_names(program: Program) -> list[str]:
    """One for each bound of a limit, then one for each element of a friction's flow."""
    names = []
    for limit in program.statements.limits:
        bounds = {"lower": limit.lower, "upper": limit.upper}
        sides = [side for side, bound in bounds.items() if bound is not None]
        elements = element_names(limit.name, limit.value.type.shape)
        names += [f"reaction({element}, {side})" for element in elements for side in sides]
    for friction in program.statements.frictions:
        names += element_names(f"reaction({friction.name})", friction.flow.type.shape)
    return names


def _verify_size(program: Program) -> None:
    sizes = [v.type.size for v in program.variables.values() if v.kind in ("coordinate", "input") or is_unknown(v)]
    if sum(sizes) > _MOST_SYMBOLS:
        raise ModelError([complaints.too_large(sum(sizes), _MOST_SYMBOLS, program.span)])


def _coordinates(definitions: Iterable[VariableDefinition]) -> tuple[Coordinate, ...]:
    result = []
    nq = nv = 0
    for d in definitions:
        is_rotation = d.base == "Rotation"
        names = element_names(d.name, d.type.shape)
        positions = tuple(f"{d.name}.{part}" for part in "wxyz") if is_rotation else names
        velocities = (
            element_names(f"angularVelocity({d.name})", (3,))
            if is_rotation
            else tuple(f"der({name})" for name in names)
        )
        result.append(
            Coordinate(
                name=d.name,
                is_rotation=is_rotation,
                shape=d.type.shape,
                q=slice(nq, nq + len(positions)),
                v=slice(nv, nv + len(velocities)),
                position_names=positions,
                velocity_names=velocities,
                span=d.span,
            )
        )
        nq, nv = nq + len(positions), nv + len(velocities)
    return tuple(result)


def _scalars(definitions: Iterable[VariableDefinition]) -> tuple[NamedScalars, ...]:
    result = []
    start = 0
    for d in definitions:
        stop = start + d.type.size
        names = element_names(d.name, d.type.shape)
        result.append(NamedScalars(d.name, d.type.shape, slice(start, stop), names, d.span))
        start = stop
    return tuple(result)


def _coordinate_leaf(coordinate: Coordinate, symbols: Symbols) -> Leaf:
    q, v, a = symbols.q[coordinate.q], symbols.v[coordinate.v], symbols.a[coordinate.v]
    if not coordinate.is_rotation:
        orders = tuple(unflatten(column, coordinate.shape) for column in (q, v, a))
        return Leaf(orders, complaints.third_rate)
    matrix, turn = attitude(q), skew(v)
    first = ca.mtimes(matrix, turn)
    second = ca.mtimes(matrix, skew(a) + ca.mtimes(turn, turn))
    return Leaf((matrix, first, second), complaints.third_rate, spin=(v, a))


def _position_rates(coordinate: Coordinate, symbols: Symbols) -> ca.SX:
    v = symbols.v[coordinate.v]
    return parameter_rates(symbols.q[coordinate.q], v) if coordinate.is_rotation else v


def _value(column: ca.SX, group: NamedScalars) -> ca.SX:
    return unflatten(column[group.elements], group.shape)


def _names(groups: Iterable[NamedScalars]) -> list[str]:
    return [name for group in groups for name in group.element_names]


def _symbols(names: Iterable[str]) -> ca.SX:
    return _column([ca.SX.sym(name) for name in names])


def _column(parts: list[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)
