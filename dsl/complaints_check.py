"""What is said of shapes, dimensions and meaning: one function per complaint, the place first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .check_value import Dim, Shape, Soft
from .diagnostics import Diagnostic, Related, error, warning
from .dimension import ONE
from .nearest import closest
from .source import Span
from .units import unit_text

_QUANTITIES = {
    "m": "a length", "m2": "an area", "m3": "a volume", "s": "a time", "kg": "a mass", "m/s": "a velocity",
    "m/s2": "an acceleration", "1/s": "an angular velocity or frequency", "1/s2": "an angular acceleration",
    "N": "a force", "N.m": "an energy or torque", "W": "a power", "Pa": "a pressure", "N/m": "a stiffness",
    "N.s/m": "a damping", "kg.m2": "an inertia", "kg.m/s": "a momentum", "kg/m3": "a density",
    "N.m.s": "an angular damping or angular momentum", "K": "a temperature", "A": "a current",
    "V": "a voltage", "Ohm": "a resistance", "H": "an inductance", "F": "a capacitance", "C": "a charge",
}  # fmt: skip


# A number with decimals and without a unit: most likely a quantity.
_PLAIN_DECIMAL = re.compile(r"\d\.\d+(?![\d.eE\[])")


def quantity(dim: Dim) -> str:
    """`a force (N)`, or the unit where the quantity has no name."""
    if isinstance(dim, Soft) or dim.is_one:
        return "a plain number"
    unit = unit_text(dim)
    return f"{_QUANTITIES[unit]} ({unit})" if unit in _QUANTITIES else f"in {unit}"


def quoted(span: Span) -> str:
    """What the author wrote, on one line and not too long."""
    text = " ".join(span.text.split())
    return f"`{text}`" if len(text) <= 50 else f"`{text[:30]} ... {text[-15:]}`"


def shaped(shape: Shape) -> str:
    match shape:
        case ():
            return "a number"
        case (n,):
            return f"a vector of {n}"
        case (m, n):
            return f"a {m} by {n} matrix"
        case _:
            return "an array with sizes " + ", ".join(map(str, shape))


def listed(names: Sequence[str], most: int = 8) -> str:
    """`a`, `b` and `c`; a long list is cut."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


# --- dimensions ------------------------------------------------------------------------------


def dimension_clash(span: Span, doing: str, left: Span, ld: Dim, right: Span, rd: Dim, where: str) -> Diagnostic:
    """`doing` says what cannot be done: "cannot add"; `where` names the element or is empty."""
    message = f"{doing}{where}: {quoted(left)} is {quantity(ld)}, {quoted(right)} is {quantity(rd)}"
    return error("dimension-clash", message, span)


def dimension_expected(span: Span, what: str, expected: Dim, found: Dim, where: str) -> Diagnostic:
    message = f"{what}{where} must be {quantity(expected)}, but {quoted(span)} is {quantity(found)}"
    return error("dimension-clash", message, span, help=_literal_advice(span))


def plain_number(span: Span, what: str, expected: Dim, where: str) -> Diagnostic:
    message = f"{quoted(span)} is a plain number where {what}{where} is {quantity(expected)}"
    return warning("plain-number", message, span, help="declare it with a quantity type, or multiply it by a unit")


def plain_operand(span: Span, plain: Span, other: Span, dim: Dim, where: str) -> Diagnostic:
    message = f"{quoted(plain)} is a plain number where it meets {quoted(other)}, which is {quantity(dim)}{where}"
    return warning("plain-number", message, span, help="declare the number with a quantity type")


def number_expected(span: Span, what: str, found: Dim) -> Diagnostic:
    message = f"{what} takes a plain number, but {quoted(span)} is {quantity(found)}"
    unit = f"1[{unit_text(ONE / found)}]" if not isinstance(found, Soft) else "1"
    return warning("plain-number", message, span, help=f"make it a plain number, for instance times `{unit}`")


def product_clash(span: Span, first: Dim, other: Dim, term: int) -> Diagnostic:
    terms = f"the first is {quantity(first)}, term {term} is {quantity(other)}"
    message = f"cannot add the terms of {quoted(span)}: {terms}"
    return error("dimension-clash", message, span)


def product_plain(span: Span, first: Dim, other: Dim, term: int) -> Diagnostic:
    terms = f"the first is {quantity(first)}, term {term} is {quantity(other)}"
    message = f"the terms of {quoted(span)} differ: {terms}"
    return warning("plain-number", message, span, help="declare the numbers in it with a quantity type")


def elements_clash(span: Span, array: Span, first: Dim, other: Dim, element: int) -> Diagnostic:
    elements = f"some are {quantity(first)}, element {element} is {quantity(other)}"
    message = f"the elements of {quoted(array)} do not fit: {elements}"
    return error("dimension-clash", message, span)


def elements_plain(span: Span, array: Span, first: Dim, other: Dim, element: int) -> Diagnostic:
    elements = f"some are {quantity(first)}, element {element} is {quantity(other)}"
    message = f"the elements of {quoted(array)} differ: {elements}"
    return warning("plain-number", message, span, help="declare the numbers in it with a quantity type")


def exponent_open(span: Span, base: Span, dim: Dim) -> Diagnostic:
    message = f"{quoted(base)} is {quantity(dim)}: its power must be a fixed number, and {quoted(span)} is not"
    return error("exponent-not-constant", message, span, help="write a number such as 2 or 1/2, or a constant")


def exponent_irrational(span: Span, base: Span, dim: Dim) -> Diagnostic:
    message = f"{quoted(base)} is {quantity(dim)}: its power must be a ratio of small whole numbers"
    return error("exponent-not-constant", message, span)


def unknown_unit(span: Span, what: str, reason: str, suggestions: Sequence[str]) -> Diagnostic:
    advice = f"did you mean {' or '.join(f'`{s}`' for s in suggestions)}?" if suggestions else None
    return error("unknown-unit", f"the unit of {what}: {reason}", span, help=advice)


def unit_not_si(span: Span, what: str, unit: str, si: str) -> Diagnostic:
    message = f"the unit of {what} is `{unit}`, but values are kept in SI"
    return error("unit-not-si", message, span, help=f'write unit = "{si}" and give values as in `5[{unit}]`')


def angle_in_degrees(span: Span, what: str, value: float) -> Diagnostic:
    message = f"{what} is {value:g} rad, which is {value * 57.29577951308232:.6g} degrees"
    return warning("angle-in-degrees", message, span, help=f"if degrees are meant, write `{value:g}[deg]`")


def hertz(span: Span, what: str) -> Diagnostic:
    message = f"{what} is an angular velocity, given in hertz: no factor 2*pi is put in"
    return warning("hertz-as-angular-velocity", message, span, help="write it in `rad/s` or `rpm`, or multiply by 2*pi")


# --- shapes and kinds ------------------------------------------------------------------------


def shapes_differ(span: Span, doing: str, left: Span, ls: Shape, right: Span, rs: Shape) -> Diagnostic:
    message = f"{doing}: {quoted(left)} is {shaped(ls)}, {quoted(right)} is {shaped(rs)}"
    return error("shape-mismatch", message, span, help=_shape_advice(ls, rs))


def shape_expected(span: Span, what: str, expected: Shape | str, found: Shape) -> Diagnostic:
    wanted = expected if isinstance(expected, str) else shaped(expected)
    message = f"{what} must be {wanted}, but {quoted(span)} is {shaped(found)}"
    advice = None if isinstance(expected, str) else _shape_advice(expected, found)
    return error("shape-mismatch", message, span, help=advice if found == () else None)


def array_empty(span: Span, name: str) -> Diagnostic:
    return error("shape-mismatch", f"`{name}` needs an element at least, and {quoted(span)} has none", span)


def power_of_array(span: Span, base: Span, shape: Shape) -> Diagnostic:
    message = f"{quoted(base)} is {shaped(shape)}: `^` takes a number, or a square matrix and a whole number"
    advice = "write `v*v` for the scalar product" if len(shape) == 1 else None
    return error("shape-mismatch", message, span, help=advice)


def matrix_exponent(span: Span) -> Diagnostic:
    message = f"the power of a matrix must be a whole number from 0 to 100, and {quoted(span)} is not"
    return error("exponent-not-constant", message, span)


def divided_by_array(span: Span, right: Span, shape: Shape) -> Diagnostic:
    message = f"cannot divide by {quoted(right)}, which is {shaped(shape)}"
    return error("shape-mismatch", message, span, help="`./` divides element by element")


def rank_too_high(span: Span, what: str) -> Diagnostic:
    message = f"{what} would have more than two dimensions"
    return error("rank-too-high", message, span, help="use a vector, a matrix, or an array of components")


def too_large(span: Span, size: int, most: int) -> Diagnostic:
    return error("too-large", f"{quoted(span)} has {size} elements, more than {most}", span)


def too_much_work(span: Span, terms: int, most: int) -> Diagnostic:
    return error("too-large", f"the product {quoted(span)} has {terms} terms, more than {most}", span)


def index_out_of_range(span: Span, base: Span, index: int, extent: int, dimension: int, rank: int) -> Diagnostic:
    which = f" of dimension {dimension}" if rank > 1 else ""
    message = f"index {index}{which} is out of range: {quoted(base)} has indices 1 to {extent}"
    if extent == 0:
        message = f"index {index}{which} is out of range: {quoted(base)} is empty"
    return error("index-out-of-range", message, span)


def too_many_subscripts(span: Span, base: Span, given: int, shape: Shape) -> Diagnostic:
    return error("index-out-of-range", f"{given} subscripts, but {quoted(base)} is {shaped(shape)}", span)


def boolean_as_number(span: Span) -> Diagnostic:
    message = f"{quoted(span)} is true or false, and a number is needed here"
    return error("boolean-as-number", message, span, help="write `if condition then 1 else 0`")


def text_as_number(span: Span) -> Diagnostic:
    return error("text-as-number", f"{quoted(span)} is a text, and a number is needed here", span)


def condition_expected(span: Span) -> Diagnostic:
    message = f"a condition is needed here, and {quoted(span)} is not true or false"
    return error("condition-expected", message, span, help="compare it, as in `x > 0`")


def text_expected(span: Span) -> Diagnostic:
    return error("text-expected", f"a text in quotes is needed here, and {quoted(span)} is none", span)


def kinds_differ(span: Span, left: Span, right: Span) -> Diagnostic:
    message = f"{quoted(left)} and {quoted(right)} are of different kinds (numbers, truth values, texts)"
    return error("kind-mismatch", message, span)


def not_an_integer(span: Span, what: str) -> Diagnostic:
    return error("not-an-integer", f"{what} must be a whole number, and {quoted(span)} is not", span)


def equality_of_reals(span: Span) -> Diagnostic:
    message = f"{quoted(span)} compares numbers that change during the run for being exactly equal"
    return warning("equality-of-reals", message, span, help="use `<=` or `>=`")


def division_by_zero(span: Span, divisor: Span) -> Diagnostic:
    return error("not-finite", f"{quoted(span)} divides by {quoted(divisor)}, which is zero", span)


def not_finite(span: Span, value: float) -> Diagnostic:
    is_what = "not a number" if value != value else "infinite, or too large for a number"
    return error("not-finite", f"{quoted(span)} is {is_what}", span)


# --- functions -------------------------------------------------------------------------------


def unknown_function(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return error("unknown-function", f"there is no function `{name}`", span, help=did_you_mean(name, known))


def wrong_arguments(span: Span, name: str, signature: str, given: int) -> Diagnostic:
    message = f"`{name}` was given {given} argument{'' if given == 1 else 's'}; it is called as `{signature}`"
    return error("wrong-arguments", message, span)


def size_not_fixed(span: Span, name: str) -> Diagnostic:
    message = f"a size of `{name}` must be a whole number known beforehand, and {quoted(span)} is not"
    return error("size-not-fixed", message, span, help="make it a `structural parameter` or a `constant`")


def not_a_rotation(span: Span, what: str) -> Diagnostic:
    message = f"{what} must be a rotation, and {quoted(span)} is not known to be one"
    advice = "rotations are products and transposes of rotX, rotY, rotZ, rotAxis, identity(3), Rotations"
    return error("not-a-rotation", message, span, help=advice)


def points_not_increasing(span: Span, place: int) -> Diagnostic:
    return error("points-not-increasing", f"the points {quoted(span)} do not increase at number {place}", span)


def derivative_zero(span: Span, operand: Span) -> Diagnostic:
    message = f"the rate of {quoted(operand)} is always zero: nothing in it changes with time"
    return warning("derivative-zero", message, span)


def derivative_order(span: Span, operand: Span) -> Diagnostic:
    message = f"{quoted(operand)} already contains accelerations: its rate is not known"
    return error("derivative-order", message, span, help="`der` may be taken twice of coordinates")


def derivative_of_state_rate(span: Span, operand: Span) -> Diagnostic:
    message = f"{quoted(operand)} already contains the rate of an unknown: `der` may be taken of it once"
    return error("derivative-order", message, span, help="give the rate a name of its own as a second unknown")


def derivative_of_input(span: Span, operand: Span) -> Diagnostic:
    message = f"the rate of {quoted(operand)} is not known: it contains an input"
    advice = "make it a plain variable with a definition in `time`, or let its rate be the input"
    return error("derivative-of-input", message, span, help=advice)


def derivative_of_reaction(span: Span, operand: Span) -> Diagnostic:
    return error("derivative-of-reaction", f"the rate of {quoted(operand)}, a reaction, is not known", span)


def reaction_of_what(span: Span, label: str, known: Sequence[str]) -> Diagnostic:
    message = f"there is no constraint, limit or friction `{label}` to take a reaction of"
    return error("unknown-name", message, span, help=did_you_mean(label, known))


def coordinate_expected(span: Span) -> Diagnostic:
    message = f"`reaction` gives the force on a coordinate, and {quoted(span)} is none"
    return error("coordinate-expected", message, span)


# --- definitions -----------------------------------------------------------------------------


def cyclic_definition(span: Span, chain: Sequence[str], places: Sequence[Related]) -> Diagnostic:
    shown = list(chain) if len(chain) <= 12 else [*chain[:6], "...", *chain[-5:]]
    message = f"`{chain[0]}` is defined by itself: {' -> '.join(shown)}"
    advice = "where it is meant to be solved for, declare it without a value and state an `equation`"
    return error("cyclic-definition", message, span, *places[:12], help=advice)


def depends_on(span: Span, code: str, what: str, on: str, allowed: str) -> Diagnostic:
    """`x` may hold only `allowed`, but depends on something else."""
    return error(code, f"{what} may depend on {allowed} only, and {quoted(span)} depends on {on}", span)


def no_value(span: Span, name: str, of: str) -> Diagnostic:
    message = f"`{name}`{of} has no value"
    advice = "give it one, or state an `equation` that contains it"
    return error("no-value", message, span, help=advice)


def coordinate_type(span: Span, name: str, base: str) -> Diagnostic:
    return error("coordinate-type", f"coordinate `{name}` is {base}: a coordinate is Real or Rotation", span)


def input_type(span: Span, name: str, base: str) -> Diagnostic:
    return error("input-type", f"input `{name}` is {base}: an input is Real", span)


def coordinate_bound(span: Span, name: str) -> Diagnostic:
    message = f"coordinate `{name}` is given a value, but coordinates are what the motion determines"
    return error("coordinate-bound", message, span, help=f"set where it starts: `{name}(start = ...)`")


def unknown_attribute(span: Span, attribute: str, name: str, known: Sequence[str]) -> Diagnostic:
    message = f"`{name}` has no attribute `{attribute}`"
    return error("unknown-attribute", message, span, help=did_you_mean(attribute, known))


def attribute_misplaced(span: Span, attribute: str, name: str, reason: str) -> Diagnostic:
    return error("attribute-misplaced", f"`{attribute}` has no effect on `{name}`: {reason}", span)


def bounds_empty(span: Span, name: str, low: float, high: float) -> Diagnostic:
    return error("bounds-empty", f"`{name}` has min {low:g} above max {high:g}", span)


def out_of_bounds(span: Span, what: str, value: float, bound: str, limit: float) -> Diagnostic:
    return error("out-of-bounds", f"{what} is {value:g}, beyond its {bound} {limit:g}", span)


def nominal_not_positive(span: Span, name: str, value: float) -> Diagnostic:
    return error("out-of-bounds", f"the nominal size of `{name}` must be positive, not {value:g}", span)


# --- statements ------------------------------------------------------------------------------


def misplaced(span: Span, code: str, thing: str, place: str, advice: str | None) -> Diagnostic:
    """An acceleration, reaction or velocity stands where none can."""
    return error(code, f"{place} contains {thing}: {quoted(span)}", span, help=advice)


def energy_without(span: Span, kind: str, name: str, missing: str) -> Diagnostic:
    called = f"{kind} energy `{name}`" if name else f"{kind} energy"
    if kind == "dissipation":
        called = f"dissipation `{name}`" if name else "dissipation"
    return warning(f"{kind}-without-effect", f"the {called} contains no {missing} and has no effect", span)


def energy_expected(span: Span, what: str, expected: str, found: Dim) -> Diagnostic:
    message = f"{what} must be {expected}, but {quoted(span)} is {quantity(found)}"
    return error("dimension-clash", message, span, help=_literal_advice(span))


def energy_number(span: Span, what: str, unit: str) -> Diagnostic:
    message = f"{what} has no units of mass in it: it is taken as a number of {unit}"
    return warning("plain-number", message, span, help="give the quantities in it their types or units")


def power_expected(span: Span, name: str, effort: Span, ed: Dim, flow: Span, fd: Dim, where: str) -> Diagnostic:
    message = (
        f"force `{name}`{where}: effort times flow must be a power (W), "
        f"but {quoted(effort)} is {quantity(ed)} and {quoted(flow)} moves {_moving(fd)}"
    )
    return error("dimension-clash", message, span)


def effort_plain(span: Span, name: str, wanted: Dim, where: str) -> Diagnostic:
    message = f"the effort of force `{name}`{where} is a plain number where {quantity(wanted)} is expected"
    return warning("plain-number", message, span, help="declare it with a quantity type, or multiply it by a unit")


def flow_without_motion(span: Span, kind: str, name: str) -> Diagnostic:
    message = f"{kind} `{name}` acts on {quoted(span)}, which contains no coordinate: it has no effect"
    return warning("flow-without-motion", message, span)


def constraint_constant(span: Span, kind: str, name: str, row: str, gap: float | None) -> Diagnostic:
    """`gap` is left minus right where it is known."""
    says = f"{kind} `{name}` contains no coordinate"
    if gap is None:
        return error("constraint-constant", f"{says}: nothing can make it hold", span)
    if gap == 0:
        return warning("constraint-constant", f"{says}: it holds already and constrains nothing", span)
    message = f"{says} and cannot hold: the sides{row} differ by {gap:.6g}"
    return error("constraint-constant", message, span, help="with the values given; a coordinate must appear in it")


def limit_constant(span: Span, name: str) -> Diagnostic:
    return error("constraint-constant", f"limit `{name}` contains no coordinate: it can never be reached", span)


def restitution_range(span: Span, value: float) -> Diagnostic:
    return error("out-of-bounds", f"a restitution lies between 0 and 1, and this is {value:g}", span)


def friction_power(span: Span, name: str, found: Dim, wanted: Dim) -> Diagnostic:
    message = (
        f"friction `{name}`: coefficient times normal force must be {quantity(wanted)} for this flow, "
        f"but is {quantity(found)}"
    )
    return error("dimension-clash", message, span)


def friction_mixed(span: Span, name: str) -> Diagnostic:
    message = f"the flow of friction `{name}` has elements of different dimensions"
    return error("dimension-clash", message, span)


def qualifier_wrong(span: Span, name: str) -> Diagnostic:
    message = f"constraint `{name}` is called nonholonomic but contains no velocity: it is holonomic"
    return error("qualifier-wrong", message, span, help="leave the qualifier out, or write `holonomic`")


def matrix_sides(span: Span, what: str) -> Diagnostic:
    return error(
        "shape-mismatch",
        f"the sides of {what} are matrices: state it for numbers or vectors",
        span,
        help="state it row by row; two attitudes agree where three products of their columns vanish",
    )


def servo_input_expected(span: Span, name: str) -> Diagnostic:
    message = f"servo `{name}` can use inputs only, and {quoted(span)} is none"
    return error("servo-input-expected", message, span, help="declare it as `input`")


def servo_input_twice(span: Span, variable: str, other: str) -> Diagnostic:
    return error("servo-input-twice", f"input `{variable}` is used by servo `{other}` already", span)


def servo_count(span: Span, name: str, rows: int, inputs: int) -> Diagnostic:
    message = f"servo `{name}` has {_count(rows, 'row')} and uses {_count(inputs, 'input')}: as many are needed"
    return error("servo-count", message, span)


def unknown_option(span: Span, option: str, of: str, known: Sequence[str]) -> Diagnostic:
    return error("unknown-option", f"{of} has no option `{option}`", span, help=did_you_mean(option, known))


def reinit_target(span: Span) -> Diagnostic:
    message = f"`reinit` sets a coordinate, its rate, or a first-order state, and {quoted(span)} is none"
    return error("reinit-target", message, span)


def equations_unknowns(span: Span, unknowns: Sequence[str], count: int, labels: Sequence[str], rows: int) -> Diagnostic:
    say_unknowns = f"{_count(count, 'unknown')} ({listed(unknowns)})" if unknowns else "no unknowns"
    say_rows = f"{_count(rows, 'equation')} ({listed(labels)})" if labels else "no equations"
    return error("equations-unknowns", f"there are {say_unknowns} but {say_rows}", span)


def not_determined(span: Span, unknowns: Sequence[str]) -> Diagnostic:
    return error("equations-unknowns", f"no equation is left to determine {listed(unknowns)}", span)


def equation_without_unknown(span: Span, name: str) -> Diagnostic:
    message = f"equation `{name}` contains no unknown"
    return error("equation-without-unknown", message, span, help="state what binds coordinates as a `constraint`")


def initial_constant(span: Span, name: str) -> Diagnostic:
    message = f"initial `{name}` contains no coordinate, rate or unknown: there is nothing to set"
    return error("initial-constant", message, span)


def condition_constant(span: Span) -> Diagnostic:
    message = f"{quoted(span)} does not change during the run: it never turns true"
    return warning("condition-constant", message, span)


def assertion_false(span: Span, text: str) -> Diagnostic:
    return error("assertion-false", f"{quoted(span)} is never true: {text}", span)


def visual_argument(span: Span, shape: str, name: str, known: Sequence[str]) -> Diagnostic:
    what = f"no argument `{name}`" if name else "no further argument"
    return error("unknown-visual", f"`{shape}` takes {what}; it has {listed(known)}", span)


def visual_incomplete(span: Span, shape: str, missing: Sequence[str]) -> Diagnostic:
    return error("unknown-visual", f"`{shape}` needs {listed(missing)}", span)


def unknown_visual(span: Span, shape: str, known: Sequence[str]) -> Diagnostic:
    return error("unknown-visual", f"there is no visual shape `{shape}`", span, help=did_you_mean(shape, known))


# --- tables ----------------------------------------------------------------------------------


def table_unreadable(span: Span, path: str, reason: str) -> Diagnostic:
    return error("table-unreadable", f"the table `{path}` cannot be read: {reason}", span)


def table_column(span: Span, path: str, column: str, columns: Sequence[str]) -> Diagnostic:
    advice = did_you_mean(column, columns) or (f"it has {listed(columns)}" if columns else "it is empty")
    return error("table-column", f"the table `{path}` has no column `{column}`", span, help=advice)


def table_value(span: Span, path: str, line: int, text: str) -> Diagnostic:
    return error("table-value", f"line {line} of the table `{path}`: `{text[:40]}` is not a number", span)


def table_short_line(span: Span, path: str, line: int) -> Diagnostic:
    return error("table-value", f"line {line} of the table `{path}` has too few entries", span)


def table_order(span: Span, path: str, line: int, column: str) -> Diagnostic:
    message = f"line {line} of the table `{path}`: its first column `{column}` does not increase"
    return error("table-order", message, span)


def table_empty(span: Span, path: str) -> Diagnostic:
    return error("table-unreadable", f"the table `{path}` has fewer than two lines of numbers", span)


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """Asks whether the nearest known name was meant, where one is near."""
    close = closest(name, known)
    return None if close is None else f"did you mean `{close}`?"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _moving(flow: Dim) -> str:
    if isinstance(flow, Soft) or flow.is_one:
        return "as a plain number"
    unit = unit_text(flow)
    return f"in {'rad/s' if unit == '1/s' else unit}"


def _literal_advice(span: Span) -> str | None:
    if _PLAIN_DECIMAL.search(span.text):
        return "a number in it that is meant as a quantity needs its unit, as in `9.81[m/s2]`"
    return None


def _shape_advice(left: Shape, right: Shape) -> str | None:
    if () in (left, right) and left != right:
        extents = ", ".join(map(str, left or right))
        return f"write `zeros({extents})` or `ones({extents})` times a number for an array of equal numbers"
    return None
