"""What to say where a token does not fit, and how to go on.

First the slips people make, each with its own sentence; then the smallest edit after which the text
goes on; then the statement is given up and the next one begins.
"""

from __future__ import annotations

from collections.abc import Callable

from . import complaints_syntax as say
from . import slips_blocks as blocks
from . import slips_expressions as expressions
from . import slips_statements as statements
from .diagnostics import Diagnostic
from .situation import PREFIXES, STARTERS, Fix, Situation, same_line
from .slips_text import broken_token

# In this order: what says more about the mistake comes before what would fit it as well.
_SLIPS: tuple[Callable[[Situation], Fix | None], ...] = (
    statements.equation_section,
    statements.swallowed_word,
    statements.foreign_word,
    broken_token,
    blocks.outside_class,
    blocks.class_header,
    statements.missing_label,
    statements.energy_form,
    statements.import_form,
    statements.ended_by_comma,
    expressions.brackets,
    expressions.units,
    expressions.condition,
    statements.limit_form,
    statements.two_sides,
    statements.missing_part,
    statements.declaration_form,
    blocks.header_word,
    blocks.stray_else,
    statements.not_ended,
    blocks.end_of_text,
    statements.not_a_statement,
    expressions.operators,
    expressions.operands,
    statements.reserved_name,
)

# What is tried where no slip is recognised, most likely first, with the words for it; `?` is some name.
_INSERTED = {
    ";": "`;`",
    ",": "`,`",
    ":": "`:`",
    "=": "`=`",
    ")": "`)`",
    "]": "`]`",
    "}": "`}`",
    "(": "`(`",
    "then": "`then`",
    "loop": "`loop`",
    "in": "`in`",
    "on": "`on`",
    "using": "`using`",
    "else": "`else`",
    "*": "an operator",
    "?": "a name",
}
_LOOKAHEAD = 6

# How a statement is called where not by its first word.
_STATEMENTS = {
    **dict.fromkeys(("holonomic", "nonholonomic"), "constraint"),
    **dict.fromkeys(PREFIXES, "declaration"),
}


def recover(s: Situation) -> Fix:
    """The complaint about a token that does not fit, and the way on behind it."""
    for slip in _SLIPS:
        fix = slip(s)
        if fix is not None:
            return fix
    return _smallest_edit(s) or Fix(_unexpected(s), resume=True)


def _smallest_edit(s: Situation) -> Fix | None:
    """One token put in, taken out or replaced, if the text goes on behind it."""
    needed = min(_LOOKAHEAD, len(s.tokens) - s.index)
    for text, words in _INSERTED.items():
        made = s.made(text)
        if s.fits([made, *s.ahead(needed)]) > needed:
            return Fix(say.expected_before(s.behind_previous, words, s.text), put=(made,))
    behind = s.tokens[s.index + 1 : s.index + 1 + needed]
    if s.token.type == "$END":
        return None
    if s.fits(behind) == len(behind):
        return Fix(_unexpected(s), take=1)
    for text in _INSERTED:
        made = s.made(text)
        if s.fits([made, *behind]) > len(behind):
            return Fix(_unexpected(s), take=1, put=(made,))
    return None


def _unexpected(s: Situation) -> Diagnostic:
    expected = [words for text, words in _INSERTED.items() if s.accepts(text)]
    if s.accepts("0"):
        # Where a number may stand, so may all that an expression begins with.
        expected = [words for words in expected if words not in {"`(`", "a name"}] + ["an expression"]
    statement = _STATEMENTS.get(s.opening, s.opening) if s.opening in STARTERS and s.statement else None
    return say.unexpected(s.token.span, s.text, statement, expected if len(expected) <= 4 else ())


def next_statement(s: Situation) -> int:
    """The index of the token at which a new statement seems to begin."""
    previous = s.index - 1
    if previous > s.start and s.tokens[previous].text in STARTERS and _starts_line(s, previous):
        # A word such as `kinetic` was read as a name in an expression that does not end.
        return previous
    index = s.index
    while s.tokens[index].type != "$END":
        if index > s.start and _starts_line(s, index) and _begins_statement(s, index):
            return index
        index += 1
        ended = s.tokens[index - 1].text == ";"
        if ended and (_starts_line(s, index) or s.tokens[index].text in STARTERS):
            return index
    return index


def _starts_line(s: Situation, index: int) -> bool:
    return index == 0 or s.tokens[index].type == "$END" or not same_line(s.tokens[index - 1], s.tokens[index])


def _begins_statement(s: Situation, index: int) -> bool:
    """A word that begins statements, or two names in a row as in `Length x`."""
    token, behind = s.tokens[index], s.tokens[min(index + 1, len(s.tokens) - 1)]
    return token.text in STARTERS or (token.type == behind.type == "NAME" and same_line(token, behind))
