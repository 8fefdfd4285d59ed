"""A text cut into tokens: names, numbers with their units, strings and signs.

Which names are keywords is not known here: that depends on where they stand, and the parser says so.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from .source import Source, Span

# A number takes the unit that stands straight behind it; `.*` and `./` come before `.`.
_TOKEN = re.compile(
    r"""
    (?P<blank>    [ \t\r\n\f\v]+ | //[^\n]* | /\*.*?\*/ )
  | (?P<NUMBER>   [0-9]+ (?:\.[0-9]+)? (?:[eE][+-]?[0-9]+)? (?:\[[^\[\]\n;,"]*\])? )
  | (?P<NAME>     [^\W\d] [\w\u0300-\u036f]* )
  | (?P<STRING>   "(?:[^"\\\n]|\\[^\n])*" )
  | (?P<sign>     <= | >= | == | <> | \.\* | \./ | [-+*/^=<>.,:;(){}\[\]] )
  | (?P<unknown>  . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `type` is `NAME`, `NUMBER`, `STRING`, `sign`, `unknown`, or what the parser made of it."""

    type: str
    text: str
    span: Span


def tokenize(source: Source) -> list[Token]:
    """Every token of the text but blanks and comments; characters of no token come as `unknown`."""
    tokens = []
    for match in _TOKEN.finditer(source.text):
        kind = match.lastgroup
        assert kind is not None
        if kind == "blank":
            continue
        text = match.group()
        if kind == "NAME" and not text.isascii():
            text = unicodedata.normalize("NFC", text)
        tokens.append(Token(kind, text, Span(source, match.start(), match.end())))
    return tokens
