"""Rows of balls, rocking blocks, stops in linkages, gaps in joints, tables that shake."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from happened import after, before, times
from numpy.polynomial.legendre import leggauss
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

from mbdc import load_model


@pytest.mark.parametrize("thrown", [1, 2, 3])
def test_as_many_balls_leave_as_come_in(compiled, thrown):
    """Newton's cradle of five: n in, n out, and back; momentum and energy exact; the period is a pendulum's."""
    model = compiled("newtons_cradle")
    start = {"th": [-math.pi / 6] * thrown + [0.0] * (5 - thrown)}
    result = model.simulate(stop_time=2.6, interval=0.01, start=start, tolerance=1e-10)
    quarter = ellipk(math.sin(math.pi / 12) ** 2) * math.sqrt(0.3 / 9.81)
    hits = times(result, f"contact[{thrown}]", "hits")
    assert hits[0] == pytest.approx(quarter, abs=1e-9)
    speed = math.sqrt(2 * 9.81 * 0.3 * (1 - math.cos(math.pi / 6)))
    rates = np.stack([0.3 * np.cos(result[f"th[{i}]"]) * result[f"der(th[{i}])"] for i in range(1, 6)])
    instants = list(dict.fromkeys(e.time for e in result.events if "hits" in e.what))
    assert len(instants) == 5
    for number, time in enumerate(instants):
        assert time == pytest.approx((2 * number + 1) * quarter, abs=1e-8)
        rows = np.flatnonzero(result.time == time)
        momentum = result["momentum"][rows]
        energy = result["energy.kinetic"][rows]
        assert np.ptp(momentum) < 1e-13 * np.abs(momentum[0])
        assert np.ptp(energy) < 1e-13 * energy[0]
        sign = (-1) ** number
        leaving = np.where(np.arange(5) >= 5 - thrown, speed, 0.0)
        expected = leaving if sign > 0 else -leaving[::-1]
        assert rates[:, rows[-1]] == pytest.approx(expected, abs=1e-8)
    assert result["energy.total"] == pytest.approx(result["energy.total"][0], abs=1e-10)


def row_of_balls(order: tuple[int, ...], e: float, masses: tuple[float, ...]) -> str:
    n = len(masses)
    limits = "\n".join(f"  limit c{i}(restitution = {e}): x[{i + 1}] - x[{i}] >= 0;" for i in order)
    return f"""\
model Row
  parameter Mass m[{n}] = {{{", ".join(map(str, masses))}}};
  coordinate Length x[{n}](start = {{-0.1, {", ".join("0" for _ in range(n - 1))}}});
  initial speeds: der(x) = {{1, {", ".join("0" for _ in range(n - 1))}}};
  kinetic motion = sum(m[i]*der(x[i])^2 for i in 1:{n})/2;
{limits}
end Row;
"""


@pytest.mark.parametrize("e", [1.0, 0.6, 0.0])
def test_the_order_of_limits_does_not_matter(e):
    """Whatever the order of the statements; balls of several masses that touch, against pairs hit one by one."""
    masses = (1.0, 2.0, 0.5, 3.0)
    ends = []
    for order in permutations((1, 2, 3)):
        result = load_model(text=row_of_balls(order, e, masses)).simulate(stop_time=0.15, interval=0.05)
        ends.append([result[f"der(x[{i}])"][-1] for i in range(1, 5)])
    assert np.ptp(np.array(ends), axis=0) == pytest.approx(np.zeros(4), abs=1e-13)
    m = np.array(masses)
    assert m @ ends[0] == pytest.approx(1.0, abs=1e-13)
    if e == 0:
        assert ends[0] == pytest.approx([1 / 6.5] * 4, abs=1e-13)
    if e == 1:
        assert m @ np.square(ends[0]) == pytest.approx(1.0, abs=1e-13)
        assert ends[0] == pytest.approx(one_by_one(m), abs=1e-12)


def one_by_one(m: np.ndarray) -> np.ndarray:
    """Speeds after elastic hits of neighbours, all that approach in one round at once (none share a ball here)."""
    v = np.array([1.0, 0.0, 0.0, 0.0])
    while np.any(np.diff(v) < -1e-12):
        i = int(np.flatnonzero(np.diff(v) < -1e-12)[0])
        p = 2 * m[i] * m[i + 1] / (m[i] + m[i + 1]) * (v[i] - v[i + 1])
        v[i], v[i + 1] = v[i] - p / m[i], v[i + 1] + p / m[i + 1]
    return v


def test_a_rocking_block(compiled):
    """Housner 1963: each impact leaves 1 - 3/2 sin(alpha)^2 of the rotation; times between them by quadrature."""
    b, h, tilt = 0.1, 0.4, 0.1
    result = compiled("rocking_block").simulate(stop_time=3, interval=0.01, tolerance=1e-10)
    alpha, size = math.atan(b / h), math.hypot(b, h)
    p2 = 3 * 9.81 / (4 * size)
    ratio = 1 - 1.5 * math.sin(alpha) ** 2
    hits = sorted(e.time for e in result.events if "hits" in e.what)
    assert len(hits) >= 10

    def rising(angle: float) -> float:
        """Seconds from rest at an angle down to 0: the square root is taken out at the top."""
        nodes, weights = leggauss(60)
        s = (nodes + 1) / 2
        phi = angle * (1 - s**2)
        gained = 2 * p2 * (np.cos(alpha - angle) - np.cos(alpha - phi))
        return float(np.sum(weights / 2 * 2 * angle * s / np.sqrt(gained)))

    angle, time = tilt, rising(tilt)
    for number, hit in enumerate(hits[:10]):
        assert hit == pytest.approx(time, abs=1e-7)
        speed = math.sqrt(2 * p2 * (math.cos(alpha - angle) - math.cos(alpha)))
        sign = -((-1) ** number)
        assert result["der(phi)"][before(result, hit)] == pytest.approx(sign * speed, abs=1e-7)
        assert result["der(phi)"][after(result, hit)] == pytest.approx(sign * ratio * speed, abs=1e-7)
        angle = alpha - math.acos(math.cos(alpha) + (ratio * speed) ** 2 / (2 * p2))
        time += 2 * rising(angle)
    # Housner's own formula for slender blocks, of the first half period.
    slender = math.acosh(1 / (1 - tilt / alpha)) / math.sqrt(p2)
    assert hits[0] == pytest.approx(slender, rel=0.01)
    assert result.report.energy.worst < 1e-8


def test_a_rocking_block_comes_to_rest(compiled):
    """Its impacts accumulate; it then stands on both corners, for good."""
    result = compiled("rocking_block").simulate(stop_time=20, interval=0.1)
    assert result["phi"][-1] == pytest.approx(0, abs=1e-9)
    assert result["y"][-1] == pytest.approx(0.4, abs=1e-9)
    assert result["reaction(on_left)"][-1] + result["reaction(on_right)"][-1] == pytest.approx(9.81, abs=1e-8)
    assert result["x"][-1] == pytest.approx(0, abs=1e-6)


def elbow(t: float, y: np.ndarray, l1: float, l2: float, m1: float, m2: float) -> np.ndarray:
    """Textbook equations of a double pendulum in absolute angles from the vertical."""
    a, b, u, w = y
    c, s = math.cos(a - b), math.sin(a - b)
    mass = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2**2]])
    right = [
        -m2 * l1 * l2 * s * w**2 - (m1 + m2) * 9.81 * l1 * math.sin(a),
        m2 * l1 * l2 * s * u**2 - m2 * 9.81 * l2 * math.sin(b),
    ]
    return np.array([u, w, *np.linalg.solve(mass, right)])


def test_an_elbow_with_a_stop(compiled):
    """Against DOP853 with its own events and Newton's law of restitution, impact by impact."""
    e, sizes = 0.5, (0.3, 0.25, 1.2, 0.8)
    parameters = dict(zip(("l1", "l2", "m1", "m2"), sizes, strict=True))
    model = compiled("elbow_stop", **parameters, e=e)
    result = model.simulate(stop_time=2, interval=0.01, tolerance=1e-11)

    def gap(t: float, y: np.ndarray, *sizes: float) -> float:
        return float(y[1] - y[0])

    gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
    l1, l2, m1, m2 = sizes

    def pressed(t: float, y: np.ndarray, *sizes: float) -> float:
        """Of one straight body about its pivot: what the stop does to the second rod."""
        turning = (m1 * l1**2 + m2 * (l1 + l2) ** 2, (m1 * l1 + m2 * (l1 + l2)) * 9.81)
        rate = -turning[1] / turning[0] * math.sin(y[0])
        return float(m2 * l2 * (l1 + l2) * rate + m2 * 9.81 * l2 * math.sin(y[0]))

    def straight(t: float, y: np.ndarray, *sizes: float) -> np.ndarray:
        turning = (m1 * l1**2 + m2 * (l1 + l2) ** 2, (m1 * l1 + m2 * (l1 + l2)) * 9.81)
        rate = -turning[1] / turning[0] * math.sin(y[0])
        return np.array([y[2], y[2], rate, rate])

    pressed.terminal, pressed.direction = True, -1  # type: ignore[attr-defined]
    y, t, found, held = np.array([1.2, 1.3, 0.0, 0.0]), 0.0, [], False
    lost = 0.0
    while True:
        law, event = (straight, pressed) if held else (elbow, gap)
        run = solve_ivp(law, (t, 2), y, "DOP853", events=event, rtol=1e-13, atol=1e-13, args=sizes)
        t, y = float(run.t[-1]), run.y[:, -1].copy()
        if run.status == 0:
            break
        if held:
            held = False
            y[1] = y[0] + 1e-13
            continue
        c = math.cos(y[0] - y[1])
        mass = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2**2]])
        g = np.array([-1.0, 1.0])
        arriving = float(g @ y[2:])
        held = arriving > -1e-5
        inverse = np.linalg.solve(mass, g)
        impulse = -(1 if held else 1 + e) * arriving / float(g @ inverse)
        lost += (1 - e**2) / 2 * arriving**2 / float(g @ inverse)
        y[2:] += inverse * impulse
        y[1] = y[0] if held else max(y[1], y[0] + 1e-14)
        found.append((t, abs(arriving)))
    # Those that can be told from the end of a cascade.
    arrivals = [(x.time, float(x.what.split(" at ")[1].split()[0])) for x in result.events if "hits" in x.what]
    hits = [time for time, speed in arrivals if speed > 1e-3]
    assert len(hits) >= 10
    assert hits == pytest.approx([time for time, speed in found if speed > 1e-3], abs=1e-8)
    ends = [result[name][-1] for name in ("a", "b", "der(a)", "der(b)")]
    assert ends == pytest.approx(y, abs=1e-7)
    assert result.report.energy.impacts == pytest.approx(lost, abs=1e-9)
    assert result.report.energy.worst < 1e-9
    assert np.min(result["b"] - result["a"]) > -1e-11


def test_an_elbow_that_locks(compiled):
    """Inelastic, it moves on as one body while the stop is pressed, and lets go; energy falls at impacts only."""
    result = compiled("elbow_stop", e=0).simulate(stop_time=3, interval=0.01, tolerance=1e-9)
    assert len(times(result, "stop", "rests")) >= 1
    assert len(times(result, "stop", "leaves")) >= 1
    held = result["reaction(stop)"] > 0
    assert np.abs(result["b"] - result["a"])[held] == pytest.approx(0, abs=1e-12)
    assert result["reaction(stop)"].min() > -1e-7
    falls = np.diff(result["energy.total"])
    impacts = np.diff(result.time) == 0
    assert np.abs(falls[~impacts]).max() < 1e-7
    assert falls[impacts].max() < 1e-7
    assert -falls.sum() == pytest.approx(result.report.energy.impacts, abs=1e-7)


def test_a_slider_crank_with_backlash(compiled):
    """The slider has play on its pin: against DOP853 in two coordinates, hit by hit on both sides of the gap."""
    a, b, e = 0.1, 0.3, 0.6
    result = compiled("slider_crank_backlash").simulate(stop_time=1, interval=0.01, tolerance=1e-11)
    inertia, slider, rod, play, torque, drag = 0.02, 0.5, 0.2, 0.002, 0.3, 2.0

    def pin(q: float) -> tuple[float, float, float]:
        """Place of the pin with two derivatives by the angle."""
        s, c = math.sin(q), math.cos(q)
        root = math.sqrt(b**2 - a**2 * s**2)
        d = -(a**2) * s * c / root
        second = -a * c - a**2 * (c**2 - s**2) / root - (a**2 * s * c) ** 2 / root**3
        return a * c + root, -a * s + d, second

    def motion(t: float, y: np.ndarray) -> np.ndarray:
        q, _, w, v = y
        _, d, second = pin(q)
        return np.array([w, v, (torque - rod * d * second * w**2) / (inertia + rod * d**2), -drag / slider * v])

    def low(t: float, y: np.ndarray) -> float:
        return float(y[1] - pin(y[0])[0] + play)

    def high(t: float, y: np.ndarray) -> float:
        return float(pin(y[0])[0] - y[1] + play)

    def load(y: np.ndarray, accelerated: float) -> float:
        """The force that carries the slider along with the pin."""
        _, d, second = pin(y[0])
        return slider * (d * accelerated + second * y[2] ** 2) + drag * d * y[2]

    def carried(t: float, y: np.ndarray) -> np.ndarray:
        q, _, w, _ = y
        _, d, second = pin(q)
        whole = rod + slider
        rate = (torque - whole * d * second * w**2 - drag * d**2 * w) / (inertia + whole * d**2)
        return np.array([w, d * w, rate, d * rate + second * w**2])

    def pushed(t: float, y: np.ndarray) -> float:
        return load(y, carried(t, y)[2]) * side_held

    side_held = 0
    for side in (low, high, pushed):
        side.terminal, side.direction = True, -1  # type: ignore[attr-defined]
    y, t, found = np.array([0.3, pin(0.3)[0], 15.0, pin(0.3)[1] * 15.0]), 0.0, []
    while True:
        law, event = (carried, [pushed]) if side_held else (motion, [low, high])
        run = solve_ivp(law, (t, 1), y, "DOP853", events=event, rtol=1e-13, atol=1e-14)
        t, y = float(run.t[-1]), run.y[:, -1].copy()
        if run.status == 0:
            break
        if side_held:
            y[1] += 1e-13 * side_held
            side_held = 0
            continue
        closed = 1 if run.t_events[0].size else -1
        d = pin(y[0])[1]
        mass = np.array([inertia + rod * d**2, slider])
        g = np.array([-d, 1.0])
        arriving = float(g @ y[2:])
        side_held = closed if arriving * closed > -1e-5 else 0
        y[2:] -= (1 if side_held else 1 + e) * arriving / float(g @ (g / mass)) * g / mass
        y[1] = pin(y[0])[0] - closed * (play if side_held else play - 1e-14)
        found.append((t, abs(arriving)))
    # Those that can be told from the end of a cascade.
    arrivals = [(x.time, float(x.what.split(" at ")[1].split()[0])) for x in result.events if "hits" in x.what]
    hits = [time for time, speed in arrivals if speed > 1e-3]
    assert len(hits) > 50
    assert hits == pytest.approx([time for time, speed in found if speed > 1e-3], abs=1e-7)
    assert result["q"][-1] == pytest.approx(y[0], abs=1e-7)
    assert result["der(z)"][-1] == pytest.approx(y[3], abs=1e-6)
    assert {e.what.split()[2] for e in result.events if "hits" in e.what} == {"lower", "upper"}
    assert np.abs(result["z"] - result["pin"]).max() < play + 1e-10
    assert result.report.energy.worst < 1e-9


SHAKEN = """\
model Shaken
  parameter Mass m = 0.1;
  parameter Length A = 0.01;
  parameter AngularVelocity w = {w};
  constant Acceleration g = 9.81;
  coordinate Length z(start = {z}, rate = 0);
  kinetic motion = m/2*der(z)^2;
  potential weight = m*g*z;
  limit table(restitution = {e}): z >= A*sin(w*time);
end Shaken;
"""


def test_a_ball_on_a_table_that_shakes():
    """Each hit against the parabola between them, to the root; the table puts energy in, impacts take it out."""
    w, e, A, g = 40.0, 0.8, 0.01, 9.81
    result = load_model(text=SHAKEN.format(w=w, z=0.05, e=e)).simulate(stop_time=3, interval=0.02, tolerance=1e-10)
    hits = times(result, "table", "hits")
    t, z, v, counted = 0.0, 0.05, 0.0, 0
    for hit in hits:

        def gap(s: float, t: float = t, z: float = z, v: float = v) -> float:
            return z + v * (s - t) - g / 2 * (s - t) ** 2 - A * math.sin(w * s)

        closing = v - g * (hit - t) - A * w * math.cos(w * hit)
        assert abs(gap(hit) / closing) < 1e-9
        looked = np.linspace(t, hit, 2001)[1:-1]
        assert min(gap(s) for s in looked) > -1e-12
        arriving = v - g * (hit - t)
        if abs(closing) < 1e-4:
            # From here on it is the end of a cascade, or what follows it.
            break
        counted += 1
        table = A * w * math.cos(w * hit)
        t, z, v = hit, A * math.sin(w * hit), table - e * (arriving - table)
        assert result["der(z)"][after(result, hit)] == pytest.approx(v, abs=1e-8)
    assert counted > 10
    assert result.report.energy.worst < 1e-10


@pytest.mark.parametrize("e", [0.0, 0.3])
def test_chattering_ends_in_rest_until_the_table_falls_away(e):
    """It rests where the table carries it, and leaves where A w^2 sin(w t) = g, whatever came before."""
    w, A, g = 40.0, 0.01, 9.81
    result = load_model(text=SHAKEN.format(w=w, z=0.001, e=e)).simulate(stop_time=2, interval=0.02, tolerance=1e-10)
    leaves = times(result, "table", "leaves its lower")
    assert len(leaves) > 3
    phase = np.mod(w * leaves, 2 * math.pi)
    assert phase == pytest.approx(np.full(len(leaves), math.asin(g / (A * w**2))), abs=1e-8)
    assert np.min(result["z"] - A * np.sin(w * result.time)) > -1e-11
    assert result["reaction(table)"].min() > -1e-8


TWO_SIDES = """\
model Between
  parameter Mass m = 1;
  coordinate Length x(start = 0.2, rate = 1);
  kinetic motion = m/2*der(x)^2;
  limit walls(restitution = 1): 0 <= x <= 1;
end Between;
"""


@pytest.mark.parametrize("interval", [0.1, 25])
def test_events_closer_together_than_the_output(interval):
    """Between two walls at 1 m/s: every second, however few instants are recorded."""
    result = load_model(text=TWO_SIDES).simulate(stop_time=50, interval=interval)
    hits = times(result, "walls", "hits")
    assert hits == pytest.approx(0.8 + np.arange(50), abs=1e-9)
    assert np.abs(result["der(x)"]) == pytest.approx(np.ones(len(result.time)), abs=1e-13)


CORNER = """\
model Corner
  parameter Mass m = 1;
  coordinate Length x(start = 1, rate = -1), y(start = 1, rate = -1);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  limit left(restitution = 0.5): x >= 0;
  limit low(restitution = 0.25): y >= 0;
end Corner;
"""


def test_two_limits_at_one_instant():
    """Walls at a right angle, both at 1 s: each with its own restitution."""
    result = load_model(text=CORNER).simulate(stop_time=2, interval=0.3)
    assert times(result, "left") == pytest.approx([1.0], abs=1e-12)
    assert times(result, "low") == pytest.approx([1.0], abs=1e-12)
    assert result["der(x)"][-1] == pytest.approx(0.5, abs=1e-13)
    assert result["der(y)"][-1] == pytest.approx(0.25, abs=1e-13)


def test_a_ball_over_the_edge_of_a_table(compiled):
    """Rolling, slipping about the edge, flight: angles, speeds and times of a rolling ball in closed form."""
    r, k, v0, g = 0.05, 0.4, 0.1, 9.81
    for mu in (0.5, 2.0, 100.0):
        result = compiled("table_edge", mu=mu).simulate(stop_time=0.45, interval=0.005, tolerance=1e-11)
        slip = times(result, "contact", "slides")
        leave = times(result, "table", "leaves")
        assert len(slip) == len(leave) == 1
        w0 = (v0 / r) ** 2

        def rolling(a: float, w0: float = w0) -> float:
            """Square of the rotation about the edge."""
            return w0 + 2 * g * (1 - math.cos(a)) / ((1 + k) * r)

        def spare(a: float, mu: float = mu) -> float:
            normal = g * math.cos(a) - r * rolling(a)
            return mu * normal - k / (1 + k) * g * math.sin(a)

        at_slip = brentq(spare, 1e-9, 1.2, xtol=1e-15)
        over = result["over"]
        assert over[after(result, slip[0])] == pytest.approx(at_slip, abs=1e-8)
        duration = quad(lambda a: 1 / math.sqrt(rolling(a)), 0, at_slip, epsabs=1e-13)[0]
        assert slip[0] == pytest.approx(0.02 / v0 + duration, abs=1e-8)

        # Slipping, u = rotation^2 obeys du/da = 2 g/r (sin a - mu cos a) + 2 mu u.
        def slipping(a: float, start: float = at_slip, mu: float = mu) -> float:
            f = 2 * g / r / (1 + 4 * mu**2)

            def particular(a: float) -> float:
                return f * ((2 * mu**2 - 1) * math.cos(a) - 3 * mu * math.sin(a))

            return math.exp(2 * mu * (a - start)) * (rolling(start) - particular(start)) + particular(a)

        at_leave = brentq(lambda a: g * math.cos(a) - r * slipping(a), at_slip, at_slip + 0.3, xtol=1e-15)
        row = after(result, leave[0])
        assert over[row] == pytest.approx(at_leave, abs=1e-7)
        speed = math.hypot(result["der(x)"][row], result["der(y)"][row])
        assert speed == pytest.approx(r * math.sqrt(slipping(at_leave)), abs=1e-8)
        # Flight: free fall, with the rotation it has.
        rest = result.time[-1] - leave[0]
        assert result["der(y)"][-1] == pytest.approx(result["der(y)"][row] - g * rest, abs=1e-9)
        assert result["der(phi)"][-1] == pytest.approx(result["der(phi)"][row], abs=1e-9)
        assert result.report.energy.worst < 1e-10
    # Slowly, on a rough edge: cos = 2/(3 + k).
    slow = compiled("table_edge", mu=1e7, v0=0.001)
    result = slow.simulate(stop_time=21, interval=0.01, tolerance=1e-10)
    leave = times(result, "table", "leaves")[0]
    assert math.cos(result["over"][after(result, leave)]) == pytest.approx(10 / 17, abs=1e-5)


def test_a_disc_over_the_edge(compiled):
    """k = 1/2, slowly on a rough edge: cos = 4/7; without friction 2/3 and the speed that belongs to it."""
    rough = compiled("table_edge", mu=1e7, k=0.5, v0=0.001).simulate(stop_time=21, interval=0.01, tolerance=1e-10)
    leave = times(rough, "table", "leaves")[0]
    assert math.cos(rough["over"][after(rough, leave)]) == pytest.approx(4 / 7, abs=1e-5)
    smooth: Any = compiled("table_edge", mu=0, v0=0.1).simulate(stop_time=0.45, interval=0.01, tolerance=1e-11)
    (leave,) = times(smooth, "table", "leaves")
    assert math.cos(smooth["over"][after(smooth, leave)]) == pytest.approx(2 / 3 + 0.01 / (3 * 9.81 * 0.05), abs=1e-9)
