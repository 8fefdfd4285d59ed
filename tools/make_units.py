"""Writes grammar/units.json: what each unit symbol is in SI, taken from pint.

Run it after a symbol was added below: `python tools/make_units.py`. A test compares the file with pint.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pint

TABLE = Path(__file__).parents[1] / "grammar" / "units.json"
BASE = ("meter", "kilogram", "second", "ampere", "kelvin", "mole", "candela")

# symbol in a model -> name in pint. Those in the first table take SI prefixes.
PREFIXABLE = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "cd": "candela",
    "rad": "radian", "sr": "steradian", "Hz": "hertz", "N": "newton", "Pa": "pascal", "J": "joule",
    "W": "watt", "C": "coulomb", "V": "volt", "F": "farad", "Ω": "ohm", "Ohm": "ohm", "ohm": "ohm",
    "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry", "lm": "lumen", "lx": "lux",
    "bar": "bar", "L": "liter", "l": "liter", "eV": "electron_volt", "Wh": "watt_hour",
    "Ah": "ampere_hour", "cal": "calorie",
}  # fmt: skip
PLAIN = {
    "min": "minute", "h": "hour", "d": "day", "deg": "degree", "arcmin": "arcminute",
    "arcsec": "arcsecond", "rev": "revolution", "turn": "turn", "rpm": "revolutions_per_minute",
    "degC": "degree_Celsius", "degF": "degree_Fahrenheit", "t": "metric_ton", "ha": "hectare",
    "atm": "standard_atmosphere", "psi": "pound_force_per_square_inch", "kgf": "kilogram_force",
    "lbf": "pound_force", "lb": "pound", "oz": "ounce", "slug": "slug", "in": "inch", "ft": "foot",
    "yd": "yard", "mi": "mile", "mph": "mile_per_hour", "kn": "knot", "hp": "horsepower",
    "percent": "percent",
}  # fmt: skip
PREFIXES = {
    "Q": "quetta", "R": "ronna", "Y": "yotta", "Z": "zetta", "E": "exa", "P": "peta", "T": "tera",
    "G": "giga", "M": "mega", "k": "kilo", "h": "hecto", "da": "deca", "d": "deci", "c": "centi",
    "m": "milli", "u": "micro", "µ": "micro", "n": "nano", "p": "pico", "f": "femto", "a": "atto",
    "z": "zepto", "y": "yocto", "r": "ronto", "q": "quecto",
}  # fmt: skip


def make_table() -> dict[str, object]:
    """The table: per symbol [scale, offset, exponents of the base units], per prefix its factor."""
    # Decimals, because a litre out of binary tenths is not 0.001.
    registry = pint.UnitRegistry(autoconvert_offset_to_baseunit=True, non_int_type=Decimal)
    return {
        "prefixes": {
            symbol: float(registry.Quantity(Decimal(1), name + "meter").m_as("meter"))
            for symbol, name in PREFIXES.items()
        },
        "prefixable": {symbol: _entry(registry, name) for symbol, name in PREFIXABLE.items()},
        "plain": {symbol: _entry(registry, name) for symbol, name in PLAIN.items()},
    }


def _entry(registry: pint.UnitRegistry, name: str) -> list[object]:
    zero = registry.Quantity(Decimal(0), name).to_base_units()
    one = registry.Quantity(Decimal(1), name).to_base_units()
    exponents = {str(unit): int(power) for unit, power in one.unit_items()}
    exponents.pop("radian", None)  # an angle is a number here
    vector = [exponents.pop(base, 0) for base in BASE]
    if exponents:
        raise ValueError(f"{name} has base units beyond the SI's: {exponents}")
    return [float(one.magnitude - zero.magnitude), float(zero.magnitude), vector]


def main() -> None:
    table = make_table()
    sections = [
        f'"{section}": {{\n'
        + ",\n".join(f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v)}" for k, v in entries.items())
        + "\n}"
        for section, entries in table.items()
        if isinstance(entries, dict)
    ]
    TABLE.write_text("{" + ",\n".join(sections) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
