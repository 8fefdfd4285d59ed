"""Source to Module. Lark is asked for the tables of the grammar in here, and nowhere else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import mbdc.grammar

from . import complaints_syntax as say
from .build_syntax import SyntaxBuilder
from .diagnostics import Diagnostic, in_order
from .files import cache_folder
from .machine import Machine, Rule, Tables
from .reading import Reading
from .source import Source, Span
from .syntax import Module
from .tokens import tokenize
from .verify_syntax import verify_syntax

# Some 20,000 lines: no hand writes that much, and reading it takes seconds.
_TOKEN_LIMIT = 250_000


def parse(source: Source) -> tuple[Module | None, list[Diagnostic]]:
    """The module of a text, or what could be recovered of it, and what is wrong with its syntax.

    None where nothing could be made of the text, or where it is nested too deep. In a recovered module
    names that were put in where one is missing begin with `?`.
    """
    tokens = tokenize(source, _TOKEN_LIMIT)
    if len(tokens) > _TOKEN_LIMIT:
        return None, [say.text_too_long(tokens[-1].span, _TOKEN_LIMIT)]
    reading = Reading(Machine(_tables(), SyntaxBuilder()), tokens)
    elements = reading.elements()
    if elements is None:
        return None, reading.complaints
    module = Module(tuple(elements), Span(source, 0, len(source.text)), frozenset(reading.lost))
    complaints, shallow = verify_syntax(module)
    return (module if shallow else None), in_order([*reading.complaints, *complaints])


@cache
def _tables() -> Tables:
    """The tables of grammar/mbd.lark, kept in the user's cache folder between runs."""
    text = Path(mbdc.grammar.__file__).with_name("mbd.lark").read_text(encoding="utf-8")
    # A change of the grammar, or of what is stored of it, gives the file another name.
    stored = cache_folder() / f"grammar-{_TABLES_FORMAT}-{crc32(text.encode()):08x}.json"
    tables = _stored(stored)
    if tables is None:
        tables = _made(text)
        _store(tables, stored)
    return tables


# To be counted up when what is stored changes its form.
_TABLES_FORMAT = 2
_RULE = ("origin", "size", "method", "spliced", "splices")


def _stored(file: Path) -> Tables | None:
    try:
        data = json.loads(file.read_bytes())
        return Tables(
            data["states"],
            [Rule(*rule) for rule in data["rules"]],
            data["start"],
            data["end"],
            data["words"],
        )
    except (OSError, ValueError, TypeError, KeyError):
        # Not there, or damaged: the tables are made again.
        return None


def _store(tables: Tables, file: Path) -> None:
    data = {name: getattr(tables, name) for name in ("states", "start", "end", "words")}
    data["rules"] = [[getattr(rule, name) for name in _RULE] for rule in tables.rules]
    # Written apart and moved into place, so that no other process reads half a file.
    draft = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(data), encoding="utf-8")
        os.replace(draft, file)
    except OSError:
        # The folder is full or closed to us: the next start makes the tables again.
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _made(text: str) -> Tables:
    # Imported here, since most runs find the tables stored and need no Lark.
    from lark import Lark
    from lark.lexer import Lexer
    from lark.parsers.lalr_analysis import Shift

    class NoLexer(Lexer):
        """Tokens are cut by tokens.py; Lark's lexer would want to check their patterns."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
            return iter(())

    lark = Lark(
        text,
        parser="lalr",
        lexer=NoLexer,
        start="module",
        strict=True,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    conf: Any = lark.parse_interactive().parser_state.parse_conf
    number = {state: index for index, state in enumerate(conf.states)}
    rule_number = {rule: index for index, rule in enumerate(lark.rules)}
    return Tables(
        states=[
            {
                symbol: number[target] if action is Shift else ~rule_number[target]
                for symbol, (action, target) in actions.items()
            }
            for actions in conf.states.values()
        ],
        rules=[_rule(rule) for rule in lark.rules],
        start=number[conf.start_state],
        end=number[conf.end_state],
        words={
            terminal.pattern.value: terminal.name
            for terminal in lark.terminals
            if terminal.pattern is not None and terminal.pattern.type == "str"
        },
    )


def _rule(rule: Any) -> Rule:
    """Lark's rule as ours; what it inlines (`?rule` of one symbol, repetitions) is told apart."""
    handed_on = rule.options.expand1 and not rule.alias and len(rule.expansion) == 1
    method = None if handed_on else rule.alias or rule.origin.name
    spliced, splices = rule.origin.name.startswith("_"), any(s.name.startswith("__") for s in rule.expansion)
    return Rule(rule.origin.name, len(rule.expansion), method, spliced, splices)
