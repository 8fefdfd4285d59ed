"""Source to Module. The Lark parser lives and dies in here."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedToken
from lark import __version__ as lark_version
from lark.lexer import Lexer
from platformdirs import user_cache_path

from .build_syntax import SyntaxBuilder
from .diagnostics import Diagnostic, error
from .source import Source, Span
from .syntax import Module
from .tokens import Token, tokenize


def parse(source: Source) -> tuple[Module | None, list[Diagnostic]]:
    """The module of a text, or what could be recovered of it, and what is wrong with its syntax."""
    parser = _parser()
    words = _fixed_terminals()
    # Lark asks nothing of a token but its type.
    state: Any = parser.parse_interactive().parser_state
    table = state.parse_conf.states
    try:
        for token in tokenize(source):
            acceptable = table[state.state_stack[-1]]
            kind = words.get(token.text)
            if kind is None or (token.type == "NAME" and kind not in acceptable):
                kind = token.type
            state.feed_token(Token(kind, token.text, token.span))
        end = Span(source, len(source.text), len(source.text))
        elements = state.feed_token(Token("$END", "", end), is_end=True)
    except UnexpectedToken as unexpected:
        found: Any = unexpected.token
        return None, [error("syntax", f"unexpected `{found.text}`", found.span)]
    return Module(tuple(elements), span=Span(source, 0, len(source.text))), []


class _NoLexer(Lexer):
    """Lark's place for a lexer: tokens are fed to the parser one by one, by us."""

    def __init__(self, conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
        return iter(())


@cache
def _parser() -> Lark:
    """The parser of grammar/mbd.lark, its tables kept in the user's cache folder between runs."""
    grammar = files("mbdc.grammar").joinpath("mbd.lark").read_text(encoding="utf-8")
    stored = _stored_tables(grammar)
    return _load(stored) or _build(grammar, stored)


def _build(grammar: str, stored: Path) -> Lark:
    parser = Lark(
        grammar,
        parser="lalr",
        lexer=_NoLexer,
        start="module",
        strict=True,
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=SyntaxBuilder(),
    )
    # Written apart and moved into place, so that no other process reads half a file.
    draft = stored.with_suffix(f".{os.getpid()}")
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            parser.save(file, exclude_options={"transformer"})
        os.replace(draft, stored)
    except OSError:
        # The folder is full or closed to us: the next start builds the tables again, 0.2 s later.
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return parser


def _load(stored: Path) -> Lark | None:
    try:
        with stored.open("rb") as file:
            tables = pickle.load(file)
        load: Any = Lark._load_from_dict
        parser: Lark = load(tables["data"], tables["memo"], transformer=SyntaxBuilder())
        return parser
    except FileNotFoundError:
        return None
    except Exception:
        # A file of ours that cannot be read is worth nothing, whatever is wrong with it: it is built anew.
        return None


def _stored_tables(grammar: str) -> Path:
    key = hashlib.sha256(f"{grammar} {lark_version} {sys.version_info}".encode()).hexdigest()[:16]
    return user_cache_path("mbdc") / f"grammar-{key}.tables"


@cache
def _fixed_terminals() -> dict[str, str]:
    """Keywords and signs by their text, with the names Lark gave them."""
    return {
        terminal.pattern.value: terminal.name
        for terminal in _parser().terminals
        if terminal.pattern is not None and terminal.pattern.type == "str"
    }
