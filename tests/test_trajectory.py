"""What a run recorded can be asked for by name and written to a table that reads back the same."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import numpy as np
import pytest

from mbdc.compiler.report import (
    ConstraintResidual,
    EnergyBalance,
    Event,
    Report,
    StartValue,
)
from mbdc.compiler.trajectory import Result, Series

TIME = np.array([0.0, 0.1, 0.25])


def report(**changes: object) -> Report:
    values: dict[str, object] = {
        "model": "Top",
        "outcome": "completed",
        "start_time": 0.0,
        "end_time": 0.25,
        "stop_time": 0.25,
        "points": 3,
        "tolerance": 1e-8,
        "steps": 41,
        "wall_time": 0.125,
    }
    return Report(**(values | changes))  # type: ignore[arg-type]


def series(name: str, shape: tuple[int, ...], names: tuple[str, ...], unit: str = "m") -> Series:
    size = math.prod(shape)
    values = np.arange(len(TIME) * size, dtype=float).reshape((len(TIME), *shape)) / 3
    return Series(name, values, names, (unit,), f"what {name} is")


@pytest.fixture
def result() -> Result:
    matrix = tuple(f"S[{i},{j}]" for i in (1, 2, 3) for j in (1, 2, 3))
    return Result(
        TIME,
        (
            series("x", (), ("x",)),
            series("der(p)", (2,), ("der(p[1])", "der(p[2])"), "m/s"),
            series("S", (3, 3), matrix, ""),
            series("reaction(rolling)", (2,), ("reaction(rolling)[1]", "reaction(rolling)[2]"), "N"),
        ),
        report(),
    )


def test_scalars_arrays_and_attitudes_have_their_shapes(result: Result) -> None:
    assert result["time"].shape == (3,)
    assert result["x"].shape == (3,)
    assert result["der(p)"].shape == (3, 2)
    assert result["S"].shape == (3, 3, 3)
    assert result["reaction(rolling)"].shape == (3, 2)


def test_an_element_is_the_same_by_its_name_and_by_index(result: Result) -> None:
    np.testing.assert_array_equal(result["der(p[2])"], result["der(p)"][:, 1])
    np.testing.assert_array_equal(result["der(p)[2]"], result["der(p)"][:, 1])
    np.testing.assert_array_equal(result["S[2,3]"], result["S"][:, 1, 2])
    np.testing.assert_array_equal(result["S[2, 3]"], result["S"][:, 1, 2])
    np.testing.assert_array_equal(result["reaction(rolling)[1]"], result["reaction(rolling)"][:, 0])


def test_names_are_the_header_of_the_table(result: Result) -> None:
    assert result.names[:4] == ("time", "x", "der(p[1])", "der(p[2])")
    assert result.table().shape == (3, len(result.names))
    assert all(name in result for name in result.names)
    assert list(result) == list(result.names)
    assert set(result.units) == set(result.names)
    assert result.units["der(p[2])"] == "m/s"


@pytest.mark.parametrize("name", ["der(p[3])", "S[4,1]", "x[1]", "S[1,2,3]", "S[0,1]", "y"])
def test_a_name_that_is_not_there_is_a_key_error(result: Result, name: str) -> None:
    assert name not in result
    with pytest.raises(KeyError, match="the result has no"):
        result[name]


def test_an_unknown_name_comes_with_the_nearest(result: Result) -> None:
    with pytest.raises(KeyError, match=r"did you mean .*reaction\(rolling\)"):
        result["reaction(roling)"]


def test_a_saved_table_reads_back_exactly(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    result.save(file)
    with file.open(newline="", encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    assert tuple(header) == result.names
    np.testing.assert_array_equal(np.array(rows, dtype=float), result.table())


def test_only_names_with_a_comma_are_quoted(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run.csv")
    header = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith('time,x,der(p[1]),der(p[2]),"S[1,1]",')


def test_the_data_frame_is_the_table(result: Result) -> None:
    frame = result.to_dataframe()
    assert tuple(frame.columns) == result.names
    np.testing.assert_array_equal(frame.to_numpy(), result.table())


def test_saving_replaces_an_older_file_and_leaves_no_draft(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text("older", encoding="utf-8")
    result.save(str(file))
    assert file.read_text(encoding="utf-8").startswith("time,")
    assert [p.name for p in tmp_path.iterdir()] == ["run.csv"]


def test_a_failure_while_writing_keeps_the_older_file(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "run.csv"
    file.write_text("older", encoding="utf-8")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        result.save(file)
    assert file.read_text(encoding="utf-8") == "older"
    assert [p.name for p in tmp_path.iterdir()] == ["run.csv"]


@pytest.mark.parametrize("name", ["run.xlsx", "run", "run.csv.gz"])
def test_other_suffixes_are_refused(result: Result, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"saved as \.csv"):
        result.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_way_is_an_os_error(result: Result, tmp_path: Path) -> None:
    (tmp_path / "run.csv").mkdir()
    with pytest.raises(IsADirectoryError):
        result.save(tmp_path / "run.csv")


def test_a_report_tells_what_it_holds() -> None:
    text = str(
        report(
            outcome="ended",
            reason="limit travel reached its upper bound",
            residuals=(ConstraintResidual("rolling", 2.0e-8, 1.0e-16, "m/s"),),
            energy=EnergyBalance(1.5, 0.25, {"motor": 1.75}, 0.0, 3e-9, 1.75),
            start=(
                StartValue("y", -0.5, "completed", "m"),
                StartValue("z", 0.0, "completed", "m"),
                StartValue("x", 0.30001, "polished", "m", 0.3),
            ),
            events=(Event(0.25, "travel", "reached its upper bound"),),
            notes=("row 3 of rolling is 0 = 0",),
        )
    )
    for part in ("Ended at 0.25 s", "travel", "rolling", "2.0e-08", "1.0e-16  m/s", "work of motor", "0 = 0"):
        assert part in text
    assert "given as 0.3, moved by 1.0e-05" in text
    assert "\n  z " not in text, "a value completed to zero is not worth a line"


def test_the_energy_error_is_what_does_not_add_up() -> None:
    balance = EnergyBalance(1.5, 0.25, {"motor": 1.0, "brake": -0.5}, 0.75, 0.5, 1.75)
    assert balance.error == pytest.approx(0.5)


def test_a_report_is_plain_data() -> None:
    data = report(start=(StartValue("y", 1.0, "given"),)).to_json()
    assert data["model"] == "Top"
    assert data["energy"] is None
    assert data["start"] == [{"name": "y", "value": 1.0, "origin": "given", "unit": ""}]
