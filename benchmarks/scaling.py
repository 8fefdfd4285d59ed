"""How the work of compiling and running grows with the number of bodies.

    python benchmarks/scaling.py

Chains of bars on ball joints, and rows of four-bar linkages with spatial hinges, of which three rows in each repeat
others. Prints processor time and memory of processes of their own, and the ratios to the size before: 2 is linear.
"""

from __future__ import annotations

import subprocess
import sys

LOOPS = """
import bodies.RigidBody;
import joints.Revolute;
model Loop "a four-bar linkage"
  Length away;
  RigidBody crank(m = 1, I = 0.02*identity(3), c = {0.25, 0, 0}, r(guess = {0, 0, away}));
  RigidBody coupler(m = 1, I = 0.12*identity(3), c = {0.6, 0, 0}, r(guess = {0.3, 0.4, away}));
  RigidBody rocker(m = 1, I = 0.05*identity(3), c = {0.4, 0, 0}, r(guess = {1, 0, away}), S(guess = rotZ(1)));
  Revolute O(at_a = {0, 0, away}, b = crank.frame, angle(start = 1, rate = 1));
  Revolute A(a = crank.frame, at_a = {0.5, 0, 0}, b = coupler.frame);
  Revolute B(a = rocker.frame, at_a = {0.8, 0, 0}, b = coupler.frame, at_b = {1.2, 0, 0});
  Revolute C(at_a = {1, 0, away}, b = rocker.frame, angle(guess = 1));
end Loop;
model Loops
  structural parameter Integer n = 1;
  inner World world(up = {0, 1, 0});
  for i in 1:n loop
    Loop loop(away = i*1[m]);
  end for;
end Loops;
"""

CHAIN = """
import bodies.RigidBody;
import joints.Spherical;
import inertias.cylinder;
model Chain
  inner World world;
  structural parameter Integer n = 20;
  RigidBody bar[n](m = 0.05, I = cylinder(0.05, 0.01, 0.1), c = {0, 0, -0.05}, S(start = rotX(0.5), rate = {0, 0, 0}));
  Spherical hook(b = bar[1].frame);
  for i in 2:n loop
    Spherical ball(a = bar[i-1].frame, at_a = {0, 0, -0.1}, b = bar[i].frame);
  end for;
end Chain;
"""

WORK = """
import resource, sys, time
from mbdc import load_model
text, name, count, stop = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
model = load_model(text=text, model=name, parameters={"n": count})
compiled = time.process_time()
model.simulate(stop_time=stop, interval=stop / 10)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(compiled, time.process_time() - compiled, peak)
"""


def measured(text: str, name: str, count: int, stop: float) -> tuple[float, float, float]:
    """Seconds to compile (imports included) and to run, and megabytes."""
    command = (sys.executable, "-c", WORK, text, name, str(count), str(stop))
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    compiled, ran, peak = map(float, said.split())
    return compiled, ran, peak


def main() -> None:
    for title, text, name, counts, stop in (
        ("chain of bars, 0.1 s of motion", CHAIN, "Chain", (10, 20, 40, 80), 0.1),
        ("loops with redundant rows, 0.2 s of motion", LOOPS, "Loops", (1, 2, 4, 8), 0.2),
    ):
        print(f"{title}\n{'n':>6}{'compile s':>12}{'run s':>10}{'MB':>8}   ratios")
        before: tuple[float, float, float] | None = None
        for count in counts:
            now = measured(text, name, count, stop)
            ratios = "" if before is None else "".join(f"{b / a:7.2f}" for a, b in zip(before, now, strict=True))
            print(f"{count:6}{now[0]:12.2f}{now[1]:10.2f}{now[2]:8.0f}{ratios}")
            before = now


if __name__ == "__main__":
    main()
