"""Problems users met elsewhere, the motion: drift, index, signs, frames, loops, rolling, reactions."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from mbdc import SimulationError, load_model


def test_drift_01_a_hundred_seconds_of_pendulum(compiled):
    """ModelingToolkit#988: default settings keep the rod to 1e-6 and the energy to 1e-5 J."""
    result = compiled("pendulum").simulate(stop_time=100, interval=0.05)
    assert np.max(np.abs(result["x"] ** 2 + result["y"] ** 2 - 1)) <= 1e-6
    assert np.max(np.abs(result["energy.total"])) <= 1e-5
    assert result["x"][200] == pytest.approx(0.27508746, abs=1e-4)
    assert result["y"][200] == pytest.approx(-0.96141921, abs=1e-4)
    assert result["x"][-1] == pytest.approx(0.18151335, abs=1e-4)
    assert result["y"][-1] == pytest.approx(-0.98338848, abs=1e-4)
    roots = CubicSpline(result.time, result["x"]).roots(extrapolate=False)
    assert np.diff(roots[::2]) == pytest.approx(2.36784195, abs=1e-5)


TUMBLING = """\
model Tumbling
  parameter Inertia I[3] = {1, 2, 3};
  coordinate Rotation S(rate = {0.01, 2, 0.01});
  AngularVelocity w[3] = angularVelocity(S);
  AngularMomentum H[3] = S*(I.*w);
  kinetic turning = w*(I.*w)/2;
end Tumbling;
"""


def test_drift_03_a_free_body_flips_for_a_hundred_seconds():
    """drake#14800, RigidBodyDynamics#86: energy 4.0002, momentum 4.000125, an orthonormal attitude."""
    result = load_model(text=TUMBLING).simulate(stop_time=100, interval=0.1)
    assert result["energy.total"] == pytest.approx(4.0002, rel=1e-6)
    assert np.linalg.norm(result["H"], axis=1) == pytest.approx(4.00012500, rel=1e-6)
    products = np.einsum("tij,tkj->tik", result["S"], result["S"])
    assert np.max(np.abs(products - np.eye(3))) < 1e-8
    assert result["w[2]"].min() < -1.9


def test_idx_01_the_index_is_nobody_s_business():
    """Sundials.jl#185, PyBaMM#5211: g = 1, from (1, 0) at rest."""
    text = """\
model P
  parameter Mass m = 1;
  constant Acceleration g = 1;
  coordinate Length x(start = 1), y(start = 0);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential gravity = m*g*y;
  constraint rod: x^2 + y^2 = 1[m2];
end P;
"""
    result = load_model(text=text).simulate(stop_time=5, interval=1)
    expected = {1: (0.87954813, -0.47580992), 5: (-0.68534487, -0.72821865)}
    for instant, (x, y) in expected.items():
        assert result["x"][instant] == pytest.approx(x, abs=1e-6)
        assert result["y"][instant] == pytest.approx(y, abs=1e-6)


def test_idx_02_four_charges_make_a_tetrahedron():
    """ModelingToolkit#5012 (unstable there at t = 4): every distance 1.63299316, every multiplier -0.75."""
    text = """\
model Charges
  parameter Mass m = 1;
  parameter Energy k = 1;
  parameter Damping c = 0.5;
  coordinate Length p[4, 3];
  kinetic motion = m/2*sum(der(p[i, :])*der(p[i, :]) for i in 1:4);
  dissipation drag = c/2*sum(der(p[i, :])*der(p[i, :]) for i in 1:4);
  potential pairs = -k*sum(sum(log(norm(p[i, :] - p[j, :])/1[m]) for j in i + 1:4) for i in 1:3);
  for i in 1:4 loop
    constraint sphere: p[i, :]*p[i, :] = 1[m2];
  end for;
end Charges;
"""
    points = np.random.default_rng(1).normal(size=(4, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    model = load_model(text=text)
    result = model.simulate(stop_time=80, interval=0.5, start={"p": points})
    speed2 = np.sum(np.stack([[result[f"der(p[{i},{k}])"] for k in (1, 2, 3)] for i in range(1, 5)]) ** 2, axis=1)
    for i in range(4):
        assert result[f"reaction(sphere[{i + 1}])"] == pytest.approx(-0.75 - speed2[i] / 2, abs=1e-7)
    last = result["p"][-1]
    for i in range(4):
        for j in range(i):
            assert np.linalg.norm(last[i] - last[j]) == pytest.approx(1.63299316, abs=1e-5)


def test_idx_04_locking_an_angle():
    """ModelingToolkit#4693: both bodies accelerate at 2 m/s2, the lock carries 6 N m."""
    text = """\
model Pair
  parameter Mass m_a = 2, m_b = 3;
  parameter Length L = 1;
  parameter Force F = 10;
  coordinate Length x(start = 0, rate = 0), z(start = 0, rate = 0);
  coordinate Angle th(start = 0, rate = 0);
  Length A[2] = {x, z};
  Length B[2] = A + L*{cos(th), sin(th)};
  kinetic motion = m_a/2*der(A)*der(A) + m_b/2*der(B)*der(B);
  force push: {0, F} on A;
  constraint lock: th = 0;
end Pair;
"""
    model = load_model(text=text)
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["der(der(z))"] == pytest.approx(2.0, abs=1e-9)
    assert np.abs(result["reaction(lock)"]) == pytest.approx(6.0, abs=1e-9)


def disc_state() -> tuple[dict[str, float], dict[str, float]]:
    lean, yaw_rate, lean_rate, spin_rate, r = 0.3, 0.7, 0.2, -5.0, 0.3
    q = {"x": 0.0, "y": 0.0, "yaw": 0.0, "lean": lean, "spin": 0.0}
    v = {
        "x": r * (spin_rate + yaw_rate * math.sin(lean)),
        "y": -r * math.cos(lean) * lean_rate,
        "yaw": yaw_rate,
        "lean": lean_rate,
        "spin": spin_rate,
    }
    return q, v


@pytest.mark.parametrize("mass", [0.5, 7.0])
def test_sign_01_rolling_disc(compiled, mass):
    """sympy#27631, #2339: the naive substitution gives 6.10728131, 3.85673276, -1.93857214 and is wrong."""
    accelerations = compiled("rolling_disc", m=mass, r=0.3).accelerations(*disc_state())
    assert accelerations["der(der(yaw))"] == pytest.approx(2.09350320, abs=1e-8)
    assert accelerations["der(der(lean))"] == pytest.approx(3.85673276, abs=1e-8)
    assert accelerations["der(der(spin))"] == pytest.approx(-0.84158435, abs=1e-8)


@pytest.mark.parametrize("sign", [1, -1])
def test_sign_02_a_support_pushes_up(sign):
    """sympy#30215: however the constraint is written, its force on y is +19.62 N."""
    text = f"""\
model Support
  parameter Mass m = 2;
  constant Acceleration g = 9.81;
  coordinate Length y(start = 0, rate = 0);
  kinetic motion = m/2*der(y)^2;
  potential gravity = m*g*y;
  constraint ground: {"y" if sign > 0 else "-y"} = 0;
  output Force up = reaction(ground, y);
end Support;
"""
    model = load_model(text=text)
    result = model.simulate(stop_time=1, interval=0.5)
    assert result["up"] == pytest.approx(19.62, abs=1e-9)
    assert result["reaction(ground)"] == pytest.approx(sign * 19.62, abs=1e-9)


FALLING = """\
model Falling
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Length y(start = 0, rate = 0);
  kinetic motion = m/2*der(y)^2;
  {potential}
  {force}
end Falling;
"""


def test_sign_03_gravity_twice():
    """sympy#23076: legal, -19.62, but pointed out; -9.81 with only one of them, without a word."""
    potential, force = "potential gravity = m*g*y;", "force weight: -m*g on y;"
    both = load_model(text=FALLING.format(potential=potential, force=force))
    assert both.accelerations([0], [0])["der(der(y))"] == pytest.approx(-19.62, abs=1e-9)
    notes = " ".join(d.message for d in both.diagnostics)
    assert "weight" in notes
    assert "gravity" in notes
    for one in ({"potential": potential, "force": ""}, {"potential": "", "force": force}):
        model = load_model(text=FALLING.format(**one))
        assert model.accelerations([0], [0])["der(der(y))"] == pytest.approx(-9.81, abs=1e-9)
        assert not [d for d in model.diagnostics if "weight" in d.message and "gravity" in d.message]


def test_sign_05_a_turned_inertia():
    """mujoco#3559: diag(1, 2, 2.5) in a frame turned by 90 deg about z is 2 about the body's x axis."""
    text = """\
model Turned
  parameter Inertia I[3] = {1, 2, 2.5};
  final parameter Real turn[3, 3] = rotZ(90[deg]);
  coordinate Rotation S;
  input Torque M[3] = {2, 0, 0};
  AngularVelocity w[3] = angularVelocity(S);
  kinetic turning = w*(turn*diagonal(I)*transpose(turn)*w)/2;
  force drive: M on S;
end Turned;
"""
    model = load_model(text=text)
    inertia = model.mass_matrix({"S": np.eye(3)})
    assert inertia == pytest.approx(np.diag([2.0, 1.0, 2.5]), abs=1e-12)
    result = model.simulate(stop_time=0.1, interval=0.1)
    assert result["der(angularVelocity(S))"][0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


WHEEL = {"m": 2, "r": 0.3, "I_axle": 0.06, "I_diameter": 0.12}


def test_roll_01_a_wheel_needs_no_guesses(compiled):
    """ModelingToolkit#4237, Multibody.jl#78, OpenModelica#5291; three programs agree on the values."""
    start = {
        "x": 0.2,
        "y": 0.2,
        "yaw": 0,
        "lean": 0,
        "spin": 0,
        "der(yaw)": 0,
        "der(lean)": 1,
        "der(spin)": 5,
    }
    result = compiled("rolling_disc", **WHEEL).simulate(stop_time=4, interval=0.5, start=start)
    expected = {
        2: {"yaw": -3.31548310, "lean": 0.62938628, "x": 0.70011704, "y": -0.70909478},
        8: {"lean": 0.51557212, "x": 0.16176301, "y": -2.23593323},
    }
    for instant, values in expected.items():
        for name, value in values.items():
            assert result[name][instant] == pytest.approx(value, abs=1e-5)
    assert result["energy.total"] == pytest.approx(9.036, abs=1e-5)


def test_sign_07_the_same_wheel_on_another_ground():
    """ModelicaStandardLibrary#4056, Multibody.jl#93: ground x-z, gravity along -y: lean as before."""
    text = """\
model Sideways
  parameter Mass m = 2;
  parameter Length r = 0.3;
  parameter Inertia I_axle = 0.06, I_diameter = 0.12;
  constant Acceleration g = 9.81;
  constant Real up[3] = {0, 1, 0};
  coordinate Length p[3](start = {0.2, 0.3, 0.2});
  coordinate Angle yaw(start = 0, rate = 0), lean(start = 0, rate = 1), spin(start = 0, rate = 5);
  // Before turning: heading x, axle -z (left of the heading when y is up).
  Rotation T = rotY(yaw)*rotX(lean);
  Rotation S = T*rotZ(-spin);
  AngularVelocity w[3] = S*angularVelocity(S);
  Real axle[3] = T*{0, 0, -1};
  Real top[3] = T*{0, 1, 0};
  kinetic travel = m/2*der(p)*der(p);
  kinetic turning = I_diameter/2*w*w + (I_axle - I_diameter)/2*(w*axle)^2;
  potential gravity = m*g*(p*up);
  constraint height: p*up = r*(top*up);
  nonholonomic constraint rolling: {1, 0, 0}*(der(p) - cross(w, r*top)) = 0;
  nonholonomic constraint grip: {0, 0, 1}*(der(p) - cross(w, r*top)) = 0;
  annotation(experiment(StopTime = 1));
end Sideways;
"""
    result = load_model(text=text).simulate(stop_time=1, interval=0.5)
    assert result["lean"][-1] == pytest.approx(0.62938628, abs=1e-5)
    assert result["yaw"][-1] == pytest.approx(-3.31548310, abs=1e-5)
    assert result["energy.total"] == pytest.approx(9.036, abs=1e-5)


def test_roll_02_a_ball_on_a_turning_table(compiled):
    """opty#196, #210: r = 0.1, m = 0.5, table 3.5 rad/s: the centre circles at exactly 1 rad/s."""
    start = {"x": 0.3, "y": 0.1, "der(x)": 0, "der(y)": 0.4}
    model = compiled("turntable_ball", m=0.5, a=0.1, Omega=3.5)
    result = model.simulate(stop_time=2, interval=1, start=start)
    expected = [(0.11612092, 0.43658839), (-0.26645873, 0.46371897)]
    for instant, (x, y) in enumerate(expected, 1):
        assert result["x"][instant] == pytest.approx(x, abs=1e-6)
        assert result["y"][instant] == pytest.approx(y, abs=1e-6)
    assert np.hypot(result["der(x)"], result["der(y)"]) == pytest.approx(0.4, abs=1e-6)


def test_roll_05_a_steady_turn(compiled):
    """How to set up a tilted rolling disc: yaw rate -0.86602899 at lean 0.3, spin 8; it stays for 20 s."""
    model = compiled("rolling_disc", m=2, r=0.3)
    q = {"x": 0, "y": 0, "yaw": 0, "lean": 0.3, "spin": 0}

    def falling(rate: float) -> float:
        v = {"x": 0.3 * (8 + rate * math.sin(0.3)), "y": 0, "yaw": rate, "lean": 0, "spin": 8}
        return float(model.accelerations(q, v)["der(der(lean))"])

    turning = brentq(falling, -1, -0.7, xtol=1e-14)
    assert turning == pytest.approx(-0.86602899, abs=1e-8)
    start = {"lean": 0.3, "der(yaw)": turning, "der(lean)": 0, "der(spin)": 8}
    result = model.simulate(stop_time=20, interval=0.1, start=start, tolerance=1e-11)
    assert np.max(np.abs(result["lean"] - 0.3)) < 1e-8
    speed = np.hypot(result["der(x)"], result["der(y)"])
    assert speed == pytest.approx(2.32322128, abs=1e-6)
    radius = speed[0] / 0.86602899
    assert radius == pytest.approx(2.68261376, abs=1e-6)
    side = np.hypot(result["reaction(rolling)"], result["reaction(grip)"])
    assert side == pytest.approx(4.02395395, abs=1e-5)


FOUR_BAR = """\
model FourBar
  parameter Length ground = 1, crank = {crank}, coupler = {coupler}, rocker = {rocker};
  parameter Inertia J = 1;
  coordinate Angle th, a(guess = {a}), b(guess = {b});
  kinetic motion = J/2*(der(th)^2 + der(a)^2 + der(b)^2);
  constraint closing: crank*{{cos(th), sin(th)}} + coupler*{{cos(a), sin(a)}}
    = {{ground, 0}} + rocker*{{cos(b), sin(b)}};
  constraint drive: th = {th0} + time*1[rad/s];
end FourBar;
"""


def test_loop_01_a_crank_rocker_through_a_full_turn():
    """Articraft#127: the rocker stays within its limits and on its branch."""
    text = FOUR_BAR.format(crank=0.5, coupler=1.2, rocker=0.8, a=0.2, b=1, th0=1)
    result = load_model(text=text).simulate(stop_time=2 * math.pi, interval=0.005)
    b = result["b"]
    spline = CubicSpline(result.time, b)
    assert b[0] == pytest.approx(0.98081331, abs=1e-7)
    assert spline(math.pi / 2 - 1) == pytest.approx(1.36143804, abs=1e-6)
    assert spline(math.pi - 1) == pytest.approx(2.21951601, abs=1e-6)
    assert b[-1] == pytest.approx(0.98081331, abs=1e-6)
    extremes = spline(spline.derivative().roots(extrapolate=False))
    assert extremes.min() == pytest.approx(0.67413051, abs=1e-6)
    assert extremes.max() == pytest.approx(2.37279910, abs=1e-6)


def test_sing_06_a_change_point_is_announced():
    """drake#18829: a parallelogram driven through its folded position must not hop branches in silence."""
    text = FOUR_BAR.format(crank=0.5, coupler=1.0, rocker=0.5, a=0, b=-1, th0=-1)
    model = load_model(text=text)
    try:
        result = model.simulate(stop_time=2, interval=0.01)
        account = result.report.to_text()
    except SimulationError as stopped:
        result, account = stopped.result, str(stopped)
    assert "closing" in account
    assert "change point" in account or "singular" in account
    assert result.time[-1] > 0.9
    assert np.max(np.abs(result["b"] - result["th"])[result.time < 0.95]) < 1e-6
    assert np.max(np.abs(result["a"])) < 1e-3


def test_sing_08_steering_through_ninety_degrees():
    """learn-multibody-dynamics#235, #232: no division by cos of the steering angle."""
    text = """\
model Vehicle
  parameter Mass m = 1;
  parameter Inertia J = 0.2;
  parameter Length wheelbase = 1;
  coordinate Length x(start = 0, rate = 1), y(start = 0);
  coordinate Angle yaw(start = 0);
  Angle steer = time*1[rad/s];
  Real ahead[2] = {cos(yaw), sin(yaw)};
  Length rear[2] = {x, y} - wheelbase/2*ahead;
  Length front[2] = {x, y} + wheelbase/2*ahead;
  output Velocity speed = der(rear)*ahead;
  kinetic motion = m/2*(der(x)^2 + der(y)^2) + J/2*der(yaw)^2;
  nonholonomic constraint rear: der(rear)*{-sin(yaw), cos(yaw)} = 0;
  nonholonomic constraint front: der(front)*{-sin(yaw + steer), cos(yaw + steer)} = 0;
end Vehicle;
"""
    result = load_model(text=text).simulate(stop_time=2, interval=0.01, tolerance=1e-9)
    yaw_rate = CubicSpline(result.time, result["der(yaw)"])
    speed = CubicSpline(result.time, result["speed"])
    assert yaw_rate(math.pi / 2) == pytest.approx(1.49071198, abs=1e-6)
    assert speed(math.pi / 2) == pytest.approx(0.0, abs=1e-6)
    assert result["der(yaw)"][-1] == pytest.approx(1.23142770, abs=1e-6)
    assert result["speed"][-1] == pytest.approx(-0.56357219, abs=1e-6)
    assert result["yaw"][-1] == pytest.approx(1.88679238, abs=1e-6)


def test_sing_04_a_rotation_knows_no_pole():
    """drake#14114: through 90 deg of pitch; at t = 3 the x axis is (-0.9899925, 0, -0.14112001)."""
    text = """\
model Spin
  parameter Inertia I[3] = {1, 2, 3};
  coordinate Rotation S(rate = {0, 1, 0});
  AngularVelocity w[3] = angularVelocity(S);
  Angle pitch = eulerZYX(S)[2];
  kinetic turning = w*(I.*w)/2;
end Spin;
"""
    result = load_model(text=text).simulate(stop_time=3, interval=0.1)
    assert result["S"][-1][:, 0] == pytest.approx([-0.98999250, 0.0, -0.14112001], abs=1e-6)


def test_sing_04_angles_at_their_pole_are_named():
    """The same in yaw, pitch and roll: a message that names the angles, never NaN or a jump."""
    text = """\
model Spin
  parameter Inertia I[3] = {1, 2, 3};
  coordinate Angle yaw(start = 0, rate = 0), pitch(start = 0, rate = 1), roll(start = 0, rate = 0);
  Rotation S = rotZ(yaw)*rotY(pitch)*rotX(roll);
  AngularVelocity w[3] = angularVelocity(S);
  kinetic turning = w*(I.*w)/2;
end Spin;
"""
    try:
        result = load_model(text=text).simulate(stop_time=3, interval=0.1)
        account = result.report.to_text()
    except SimulationError as stopped:
        result, account = stopped.result, str(stopped)
    assert np.all(np.isfinite(result["pitch"]))
    assert result["pitch"] == pytest.approx(result.time, abs=1e-6)
    assert "pitch" in account
    assert "Rotation" in account


HANGING = """\
model Hanging
  parameter Mass m = 1;
  parameter Length l = 1;
  parameter Length span = 3;
  parameter Angle q[2] = {0.38243459, 0.67746481} "of the first two links, from the vertical";
  constant Acceleration g = 9.81;
  final parameter Length x[2] = {l*sin(q[1]), l*(sin(q[1]) + sin(q[2]))};
  final parameter Length z[2] = {-l*cos(q[1]), -l*(cos(q[1]) + cos(q[2]))};
  coordinate Length p[4, 2](
    start = {{x[1], z[1]}, {x[2], z[2]}, {span - x[2], z[2]}, {span - x[1], z[1]}}, rate = zeros(4, 2));
  kinetic motion = m/2*sum(der(p[i, :])*der(p[i, :]) for i in 1:4);
  potential gravity = m*g*sum(p[i, 2] for i in 1:4);
  constraint left: p[1, :]*p[1, :] = l^2;
  for i in 1:3 loop
    constraint link: (p[i + 1, :] - p[i, :])*(p[i + 1, :] - p[i, :]) = l^2;
  end for;
  constraint right: (p[4, :] - {span, 0})*(p[4, :] - {span, 0}) = l^2;
  output Force pull[2] = 2*reaction(left)*p[1, :] "of the left link on the first mass";
end Hanging;
"""


def test_loop_03_a_chain_at_rest():
    """dairlib#134, opty#4: nothing accelerates; the left pin carries 19.62 N and 7.89191854 N."""
    result = load_model(text=HANGING).simulate(stop_time=1, interval=0.5)
    for i in range(1, 5):
        for k in (1, 2):
            assert result[f"der(der(p[{i},{k}]))"][0] == pytest.approx(0, abs=1e-6)
    assert result["pull[1]"][0] == pytest.approx(-7.89191854, abs=1e-6)
    assert result["pull[2]"][0] == pytest.approx(19.62, abs=1e-6)
    assert -result["p[2,2]"][-1] == pytest.approx(1.70692317, abs=1e-6)


def test_servo_01_a_prescribed_swing():
    """drake#2623, EXUDYN#10: the driving torque is the multiplier, 3.67642656 N m at 0.7 s."""
    text = """\
model Driven
  parameter Mass m = 1.5;
  parameter Length L = 0.8;
  constant Acceleration g = 9.81;
  coordinate Angle th;
  kinetic motion = m/2*(L*der(th))^2;
  potential gravity = -m*g*L*cos(th);
  constraint drive: th = 0.5*sin(2[rad/s]*time);
end Driven;
"""
    result = load_model(text=text).simulate(stop_time=0.7, interval=0.1)
    assert result["reaction(drive)"][-1] == pytest.approx(3.67642656, abs=1e-7)


CRANE = """\
model Crane
  parameter Mass m_t = 10, m = 2;
  parameter Length l = 1.5;
  constant Acceleration g = 9.81;
  input Force F;
  coordinate Length s(start = 0, rate = 0);
  coordinate Angle th(start = 0, rate = 0);
  Length load[2] = {s + l*sin(th), -l*cos(th)};
  kinetic motion = m_t/2*der(s)^2 + m/2*der(load)*der(load);
  potential gravity = m*g*load[2];
  force drive: F on s;
  servo path: s + l*sin(th) = 0.1[m/s2]*time^2 using F;
end Crane;
"""


def test_servo_03_a_force_that_cannot():
    """pinocchio#2356, rbdl#10: with the rope straight the trolley cannot move the load: said at once."""
    from mbdc import MbdError

    with pytest.raises(MbdError) as refused:
        load_model(text=CRANE).simulate(stop_time=1)
    assert "path" in str(refused.value)
    assert "`F`" in str(refused.value)


def ten_links() -> str:
    return """\
model TenLinks
  structural parameter Integer n = 10;
  parameter Mass m = 1;
  parameter Length L = 1;
  constant Acceleration g = 9.81;
  coordinate Angle q[n](start = {0.1*i for i in 1:n}, rate = {0.05*(-1)^(i - 1) for i in 1:n});
  Length x[n] = {L*sum(sin(q[j]) for j in 1:i) for i in 1:n};
  Length y[n] = {-L*sum(cos(q[j]) for j in 1:i) for i in 1:n};
  kinetic motion = m/2*(der(x)*der(x) + der(y)*der(y));
  potential gravity = m*g*sum(y);
end TenLinks;
"""


def test_perf_01_ten_links():
    """pydy#536, sympy#22626: no symbolic inverse of the mass matrix; closed form to 2e-14."""
    model = load_model(text=ten_links())
    result = model.simulate(stop_time=0.01, interval=0.01)
    expected = [
        5.52894504, -1.81931185, -1.69791047, -1.59355922, -1.50521024,
        -1.43197633, -1.37312208, -1.32805652, -1.29632708, -1.27761514,
    ]  # fmt: skip
    for i, value in enumerate(expected, 1):
        assert result[f"der(der(q[{i}]))"][0] == pytest.approx(value, abs=1e-7)


def test_res_01_the_rod_force_by_name(compiled, tmp_path):
    """pydy#127, #578, #599, sympy#29825: 29.43 N at the lowest point, 0 at the start, here and in CSV."""
    text = """\
model P
  parameter Mass m = 1;
  constant Acceleration g = 9.81;
  coordinate Length x(start = 1), y(start = 0);
  kinetic motion = m/2*(der(x)^2 + der(y)^2);
  potential gravity = m*g*y;
  constraint rod: x^2 + y^2 = 1[m2];
  output Force pull[2] = {reaction(rod, x), reaction(rod, y)} "of the rod on the mass";
end P;
"""
    result = load_model(text=text).simulate(stop_time=1, interval=0.001, tolerance=1e-10)
    force = np.hypot(result["pull[1]"], result["pull[2]"])
    assert force[0] == pytest.approx(0, abs=1e-8)
    assert CubicSpline(result.time, force)(0.59196049) == pytest.approx(29.43, abs=1e-4)
    result.save(tmp_path / "p.csv")
    with (tmp_path / "p.csv").open(newline="") as file:
        table = list(csv.reader(file))
    assert table[0][0] == "time"
    column = table[0].index("reaction(rod)")
    assert [float(row[column]) for row in table[1:]] == pytest.approx(result["reaction(rod)"], rel=1e-12)
    # c = x^2 + y^2 - 1: the force is twice the multiplier times the position.
    assert np.abs(2 * result["reaction(rod)"]) == pytest.approx(force, abs=1e-9)
