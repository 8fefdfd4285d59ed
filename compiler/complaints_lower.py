"""What `lower` complains of: one function for each complaint, place first, wording only here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from mbdc.dsl.diagnostics import Diagnostic, Related, error, note
from mbdc.dsl.program import VariableDefinition
from mbdc.dsl.source import Span

_NOWHERE: Mapping[str, str] = MappingProxyType({})

# --- values and rates ----------------------------------------------------------------------------


def no_value(definition: VariableDefinition, components: Mapping[str, str] = _NOWHERE) -> Diagnostic:
    return error(
        "no-value",
        f"{_of(definition, components)} has no value",
        definition.span,
        help=f"give it one: `{_last(definition.name)} = ...` where it is declared or modified",
    )


def input_rate(name: str, span: Span) -> Diagnostic:
    return error(
        "derivative-of-input",
        f"the rate of input `{name}` is needed here, but an input is a signal whose rate is not known",
        span,
        help=f"declare the rate as an input of its own, or make `{name}` an unknown with an `equation`",
    )


def third_rate(name: str, span: Span) -> Diagnostic:
    return error(
        "derivative-order",
        f"the third derivative of coordinate `{name}` is needed here; accelerations are the highest",
        span,
        help="take one `der` away",
    )


def second_rate(name: str, span: Span) -> Diagnostic:
    return error(
        "derivative-order",
        f"the second derivative of unknown `{name}` is needed here; equations find its first at most",
        span,
        help=f"give the rate a name: `Real d; equation rate: d = der({name});`, and take `der(d)`",
    )


def matrix_exponent(span: Span) -> Diagnostic:
    return error(
        "matrix-exponent",
        "a matrix can only be raised to a fixed whole power that is not negative",
        span,
        help="write a number, or a `constant` or `structural parameter`, as the exponent",
    )


def reaction_rate(label: str, span: Span) -> Diagnostic:
    return error(
        "derivative-of-reaction",
        f"the derivative of `reaction({label})` is needed here; it is not known",
        span,
    )


def reaction_here(label: str, span: Span) -> Diagnostic:
    return error(
        "reaction-here",
        f"`reaction({label})` cannot stand here: energies, constraints and starts must not depend on it",
        span,
    )


def reaction_lost(label: str, span: Span) -> Diagnostic:
    """The reaction of a limit on what no coordinate moves, or of a statement that has a mistake of its own."""
    return error("pushes-nothing", f"`{label}` pushes on no coordinate: it has no reaction", span)


# --- constraints ---------------------------------------------------------------------------------


def row_dropped(label: str, span: Span) -> Diagnostic:
    return note("row-dropped", f"row `{label}` reads 0 = 0 whatever the motion: it is dropped, numbering stays", span)


def constrains_nothing(name: str, span: Span) -> Diagnostic:
    return error(
        "constraint-constant",
        f"constraint `{name}` constrains nothing: it reads 0 = 0 whatever the motion",
        span,
        help="remove it, or write what it is to hold",
    )


def cannot_hold(label: str, value: float, span: Span) -> Diagnostic:
    return error(
        "constraint-constant",
        f"constraint `{label}` cannot hold: left - right is {value:.9g} whatever the motion",
        span,
    )


def no_motion_in_row(label: str, span: Span) -> Diagnostic:
    return error(
        "constraint-constant",
        f"constraint `{label}` depends on no coordinate and no velocity: no motion can make it hold",
        span,
        help="a relation between other quantities is an `equation` or an `assert`",
    )


def not_nonholonomic(name: str, span: Span) -> Diagnostic:
    return error(
        "qualifier-wrong",
        f"constraint `{name}` is called nonholonomic, but contains no velocity: it is holonomic",
        span,
        help="leave the qualifier out, or write `holonomic`",
    )


def acceleration_in(kind: str, name: str, span: Span) -> Diagnostic:
    called = f"{kind} `{name}`" if name else f"this {kind}"
    message = f"{called} contains an acceleration, which it must not"
    return error(f"acceleration-in-{kind.split()[-1]}", message, span)


# --- forces, energies, inertia ---------------------------------------------------------------------


def flow_not_linear(kind: str, name: str, span: Span) -> Diagnostic:
    return error(
        "flow-not-linear",
        f"the flow of {kind} `{name}` is not linear in the velocities",
        span,
        help="write a velocity that is linear in rates, or a position, which stands for its own rate",
    )


def flow_fixed(kind: str, name: str, span: Span) -> Diagnostic:
    return error(
        "flow-constant",
        f"{kind} `{name}` has no effect: its flow does not depend on any coordinate or velocity",
        span,
        help="write the point, angle or velocity that it acts on behind `on`",
    )


def no_inertia(name: str, elements: Sequence[str], span: Span) -> Diagnostic:
    parts = f" ({_listed(elements)})" if elements else ""
    return error(
        "no-inertia",
        f"no inertia acts on `{name}`{parts}: its rate is in no kinetic energy and no constraint determines it",
        span,
        help=f"let a `kinetic` energy contain the rate of `{name}`, or tie it with a constraint",
    )


# --- servos, limits, events ------------------------------------------------------------------------


def servo_count(name: str, rows: int, inputs: int, span: Span) -> Diagnostic:
    return error(
        "servo-count",
        f"servo `{name}` has {_count(rows, 'row')} but {_count(inputs, 'input')} to keep them with",
        span,
        help="name as many scalar inputs behind `using` as there are rows",
    )


def servo_target(name: str, span: Span) -> Diagnostic:
    return error("servo-input-expected", f"servo `{name}` uses something that is not an input", span)


def reinit_target(span: Span) -> Diagnostic:
    return error(
        "reinit-target",
        "only a coordinate, its rate or a state can be set by `reinit`",
        span,
    )


# --- declarations ----------------------------------------------------------------------------------


def depends(code: str, what: str, allowed: str, span: Span) -> Diagnostic:
    return error(code, f"{what} may depend on {allowed} only", span)


def too_large(size: int, most: int, span: Span) -> Diagnostic:
    return error("too-large", f"{size} coordinates, inputs and unknowns are more than can be solved for ({most})", span)


def start_of_expression(definition: VariableDefinition, attribute: str) -> Diagnostic:
    return error(
        "attribute-misplaced",
        f"{_of(definition)} is worked out from other variables, so its `{attribute}` has no effect",
        definition.span,
        help=f"fix its initial value by `initial {_last(definition.name)}0: {_last(definition.name)} = ...;`",
    )


def attribute_shape(definition: VariableDefinition, attribute: str) -> Diagnostic:
    return error("attribute-shape", f"`{attribute}` of {_of(definition)} has the wrong size", definition.span)


# --- settings --------------------------------------------------------------------------------------


def unknown_setting(name: str, near: str | None) -> Diagnostic:
    advice = None if near is None else f"did you mean `{near}`?"
    return error("unknown-name", f"there is no parameter `{name}`", None, help=advice)


def not_a_parameter(definition: VariableDefinition) -> Diagnostic:
    name = definition.name
    match definition:
        case VariableDefinition(kind="constant"):
            says, advice = "is a constant and cannot be set", "declare it `parameter` to make it settable"
        case VariableDefinition(kind="parameter", final=True):
            says, advice = "is final and cannot be set", "set the parameters it is worked out from"
        case VariableDefinition(kind="parameter"):
            says, advice = "fixes the structure of the model", "give it when the model is loaded"
        case VariableDefinition(kind="coordinate"):
            says, advice = "is a coordinate, not a parameter", f"set its start, `{name}.start`"
        case VariableDefinition(kind="input"):
            says, advice = "is an input, not a parameter", "give it among the inputs"
        case _:
            says, advice = "is not a parameter", "set the parameters it depends on"
    code = "final-set" if definition.final or definition.kind == "constant" else "not-a-parameter"
    return error(code, f"`{name}` {says}", None, _declared(definition), help=advice)


def setting_shape(definition: VariableDefinition, given: tuple[int, ...]) -> Diagnostic:
    return error(
        "setting-shape",
        f"`{definition.name}` is {_shape(definition.type.shape)}, but {_shape(given)} was given",
        None,
        _declared(definition),
    )


def setting_kind(definition: VariableDefinition, wanted: str) -> Diagnostic:
    return error("setting-kind", f"`{definition.name}` must be {wanted}", None, _declared(definition))


def not_finite(definition: VariableDefinition, element: str, value: float) -> Diagnostic:
    return error("not-finite", f"`{element}` is {value}", definition.span)


def out_of_range(definition: VariableDefinition, element: str, value: float, bound: str, limit: float) -> Diagnostic:
    side = "below its min" if bound == "min" else "above its max"
    return error("out-of-bounds", f"`{element}` is {value:.9g}, {side} of {limit:.9g}", definition.span)


def not_a_rotation(definition: VariableDefinition) -> Diagnostic:
    message = f"the value of `{definition.name}` is not a rotation matrix"
    return error("not-a-rotation", message, definition.span)


def bound_broken(element: str, bound: str) -> str:
    side = "below its min" if bound == "min" else "above its max"
    return f"`{element}` is {side}"


def start_not_a_rotation(name: str, attribute: str) -> str:
    return f"the `{attribute}` of `{name}` is not a rotation matrix"


# --- words -----------------------------------------------------------------------------------------


def _of(definition: VariableDefinition, components: Mapping[str, str] = _NOWHERE) -> str:
    """`A` of `Wheel w` where the class of its component is known, else its dotted name."""
    path = definition.component
    if path not in components:
        return f"`{definition.name}`"
    return f"`{definition.name.removeprefix(path + '.')}` of `{components[path]} {path}`"


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _declared(definition: VariableDefinition) -> Related:
    return Related("declared here", definition.span)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _shape(shape: tuple[int, ...]) -> str:
    match shape:
        case ():
            return "a single number"
        case (length,):
            return f"a vector of {length}"
        case (rows, columns):
            return f"a {rows} x {columns} matrix"
        case _:
            return f"an array of shape {shape}"
