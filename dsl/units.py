"""Unit texts such as `kg.m2`, `kPa`, `rad/s`, `degC`: what they are in SI.

The table of symbols is `grammar/units.json`, written from pint by `tools/make_units.py`. Importing pint and
reading its registry took 650 ms where the whole of `mbdc --help` takes 60, and reading the table takes 0.5:
so pint is needed where the table is made and tested, and nowhere else.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache, lru_cache
from pathlib import Path

from .dimension import ONE, Dimension
from .nearest import closest
from .records import frozen

_TABLE = Path(__file__).parents[1] / "grammar" / "units.json"
_LONGEST = 100
_LARGEST_POWER = 30
_TOKEN = re.compile(r"\s*(?:(?P<symbol>[^\W\d_]+|%|°[A-Z]?)|(?P<number>\d+)|(?P<mark>[-+.*/^()]))")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻·", "0123456789-.")
# Other ways to write a symbol, and the one that stands in the table.
_SPELLINGS = str.maketrans({"\u03bc": "\u00b5", "\u2126": "\u03a9"})  # micro sign and capital omega
_SLIPS = {
    "Nm": "N.m", "Nms": "N.m.s", "kgm": "kg.m", "Ns": "N.s", "Js": "J.s", "sec": "s", "second": "s",
    "seconds": "s", "meter": "m", "metre": "m", "meters": "m", "metres": "m", "degree": "deg",
    "degrees": "deg", "°": "deg", "°C": "degC", "°F": "degF", "Celsius": "degC", "C°": "degC", "RPM": "rpm",
    "radian": "rad", "radians": "rad", "inch": "in", "newton": "N", "Newton": "N", "pascal": "Pa",
    "hz": "Hz", "HZ": "Hz", "Kg": "kg", "KG": "kg", "gr": "g", "hr": "h", "hour": "h", "ms-": "m.s-1",
    "mps": "m/s", "kph": "km/h", "kmh": "km/h", "Kelvin": "K", "kelvin": "K", "%": "percent", "micron": "um",
}  # fmt: skip


@frozen
class Unit:
    """A value in this unit times `scale` plus `offset` is the value in SI."""

    scale: float
    offset: float
    dimension: Dimension

    def to_si(self, value: float) -> float:
        """The value in SI units; infinite where it is too large."""
        inverse = round(1 / self.scale) if 1e-15 < self.scale < 1 else 0
        # 9.1[mm] is to be the number 0.0091: dividing by the whole number 1000 rounds once, 0.001 twice.
        if inverse and 1 / inverse == self.scale:
            return value / inverse + self.offset
        return value * self.scale + self.offset


class UnknownUnit(ValueError):
    """A unit text that means nothing here. `suggestions` are texts that would."""

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """What a unit text is in SI.

    Symbols with SI prefixes, joined by `.` or `*` and one `/`, each with an integer power
    (`m2`, `m^2`, `s-1`), and parentheses. Behind a `/` only another `/` may follow, because `J/kg.K` is
    read in two ways by two people.

    Raises UnknownUnit, with suggestions where a slip is recognised.
    """
    if len(text) > _LONGEST:
        raise UnknownUnit(f"a unit of {len(text)} characters is not read")
    plain = text.strip().translate(_SUPERSCRIPTS).translate(_SPELLINGS)
    if plain in _SLIPS:
        raise UnknownUnit(f"`{text}` is not a unit", (_SLIPS[plain],))
    if not plain:
        raise UnknownUnit("the unit is empty", ("1",))
    reader = _Reader(text, _tokens(plain, text))
    unit = reader.product()
    if reader.peek():
        raise UnknownUnit(f"`{reader.peek()}` is not expected in the unit `{text}`")
    if not 0 < unit.scale < math.inf:
        raise UnknownUnit(f"the unit `{text}` is too large or too small for a number")
    return unit


def symbols() -> tuple[str, ...]:
    """All unit symbols without prefixes, for completion and the editor files."""
    table = _table()
    return tuple(table.prefixable) + tuple(table.plain)


def unit_text(dimension: Dimension) -> str:
    """A friendly SI unit of a dimension: `N`, `m/s2`, `kg.m2`; `1` for a plain number.

    Where one dimension has several names it is the one mechanics uses most (`N.m`, `1/s`, `N/m`).
    """
    return _friendly().get(dimension) or _fraction(dimension)


@frozen
class _Table:
    prefixes: dict[str, float]
    prefixable: dict[str, Unit]
    plain: dict[str, Unit]


@cache
def _table() -> _Table:
    raw = json.loads(_TABLE.read_text(encoding="utf-8"))
    return _Table(raw["prefixes"], _units(raw["prefixable"]), _units(raw["plain"]))


def _units(entries: dict[str, tuple[float, float, list[int]]]) -> dict[str, Unit]:
    return {symbol: Unit(s, o, Dimension(tuple(e))) for symbol, (s, o, e) in entries.items()}


def _tokens(plain: str, text: str) -> list[str]:
    tokens = []
    position = 0
    while position < len(plain):
        match = _TOKEN.match(plain, position)
        if match is None:
            raise UnknownUnit(f"`{plain[position]}` cannot stand in the unit `{text}`")
        tokens.append(match[match.lastgroup or 0])
        position = match.end()
    return tokens


class _Reader:
    """Reads one unit text; recursion is bounded by its length."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0

    def peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self._next += 1
        return token

    def product(self) -> Unit:
        unit = self._factor()
        divided = False
        while self.peek() in (".", "*", "/"):
            if self.take() == "/":
                divided = True
                unit = self._combine(unit, _power(self._factor(), -1))
            elif divided:
                raise UnknownUnit(f"in `{self._text}` it is not clear what stands below the `/`: use parentheses")
            else:
                unit = self._combine(unit, self._factor())
        return unit

    def _combine(self, left: Unit, right: Unit) -> Unit:
        if left.offset or right.offset:
            raise UnknownUnit(f"a temperature with an offset cannot be part of `{self._text}`", ("K",))
        return Unit(left.scale * right.scale, 0.0, left.dimension * right.dimension)

    def _factor(self) -> Unit:
        token = self.take()
        if token == "(":
            unit = self.product()
            if self.take() != ")":
                raise UnknownUnit(f"a `)` is missing in the unit `{self._text}`")
        elif token == "1":
            unit = Unit(1.0, 0.0, ONE)
        elif token and (token[0].isalpha() or token[0] in "%°"):
            unit = _symbol(token, self._text)
        else:
            raise UnknownUnit(f"a unit symbol is missing in `{self._text}`")
        power = self._power()
        if power == 1:
            return unit
        if unit.offset:
            raise UnknownUnit(f"a temperature with an offset cannot be part of `{self._text}`", ("K",))
        return _power(unit, power)

    def _power(self) -> int:
        marked = self.peek() == "^"
        if marked:
            self.take()
        sign = -1 if self.peek() == "-" else 1
        signed = self.peek() in ("-", "+")
        if signed:
            self.take()
        if not self.peek().isdecimal():
            if marked or signed:
                raise UnknownUnit(f"an integer power is missing in the unit `{self._text}`")
            return 1
        digits = self.take()
        if len(digits) > 3 or int(digits) > _LARGEST_POWER:
            raise UnknownUnit(f"the power {digits[:10]} in the unit `{self._text[:20]}` is beyond {_LARGEST_POWER}")
        return sign * int(digits)


def _power(unit: Unit, exponent: int) -> Unit:
    try:
        scale = unit.scale**exponent if exponent > 0 else 1 / unit.scale**-exponent
    except (OverflowError, ZeroDivisionError):
        scale = math.inf
    return Unit(scale, unit.offset, unit.dimension**exponent)


def _symbol(symbol: str, text: str) -> Unit:
    table = _table()
    found = table.prefixable.get(symbol) or table.plain.get(symbol)
    if found:
        return found
    for length in (1, 2):  # `da` is the only prefix of two letters
        factor = table.prefixes.get(symbol[:length])
        base = table.prefixable.get(symbol[length:])
        if factor is not None and base is not None:
            return _prefixed(factor, base)
    raise UnknownUnit(f"`{symbol}` is not a unit" + ("" if symbol == text else f", in `{text}`"), _nearest(symbol))


def _prefixed(factor: float, base: Unit) -> Unit:
    # A milligram is 1e-3 * 1e-3 kg; the decimal exponents add without rounding noise.
    scale = float(f"{factor * base.scale:.15g}")
    return Unit(scale, 0.0, base.dimension)


def _nearest(symbol: str) -> tuple[str, ...]:
    slip = _SLIPS.get(symbol) or closest(symbol, symbols())
    return (slip,) if slip else ()


def _fraction(dimension: Dimension) -> str:
    """Base units with positive powers above the stroke, the others below: `kg.m2/s3`."""
    above = Dimension(tuple(max(e, 0) for e in dimension.exponents))
    below = above / dimension
    if below.is_one:
        return str(dimension)
    return f"{above}/{below}" if sum(e != 0 for e in below.exponents) == 1 else f"{above}/({below})"


@cache
def _friendly() -> dict[Dimension, str]:
    texts = (
        "1", "m", "m2", "m3", "kg", "s", "K", "A", "mol", "cd", "1/s", "1/s2", "1/m", "m/s", "m/s2", "kg/m3",
        "kg.m2", "kg.m", "kg.m/s", "N", "N.m", "W", "Pa", "N/m", "N.s/m", "N.m.s", "C", "V", "F", "Ohm", "H",
        "Wb", "T", "V/m", "A/s", "kg/m", "Pa.s",
    )  # fmt: skip
    friendly: dict[Dimension, str] = {}
    for text in texts:
        friendly.setdefault(parse_unit(text).dimension, text)
    return friendly
