"""Where a parse stands when a token does not fit, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

from .diagnostics import Diagnostic
from .records import field, frozen
from .source import Span
from .tokens import Token

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {closing: opening for opening, closing in OPENING.items()}

# Words that a statement, a declaration or the end of a block begins with.
STARTERS = frozenset(
    {
        "annotation",
        "assert",
        "constant",
        "constraint",
        "coordinate",
        "dissipation",
        "else",
        "elseif",
        "end",
        "equation",
        "extends",
        "final",
        "for",
        "force",
        "friction",
        "function",
        "holonomic",
        "if",
        "import",
        "initial",
        "inner",
        "input",
        "kinetic",
        "limit",
        "model",
        "nonholonomic",
        "outer",
        "output",
        "parameter",
        "partial",
        "potential",
        "record",
        "servo",
        "structural",
        "type",
        "visual",
        "warn",
        "when",
    }
)


# What stands before the type in a declaration, in the order it must have.
KINDS = ("parameter", "constant", "input", "output", "coordinate")
PREFIXES = ("final", "inner", "outer", "structural", *KINDS)

# Words that stand inside statements. Put in by us they are always keywords, and so are those above.
_INNER_WORDS = frozenset({"and", "in", "loop", "not", "on", "or", "then", "using"})


@frozen
class Block:
    """A class, loop, branch or `when` that is open: its keyword, and what `end` must name to close it."""

    keyword: Token
    name: str

    @property
    def title(self) -> str:
        named = self.name != self.keyword.text and not self.is_nameless
        return f"{self.keyword.text} {self.name}" if named else self.keyword.text

    @property
    def is_nameless(self) -> bool:
        """Whether the name was left out, and one was put in."""
        return self.name.startswith("?")


@frozen
class Fix:
    """A complaint and how the parse goes on behind it.

    The parse goes `back` by nothing, by the last token, or by the unfinished statement. There, what was
    gone back over and `take` more tokens are replaced by `put`. `resume` gives the rest of the statement
    up instead. Without a complaint the mistake is a consequence of one already told.
    """

    complaint: Diagnostic | None
    back: Literal["nothing", "token", "statement"] = "nothing"
    take: int = 0
    put: tuple[Token, ...] = ()
    resume: bool = False


@frozen
class Situation:
    """A parse at a token that no rule takes here.

    `values` is the parser's stack, `base` the height at which the unfinished statement begins on it.
    `fits` says how many of some tokens would be taken from here, one after the other.
    """

    tokens: Sequence[Token] = field(repr=False)
    index: int
    values: Sequence[Any] = field(repr=False)
    base: int
    fits: Callable[[Sequence[Token]], int] = field(repr=False)

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def text(self) -> str:
        return self.token.text

    @property
    def previous(self) -> Token:
        return self.tokens[max(self.index - 1, 0)]

    def ahead(self, count: int) -> Sequence[Token]:
        return self.tokens[self.index : self.index + count]

    def following(self, offset: int) -> Token:
        return self.tokens[min(self.index + offset, len(self.tokens) - 1)]

    @cached_property
    def start(self) -> int:
        """The index of the first token of the unfinished statement."""
        offset = _first_offset(self.values[self.base :])
        if offset is None:
            return self.index
        index = self.index
        while index > 0 and self.tokens[index - 1].start >= offset:
            index -= 1
        return index

    @property
    def statement(self) -> Sequence[Token]:
        """The tokens of the unfinished statement before the one that does not fit."""
        return self.tokens[self.start : self.index]

    @property
    def opening(self) -> str:
        """The first word of the statement, which may be the token that does not fit."""
        return self.tokens[self.start].text

    @cached_property
    def bracket(self) -> Token | None:
        """The innermost bracket of the statement that is still open."""
        opened: list[Token] = []
        for token in self.statement:
            if token.type != "sign":
                continue
            if token.text in OPENING:
                opened.append(token)
            elif token.text in CLOSING and opened:
                opened.pop()
        return opened[-1] if opened else None

    @cached_property
    def blocks(self) -> list[Block]:
        """All open blocks, outermost first."""
        return open_blocks(self.values[: self.base])

    @cached_property
    def starts_line(self) -> bool:
        """Whether the token is the first on its line."""
        return self.index == 0 or not same_line(self.previous, self.token)

    @property
    def behind_previous(self) -> Span:
        """The place straight behind the previous token."""
        return Span(self.previous.source, self.previous.end, self.previous.end)

    def accepts(self, *texts: str) -> bool:
        """Whether all these words and signs could stand here."""
        return self.fits([self.made(text) for text in texts]) == len(texts)

    def made(self, text: str) -> Token:
        """A token that is not in the text, placed where the one that does not fit stands."""
        if text in STARTERS or text in _INNER_WORDS:
            kind = text.upper()
        elif text[0].isdigit():
            kind = "NUMBER"
        else:
            kind = "NAME" if text[0].isalpha() or text[0] == "?" else "sign"
        return Token(kind, text, self.token.source, self.token.start, self.token.start)


def open_blocks(values: Sequence[Any]) -> list[Block]:
    """The blocks that are open in what a parser has read, outermost first."""
    blocks: list[Block] = []
    before: Any = None
    for index, value in enumerate(values):
        follows_end = isinstance(before, Token) and before.type == "END"
        before = value
        if not isinstance(value, Token):
            continue
        if follows_end:
            # The block is complete, but its rule is not closed before the next token is taken.
            blocks.pop()
        elif value.type in {"MODEL", "RECORD", "FUNCTION"}:
            blocks.append(Block(value, values[index + 1].text))
        elif value.type in {"FOR", "IF", "WHEN"}:
            blocks.append(Block(value, value.text))
    return blocks


def keyword(token: Token) -> Token:
    """A word as a keyword, whether it fits or not: its terminal in the grammar has its name."""
    return token._replace(type=token.text.upper())


def same_line(first: Token, second: Token) -> bool:
    return "\n" not in first.source.text[first.end : second.start]


def _first_offset(values: Sequence[Any]) -> int | None:
    for value in values:
        if isinstance(value, list):
            offset = _first_offset(value)
            if offset is not None:
                return offset
        elif hasattr(value, "span"):
            start: int = value.span.start
            return start
    return None
