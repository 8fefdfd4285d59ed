"""The pages in docs/ say what is so: examples compile, lists are complete, links lead somewhere."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_blocks import CodeBlock, code_blocks, ran

from mbdc import ModelError, load_model

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
MODELS = [block for page in PAGES for block in code_blocks(page, "mbd")]
COMMANDS = [line for page in PAGES for block in code_blocks(page, "sh") for line in block.text.splitlines()]
SCRIPTS = [block for page in PAGES for block in code_blocks(page, "python")]


def model_text(block: CodeBlock) -> str:
    """A `fragment` is the inside of a model."""
    return f"model Example\n{block.text}\nend Example;\n" if "fragment" in block.flags else block.text


def expected_error(block: CodeBlock) -> str | None:
    errors = [flag.removeprefix("error=") for flag in block.flags if flag.startswith("error=")]
    return errors[0] if errors else None


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    known = {"fragment"}
    for page in PAGES:
        for block in code_blocks(page):
            assert block.language in {"mbd", "python", "sh"}, block
            assert all(flag in known or flag.startswith("error=") for flag in block.flags), block


@pytest.mark.parametrize("block", [b for b in MODELS if expected_error(b)], ids=str)
def test_wrong_examples_are_refused_as_said(block: CodeBlock) -> None:
    with pytest.raises(ModelError) as refused:
        load_model(text=model_text(block))
    assert expected_error(block) in {d.code for d in refused.value.diagnostics}


@pytest.mark.parametrize("block", [b for b in MODELS if not expected_error(b)], ids=str)
def test_examples_compile_without_a_warning_and_start(block: CodeBlock) -> None:
    model = load_model(text=model_text(block), strict=True)
    result = model.simulate(stop_time=0.01, interval=0.01)
    assert result.time[-1] == 0.01


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_run(line: str, clone: Path) -> None:
    run = ran(line, clone)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("block", SCRIPTS, ids=str)
def test_scripts_run(block: CodeBlock, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    exec(compile(block.text, str(block), "exec"), {})


def test_every_word_of_the_language_is_in_the_reference() -> None:
    words = tomllib.loads((ROOT / "grammar" / "words.toml").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    spoken = set(re.findall(r"\w+", text))
    lists = [entry for section in words.values() for entry in section.values()]
    missing = {word for words in lists for word in words} - spoken
    assert not missing


def codes_in(path: Path) -> Iterator[str]:
    """The codes of the diagnostics a module makes: literals where `error`, `warning`, `note` are called."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(
                func=ast.Name(id="error" | "warning" | "note" | "Diagnostic"),
                args=[ast.Constant(value=str() as code), *_],
            ):
                yield code


def test_the_list_of_messages_is_complete() -> None:
    sources = [*(ROOT / "dsl").rglob("*.py"), *(ROOT / "compiler").rglob("*.py")]
    made = {code for path in sources for code in codes_in(path)}
    text = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(set(listed)), "a code is listed twice"
    assert not made - set(listed)
    # Some codes are handed on before a diagnostic is made of them; all stand somewhere in the code.
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    gone = {c for c in listed if f'"{c}"' not in code and not c.endswith("-without-effect")}
    assert not gone


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        aim = (page.parent / file) if file else page
        assert aim.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(aim), f"{page.name}: {target}"
