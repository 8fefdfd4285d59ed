"""Slips in the frame of a text: classes, loops, branches and their ends."""

from __future__ import annotations

from . import complaints_syntax as say
from .diagnostics import Diagnostic
from .situation import Block, Fix, Situation, same_line
from .slips_text import habits
from .source import Span

_CLASS_WORDS = {"model", "record", "function", "partial"}
_BLOCK_WORDS = {"for", "if", "when"}


def closing(s: Situation) -> Fix | None:
    """An `end` that does not close the block it stands in.

    Asked before the parser takes an `end`, so that the block is still open for more.
    """
    named = s.following(1)
    if not s.blocks:
        return None
    inner = s.blocks[-1]
    if named.text == inner.name:
        return None
    put = (s.made("end"), s.made(inner.name))
    if inner.is_nameless:
        return Fix(None, take=_through_semicolon(s, 1), put=(*put, s.made(";")))
    if named.text == ";" or named.type == "$END" or s.following(2).text == "end":
        return Fix(say.nameless_end(s.token.span, inner.title, inner.name), take=1, put=put)
    if any(block.name == named.text for block in s.blocks[:-1]):
        return Fix(_missing_end(inner), put=(*put, s.made(";")))
    place = s.token.span.to(named.span)
    if named.text in _BLOCK_WORDS and inner.keyword.text not in _BLOCK_WORDS:
        return Fix(say.unmatched_end(place, f"end {named.text}"), take=_through_semicolon(s, 2))
    complaint = say.wrong_end_name(place, named.text, inner.title, inner.name, _place(inner))
    if named.type == "NAME":
        return Fix(complaint, take=2, put=put)
    return Fix(complaint, take=_through_semicolon(s, 1), put=(*put, s.made(";")))


def end_of_text(s: Situation) -> Fix | None:
    """The text ends inside a block."""
    if s.token.type != "$END":
        return None
    if s.statement and s.accepts(";"):
        return Fix(say.missing_semicolon(s.behind_previous), put=(s.made(";"),))
    if not s.blocks:
        return Fix(say.unexpected(s.token.span, "", s.opening), back="statement")
    inner = s.blocks[-1]
    put = tuple(s.made(text) for text in ("end", inner.name, ";"))
    return Fix(_missing_end(inner), back="statement", put=put)


def class_header(s: Situation) -> Fix | None:
    """A class without a name, or a `;` behind its header."""
    if s.text == ";" and not s.statement:
        return Fix(say.stray_semicolon(s.token.span), take=1)
    if s.opening not in _CLASS_WORDS or not s.statement or not s.accepts("?"):
        return None
    name = s.made(f"?{s.index}")
    if s.starts_line:
        return Fix(say.missing_class_name(s.behind_previous, s.previous.text), put=(name,))
    if s.token.type == "NAME":
        return Fix(say.reserved_word(s.token.span, s.text), take=1, put=(name,))
    take = 1
    while not _starts_line(s, take):
        take += 1
    return Fix(say.missing_class_name(s.token.span, s.previous.text), take=take, put=(name,))


def outside_class(s: Situation) -> Fix | None:
    """Something that is neither a class nor an import at the top of the text."""
    if s.blocks or s.statement:
        return None
    if s.text == "end":
        place = s.token.span.to(s.following(1).span)
        return Fix(say.unmatched_end(place, place.text), take=_through_semicolon(s, 1))
    habit = habits("word").get(s.text)
    if habit is not None:
        put = (s.made(habit.instead),) if habit.instead else ()
        take = 1 if habit.instead is not None else _through_semicolon(s, 1)
        return Fix(say.foreign_word(s.token.span, s.text, habit.help), take=take, put=put)
    take = 1
    while not (_starts_line(s, take) and s.following(take).text in _CLASS_WORDS | {"import", "type", ""}):
        take += 1
    return Fix(say.outside_class(s.token.span), take=take)


def header_word(s: Situation) -> Fix | None:
    """`then`, `loop` or `else` left out, or `for i = ...`."""
    if s.text == "=" and s.accepts("in"):
        return Fix(say.for_equals(s.token.span), take=1, put=(s.made("in"),))
    for word, header in (("loop", "for"), ("then", "if")):
        if s.accepts(word) and (s.starts_line or s.fits([s.made(word), *s.ahead(3)]) >= 3):
            header = s.opening if s.opening in _BLOCK_WORDS else header
            return Fix(say.missing_word(s.behind_previous, word, header), put=(s.made(word),))
    if s.text in {";", ")", "}", "]", ","} and s.accepts("else"):
        return Fix(say.missing_else(s.behind_previous), put=(s.made("else"), s.made("0")))
    return None


def stray_else(s: Situation) -> Fix | None:
    """`else` or `elseif` outside of an `if`."""
    if s.statement or s.text not in {"else", "elseif"}:
        return None
    take = 1
    if s.text == "elseif":
        while not _starts_line(s, take) and s.following(take - 1).text != "then":
            take += 1
    return Fix(say.unmatched_else(s.token.span, s.text), take=take)


def _missing_end(block: Block) -> Diagnostic:
    if block.name == "if":
        return say.missing_end_if(_place(block))
    return say.missing_end(_place(block), block.title, block.name)


def _place(block: Block) -> Span:
    return block.keyword.span


def _starts_line(s: Situation, offset: int) -> bool:
    token = s.following(offset)
    return token.type == "$END" or not same_line(s.following(offset - 1), token)


def _through_semicolon(s: Situation, offset: int) -> int:
    """How many tokens stand up to the next `;`, or up to the end of the line."""
    while not _starts_line(s, offset) and s.following(offset).text != ";":
        offset += 1
    return offset + (s.following(offset).text == ";")
