"""Named texts and places in them."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from .records import field, frozen


@frozen(eq=False)
class Source:
    """A text with the name a user knows it by.

    `name` is what messages print (the path as the user gave it, or ``<text>``);
    `path` is where imports and tables beside it are looked up, None for a text from memory.
    """

    name: str
    text: str
    path: Path | None = None

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(i + 1 for i, character in enumerate(self.text) if character == "\n")
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (counted from 1), without its line end."""
        starts = self._line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")


@frozen
class Span:
    """The half-open range of offsets [start, end) in a source."""

    source: Source = field(repr=False)
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of another."""
        return Span(self.source, self.start, other.end)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"
