"""Source to Module. Lark is asked for the tables of the grammar in here, and nowhere else."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, assert_never

from platformdirs import user_cache_path

from . import complaints_syntax as say
from .build_syntax import SyntaxBuilder
from .diagnostics import Diagnostic, in_order
from .machine import Machine, Rule, Tables
from .recover import next_statement, recover
from .situation import Fix, Situation
from .slips_blocks import closing
from .source import Source, Span
from .syntax import Module
from .tokens import Token, tokenize
from .verify_syntax import DEPTH_LIMIT, verify_syntax

# The parser stops complaining here: what follows is most likely no model at all.
_ERROR_LIMIT = 20
# Mistakes that follow so close behind another are taken for its consequences.
_QUIET_TOKENS = 3
# The height of the parser's stack bounds how deep a text can be nested.
_STACK_LIMIT = 1000
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
    run = _Run(tokens)
    elements = run.elements()
    if elements is None:
        return None, run.complaints
    module = Module(tuple(elements), Span(source, 0, len(source.text)), frozenset(run.lost))
    complaints, shallow = verify_syntax(module)
    return (module if shallow else None), in_order([*run.complaints, *complaints])


class _Run:
    """One parse: its tokens, edited where the text is broken, and what was complained about."""

    def __init__(self, tokens: list[Token]) -> None:
        self.machine = Machine(_tables(), SyntaxBuilder())
        self.tokens = tokens
        self.index = 0
        self.complaints: list[Diagnostic] = []
        self.lost: set[str] = set()
        # Tokens taken since the last mistake.
        self.taken_since = _QUIET_TOKENS
        self.recoveries = 0

    def elements(self) -> list[Any] | None:
        """All elements of the module; None where it is hopeless."""
        machine = self.machine
        while True:
            token = self.tokens[self.index]
            fix = self._closing() if token.text == "end" else None
            if fix is None and machine.feed(token):
                if token.type == "$END":
                    (elements,) = machine.values
                    return list(elements)
                self.index += 1
                self.taken_since += 1
                if len(machine.values) > _STACK_LIMIT:
                    self.complaints.append(say.too_deep(token.span, DEPTH_LIMIT))
                    return None
                continue
            self._mend(fix or recover(self._situation()))
            if len(self.complaints) > _ERROR_LIMIT or self.recoveries > 10 * _ERROR_LIMIT:
                self.complaints[_ERROR_LIMIT:] = [say.too_many(token.span, _ERROR_LIMIT)]
                return None

    def _closing(self) -> Fix | None:
        return closing(self._situation()) if self.machine.ends_block() else None

    def _situation(self) -> Situation:
        machine = self.machine
        return Situation(self.tokens, self.index, machine.values, machine.base(), machine.fits)

    def _mend(self, fix: Fix) -> None:
        self.recoveries += 1
        stuck = self.taken_since == 0 and self.tokens[self.index].type != "$END"
        follows = self.taken_since < _QUIET_TOKENS
        if fix.complaint is not None and not self._is_consequence(fix.complaint, follows):
            self.complaints.append(fix.complaint)
        if fix.resume or stuck:
            self._resume()
        else:
            # The end of the text stays, whatever a fix takes.
            end = min(self.index + fix.take, len(self.tokens) - 1)
            self._lose(self.index, end)
            self._go_back(fix.back)
            self.tokens[self.index : end] = fix.put
        if fix.complaint is not None:
            self.taken_since = 0

    def _go_back(self, back: Literal["nothing", "token", "statement"]) -> None:
        match back:
            case "nothing":
                pass
            case "token":
                # A token that was taken last is always a value of its own: no rule is closed before the next.
                self.machine.drop(1)
                self.index -= 1
            case "statement":
                s = self._situation()
                self.machine.drop(len(s.values) - s.base)
                self.index = s.start
            case _:
                assert_never(back)

    def _is_consequence(self, complaint: Diagnostic, follows: bool) -> bool:
        told = {earlier.code for earlier in self.complaints}
        if complaint.code == "unlabelled-equation" and "equation-section" in told:
            return True
        if complaint.code == "missing-end" and "unclosed-comment" in told:
            return True
        return follows and bool(self.complaints)

    def _resume(self) -> None:
        """Give the statement up; the next one begins at a token the parser takes."""
        s = self._situation()
        index = next_statement(s)
        self.machine.drop(len(s.values) - s.base)
        if (
            index == self.index
            and self.tokens[index].type != "$END"
            and not self.machine.fits([self.tokens[index]])
        ):
            index += 1
        self._lose(s.start, index)
        self.index = index

    def _lose(self, start: int, end: int) -> None:
        self.lost.update(token.text for token in self.tokens[start:end] if token.type == "NAME")


@cache
def _tables() -> Tables:
    """The tables of grammar/mbd.lark, kept in the user's cache folder between runs."""
    grammar = files("mbdc.grammar").joinpath("mbd.lark").read_text(encoding="utf-8")
    key = hashlib.sha256(f"{_TABLES_FORMAT} {grammar}".encode()).hexdigest()[:16]
    stored = user_cache_path("mbdc") / f"grammar-{key}.json"
    tables = _stored(stored)
    if tables is None:
        tables = _made(grammar)
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


def _made(grammar: str) -> Tables:
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
        grammar,
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
