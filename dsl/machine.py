"""The automaton that reads tokens by the tables made from the grammar.

It differs from Lark's in three ways that the rest relies on: a token that does not fit changes nothing
(not even rules that were complete only for another token are closed); it says how many of some tokens
would fit; and it can go back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .records import field, frozen
from .source import Source
from .tokens import Token

# Words that are never names, since an expression may begin with them. All others are keywords only where
# the grammar has a place for them.
RESERVED = frozenset({"end", "false", "if", "not", "true"})


@frozen
class Rule:
    """One alternative of a rule: what it makes, of how many symbols, and by which method.

    `method` is None where one symbol is handed on as it is. A rule that is the repeated part of another
    is `spliced`: it has no value of its own. One that has such parts `splices`.
    """

    origin: str
    size: int
    method: str | None
    spliced: bool
    splices: bool


@frozen
class Tables:
    """The LALR tables: for each state and symbol a state to go to, or (below zero) the rule `~n` to close."""

    states: list[dict[str, int]]
    rules: list[Rule]
    start: int
    end: int
    # Keywords and signs by their text.
    words: dict[str, str]
    # Where closing rules that only hand a symbol on leads to, from the two topmost states; filled in use.
    shortcuts: dict[tuple[int, int, str], int] = field(default_factory=dict, compare=False, repr=False)


class Machine:
    """A parse so far: a stack of states, and of values one shorter."""

    def __init__(self, tables: Tables, builder: object) -> None:
        self._tables = tables
        self._states = [tables.start]
        self._methods: list[Callable[[list[Any]], Any] | None] = [
            None if rule.method is None or rule.spliced else getattr(builder, rule.method) for rule in tables.rules
        ]
        # What was read so far: tokens, nodes, and lists of them where a rule is not complete.
        self.values: list[Any] = []

    @property
    def height(self) -> int:
        return len(self._states)

    def feed(self, token: Token) -> bool:
        """Take a token; False, and nothing is changed, where no rule has a place for it."""
        state = self._states[-1]
        kind = self._kind(token, state)
        following = self._tables.states[state].get(kind)
        if following is None:
            return False
        if following >= 0:
            self._states.append(following)
        else:
            states = self._states.copy()
            closed: list[int] = []
            if not self._advance(states, kind, closed):
                return False
            self._states = states
            for number in closed:
                self._close(number)
        if kind != "$END":
            self.values.append(token if token.type == kind else Token(kind, *token[1:]))
        return True

    def drop(self, count: int) -> None:
        """Forget the last values."""
        if count:
            del self.values[-count:]
            del self._states[-count:]

    def fits(self, tokens: Iterable[Token]) -> int:
        """How many of these tokens could be taken one after the other."""
        return self._fits(self._states, tokens)

    def ends_block(self) -> bool:
        """Whether an `end` that stands here closes a block, and is no index."""
        return _is_boundary(self._tables.states[self._states[-1]])

    def base(self) -> int:
        """The height of `values` at which the statement that is being read begins."""
        for height in range(len(self._states) - 1, 0, -1):
            if not _is_boundary(self._tables.states[self._states[height]]):
                continue
            if any(self._fits(self._states[: height + 1], [end]) for end in _ENDS):
                return height
        return 0

    def _fits(self, states: Sequence[int], tokens: Iterable[Token]) -> int:
        states = list(states)
        count = 0
        for token in tokens:
            if not self._advance(states, self._kind(token, states[-1]), []):
                break
            count += 1
        return count

    def _advance(self, states: list[int], kind: str, closed: list[int]) -> bool:
        """Move a stack of states over one token, noting the rules closed on the way."""
        table, rules, shortcuts = self._tables.states, self._tables.rules, self._tables.shortcuts
        while True:
            state = states[-1]
            following = table[state].get(kind)
            if following is None:
                return False
            if following >= 0:
                states.append(following)
                return True
            rule = rules[~following]
            if rule.method is None:
                key = (states[-2], state, kind)
                shortcut = shortcuts.get(key)
                if shortcut is None:
                    shortcut = shortcuts[key] = self._shortcut(*key)
                states[-1] = shortcut
                continue
            closed.append(~following)
            if rule.size:
                del states[-rule.size :]
            states.append(table[states[-1]][rule.origin])
            if kind == "$END" and states[-1] == self._tables.end:
                return True

    def _shortcut(self, below: int, state: int, kind: str) -> int:
        table, rules = self._tables.states, self._tables.rules
        while True:
            following = table[state].get(kind, 0)
            if following >= 0 or rules[~following].method is not None:
                return state
            state = table[below][rules[~following].origin]

    def _close(self, number: int) -> None:
        """Replace the values of a complete rule by what it makes."""
        rule, values = self._tables.rules[number], self.values
        children: list[Any] = []
        if rule.size:
            children = values[-rule.size :]
            del values[-rule.size :]
        method = self._methods[number]
        if method is None:
            values.append(_spliced(children))
        else:
            values.append(method(list(_spliced(children)) if rule.splices else children))

    def _kind(self, token: Token, state: int) -> str:
        """The terminal a token is in a state: a word is a keyword where one is expected."""
        kind = token.type
        if kind == "sign":
            return self._tables.words.get(token.text, kind)
        if kind != "NAME":
            return kind
        word = self._tables.words.get(token.text)
        if word is None:
            return kind
        return word if token.text in RESERVED or word in self._tables.states[state] else kind


class _Repetition(list[Any]):
    """What the repeated part of a rule has collected; it becomes part of the rule's own list."""


def _spliced(children: list[Any]) -> _Repetition:
    """Children in one list, those of repetitions among them; the first is continued, not copied."""
    first = children[0] if children else None
    collected = first if type(first) is _Repetition else _Repetition()
    for child in children[1:] if collected is first else children:
        if type(child) is _Repetition:
            collected += child
        else:
            collected.append(child)
    return collected


_NO_SOURCE = Source("", "")
_ENDS = (Token("END", "end", _NO_SOURCE, 0, 0), Token("$END", "", _NO_SOURCE, 0, 0))


def _is_boundary(actions: dict[str, int]) -> bool:
    """Whether a statement may begin in a state, or a block or the text end; `x[end]` is neither."""
    return "$END" in actions or ("END" in actions and ("NAME" not in actions or "PARAMETER" in actions))
