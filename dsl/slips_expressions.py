"""Slips inside an expression: brackets, operators, units."""

from __future__ import annotations

from . import complaints_syntax as say
from .diagnostics import Diagnostic
from .situation import CLOSING, OPENING, STARTERS, Fix, Situation, same_line
from .tokens import Token

_OPERATORS = {"+", "-", "*", "/", "^", ".*", "./"}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "<>"}

_BEFORE_OPERAND = _OPERATORS | _COMPARISONS | {"=", ",", "and", "or", "not"}


def brackets(s: Situation) -> Fix | None:
    """A bracket too many, too few, or of the wrong kind; `;` inside of brackets."""
    if s.token.type == "sign" and s.text in CLOSING:
        if s.bracket is None:
            return Fix(say.unmatched_bracket(s.token.span, s.text, CLOSING[s.text]), take=1)
        closing = OPENING[s.bracket.text]
        if closing != s.text and s.accepts(closing):
            complaint = say.mismatched_bracket(s.token.span, s.text, closing, s.bracket.span)
            return Fix(complaint, take=1, put=(s.made(closing),))
        return None
    if s.bracket is None:
        return None
    if s.text == ";" and _closed_on_line(s):
        braces = s.bracket.text == "{"
        complaint = say.braces_for_matrix(s.token.span) if braces else say.semicolon_for_comma(s.token.span)
        some = (_some(s), s.made(",")) if braces else ()
        return Fix(complaint, take=1, put=(s.made(","), *some))
    if s.previous.text == ";" and s.starts_line and s.text in STARTERS:
        # `[1, 2;` with a row to come that is none.
        statement = (*s.statement[:-1], *_closers(s), s.previous)
        return Fix(_unclosed(s.bracket), back="statement", put=statement)
    ends = s.text == ";" or s.token.type == "$END" or (s.starts_line and s.text in STARTERS)
    closers = _closers(s)
    if s.previous.text in OPENING and s.fits(closers) == 0:
        closers.insert(0, _some(s))
    if not ends or s.fits(closers) < len(closers):
        return None
    return Fix(_unclosed(s.bracket), put=tuple(closers))


def _unclosed(bracket: Token) -> Diagnostic:
    return say.unclosed_bracket(bracket.span, bracket.text, OPENING[bracket.text])


def units(s: Situation) -> Fix | None:
    """A unit apart from its number, or without its brackets."""
    number = s.previous
    if number.type != "NUMBER" or not s.statement:
        return None
    touching = number.end == s.token.start
    if s.text == "[" and "[" not in number.text:
        if touching:
            return Fix(say.unclosed_bracket(s.token.span, "[", "]"), resume=True)
        return Fix(say.unit_space(number.span.to(s.token.span), number.text), take=_through(s, "]"))
    if s.token.type == "NAME" and touching:
        place = number.span.to(s.token.span)
        complaint = say.unit_without_brackets(place, number.text, s.text)
        return Fix(complaint, take=1, put=(s.made("*"), _some(s)))
    return None


def condition(s: Situation) -> Fix | None:
    """`=` for `==` where a condition stands."""
    if s.text != "=" or s.fits([s.made("=="), *s.tokens[s.index + 1 : s.index + 2]]) < 2:
        return None
    words = [token.text for token in s.statement if token.type == "NAME"]
    open_if = words.count("if") + words.count("elseif") + words.count("when") > words.count("then")
    if not open_if and s.opening not in ("assert", "warn"):
        return None
    return Fix(say.single_equals(s.token.span), take=1, put=(s.made("=="),))


def operators(s: Situation) -> Fix | None:
    """Operators that cannot follow each other, or be chained."""
    before = s.previous
    if not s.statement or s.token.type != "sign":
        return None
    if s.text in {"+", "-"} and before.text in _OPERATORS:
        complaint = say.sign_after_operator(before.span.to(s.token.span), before.text, s.text)
        return Fix(complaint, take=1)
    if s.text == "^" and _ends_operand(before):
        return Fix(say.chained_power(s.token.span), take=1, put=(s.made("*"),))
    if s.text in _COMPARISONS and _ends_operand(before):
        return Fix(say.chained_comparison(s.token.span), take=1, put=(s.made("and"), _some(s), s.made("*")))
    if s.text == ":" and _ends_operand(before) and s.fits([s.made("+"), *s.tokens[s.index + 1 : s.index + 2]]) == 2:
        return Fix(say.misplaced_range(s.token.span), take=1, put=(s.made("+"), _some(s), s.made("+")))
    return None


def operands(s: Situation) -> Fix | None:
    """Two operands without an operator, or an operator without its operand."""
    before = s.previous
    if not s.statement:
        return None
    ended = s.text in {";", ",", ")", "]", "}"} or (s.starts_line and s.text in STARTERS)
    if ended and before.text in _BEFORE_OPERAND and s.accepts("?"):
        complaint = say.missing_operand(before.span.to(s.token.span), s.text, before.text)
        semicolon = (s.made(";"),) if s.text in STARTERS and s.bracket is None else ()
        return Fix(complaint, put=(_some(s), *semicolon))
    if not _ends_operand(before) or not _begins_operand(s.token) or not same_line(before, s.token):
        return None
    if s.fits([s.made("*"), *s.ahead(2)]) < 3:
        return None
    complaint = say.missing_operator(before.span.to(s.token.span), before.text, s.text)
    return Fix(complaint, put=(s.made("*"),))


def _some(s: Situation) -> Token:
    """An operand that later passes know nothing about, and therefore do not complain about."""
    return s.made(f"?{s.index}")


def _ends_operand(token: Token) -> bool:
    return token.type in {"NAME", "NUMBER"} or (token.type == "sign" and token.text in CLOSING)


def _begins_operand(token: Token) -> bool:
    return token.type in {"NAME", "NUMBER"} or (token.type == "sign" and token.text in OPENING)


def _closers(s: Situation) -> list[Token]:
    """What closes all open brackets of the statement, innermost first."""
    opened: list[str] = []
    for token in s.statement:
        if token.type == "sign" and token.text in OPENING:
            opened.append(token.text)
        elif token.type == "sign" and token.text in CLOSING and opened:
            opened.pop()
    return [s.made(OPENING[bracket]) for bracket in reversed(opened)]


def _closed_on_line(s: Situation) -> bool:
    """Whether the open bracket is closed behind this `;` on the same line."""
    depth, last = 0, s.token
    for token in s.ahead(200)[1:]:
        if not same_line(last, token):
            return False
        if token.type == "sign":
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth < 0:
            return True
        last = token
    return False


def _through(s: Situation, text: str) -> int:
    """How many tokens stand up to a sign on this line, at least one."""
    for offset in range(1, 50):
        if not same_line(s.following(offset - 1), s.following(offset)):
            break
        if s.following(offset).text == text:
            return offset + 1
    return 1
