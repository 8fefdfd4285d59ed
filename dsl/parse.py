"""Source to Module. The Lark parser lives and dies in here."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, assert_never

from lark import Lark
from lark import __version__ as lark_version
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import Shift
from platformdirs import user_cache_path

from . import complaints_syntax as say
from .build_syntax import SyntaxBuilder
from .diagnostics import Diagnostic, in_order
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

# Words that are never names, since an expression may begin with them. All others are keywords only where
# the grammar has a place for them.
RESERVED = frozenset({"end", "false", "if", "not", "true"})


def parse(source: Source) -> tuple[Module | None, list[Diagnostic]]:
    """The module of a text, or what could be recovered of it, and what is wrong with its syntax.

    None where nothing could be made of the text, or where it is nested too deep. In a recovered module
    names that were put in where one is missing begin with `?`.
    """
    run = _Run(source)
    elements = run.elements()
    if elements is None:
        return None, run.complaints
    module = Module(tuple(elements), span=Span(source, 0, len(source.text)))
    complaints, shallow = verify_syntax(module)
    return (module if shallow else None), in_order([*run.complaints, *complaints])


class _Run:
    """One parse: its tokens, edited where the text is broken, and what was complained about."""

    def __init__(self, source: Source) -> None:
        self.machine = _Machine()
        self.tokens = tokenize(source)
        self.index = 0
        self.complaints: list[Diagnostic] = []
        # Tokens taken since the last mistake.
        self.taken_since = _QUIET_TOKENS
        self.recoveries = 0

    def elements(self) -> list[Any] | None:
        """All elements of the module; None where it is hopeless."""
        while True:
            token = self.tokens[self.index]
            fix = self._closing(token)
            if fix is not None:
                self._mend(fix)
            elif not self.machine.feed(token):
                self._mend(recover(self._situation()))
            elif token.type == "$END":
                return self.machine.result
            else:
                self.index += 1
                self.taken_since += 1
            if self._is_hopeless():
                return None

    def _closing(self, token: Token) -> Fix | None:
        if token.text != "end" or not self.machine.ends_block():
            return None
        return closing(self._situation())

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
            end = self.index + fix.take
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
        self.index = index

    def _is_hopeless(self) -> bool:
        if self.machine.height > _STACK_LIMIT:
            self.complaints.append(say.too_deep(self.tokens[self.index].span, DEPTH_LIMIT))
            return True
        if len(self.complaints) > _ERROR_LIMIT or self.recoveries > 10 * _ERROR_LIMIT:
            self.complaints[_ERROR_LIMIT:] = [say.too_many(self.tokens[self.index].span, _ERROR_LIMIT)]
            return True
        return False


class _Machine:
    """The LALR automaton made from the grammar, fed with one token after the other."""

    def __init__(self) -> None:
        # Lark asks nothing of a token but its type.
        self._state: Any = _parser().parse_interactive().parser_state
        self._table: dict[int, dict[str, Any]] = self._state.parse_conf.states
        self._words = _fixed_terminals()
        self.result: list[Any] | None = None

    @property
    def values(self) -> list[Any]:
        """What was read so far: tokens, nodes, and lists of them where a rule is not complete."""
        values: list[Any] = self._state.value_stack
        return values

    @property
    def height(self) -> int:
        return len(self._state.state_stack)

    def feed(self, token: Token) -> bool:
        """Take a token; False, and nothing is changed, where no rule has a place for it."""
        state = self._state.state_stack[-1]
        kind = self._kind(token, state)
        action = self._table[state].get(kind)
        # Rules that were complete only for another token must not be closed before this one is refused.
        if action is None or (action[0] is not Shift and not self.fits([token])):
            return False
        result = self._state.feed_token(Token(kind, token.text, token.span), kind == "$END")
        if kind == "$END":
            self.result = result
        return True

    def drop(self, count: int) -> None:
        """Forget the last values."""
        if count:
            del self._state.value_stack[-count:]
            del self._state.state_stack[-count:]

    def fits(self, tokens: Sequence[Token]) -> int:
        """How many of these tokens could be taken one after the other."""
        return self._fits(self._state.state_stack, tokens)

    def ends_block(self) -> bool:
        """Whether an `end` that stands here closes a block, and is no index."""
        return _is_boundary(self._table[self._state.state_stack[-1]])

    def base(self) -> int:
        """The height at which the statement that is being read begins."""
        stack = self._state.state_stack
        for height in range(len(stack) - 1, 0, -1):
            if not _is_boundary(self._table[stack[height]]):
                continue
            if any(self._fits(stack[: height + 1], [Token(kind, text, _NOWHERE)]) for kind, text in _ENDS):
                return height
        return 0

    def _fits(self, stack: Sequence[int], tokens: Sequence[Token]) -> int:
        states = list(stack)
        for count, token in enumerate(tokens):
            kind = self._kind(token, states[-1])
            while True:
                action, argument = self._table[states[-1]].get(kind, (None, None))
                if action is None:
                    return count
                if action is Shift:
                    states.append(argument)
                    break
                del states[len(states) - len(argument.expansion) :]
                states.append(self._table[states[-1]][argument.origin.name][1])
                if kind == "$END" and states[-1] == self._state.parse_conf.end_state:
                    return count + 1
        return len(tokens)

    def _kind(self, token: Token, state: int) -> str:
        """The terminal a token is in a state: a word is a keyword where one is expected."""
        if token.type != "NAME":
            return self._words.get(token.text, token.type) if token.type == "sign" else token.type
        word = self._words.get(token.text)
        if word is None:
            return token.type
        return word if token.text in RESERVED or word in self._table[state] else token.type


_NOWHERE = Span(Source("", ""), 0, 0)
_ENDS = (("NAME", "end"), ("$END", ""))


def _is_boundary(actions: dict[str, Any]) -> bool:
    """Whether a statement may begin in a state, or a block or the text end; `x[end]` is neither."""
    return "$END" in actions or ("END" in actions and ("NAME" not in actions or "PARAMETER" in actions))


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
