"""What flattening complains about, one function per complaint, the place first.

Wording lives here alone. A sentence names the user's own thing; `help` says what to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import syntax
from .diagnostics import Diagnostic, Related, error, note, warning
from .source import Span


def _meant(close: str | None) -> str | None:
    return f"did you mean `{close}`?" if close else None


def _declared(place: Span | None, what: str = "declared here") -> tuple[Related, ...]:
    return () if place is None else (Related(what, place),)


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = [f"`{name}`" for name in names[:most]]
    return ", ".join(shown) + (", ..." if len(names) > most else "")


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _sizes(shape: Sequence[int | None]) -> str:
    if not shape:
        return "one value"
    return " by ".join("any number" if n is None else str(n) for n in shape) + " values"


def component(path: str, class_name: str) -> str:
    """`Wheel w`, as messages call a component."""
    return f"`{class_name} {path}`"


def record(class_name: str) -> str:
    return f"a `{class_name}`"


# --- names -----------------------------------------------------------------------------------


def unknown_name(span: Span, name: str, close: str | None, place: Span | None, outside: str | None) -> Diagnostic:
    advice = _meant(close)
    if advice is None and outside is not None:
        advice = f"`{name}` belongs to `{outside}`, whose members are not seen in here: hand it in"
    return error(
        "unknown-name",
        f"`{name}` is not declared",
        span,
        *_declared(place, f"`{close}` is declared here"),
        help=advice,
    )


def absent(span: Span, name: str, place: Span) -> Diagnostic:
    return error(
        "unknown-name",
        f"`{name}` is declared only in a branch that is not taken",
        span,
        *_declared(place),
        help="use it under the same `if`",
    )


def absent_member(span: Span, name: str, class_name: str, place: Span) -> Diagnostic:
    return error(
        "unknown-member",
        f"this `{class_name}` has no member `{name}`: it is declared in a branch that is not taken",
        span,
        *_declared(place),
    )


def class_as_value(span: Span, name: str, kind: str) -> Diagnostic:
    advice = {
        "function": f"call it: `{name}(...)`",
        "record": f"build one: `{name}(...)`",
        "model": f"declare a component of it: `{name} part;`",
    }.get(kind)
    return error("not-a-value", f"`{name}` is {_article(kind)}, not a value", span, help=advice)


def label_as_value(span: Span, name: str, what: str, place: Span) -> Diagnostic:
    advice = f"write `reaction({name})` for its multiplier" if what in ("constraint", "limit", "friction") else None
    return error(
        "not-a-value",
        f"`{name}` is the label of {_article(what)}, not a value",
        span,
        *_declared(place),
        help=advice,
    )


def member_of_class(span: Span, name: str) -> Diagnostic:
    return error(
        "not-a-value",
        f"`{name}` is a class; only its components have members",
        span,
        help=f"declare a component: `{name} part;`, and write `part.` for its members",
    )


def unknown_member(span: Span, name: str, class_name: str, close: str | None, place: Span | None) -> Diagnostic:
    what = f"`{close}` is declared here" if close else f"`{class_name}` is declared here"
    return error(
        "unknown-member",
        f"`{class_name}` has no member `{name}`",
        span,
        *_declared(place, what),
        help=_meant(close),
    )


def no_members(span: Span, name: str) -> Diagnostic:
    return error("unknown-member", f"this value has no member `{name}`: it is a number or an array", span)


def not_a_value(span: Span, what: str, members: Sequence[str]) -> Diagnostic:
    advice = f"name one of its members: {_listed(members)}" if members else None
    return error("not-a-value", f"{what} cannot stand here as a value", span, help=advice)


def unknown_function(span: Span, name: str, close: str | None) -> Diagnostic:
    return error("unknown-function", f"there is no function `{name}`", span, help=_meant(close))


def unknown_type(span: Span, name: str, close: str | None) -> Diagnostic:
    advice = _meant(close) or "declare it, or import the file that does"
    return error("unknown-type", f"there is no type or class `{name}`", span, help=advice)


def unknown_label(span: Span, name: str, close: str | None, place: Span | None, known: Sequence[str]) -> Diagnostic:
    advice = _meant(close)
    if advice is None:
        advice = f"there are {_listed(known)}" if known else "no constraint, limit or friction is labelled here"
    return error(
        "unknown-label",
        f"no constraint, limit or friction is called `{name}`",
        span,
        *_declared(place),
        help=advice,
    )


def which_label(span: Span, name: str, labels: Sequence[str]) -> Diagnostic:
    return error(
        "unknown-label",
        f"which of the statements `{name}` is meant is not said",
        span,
        help=f"there are {_listed(labels)}",
    )


def label_needed(span: Span) -> Diagnostic:
    return error("unknown-label", "the label of a constraint, limit or friction is needed here", span)


def label_of_what(span: Span, text: str) -> Diagnostic:
    return error("unknown-label", f"`{text}` is not one component whose statements could be named", span)


def no_reaction(span: Span, name: str, what: str, place: Span) -> Diagnostic:
    advice = "the inputs it uses are found in the results by their names" if what == "servo" else None
    return error(
        "no-reaction",
        f"the {what} `{name}` has no reaction",
        span,
        *_declared(place, "stated here"),
        help=advice,
    )


def reaction_in_function(span: Span) -> Diagnostic:
    return error(
        "unknown-label",
        "a function does not see the constraints of a model",
        span,
        help="hand the reaction in as an argument",
    )


def unknown_model(name: str, close: str | None, known: Sequence[str], file: str) -> Diagnostic:
    advice = _meant(close) or (f"there are {_listed(known)}" if known else None)
    return error("unknown-model", f"`{file}` has no model `{name}`", None, help=advice)


def not_a_model(name: str, kind: str, span: Span) -> Diagnostic:
    what = "partial: others extend it" if kind == "model" else _article(kind)
    return error("unknown-model", f"`{name}` cannot be run, it is {what}", span)


def no_model(file: str, partial: Sequence[str]) -> Diagnostic:
    advice = f"partial ones cannot be run: extend {_listed(partial)}" if partial else None
    return error("no-model", f"`{file}` has no model to run", None, help=advice)


def unknown_setting(name: str, close: str | None) -> Diagnostic:
    return error("unknown-name", f"the model has no variable `{name}` to set", None, help=_meant(close))


def unknown_unit(span: Span, reason: str, suggestions: Sequence[str]) -> Diagnostic:
    advice = "did you mean " + " or ".join(f"`[{s}]`" for s in suggestions) + "?" if suggestions else None
    return error("unknown-unit", reason, span, help=advice)


# --- declarations ----------------------------------------------------------------------------


def duplicate_name(span: Span, name: str, first: Span) -> Diagnostic:
    return error("duplicate-name", f"`{name}` is declared twice", span, Related("first declared here", first))


def duplicate_label(span: Span, name: str, what: str, other: str, first: Span) -> Diagnostic:
    return error(
        "duplicate-label",
        f"{_article(what)} cannot be called `{name}`: {_article(other)} has this name",
        span,
        Related("first used here", first),
    )


def reserved(span: Span, name: str) -> Diagnostic:
    return error(
        "reserved-name",
        f"`{name}` has a meaning of its own and cannot be declared",
        span,
        help="choose another name",
    )


def file_as_type(span: Span, name: str, classes: Sequence[str]) -> Diagnostic:
    advice = f"it holds {_listed([f'{name}.{c}' for c in classes])}" if classes else None
    return error("unknown-type", f"`{name}` is a file, not a class", span, help=advice)


def cyclic_type(span: Span, chain: Sequence[str]) -> Diagnostic:
    return error("cyclic-definition", f"the type is defined by itself: {' = '.join(chain)}", span)


def type_of_class(span: Span, name: str, class_name: str) -> Diagnostic:
    return error(
        "type-of-class",
        f"the type `{name}` cannot be made of the class `{class_name}`",
        span,
        help=f"write a model or record that extends `{class_name}`",
    )


def function_as_type(span: Span, name: str) -> Diagnostic:
    return error("not-a-type", f"`{name}` is a function, and no component can be made of it", span)


def partial_component(span: Span, class_name: str, name: str, place: Span) -> Diagnostic:
    return error(
        "partial-class",
        f"`{name}` cannot be a `{class_name}`: that model is partial",
        span,
        *_declared(place),
        help="use a model that extends it",
    )


def kind_on_model(span: Span, kind: str, class_name: str) -> Diagnostic:
    return error(
        "misplaced-kind",
        f"a component of the model `{class_name}` cannot be `{kind if kind != 'plain' else 'structural'}`",
        span,
        help="such a word belongs to the variables inside",
    )


def model_in_record(span: Span, class_name: str, record_name: str) -> Diagnostic:
    return error("misplaced-kind", f"the record `{record_name}` holds values only, not the model `{class_name}`", span)


def misplaced_kind(span: Span, kind: str, name: str) -> Diagnostic:
    return error("misplaced-kind", f"such a declaration cannot stand in the {kind} `{name}`", span)


def misplaced_class(span: Span) -> Diagnostic:
    return error("misplaced-class", "this cannot stand in a loop or a branch", span, help="move it out of it")


def statement_in(span: Span, kind: str, name: str) -> Diagnostic:
    return error("misplaced-statement", f"the {kind} `{name}` can only hold declarations", span)


def model_given_value(span: Span, name: str, class_name: str) -> Diagnostic:
    return error(
        "model-given-value",
        f"`{name}` is a component of the model `{class_name}` and cannot be given a value as a whole",
        span,
        help=f"give its members values: `{class_name} {name}(member = ...)`",
    )


def extended_twice(span: Span, name: str) -> Diagnostic:
    return error("extended-twice", f"`{name}` is extended twice", span)


def endless_containment(span: Span, chain: Sequence[str]) -> Diagnostic:
    return error(
        "endless-instantiation",
        f"`{chain[-1]}` contains itself without end: {' contains '.join(chain)}",
        span,
    )


def outer_with_value(span: Span, name: str) -> Diagnostic:
    return error(
        "outer-with-value",
        f"`outer {name}` stands for a component declared elsewhere and cannot be modified here",
        span,
        help="modify the `inner` one",
    )


def no_inner(span: Span, name: str, type_name: str, place: Span | None) -> Diagnostic:
    return error(
        "no-inner",
        f"nothing around this part declares `inner {type_name} {name}`",
        span,
        *_declared(place, f"`{name}` is declared here, but not `inner`"),
        help=f"declare `inner {type_name} {name};` in the model",
    )


def inner_of_other_type(span: Span, name: str, type_name: str, place: Span) -> Diagnostic:
    return error(
        "inner-type",
        f"`outer {name}` needs a `{type_name}`, but the `inner` one is of another type",
        span,
        *_declared(place),
    )


def default_world(span: Span, name: str, type_name: str) -> Diagnostic:
    return note(
        "default-world",
        f"no `inner {type_name} {name}` is declared: one with its default values is used",
        span,
        help=f"declare `inner {type_name} {name};` in the model to set them",
    )


# --- modifications ---------------------------------------------------------------------------


def final_set(span: Span, name: str, owner: str, place: Span) -> Diagnostic:
    what = f"`{name}` of {owner}" if owner else f"`{name}`"
    return error("final-set", f"{what} is final and cannot be set", span, Related("made final here", place))


def modified_twice(span: Span, name: str, first: Span) -> Diagnostic:
    return error("set-twice", f"`{name}` is set twice", span, Related("first set here", first))


def modifier_shape(span: Span, given: Sequence[int], wanted: Sequence[int]) -> Diagnostic:
    return error(
        "modifier-shape",
        f"the array has {_sizes(given)}, but there are {_sizes(wanted).replace('values', 'components')}",
        span,
        help="give one value for all, or one for each",
    )


def unknown_attribute(span: Span, attribute: str, name: str) -> Diagnostic:
    advice = {
        "fixed": "`start` is firm, `guess` is soft",
        "displayUnit": "write values with their unit: `30[deg]`",
        "each": "a value for one goes to all components of an array",
        "stateSelect": "states are found by the compiler",
        "quantity": "declare a `type`",
    }.get(attribute, "there are `start`, `rate`, `guess`, `guessRate`, `min`, `max`, `nominal`, `unit`")
    return error("unknown-attribute", f"`{name}` has no attribute `{attribute}`", span, help=advice)


def attribute_without_value(span: Span, name: str) -> Diagnostic:
    return error("attribute-without-value", f"the attribute `{name}` takes one value: `{name} = ...`", span)


def attribute_in_function(span: Span, name: str, function: str) -> Diagnostic:
    return error("unknown-attribute", f"the attribute `{name}` has no effect in the function `{function}`", span)


def record_wanted(span: Span) -> Diagnostic:
    return error("record-needed", "a record is needed here, not a number or an array", span)


def unknown_option(span: Span, name: str, what: str, close: str | None, known: Sequence[str]) -> Diagnostic:
    advice = _meant(close) or f"there is {_listed(known)}"
    return error("unknown-option", f"the {what} has no option `{name}`", span, help=advice)


def option_without_value(span: Span, name: str, what: str) -> Diagnostic:
    return error("option-without-value", f"`{name}` of the {what} takes one value: `{name} = ...`", span)


# --- values that must be known ---------------------------------------------------------------


def not_structural(
    span: Span, role: str, culprit: syntax.Declarator | None, kind: str | None, cause: Span
) -> Diagnostic:
    if culprit is None:
        return error("not-structural", f"{role} must be known before the run", span, Related("this is not", cause))
    return error(
        "not-structural",
        f"{role} depends on `{culprit.name}`, {_changing(kind)}",
        span,
        *_declared(culprit.span),
        help=f"declare it `structural parameter`: `structural parameter ... {culprit.name}`"
        if kind == "parameter"
        else "use constants and `structural parameter`s",
    )


def _changing(kind: str | None) -> str:
    match kind:
        case "parameter":
            return "a parameter that may change from run to run without compiling again"
        case "input" | "coordinate":
            return f"{_article(kind)}, which changes during a run"
        case _:
            return "which is not known before the run"


def no_number(span: Span, role: str, reason: str) -> Diagnostic:
    return error("no-value", f"{role} has no value: {reason}", span)


def cyclic_value(span: Span, role: str) -> Diagnostic:
    return error("cyclic-definition", f"{role} depends on itself", span)


def cyclic_local(span: Span, name: str) -> Diagnostic:
    return error("cyclic-definition", f"`{name}` is defined by itself", span)


def not_whole(span: Span, role: str, value: object) -> Diagnostic:
    shown = f"{value:g}" if isinstance(value, float) else "not a number"
    return error("not-whole", f"{role} must be a whole number, it is {shown}", span)


def not_one_number(span: Span, role: str) -> Diagnostic:
    return error("not-a-number", f"{role} must be one number", span)


def not_a_condition(span: Span, role: str) -> Diagnostic:
    return error("not-a-condition", f"{role} must be true or false", span)


def not_a_text(span: Span, role: str) -> Diagnostic:
    return error("not-a-text", f'{role} must be a text: "..."', span)


def negative_size(span: Span, role: str, size: int) -> Diagnostic:
    return error("negative-size", f"{role} is {size}, which is below zero", span)


def size_without_value(span: Span, name: str) -> Diagnostic:
    return error(
        "size-without-value",
        f"the size of `{name}` follows from its value, and it has none",
        span,
        help="give it a value or a size",
    )


def nothing_to_loop_over(span: Span, name: str) -> Diagnostic:
    return error("not-an-array", f"`{name}` cannot run over a single value", span, help="write a range: `1:n`")


def loop_not_whole(span: Span, name: str) -> Diagnostic:
    return error(
        "not-whole",
        f"`{name}` must count in whole numbers: labels and names in the loop get it as index",
        span,
    )


def no_step(span: Span) -> Diagnostic:
    return error("no-step", "this range has no end: its step is zero or a bound is infinite", span)


def misplaced_colon(span: Span) -> Diagnostic:
    return error("misplaced-colon", "a bare `:` stands only in an index", span)


# --- arrays ----------------------------------------------------------------------------------


def not_an_array(span: Span, text: str) -> Diagnostic:
    return error("not-an-array", f"`{text}` is not an array", span)


def too_many_subscripts(span: Span, text: str, rank: int, count: int) -> Diagnostic:
    what = "not an array" if rank == 0 else "a vector" if rank == 1 else f"an array of {rank} dimensions"
    return error(
        "too-many-subscripts",
        f"`{text}` is {what}, {count} {'index is' if count == 1 else 'indices are'} given",
        span,
    )


def index_out_of_range(span: Span, text: str, index: int, extent: int | None, position: int) -> Diagnostic:
    if index < 1:
        return error("index-out-of-range", f"index {index} of `{text}`: indices count from 1", span)
    of = "" if position == 0 else f" in dimension {position + 1}"
    return error("index-out-of-range", f"index {index} of `{text}` is out of range: it has {extent} elements{of}", span)


def no_such_round(span: Span, text: str, key: Sequence[int], place: Span) -> Diagnostic:
    index = ", ".join(map(str, key))
    return error("index-out-of-range", f"the loop makes no `{text}[{index}]`", span, *_declared(place))


def ragged_family(span: Span, place: Span) -> Diagnostic:
    return error(
        "ragged-array",
        "a loop declares this, and not for all indices from 1: it is no whole array",
        span,
        *_declared(place),
        help="name one of them by its index",
    )


def not_an_index(span: Span, value: object) -> Diagnostic:
    shown = f", not {value:g}" if isinstance(value, float) else ""
    return error("not-whole", f"an index must be a whole number{shown}", span)


def block_in_matrix(span: Span) -> Diagnostic:
    return error(
        "matrix-entry",
        "the entries of a matrix are single values",
        span,
        help="write an array of rows: `{a, b}`",
    )


def nested_comprehension(span: Span) -> Diagnostic:
    return error(
        "ambiguous-loop",
        "an array over several loops at once does not say which index comes first",
        span,
        help="nest them: `{{a[i, j] for j in 1:m} for i in 1:n}`; in a `sum` they may stand together",
    )


def no_size(span: Span) -> Diagnostic:
    return error("not-an-array", "the size of this is not known", span)


def no_dimension(span: Span, text: str, which: int, rank: int) -> Diagnostic:
    return error("index-out-of-range", f"`{text}` has {rank} dimensions, there is no dimension {which}", span)


# --- calls -----------------------------------------------------------------------------------


def not_callable(span: Span) -> Diagnostic:
    return error("not-a-function", "only a function can be called", span)


def not_a_function(span: Span, name: str) -> Diagnostic:
    return error(
        "not-a-function",
        f"`{name}` is a model or type and cannot be called",
        span,
        help=f"declare a component: `{name} part(...);`",
    )


def call_of_variable(span: Span, name: str) -> Diagnostic:
    return error(
        "not-a-function",
        f"`{name}` is a variable, not a function",
        span,
        help="write `[...]` for an index, `*` for a product",
    )


def named_argument(span: Span, function: str, name: str) -> Diagnostic:
    return error("unknown-argument", f"`{function}` takes its arguments in order, without names such as `{name}`", span)


def argument_count(span: Span, function: str, wanted: str, given: int) -> Diagnostic:
    noun = "argument" if wanted == "1" else "arguments"
    return error("argument-count", f"`{function}` takes {wanted} {noun}, {given} are given", span)


def unknown_argument(span: Span, function: str, name: str, close: str | None, known: Sequence[str]) -> Diagnostic:
    advice = _meant(close) or (f"it takes {_listed(known)}" if known else "it takes none")
    what = f"`{name}`" if name else "so many"
    return error(
        "unknown-argument",
        f"`{function}` has no argument {what}" if name else f"`{function}` does not take {what} arguments",
        span,
        help=advice,
    )


def argument_twice(span: Span, function: str, name: str, first: Span) -> Diagnostic:
    return error(
        "set-twice",
        f"the argument `{name}` of `{function}` is given twice",
        span,
        Related("first given here", first),
    )


def missing_argument(span: Span, function: str, name: str, place: Span | None) -> Diagnostic:
    return error("argument-count", f"`{function}` needs a value for `{name}`", span, *_declared(place))


def endless_recursion(span: Span, name: str, chain: Sequence[str], most: int) -> Diagnostic:
    return error(
        "endless-recursion",
        f"`{name}` calls itself more than {most} levels deep: ... {' calls '.join(chain)}",
        span,
        help="let the calls end under an `if` whose condition is known before the run",
    )


def one_output(span: Span, name: str, count: int) -> Diagnostic:
    return error("function-output", f"the function `{name}` has {count or 'no'} outputs, it needs one", span)


def local_without_value(span: Span, name: str, function: str) -> Diagnostic:
    return error(
        "no-value",
        f"`{name}` in the function `{function}` has no value",
        span,
        help="write `= ...` behind it",
    )


def slot_shape(span: Span, name: str, wanted: Sequence[int | None], given: Sequence[int], place: Span) -> Diagnostic:
    return error(
        "shape-mismatch",
        f"`{name}` takes {_sizes(wanted)}, this has {_sizes(given)}",
        span,
        *_declared(place),
    )


def record_needed(span: Span, name: str, class_name: str, place: Span) -> Diagnostic:
    return error("record-needed", f"`{name}` takes a `{class_name}`, not a number or an array", span, *_declared(place))


def no_record_needed(span: Span, name: str, class_name: str) -> Diagnostic:
    return error("not-a-value", f"`{name}` takes a number or an array, not a `{class_name}`", span)


def table_without_home(span: Span) -> Diagnostic:
    return error(
        "no-table",
        "a text without a file has no place beside which a table could lie",
        span,
        help="save the model in a file",
    )


def no_table(span: Span, name: str, folder: str) -> Diagnostic:
    return error("no-table", f'there is no file "{name}"', span, help=f"looked for it in `{folder}`")


# --- statements ------------------------------------------------------------------------------


def unknown_shape(span: Span, name: str, close: str | None, known: Sequence[str]) -> Diagnostic:
    return error(
        "unknown-shape",
        f"there is no shape `{name}`",
        span,
        help=_meant(close) or f"there are {_listed(known)}",
    )


def visual_without_frame(span: Span, shape: str) -> Diagnostic:
    return error(
        "visual-frame",
        f"where the {shape} is drawn is not said",
        span,
        help="write `on` and a frame or a point",
    )


def visual_needs_no_frame(span: Span, shape: str) -> Diagnostic:
    return error("visual-frame", f"a {shape} is given in world axes and is not drawn `on` a frame", span)


def visual_on_many(span: Span) -> Diagnostic:
    return error("visual-frame", "this is an array; a shape is drawn on one frame", span, help="draw in a `for` loop")


def unknown_annotation(span: Span, name: str, close: str | None) -> Diagnostic:
    return warning(
        "unknown-annotation",
        f"the annotation `{name}` is not known and has no effect",
        span,
        help=_meant(close),
    )


def experiment_value(span: Span, name: str, value: float) -> Diagnostic:
    wanted = {"StopTime": "zero or more", "Tolerance": "between 0 and 1"}.get(name, "more than zero")
    return error("experiment-value", f"`{name}` is {value:g}, it must be {wanted}", span)


# --- values and effects ----------------------------------------------------------------------


def parameter_without_value(declarator: syntax.Declarator, part: str | None, place: Span) -> Diagnostic:
    what = f"parameter `{declarator.name}`"
    if part is None:
        return error(
            "parameter-without-value",
            f"{what} has no value",
            declarator.span,
            help=f"write `{declarator.name} = ...`, or set it from outside",
        )
    return error(
        "parameter-without-value",
        f"{what} of {part} has no value",
        place,
        *_declared(declarator.span),
        help=f"give it in parentheses: `({declarator.name} = ...)`",
    )


def no_value(declarator: syntax.Declarator, kind: str, part: str | None, place: Span) -> Diagnostic:
    name = declarator.name
    advice = f"give it in parentheses, `({name} = ...)`" if part is not None else f"write `{name} = ...`"
    if kind in ("plain", "output"):
        advice += ", or an `equation` that determines it"
    if part is None:
        return error("no-value", f"`{name}` has no value", declarator.span, help=advice)
    return error("no-value", f"`{name}` of {part} has no value", place, *_declared(declarator.span), help=advice)


def unused_coordinate(span: Span, name: str) -> Diagnostic:
    return error(
        "unused-coordinate",
        f"nothing in the model depends on the coordinate `{name}`",
        span,
        help="give it inertia by a `kinetic` energy, or leave it out",
    )


def unused_input(span: Span, name: str) -> Diagnostic:
    return warning("unused-input", f"the input `{name}` has no effect on the motion", span)


def unused_parameter(span: Span, kind: str, name: str) -> Diagnostic:
    return warning("unused-parameter", f"the {kind} `{name}` is used nowhere", span)


# --- bounds ----------------------------------------------------------------------------------


def too_large(span: Span, what: str, most: int) -> Diagnostic:
    return error("too-large", f"{what} has more than {most:,} elements", span)


def too_many_nodes(span: Span, most: int) -> Diagnostic:
    return error("too-large", f"the model is too large: more than {most:,} operations when all is put in", span)


def too_many_elements(span: Span, most: int) -> Diagnostic:
    return error("too-large", f"the model is too large: its variables have more than {most:,} elements", span)


def too_many_instances(span: Span, most: int) -> Diagnostic:
    return error("too-large", f"the model is too large: it has more than {most:,} components", span)


def too_deep(span: Span, name: str, most: int) -> Diagnostic:
    return error(
        "endless-instantiation",
        f"components are nested more than {most} levels deep, down to `{name}`",
        span,
        help="a model that contains itself must end under an `if`",
    )


def recursion(span: Span | None) -> Diagnostic:
    return error("too-deep", "the model's definitions are nested too deeply", span)
