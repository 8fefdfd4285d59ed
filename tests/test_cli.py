"""The command keeps its contract: what it writes, what it prints where, and with which code it ends."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mbdc.compiler import cli, model, progress, trajectory, voice

PENDULUM = Path(__file__).parents[1] / "models" / "pendulum.mbd"

GOOD = """
model Slider
  parameter Mass m = 2;
  input Force push = 0;
  coordinate Length x(start = 0, rate = 1);
  kinetic motion = m/2*der(x)^2;
  force push: push on x;
  annotation(experiment(StopTime = 1, Interval = 0.25));
end Slider;
"""
WRONG = GOOD.replace("push on x", "push on y").replace("m/2*der(x)^2", "m/2*der(z)^2")
# A constraint that the start contradicts, and one that ends the run, each added to the good model.
BAD_START = GOOD.replace("annotation", "coordinate Length y(start = 2);\n constraint tie: x = y;\n annotation")
LIMITED = GOOD.replace("annotation", "limit wall: x <= 0.6;\n annotation")
ASSERTED = GOOD.replace("annotation", 'assert(x < 0.6, "slid too far");\n annotation')
WARNED = GOOD.replace("m = 2;", "m = 2; parameter Real k = 3;").replace("push on x", "push + k on x")


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in an empty folder; a first word with a line break in it is put into `model.mbd`."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Answer:
        if words and "\n" in words[0]:
            Path("model.mbd").write_text(words[0], encoding="utf-8")
            words = ("model.mbd", *words[1:])
        with pytest.raises(SystemExit) as end:
            cli.main(words)
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Answer(end.value.code, printed.out, printed.err)

    return run


def table(path: str) -> tuple[list[str], list[list[float]]]:
    with Path(path).open(newline="", encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    return header, [[float(cell) for cell in row] for row in rows]


def last(path: str, name: str) -> float:
    header, rows = table(path)
    return rows[-1][header.index(name)]


def test_a_run_writes_its_table_and_says_what_it_did(command: Command) -> None:
    answer = command(str(PENDULUM), "--stop-time", "1", "--interval", "0.1")
    assert answer.code == 0
    assert answer.err == ""
    for part in (
        "Pendulum",
        "rod",
        "1 in position, 1 in velocity",
        "Energy balance",
        "Written to pendulum.csv",
    ):
        assert part in answer.out
    header, rows = table("pendulum.csv")
    assert header[0] == "time"
    assert {"x", "der(x)", "der(der(x))", "reaction(rod)", "residual(rod)", "energy.total"} <= set(header)
    assert [row[0] for row in rows] == pytest.approx([k / 10 for k in range(11)])


def test_the_last_row_is_the_stop_time_also_where_the_interval_does_not_divide_it(command: Command) -> None:
    assert command(GOOD, "--stop-time", "0.7").code == 0
    assert [row[0] for row in table("model.csv")[1]] == pytest.approx([0, 0.25, 0.5, 0.7])


def test_output_names_the_file(command: Command) -> None:
    assert command(GOOD, "-o", "run.csv").code == 0
    assert [p.name for p in Path().glob("*.csv")] == ["run.csv"]


def test_set_takes_parameters_inputs_and_starts(command: Command) -> None:
    answer = command(GOOD, "--set", "m=4", "--set", "push=8[N]", "--set", "x.start=50[cm]", "--set", "x.rate=-1")
    assert answer.code == 0, answer.err
    assert last("model.csv", "x") == pytest.approx(0.5 - 1 + 8 / 4 / 2)
    assert last("model.csv", "der(x)") == pytest.approx(1)


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("M=4", "did you mean `m`?"),
        ("m=4[s]", "is set in s, but it is in kg"),
        ("m", "name=value"),
        ("m=four", "must be a number"),
        ("x=1", "x.start="),
    ],
)
def test_a_wrong_setting_is_wrong_usage(command: Command, setting: str, complaint: str) -> None:
    answer = command(GOOD, "--set", setting)
    assert answer.code == 2
    assert complaint in " ".join(answer.err.split())
    assert answer.out == ""
    assert not list(Path().glob("*.csv"))


def test_a_structural_parameter_decides_what_else_can_be_set(command: Command) -> None:
    chain = """
model Row
  structural parameter Integer n = 1;
  structural parameter Boolean driven = false;
  parameter Mass m = 1;
  coordinate Length x[n](start = zeros(n), rate = ones(n));
  kinetic motion = m/2*der(x)*der(x);
  if driven then
    parameter Force drive = 0;
    force drive: drive on x[n];
  end if;
end Row;
"""
    settings = ["--set", "n=3", "--set", "driven=true", "--set", "drive=2", "--set", "x[3].start=1"]
    answer = command(chain, "--stop-time", "1", *settings)
    assert answer.code == 0, answer.err
    assert last("model.csv", "x[3]") == pytest.approx(3)
    assert command(chain, "--set", "drive=2").code == 2


def test_check_stops_before_the_run(command: Command) -> None:
    answer = command(GOOD, "--check")
    assert answer.code == 0
    assert "Slider" in answer.out and "freedom" in answer.out
    assert not list(Path().glob("*.csv"))


def test_model_names_another_model_of_the_file(command: Command) -> None:
    both = GOOD + GOOD.replace("Slider", "Other")
    assert command(both, "--check").out.startswith("Other")
    assert command(both, "--check", "--model", "Slider").out.startswith("Slider")
    assert command(both, "--check", "--model", "Slidr").code == 1


def test_quiet_prints_nothing_where_nothing_is_wrong(command: Command) -> None:
    answer = command(GOOD, "--quiet")
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert Path("model.csv").exists()


def test_all_errors_of_a_model_are_told_with_their_places(command: Command) -> None:
    answer = command(WRONG)
    assert answer.code == 1
    assert answer.out == ""
    assert "model.mbd:6:" in answer.err and "model.mbd:7:" in answer.err
    assert answer.err.count("^") >= 2
    assert "2 errors" in answer.err
    assert "Traceback" not in answer.err
    assert not list(Path().glob("*.csv"))


def test_strict_makes_warnings_errors(command: Command) -> None:
    answer = command(WARNED, "--check")
    assert answer.code == 0
    assert "warning[" in answer.err
    assert command(WARNED, "--check", "--strict").code == 1


def test_a_start_that_contradicts_a_constraint_is_refused(command: Command) -> None:
    answer = command(BAD_START)
    assert answer.code == 1
    assert "tie" in answer.err
    assert not list(Path().glob("*.csv"))


def test_a_limit_ends_the_run_well(command: Command) -> None:
    answer = command(LIMITED)
    assert answer.code == 0
    assert "wall" in answer.out
    assert last("model.csv", "x") == pytest.approx(0.6, abs=1e-9)


def test_a_run_that_stops_early_keeps_its_results(command: Command) -> None:
    answer = command(ASSERTED)
    assert answer.code == 3
    assert "slid too far" in answer.err
    assert "Written to model.csv" in answer.out
    assert 0.5 <= last("model.csv", "time") <= 0.61


def test_json_is_one_document_with_all_there_is_to_say(command: Command) -> None:
    answer = command(GOOD, "--json")
    assert answer.code == 0
    assert answer.err == ""
    document = answer.document
    assert document["exit_code"] == 0
    assert document["outcome"] == "done"
    assert document["system"]["coordinates"] == {"x": 1}
    assert document["report"]["outcome"] == "completed"
    assert document["output"] == "model.csv"


def test_json_tells_where_errors_are(command: Command) -> None:
    answer = command(WRONG, "--json")
    assert answer.code == 1
    assert answer.err == ""
    errors = [d for d in answer.document["diagnostics"] if d["severity"] == "error"]
    assert {(d["code"], d["line"]) for d in errors} == {("unknown-name", 6), ("unknown-name", 7)}
    for d in errors:
        assert d["file"] == "model.mbd"
        assert (d["line"], d["column"]) < (d["end_line"], d["end_column"])
    assert answer.document["report"] is None


@pytest.mark.parametrize(
    ("text", "code", "outcome"), [(BAD_START, 1, "wrong model or start"), (ASSERTED, 3, "stopped early")]
)
def test_json_tells_how_it_ended(command: Command, text: str, code: int, outcome: str) -> None:
    answer = command(text, "--json")
    assert (answer.code, answer.document["exit_code"], answer.document["outcome"]) == (code, code, outcome)
    assert answer.document["diagnostics"]


@pytest.mark.parametrize(
    "words",
    [
        ["nothing.mbd"], ["."], [GOOD, "--stop-time", "-1"], [GOOD, "--stop-time", "soon"],
        [GOOD, "--interval", "0"], [GOOD, "--tolerance", "nan"], [GOOD, "--tolerance", "inf"],
        [GOOD, "--fast"], [GOOD, "extra"], [GOOD, "-o", "run.xlsx"], [GOOD, "-o", "no/such/folder/run.csv"],
        ["show", "model.mbd", "--stage", "soul"], ["show"], ["--json"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage(command: Command, words: list[str]) -> None:
    answer = command(*words)
    assert answer.code == 2
    assert answer.err or answer.document["diagnostics"][0]["code"] == "usage"
    assert "Traceback" not in answer.err
    assert not list(Path().glob("**/*.csv"))


def test_a_misspelt_file_comes_with_the_nearest(command: Command) -> None:
    Path("pendulum.mbd").write_text(GOOD, encoding="utf-8")
    assert "did you mean pendulum.mbd?" in " ".join(command("pendlum.mbd").err.split())


def test_a_file_that_is_not_utf_8_is_a_wrong_model(command: Command) -> None:
    Path("latin.mbd").write_bytes(GOOD.replace("Slider", "Schlitten").encode() + "// Länge".encode("latin-1"))
    for words in (["latin.mbd"], ["latin.mbd", "--set", "m=1"], ["show", "latin.mbd"]):
        answer = command(*words)
        assert answer.code == 1
        assert "not UTF-8" in answer.err


def test_without_words_it_helps(command: Command) -> None:
    answer = command()
    assert answer.code == 0
    assert answer.out == command("--help").out
    assert "MODEL.mbd" in answer.out and "mbdc show" in answer.out


def test_version(command: Command) -> None:
    assert command("--version").out.startswith("mbdc 0.")


def test_an_output_that_is_lost_during_the_run_is_written_elsewhere(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write = trajectory.write_atomically

    def refuse(path: Path, lines: Any) -> None:
        if path.name == path.as_posix():
            raise OSError(28, "No space left on device")
        write(path, lines)

    monkeypatch.setattr(trajectory, "write_atomically", refuse)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    answer = command(GOOD)
    assert "No space left on device" in answer.err
    (saved,) = tmp_path.glob("mbdc-*/model.csv")
    assert str(saved) in answer.err
    assert table(str(saved))[0][0] == "time"


def test_a_bug_of_ours_is_told_apart_and_its_account_kept(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(model, "load_model", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answer = command(GOOD)
    assert answer.code == 70
    assert "bug in mbdc" in answer.err and "ZeroDivisionError" in answer.err
    assert "Traceback" not in answer.err
    (account,) = tmp_path.glob("mbdc-bug-*.txt")
    assert str(account) in answer.err
    assert "Traceback" in account.read_text(encoding="utf-8")
    monkeypatch.setenv("MBDC_TRACEBACK", "1")
    assert "Traceback" in command(GOOD).err
    assert command(GOOD, "--json").document["exit_code"] == 70


def test_an_interrupt_before_the_run_is_no_bug(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(model, "load_model", interrupt)
    answer = command(GOOD)
    assert answer.code == 130
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("stage", cli.STAGES)
def test_every_stage_prints(command: Command, stage: str) -> None:
    answer = command("show", str(PENDULUM), "--stage", stage)
    assert answer.code == 0, answer.err
    assert "rod" in answer.out


def test_an_interrupted_run_keeps_its_results(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def impatient(_: object) -> Iterator[Callable[[float, float], None]]:
        def interrupt(reached: float, stop: float) -> None:
            if reached > 0:
                raise KeyboardInterrupt

        yield interrupt

    monkeypatch.setattr(voice.TextVoice, "progress", impatient)
    answer = command(str(PENDULUM))
    assert answer.code == 3
    assert "interrupted" in answer.err
    assert 0 < last("pendulum.csv", "time") < 10


def test_a_stage_beyond_a_mistake_is_refused_and_one_before_it_is_shown(command: Command) -> None:
    Path("wrong.mbd").write_text(WRONG, encoding="utf-8")
    assert command("show", "wrong.mbd", "--stage", "syntax").code == 0
    answer = command("show", "wrong.mbd", "--stage", "equations")
    assert answer.code == 1
    assert "unknown-name" in answer.err


def test_progress_waits_for_long_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    bar = progress.ProgressBar()
    bar(1.0, 10.0)
    bar.close()
    assert capsys.readouterr().err == ""
    clock[0] = 5.0
    bar(5.0, 10.0)
    bar.close()
    assert " 50%" in capsys.readouterr().err


def loaded_by(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(run.stdout.split())


def test_help_and_import_load_nothing_heavy() -> None:
    heavy = {"casadi", "numpy", "scipy", "sympy", "lark", "pandas", "matplotlib", "mbdc.dsl.syntax"}
    helping = "from mbdc.compiler.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not heavy & loaded_by(helping)
    assert not (heavy | {"click"}) & loaded_by("import mbdc")


def test_the_installed_command_runs() -> None:
    program = Path(sys.executable).parent / "mbdc"
    run = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("mbdc")
