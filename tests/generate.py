"""Random programs and random damage, for tests that ask that nothing ever crashes.

`random_program` writes sentences straight from the grammar, whose names mean nothing; models that an author
might have written, with names that are declared and dimensions that mostly fit; and such models with some
expressions replaced by nonsense. `mutate` damages any text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from model_author import random_model

Production = tuple[str, ...]

NAMES = (
    *("a", "b", "x", "y", "theta", "θ", "frame", "r", "R", "m", "f", "w", "on", "force", "start", "i", "n"),
    *("loop", "using", "initial", "model", "Real", "Length", "Mass", "time", "pi", "der", "sum", "reaction"),
)
NUMBERS = ("0", "1", "2", "3", "0.5", "1e-3", "1e308", "30[deg]", "2.5[kPa]", "60[rpm]", "1[m]", "9[furlong]")
STRINGS = ('""', '"a; b"', '"\\"quoted\\""', '"θ"')
SIGNS = (
    *"+-*/^=<>.,:;()[]{}",
    "<=",
    ">=",
    "==",
    "<>",
    ".*",
    "./",
    ":=",
    "**",
    "°",
    "'",
    '"',
    "/*",
    "*/",
    "//",
)
WORDS = (
    *("model", "record", "function", "partial", "type", "extends", "import", "end", "if", "then", "else"),
    *("elseif", "for", "in", "loop", "when", "not", "and", "or", "true", "on", "using", "final", "inner"),
    *(
        "outer",
        "parameter",
        "structural",
        "constant",
        "input",
        "output",
        "coordinate",
        "kinetic",
        "potential",
    ),
    *("dissipation", "force", "constraint", "holonomic", "nonholonomic", "servo", "limit", "friction"),
    *("equation", "initial", "reinit", "terminate", "assert", "visual", "annotation"),
)


def random_program(rng: random.Random) -> str:
    """A text that is more or less a program."""
    kind = rng.random()
    if kind < 0.2:
        return random_sentence(rng)
    if kind < 0.6:
        return random_model(rng, nonsense=0.0)
    if kind < 0.9:
        return random_model(rng, nonsense=rng.choice((0.01, 0.05, 0.2)))
    return mutate(rng, random_model(rng, nonsense=0.0))


# --- sentences of the grammar ----------------------------------------------------------------


def random_sentence(rng: random.Random, start: str = "class_definition", size: int = 200) -> str:
    """A text that the grammar derives from a rule, of about so many tokens; `end` names what it closes."""
    productions, costs = _productions()
    waiting, tokens, open_names = [start], list[str](), list[str]()
    while waiting:
        symbol = waiting.pop()
        if symbol not in productions:
            tokens.append(_token(rng, symbol, tokens, open_names))
            continue
        choices = productions[symbol]
        if symbol == "operand" and rng.random() < 0.997:
            # `end` means nothing outside of an index.
            choices = [production for production in choices if production != ("'end",)]
        if len(tokens) + len(waiting) > size:
            least = min(costs[production] for production in choices)
            choices = [production for production in choices if costs[production] == least]
        waiting += reversed(rng.choice(choices))
    return " ".join(tokens) + "\n"


def _token(rng: random.Random, symbol: str, before: list[str], open_names: list[str]) -> str:
    match symbol:
        case "NAME" if before[-1:] == ["end"]:
            return open_names.pop() if open_names else "A"
        case "NAME" if before and before[-1] in {"model", "record", "function"}:
            open_names.append(rng.choice("ABC"))
            return open_names[-1]
        case "NAME":
            return rng.choice(NAMES)
        case "NUMBER":
            return rng.choice(NUMBERS)
        case "STRING":
            return rng.choice(STRINGS)
        case _:
            return symbol.removeprefix("'")


@cache
def _productions() -> tuple[dict[str, list[Production]], dict[Production, int]]:
    """The productions of grammar/mbd.lark by rule, and how deep each goes at least.

    What stands in quotes in the grammar has a quote before it here: a rule may be called like its word.
    """
    from lark.load_grammar import load_grammar

    text = files("mbdc.grammar").joinpath("mbd.lark").read_text(encoding="utf-8")
    load: Any = load_grammar
    grammar, _ = load(text, "mbd.lark", [], True)
    terminals, rules, _ = grammar.compile(["module"], "*")
    written = {t.name: f"'{t.pattern.value}" for t in terminals if t.pattern is not None}
    productions: dict[str, list[Production]] = {}
    for rule in rules:
        symbols = tuple(written.get(symbol.name, symbol.name) for symbol in rule.expansion)
        productions.setdefault(rule.origin.name, []).append(symbols)
    return productions, _costs(productions)


def _costs(productions: dict[str, list[Production]]) -> dict[Production, int]:
    infinite = 10**6
    of_rule = dict.fromkeys(productions, infinite)
    while True:
        costs = {
            production: 1 + max((of_rule.get(symbol, 0) for symbol in production), default=0)
            for choices in productions.values()
            for production in choices
        }
        found = {name: min(costs[choice] for choice in choices) for name, choices in productions.items()}
        if found == of_rule:
            return costs
        of_rule = found


# --- damage ----------------------------------------------------------------------------------

_PIECE = re.compile(r"\w+(?:\[[^\]\n]*\])?|\"[^\"\n]*\"|\s+|.", re.DOTALL)


def mutate(rng: random.Random, text: str) -> str:
    """The text with one thing changed: a word, a sign, a number, a line, or some characters."""
    return rng.choice(_MUTATIONS)(rng, text)


def _change_piece(rng: random.Random, text: str) -> str:
    """A word or sign is removed, doubled, replaced by another, or swapped with the one behind it."""
    pieces = _PIECE.findall(text)
    solid = [index for index, piece in enumerate(pieces) if not piece.isspace()]
    if not solid:
        return rng.choice(WORDS)
    index = rng.choice(solid)
    match rng.randrange(6):
        case 0:
            del pieces[index]
        case 1:
            pieces.insert(index, pieces[index])
        case 2:
            pieces[index] = rng.choice(rng.choice((WORDS, SIGNS, NAMES, NUMBERS)))
        case 3:
            pieces[index] = pieces[rng.choice(solid)]
        case 4:
            other = rng.choice(solid)
            pieces[index], pieces[other] = pieces[other], pieces[index]
        case _:
            pieces.insert(index, f" {rng.choice(rng.choice((WORDS, SIGNS, NAMES)))} ")
    return "".join(pieces)


def _change_number(rng: random.Random, text: str) -> str:
    numbers = list(re.finditer(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", text))
    if not numbers:
        return text
    chosen = rng.choice(numbers)
    instead = rng.choice(("0", "-1", "1e300", "1e-300", "1e999", "1000000000", "2", "1[s]", "0.1", "1/0"))
    return text[: chosen.start()] + instead + text[chosen.end() :]


def _change_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    index, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[index]
        case 1:
            lines.insert(other, lines[index])
        case 2:
            lines[index], lines[other] = lines[other], lines[index]
        case _:
            lines = lines[:index]
    return "".join(lines)


def _rename(rng: random.Random, text: str) -> str:
    """One use of a name becomes another name of the text."""
    names = list(re.finditer(r"[^\W\d]\w*", text))
    if not names:
        return text
    chosen, other = rng.choice(names), rng.choice(names)
    return text[: chosen.start()] + other.group() + text[chosen.end() :]


def _wrap(rng: random.Random, text: str) -> str:
    """A name becomes part of a larger expression."""
    names = list(re.finditer(r"[^\W\d]\w*", text))
    if not names:
        return text
    chosen = rng.choice(names)
    form = rng.choice(("der({})", "-{}", "({})^2", "{}[1]", "{{{}, {}}}", "sin({})", "{}.x", "1/{}", "{}*{}"))
    return text[: chosen.start()] + form.replace("{}", chosen.group()) + text[chosen.end() :]


def _change_characters(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text) + 1)
    removed = rng.choice((0, 1, 1, 5, 40))
    alphabet = " \n\t;:=()[]{}.,+-*/^<>\"'\\xyE019θ°²\x00\ufeff\u2028🙂"
    added = "".join(rng.choice(alphabet) for _ in range(rng.choice((0, 1, 1, 3))))
    return text[:start] + added + text[start + removed :]


_MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    _change_piece,
    _change_piece,
    _change_piece,
    _change_number,
    _change_line,
    _rename,
    _rename,
    _wrap,
    _change_characters,
)
