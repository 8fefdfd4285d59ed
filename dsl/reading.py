"""Tokens fed to the automaton one by one, and the way on where one does not fit."""

from __future__ import annotations

from typing import Any, Literal, assert_never

from . import complaints_syntax as say
from .diagnostics import Diagnostic
from .machine import Machine
from .situation import Fix, Situation, open_blocks
from .tokens import Token
from .verify_syntax import DEPTH_LIMIT

# The parser stops complaining here: what follows is most likely no model at all.
_ERROR_LIMIT = 20
# Mistakes that follow so close behind another are taken for its consequences.
_QUIET_TOKENS = 3
# The height of the parser's stack bounds how deep a text can be nested.
_STACK_LIMIT = 1000


class Reading:
    """One parse: its tokens, edited where the text is broken, and what was complained about.

    `lost` are the names among tokens that were passed over.
    """

    def __init__(self, machine: Machine, tokens: list[Token]) -> None:
        self.machine = machine
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
            self._mend(fix or self._recover())
            if len(self.complaints) > _ERROR_LIMIT or self.recoveries > 10 * _ERROR_LIMIT:
                self.complaints[_ERROR_LIMIT:] = [say.too_many(token.span, _ERROR_LIMIT)]
                return None

    def _closing(self) -> Fix | None:
        if not self.machine.ends_block():
            return None
        blocks = open_blocks(self.machine.values)
        if not blocks or blocks[-1].name == self.tokens[self.index + 1].text:
            return None
        from .slips_blocks import closing

        return closing(self._situation())

    def _recover(self) -> Fix:
        # The slips are loaded only where something is wrong: they are half of the parser.
        from .recover import recover

        return recover(self._situation())

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
        from .recover import next_statement

        s = self._situation()
        index = next_statement(s)
        self.machine.drop(len(s.values) - s.base)
        if index == self.index and self.tokens[index].type != "$END" and not self.machine.fits([self.tokens[index]]):
            index += 1
        self._lose(s.start, index)
        self.index = index

    def _lose(self, start: int, end: int) -> None:
        self.lost.update(token.text for token in self.tokens[start:end] if token.type == "NAME")
