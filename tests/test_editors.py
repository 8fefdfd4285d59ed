"""The editor files: one list of words, and the same colours in Pygments, Vim and TextMate."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, Token

from mbdc.dsl import bind_statements, builtins, library
from mbdc.dsl.analyse import analyse
from mbdc.dsl.machine import RESERVED
from mbdc.dsl.parse import parse
from mbdc.dsl.source import Source
from mbdc.grammar.editors import textmate
from mbdc.grammar.editors.pygments_mbd import MbdLexer

ROOT = Path(__file__).parent.parent
EDITORS = ROOT / "grammar" / "editors"
FILES = ROOT / "tests" / "editors"
MODELS = sorted((ROOT / "models").rglob("*.mbd"))
WORDS = tomllib.loads((ROOT / "grammar" / "words.toml").read_text(encoding="utf-8"))
CASE = FILES / "ed_01.mbd"
PLACES = FILES / "places.mbd"


def words(*sections: str) -> set[str]:
    return {word for section in sections for group in WORDS[section].values() for word in group}


# --- one list of words -----------------------------------------------------------------------


def test_words_are_those_of_the_grammar() -> None:
    grammar = re.sub(r"//.*", "", (ROOT / "grammar" / "mbd.lark").read_text(encoding="utf-8"))
    written = set(re.findall(r'"([A-Za-z]+)"', grammar))
    assert written == words("keywords", "kinds", "statements") | {"true", "false"}


def test_words_that_are_never_names() -> None:
    assert {*WORDS["keywords"]["reserved"], "true", "false"} == RESERVED


def test_words_are_the_shipped_quantities() -> None:
    shipped = (ROOT / "models" / "library" / "quantities.mbd").read_text(encoding="utf-8")
    assert set(WORDS["types"]["quantities"]) == set(re.findall(r"^type (\w+)", shipped, re.MULTILINE))


def test_no_word_stands_twice_in_a_section() -> None:
    for name, section in WORDS.items():
        listed = [word for group in section.values() for word in group]
        # `rate` is an attribute of a variable and an option of a servo.
        assert sorted(set(listed) | ({"rate"} if name == "attributes" else set())) == sorted(set(listed)), name


def test_words_are_those_the_language_gives() -> None:
    assert words("builtins") == builtins.FUNCTIONS | builtins.PUT_IN
    assert words("constants") == builtins.VALUES | {"false", "true"}
    assert set(WORDS["types"]["basic"]) == {*library.BASE_TYPES, "Frame"}
    assert set(WORDS["attributes"]["variable"]) == set(builtins.ATTRIBUTES)


def test_words_are_what_may_be_drawn_and_asked_of_a_run() -> None:
    assert words("shapes") == set(bind_statements.SHAPES)
    assert set(WORDS["attributes"]["annotation"]) == {"experiment", *bind_statements._EXPERIMENT}


@pytest.mark.parametrize("option", [*WORDS["attributes"]["statement"], "unheard"])
def test_words_are_the_options_of_statements(option: str) -> None:
    """Each is known to one kind of statement; what is not listed, to none."""
    statements = (
        f"limit s({option} = 0): x >= 0;",
        f"friction s({option} = 0.1): 0.5, 1[N] on x;",
        f"servo s({option} = 1): x = 0 using u;",
    )
    told = []
    for statement in statements:
        text = f"model M coordinate Length x; input Force u; {statement} end M;"
        told.append("unknown-option" in {d.code for d in analyse(Source("M", text)).diagnostics})
    assert told.count(False) == (option in WORDS["attributes"]["statement"])


def vim_lists() -> dict[str, set[str]]:
    lists: dict[str, set[str]] = {}
    text = (EDITORS / "vim" / "syntax" / "mbd.vim").read_text(encoding="utf-8")
    for name, listed in re.findall(r"^let s:(\w+) \.?= '([\w ]+)'$", text, re.MULTILINE):
        lists.setdefault(name, set()).update(listed.split())
    return lists


def test_vim_has_the_words() -> None:
    lists = vim_lists()
    statements = WORDS["statements"]
    assert lists["operators"] == set(WORDS["keywords"]["operators"])
    assert lists["energies"] == set(statements["energies"])
    assert lists["acting"] | {"servo"} | lists["labelled"] == set(statements["labelled"])
    assert lists["qualifiers"] == set(statements["qualifiers"])
    assert lists["actions"] | {"visual"} == set(statements["other"])
    assert lists["annotations"] == set(WORDS["attributes"]["annotation"])
    for name in ("kinds", "types", "builtins", "shapes", "constants", "attributes"):
        assert lists[name] == words(name), name


@pytest.mark.parametrize("word", WORDS["keywords"]["structure"] + WORDS["keywords"]["clauses"])
def test_every_keyword_stands_in_every_editor_file(word: str) -> None:
    for file in ("vim/syntax/mbd.vim", "pygments_mbd.py", "vscode/syntaxes/mbd.tmLanguage.json"):
        assert re.search(rf"(?<![a-z]){word}\b", (EDITORS / file).read_text(encoding="utf-8")), file


def test_textmate_grammar_is_written_from_the_words() -> None:
    assert textmate.OUTPUT.read_text(encoding="utf-8") == textmate.text(), (
        "run: python -m mbdc.grammar.editors.textmate"
    )


# --- the VS Code folder ----------------------------------------------------------------------


def vscode_json(name: str) -> dict[str, object]:
    loaded = json.loads((EDITORS / "vscode" / name).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_manifest_names_files_that_exist() -> None:
    text = (EDITORS / "vscode" / "package.json").read_text(encoding="utf-8")
    paths = re.findall(r'"\./([^"]+)"', text)
    assert len(paths) == 3
    for path in paths:
        vscode_json(path)
    assert json.loads(text)["contributes"]["grammars"][0]["scopeName"] == textmate.grammar()["scopeName"]


def expand(body: list[str]) -> str:
    """A snippet as it stands before anything is typed."""
    return re.sub(r"\$\{\d+:([^}]*)\}|\$0", r"\1", "\n".join(body))


@pytest.mark.parametrize(("name", "snippet"), vscode_json("snippets/mbd.json").items())
def test_snippet_parses(name: str, snippet: dict[str, list[str]]) -> None:
    text = expand(snippet["body"])
    if not text.startswith(("model", "partial", "function", "type")):
        text = f"model M\n{text}\nend M;"
    _, diagnostics = parse(Source(name, text))
    assert [d.message for d in diagnostics] == []


# --- Pygments --------------------------------------------------------------------------------

KINDS = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword.Declaration, "kind"),
    (Keyword.Type, "type"),
    (Keyword.Constant, "constant"),
    (Keyword, "keyword"),
    (Name.Class, "class"),
    (Name.Namespace, "path"),
    (Name.Function, "function"),
    (Name.Builtin, "builtin"),
    (Name.Label, "label"),
    (Name.Attribute, "attribute"),
    (Name.Variable, "variable"),
    (Operator.Word, "word operator"),
    (Error, "error"),
    (Token, ""),
)


def pygments_colours(text: str) -> list[str]:
    """The colour of every character."""
    colours = []
    for kind, value in MbdLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = next(name for token, name in KINDS if kind in token)
        colours += [name] * len(value)
    return colours


def coloured(text: str, colours: list[str]) -> Iterator[tuple[str, str]]:
    """The runs of one colour, without blanks between them."""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or colours[end] != colours[start]:
            if run := text[start:end].strip():
                yield run, colours[start]
            start = end


def tokens(text: str) -> list[tuple[str, str]]:
    return list(coloured(text, pygments_colours(text)))


def test_pygments_finds_the_lexer() -> None:
    assert isinstance(get_lexer_by_name("mbd"), MbdLexer)
    assert isinstance(get_lexer_for_filename("pendulum.mbd"), MbdLexer)


@pytest.mark.parametrize("path", [*MODELS, CASE, PLACES], ids=lambda path: path.stem)
def test_pygments_reads_every_model(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lexed = list(MbdLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in lexed) == text
    assert [value for kind, value in lexed if kind in Error] == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_shipped_class_is_known_as_one(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    module, _ = parse(Source(str(path), text))
    assert module is not None
    found = tokens(text)
    for element in module.elements:
        if name := getattr(element, "name", None):
            assert (name, "class") in found or (name, "function") in found


def test_case_ed_01_in_pygments() -> None:
    found = tokens(CASE.read_text(encoding="utf-8"))
    comments = [run for run, colour in found if colour == "comment"]
    assert any('// a comment; with a semicolon and "a quote' in run for run in comments)
    assert ('"a; b. S"', "string") in found
    assert found[found.index(('"a; b. S"', "string")) + 1] == (";", "")
    place = found.index(("coordinate", "kind"))
    assert found[place + 1 : place + 3] == [("Length", "type"), ("x", "variable")]


def test_unit_literal_is_one_token() -> None:
    lexed = list(MbdLexer().get_tokens("model M parameter Angle a = 30[deg]*x[2] + 2.*y; end M;"))
    assert [value for kind, value in lexed if kind in Number] == ["30[deg]", "2", "2"]
    assert ".*" in [value for _, value in lexed]


@pytest.mark.parametrize(
    "line",
    [
        "/* a comment\n over lines; with \"a quote\n and 'force x: 1 on y;' */",
        '// " open quote; and /* no comment begins',
        'String s = "a; b // c /* d";',
        'String s = "an \\" escaped quote; here";',
        'String s = "never closed;',
        "Real x = f(a, {b, [c, d",
        "Real x = 3",
        "force pull: a",
        "kinetic",
    ],
)
def test_nothing_bleeds_into_the_next_statement(line: str) -> None:
    found = tokens(f"model M\n  {line}\n  coordinate Length x(start = 1);\nend M;\n")
    place = found.index(("coordinate", "kind"))
    assert found[place + 1 : place + 3] == [("Length", "type"), ("x", "variable")]
    assert found[-3:] == [("end", "keyword"), ("M", "class"), (";", "")]


def test_keywords_only_in_their_places() -> None:
    found = tokens("model M\n  coordinate Length force, on;\n  kinetic on = m/2*force*time + on.time;\nend M;")
    assert ("force", "variable") in found
    assert ("on", "variable") in found
    assert ("on", "label") in found
    assert ("time", "constant") in found
    assert not {("force", "keyword"), ("on", "keyword")} & set(found)


# --- Vim and TextMate, against Pygments ------------------------------------------------------

VIM = {
    "mbdComment": "comment",
    "mbdString": "string",
    "mbdNumber": "number",
    "mbdKind": "kind",
    "mbdFinal": "kind",
    "mbdType": "type",
    "mbdBaseType": "type",
    "mbdConstant": "constant",
    "mbdClassName": "class",
    "mbdEndName": "class",
    "mbdTypeName": "class",
    "mbdBaseName": "class",
    "mbdPath": "path",
    "mbdFunction": "function",
    "mbdFunctionName": "function",
    "mbdOtherShape": "function",
    "mbdBuiltin": "builtin",
    "mbdShape": "builtin",
    "mbdActingLabel": "label",
    "mbdServoLabel": "label",
    "mbdLabelledLabel": "label",
    "mbdEnergyLabel": "label",
    "mbdActingGap": "comment",
    "mbdServoGap": "comment",
    "mbdLabelledGap": "comment",
    "mbdAttribute": "attribute",
    "mbdNote": "attribute",
    "mbdVariable": "variable",
    "mbdWordOperator": "word operator",
    "mbdControl": "keyword",
    "mbdExpressionKeyword": "keyword",
    "mbdChoiceKeyword": "keyword",
    "mbdEndKeyword": "keyword",
    "mbdKeyword": "keyword",
    "mbdStatement": "keyword",
    "mbdOn": "keyword",
    "mbdUsing": "keyword",
}

# The first that a scope begins with counts.
TEXTMATE = (
    ("comment", "comment"),
    ("string", "string"),
    ("constant.character", "string"),
    ("constant.numeric", "number"),
    ("keyword.other.unit", "number"),
    ("storage.modifier", "kind"),
    ("support.type", "type"),
    ("constant.language", "constant"),
    ("keyword.operator.word", "word operator"),
    ("keyword.operator", ""),
    ("keyword", "keyword"),
    ("entity.name.type", "class"),
    ("entity.name.namespace", "path"),
    ("entity.name.function", "function"),
    ("support.function", "builtin"),
    ("entity.name.label", "label"),
    ("support.variable.attribute", "attribute"),
    ("variable.other.declaration", "variable"),
    ("", ""),
)


def needs(tool: str, why: str) -> str:
    found = shutil.which(tool)
    if found is None:
        pytest.skip(f"{tool} is not installed: {why}")
    return found


def vim_colours(paths: list[Path], folder: Path) -> dict[Path, list[str]]:
    vim = needs("vim", "the Vim syntax file was not run")
    version = subprocess.run([vim, "--version"], capture_output=True, text=True, check=True).stdout
    if "+syntax" not in version:
        pytest.skip("this vim has no syntax feature: the Vim syntax file was not run")
    output = folder / "colours"
    colours: dict[Path, list[str]] = {}
    for path in paths:
        subprocess.run(
            [
                *(vim, "-es", "-u", "NONE", "-i", "NONE", "-n", "-N"),
                *("--cmd", f"set runtimepath^={EDITORS / 'vim'} encoding=utf-8"),
                *("-c", "filetype on", "-c", "syntax on", "-c", f"edit {path}"),
                *("-S", str(FILES / "colours.vim")),
            ],
            env=os.environ | {"COLOURS": str(output)},
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=True,
        )
        rows = output.read_text(encoding="utf-8").split("\n")
        colours[path] = [
            colour for row in rows for colour in [*(VIM.get(name, "") for name in row.split(",") if row), ""]
        ]
    return colours


def textmate_colours(paths: list[Path], folder: Path) -> dict[Path, list[str]]:
    tool = needs("vscode-tmgrammar-snap", "the TextMate grammar was not run")
    copies = [shutil.copyfile(path, folder / path.name) for path in paths]
    subprocess.run(
        [tool, "-g", str(textmate.OUTPUT), "-s", "source.mbd", "-u", *map(str, copies)],
        timeout=300,
        check=True,
        capture_output=True,
    )
    return {path: snapshot_colours(folder / f"{path.name}.snap") for path in paths}


def snapshot_colours(snapshot: Path) -> list[str]:
    """A snapshot has each line behind `>`, and below it carets and the scopes they mark."""
    colours: list[str] = []
    line: list[str] = []
    for row in snapshot.read_text(encoding="utf-8").split("\n"):
        if row.startswith(">"):
            colours += line
            line = [""] * len(row)
        elif marked := re.match(r"#( *)(\^+) (.*)", row):
            scopes = marked[3].removeprefix("source.mbd").split()
            start, width = len(marked[1]), len(marked[2])
            scope = scopes[0] if scopes else ""
            colour = next(colour for prefix, colour in TEXTMATE if scope.startswith(prefix))
            end = min(start + width, len(line) - 1)
            line[start:end] = [colour] * (end - start)
    return colours + line


@pytest.mark.parametrize("colours_of", [vim_colours, textmate_colours], ids=["vim", "textmate"])
def test_editors_agree(colours_of: Callable[[list[Path], Path], dict[Path, list[str]]], tmp_path: Path) -> None:
    """What Pygments makes of every shipped model is what the other two make of it, letter by letter."""
    paths = [*MODELS, CASE, PLACES]
    for path, theirs in colours_of(paths, tmp_path).items():
        text = path.read_text(encoding="utf-8")
        ours = pygments_colours(text)
        assert len(theirs) >= len(text)
        start = 0
        for number, line in enumerate(text.splitlines(keepends=True), 1):
            part = slice(start, start := start + len(line))
            assert list(coloured(line, theirs[part])) == list(coloured(line, ours[part])), f"{path}:{number}"


@pytest.mark.parametrize("path", [CASE, PLACES], ids=lambda path: path.stem)
def test_textmate_scopes(path: Path) -> None:
    tool = needs("vscode-tmgrammar-test", "the TextMate grammar was not run")
    run = subprocess.run([tool, "-g", str(textmate.OUTPUT), str(path)], timeout=120, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_textmate_scopes_can_fail(tmp_path: Path) -> None:
    tool = needs("vscode-tmgrammar-test", "the TextMate grammar was not run")
    wrong = tmp_path / "wrong.mbd"
    wrong.write_text(CASE.read_text(encoding="utf-8").replace("storage.modifier", "string"), encoding="utf-8")
    run = subprocess.run([tool, "-g", str(textmate.OUTPUT), str(wrong)], timeout=120, capture_output=True)
    assert run.returncode != 0
