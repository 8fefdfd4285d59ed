"""Bodies: inertia in any axes, mass centres off the frame, attitudes by angles, and what no body has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbdc import StartError, load_model

BODIES = """\
import bodies.RigidBody;
import bodies.RigidBodyByAngles;
import bodies.PointMass;
import inertias;
"""


def machine(body: str) -> Any:
    return load_model(text=f"{BODIES}model Machine\n  inner World world;\n{body}\nend Machine;\n")


def test_sing_03_unphysical_inertias_are_refused_by_the_body_s_name():
    """robot_descriptions#29: 1 + 1 < 3, and a smallest principal value of -17852 kg m2."""
    model = machine("""\
  RigidBody A(m = 1, I = diagonal({1, 1, 3}));
  RigidBody B(m = 1, I = [16616.493, -2240.0581, 0; -2240.0581, -2240.0581, 16616.324; 0, 16616.324, 0]);
  RigidBody C(m = 1, I = diagonal({1, 1, 2}));
  RigidBody D(m = -1, I = diagonal({1, 1, 1}));
""")
    with pytest.raises(StartError) as refused:
        model.simulate(stop_time=0.1)
    told = [d.message for d in refused.value.diagnostics]
    assert any("`A`" in m and "Ixx + Iyy >= Izz" in m for m in told)
    assert any("`B`" in m and "not positive definite" in m for m in told)
    assert any("`D`" in m and "mass is negative" in m for m in told)
    assert not any("`C`" in m for m in told)


def test_products_of_inertia_count_too():
    """Principal moments 2 - p, 2 + p and 3: no body has them where 2 + p exceeds 2 - p + 3, from p = 1.5."""
    text = "  RigidBody body(m = 1, I = [2, {0}, 0; {0}, 2, 0; 0, 0, 3]);"
    machine(text.format(1.49)).simulate(stop_time=0.1)
    with pytest.raises(StartError, match="greater than the sum of the two others"):
        machine(text.format(1.51)).simulate(stop_time=0.1)


def test_sign_05_inertia_given_in_turned_axes():
    """mujoco#3559: diag(1, 2, 2.5) in axes turned by 90 degrees about z: about x it takes 2 N m."""
    model = machine("""\
  RigidBody body(m = 1, I = diagonal({1, 2, 2.5}), axes = rotZ(90[deg]), S(start = rotX(0)));
  output AngularAcceleration a[3] = der(body.w);
  force turn: {2, 0, 0} on body.S;
""")
    matrix = np.asarray(model.mass_matrix({}))
    assert matrix[3:, 3:] == pytest.approx(np.diag([2.0, 1.0, 2.5]), abs=1e-12)
    result = model.simulate(stop_time=0.01, interval=0.01)
    assert result["a"][0] == pytest.approx([1, 0, 0], abs=1e-9)


@pytest.mark.parametrize("sequence", ["{3, 1, 2}", "{1, 2, 3}", "{3, 2, 1}", "{3, 1, 3}"])
def test_a_body_by_angles_moves_as_one_by_rotation(sequence: str):
    """Free flight with the mass centre off the frame's point: the same motion by any angles."""
    shared = "m = 2, I = [2, 0.1, 0; 0.1, 3, 0.2; 0, 0.2, 4], c = {0.1, -0.2, 0.3}, r(start = {0, 0, 0})"
    model = machine(f"""\
  RigidBodyByAngles one({shared}, sequence = {sequence}, angle(start = {{0.3, 0.4, 0.5}}));
  RigidBody other({shared});
  initial attitude: other.S*{{1, 0, 0}} = one.R*{{1, 0, 0}};
  initial rest: (other.S*{{0, 1, 0}})*(one.R*{{0, 0, 1}}) = 0;
  initial turn: one.w = {{1[rad/s], 2[rad/s], 3[rad/s]}};
  initial same: other.w = {{1[rad/s], 2[rad/s], 3[rad/s]}};
  initial still: der(one.r) = {{0[m/s], 0[m/s], 0[m/s]}};
  initial quiet: der(other.r) = {{0[m/s], 0[m/s], 0[m/s]}};
""")
    result = model.simulate(stop_time=0.3, interval=0.1, tolerance=1e-10)
    assert result["one.C"] == pytest.approx(result["other.C"], abs=1e-8)
    assert result["one.w"] == pytest.approx(result["other.w"], abs=1e-8)


def test_inertias_of_common_solids():
    """Each against its textbook value for m = 3, radius 0.2, height 0.5; a long box and cylinder become rods."""
    model = load_model(
        text="""\
import inertias;
model Solids
  coordinate Length x(start = 0);
  kinetic motion = 1[kg]/2*der(x)^2;
  output Inertia sphere[3,3] = inertias.sphere(3, 0.2), shell[3,3] = inertias.shell(3, 0.2),
    box[3,3] = inertias.box(3, {0.1, 0.2, 0.5}), cylinder[3,3] = inertias.cylinder(3, 0.2, 0.5),
    tube[3,3] = inertias.tube(3, 0.1, 0.2, 0.5), disc[3,3] = inertias.disc(3, 0.2),
    hoop[3,3] = inertias.hoop(3, 0.2), rod[3,3] = inertias.rod(3, 0.5), cone[3,3] = inertias.cone(3, 0.2, 0.5),
    ellipsoid[3,3] = inertias.ellipsoid(3, {0.1, 0.2, 0.5}), torus[3,3] = inertias.torus(3, 0.2, 0.05),
    turned[3,3] = inertias.revolution(2, 1, {0, 1, 0}), moved[3,3] = inertias.moved(identity(3), 3, {0, 0.2, 0});
end Solids;
"""
    )
    result = model.simulate(stop_time=0.1, interval=0.1)
    expected = {
        "sphere": [0.048, 0.048, 0.048],
        "shell": [0.08, 0.08, 0.08],
        "box": [0.0725, 0.065, 0.0125],
        "cylinder": [0.0925, 0.0925, 0.06],
        "tube": [0.1, 0.1, 0.075],
        "disc": [0.03, 0.03, 0.06],
        "hoop": [0.06, 0.06, 0.12],
        "rod": [0.0625, 0.0625, 0.0],
        "cone": [0.046125, 0.046125, 0.036],
        "ellipsoid": [0.174, 0.156, 0.03],
        "torus": [0.0646875, 0.0646875, 0.125625],
        "turned": [1, 2, 1],
        "moved": [1.12, 1, 1.12],
    }
    for name, diagonal in expected.items():
        assert result[name][0] == pytest.approx(np.diag(diagonal), abs=1e-12), name
