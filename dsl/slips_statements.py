"""Slips in the form of a statement or a declaration."""

from __future__ import annotations

from collections.abc import Sequence

from . import complaints_syntax as say
from .diagnostics import Diagnostic
from .situation import CLOSING, OPENING, PREFIXES, STARTERS, Fix, Situation, keyword, same_line
from .slips_text import habits
from .tokens import Token

_FORMS = {
    "force": "force name: effort on flow;",
    "constraint": "constraint name: left = right;",
    "servo": "servo name: left = right using input;",
    "limit": "limit name: lower <= value <= upper;",
    "friction": "friction name: coefficient, normal on flow;",
    "equation": "equation name: left = right;",
    "initial": "initial name: left = right;",
}
_WITH_OPTIONS = {"servo", "limit", "friction"}
_TWO_SIDED = {"constraint", "servo", "equation", "initial"}
_ENERGIES = {"kinetic", "potential", "dissipation"}
_WHEN_ONLY = {"reinit", "terminate"}


def swallowed_word(s: Situation) -> Fix | None:
    """A word that begins a line and a statement was read as a name: the statement before is not ended.

    No complaint yet: read as a keyword, the word itself will not fit, and that is the mistake.
    """
    word = s.previous
    if len(s.statement) < 2 or word.type != "NAME" or word.text not in STARTERS:
        return None
    if same_line(s.tokens[s.index - 2], word) or s.statement[-2].text == ".":
        return None
    return Fix(None, back="token", put=(keyword(word),))


def foreign_word(s: Situation) -> Fix | None:
    """A word that begins statements in other languages, or `each`."""
    words = habits("word")
    if s.statement and s.previous.text == "each":
        return Fix(say.foreign_word(s.previous.span, "each", words["each"].help), back="token")
    first = s.tokens[s.start]
    habit = words.get(first.text)
    if habit is None or (not s.statement and s.token.type != "NAME"):
        return None
    complaint = say.foreign_word(first.span, first.text, habit.help)
    if habit.instead is None or not s.statement:
        return Fix(complaint, resume=True)
    instead = [s.made(habit.instead)] if habit.instead else []
    return _rewritten(s, complaint, [*instead, *s.statement[1:]])


def ended_by_comma(s: Situation) -> Fix | None:
    """A comma at the end of a line where the next line begins a statement."""
    if s.bracket is not None:
        return None
    if s.text == "," and s.accepts(";") and not same_line(s.token, s.following(1)):
        return Fix(say.comma_for_semicolon(s.token.span), take=1, put=(s.made(";"),))
    statement = s.statement
    for keep in (1, 2):
        if len(statement) > keep and statement[-keep].text == "," and statement[0].text != ",":
            comma, swallowed = statement[-keep], statement[len(statement) - keep + 1 :]
            if not same_line(comma, (*swallowed, s.token)[0]):
                return _rewritten(
                    s,
                    say.comma_for_semicolon(comma.span),
                    [*statement[:-keep], s.made(";"), *swallowed],
                )
    return None


def not_ended(s: Situation) -> Fix | None:
    """The `;` left out before a new line or a word that begins a statement."""
    if s.bracket is not None or not s.statement:
        return None
    if not s.starts_line and s.text not in STARTERS:
        return None
    if s.fits([s.made(";"), *s.ahead(2)]) < 2 and not s.accepts(";"):
        return None
    return Fix(say.missing_semicolon(s.behind_previous), put=(s.made(";"),))


def equation_section(s: Situation) -> Fix | None:
    """`equation` or `initial equation` as the heading of a section."""
    texts = [token.text for token in s.statement]
    length = 2 if texts[:2] == ["initial", "equation"] else 1
    if texts[:1] not in (["equation"], ["initial"]) or len(texts) > length + 1:
        return None
    heading, behind = s.statement[:length], [*s.statement[length:], s.token]
    if same_line(heading[-1], behind[0]) and length == 1:
        return None
    complaint = say.equation_section(heading[0].span.to(heading[-1].span), " ".join(texts[:length]))
    rest = behind[:-1]
    if behind[0].text in STARTERS or behind[0].text in _WHEN_ONLY:
        return _rewritten(s, complaint, rest)
    return _rewritten(s, complaint, [heading[0], _placeholder(s), s.made(":"), *rest])


def missing_label(s: Situation) -> Fix | None:
    """A statement without its name, or with something else than `:` behind it."""
    position = 1 if s.opening in {"holonomic", "nonholonomic"} else 0
    if len(s.statement) <= position or s.statement[position].text not in _FORMS:
        return None
    keyword = s.statement[position]
    match len(s.statement) - position:
        case 1:
            return _nameless(s, keyword)
        case 2:
            return _behind_name(s, keyword)
        case _:
            return None


def _nameless(s: Situation, keyword: Token) -> Fix | None:
    """The token behind the keyword is no name."""
    form = _FORMS[keyword.text]
    if s.text == "(" and keyword.text in _WITH_OPTIONS:
        close = _matching(s)
        if s.following(close + 1).type == "NAME" and s.following(close + 2).text == ":":
            return Fix(say.options_before_name(s.token.span, keyword.text), take=close + 1)
    if s.token.type == "NAME" and s.following(1).text in {":", "("} and not s.starts_line:
        complaint = say.reserved_word(s.token.span, s.text)
        return Fix(complaint, take=1, put=(_placeholder(s),))
    complaint = say.missing_label(keyword.span, keyword.text, form)
    if s.text in {":", "="}:
        return Fix(complaint, take=1, put=(_placeholder(s), s.made(":")))
    return Fix(complaint, put=(_placeholder(s), s.made(":")))


def _behind_name(s: Situation, keyword: Token) -> Fix | None:
    """The token behind what should be the label is no `:`."""
    form = _FORMS[keyword.text]
    unnamed = _rewritten(
        s,
        say.missing_label(keyword.span, keyword.text, form),
        [*s.statement[:-1], _placeholder(s), s.made(":"), s.previous],
    )
    if s.text == "=":
        two_sided = keyword.text in _TWO_SIDED
        if two_sided and _count_ahead(s, "=") < 2:
            return unnamed
        complaint = say.equals_for_colon(s.token.span, keyword.text, form)
        return Fix(complaint, take=1, put=(s.made(":"),))
    if s.text == "(":
        close = _matching(s)
        if s.following(close + 1).text != ":":
            return unnamed
        return Fix(say.no_options(s.token.span, keyword.text), take=close + 1)
    if s.text in {"+", "-", "*", "/", "^", ".*", "./", ".", "[", "<=", ">=", "<", ">", "on", ","}:
        return unnamed
    if s.accepts(":") and s.fits([s.made(":"), *s.ahead(2)]) == 3:
        return Fix(say.expected_before(s.behind_previous, "`:`", s.text), put=(s.made(":"),))
    return None


def energy_form(s: Situation) -> Fix | None:
    """`kinetic name: e` or `kinetic e`."""
    if s.opening not in _ENERGIES or not 1 <= len(s.statement) <= 2:
        return None
    if s.token.type != "sign" or s.text == "=":
        return None
    keyword = s.opening
    if s.text == ":":
        complaint = say.colon_for_equals(s.token.span, keyword, f"{keyword} name = e;")
        return Fix(complaint, take=1, put=(s.made("="),))
    complaint = say.expected_before(s.tokens[s.start + 1].span, "`=`", s.tokens[s.start + 1].text)
    return _rewritten(s, complaint, [s.statement[0], s.made("="), *s.statement[1:]])


def two_sides(s: Situation) -> Fix | None:
    """`==` for `=`, or a side left out."""
    if s.text == "==" and s.accepts("="):
        return Fix(say.double_equals(s.token.span), take=1, put=(s.made("="),))
    keyword = _keyword(s)
    if keyword not in _TWO_SIDED or s.bracket is not None or not s.accepts("="):
        return None
    for index, token in enumerate(s.statement):
        if token.text == "==":
            replaced = [*s.statement[:index], s.made("="), *s.statement[index + 1 :]]
            return _rewritten(s, say.double_equals(token.span), replaced)
    if s.text not in {";", "using"} and s.token.type != "STRING":
        return None
    form = _FORMS[keyword].replace("right", "0")
    complaint = say.incomplete_statement(s.behind_previous, keyword, "its right side", form)
    return Fix(complaint, put=(s.made("="), s.made("0")))


def missing_part(s: Situation) -> Fix | None:
    """`on`, `using`, a bound or a normal force left out at the end of a statement."""
    keyword = _keyword(s)
    if keyword not in _FORMS or s.bracket is not None:
        return None
    if s.text not in {";", "on"} and s.token.type != "STRING":
        return None
    parts = (
        ("force", "on", "what the effort acts on"),
        ("friction", ",", "the normal force"),
        ("friction", "on", "what it acts on"),
        ("servo", "using", "the inputs that keep it"),
        ("limit", "<=", "a bound"),
    )
    for name, word, lacks in parts:
        if keyword == name and s.accepts(word):
            complaint = say.incomplete_statement(s.behind_previous, keyword, lacks, _FORMS[keyword])
            return Fix(complaint, put=(s.made(word), _placeholder(s)))
    return None


def limit_form(s: Situation) -> Fix | None:
    """A limit written with `<`, `>`, `=`, or from above to below."""
    if s.opening != "limit" or s.bracket is not None:
        return None
    if s.text in {"<", ">"}:
        return Fix(say.strict_limit(s.token.span, s.text), take=1, put=(s.made(f"{s.text}="),))
    if s.text in {"=", "=="} and s.accepts("<="):
        complaint = say.incomplete_statement(s.token.span, "limit", "`<=` or `>=`", _FORMS["limit"])
        return Fix(complaint, take=1, put=(s.made("<="),))
    if s.text in {"<=", ">="} and {token.text for token in s.statement} & {"<=", ">="}:
        return Fix(say.falling_limit(s.token.span), resume=True)
    return None


def declaration_form(s: Situation) -> Fix | None:
    """A declaration without its type, with its size in the wrong place, or with its words out of order."""
    leading = [token for token in s.statement if token.text in PREFIXES]
    count = 0
    while count < len(s.statement) and s.statement[count].text in PREFIXES:
        count += 1
    rest = list(s.statement[count:])
    ordered = sorted(s.statement[:count], key=lambda token: PREFIXES.index(token.text))
    if count > 1 and len(rest) == 1 and list(s.statement[:count]) != ordered:
        return _rewritten(s, say.prefix_order(leading[1].span, leading[1].text), [*ordered, *rest])
    if s.statement and s.previous.text == "structural":
        return Fix(say.expected_before(s.behind_previous, "`parameter`", s.text), put=(s.made("parameter"),))
    if not rest or s.bracket is not None or any(token.text != "." and token.type != "NAME" for token in rest):
        return None
    if s.text == "[" and s.following(_matching(s) + 1).type == "NAME":
        complaint = say.size_behind_type(s.token.span, "".join(token.text for token in rest))
        *size, name = s.ahead(_matching(s) + 2)
        return Fix(complaint, take=len(size) + 1, put=(name, *size))
    listed = s.text == "," and s.following(1).type == "NAME"
    if count and len(rest) == 1 and (listed or s.text in {";", "=", "(", "["}):
        complaint = say.missing_type(rest[0].span, rest[0].text, s.statement[count - 1].text)
        return _rewritten(s, complaint, [*s.statement[:count], s.made("Real"), *rest])
    return None


def import_form(s: Situation) -> Fix | None:
    """`import "file.mbd";`."""
    if s.opening != "import" or s.token.type not in {"STRING", "quoted"}:
        return None
    return Fix(say.import_text(s.token.span), resume=True)


def not_a_statement(s: Situation) -> Fix | None:
    """A statement that begins like none: an equation without its word, a call, an expression."""
    first = s.tokens[s.start]
    if any(token.type != "NAME" and token.text != "." for token in s.statement):
        return None
    if s.statement and s.statement[0].text in STARTERS:
        return None
    if s.blocks and s.blocks[-1].name == "when":
        return Fix(say.not_inside_when(first.span, first.text), resume=True)
    if first.text in _WHEN_ONLY and s.text == "(":
        return Fix(say.only_inside_when(first.span, first.text), resume=True)
    if s.statement and s.token.type not in {"sign", "NUMBER", "STRING"}:
        return None
    if s.text == ":" or _count_ahead(s, "="):
        return Fix(say.unlabelled_equation(first.span), resume=True)
    return Fix(say.not_a_statement(first.span, first.text), resume=True)


def reserved_name(s: Situation) -> Fix | None:
    """A word of the language where a name must stand."""
    if s.token.type != "NAME" or s.starts_line or not s.accepts("?"):
        return None
    return Fix(say.reserved_word(s.token.span, s.text), take=1, put=(_placeholder(s),))


def _keyword(s: Situation) -> str:
    """The word that says what the statement is."""
    qualified = s.opening in {"holonomic", "nonholonomic"} and len(s.statement) > 1
    return s.statement[1].text if qualified else s.opening


def _placeholder(s: Situation) -> Token:
    return s.made(f"?{s.index}")


def _rewritten(s: Situation, complaint: Diagnostic, statement: Sequence[Token]) -> Fix:
    """The statement is taken off the stack and read again in another form."""
    return Fix(complaint, back="statement", put=tuple(statement))


def _matching(s: Situation) -> int:
    """How far ahead the bracket that stands here is closed."""
    depth = 0
    for offset, token in enumerate(s.ahead(200)):
        if token.type != "sign":
            continue
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0:
            return offset
    return 0


def _count_ahead(s: Situation, text: str) -> int:
    """How often a sign stands outside of brackets before the statement ends."""
    depth = count = 0
    for token in s.ahead(500):
        if token.text == ";" or token.type == "$END":
            break
        if token.type == "sign":
            depth += (token.text in OPENING) - (token.text in CLOSING)
            count += token.text == text and depth <= 0
    return count
