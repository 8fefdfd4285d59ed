"""Slips below the level of words: characters, numbers, strings, and signs of other languages."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from . import complaints_syntax as say
from .records import frozen
from .situation import Fix, Situation, same_line
from .tokens import Token

_SUPERSCRIPTS = {"¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6"}
_OPENING_QUOTES = "“„«‘"
_CLOSING_QUOTES = "”“»’"
_COMMENT_SIGNS = "#%"


@frozen
class Habit:
    """A sign or word of another language; `instead` is None where nothing can be put in its place."""

    help: str
    instead: str | None


@cache
def habits(kind: str) -> dict[str, Habit]:
    """The signs (`sign`) or words (`word`) of grammar/slips.toml."""
    with files("mbdc.grammar").joinpath("slips.toml").open("rb") as file:
        entries = tomllib.load(file)[kind]
    return {entry["found"]: Habit(entry["help"], entry.get("instead")) for entry in entries}


def broken_token(s: Situation) -> Fix | None:
    """A token that is none of the language."""
    token = s.token
    match token.type:
        case "partial_number":
            whole = _completed(token.text)
            number = token._replace(type="NUMBER", text=whole)
            return Fix(say.partial_number(token.span, token.text, whole), take=1, put=(number,))
        case "quoted":
            return Fix(say.single_quotes(token.span, token.text[1:-1]), take=1, put=(_text(token),))
        case "unclosed_string":
            return Fix(say.unclosed_string(token.span), take=1, put=(_text(token),))
        case "unclosed_comment":
            return Fix(say.unclosed_comment(token.span), take=1)
        case "foreign":
            return _foreign(s)
        case _:
            return None


def _foreign(s: Situation) -> Fix:
    token, span = s.token, s.token.span
    match token.text:
        case ":=":
            return Fix(say.assignment(span), take=1, put=(s.made("="),))
        case "**":
            return Fix(say.power_operator(span), take=1, put=(s.made("^"),))
        case "*/":
            return Fix(say.unopened_comment(span), take=1)
        case "°" if s.previous.type == "NUMBER":
            take = 2 if s.following(1).text in {"C", "F", "K"} else 1
            return Fix(say.degree_sign(s.previous.span.to(span), s.previous.text), take=take)
        case text if text in _SUPERSCRIPTS:
            power = _SUPERSCRIPTS[text]
            return Fix(say.superscript(span, text, power), take=1, put=(s.made("^"), s.made(power)))
        case text if text in _OPENING_QUOTES and (count := _quoted_count(s)):
            return Fix(
                say.foreign_sign(span, text, 'a string stands in plain double quotes: `"`'),
                take=count,
                put=(_text(token),),
            )
        case text if text in habits("sign"):
            habit = habits("sign")[text]
            take = _rest_of_line(s) if text in _COMMENT_SIGNS else 1
            put = (s.made(habit.instead),) if habit.instead else ()
            return Fix(say.foreign_sign(span, text, habit.help), take=take, put=put)
        case text:
            return Fix(say.unknown_character(span, text), take=_run(s))


def _completed(number: str) -> str:
    if number.startswith("."):
        return f"0{number}"
    whole, _, exponent = number.partition(".")
    return f"{whole}.0{exponent}"


def _text(token: Token) -> Token:
    return token._replace(type="STRING", text='""')


def _run(s: Situation) -> int:
    """How many characters without meaning follow each other: they get one complaint."""
    count = 1
    while s.following(count).type == "foreign" and same_line(s.following(count - 1), s.following(count)):
        count += 1
    return count


def _rest_of_line(s: Situation) -> int:
    count = 1
    while s.following(count).type != "$END" and same_line(s.following(count - 1), s.following(count)):
        count += 1
    return count


def _quoted_count(s: Situation) -> int:
    """How many tokens a string in typographic quotes takes up, 0 where it does not end on its line."""
    for count in range(1, _rest_of_line(s)):
        if s.following(count).text in _CLOSING_QUOTES:
            return count + 1
    return 0
