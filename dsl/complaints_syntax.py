"""What is said about broken syntax: one function for each mistake, the place first."""

from __future__ import annotations

from collections.abc import Sequence

from .diagnostics import Diagnostic, Related, error
from .source import Span

# --- characters, numbers and strings ---------------------------------------------------------


def foreign_sign(place: Span, text: str, help: str) -> Diagnostic:
    return error("foreign-sign", f"{_quoted(text)} is not a sign of this language", place, help=help)


def unknown_character(place: Span, character: str) -> Diagnostic:
    return error(
        "unknown-character",
        f"the character {_quoted(character)} has no meaning here",
        place,
        help="remove it, or put it in a comment (`//`) or a string",
    )


def assignment(place: Span) -> Diagnostic:
    return error(
        "assignment",
        "`:=` assigns; a model has no assignments",
        place,
        help="use `=`: what stands on both sides is equal at every instant",
    )


def power_operator(place: Span) -> Diagnostic:
    return error("power-operator", "`**` is not the power operator", place, help="write `x^y`")


def degree_sign(place: Span, number: str) -> Diagnostic:
    return error(
        "degree-sign",
        "a degree sign is not a unit",
        place,
        help=f"write the unit in brackets: `{number}[deg]`",
    )


def superscript(place: Span, text: str, power: str) -> Diagnostic:
    return error("superscript", f"a power is not written `{text}`", place, help=f"write `^{power}`")


def partial_number(place: Span, text: str, whole: str) -> Diagnostic:
    return error("partial-number", f"`{text}` lacks a digit at the decimal point", place, help=f"write `{whole}`")


def single_quotes(place: Span, content: str) -> Diagnostic:
    return error("single-quotes", "a string stands in double quotes", place, help=f'write `"{_shortened(content)}"`')


def unclosed_string(place: Span) -> Diagnostic:
    return error(
        "unclosed-string",
        "the string is not closed on its line",
        place,
        help='end it with `"`; a line break in a string is written `\\n`',
    )


def unclosed_comment(place: Span) -> Diagnostic:
    return error("unclosed-comment", "the comment is never closed", place, help="end it with `*/`")


def unopened_comment(place: Span) -> Diagnostic:
    return error("unclosed-comment", "`*/` closes no comment", place, help="begin the comment with `/*`")


def unit_space(place: Span, number: str) -> Diagnostic:
    return error(
        "unit-space",
        "a unit stands straight behind its number",
        place,
        help=f"write `{number}[unit]`, without a space",
    )


def unit_without_brackets(place: Span, number: str, unit: str) -> Diagnostic:
    return error(
        "missing-operator",
        f"there is no operator between `{number}` and `{unit}`",
        place,
        help=f"write `{number}[{unit}]` if `{unit}` is a unit, `{number}*{unit}` for a product",
    )


# --- blocks ----------------------------------------------------------------------------------


def wrong_end_name(place: Span, found: str, title: str, name: str, opened: Span) -> Diagnostic:
    return error(
        "wrong-end-name",
        f"`end {found}` does not close `{title}`",
        place,
        Related(f"`{title}` begins here", opened),
        help=f"write `end {name};`",
    )


def nameless_end(place: Span, title: str, name: str) -> Diagnostic:
    return error("nameless-end", f"`end` does not say that it closes `{title}`", place, help=f"write `end {name};`")


def missing_end(place: Span, title: str, name: str) -> Diagnostic:
    return error("missing-end", f"`{title}` is not closed", place, help=f"add `end {name};`")


def missing_end_if(place: Span) -> Diagnostic:
    return error(
        "missing-end",
        "`if` is not closed",
        place,
        help="add `end if;`; where `else if` opens a second `if` by mistake, write `elseif`",
    )


def unmatched_end(place: Span, found: str) -> Diagnostic:
    return error(
        "unmatched-end",
        f"`{found}` closes nothing that is open",
        place,
        help="remove it, or look for an `end` too many above",
    )


def unmatched_else(place: Span, found: str) -> Diagnostic:
    return error("unmatched-else", f"`{found}` belongs to no `if`", place, help="remove it, or add the `if`")


def outside_class(place: Span) -> Diagnostic:
    return error(
        "outside-class",
        "this stands outside of every class",
        place,
        help="put it between `model NAME` and `end NAME;`",
    )


def missing_class_name(place: Span, kind: str) -> Diagnostic:
    return error("missing-name", f"this {kind} has no name", place, help=f"write `{kind} NAME ... end NAME;`")


def stray_semicolon(place: Span) -> Diagnostic:
    return error("stray-semicolon", "there is no statement before this `;`", place, help="remove it")


def missing_word(place: Span, word: str, header: str) -> Diagnostic:
    return error("missing-word", f"`{word}` is missing in the `{header}`", place, help=f"add `{word}` here")


def for_equals(place: Span) -> Diagnostic:
    return error("for-equals", "a loop goes over the values `in` a range", place, help="write `for i in 1:n loop`")


# --- statements ------------------------------------------------------------------------------


def missing_semicolon(place: Span) -> Diagnostic:
    return error("missing-semicolon", "the statement is not ended", place, help="add `;` here")


def comma_for_semicolon(place: Span) -> Diagnostic:
    return error("comma-for-semicolon", "the statement is ended by a comma", place, help="write `;`")


def equation_section(place: Span, heading: str) -> Diagnostic:
    return error(
        "equation-section",
        f"`{heading}` does not open a section: each equation is a statement with a name",
        place,
        help=f"write `{heading.split()[0]} name: left = right;` for each of them",
    )


def unlabelled_equation(place: Span) -> Diagnostic:
    return error(
        "unlabelled-equation",
        "this looks like an equation, but does not begin as one",
        place,
        help="write `equation name: left = right;`, `constraint name: left = right;`, "
        "or `Type name = value;` for a definition",
    )


def not_a_statement(place: Span, found: str) -> Diagnostic:
    return error(
        "not-a-statement",
        f"no statement begins with `{_shortened(found)}`",
        place,
        help="a statement begins with a type (`Length x;`) or with a word such as `coordinate`, `kinetic`",
    )


def only_inside_when(place: Span, word: str) -> Diagnostic:
    return error(
        "only-inside-when",
        f"`{word}` stands only between `when ... then` and `end when;`",
        place,
        help=f"write `when condition then {word}(...); end when;`",
    )


def not_inside_when(place: Span, found: str) -> Diagnostic:
    return error(
        "not-inside-when",
        f"`{_shortened(found)}` cannot stand inside `when`",
        place,
        help='what happens at an instant is `reinit(x, value);` or `terminate("why");`',
    )


def missing_label(place: Span, keyword: str, form: str) -> Diagnostic:
    return error("missing-label", f"this {keyword} has no name", place, help=f"write `{form}`")


def equals_for_colon(place: Span, keyword: str, form: str) -> Diagnostic:
    return error("equals-for-colon", f"behind the name of a {keyword} stands `:`", place, help=f"write `{form}`")


def colon_for_equals(place: Span, keyword: str, form: str) -> Diagnostic:
    return error(
        "colon-for-equals",
        f"behind the name of {_article(keyword)} energy stands `=`",
        place,
        help=f"write `{form}`",
    )


def options_before_name(place: Span, keyword: str) -> Diagnostic:
    return error(
        "misplaced-options",
        f"the options of a {keyword} stand behind its name",
        place,
        help=f"write `{keyword} name(option = value): ...`",
    )


def no_options(place: Span, keyword: str) -> Diagnostic:
    return error(
        "misplaced-options",
        f"{_article(keyword)} takes no options",
        place,
        help=f"write `{keyword} name: ...`; `servo`, `limit` and `friction` have options",
    )


def incomplete_statement(place: Span, keyword: str, lacks: str, form: str) -> Diagnostic:
    return error("incomplete-statement", f"this {keyword} lacks {lacks}", place, help=f"write `{form}`")


def double_equals(place: Span) -> Diagnostic:
    return error("double-equals", "`==` compares; here two sides are set equal", place, help="write `=`")


def single_equals(place: Span) -> Diagnostic:
    return error("single-equals", "a condition compares with `==`", place, help="write `==`")


def strict_limit(place: Span, sign: str) -> Diagnostic:
    return error("strict-limit", f"a limit is not written with `{sign}`", place, help=f"write `{sign}=`")


def falling_limit(place: Span) -> Diagnostic:
    return error(
        "falling-limit",
        "a limit with two bounds names the lower one first",
        place,
        help="write `lo <= e <= hi`",
    )


def missing_type(place: Span, name: str, kind: str) -> Diagnostic:
    prefix = f"{kind} " if kind else ""
    return error("missing-type", f"`{name}` has no type", place, help=f"write `{prefix}Length {name}`, for example")


def size_behind_type(place: Span, type_name: str) -> Diagnostic:
    return error("size-behind-type", "the size stands behind the name", place, help=f"write `{type_name} name[size]`")


def prefix_order(place: Span, found: str) -> Diagnostic:
    return error(
        "prefix-order",
        f"`{found}` cannot stand here",
        place,
        help="the order is `final`, `inner` or `outer`, `structural`, then one of "
        "`parameter`, `constant`, `input`, `output`, `coordinate`",
    )


def reserved_word(place: Span, word: str) -> Diagnostic:
    return error(
        "reserved-word",
        f"`{word}` is a word of the language and cannot be a name",
        place,
        help="choose another name",
    )


def foreign_word(place: Span, word: str, help: str) -> Diagnostic:
    return error("foreign-word", f"`{word}` is not a word of this language", place, help=help)


def import_text(place: Span) -> Diagnostic:
    return error(
        "import-text",
        "`import` takes a dotted name",
        place,
        help="write `import folder.Name;`, without quotes",
    )


# --- expressions -----------------------------------------------------------------------------


def unclosed_bracket(place: Span, bracket: str, closing: str) -> Diagnostic:
    return error("unclosed-bracket", f"`{bracket}` is not closed", place, help=f"add `{closing}`")


def unmatched_bracket(place: Span, bracket: str, opening: str) -> Diagnostic:
    return error("unmatched-bracket", f"`{bracket}` closes no `{opening}`", place, help="remove it")


def mismatched_bracket(place: Span, bracket: str, closing: str, opened: Span) -> Diagnostic:
    return error(
        "mismatched-bracket",
        f"`{bracket}` stands where `{closing}` is needed",
        place,
        Related(f"`{opened.text}` is opened here", opened),
        help=f"write `{closing}`",
    )


def semicolon_for_comma(place: Span) -> Diagnostic:
    return error("semicolon-for-comma", "a `;` cannot stand inside these brackets", place, help="write `,`")


def braces_for_matrix(place: Span) -> Diagnostic:
    return error(
        "braces-for-matrix",
        "a matrix stands in square brackets",
        place,
        help="write `[a, b; c, d]`, or `{{a, b}, {c, d}}`",
    )


def chained_power(place: Span) -> Diagnostic:
    return error("chained-power", "`x^y^z` can be read in two ways", place, help="write `(x^y)^z` or `x^(y^z)`")


def sign_after_operator(place: Span, operator: str, sign: str) -> Diagnostic:
    return error(
        "sign-after-operator",
        f"a `{sign}` cannot follow `{operator}`",
        place,
        help=f"put the signed operand in parentheses: `a{operator}({sign}b)`",
    )


def chained_comparison(place: Span) -> Diagnostic:
    return error("chained-comparison", "comparisons cannot be chained", place, help="write `a < b and b < c`")


def missing_operator(place: Span, left: str, right: str) -> Diagnostic:
    left, right = _shortened(left), _shortened(right)
    help = "write `*` between them for a product"
    if left.isidentifier() and right.isidentifier():
        help = f"write `{left}*{right}` for a product, `{left}({right})` for a call"
    message = f"there is no operator between `{left}` and `{right}`"
    return error("missing-operator", message, place, help=help)


def missing_operand(place: Span, found: str, before: str) -> Diagnostic:
    return error("missing-operand", f"there is nothing between `{before}` and {_quoted(found)}", place)


def missing_else(place: Span) -> Diagnostic:
    return error("missing-else", "an `if` in an expression needs an `else`", place, help="write `if c then a else b`")


def misplaced_range(place: Span) -> Diagnostic:
    return error(
        "misplaced-range",
        "a range `a:b` stands only in indices, `for` headers and arguments",
        place,
        help="write an array: `{i for i in a:b}`",
    )


def end_outside_index(place: Span) -> Diagnostic:
    return error("end-outside-index", "`end` counts elements only inside an index", place, help="write `x[end]`")


# --- anything else ---------------------------------------------------------------------------


def expected_before(place: Span, expected: str, found: str) -> Diagnostic:
    return error("syntax", f"{expected} is missing before {_quoted(found)}", place)


def unexpected(place: Span, found: str, statement: str | None, expected: Sequence[str] = ()) -> Diagnostic:
    where = f" in this {statement}" if statement else ""
    help = f"here could stand {_alternatives(expected)}" if expected else None
    return error("syntax", f"{_quoted(found)} cannot stand here{where}", place, help=help)


def too_deep(place: Span, limit: int) -> Diagnostic:
    return error(
        "too-deep",
        f"this is nested more than {limit} levels deep",
        place,
        help="name parts of the expression and use the names, or use `sum(... for i in 1:n)`",
    )


def too_long(place: Span, limit: int) -> Diagnostic:
    return error(
        "too-deep",
        f"this is more than {limit} operations in each other",
        place,
        help="name parts of the expression and use the names, or use `sum(... for i in 1:n)`",
    )


def text_too_long(place: Span, limit: int) -> Diagnostic:
    return error(
        "too-large",
        f"the text has more than {limit:,} words and signs",
        place,
        help="split it into several files",
    )


def too_many(place: Span, limit: int) -> Diagnostic:
    return error("too-many-errors", f"more than {limit} syntax errors; the rest of the text is left out", place)


def _alternatives(expected: Sequence[str]) -> str:
    *most, last = expected
    return f"{', '.join(most)} or {last}" if most else last


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _quoted(found: str) -> str:
    if not found:
        return "the end of the text"
    shown = found if found.isprintable() else ascii(found)[1:-1]
    return f"`{_shortened(shown)}`"


def _shortened(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:27]}..."
