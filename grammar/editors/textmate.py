"""The TextMate grammar, written from the one list of words.

`python -m mbdc.grammar.editors.textmate` writes `vscode/syntaxes/mbd.tmLanguage.json` beside this file.

Its top level is the start of an element: there, and only there, statement keywords are keywords. What an
element holds lies between the pattern that begins it and the `;` that ends it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

Rule: TypeAlias = dict[str, Any]

FOLDER = Path(__file__).parent
OUTPUT = FOLDER / "vscode" / "syntaxes" / "mbd.tmLanguage.json"
WORDS: dict[str, dict[str, list[str]]] = tomllib.loads((FOLDER.parent / "words.toml").read_text(encoding="utf-8"))

# Scope names, without the `.mbd` at their end.
CONTROL = "keyword.control"
KEYWORD = "keyword.other"
STATEMENT = "keyword.other.statement"
OPERATOR = "keyword.operator"
TERMINATOR = "punctuation.terminator.statement"
SEPARATOR = "punctuation.separator"
CLASS = "entity.name.type.class"
MODIFIER = "storage.modifier"
ATTRIBUTE = "support.variable.attribute"

NAME = r"[_\p{L}][_\p{L}\p{M}\p{Nd}]*"
DOTTED = rf"{NAME}(?:\s*\.\s*{NAME})*"
NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"


def every(section: str) -> list[str]:
    """All words of a section, each once, sorted."""
    return sorted({word for group in WORDS[section].values() for word in group})


OPENERS = (
    *("end", "extends", "function", "import", "model", "partial", "record", "type"),
    *every("kinds"),
    *every("statements"),
)
# A line that begins with one of these and a name begins a new element, whatever was left open before:
# an expression never has two names in a row.
RESTART = rf"(?=^\s*(?:{'|'.join(OPENERS)})\s+[_\p{{L}}])"


def word(words: Iterable[str]) -> str:
    """A pattern for any of the words, as a group."""
    return rf"\b({'|'.join(words)})\b"


def scopes(*names: str) -> Rule:
    """Scopes of the groups of a pattern, in order."""
    return {str(number): {"name": f"{name}.mbd"} for number, name in enumerate(names, 1)}


def match(scope: str, pattern: str) -> Rule:
    return {"name": f"{scope}.mbd", "match": pattern}


def groups(pattern: str, *names: str) -> Rule:
    return {"match": pattern, "captures": scopes(*names)}


def include(*names: str) -> list[Rule]:
    return [{"include": f"#{name}"} for name in names]


def region(begin: str, begins: list[str], end: str, ends: list[str], patterns: list[Rule]) -> Rule:
    return {
        "begin": begin,
        "beginCaptures": scopes(*begins),
        "end": end,
        "endCaptures": scopes(*ends),
        "patterns": patterns,
    }


def element(begin: str, begins: list[str], *patterns: Rule) -> Rule:
    """From a keyword to the `;`."""
    return region(begin, begins, f"(;)|{RESTART}", [TERMINATOR], list(patterns))


def part(begin: str, begins: list[str], end: str, ends: list[str], *patterns: Rule) -> Rule:
    """A part of an element, given up where the element ends."""
    return region(begin, begins, f"{end}|(?=;)|{RESTART}", ends, list(patterns))


def bracketed(opening: str, closing: str, kind: str, *patterns: Rule) -> Rule:
    scope = f"punctuation.section.{kind}"
    return part(rf"(\{opening})", [f"{scope}.begin"], rf"(\{closing})", [f"{scope}.end"], *patterns)


def lexical() -> dict[str, Rule]:
    return {
        "comments": {
            "patterns": [
                match("comment.line.double-slash", "//.*$"),
                {"name": "comment.block.mbd", "begin": r"/\*", "end": r"\*/"},
            ]
        },
        # A string that is not closed ends with its line.
        "strings": {
            "name": "string.quoted.double.mbd",
            "begin": '"',
            "end": '"|$',
            "patterns": [match("constant.character.escape", r"\\.")],
        },
        "numbers": {
            "patterns": [
                match("constant.numeric", rf'{NUMBER}(\[[^\[\]\n",;]*\])') | {"captures": scopes("keyword.other.unit")},
                match("constant.numeric", NUMBER),
            ]
        },
    }


def classes() -> dict[str, Rule]:
    return {
        "end": {
            "patterns": [
                groups(r"\b(end)\s+(for|if|when)\b", CONTROL, CONTROL),
                groups(rf"\b(end)\b(?:\s+({NAME}))?", KEYWORD, CLASS),
            ]
        },
        "classes": {
            "patterns": [
                match(KEYWORD, r"\bpartial\b"),
                groups(rf"\b(model|record)\b(?:\s+({NAME}))?", KEYWORD, CLASS),
                groups(rf"\b(function)\b(?:\s+({NAME}))?", KEYWORD, "entity.name.function"),
                element(rf"\b(type)\b(?:\s+({NAME}))?", [KEYWORD, CLASS], *include("supertype")),
                element(r"\b(extends)\b", [KEYWORD], *include("supertype")),
                element(r"\b(import)\b", [KEYWORD], *include("comments"), match("entity.name.namespace", DOTTED)),
                element(
                    r"\b(annotation)\b",
                    [KEYWORD],
                    bracketed("(", ")", "parens", *include("notes")),
                    *include("expression"),
                ),
            ]
        },
        "supertype": {
            "patterns": [
                *include("comments", "strings", "modifications", "types"),
                match("entity.name.type", DOTTED),
                match(OPERATOR, "="),
            ]
        },
        "notes": {
            "patterns": [
                bracketed("(", ")", "parens", *include("notes")),
                match(ATTRIBUTE, word(WORDS["attributes"]["annotation"]) + r"(?=\s*[=(])"),
                *include("expression"),
            ]
        },
    }


def statements() -> dict[str, Rule]:
    known = WORDS["statements"]
    acting = ["force", "friction"]
    plain = [name for name in known["labelled"] if name not in (*acting, "servo")]
    actions = [name for name in known["other"] if name != "visual"]
    # Between the keyword and the colon (or the `=` of an energy) stands the label.
    start = r"\G(?=\s*(?:$|/[/*]|[(:=]|[_\p{L}]))"
    label = match("entity.name.label", NAME)
    shape = rf"\b(visual)\b(?:\s+(?:({'|'.join(every('shapes'))})\b|({NAME})))?"
    return {
        "control": {
            "patterns": [
                part(r"\b(for)\b", [CONTROL], r"\b(loop)\b", [CONTROL], *include("expression")),
                part(r"\b(if|elseif|when)\b", [CONTROL], r"\b(then)\b", [CONTROL], *include("expression")),
                match(CONTROL, r"\b(?:else|loop|then)\b"),
            ]
        },
        "energies": element(word(known["energies"]), [STATEMENT], *include("energy-label", "expression")),
        "acting": element(word(acting), [STATEMENT], *include("label", "on", "expression")),
        "servo": element(r"\b(servo)\b", [STATEMENT], *include("label", "using", "expression")),
        "labelled": element(word(plain), [STATEMENT], *include("label", "expression")),
        "qualifiers": match(STATEMENT, word(known["qualifiers"])),
        "visual": element(
            shape,
            [STATEMENT, "support.function.shape", "entity.name.function"],
            *include("on", "expression"),
        ),
        "actions": element(word(actions), [STATEMENT], *include("expression")),
        "label": part(start, [], "(:)", [SEPARATOR], *include("comments", "modifications"), label),
        "energy-label": part(start, [], "(=)", [OPERATOR], *include("comments"), label),
        "on": match(KEYWORD, r"\bon\b"),
        "using": match(KEYWORD, r"\busing\b"),
    }


def declarations() -> dict[str, Rule]:
    inside = include("comments", "declarator", "expression")
    types = word(every("types")) + r"(?!\s*\.)"
    return {
        "kinds": match(MODIFIER, word(every("kinds"))),
        "types": match("support.type", types),
        "declaration": {
            "patterns": [
                element(types, ["support.type"], *inside),
                element(f"({DOTTED})", ["entity.name.type"], *inside),
            ]
        },
        "declarator": part(
            f"({NAME})",
            ["variable.other.declaration"],
            "(,)",
            [SEPARATOR],
            *include("modifications"),
            part("(=)", [OPERATOR], "(?=,)", [], *include("expression")),
            *include("expression"),
        ),
        "modifications": bracketed(
            "(",
            ")",
            "parens",
            *include("modifications"),
            match(MODIFIER, r"\bfinal\b"),
            match(ATTRIBUTE, word(every("attributes")) + r"(?=\s*=(?!=))"),
            *include("expression"),
        ),
    }


def expressions() -> dict[str, Rule]:
    brackets = "punctuation.section.brackets"
    return {
        "expression": {
            "patterns": [
                *include("comments", "strings", "numbers", "members", "word-operators", "choice"),
                match(CONTROL, r"\b(?:end|for)\b"),
                *include("constants", "builtins"),
                match("entity.name.function", rf"{NAME}(?=\s*\()"),
                match("variable.other", NAME),
                match(OPERATOR, r"\.\*|\./|<=|>=|==|<>|[-+*/^<>=:]"),
                match(SEPARATOR, ","),
                bracketed("(", ")", "parens", *include("expression")),
                bracketed("{", "}", "braces", *include("expression")),
                *include("brackets"),
            ]
        },
        "members": groups(rf"(\.)\s*({NAME})", "punctuation.accessor", "variable.other.member"),
        "word-operators": match("keyword.operator.word", word(WORDS["keywords"]["operators"])),
        # `if c then a else b` has a `then` of its own.
        "choice": part(
            r"\b(if)\b",
            [CONTROL],
            r"\b(else)\b",
            [CONTROL],
            match(CONTROL, r"\b(?:elseif|then)\b"),
            *include("expression"),
        ),
        "constants": match("constant.language", word(every("constants"))),
        "builtins": match("support.function", word(every("builtins")) + r"(?=\s*\()"),
        # A semicolon in brackets parts the rows of a matrix.
        "brackets": region(
            r"(\[)",
            [f"{brackets}.begin"],
            rf"(\])|{RESTART}",
            [f"{brackets}.end"],
            [match(SEPARATOR, ";"), *include("expression")],
        ),
    }


def grammar() -> Rule:
    """The whole grammar, as the JSON file holds it."""
    return {
        "comment": "Written by grammar/editors/textmate.py from grammar/words.toml.",
        "name": "mbd",
        "scopeName": "source.mbd",
        "fileTypes": ["mbd"],
        "patterns": include(
            *("comments", "strings", "end", "classes", "control"),
            *("energies", "acting", "servo", "labelled", "qualifiers", "visual", "actions"),
            *("kinds", "declaration", "expression"),
        ),
        "repository": lexical() | classes() | statements() | declarations() | expressions(),
    }


def text() -> str:
    """The content of the JSON file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OUTPUT.write_text(text(), encoding="utf-8")
