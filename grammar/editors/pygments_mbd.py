"""A Pygments lexer for `.mbd` texts.

Pygments finds it by an entry point; nothing else in the package imports it. It follows the text statement
by statement, because most keywords are keywords only in their places: `force` opens a statement, but may
name a variable in an expression. The words themselves are read from `words.toml`.
"""

# Pygments ships no types, and is no dependency of the package.
# mypy: disable-error-code="import-untyped, import-not-found, misc"

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, default, include, words
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

__all__ = ["MbdLexer"]

WORDS: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent.parent / "words.toml").read_text(encoding="utf-8")
)


def _all(section: str) -> tuple[str, ...]:
    """Every word of a section, each once."""
    return tuple(sorted({word for group in WORDS[section].values() for word in group}))


def _keyword(*these: str) -> words:
    return words(these, prefix=r"\b", suffix=r"\b")


NAME = r"[^\W\d][\w\u0300-\u036f]*"
DOTTED = rf"{NAME}(?:\s*\.\s*{NAME})*"
NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

OPENERS = (
    *("end", "extends", "function", "import", "model", "partial", "record", "type"),
    *_all("kinds"),
    *_all("statements"),
)
# Where one of these stands in front of a name, a new element has begun, whatever was left open before:
# an expression never has two names in a row.
RESTART = rf"(?=^[^\S\n]*(?:{'|'.join(OPENERS)})\s+[^\W\d])"


class MbdLexer(RegexLexer):
    """Lexer for models in the mbd language."""

    name = "mbd"
    url = ""
    aliases: ClassVar = ["mbd"]
    filenames: ClassVar = ["*.mbd"]
    mimetypes: ClassVar = ["text/x-mbd"]

    tokens: ClassVar = {
        "space": [
            (r"\n|(?:[^\S\n]|\ufeff)+", Whitespace),
            (r"//.*", Comment.Single),
            (r"/\*(?:[^*]|\*(?!/))*\*/", Comment.Multiline),
            (r"/\*(?:[^*]|\*(?!/))*\Z", Comment.Multiline),
        ],
        "string": [
            (r'"(?:\\.|[^"\\\n])*"', String),
            (r'"(?:\\.|[^"\\\n])*', Error),
        ],
        # --- the start of an element: here, and only here, statement keywords are keywords ---
        "root": [
            include("space"),
            include("string"),
            (r";", Punctuation),
            (_keyword("end"), Keyword, "end"),
            (_keyword("partial"), Keyword),
            (_keyword("model", "record"), Keyword, "class name"),
            (_keyword("function"), Keyword, "function name"),
            (_keyword("type"), Keyword, "type definition"),
            (_keyword("import"), Keyword.Namespace, "import"),
            (_keyword("extends"), Keyword, "extends"),
            (_keyword("annotation"), Keyword, "annotation"),
            (_keyword("for"), Keyword, "loop"),
            (_keyword("if", "elseif", "when"), Keyword, "condition"),
            (_keyword("else", "then", "loop"), Keyword),
            (_keyword(*WORDS["statements"]["energies"]), Keyword, ("statement", "label")),
            (_keyword("force", "friction"), Keyword, ("acting", "options", "label")),
            (_keyword("servo"), Keyword, ("servo", "options", "label")),
            (_keyword(*WORDS["statements"]["labelled"]), Keyword, ("statement", "options", "label")),
            (_keyword(*WORDS["statements"]["qualifiers"]), Keyword),
            (_keyword("visual"), Keyword, ("acting", "shape")),
            (_keyword(*WORDS["statements"]["other"]), Keyword, "statement"),
            (_keyword(*_all("kinds")), Keyword.Declaration),
            (words(_all("types"), prefix=r"\b", suffix=r"\b(?!\s*\.)"), Keyword.Type, "declaration"),
            (DOTTED, Name.Class, "declaration"),
            include("expression"),
        ],
        # --- what follows a keyword ---
        "end": [
            (RESTART, Text, "#pop"),
            include("space"),
            (_keyword("for", "if", "when"), Keyword, "#pop"),
            (NAME, Name.Class, "#pop"),
            default("#pop"),
        ],
        "class name": [
            (RESTART, Text, "#pop"),
            include("space"),
            (NAME, Name.Class, "#pop"),
            default("#pop"),
        ],
        "function name": [
            (RESTART, Text, "#pop"),
            include("space"),
            (NAME, Name.Function, "#pop"),
            default("#pop"),
        ],
        "type definition": [
            (RESTART, Text, "#pop"),
            include("space"),
            (rf"({NAME})(\s*)(=)", bygroups(Name.Class, Whitespace, Operator), ("#pop", "extends")),
            default("#pop"),
        ],
        "import": [
            (RESTART, Text, "#pop"),
            include("space"),
            (DOTTED, Name.Namespace, "#pop"),
            default("#pop"),
        ],
        "extends": [
            include("statement end"),
            include("space"),
            include("string"),
            (r"\(", Punctuation, "modifications"),
            (words(_all("types"), prefix=r"\b", suffix=r"\b(?!\s*\.)"), Keyword.Type),
            (DOTTED, Name.Class),
            include("expression"),
        ],
        "annotation": [
            include("statement end"),
            (r"\(", Punctuation, "notes"),
            include("expression"),
        ],
        "notes": [
            include("recovery"),
            (r"\)", Punctuation, "#pop"),
            (r"\(", Punctuation, "#push"),
            (words(WORDS["attributes"]["annotation"], prefix=r"\b", suffix=r"(?=\s*[=(])"), Name.Attribute),
            include("expression"),
        ],
        "label": [
            (RESTART, Text, "#pop"),
            include("space"),
            (NAME, Name.Label, "#pop"),
            default("#pop"),
        ],
        "options": [
            (RESTART, Text, "#pop"),
            include("space"),
            (r"\(", Punctuation, "modifications"),
            (r":", Punctuation, "#pop"),
            default("#pop"),
        ],
        "shape": [
            (RESTART, Text, "#pop"),
            include("space"),
            (_keyword(*_all("shapes")), Name.Builtin, "#pop"),
            (NAME, Name.Function, "#pop"),
            default("#pop"),
        ],
        "loop": [
            include("statement end"),
            (_keyword("loop"), Keyword, "#pop"),
            include("expression"),
        ],
        "condition": [
            include("statement end"),
            (_keyword("then"), Keyword, "#pop"),
            include("expression"),
        ],
        # `if c then a else b` in an expression has a `then` of its own.
        "choice": [
            include("recovery"),
            (_keyword("else"), Keyword, "#pop"),
            (_keyword("then", "elseif"), Keyword),
            include("expression"),
        ],
        # --- declarations ---
        "declaration": [
            include("statement end"),
            include("space"),
            (NAME, Name.Variable, "declarator"),
            (r",", Punctuation),
            include("expression"),
        ],
        "declarator": [
            include("recovery"),
            (r",", Punctuation, "#pop"),
            (r"\(", Punctuation, "modifications"),
            (r"=", Operator, ("#pop", "binding")),
            include("expression"),
        ],
        "binding": [
            include("recovery"),
            (r",", Punctuation, "#pop"),
            include("expression"),
        ],
        "modifications": [
            include("recovery"),
            (r"\)", Punctuation, "#pop"),
            (r"\(", Punctuation, "#push"),
            (_keyword("final"), Keyword.Declaration),
            (words(_all("attributes"), prefix=r"\b", suffix=r"(?=\s*=(?!=))"), Name.Attribute),
            include("expression"),
        ],
        # --- the body of a statement ---
        "statement": [
            include("statement end"),
            include("expression"),
        ],
        "acting": [
            include("statement end"),
            (_keyword("on"), Keyword),
            include("expression"),
        ],
        "servo": [
            include("statement end"),
            (_keyword("using"), Keyword),
            include("expression"),
        ],
        "statement end": [
            (r";", Punctuation, "#pop"),
            (RESTART, Text, "#pop"),
        ],
        # An open bracket or declarator is given up where the statement ends.
        "recovery": [
            (r"(?=;)", Text, "#pop"),
            (RESTART, Text, "#pop"),
        ],
        # --- expressions ---
        "expression": [
            include("space"),
            include("string"),
            (rf"{NUMBER}\[[^\[\]\n\",;]*\]", Number.Float),
            (NUMBER, Number),
            (rf"(\.)(\s*)({NAME})", bygroups(Punctuation, Whitespace, Name)),
            (_keyword(*WORDS["keywords"]["operators"]), Operator.Word),
            (_keyword("if"), Keyword, "choice"),
            (_keyword("for", "end"), Keyword),
            (_keyword(*_all("constants")), Keyword.Constant),
            (words(_all("builtins"), prefix=r"\b", suffix=r"(?=\s*\()"), Name.Builtin),
            (rf"{NAME}(?=\s*\()", Name.Function),
            (NAME, Name),
            (r"\.\*|\./|<=|>=|==|<>|[-+*/^<>=:]", Operator),
            (r"\(", Punctuation, "parentheses"),
            (r"\{", Punctuation, "braces"),
            (r"\[", Punctuation, "brackets"),
            (r"[])},.]", Punctuation),
        ],
        "parentheses": [
            include("recovery"),
            (r"\)", Punctuation, "#pop"),
            include("expression"),
        ],
        "braces": [
            include("recovery"),
            (r"\}", Punctuation, "#pop"),
            include("expression"),
        ],
        # A semicolon in brackets parts the rows of a matrix.
        "brackets": [
            (RESTART, Text, "#pop"),
            (r"\]", Punctuation, "#pop"),
            (r";", Punctuation),
            include("expression"),
        ],
    }
