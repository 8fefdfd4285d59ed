"""From text to syntax: what each form means, where it stands, and what is said of broken texts."""

from __future__ import annotations

import os
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import generate
import pytest

from mbdc.dsl import machine, syntax
from mbdc.dsl import parse as parsing
from mbdc.dsl.build_syntax import SyntaxBuilder
from mbdc.dsl.diagnostics import Diagnostic, render_all
from mbdc.dsl.format import format_expression
from mbdc.dsl.machine import RESERVED
from mbdc.dsl.parse import parse
from mbdc.dsl.source import Source

ROOT = Path(__file__).parents[1]
MODELS = sorted((ROOT / "models").rglob("*.mbd"))
WORDS = tomllib.loads((ROOT / "grammar" / "words.toml").read_text(encoding="utf-8"))
KEYWORDS = sorted(
    {word for section in ("keywords", "kinds", "statements") for group in WORDS[section].values() for word in group}
)
# `final` may begin a modification, so there it cannot be a name.
FREE_WORDS = [word for word in KEYWORDS if word not in RESERVED | {"final"}]


def read(text: str) -> tuple[syntax.Module | None, list[Diagnostic]]:
    return parse(Source("test.mbd", text))


def sound(text: str) -> syntax.Module:
    module, complaints = read(text)
    assert module is not None and not complaints, render_all(complaints)
    return module


def elements(body: str) -> tuple[syntax.Element, ...]:
    """The elements of a model with this body."""
    (model,) = sound(f"model M\n{body}\nend M;").elements
    assert isinstance(model, syntax.ClassDefinition)
    return model.elements


def expression(text: str) -> syntax.Expr:
    (energy,) = elements(f"kinetic = {text};")
    assert isinstance(energy, syntax.Energy)
    return energy.value


def codes(text: str) -> list[str]:
    return [complaint.code for complaint in read(text)[1]]


# --- expressions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("-x^2", "-(x^2)"),
        ("-a*b", "-(a*b)"),
        ("-a + b", "(-a) + b"),
        ("a - b - c", "(a - b) - c"),
        ("a/b*c", "(a/b)*c"),
        ("a + b*c^d", "a + (b*(c^d))"),
        ("2.*x + y", "(2 .* x) + y"),
        ("2./x", "2 ./ x"),
        ("not a and b or c", "((not a) and b) or c"),
        ("not a < b", "not (a < b)"),
        ("a < -b + c", "a < ((-b) + c)"),
        ("if a then b else if c then d else e", "if a then b else (if c then d else e)"),
        ("if a then b elseif c then d else e + f", "if a then b else (if c then d else (e + f))"),
        ("a.b[1].c", "((a.b)[1]).c"),
        ("f(x)[2].r", "(f(x)[2]).r"),
        ("sum(x[i] for i in 1:n)", "sum({x[i] for i in 1:n})"),
        ("x[a + 1:2*n]", "x[(a + 1):(2*n)]"),
        ("x[1:2:n, :, end]", "x[(1):(2):(n), :, (end)]"),
    ],
)
def test_binding(written: str, meant: str) -> None:
    assert expression(written) == expression(meant)


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        ("2", 2.0, None),
        ("2.5", 2.5, None),
        ("1e-3", 1e-3, None),
        ("1.5E+2", 150.0, None),
        ("30[deg]", 30.0, "deg"),
        ("0.33[kg.m2]", 0.33, "kg.m2"),
        ("1e3[m/s^2]", 1000.0, "m/s^2"),
    ],
)
def test_number(written: str, value: float, unit: str | None) -> None:
    number = expression(written)
    assert isinstance(number, syntax.Number)
    assert (number.value, number.unit) == (value, unit)


def test_matrix_is_no_unit() -> None:
    assert expression("[1, 2; 3, 4]") == expression("[1,2;3,4]")
    assert isinstance(expression("[1, 2; 3, 4]"), syntax.Matrix)
    assert isinstance(expression("{2, x[1]}"), syntax.Array)


def test_string_escapes() -> None:
    text = expression(r'"a \"b\" \\ \n\t;"')
    assert text == syntax.Text('a "b" \\ \n\t;', span=text.span)


def test_one_loop_in_braces_or_parentheses() -> None:
    assert isinstance(expression("{i*j for i in 1:2, j in 1:3}"), syntax.Comprehension)


def test_identifiers_are_normalised() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    assert expression(composed) == expression(decomposed)
    assert expression("θ_1 + αβ") == expression("θ_1+αβ")


def test_blanks_and_comments() -> None:
    assert expression("a /* b */ + // c\n\t d\r\n\u00a0") == expression("a + d")
    assert sound("\ufeff// only a comment\n").elements == ()
    assert sound("").elements == ()


# --- declarations and statements -------------------------------------------------------------


def test_description_holds_for_all_it_follows() -> None:
    declared = elements('Length x, y(start = 1) "own", z = 2 "shared";')[0]
    assert isinstance(declared, syntax.Declaration)
    assert [d.description for d in declared.declarators] == ["shared", "own", "shared"]


def test_prefixes() -> None:
    kinds = [
        (e.kind, e.final, e.structural, e.inner, e.outer)
        for e in elements(
            "final parameter Real a; structural parameter Integer b; inner World c; outer World d;e.F f; input Real g;"
        )
        if isinstance(e, syntax.Declaration)
    ]
    assert kinds == [
        ("parameter", True, False, False, False),
        ("parameter", False, True, False, False),
        ("plain", False, False, True, False),
        ("plain", False, False, False, True),
        ("plain", False, False, False, False),
        ("input", False, False, False, False),
    ]


def test_modifications() -> None:
    declared = elements("Wheel w[2](final m = 2, frame.r = P, x(start = 1, min = 0) = y);")[0]
    assert isinstance(declared, syntax.Declaration)
    m, r, x = declared.declarators[0].modifications
    assert (m.path, m.final, r.path) == (("m",), True, ("frame", "r"))
    assert [n.path for n in x.nested] == [("start",), ("min",)]
    assert x.value is not None and format_expression(x.value) == "y"


@pytest.mark.parametrize(
    ("written", "lower", "value", "upper"),
    [("0 <= e <= h", "0", "e", "h"), ("e >= 2*a", "2*a", "e", None), ("e + f <= h", None, "e + f", "h")],
)
def test_limit(written: str, lower: str | None, value: str, upper: str | None) -> None:
    limit = elements(f"limit l(restitution = 0): {written};")[0]
    assert isinstance(limit, syntax.Limit)
    bounds = [None if e is None else format_expression(e) for e in (limit.lower, limit.value, limit.upper)]
    assert bounds == [lower, value, upper]


def test_every_statement() -> None:
    body = """
      kinetic = 1; potential V = 2; dissipation d = 3 "text";
      force f: a on b; constraint c: a = b; holonomic constraint h: a = b;
      nonholonomic constraint n: a = b; servo s(rate = 5): {x, y} = e using u, v;
      friction r(static = 0.7): mu, N on v; equation q: der(x) = y; initial i: x = 1;
      when x > 1 then reinit(der(x), 0); terminate("done"); end when;
      assert(x > 0, "why"); visual sphere(0.5) on frame; visual trail(p);
      for i in 1:n, j in {1, 3} loop Real y[i]; end for;
      if a then elseif b then Real z; else Real w; end if;
      annotation(experiment(StopTime = 10, Interval = 0.01));
      extends Base(m = 1); import a.b.C; type L = Real(unit = "m") "length";
      partial model P end P; record R Real a; end R; function g input Real x; output Real y = x; end g;
    """
    kinds = [type(element).__name__ for element in elements(body)]
    assert " ".join(kinds) == (
        "Energy Energy Energy Force Constraint Constraint Constraint Servo Friction Equation Equation When "
        "Assert Visual Visual For If Annotation Extends Import TypeDefinition ClassDefinition "
        "ClassDefinition ClassDefinition"
    )


@pytest.mark.parametrize("word", FREE_WORDS)
def test_keyword_is_a_name_elsewhere(word: str) -> None:
    body = f"""
      coordinate Length {word}(start = 1, {word} = 2); Part p({word} = {word}, {word}(start = {word}));
      kinetic {word} = {word}*der({word})^2 + p.{word}; force {word}: -{word} on {word};
      constraint {word}: {word} = {word}; limit {word}: {word} <= {word}; visual {word}({word} = {word});
      Real a = if {word} > {word} then {word} else {word}, b = {{{word} for {word} in {word}:{word}}};
      servo {word}: {word} = {word} using {word}; friction {word}: {word}, {word} on {word};
      for {word} in 1:{word} loop initial {word}: {word}[{word}] = {word}({word}); end for;
    """
    assert len(elements(body)) == 11
    assert sound(f"model {word} end {word};").elements


@pytest.mark.parametrize("word", sorted(RESERVED - {"true", "false"}))
def test_reserved_word_is_no_name(word: str) -> None:
    assert codes(f"model M Real {word} = 1; end M;") == ["reserved-word"]


def test_spans() -> None:
    text = "model M\n  Length x = (a + b)*c, y[2];\n  force f: u on x;\nend M;"
    (model,) = sound(text).elements
    assert isinstance(model, syntax.ClassDefinition)
    declared, force = model.elements
    assert isinstance(declared, syntax.Declaration) and isinstance(force, syntax.Force)
    x, y = declared.declarators
    assert isinstance(x.binding, syntax.Binary)
    assert [s.text for s in (declared.type_span, x.span, y.span, x.binding.span, x.binding.left.span)] == [
        *("Length", "x", "y", "(a + b)*c", "(a + b)"),
    ]
    assert (model.name_span.text, model.span.text, force.span.text) == ("M", text, "force f: u on x;")
    assert str(force.span) == "test.mbd:3:3"


# --- mistakes --------------------------------------------------------------------------------


def test_what_stands_around_a_mistake_is_kept() -> None:
    module, complaints = read(
        "model M\n  Real a = 1\n  Real b = (2;\n  foo(1);\n  Real c = 3;\nend M;\nmodel N Real d; end N;"
    )
    assert [c.code for c in complaints] == ["missing-semicolon", "unclosed-bracket", "not-a-statement"]
    assert module is not None and module.lost == {"foo"}
    first, second = module.elements
    assert isinstance(first, syntax.ClassDefinition) and isinstance(second, syntax.ClassDefinition)
    assert len(first.elements) == 3 and len(second.elements) == 1


def test_mistakes_are_counted_up_to_twenty() -> None:
    found = codes("model M\n" + "  Real a = (1;\n  Real b = 1;\n" * 100 + "end M;")
    assert found == ["unclosed-bracket"] * 20 + ["too-many-errors"]


@pytest.mark.parametrize("opening", ["(", "sin(", "{", "[", "x[", "1 + (", "not (", "(-"])
@pytest.mark.parametrize("depth", [10_000, 300])
def test_deep_nesting_is_told(opening: str, depth: int) -> None:
    closing = {"(": ")", "[": "]", "{": "}"}[opening.strip("-")[-1]]
    for text in (f"{opening * depth}1{closing * depth}", opening * depth):
        found = codes(f"model M Real a = {text}; end M;")
        # Parentheses alone are not in the tree, and may be many.
        assert found[:1] in (["too-deep"], ["unclosed-bracket"]) or (opening, found) == ("(", [])


@pytest.mark.parametrize(
    "block", ["for i in 1:2 loop ", "if a then ", "if a then else ", "model M ", "when a then ", "Part p(a("]
)
def test_deep_blocks_are_told(block: str) -> None:
    assert codes("model M " + block * 10_000)


LARGE = {
    "sum": "model M Real a = " + "a+" * 500_000 + "a; end M;",
    "array": "model M Real a = {" + "1," * 300_000 + "1}; end M;",
    "open brackets": "model M Real a = " + "(" * 1_000_000,
    "semicolons": ";" * 1_000_000,
    "quotes": '"' * 1_000_000,
    "open string": 'model M "' + " " * 1_000_000,
    "open comments": "/*" * 500_000,
    "digits": "model M Real a = " + "9" * 1_000_000 + "; end M;",
    "accents": "model M Real a" + "\u0301" * 1_000_000 + "; end M;",
    "zeros": "\0" * 1_000_000,
    "no semicolons": "model M\n" + "Real a = 1\n" * 90_000,
    "ends": "model M " + "end for; " * 100_000,
    "one line": "model M " + "x y z " * 150_000,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_million_characters_end_in_complaints_or_not(text: str) -> None:
    _, complaints = read(text)
    assert len(complaints) <= 21
    render_all(complaints)


def damaged_texts() -> Iterator[str]:
    rng = random.Random(7)
    texts = [path.read_text(encoding="utf-8") for path in MODELS]
    for text in texts:
        for _ in range(6):
            yield text[: rng.randrange(len(text))]
        for count in (1, 1, 2, 5, 40):
            changed = text
            for _ in range(count):
                changed = generate.mutate(rng, changed)
            yield changed
    for _ in range(40):
        yield rng.randbytes(300).decode("latin-1")
        yield "".join(rng.choice(" ;()[]{}=:,.\"'/*+-^<>\nabc01") for _ in range(300))
        yield " ".join(rng.choice((*KEYWORDS, *generate.SIGNS, *generate.NAMES)) for _ in range(150))
        yield generate.random_sentence(rng)


def test_no_text_breaks_the_parser() -> None:
    for text in damaged_texts():
        module, complaints = read(text)
        assert module is not None or complaints
        assert len(complaints) <= 21
        render_all(complaints)


# --- grammar and tables ----------------------------------------------------------------------


def test_sentences_of_the_grammar_are_read() -> None:
    for number in range(60):
        text = generate.random_sentence(random.Random(number))
        assert set(codes(text)) <= {"end-outside-index", "too-deep"}, text


def test_every_rule_has_its_method_and_every_method_its_rule() -> None:
    rules = parsing._tables().rules
    wanted = {rule.method for rule in rules if rule.method is not None and not rule.spliced}
    given = {name for name in vars(SyntaxBuilder) if not name.startswith("_")}
    assert wanted == given


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and no tables in memory."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(parsing, "cache_folder", lambda: folder)
    monkeypatch.setattr(parsing, "_tables", parsing._tables.__wrapped__)
    return folder


def no_making(grammar: str) -> machine.Tables:
    raise AssertionError("the tables are made again")


def test_tables_are_stored_and_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = parsing._tables()
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(parsing, "_made", no_making)
    assert parsing._tables() == made


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2", b"null", b"\x80\x00", b'{"states": 3}'])
def test_damaged_tables_are_made_again(cache: Path, content: bytes) -> None:
    parsing._tables()
    (stored,) = cache.iterdir()
    stored.write_bytes(content)
    assert sound("model M end M;").elements
    assert stored.read_bytes() != content


def test_a_folder_that_cannot_be_written_is_no_obstacle(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert sound("model M end M;").elements


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is closed to this user")
def test_a_closed_folder_is_no_obstacle(cache: Path) -> None:
    cache.mkdir(mode=0o500)
    assert sound("model M end M;").elements
