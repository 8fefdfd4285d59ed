"""Models made to break a compiler: too deep, too large, endless, or not text at all.

`REFUSED` must end in diagnostics, `ACCEPTED` must compile, `EITHER` may do one or the other; `FILES` write
what they need into a folder and name the file to load, and must be refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

START: Final = "model M\n  coordinate Length x(start = 1);\n  kinetic k = 1[kg]/2*der(x)^2;\n"
END: Final = "\nend M;\n"


def model(body: str, before: str = "") -> str:
    """A mass on a line, and `body`."""
    return f"{before}{START}{body}{END}"


def lone(attributes: str, mass: str) -> str:
    """A mass alone, held by a spring."""
    return (
        f"model M\n  coordinate Length x({attributes});\n  kinetic k = {mass}*der(x)^2;\n"
        "  potential p = x^2*1[N/m];\nend M;\n"
    )


def real(value: str, before: str = "") -> str:
    return model(f"  Real a = {value};", before)


def plain_potential(value: str) -> str:
    return model(f"  potential p = 1[J]*({value});")


def doubling(levels: int) -> str:
    """Functions of which each calls the one before twice."""
    lines = ["function f0 input Real x; output Real y = x + 1; end f0;"]
    for n in range(1, levels):
        lines.append(f"function f{n} input Real x; output Real y = f{n - 1}(x) + f{n - 1}(2*x); end f{n};")
    return "\n".join(lines) + "\n"


def composing(levels: int) -> str:
    """Functions of which each calls the one before on its own result."""
    lines = ["function f0 input Real x; output Real y = x*x + 1; end f0;"]
    for n in range(1, levels):
        lines.append(f"function f{n} input Real x; output Real y = f{n - 1}(f{n - 1}(x)); end f{n};")
    return "\n".join(lines) + "\n"


def breeding(levels: int) -> str:
    """Classes of which each holds two of the one before."""
    lines = ["model C0 Real v = 1; end C0;"]
    for n in range(1, levels):
        lines.append(f"model C{n} C{n - 1} a, b; end C{n};")
    return "\n".join(lines) + "\n"


def inheriting(levels: int) -> str:
    lines = ["partial model B0 parameter Real v = 1; end B0;"]
    for n in range(1, levels):
        lines.append(f"partial model B{n} extends B{n - 1}; end B{n};")
    return "\n".join(lines) + "\n"


def spreading(levels: int) -> str:
    """Classes of which each inherits the one before, and holds it too."""
    lines = ["model C0 Real v = 1; end C0;"]
    for n in range(1, levels):
        lines.append(f"model C{n} extends C{n - 1}; C{n - 1} c{n}; end C{n};")
    return "\n".join(lines) + "\n"


def chain(count: int) -> str:
    """Definitions of which each is made from the one before."""
    lines = [f"  Real v{n} = v{n - 1}*1.0001 + v{n - 1};" for n in range(1, count)]
    return model("  Real v0 = 1;\n" + "\n".join(lines))


def parameters(count: int) -> str:
    lines = [f"  parameter Real p{n} = p{n - 1} + p{n - 1};" for n in range(1, count)]
    return model(
        "  parameter Real p0 = 1;\n" + "\n".join(lines) + f"\n  potential e = 1[J]*p{count - 1}*sin(time*1[1/s]);"
    )


def nest(opening: str, inside: str, closing: str, depth: int) -> str:
    return opening * depth + inside + closing * depth


ACCEPTED: Final[dict[str, str]] = {
    "parentheses within bounds": real(nest("(", "1", ")", 100)),
    "calls within bounds": real(nest("sin(", "1", ")", 60)),
    "a long sum": plain_potential(" + ".join(["x/1[m]"] * 900)),
    "a long product": real("*".join(["1"] * 900)),
    "a chain of definitions": chain(300),
    "a chain of parameters": parameters(50),
    "many statements": model("\n".join(f"  potential p{n} = 1[J]*{n};" for n in range(500))),
    "carriage returns": model("  Real a = 1;").replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + model("  Real a = 1;"),
    "names of Python": model("  Real __class__ = 1, None = 2, lambda = 3, self = 4, __init__ = 5, exec = 6;"),
    "names of CasADi and SymPy": model("  Real SX = 1, DM = 2, Symbol = 3, S = 4, I = 5, E = 6, oo = 7;"),
    "no statement but one": model(""),
    "signs and quotes in a description": model('  Real a = 1 "%s %d {0} {} \\\\ \\" $x `y` <b>";'),
    "names in many alphabets": model("  Real θ = 1, Ж = 2, 速度 = 3, é = 4;\n  Real b = θ + Ж + 速度 + é;"),
    "combining letters are one name": model("  Real e\u0301 = 4;\n  Real b = \u00e9;"),
    "keywords as names": model("  Real force = 1, on = 2, using = 3, limit = 4, start = 5;"),
}

REFUSED: Final[dict[str, str]] = {
    # --- depth ---
    "parentheses": real(nest("(", "1", ")", 50_000)),
    "open parentheses": real("(" * 100_000),
    "closed parentheses": real(")" * 100_000),
    "braces": real(nest("{", "1", "}", 100_000)),
    "brackets": real(nest("[", "1", "]", 100_000)),
    "open braces": real("{" * 100_000),
    "calls": real(nest("sin(", "1", ")", 10_000)),
    "signs in parentheses": real(nest("-(", "1", ")", 10_000)),
    "not": real("if " + nest("not (", "true", ")", 10_000) + " then 1 else 2"),
    "choices": real(nest("if true then 1 else ", "1", "", 10_000)),
    "choices in conditions": real(nest("if (", "true", ") then true else false", 5_000)),
    "subscripts": real(nest("x[", "1", "]", 10_000)),
    "members": real("x" + ".y" * 30_000),
    "calls of calls": real("f" + "(1)" * 10_000),
    "subscripts of subscripts": real("x" + "[1]" * 10_000),
    "nested models": nest("model M ", "", "end M; ", 5_000),
    "open models": "model M " * 10_000,
    "nested loops": model(nest("for i in 1:1 loop ", "", "end for; ", 5_000)),
    "nested branches": model(nest("if true then ", "", "end if; ", 5_000)),
    "nested modifications": model("  M2 part(" + nest("a(", "b = 1", ")", 10_000) + ");"),
    "nested comprehensions": real(nest("sum(", "1", " for i in 1:2)", 1_000)),
    "rotations of rotations": real(nest("transpose(", "rotX(1)", ")", 5_000)),
    # --- size ---
    "zeros": real("sum(zeros(1000000000))"),
    "zeros in two dimensions": real("sum(sum(zeros(100000, 100000)))"),
    "ones beyond every integer": real("sum(ones(1e300))"),
    "ones without end": real("sum(ones(1e999))"),
    "an identity": real("sum(sum(identity(1000000)))"),
    "a diagonal": real("sum(sum(diagonal(ones(100000))))"),
    "an array": model("  Real a[1000000000] = zeros(1000000000);"),
    "an array of arrays": model("  Real a[1000, 1000, 1000] = zeros(1000, 1000, 1000);"),
    "an array of coordinates": model("  coordinate Length z[1000000000];"),
    "an array of parts": model("  P part[1000000000];", "model P Real v = 1; end P;\n"),
    "parts of parts": model(
        "  R part[1000];",
        "model P Real v = 1; end P;\nmodel Q P p[1000]; end Q;\nmodel R Q q[1000]; end R;\n",
    ),
    "a range": real("sum(1:1000000000)"),
    "a range of many": real("sum(0:1:1e300)"),
    "a fine range": real("sum(i for i in 0:1:100000000000)"),
    "a comprehension": real("sum(1 for i in 1:1000000000)"),
    "a comprehension in two indices": real("sum({1 for i in 1:100000, j in 1:100000})"),
    "comprehensions in each other": real("sum(sum(sum(1 for i in 1:1000) for j in 1:1000) for k in 1:1000)"),
    "a loop": model("  for i in 1:1000000000 loop potential p = 1[J]; end for;"),
    "loops in each other": model(
        "  " + "".join(f"for i{n} in 1:100 loop " for n in range(10)) + "potential p = 1[J];" + " end for;" * 10
    ),
    "loops that hold nothing": model("  for i in 1:100000, j in 1:100000 loop end for;"),
    "a step of zero": model("  for i in 1:0:10 loop potential p = 1[J]; end for;"),
    "a negative size": model("  Real a[-1] = zeros(-1);"),
    "half a size": model("  Real a[2.5] = zeros(2.5);"),
    "a matrix of a million": real("sum(sum({{i*j for i in 1:2000} for j in 1:2000}))"),
    "an outer product of products": model(
        "  Real a[1000, 1000] = {{1 for i in 1:1000} for j in 1:1000};\n  Real b[1000, 1000] = a*a*a*a;"
    ),
    # --- numbers ---
    "infinity": real("1e999"),
    "an exponent": real("1e999999999"),
    "powers of powers": real("((10^10)^10)^1000"),
    "a huge power": real("2^100000"),
    "division by zero": real("1/0"),
    "zero to a negative power": real("0^(-1)"),
    "the root of a negative number": model("  parameter Real a = sqrt(-1);\n  potential p = 1[J]*a;"),
    "the logarithm of zero": model("  parameter Real a = log(0);\n  potential p = 1[J]*a;"),
    "a huge exponent of a unit": real("1[m1000000000]/1[m1000000000] + 1[m999999999999999999999999]"),
    "a unit of many factors": model("  Length a = 1[" + ".".join(["m"] * 20_000) + "];"),
    "a unit of many powers": model("  Length a = 1[" + "m^9" * 1 + "".join(["^9"] * 2_000) + "];"),
    "a unit in parentheses": model("  Length a = 1[" + "(" * 5_000 + "m" + ")" * 5_000 + "];"),
    "a length to a huge power": model("  Length a = x^1000000000;"),
    "a length to a power of powers": model("  Real a = " + nest("(", "x", "^1000000007)", 60) + ";\n  Length b = a;"),
    "a matrix to a huge power": model("  Real a[2, 2] = [1, 1; 1, 0]^1000000000;"),
    "a number of many digits": real("1" * 1_000_000),
    # --- endless ---
    "a function of itself": real("f(1)", "function f input Real x; output Real y = f(x); end f;\n"),
    "functions of each other": real(
        "f(1)",
        "function f input Real x; output Real y = g(x); end f;\n"
        "function g input Real x; output Real y = f(x); end g;\n",
    ),
    "a function as a default of itself": real("f()", "function f input Real x = f(); output Real y = x; end f;\n"),
    "a class in itself": model("  M inside;"),
    "an array of the class in itself": model("  M inside[2];"),
    "classes in each other": model("  A a;", "model A B b; end A;\nmodel B A a; end B;\n"),
    "a class that inherits itself": "model M extends M; end M;",
    "classes that inherit each other": "model A extends B; end A;\nmodel B extends A; end B;\n",
    "a class that inherits what it holds": "model A\n  model B extends A; end B;\n  B b;\nend A;\n",
    "a record of itself": model("  R r;", "record R Real v; R next; end R;\n"),
    "a type of itself": model("  T a = 1;", "type T = T;\n"),
    "types of each other": model("  T a = 1;", "type T = U;\ntype U = T;\n"),
    "a definition by itself": real("a + 1"),
    "definitions by each other": model("  Real a = b;\n  Real b = a;"),
    "a parameter by itself": model("  parameter Real p = p + 1;\n  potential e = 1[J]*p;"),
    "parameters by each other": model("  parameter Real p = q;\n  parameter Real q = 2*p;"),
    "sizes by each other": model(
        "  structural parameter Integer n = m;\n  structural parameter Integer m = n;\n  Real a[n] = zeros(n);"
    ),
    "a size by itself": model("  Real a[size(a, 1)] = zeros(size(a, 1));"),
    "a start by itself": "model M\n  coordinate Length z(start = z);\n  kinetic k = 1[kg]*der(z)^2;\nend M;",
    "a derivative by itself": model("  Real a = der(a);"),
    "a cycle through elements": model("  Real a[2] = {a[2], a[1]};"),
    "outer inside its inner": "model M\n  inner W w;\n  model W outer W w; Real v = w.v; end W;\nend M;",
    # --- growth ---
    "doubling functions": real("f59(1)", doubling(60)),
    "composing functions": composing(40) + plain_potential("f39(x/1[m])"),
    "breeding classes": model("  C39 c;", breeding(40)),
    "spreading classes": model("  C39 c;", spreading(40)),
    "squares of squares": model(
        "  Real v0 = x/1[m];\n"
        + "".join(f"  Real v{n} = v{n - 1}^v{n - 1};\n" for n in range(1, 200))
        + "  Real z = q;"
    ),
    # --- not a model ---
    "nothing": "",
    "blanks": " \n\t\r\n",
    "a comment": "// nothing else",
    "an open comment": "/* " + "x" * 1000,
    "an open string": 'model M "' + "x" * 1000,
    "only a partial model": "partial model P end P;",
    "only a function": "function f input Real x; output Real y = x; end f;",
    "only a record": "record R Real v; end R;",
    "only a type": 'type T = Real(unit = "m");',
    "two models of one name": model("") + model(""),
    "nul": model("  Real a = 1;\0"),
    "nothing but nul": "\0" * 1000,
    "control characters": model("  Real a = \x01\x02\x7f\x9b;"),
    "other line ends": "model M\u2028  Real a = 1 + ;\u2029end M;",
    "right to left": model("  Real \u202ea\u202c = 1;"),
    "a lone surrogate": model("  Real a = \ud800;"),
    "a lone surrogate in a string": model('  Real a = b "\ud800";'),
    "pictures": model("  Real 🙂 = 1;"),
    "wide digits": model("  Real a = １２;"),
    "another language": "def f(x):\n    return __import__('os').system('true')\n",
    "a formula that would run": real('__import__("os").system("true")'),
    "JSON": '{"model": {"name": [1, 2, 3]}}',
    "semicolons": ";" * 100_000,
    "letters": "a" * 1_000_000,
    "words": "a " * 100_000,
    "signs": "+*/" * 50_000,
    "quotes": '"' * 100_001,
    "comment signs": "/*" * 100_000,
    "a long line": model("  Real a = " + "b + " * 30_000 + "c;"),
    "a long name": model("  Real a = " + "b" * 1_000_000 + ";"),
    "long names like each other": model(
        "\n".join(f"  Real {'b' * 2000}{n} = 1;" for n in range(300)) + f"\n  Real a = {'b' * 2001};"
    ),
    "a long string": model('  Real a = b "' + "x" * 5_000_000 + '";'),
    "a thousand mistakes": model("\n".join(f"  Real a{n} = unknown{n};" for n in range(1_000))),
    "a thousand broken statements": model("\n".join("  Real = ;" for n in range(5_000))),
    "a thousand mistakes on one line": model(" ".join(f"Real a{n} = unknown{n};" for n in range(1_000))),
    "a table that is no file": real('table("no such file.csv", "a", 1)'),
    "a table that never ends": real('table("/dev/zero", "a", 1)'),
    "a table that is a folder": real('table("/", "a", 1)'),
    "a table of nul": real('table("a\\u0000b", "a", 1)'),
    "an import of nothing": "import nothing.of.the.Kind;\n" + model(""),
    "a long import": "import " + ".".join(["a"] * 5_000) + ";\n" + model(""),
    "an import of a long name": "import " + "a" * 5_000 + ".B;\n" + model(""),
    "an import of a way up": "import ../../etc.passwd;\n" + model(""),
}

EITHER: Final[dict[str, str]] = {
    "a class that inherits its own member": "model A extends A.B; model B Real v = 1; end B; end A;\n",
    "a function of itself that would end": real(
        "f(5)", "function f input Real n; output Real y = if n < 1 then 1 else n*f(n - 1); end f;\n"
    ),
    "a very long sum": real(" + ".join(["1"] * 50_000)),
    "a very long sum of coordinates": plain_potential(" + ".join(["x/1[m]"] * 20_000)),
    "a very long product": real("*".join(["1"] * 50_000)),
    "a very long conjunction": real("if " + " and ".join(["true"] * 20_000) + " then 1 else 2"),
    "a long chain of choices": real("if false then 1 " + "elseif false then 1 " * 5_000 + "else 2"),
    "a long chain of branches": model("  if false then " + "elseif false then " * 5_000 + "else end if;"),
    "a long chain of definitions": chain(3_000),
    "a long chain of parameters": parameters(1_500),
    "a long line of ancestors": model("  extends B299;", inheriting(300)),
    "a long array": real("sum({" + ", ".join(["1"] * 20_000) + "})"),
    "many names in one declaration": model("  Real " + ", ".join(f"a{n} = {n}" for n in range(5_000)) + ";"),
    "many coordinates": model("  coordinate Length z[300];\n  kinetic kz = 1[kg]/2*der(z)*der(z);"),
    "many constraints": model(
        "  coordinate Length z[100];\n  kinetic kz = 1[kg]/2*der(z)*der(z);\n"
        "  for i in 1:99 loop constraint c: z[i] = z[i + 1]; end for;"
    ),
    "an empty array": model("  coordinate Length z[0];\n  kinetic kz = sum(der(z[i])^2*1[kg] for i in 1:0);"),
    "a backward range": real("sum(i for i in 5:1)"),
    "derivatives of derivatives": model("  Real a = " + nest("der(", "sin(x/1[m])", ")", 30) + ";"),
    "derivatives in an energy": plain_potential(nest("der(", "x", ")", 20)),
    "sines of sines": plain_potential(nest("sin(", "x/1[m]", ")", 150)),
    "derivatives of sines of sines": model(
        "  kinetic more = 1[kg.m2]/2*der(" + nest("sin(", "x/1[m]", ")", 100) + ")^2;"
    ),
    "many rotations": model("  Rotation R = " + "*".join(["rotX(x/1[m])"] * 500) + ";\n  potential p = 1[J]*R[1, 1];"),
    "a matrix to a power": model("  Real a[2, 2] = [1, 1; 1, 0]^50;"),
    "a steep wall": plain_potential("exp(exp(x/1[m]*10))"),
    "a pole at the start": plain_potential("1/(x/1[m] - 1)"),
    "a pole of pole": plain_potential("1/(x/1[m] - 1)^200"),
    "a root at its end": plain_potential("sqrt(x/1[m] - 1)"),
    "a tiny mass": lone("start = 1", "1e-300[kg]"),
    "a huge mass": lone("start = 1", "1e300[kg]"),
    "a negative mass": lone("start = 1", "-1[kg]"),
    "a huge start": lone("start = 1e300", "1[kg]"),
    "a constraint without a place": model("  constraint c: x^2 = -1[m2];"),
    "a constraint twice": model("  constraint c: x = 1[m];\n  constraint d: 2*x = 2[m];"),
    "a fast oscillation": plain_potential("sin(1e12*time*1[1/s])*x/1[m]"),
    "a fast stiff spring": plain_potential("1e30*(x/1[m])^2"),
    "a run that jumps": plain_potential("if sin(1e6*x/1[m]) > 0 then 1e6*x/1[m] else 0"),
    "a long experiment": model("  annotation(experiment(StopTime = 1e300, Interval = 1e-300, Tolerance = 1e-300));"),
    "an experiment of nothing": model("  annotation(experiment(StopTime = -1, Interval = 0, Tolerance = 0));"),
    "a model named like Python": model("").replace(" M", " __import__"),
}


def bad_utf8(folder: Path) -> Path:
    path = folder / "bad.mbd"
    path.write_bytes(model("  Real a = 1;").encode() + b"\xff\xfe\xc3(")
    return path


def utf16(folder: Path) -> Path:
    path = folder / "wide.mbd"
    path.write_bytes(model("  Real a = 1;").encode("utf-16"))
    return path


def noise(folder: Path) -> Path:
    path = folder / "noise.mbd"
    path.write_bytes(bytes(range(256)) * 1000)
    return path


def missing(folder: Path) -> Path:
    return folder / "missing.mbd"


def a_folder(folder: Path) -> Path:
    path = folder / "folder.mbd"
    path.mkdir()
    return path


def imports_itself(folder: Path) -> Path:
    path = folder / "M.mbd"
    path.write_text("import M.N;\nmodel M N n; end M;\nmodel O M m; end O;\n")
    return path


def imports_each_other(folder: Path) -> Path:
    (folder / "A.mbd").write_text("import B.B;\nmodel A B b; end A;\n")
    (folder / "B.mbd").write_text("import A.A;\nmodel B A a; end B;\n")
    return folder / "A.mbd"


def imports_without_end(folder: Path) -> Path:
    for n in range(2_000):
        (folder / f"m{n}.mbd").write_text(f"import m{n + 1}.M{n + 1};\nmodel M{n} M{n + 1} m; end M{n};\n")
    return folder / "m0.mbd"


def imports_a_broken_file(folder: Path) -> Path:
    (folder / "broken.mbd").write_bytes(b"model B \xff\xff ((( end B")
    (folder / "whole.mbd").write_text("import broken.B;\nmodel W B b; end W;\n")
    return folder / "whole.mbd"


def a_pipe(folder: Path) -> Path:
    """A file whose reading would wait for ever."""
    os.mkfifo(folder / "pipe.csv")
    path = folder / "reads.mbd"
    path.write_text(real('table("pipe.csv", "a", 1)'))
    return path


def a_link_to_itself(folder: Path) -> Path:
    path = folder / "link.mbd"
    path.symlink_to(path)
    return path


def a_bad_table(folder: Path) -> Path:
    (folder / "data.csv").write_bytes(b"t,a\n0,\xff\n1,nan\n1,inf\n,,,\n")
    path = folder / "reads.mbd"
    path.write_text(real('table("data.csv", "a", time*1[1/s])'))
    return path


FILES: Final[dict[str, Callable[[Path], Path]]] = {
    function.__name__.replace("_", " "): function
    for function in (
        *(bad_utf8, utf16, noise, missing, a_folder, a_pipe, a_link_to_itself, a_bad_table),
        *(imports_itself, imports_each_other, imports_without_end, imports_a_broken_file),
    )
}
