"""Random small systems with stops and friction, and what must hold of every one of them.

`python tests/events/random_systems.py --cases 10000` runs many; `test_random_systems.py` some.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np

from mbdc import SimulationError, load_model
from mbdc.compiler.trajectory import Result

STOP_TIME = 1.0
DEEPEST = 1e-8
"""No limit may be passed by more (m)."""
LONGEST = 20.0
"""No run may take longer (s of the processor), but for what its events take."""
LONGEST_EVENT = 0.025
"""No event may take longer on average (s of the processor): some systems bounce thousands of times a second."""
HANGS = 600.0
"""A run is given up after so long (s of the processor)."""


@dataclass(frozen=True)
class System:
    """A model's text, and the expressions that must not be negative, as functions of a result."""

    text: str
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What was wrong with a run; empty where nothing was. `stopped` is why it broke off, if it did."""

    seed: int
    faults: tuple[str, ...]
    stopped: str
    seconds: float
    events: int


def system(seed: int) -> System:
    """Masses on a line or in a plane, or links of a pendulum; springs, stops between them, friction on the ground."""
    random = np.random.default_rng(seed)
    return (_line, _plane, _pendulum)[seed % 3](random)


def _line(random: np.random.Generator) -> System:
    """Masses on a line, which cannot pass each other, between walls; some rub on the ground or on each other."""
    count = int(random.integers(1, 5))
    lines, gaps = [], []
    place = 0.0
    for i in range(1, count + 1):
        place += _choice(random, 0.0, random.uniform(0.1, 0.6)) if i > 1 else random.uniform(0.2, 0.6)
        speed = _choice(random, 0.0, random.uniform(-3, 3))
        mass = _choice(random, 1.0, random.uniform(0.2, 4))
        lines += [f"coordinate Length x{i}(start = {place:.6f}, rate = {speed:.6f});", f"parameter Mass m{i} = {mass};"]
        lines.append(f"kinetic T{i} = m{i}/2*der(x{i})^2;")
        if random.random() < 0.5:
            lines.append(f"potential V{i} = {random.uniform(5, 100):.6f}[N/m]/2*(x{i} - {place:.6f}[m])^2;")
        if random.random() < 0.5:
            lines.append(f"friction f{i}{_options(random)}: {random.uniform(0.05, 0.9):.6f}, m{i}*9.81[m/s2] on x{i};")
        if i > 1:
            lines.append(f"limit g{i}{_restitution(random)}: x{i} >= x{i - 1};")
            gaps.append(f"x{i} - x{i - 1}")
            if random.random() < 0.3:
                lines.append(f"friction r{i}: {random.uniform(0.1, 3):.6f}, 1[N] on x{i} - x{i - 1};")
    lines.append(f"limit left{_restitution(random)}: x1 >= 0;")
    lines.append(f"limit right{_restitution(random)}: x{count} <= {place + random.uniform(0.0, 0.5):.6f}[m];")
    gaps.append("x1")
    return System(_model(lines), tuple(gaps))


def _plane(random: np.random.Generator) -> System:
    """A body in a plane over a floor that it rubs on, with corners that may touch it; a wall aside."""
    width, height = round(random.uniform(0.1, 0.5), 6), round(random.uniform(0.1, 0.5), 6)
    tilt = round(_choice(random, 0.0, random.uniform(-0.6, 0.6)), 6)
    lift = _choice(random, 0.0, random.uniform(0, 0.5))
    lowest = max(abs(np.sin(tilt)) * width + np.cos(tilt) * height, 0)
    falling = _choice(random, 0.0, random.uniform(-2, 2))
    friction = random.random() < 0.6
    lines = [
        f"coordinate Length x(start = 0, rate = {random.uniform(-2, 2):.6f});",
        f"coordinate Length z(start = {lowest + lift + 1e-9:.12f}, rate = {falling:.6f});",
        f"coordinate Angle a(start = {tilt:.6f}, rate = {_choice(random, 0.0, random.uniform(-4, 4)):.6f});",
        f"kinetic T = 1[kg]/2*(der(x)^2 + der(z)^2) + {random.uniform(0.02, 0.2):.6f}[kg.m2]/2*der(a)^2;",
        "potential V = 1[kg]*9.81[m/s2]*z;",
        f"Length left = z - {width:.6f}[m]*sin(a) - {height:.6f}[m]*cos(a);",
        f"Length right = z + {width:.6f}[m]*sin(a) - {height:.6f}[m]*cos(a);",
        f"limit one{_restitution(random)}: left >= 0;",
        f"limit two{_restitution(random)}: right >= 0;",
        f"limit wall{_restitution(random)}: x <= {random.uniform(0.2, 1.0):.6f}[m];",
    ]
    if friction:
        mu = random.uniform(0.05, 0.5)
        lines += [
            f"Length foot1 = x - {width:.6f}[m]*cos(a) + {height:.6f}[m]*sin(a);",
            f"Length foot2 = x + {width:.6f}[m]*cos(a) + {height:.6f}[m]*sin(a);",
            f"friction rub1: {mu:.6f}, reaction(one) on foot1;",
            f"friction rub2: {mu:.6f}, reaction(two) on foot2;",
        ]
    return System(_model(lines), ("left", "right"))


def _pendulum(random: np.random.Generator) -> System:
    """Links with stops at their joints and dry bearings, in absolute coordinates or in angles."""
    first, second = random.uniform(-1.2, 1.2), random.uniform(-1.2, 1.2)
    stop = round(random.uniform(1.25, 2.0), 6)
    lines = [
        f"coordinate Angle a(start = {first:.6f}, rate = {random.uniform(-2, 2):.6f});",
        f"coordinate Angle b(start = {second:.6f}, rate = {random.uniform(-2, 2):.6f});",
        "Length p[2] = {sin(a), -cos(a)}*1[m];",
        "Length q[2] = p + {sin(a + b), -cos(a + b)}*0.7[m];",
        "kinetic T = 1[kg]/2*der(p)*der(p) + 0.6[kg]/2*der(q)*der(q);",
        "potential V = 1[kg]*9.81[m/s2]*p[2] + 0.6[kg]*9.81[m/s2]*q[2];",
        f"limit elbow{_restitution(random)}: {-stop:.6f} <= b <= {stop:.6f};",
    ]
    gaps = [f"{stop} - b", f"b + {stop}"]
    if random.random() < 0.6:
        lines.append(f"friction bearing{_options(random)}: {random.uniform(0.05, 0.6):.6f}, 1[N.m] on b;")
    if random.random() < 0.4:
        lines.append(f"friction hinge: {random.uniform(0.05, 0.9):.6f}, 1[N.m] on a;")
    if random.random() < 0.4:
        start = -np.cos(first) - 0.7 * np.cos(first + second)
        floor = round(float(start - random.uniform(0.0, 0.3) - 1e-6), 6)
        lines.append(f"limit floor{_restitution(random)}: q[2] >= {floor:.6f}[m];")
        gaps.append(f"q[2] - ({floor})")
    return System(_model(lines), tuple(gaps))


def _model(lines: list[str]) -> str:
    return "model Random\n" + "".join(f"  {line}\n" for line in lines) + "end Random;\n"


def _choice(random: np.random.Generator, special: float, general: float) -> float:
    """Special values now and then: what is exactly at rest, touching or equal."""
    return special if random.random() < 0.3 else float(general)


def _restitution(random: np.random.Generator) -> str:
    kind = random.random()
    if kind < 0.3:
        return ""
    return f"(restitution = {1.0 if kind > 0.9 else random.uniform(0.1, 0.95):.6f})"


def _options(random: np.random.Generator) -> str:
    return f"(static = {random.uniform(0.9, 1.2):.6f})" if random.random() < 0.4 else ""


def judge(seed: int) -> Verdict:
    """Run one system and look whether all holds."""
    made = system(seed)
    began = process_time()
    stopped = ""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        model = load_model(text=made.text)
        result = model.simulate(stop_time=STOP_TIME, interval=0.02)
    except SimulationError as failure:
        result, stopped = failure.result, failure.result.report.reason
    except Exception as failure:
        return Verdict(seed, (f"{type(failure).__name__}: {failure}",), "", process_time() - began, 0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = process_time() - began
    return Verdict(seed, tuple(_faults(result, made, seconds)), stopped, seconds, len(result.events))


def _too_long(*_: object) -> None:
    raise TimeoutError(f"longer than {HANGS:g} s")


def _faults(result: Result, made: System, seconds: float) -> Iterator[str]:
    if seconds > LONGEST + LONGEST_EVENT * len(result.events):
        yield f"took {seconds:.1f} s for {len(result.events)} events"
    for text in made.limits:
        deepest = float(np.min(_value(result, text)))
        if deepest < -DEEPEST:
            yield f"{text} goes down to {deepest:.2e}"
    total = result["energy.total"]
    scale = max(float(np.ptp(result["energy.kinetic"])), float(np.ptp(result["energy.potential"])), 1e-3)
    growth = float(np.max(np.diff(total), initial=0.0))
    if growth > 1e-6 * scale:
        at = float(result.time[1 + int(np.argmax(np.diff(total)))])
        yield f"energy grows by {growth:.2e} J of {scale:.2e} J at {at:.6f} s"
    balance = result.report.energy
    if balance is not None and balance.worst > 3e-5 * max(scale, balance.scale):
        yield f"the energy balance is off by {balance.worst:.2e} J"


def _value(result: Result, text: str) -> np.ndarray:
    names = {name: result[name] for name in ("x", "left", "right", "b") if name in result}
    names |= {f"x{i}": result[f"x{i}"] for i in range(1, 6) if f"x{i}" in result}
    if "q" in result:
        names["q2"] = result["q[2]"]
    return np.asarray(eval(text.replace("q[2]", "q2"), {}, names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, help="print the text of one case and run it")
    chosen = parser.parse_args()
    if chosen.show is not None:
        print(system(chosen.show).text, judge(chosen.show))
        return 0
    began = perf_counter()
    bad = stops = events = 0
    slowest = 0.0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for verdict in pool.map(judge, range(chosen.first, chosen.first + chosen.cases), chunksize=1):
            events += verdict.events
            slowest = max(slowest, verdict.seconds)
            if verdict.stopped:
                stops += 1
                print(f"{verdict.seed}: stopped: {verdict.stopped}", flush=True)
            if verdict.faults:
                bad += 1
                print(f"{verdict.seed}: {'; '.join(verdict.faults)}", flush=True)
    print(
        f"{chosen.cases} systems, {events} events, {bad} with a fault, {stops} stopped, the slowest in {slowest:.1f} s,"
        f" {perf_counter() - began:.0f} s in all"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
