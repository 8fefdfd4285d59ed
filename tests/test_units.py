"""Units against pint, from which their table is made, and the slips people make in writing them."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbdc.dsl.dimension import BASE_UNITS, ONE, Dimension
from mbdc.dsl.units import UnknownUnit, parse_unit, symbols, unit_text

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def table_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_units", ROOT / "tools" / "make_units.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table_is_what_pint_says() -> None:
    made = json.loads(json.dumps(table_maker().make_table()))
    assert made == json.loads((ROOT / "grammar" / "units.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "in_pint"),
    [
        ("kg.m2", "kg*m**2"), ("kPa", "kPa"), ("mm", "mm"), ("um", "um"), ("µm", "um"), ("rad/s", "rad/s"),
        ("m/s2", "m/s**2"), ("m^2", "m**2"), ("s-1", "1/s"), ("1/s", "1/s"), ("N/(m.s)", "N/(m*s)"),
        ("J/(kg.K)", "J/kg/K"), ("mg", "mg"), ("uH", "uH"), ("km/h", "km/hour"), ("m²", "m**2"),
        ("N·m", "N*m"),
        ("kΩ", "kohm"), ("m/s/s", "m/s**2"), ("rpm", "rpm"), ("deg", "deg"), ("Hz", "1/s"), ("kWh", "kWh"),
        ("mbar", "mbar"), ("kg.m2.s-2", "J"), ("dam", "dam"), ("min", "minute"), ("GPa", "GPa"),
    ],
)  # fmt: skip
def test_unit_texts_agree_with_pint(registry: pint.UnitRegistry, text: str, in_pint: str) -> None:
    unit = parse_unit(text)
    quantity = registry.Quantity(1.0, in_pint).to_base_units()
    assert unit.to_si(1.0) == pytest.approx(quantity.magnitude, rel=1e-14)
    names = {"meter": "m", "kilogram": "kg", "second": "s", "ampere": "A", "kelvin": "K"}
    powers = {names[str(n)]: p for n, p in quantity.unit_items() if str(n) != "radian"}
    assert unit.dimension == Dimension(tuple(int(powers.get(base, 0)) for base in BASE_UNITS))


def test_values_are_what_a_person_would_write() -> None:
    assert parse_unit("mm").to_si(9.1) == 0.0091
    assert parse_unit("um").to_si(4.7) == 4.7e-6
    assert parse_unit("cm").to_si(8.86) == 0.0886
    assert parse_unit("kPa").to_si(2.5) == 2500.0
    assert parse_unit("degC").to_si(20.0) == 293.15
    assert parse_unit("deg").to_si(180.0) == math.pi
    assert parse_unit("rpm").to_si(60.0) == pytest.approx(2 * math.pi, rel=1e-15)
    assert parse_unit("degF").to_si(212.0) == pytest.approx(373.15, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("Nm", "N.m"), ("hz", "Hz"), ("M", "m"), ("°", "deg"), ("°C", "degC"), ("RPM", "rpm"), ("sec", "s"),
        ("Kg.m2", "kg"), ("kgm2", "kg.m"), ("degC/s", "K"), ("degC2", "K"), ("Newton", "N"), ("", "1"),
    ],
)  # fmt: skip
def test_slips_are_recognised(text: str, suggestion: str) -> None:
    with pytest.raises(UnknownUnit) as refused:
        parse_unit(text)
    assert suggestion in refused.value.suggestions


@pytest.mark.parametrize(
    "text",
    ["foo", "m^", "m^99", "m^9999999999", "m/", "(m", "m)", "J/kg.K", "m..s", "2", "k", "m" * 200, "m^1.5"],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UnknownUnit):
        parse_unit(text)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_unit_or_refused(text: str) -> None:
    try:
        unit = parse_unit(text)
    except UnknownUnit:
        return
    assert 0 < unit.scale < math.inf


@settings(deadline=None)
@given(st.text(alphabet="mkgsNPa.*/^()-0123456789", max_size=20))
def test_any_unit_like_text_is_a_unit_or_refused(text: str) -> None:
    try:
        unit = parse_unit(text)
    except UnknownUnit:
        return
    assert 0 < unit.scale < math.inf


@settings(deadline=None)
@given(st.tuples(*[st.integers(-4, 4)] * len(BASE_UNITS)))
def test_the_text_of_a_dimension_means_it(exponents: tuple[int, ...]) -> None:
    dimension = Dimension(exponents)
    unit = parse_unit(unit_text(dimension))
    assert unit.dimension == dimension
    assert unit.scale == 1.0


def test_common_dimensions_have_friendly_units() -> None:
    for text in ("N", "N.m", "W", "Pa", "m/s", "m/s2", "kg.m2", "N/m", "N.s/m", "V", "1"):
        assert unit_text(parse_unit(text).dimension) == text
    assert unit_text(parse_unit("J").dimension) == "N.m"
    assert parse_unit("rad").dimension == ONE


def test_shipped_quantities_are_in_si() -> None:
    text = (ROOT / "models" / "library" / "quantities.mbd").read_text(encoding="utf-8")
    units = [line.split('"')[1] for line in text.splitlines() if line.startswith("type ")]
    assert len(units) > 40
    for unit in units:
        assert parse_unit(unit).to_si(1.0) == 1.0, unit


def test_symbols_are_units() -> None:
    for symbol in symbols():
        assert parse_unit(symbol).scale > 0
