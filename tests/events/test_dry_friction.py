"""Sticking and sliding against closed forms and quadratures: wheels, clutches, brakes, pucks, rods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from happened import after, before, times
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from mbdc import SimulationError, load_model

G = 9.81

DISC = """\
model Disc
  parameter Mass m = 2;
  parameter Length r = 0.2;
  parameter Real k = {k}, mu = 0.25;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0, rate = 3), y(start = r, rate = 0);
  coordinate Angle phi(start = 0, rate = {spin});
  kinetic motion = m/2*(der(x)^2 + der(y)^2) + k*m*r^2/2*der(phi)^2;
  potential weight = m*g*y;
  {ground} y {sign} r;
  friction contact: mu, reaction(ground) on der(x) - r*der(phi);
end Disc;
"""


@pytest.mark.parametrize(
    ("ground", "sign"), [("limit ground:", ">="), ("constraint ground:", "=")], ids=["limit", "constraint"]
)
@pytest.mark.parametrize(("k", "spin"), [(0.5, 0.0), (0.4, 0.0), (1.0, 40.0), (0.5, -15.0)])
def test_a_disc_slips_and_then_rolls(ground, sign, k, spin):
    """From v and r*w: t = |v - r w|/(mu g (1 + 1/k)), then v = (v + k r w)/(1 + k); normal by limit or constraint."""
    v, w, mu, r = 3.0, spin * 0.2, 0.25, 0.2
    text = DISC.format(k=k, spin=spin, ground=ground, sign=sign)
    result = load_model(text=text).simulate(stop_time=4, interval=0.05, tolerance=1e-10)
    (rolls,) = times(result, "contact", "sticks")
    expected = abs(v - w) / (mu * G * (1 + 1 / k))
    speed = (v + k * w) / (1 + k)
    assert rolls == pytest.approx(expected, abs=1e-8)
    row = after(result, rolls)
    assert result["der(x)"][row] == pytest.approx(speed, abs=1e-8)
    assert result["der(x)"][-1] == pytest.approx(speed, abs=1e-8)
    assert r * result["der(phi)"][-1] == pytest.approx(speed, abs=1e-8)
    decelerated = -math.copysign(mu * G, v - w)
    assert result["x"][row] == pytest.approx(v * expected + decelerated * expected**2 / 2, abs=1e-8)
    assert result["reaction(contact)"][before(result, rolls) - 1] == pytest.approx(2 * decelerated, abs=1e-9)
    assert abs(result["reaction(contact)"][-1]) < 1e-9
    lost = (v**2 + k * w**2 - (1 + k) * speed**2) * 2 / 2
    assert result.report.energy.work["contact"] == pytest.approx(-lost, abs=1e-8)


def test_a_bowling_ball_with_spin(compiled):
    """The slip keeps its direction: a parabola, then straight on; 2/7 of the slip over mu g."""
    result = compiled("bowling_ball").simulate(stop_time=3, interval=0.01, tolerance=1e-10)
    r, k, mu = 0.108, 0.4, 0.12
    v, w = np.array([7.0, 0.5]), np.array([12.0, 5.0])
    slip = v + np.array([-w[1] * r, w[0] * r])
    towards = slip / np.linalg.norm(slip)
    expected = float(np.linalg.norm(slip)) / (mu * G * (1 + 1 / k))
    (rolls,) = times(result, "oil", "sticks")
    # A flow in a plane has ended below 1e-7 of the largest.
    assert rolls == pytest.approx(expected, abs=3e-7)
    row = after(result, rolls)
    final = v - mu * G * expected * towards
    assert [result[f"der(p[{i}])"][-1] for i in (1, 2)] == pytest.approx(final, abs=1e-6)
    place = v * expected - mu * G / 2 * expected**2 * towards
    assert [result[f"p[{i}]"][row] for i in (1, 2)] == pytest.approx(place, abs=1e-6)
    sliding = result.time < expected - 1e-3
    slips = np.stack([result["slip[1]"][sliding], result["slip[2]"][sliding]])
    across = slips[0] * towards[1] - slips[1] * towards[0]
    assert np.abs(across).max() < 1e-7
    rest = result.time > rolls
    ends = np.stack([result["p[1]"][rest], result["p[2]"][rest]])
    straight = (ends - place[:, None])[0] * final[1] - (ends - place[:, None])[1] * final[0]
    assert np.abs(straight).max() < 1e-5
    assert np.abs(result["w[3]"] - 8).max() < 1e-7


def test_a_brake_on_a_slope(compiled):
    """It stops after v0/d, holds, and goes on when mu0 times the shoe's force equals the weight down the slope."""
    result = compiled("brake").simulate(stop_time=13, interval=0.02, tolerance=1e-10)
    mass, down = 50 + 2 / 0.25**2, 50 * G * math.sin(0.1)
    slower = (0.4 * 400 - down) / mass
    (stops,) = times(result, "brake", "sticks")
    assert stops == pytest.approx(3 / slower, abs=1e-8)
    row = after(result, stops)
    assert result["s"][row] == pytest.approx(9 / (2 * slower), abs=1e-8)
    (goes_on,) = times(result, "brake", "slides")
    released = 6 + (400 - down / 0.5) / 50
    # A billionth of the forces met counts as equal.
    assert goes_on == pytest.approx(released, abs=3e-8)
    held = (result.time >= stops) & (result.time <= goes_on)
    assert np.ptp(result["s"][held]) < 1e-12
    # Sliding: the shoe's force falls on, to nothing at 14 s.
    t = result.time[-1] - goes_on
    press = 400 - 50 * (goes_on - 6)
    speed = ((down - 0.4 * press) * t + 0.4 * 50 * t**2 / 2) / mass
    assert result["der(s)"][-1] == pytest.approx(speed, abs=1e-7)


def test_a_clutch_between_two_inertias(compiled):
    """Lock-up, the torque it carries then, and the instant at which the motor tears it loose."""
    result = compiled("clutch").simulate(stop_time=8, interval=0.02, tolerance=1e-10)
    rates = np.array([(6 - 10) / 0.2, (10 - 4) / 0.5])
    expected = 50 / (rates[1] - rates[0])
    (locks,) = times(result, "clutch", "sticks")
    (slips,) = times(result, "clutch", "slides")
    assert locks == pytest.approx(expected, abs=1e-9)
    row = after(result, locks)
    common = 50 + rates[0] * expected
    assert result["der(a)"][row] == pytest.approx(common, abs=1e-8)
    assert result["der(b)"][row] == pytest.approx(common, abs=1e-8)
    # M1 - T = J1 w', T - M2 = J2 w': T = (M1 J2 + M2 J1)/(J1 + J2).
    assert -result["reaction(clutch)"][row] == pytest.approx((6 * 0.5 + 4 * 0.2) / 0.7, abs=1e-9)
    tears = 4 + ((12 * 0.7 - 4 * 0.2) / 0.5 - 6) / 3
    assert slips == pytest.approx(tears, abs=1e-8)
    locked = (result.time >= locks) & (result.time <= slips)
    assert np.abs(result["der(a)"] - result["der(b)"])[locked].max() < 1e-10
    t = 8 - tears
    motor = 6 + 3 * (tears - 4)
    difference = ((motor - 10) * t + 3 * t**2 / 2) / 0.2 - (10 - 4) / 0.5 * t
    assert (result["der(a)"] - result["der(b)"])[-1] == pytest.approx(difference, abs=1e-7)


SLIDER = """\
model Slider
  parameter Mass m = 1.5;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0, rate = 2);
  kinetic motion = m/2*der(x)^2;
  friction ground({options}): 0.3, m*g on x;
end Slider;
"""


@pytest.mark.parametrize(
    ("options", "static", "viscous", "stribeck"),
    [
        ("viscous = 0.8", 0.3, 0.8, np.inf),
        ("static = 0.6, stribeck = 0.5", 0.6, 0.0, 0.5),
        ("static = 0.6, viscous = 0.8, stribeck = 0.05", 0.6, 0.8, 0.05),
    ],
    ids=["viscous", "stribeck", "both"],
)
def test_viscous_and_stribeck_friction(options, static, viscous, stribeck):
    """Time and way to rest by quadrature over the speed."""
    result = load_model(text=SLIDER.format(options=options)).simulate(stop_time=2, interval=0.01, tolerance=1e-10)

    def force(v: float) -> float:
        fallen = math.exp(-((v / stribeck) ** 2)) if np.isfinite(stribeck) else 0.0
        return (0.3 + (static - 0.3) * fallen) * 1.5 * G + viscous * v

    parts = {"points": [0.05, 0.2], "epsabs": 1e-13, "epsrel": 1e-13}
    duration = quad(lambda v: 1.5 / force(v), 0, 2, **parts)[0]
    way = quad(lambda v: 1.5 * v / force(v), 0, 2, **parts)[0]
    (rests,) = times(result, "ground", "sticks")
    assert rests == pytest.approx(duration, abs=1e-8)
    assert result["x"][-1] == pytest.approx(way, abs=1e-8)
    assert result.report.energy.work["ground"] == pytest.approx(-1.5 * 2, abs=1e-8)


def test_stick_and_slip_on_a_belt(compiled):
    """The first slip where k x = mu0 m g, exactly; the slip against DOP853; the cycle repeats."""
    result = compiled("stick_slip").simulate(stop_time=8, interval=0.01, tolerance=1e-10)
    slips, sticks = times(result, "rubbing", "slides"), times(result, "rubbing", "sticks")
    reach = 0.5 * G / 50
    assert sticks[0] == 0
    assert slips[0] == pytest.approx(reach / 0.1, abs=1e-8)

    def law(t: float, y: np.ndarray) -> list[float]:
        against = 0.1 - y[1]
        mu = 0.3 + 0.2 * math.exp(-((against / 0.05) ** 2))
        return [y[1], -50 * y[0] + mu * G]

    def alike(t: float, y: np.ndarray) -> float:
        return float(0.1 - y[1]) if t > 0.02 else 1.0

    alike.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(law, (0, 2), [reach, 0.1 - 1e-9], "DOP853", events=alike, rtol=1e-13, atol=1e-15)
    assert run.status == 1
    # What begins at a maximum of friction takes its time to begin: of the way itself the end is sharp.
    assert result["x"][after(result, sticks[1])] == pytest.approx(run.y[0, -1], abs=1e-7)
    assert np.diff(slips) == pytest.approx(np.diff(slips)[:1].repeat(len(slips) - 1), abs=1e-6)
    assert len(slips) >= 4


HOOP = """\
model Hoop "A bead inside a wall, without weight"
  parameter Mass m = 0.3;
  parameter Length R = 0.8;
  parameter Real mu = 0.2;
  coordinate Length x(start = R, rate = 0), y(start = 0, rate = 2);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  {wall}
  friction rubbing: mu, {normal} on (x*der(y) - y*der(x))/norm({{x, y}});
end Hoop;
"""


@pytest.mark.parametrize(
    ("wall", "normal"),
    [
        ("limit wall: norm({x, y}) <= R;", "-reaction(wall)"),
        ("limit wall: R - norm({x, y}) >= 0;", "reaction(wall)"),
        ("constraint wall: norm({x, y}) = R;", "abs(reaction(wall))"),
        ("constraint wall: x^2 + y^2 = R^2;", "2*R*abs(reaction(wall))"),
    ],
    ids=["upper", "lower", "constraint", "squares"],
)
def test_the_normal_force_is_a_reaction(wall, normal):
    """v' = -mu v^2/R: v = v0/(1 + mu v0 t/R) and the angle ln(1 + mu v0 t/R)/mu."""
    result = load_model(text=HOOP.format(wall=wall, normal=normal)).simulate(
        stop_time=5, interval=0.05, tolerance=1e-10
    )
    fallen = 1 + 0.2 * 2 * result.time / 0.8
    assert np.hypot(result["der(x)"], result["der(y)"]) == pytest.approx(2 / fallen, abs=1e-7)
    angle = np.log(fallen) / 0.2
    assert result["x"] == pytest.approx(0.8 * np.cos(angle), abs=1e-7)
    assert result["y"] == pytest.approx(0.8 * np.sin(angle), abs=1e-7)


INCLINE = """\
model Incline "A puck on an inclined plane; y points down the fall line"
  parameter Mass m = 0.2;
  parameter Angle tilt = 0.4;
  parameter Real mu = 0.3;
  parameter Velocity vx = 0, vy = 0;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0, rate = vx), y(start = 0, rate = vy);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential weight = -m*g*sin(tilt)*y;
  friction plane: mu, m*g*cos(tilt) on {x, y};
end Incline;
"""


@pytest.mark.parametrize("tilt", [0.25, -0.25])
def test_it_sticks_below_the_friction_angle(tilt):
    """tan(0.25) = 0.255 < 0.3: whichever way the plane falls; no creep."""
    model = load_model(text=INCLINE, parameters={"tilt": tilt})
    result = model.simulate(stop_time=1000, interval=10)
    assert np.abs(result["y"]).max() < 1e-12
    assert result["reaction(plane)[2]"] == pytest.approx(-0.2 * G * math.sin(tilt), abs=1e-9)
    # Thrown along the plane it comes to rest, and stays.
    thrown = model.simulate(stop_time=100, interval=1, start={"der(x)": 0.5, "der(y)": 0.2}, tolerance=1e-10)
    (rests,) = times(thrown, "plane", "sticks")
    later = thrown.time >= rests
    assert np.ptp(thrown["x"][later]) < 1e-12
    assert np.ptp(thrown["y"][later]) < 1e-12


@pytest.mark.parametrize("tilt", [0.4, -0.4])
def test_it_slides_along_the_fall_line_above(tilt):
    result = load_model(text=INCLINE, parameters={"tilt": tilt}).simulate(stop_time=2, interval=0.1, tolerance=1e-10)
    pull = G * (math.sin(0.4) - 0.3 * math.cos(0.4))
    assert result["y"] == pytest.approx(math.copysign(1, tilt) * pull / 2 * result.time**2, abs=1e-7)
    assert np.abs(result["x"]).max() < 1e-12


def test_a_puck_pushed_across_the_slope():
    """With mu = tan(tilt), speed and speed down the slope add up to what they were: half of it is left, downwards."""
    tilt = 0.3
    model = load_model(text=INCLINE, parameters={"tilt": tilt, "mu": math.tan(tilt), "vx": 1.0})
    result = model.simulate(stop_time=6, interval=0.05, tolerance=1e-11)
    speed = np.hypot(result["der(x)"], result["der(y)"])
    assert speed + result["der(y)"] == pytest.approx(np.ones(len(speed)), abs=1e-8)
    assert result["der(y)"][-1] == pytest.approx(0.5, abs=1e-4)

    def law(t: float, y: np.ndarray) -> list[float]:
        v = math.hypot(y[2], y[3])
        pull = G * math.sin(tilt)
        return [y[2], y[3], -pull * y[2] / v, pull - pull * y[3] / v]

    run = solve_ivp(law, (0, 2), [0, 0, 1, 0], "DOP853", rtol=1e-13, atol=1e-13)
    row = int(np.flatnonzero(np.isclose(result.time, 2))[0])
    assert [result["x"][row], result["y"][row]] == pytest.approx(run.y[:2, -1], abs=1e-8)


def test_a_puck_on_the_level_slides_straight():
    """Way v^2/(2 mu g) along the line it was thrown on."""
    model = load_model(text=INCLINE, parameters={"tilt": 0.0, "vx": 1.2, "vy": -0.9})
    result = model.simulate(stop_time=2, interval=0.01, tolerance=1e-10)
    way = 1.5**2 / (2 * 0.3 * G)
    assert result["x"][-1] == pytest.approx(0.8 * way, abs=1e-8)
    assert result["y"][-1] == pytest.approx(-0.6 * way, abs=1e-8)
    assert times(result, "plane", "sticks") == pytest.approx([1.5 / (0.3 * G)], abs=1e-6)
    assert np.abs(result["x"] * 0.6 + result["y"] * 0.8).max() < 1e-9


TWO_FEET = """\
model TwoFeet "A block on two feet, on a slope"
  parameter Mass m = 2;
  parameter Real mu = 0.4;
  parameter Angle tilt = {tilt};
  parameter Length b = 0.2, h = 0.1 "half of the base, and height of the middle";
  constant Acceleration g = 9.81;
  coordinate Length x(start = 0, rate = {rate}), y(start = h, rate = 0);
  coordinate Angle phi(start = 0, rate = 0);
  Length rear[2] = {{x, y}} + {{-b*cos(phi) + h*sin(phi), -b*sin(phi) - h*cos(phi)}};
  Length front[2] = {{x, y}} + {{b*cos(phi) + h*sin(phi), b*sin(phi) - h*cos(phi)}};
  kinetic motion = m/2*(der(x)^2 + der(y)^2) + 0.02[kg.m2]/2*der(phi)^2;
  potential weight = m*g*(y*cos(tilt) - x*sin(tilt));
  limit on_rear: rear[2] >= 0;
  limit on_front: front[2] >= 0;
  friction at_rear: mu, reaction(on_rear) on rear[1];
  friction at_front: mu, reaction(on_front) on front[1];
end TwoFeet;
"""


def test_two_feet_share_what_they_hold():
    """Statically indeterminate: together they hold the block, each within its cone; weights as in statics."""
    result = load_model(text=TWO_FEET.format(tilt=0.35, rate=0)).simulate(stop_time=10, interval=1)
    across, along = 2 * G * math.cos(0.35), 2 * G * math.sin(0.35)
    front = across / 2 + along * 0.1 / 0.4
    assert result["reaction(on_front)"] == pytest.approx(front, abs=1e-7)
    assert result["reaction(on_rear)"] == pytest.approx(across - front, abs=1e-7)
    assert -(result["reaction(at_front)"] + result["reaction(at_rear)"]) == pytest.approx(along, abs=1e-7)
    for foot in ("front", "rear"):
        assert np.all(np.abs(result[f"reaction(at_{foot})"]) <= 0.4 * result[f"reaction(on_{foot})"] + 1e-8)
    assert np.ptp(result["x"]) < 1e-12


def test_two_feet_slide_and_stop():
    """On the level it stops after v/(mu g), the front foot pressed harder by the braking."""
    result = load_model(text=TWO_FEET.format(tilt=0, rate=1)).simulate(stop_time=1, interval=0.01, tolerance=1e-10)
    assert times(result, "at_front", "sticks") == pytest.approx([1 / (0.4 * G)], abs=1e-8)
    assert result["x"][-1] == pytest.approx(1 / (2 * 0.4 * G), abs=1e-8)
    front = 2 * G / 2 + 0.4 * 2 * G * 0.1 / 0.4
    assert result["reaction(on_front)"][5] == pytest.approx(front, abs=1e-8)


def rod_forces(mu: float, phi: float, spin: float, towards: float) -> float:
    """The normal force on a sliding rod with m = 1, l = 0.5."""
    m, el = 1.0, 0.5
    c, s = math.cos(phi), math.sin(phi)
    # Friction -towards*mu*N on the foot; y'' of the foot is 0.
    return m * (G - el * spin**2 * s) / (1 + 3 * c * (c + towards * mu * s))


def test_a_rod_that_slides_with_little_friction(compiled):
    """Below mu = 4/3 forces exist at every angle; all along the slide they are those of the closed form."""
    for v0 in (-2.0, 2.0):
        result = compiled("painleve_rod", mu=0.3, v0=v0).simulate(stop_time=0.1, interval=0.001, tolerance=1e-10)
        towards = math.copysign(1, v0)
        expected = [
            rod_forces(0.3, phi, spin, towards) for phi, spin in zip(result["phi"], result["der(phi)"], strict=True)
        ]
        assert len(result.events) == 1
        assert result["reaction(floor)"] == pytest.approx(expected, abs=1e-8)
        assert result["reaction(sliding)"] == pytest.approx(-towards * 0.3 * np.array(expected), abs=1e-8)
        assert np.abs(result["foot[2]"]).max() < 1e-12


def test_the_critical_friction_of_a_rod_is_four_thirds(compiled):
    """Just below 4/3 the run goes on at the worst angle, just above it there are no forces."""
    worst = math.atan(2.0)
    start = {"phi": worst}
    ok = compiled("painleve_rod", mu=4 / 3 - 1e-3).simulate(stop_time=1e-5, interval=1e-5, start=start)
    assert ok["reaction(floor)"][0] == pytest.approx(rod_forces(4 / 3 - 1e-3, worst, 0, -1), rel=1e-8)
    with pytest.raises(SimulationError) as stopped:
        compiled("painleve_rod", mu=4 / 3 + 1e-3).simulate(stop_time=1e-5, interval=1e-5, start=start)
    assert "Painlevé" in str(stopped.value)


def test_painleves_paradox_is_named(compiled):
    """mu = 2: between atan(3 - sqrt 5) and atan(3 + sqrt 5) nothing fits, and that is said, with both names."""
    model = compiled("painleve_rod", mu=2)
    for phi in (math.atan(3 - math.sqrt(5)) + 1e-3, 1.0, math.atan(3 + math.sqrt(5)) - 1e-3):
        with pytest.raises(SimulationError) as stopped:
            model.simulate(stop_time=0.1, interval=0.01, start={"phi": phi})
        said = str(stopped.value)
        assert "`floor`" in said
        assert "`sliding`" in said
        assert "Painlevé" in said
        assert stopped.value.result.time[-1] == 0
    for phi in (math.atan(3 - math.sqrt(5)) - 1e-2, math.atan(3 + math.sqrt(5)) + 1e-2):
        result = model.simulate(stop_time=1e-4, interval=1e-4, start={"phi": phi})
        assert result["reaction(floor)"][0] == pytest.approx(rod_forces(2, phi, 0, -1), rel=1e-8)
    # Sliding the other way there is no paradox.
    other = compiled("painleve_rod", mu=2, v0=2).simulate(stop_time=0.05, interval=0.01, start={"phi": 1.0})
    assert other["reaction(floor)"][0] == pytest.approx(rod_forces(2, 1.0, 0, 1), rel=1e-8)


def test_where_a_rod_goes_from_outside_the_paradox(compiled):
    """Génot and Brogliato 1999: sliding, it does not enter the angles of the paradox; what it does follows the law."""
    low = math.atan(3 - math.sqrt(5))
    edge = brentq(lambda phi: 1 + 3 * math.cos(phi) * (math.cos(phi) - 2 * math.sin(phi)), 0.3, 1.0)
    assert edge == pytest.approx(low)
    model = compiled("painleve_rod", mu=2)
    result = model.simulate(stop_time=0.1, interval=0.0005, start={"phi": low - 0.05}, tolerance=1e-10)
    (ends,) = times(result, "sliding")[:1]
    sliding = np.flatnonzero(result.time < ends)
    assert len(sliding) > 5
    for row in sliding:
        expected = rod_forces(2, result["phi"][row], result["der(phi)"][row], -1)
        assert result["reaction(floor)"][row] == pytest.approx(expected, rel=1e-7)
    assert result["phi"][sliding].max() < low
