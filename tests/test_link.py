"""Imports: where files are found, what they bring, and what is told when they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mbdc.dsl.analyse import Analysis, analyse
from mbdc.dsl.diagnostics import render_all
from mbdc.dsl.source import Source

BALL = "model Ball coordinate Length z; kinetic k = 1[kg]*der(z)^2; end Ball;\n"
BOX = "model Box coordinate Length z; kinetic k = 2[kg]*der(z)^2; end Box;\n"
MOVING = "coordinate Length x; kinetic k = 1[kg]*der(x)^2;"

Folder = Callable[[dict[str, str]], Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Writes files; the path given back is that of the folder."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def analysed(path: Path, search_path: Sequence[Path] = ()) -> Analysis:
    return analyse(Source(path.name, path.read_text(encoding="utf-8"), path), search_path=search_path)


def energies(analysis: Analysis) -> list[str]:
    assert analysis.flat is not None and not analysis.has_errors, render_all(analysis.diagnostics)
    return [energy.name for energy in analysis.flat.statements.energies]


def codes(analysis: Analysis) -> list[str]:
    return [d.code for d in analysis.diagnostics]


@pytest.mark.parametrize(
    ("imported", "component", "files"),
    [
        ("Ball", "Ball", {"Ball.mbd": BALL}),
        ("solids.Ball", "Ball", {"solids.mbd": BALL + BOX}),
        ("solids", "solids.Ball", {"solids.mbd": BALL + BOX}),
        ("parts.solids.Ball", "Ball", {"parts/solids.mbd": BALL}),
        ("parts.Ball", "Ball", {"parts/Ball.mbd": BALL}),
        ("parts.solids", "solids.Ball", {"parts/solids.mbd": BALL}),
        ("solids.Kit.Ball", "Ball", {"solids.mbd": f"model Kit {BALL} end Kit;"}),
    ],
)
def test_a_file_or_a_class_in_it_is_imported(
    imported: str, component: str, files: dict[str, str], folder: Folder
) -> None:
    main = f"import {imported};\nmodel Main {component} part; end Main;"
    assert energies(analysed(folder({**files, "main.mbd": main}) / "main.mbd")) == ["part.k"]


def test_an_import_may_stand_in_a_class(folder: Folder) -> None:
    main = "model Main import solids.Ball; Ball part; end Main;"
    assert energies(analysed(folder({"solids.mbd": BALL, "main.mbd": main}) / "main.mbd")) == ["part.k"]


def test_the_search_path_comes_last(folder: Folder) -> None:
    main = "import solids.Ball; import other.Box;\nmodel Main Ball ball; Box box; end Main;"
    hidden = "model Ball end Ball;"
    root = folder({"main/main.mbd": main, "main/solids.mbd": BALL, "far/solids.mbd": hidden, "far/other.mbd": BOX})
    analysis = analysed(root / "main" / "main.mbd", [root / "far"])
    assert energies(analysis) == ["ball.k", "box.k"]


def test_imported_files_import_beside_themselves(folder: Folder) -> None:
    files = {
        "main.mbd": "import parts.kit.Kit;\nmodel Main Kit kit; end Main;",
        "parts/kit.mbd": "import solids.Ball;\nmodel Kit Ball ball; end Kit;",
        "parts/solids.mbd": BALL,
    }
    assert energies(analysed(folder(files) / "main.mbd")) == ["kit.ball.k"]


def test_shipped_types_and_classes_need_no_import() -> None:
    text = f"model Main {MOVING} Frame f = Frame({{x, 0, 0}}, rotX(0)); end Main;"
    assert energies(analyse(Source("<text>", text))) == ["k"]


def test_a_class_of_the_file_hides_a_shipped_one(folder: Folder) -> None:
    text = "record Frame Length h; end Frame;\nmodel Main coordinate Length x; kinetic k = 1[kg]*der(x)^2;"
    text += " Frame f(h = x); end Main;"
    analysis = analyse(Source("<text>", text))
    assert energies(analysis) == ["k"]
    assert analysis.flat is not None and [v.name for v in analysis.flat.variables] == ["x", "f.h"]


def test_mistakes_in_an_imported_file_are_told_with_their_place(folder: Folder) -> None:
    files = {
        "main.mbd": "import solids.Ball;\nmodel Main Ball ball; end Main;",
        "solids.mbd": "model Ball\n  coordinate Length z;\n  kinetic k = 1[kg]*der(zz)^2;\nend Ball;",
    }
    (told,) = analysed(folder(files) / "main.mbd").diagnostics
    assert told.code == "unknown-name" and told.span is not None
    assert told.span.source.name.endswith("solids.mbd") and told.span.text == "zz"


def test_an_import_that_is_not_there_names_what_is_near(folder: Folder) -> None:
    files = {"main.mbd": "import solds.Ball;\nmodel Main Ball ball; end Main;", "solids.mbd": BALL}
    analysis = analysed(folder(files) / "main.mbd")
    assert codes(analysis) == ["unknown-import"]
    assert analysis.diagnostics[0].help == "did you mean `solids.Ball`?"


def test_a_class_that_is_not_in_the_file_names_what_is_near(folder: Folder) -> None:
    files = {"main.mbd": "import solids.Bal;\nmodel Main Bal ball; end Main;", "solids.mbd": BALL}
    analysis = analysed(folder(files) / "main.mbd")
    assert codes(analysis) == ["unknown-class"]
    assert analysis.diagnostics[0].help == "did you mean `Ball`?"


def test_files_that_import_each_other_are_told(folder: Folder) -> None:
    files = {
        "main.mbd": "import a.A;\nmodel Main A a; coordinate Length x; kinetic k = 1[kg]*der(x)^2; end Main;",
        "a.mbd": "import b.B;\nmodel A B b; end A;",
        "b.mbd": "import a.A;\nmodel B end B;",
    }
    analysis = analysed(folder(files) / "main.mbd")
    assert codes(analysis) == ["import-cycle"]
    assert "a.mbd imports" in analysis.diagnostics[0].message


def test_a_file_imported_twice_is_one(folder: Folder) -> None:
    files = {
        "main.mbd": "import solids.Ball;\nimport solids.Box;\nmodel Main Ball ball; Box box; end Main;",
        "solids.mbd": BALL + BOX,
    }
    assert energies(analysed(folder(files) / "main.mbd")) == ["ball.k", "box.k"]


def test_an_imported_name_declared_again_is_told(folder: Folder) -> None:
    files = {"main.mbd": f"import solids.Ball;\n{BALL}", "solids.mbd": BALL}
    assert codes(analysed(folder(files) / "main.mbd")) == ["duplicate-name"]


def test_a_file_that_is_not_text_is_told(folder: Folder) -> None:
    root = folder({"main.mbd": "import solids.Ball;\nmodel Main Ball ball; end Main;"})
    (root / "solids.mbd").write_bytes(b"model \xff")
    assert codes(analysed(root / "main.mbd")) == ["file-unreadable"]


def test_only_files_that_are_named_are_read(folder: Folder) -> None:
    root = folder({"main.mbd": "import solids.Ball;\nmodel Main Ball ball; end Main;", "solids.mbd": BALL})
    (root / "other.mbd").write_bytes(b"\xff")
    assert energies(analysed(root / "main.mbd")) == ["ball.k"]


def test_a_text_without_a_file_imports_from_the_search_path_alone(folder: Folder) -> None:
    root = folder({"solids.mbd": BALL})
    source = Source("<text>", "import solids.Ball;\nmodel Main Ball ball; end Main;")
    assert codes(analyse(source)) == ["unknown-import"]
    assert energies(analyse(source, search_path=[root])) == ["ball.k"]


def test_a_table_lies_beside_the_file_that_names_it(folder: Folder) -> None:
    main = f"import parts.drive.Drive;\nmodel Main {MOVING} Drive d(s = x); end Main;"
    drive = 'model Drive Length s; potential p = table("data/force.csv", "F", s/1[m])*1[J]; end Drive;'
    files = {"main.mbd": main, "parts/drive.mbd": drive, "parts/data/force.csv": "x,F\n0,1\n1,2\n"}
    assert energies(analysed(folder(files) / "main.mbd")) == ["k", "d.p"]
