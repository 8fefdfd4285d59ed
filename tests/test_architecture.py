"""The import rules of the code and the list of what is shipped, held against the source text."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"dsl": "mbdc.dsl", "compiler": "mbdc.compiler", "grammar": "mbdc.grammar", "models": "mbdc.models"}
SOURCES = sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py"))

# Who may import a heavy or special library, by the path of the module.
ONLY_IN = {
    "lark": {"dsl/parse.py", "dsl/build_syntax.py"},
    "pygments": {"grammar/editors/pygments_mbd.py"},
    "click": {"compiler/cli.py"},
}
# Passes, and the faces that may call them.
PASSES = {
    "dsl/parse.py", "dsl/link.py", "dsl/flatten.py", "dsl/check.py", "compiler/lower.py",
    "compiler/derive.py", "compiler/reduce.py", "compiler/initialize.py", "compiler/simulate.py",
}  # fmt: skip
FACES = {
    "dsl/analyse.py", "compiler/build.py", "compiler/model.py", "compiler/runs.py", "compiler/cli.py",
    "compiler/stages.py", "compiler/api/__init__.py",
}  # fmt: skip
HEAVY = {"casadi", "numpy", "scipy", "sympy", "lark", "pandas", "mbdc"}
FORBIDDEN_NAMES = ("util", "helper", "manager", "misc", "common")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path, *, at_start_only: bool = False) -> Iterator[str]:
    """Absolute names of the modules a file imports; with `at_start_only`, when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if at_start_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _targets(node, path)


def _targets(node: ast.ImportFrom, path: Path) -> Iterator[str]:
    if node.level == 0:
        base = node.module or ""
    else:
        folder = path.parents[node.level - 1]
        base = ".".join(["mbdc", *folder.relative_to(ROOT).parts])
        base += f".{node.module}" if node.module else ""
    yield base
    if base in FOLDERS.values():
        yield from (f"{base}.{alias.name}" for alias in node.names)


def module_path(name: str) -> str | None:
    """`mbdc.dsl.parse` as `dsl/parse.py`; None for what is not a module of ours."""
    parts = name.split(".")
    if parts[0] != "mbdc" or len(parts) < 3:
        return None
    path = ROOT.joinpath(*parts[1:]).with_suffix(".py")
    return relative(path) if path.is_file() else None


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_folder_imports_what_it_must_not(path: Path) -> None:
    allowed = {"dsl": {"dsl", "grammar"}, "grammar": {"grammar"}, "models": set[str]()}
    folder = path.relative_to(ROOT).parts[0]
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "mbdc" and folder in allowed:
            assert len(parts) > 1 and parts[1] in allowed[folder], f"{relative(path)} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_imports_are_relative_within_a_folder_and_absolute_across(path: Path) -> None:
    folder = path.relative_to(ROOT).parts[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level == 0 and "api" not in path.parts:
            assert not (node.module or "").startswith(f"mbdc.{folder}"), f"{relative(path)}: {node.module}"
        # Two dots from `dsl/x.py` would leave `mbdc.dsl` for a package that holds no such folder.
        assert node.level <= len(path.relative_to(ROOT).parts) - 1, relative(path)


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_special_libraries_stay_in_their_modules(path: Path) -> None:
    for name in imports(path):
        library = name.split(".")[0]
        assert relative(path) in ONLY_IN.get(library, {relative(path)}), f"{relative(path)} imports {library}"


@pytest.mark.parametrize("path", [p for p in SOURCES if "dsl" in p.parts], ids=relative)
def test_the_language_needs_no_numerics(path: Path) -> None:
    for name in imports(path):
        assert name.split(".")[0] not in {"casadi", "scipy", "sympy"}, f"{relative(path)} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_only_faces_call_passes(path: Path) -> None:
    for name in imports(path):
        module = module_path(name)
        if module in PASSES and module != relative(path):
            assert relative(path) in FACES, f"{relative(path)} imports the pass {module}"


@pytest.mark.parametrize("name", ["compiler/cli.py", "compiler/api/__init__.py", "compiler/__init__.py"])
def test_the_faces_load_nothing_heavy_at_the_start(name: str) -> None:
    for module in imports(ROOT / name, at_start_only=True):
        library = module.split(".")[0]
        # Records need nothing but the standard library's `typing`.
        assert module == "mbdc.dsl.records" or library not in HEAVY, module


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_modules_are_named_by_what_they_do(path: Path) -> None:
    assert not any(word in path.stem for word in FORBIDDEN_NAMES)
    assert path.name != "ast.py"


def test_every_shipped_folder_is_in_the_package_list() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = setup["package-dir"]
    assert set(setup["packages"]) == set(folders)
    found = {relative(p.parent) for p in SOURCES if p.name == "__init__.py"}
    assert found == set(folders.values())
    with_python = {relative(p.parent) for p in SOURCES}
    assert with_python <= found, "a folder with modules but without __init__.py is not shipped"


def test_every_shipped_data_file_is_in_the_package_data() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    for package, folder in setup["package-dir"].items():
        patterns = setup["package-data"].get(package, [])
        shipped = {p for pattern in patterns for p in (ROOT / folder).glob(pattern)}
        data = {p for p in (ROOT / folder).iterdir() if p.is_file() and p.suffix not in {".py", ".pyc", ".md"}}
        assert data <= shipped, f"{package} leaves out {sorted(relative(p) for p in data - shipped)}"
