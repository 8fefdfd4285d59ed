"""The trajectory of a run, under the author's names and units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.nearest import nearest
from mbdc.dsl.records import field, frozen

from .files import write_atomically
from .report import Event, Report

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_ELEMENT = re.compile(r"(?P<name>.+)\[(?P<indices>\d+(?:,\d+)*)\]")


@frozen(eq=False)
class Series:
    """One recorded quantity over time.

    `values` is (time, *shape) in SI units: (time,) for a scalar, (time, 3) for a vector, (time, 3, 3) for an
    attitude. `element_names` are the scalar names, row by row (`C[1]`, `der(p[2])`, `S[1,2]`); for a scalar
    the name itself. `units` has one text for all elements or one per element.
    """

    name: str
    values: Floats
    element_names: tuple[str, ...]
    units: tuple[str, ...] = ("",)
    description: str = ""

    @property
    def columns(self) -> Floats:
        """The scalar elements, (time, elements)."""
        return self.values.reshape(self.values.shape[0], len(self.element_names))

    def unit(self, element: int) -> str:
        """The unit of an element, counted from 0 row by row."""
        return self.units[element] if len(self.units) > 1 else self.units[0]


@frozen(eq=False)
class Result:
    """What a run recorded: `time` (time,) in s, one `Series` per quantity, and the `report`.

    `result[name]` takes scalar names (`x`, `der(p[2])`, `reaction(rolling)[2]`, `energy.total`) and whole
    arrays (`C`, `S`, `reaction(rolling)`). Values are in SI units.
    """

    time: Floats
    series: tuple[Series, ...] = field(repr=False)
    report: Report = field(repr=False)

    def __getitem__(self, name: str) -> Floats:
        """The values of a scalar, (time,), or of an array, (time, *shape). Raises `KeyError`."""
        wanted = "".join(name.split())
        if wanted == "time":
            return self.time
        if wanted in self._scalars:
            series, element = self._scalars[wanted]
            return series.columns[:, element]
        if wanted in self._arrays:
            return self._arrays[wanted].values
        part = self._element_of_array(wanted)
        if part is None:
            raise KeyError(self._unknown(name))
        return part

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self[name]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All scalar names, `time` first: the header of a table of this result."""
        return ("time", *self._scalars)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened at instants: limits reached and left, sticking and sliding, `when`."""
        return self.report.events

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of every scalar name; an empty text where there is none."""
        return {"time": "s"} | {name: series.unit(i) for name, (series, i) in self._scalars.items()}

    @cached_property
    def descriptions(self) -> dict[str, str]:
        """The author's description of every recorded quantity that has one."""
        return {series.name: series.description for series in self.series if series.description}

    def table(self) -> Floats:
        """All scalars as columns in the order of `names`, (time, len(names))."""
        return np.column_stack([self.time, *(series.columns for series in self.series)])

    def to_dataframe(self) -> pd.DataFrame:
        """A pandas table with the columns of `names`. Raises `ImportError` where pandas is missing."""
        try:
            import pandas as pd
        except ImportError as missing:
            raise ImportError("to_dataframe needs pandas: python -m pip install 'mbdc[frames]'") from missing
        return pd.DataFrame(self.table(), columns=list(self.names))

    def save(self, path: str | Path) -> None:
        """Write the result as a table; `.csv` is what can be written. The file appears whole or not at all.

        Numbers are written with as many digits as they need to be read back exactly.
        Raises `ValueError` for another suffix, `OSError` where the file cannot be written.
        """
        check_suffix(path)
        write_atomically(Path(path), self._csv_lines())

    def _csv_lines(self) -> Iterator[str]:
        yield ",".join(_quoted(name) for name in self.names) + "\n"
        table = self.table()
        # A block at a time: the whole table as Python floats would take several times its memory.
        for start in range(0, len(table), 1024):
            for row in table[start : start + 1024].tolist():
                yield ",".join(map(repr, row)) + "\n"

    @cached_property
    def _scalars(self) -> dict[str, tuple[Series, int]]:
        return {name: (series, i) for series in self.series for i, name in enumerate(series.element_names)}

    @cached_property
    def _arrays(self) -> dict[str, Series]:
        return {series.name: series for series in self.series}

    def _element_of_array(self, name: str) -> Floats | None:
        """`der(p)[2]` for `der(p[2])`: what is recorded as an array may be asked for by index."""
        match = _ELEMENT.fullmatch(name)
        if match is None or match["name"] not in self._arrays:
            return None
        values = self._arrays[match["name"]].values
        for text in match["indices"].split(","):
            index = int(text) - 1
            if values.ndim < 2 or not 0 <= index < values.shape[1]:
                return None
            values = values[:, index]
        return values

    def _unknown(self, name: str) -> str:
        near = nearest(name, [*self.names, *self._arrays], 3)
        advice = f"did you mean {' or '.join(near)}?" if near else "`names` lists all there are"
        return f"the result has no {name}; {advice}"


def check_suffix(path: str | Path) -> None:
    """Raise `ValueError` unless a result can be saved under the suffix of this path."""
    suffix = Path(path).suffix
    if suffix.lower() != ".csv":
        kind = f"{suffix} files" if suffix else "a file without a suffix"
        raise ValueError(f"cannot write {kind}: results are saved as .csv")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name
