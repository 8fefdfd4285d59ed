"""Reads the tables that `table("file.csv", "column", x)` names."""

from __future__ import annotations

import io
import math
from pathlib import Path

from . import complaints_check as say
from .diagnostics import Diagnostic
from .records import frozen
from .source import Span

MOST_BYTES = 50_000_000
MOST_LINES = 200_000
_SHORTEST = 2


@frozen
class Columns:
    """The first column, strictly increasing, and the one asked for."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]


class TableError(Exception):
    """A table that cannot be used; carries what is to be told."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Tables:
    """Reads each file once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[list[str]]] = {}
        self._columns: dict[tuple[str, str], Columns] = {}

    def columns(self, path: str, column: str, span: Span) -> Columns:
        """The first column and the named one.

        A header line names them; commas, semicolons or tabs part them. Raises TableError.
        """
        key = (path, column)
        if key not in self._columns:
            self._columns[key] = _columns(self._read(path, span), path, column, span)
        return self._columns[key]

    def _read(self, path: str, span: Span) -> list[list[str]]:
        if path not in self._lines:
            self._lines[path] = _lines(path, span)
        return self._lines[path]


def _lines(path: str, span: Span) -> list[list[str]]:
    import csv  # few models have a table

    name = Path(path).name
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise TableError(say.table_unreadable(span, name, f"it is larger than {MOST_BYTES // 1_000_000} MB"))
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as reason:
        raise TableError(say.table_unreadable(span, name, reason.strerror or "it cannot be opened")) from reason
    except UnicodeDecodeError as reason:
        raise TableError(say.table_unreadable(span, name, "it is not UTF-8 text")) from reason
    header = text.partition("\n")[0]
    delimiter = next((mark for mark in (";", "\t") if mark in header), ",")
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True))
    except csv.Error as reason:
        raise TableError(say.table_unreadable(span, name, str(reason))) from reason
    if len(lines) > MOST_LINES:
        raise TableError(say.table_unreadable(span, name, f"it has more than {MOST_LINES} lines"))
    return lines


def _columns(lines: list[list[str]], path: str, column: str, span: Span) -> Columns:
    name = Path(path).name
    header = [entry.strip() for entry in lines[0]] if lines else []
    if column not in header:
        raise TableError(say.table_column(span, name, column, header))
    place = header.index(column)
    xs: list[float] = []
    ys: list[float] = []
    for number, line in enumerate(lines[1:], start=2):
        if not any(entry.strip() for entry in line):
            continue
        if len(line) <= place:
            raise TableError(say.table_short_line(span, name, number))
        xs.append(_number(line[0], name, number, span))
        ys.append(_number(line[place], name, number, span))
        if len(xs) > 1 and xs[-1] <= xs[-2]:
            raise TableError(say.table_order(span, name, number, header[0]))
    if len(xs) < _SHORTEST:
        raise TableError(say.table_empty(span, name))
    return Columns(tuple(xs), tuple(ys))


def _number(text: str, name: str, line: int, span: Span) -> float:
    try:
        value = float(text)
    except ValueError as reason:
        raise TableError(say.table_value(span, name, line, text.strip())) from reason
    if not math.isfinite(value):
        raise TableError(say.table_value(span, name, line, text.strip()))
    return value
