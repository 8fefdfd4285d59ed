"""A text cut into tokens: names, numbers with their units, strings and signs.

Which names are keywords is not known here: that depends on where they stand, and the parser says so.
What is no token of the language still comes as one, of a kind that no grammar rule takes, so that the
parser can complain about it in its place and go on.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple, TypeAlias

from .source import Source, Span

Kind: TypeAlias = Literal[
    "NAME",
    "NUMBER",
    "STRING",
    "sign",
    # An expression of other languages, or a character that is nothing here.
    "foreign",
    # `2.` or `.5`
    "partial_number",
    # `'text'`
    "quoted",
    "unclosed_string",
    "unclosed_comment",
    # The end of the text.
    "$END",
]

# A number takes the unit that stands straight behind it. `2.*x` is elementwise, so `2.` before `*` or `/`
# is the number 2. Superscripts and the like are letters to Python, not to us.
_TOKEN = re.compile(
    r"""
    (?P<blank>            [\s\ufeff]+ | //[^\n]* | /\*.*?\*/ )
  | (?P<unclosed_comment> /\*.* )
  | (?P<partial_number>   (?: [0-9]+\.(?![0-9*/]) | (?<![\w\])}])\.[0-9]+ ) (?:[eE][+-]?[0-9]+)? )
  | (?P<NUMBER>           [0-9]+ (?:\.[0-9]+)? (?:[eE][+-]?[0-9]+)? (?:\[[^\[\]\n;,"]*\])? )
  | (?P<NAME>             [^\W\d²³¹¼½¾\u2070-\u209f\u2150-\u215f]
                          [^\W²³¹¼½¾\u2070-\u209f\u2150-\u215f]* (?:[\u0300-\u036f]+\w*)* )
  | (?P<STRING>           "(?:[^"\\\n]++|\\[^\n])*+" )
  | (?P<unclosed_string>  "[^\n]* )
  | (?P<quoted>           '[^'\n]*' )
  | (?P<foreign>          := | => | -> | \*\* | \*/ | [-+*/!]= | === | && | \|\| | \.[-+^] )
  | (?P<sign>             <= | >= | == | <> | \.\* | \./ | [-+*/^=<>.,:;(){}\[\]] )
  | (?P<unknown>          . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One token. The parser gives keywords and signs the type of their terminal in the grammar."""

    type: str
    text: str
    source: Source
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.source, self.start, self.end)


def tokenize(source: Source, limit: int) -> list[Token]:
    """Every token of the text, blanks and comments left out; the last is the end of the text.

    Stops at the first token past the limit.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(source.text):
        kind = match.lastgroup
        assert kind is not None
        if kind == "blank":
            continue
        text = match.group()
        if kind == "NAME" and not text.isascii():
            text = unicodedata.normalize("NFC", text)
        elif kind == "unknown":
            kind = "foreign"
        elif kind == "unclosed_string":
            tokens += _unclosed_string(text, source, match.start())
            continue
        start, end = match.span()
        tokens.append(Token(kind, text, source, start, end))
        if len(tokens) > limit:
            return tokens
    end = len(source.text)
    tokens.append(Token("$END", "", source, end, end))
    return tokens


def _unclosed_string(line: str, source: Source, start: int) -> list[Token]:
    """The rest of a line behind a quote; a semicolon at its end is taken for the statement's."""
    kept = line.rstrip()
    content = kept.rstrip(";")
    middle = start + len(content)
    tokens = [Token("unclosed_string", content, source, start, middle)]
    if kept != content:
        tokens.append(Token("sign", ";", source, middle, middle + 1))
    return tokens
