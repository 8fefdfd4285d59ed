"""Records are what dataclasses would be, whatever code they share."""

from __future__ import annotations

import inspect

import pytest

from mbdc.dsl.records import field, frozen, mutable, replace


@frozen
class Point:
    x: float
    y: float = 2.0


@frozen
class Pair:
    """As many fields, and as many defaults, as Point has."""

    first: str
    second: str = "b"


@frozen(kw_only=True)
class Named(Point):
    label: str
    tags: list[str] = field(default_factory=list)
    shown: bool = True


@mutable
class Counter:
    step: int
    total: int = field(default=0, init=False)
    seen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total = 10 * self.step


def test_records_alike_in_shape_keep_their_own_names_and_defaults() -> None:
    assert Point(1.0) == Point(x=1.0, y=2.0)
    assert repr(Point(1.0)) == "Point(x=1.0, y=2.0)"
    assert repr(Pair(first="a")) == "Pair(first='a', second='b')"
    assert str(inspect.signature(Pair)) == "(first, second='b')"
    assert Point.__init__.__qualname__ == "Point.__init__"


def test_fields_of_a_base_come_first_and_named_ones_by_name_only() -> None:
    record = Named(3.0, label="p")
    assert (record.x, record.y, record.label, record.tags, record.shown) == (3.0, 2.0, "p", [], True)
    assert Named(3.0, 4.0, label="p", shown=False) == replace(record, y=4.0, shown=False)
    with pytest.raises(TypeError, match="positional"):
        Named(3.0, 4.0, "p")  # type: ignore[misc,call-arg]


def test_a_default_that_is_made_is_made_anew() -> None:
    one, other = Counter(1), Counter(2)
    one.seen.append(5)
    assert (one.total, other.total, other.seen) == (10, 20, [])
    assert Counter(3, [7]).seen == [7]


def test_what_is_missing_or_unknown_is_told_by_name() -> None:
    with pytest.raises(TypeError, match=r"Pair\.__init__\(\) missing 1 required positional argument: 'first'"):
        Pair()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1.0, z=3.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="required keyword-only argument: 'label'"):
        Named(1.0)  # type: ignore[call-arg]


def test_a_field_without_a_default_cannot_follow_one_that_has_one() -> None:
    with pytest.raises(TypeError, match="`after` has no default"):

        @frozen
        class Wrong(Point):
            after: int
