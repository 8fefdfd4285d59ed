"""Random models that an author might have written: names are declared, and dimensions mostly fit."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

# A value of each quantity, as a literal.
LITERALS = {
    "Length": ("1[m]", "0.3[m]", "20[cm]"),
    "Angle": ("0.4", "30[deg]", "pi/6"),
    "Mass": ("1[kg]", "2.5[kg]", "300[g]"),
    "Inertia": ("0.1[kg.m2]", "2[kg.m2]"),
    "Stiffness": ("10[N/m]", "3[N/cm]"),
    "AngularStiffness": ("2[N.m/rad]", "0.5[N.m]"),
    "Damping": ("0.2[N.s/m]",),
    "AngularDamping": ("0.1[N.m.s]",),
    "Force": ("1[N]", "0.2[kN]"),
    "Torque": ("0.5[N.m]", "1[N.m]"),
    "Time": ("1[s]", "time", "200[ms]"),
    "Velocity": ("1[m/s]", "3[km/h]"),
    "AngularVelocity": ("1[rad/s]", "30[rpm]"),
    "Real": ("1", "0.5", "2", "sin(time*1[1/s])"),
    "Acceleration": ("9.81[m/s2]",),
}
# For each kind of coordinate: inertia, stiffness, damping, effort and rate.
MECHANICS = {
    "Length": ("Mass", "Stiffness", "Damping", "Force", "Velocity"),
    "Angle": ("Inertia", "AngularStiffness", "AngularDamping", "Torque", "AngularVelocity"),
}
NONSENSE = (
    *("nobody", "1e308*1e308", "zeros(1000000000)", "1/0", "{1, {2, 3}}", "[1, 2; 3]", "der(der(der(time)))"),
    *("x[0]", "sum({})", "cross({1, 2}, {3, 4})", "if true then 1 else {1}", "end", '"text"', "true + 1"),
    *("reaction(nothing)", 'table("none.csv", "a", 1)', "sqrt(-1)", "2^1e9", "log(0)", "rotX({1, 2})"),
    *(
        "identity(100)*identity(99)",
        "x.y.z",
        "-not true",
        "1[m] + 1[s]",
        "interpolate({1}, {2}, 3)",
        "f(f(f(1)))",
    ),
)


def random_model(rng: random.Random, nonsense: float) -> str:
    """A file with a main model; each expression is replaced by nonsense with that probability."""
    return _Author(rng, nonsense).file()


@dataclass
class _Author:
    """One file in writing. `named` holds the names of the model by their type, vectors apart."""

    rng: random.Random
    nonsense: float
    named: dict[str, list[str]] = field(default_factory=dict)
    parameters: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def file(self) -> str:
        parts, helpers = self.parts(), self.helpers()
        model = self.model()
        return "\n".join((*helpers, *parts, model))

    # --- expressions ---

    def one(self, quantity: str, depth: int = 2) -> str:
        """A scalar expression of a quantity."""
        if self.rng.random() < self.nonsense:
            return self.rng.choice(NONSENSE)
        names = self.named.get(quantity, [])
        kind = self.rng.random()
        if depth == 0 or kind < 0.45:
            usable = names if names and self.rng.random() < 0.8 else LITERALS[quantity]
            return self.rng.choice(usable)
        if kind < 0.6:
            return f"({self.one(quantity, depth - 1)} {self.rng.choice('+-')} {self.one(quantity, depth - 1)})"
        if kind < 0.75:
            return f"{self.factor(depth - 1)}*{self.one(quantity, depth - 1)}"
        if kind < 0.8:
            condition = self.condition(depth - 1)
            return f"(if {condition} then {self.one(quantity, depth - 1)} else {self.one(quantity, depth - 1)})"
        if kind < 0.85:
            return f"min({self.one(quantity, depth - 1)}, {self.one(quantity, depth - 1)})"
        if kind < 0.9:
            return f"sum({self.one(quantity, depth - 1)}*i for i in 1:{self.rng.randint(0, 3)})"
        if kind < 0.95:
            return f"dot({{{self.one(quantity, 0)}, {self.one(quantity, 0)}}}, {{1, {self.factor(0)}}})"
        return f"norm({{{self.one(quantity, 0)}, {self.one(quantity, 0)}}})"

    def fixed(self, quantity: str) -> str:
        """What does not change during a run."""
        literals = [literal for literal in LITERALS[quantity] if "time" not in literal]
        return self.rng.choice([*literals, *self.parameters.get(quantity, [])])

    def factor(self, depth: int) -> str:
        """A number without a dimension."""
        angle = self.one("Angle", depth)
        return self.rng.choice((f"sin({angle})", f"cos({angle})", "0.5", "2", f"exp(-({angle})^2)", "tanh(1)"))

    def condition(self, depth: int) -> str:
        quantity = self.rng.choice(("Length", "Angle", "Real"))
        sign = self.rng.choice(("<", ">", "<=", ">="))
        return f"{self.one(quantity, depth)} {sign} {self.one(quantity, depth)}"

    # --- names ---

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def name(self, quantity: str, stem: str) -> str:
        name = self.fresh(stem)
        self.named.setdefault(quantity, []).append(name)
        return name

    def say(self, line: str) -> None:
        self.lines.append(f"  {line}")

    # --- classes beside the model ---

    def helpers(self) -> list[str]:
        if self.rng.random() < 0.6:
            return []
        return [
            "function twice\n  input Real x;\n  output Real y = 2*x;\nend twice;",
            'type Gap = Length(min = 0[m], nominal = 0.01[m]) "clearance";',
            "record Pair\n  Real a, b;\nend Pair;",
        ]

    def parts(self) -> list[str]:
        """A class with a coordinate of its own, one that extends it, or none."""
        self.part_types: list[str] = []
        if self.rng.random() < 0.6:
            return []
        quantity = self.rng.choice(tuple(MECHANICS))
        inertia, stiffness, *_ = MECHANICS[quantity]
        word = self.rng.choice(("", "partial "))
        self.part_types.append("Derived" if word else "Part")
        texts = [
            f"{word}model Part\n  parameter {inertia} m = {self.rng.choice(LITERALS[inertia])};\n"
            f"  coordinate {quantity} s(start = {self.rng.choice(LITERALS[quantity])});\n"
            f"  kinetic motion = m/2*der(s)^2;\n"
            f"  potential pull = {self.rng.choice(LITERALS[stiffness])}/2*s^2;\nend Part;"
        ]
        if word or self.rng.random() < 0.5:
            texts.append(
                f"model Derived\n  extends Part(m = {self.rng.choice(LITERALS[inertia])});\n"
                f"  {quantity} double = 2*s;\nend Derived;"
            )
            self.part_types.append("Derived")
        return texts

    # --- the model ---

    def model(self) -> str:
        rng = self.rng
        for _ in range(rng.randint(0, 4)):
            self.parameter()
        for _ in range(rng.randint(1, 4)):
            self.coordinate()
        if rng.random() < 0.2:
            self.free_body()
        if self.part_types:
            self.component()
        for _ in range(rng.randint(0, 6)):
            rng.choice(
                (
                    self.definition,
                    self.definition,
                    self.force,
                    self.force,
                    self.dissipation,
                    self.constraint,
                    self.velocity_constraint,
                    self.limit,
                    self.loop,
                    self.branch,
                    self.state,
                    self.event,
                    self.friction,
                    self.servo,
                    self.start,
                    self.check,
                    self.visual,
                )
            )()
        self.say(f"annotation(experiment(StopTime = {rng.choice(('0.1', '0.5'))}, Interval = 0.05));")
        return "\n".join(("model Main", *self.lines, "end Main;", ""))

    def parameter(self) -> None:
        quantity = self.rng.choice(tuple(LITERALS))
        kind = self.rng.choice(("parameter", "parameter", "final parameter", "constant", "input"))
        value = self.fixed(quantity)
        name = self.name(quantity, "p")
        if kind != "input":
            self.parameters.setdefault(quantity, []).append(name)
        self.say(f"{kind} {quantity} {name} = {value};")

    def coordinate(self) -> None:
        quantity = self.rng.choice(tuple(MECHANICS))
        inertia, stiffness, _, _, velocity = MECHANICS[quantity]
        name = self.name(quantity, "q")
        self.named.setdefault(velocity, []).append(f"der({name})")
        starts = (
            "",
            f"(start = {self.fixed(quantity)})",
            f"(guess = {self.rng.choice(LITERALS[quantity])})",
        )
        self.say(f"coordinate {quantity} {name}{self.rng.choice(starts)};")
        if self.rng.random() < 0.95:
            mass = self.rng.choice(LITERALS[inertia])
            self.say(f"kinetic motion_{name} = {mass}/2*der({name})^2;")
        if self.rng.random() < 0.7:
            self.say(f"potential pull_{name} = {self.rng.choice(LITERALS[stiffness])}/2*{name}^2;")

    def free_body(self) -> None:
        name = self.fresh("S")
        self.say(f"coordinate Rotation {name};")
        self.say(f"AngularVelocity w_{name}[3] = angularVelocity({name});")
        self.say(f"kinetic turning_{name} = w_{name}*diagonal({{1, 2, 3}})*w_{name}*1[kg.m2]/2;")
        self.say(f"Real e_{name}[3] = {name}*{{1, 0, 0}};")

    def component(self) -> None:
        part = self.rng.choice(self.part_types)
        name = self.fresh("part")
        size = self.rng.choice(("", "", "[2]"))
        mass = self.rng.choice(("", "", "(m = 2)", "(s.start = 0.1)", "(wrong = 1)" if self.nonsense else ""))
        self.say(f"{part} {name}{size}{mass};")

    def definition(self) -> None:
        quantity = self.rng.choice(tuple(LITERALS))
        value = self.one(quantity, 3)
        kind = self.rng.choice(("", "output "))
        self.say(f'{kind}{quantity} {self.name(quantity, "v")} = {value} "a definition";')

    def flow(self) -> tuple[str, str]:
        """A quantity and something of it that moves."""
        quantity = self.rng.choice([name for name in MECHANICS if self.named.get(name)])
        return quantity, self.rng.choice(self.named[quantity])

    def force(self) -> None:
        quantity, flow = self.flow()
        effort = MECHANICS[quantity][3]
        self.say(f"force {self.fresh('f')}: {self.one(effort)} on {flow};")

    def dissipation(self) -> None:
        quantity, flow = self.flow()
        self.say(f"dissipation {self.fresh('d')} = {self.one(MECHANICS[quantity][2], 1)}/2*der({flow})^2;")

    def constraint(self) -> None:
        quantity, left = self.flow()
        right = self.one(quantity, 2)
        word = self.rng.choice(("", "", "holonomic "))
        form = self.rng.choice((f"{left} = {right}", f"{left}^2 = ({right})^2", f"{{{left}}} = {{{right}}}"))
        self.say(f"{word}constraint {self.fresh('c')}: {form};")

    def velocity_constraint(self) -> None:
        quantity, left = self.flow()
        right = self.one(MECHANICS[quantity][4], 2)
        word = self.rng.choice(("", "nonholonomic "))
        self.say(f"{word}constraint {self.fresh('c')}: {self.factor(1)}*der({left}) = {right};")

    def limit(self) -> None:
        quantity, value = self.flow()
        low, high = self.one(quantity, 0), self.one(quantity, 0)
        form = self.rng.choice((f"{value} >= -2*{low}", f"{value} <= {high}", f"-{low} <= {value} <= {high}"))
        self.say(f"limit {self.fresh('l')}{self.rng.choice(('', '(restitution = 0.5)'))}: {form};")

    def loop(self) -> None:
        quantity, flow = self.flow()
        label, effort = self.fresh("f"), self.one(MECHANICS[quantity][3], 1)
        self.say(f"for i in 1:{self.rng.randint(0, 3)} loop")
        self.say(f"  force {label}: i*{effort} on {flow};")
        self.say("end for;")

    def branch(self) -> None:
        name = self.fresh("n")
        self.say(f"structural parameter Integer {name} = {self.rng.randint(0, 2)};")
        self.say(f"if {name} > 1 then")
        self.force()
        self.say("else")
        self.definition()
        self.say("end if;")

    def state(self) -> None:
        name = self.name("Real", "z")
        self.say(f"Real {name}(start = {self.rng.choice(('0', '1'))});")
        self.say(f"equation {self.fresh('e')}: der({name})*1[s] = {self.one('Real', 1)} - {name};")

    def event(self) -> None:
        quantity, flow = self.flow()
        action = self.rng.choice(('terminate("done");', f"reinit(der({flow}), -der({flow}));"))
        self.say(f"when {flow} > {self.one(quantity, 0)} then {action} end when;")

    def friction(self) -> None:
        quantity, flow = self.flow()
        normal = self.one(MECHANICS[quantity][3], 0)
        self.say(f"friction {self.fresh('r')}: 0.3, {normal} on {flow};")

    def servo(self) -> None:
        quantity, flow = self.flow()
        effort = MECHANICS[quantity][3]
        name = self.fresh("u")
        self.say(f"input {effort} {name};")
        self.say(f"force {self.fresh('f')}: {name} on {flow};")
        self.say(f"servo {self.fresh('s')}: {flow} = {self.one(quantity, 1)} using {name};")

    def start(self) -> None:
        quantity, flow = self.flow()
        self.say(f"initial {self.fresh('i')}: {flow} = {self.fixed(quantity)};")

    def check(self) -> None:
        self.say(f'assert({self.condition(1)}, "does not hold");')

    def visual(self) -> None:
        _, flow = self.flow()
        line, trail = "visual line({{0, 0, 0}, {1, 0, 0}});", f"visual trail({{{flow}, 0, 0}});"
        self.say(self.rng.choice((line, trail)))
