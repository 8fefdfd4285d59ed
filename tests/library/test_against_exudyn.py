"""The rolling disc beside Exudyn's, run here on the same system: an extra of the tests, skipped where it is missing.

Exudyn's time stepping converges with the square of the step: positions are extrapolated from two step sizes. Its
contact forces swing about the right value from step to step, so they are averaged over neighbouring steps.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from parts import machine

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    exudyn = pytest.importorskip("exudyn", reason="the comparison with Exudyn needs `pip install exudyn`")
    from exudyn import utilities as exu

pytestmark = pytest.mark.filterwarnings("ignore")

END = 0.5
INERTIA = {"{1, 0, 0}": (0.06, 0.12, 0.12), "{0, 1, 0}": (0.12, 0.06, 0.12)}


class Twin:
    """The same wheel in Exudyn: on the ground, or on a heavy turning table; gravity and normal as given."""

    def __init__(self, axis: list[float], inertia: list[float], normal: list[float], table: float | None) -> None:
        self.container = exudyn.SystemContainer()
        self.mbs = mbs = self.container.AddSystem()
        ground = mbs.AddMarker(exu.MarkerBodyRigid(bodyNumber=mbs.AddObject(exu.ObjectGround())))
        self.floor = ground if table is None else self._table(ground, table)
        self.normal = np.asarray(normal, dtype=float)
        self.axis, self.inertia = axis, inertia

    def _table(self, ground: Any, rate: float) -> Any:
        mbs = self.mbs
        turning = exu.AngularVelocity2EulerParameters_t([0, 0, rate], exu.eulerParameters0)
        node = mbs.AddNode(
            exu.NodeRigidBodyEP(
                referenceCoordinates=[0, 0, 0, *exu.eulerParameters0], initialVelocities=[0, 0, 0, *turning]
            )
        )
        body = mbs.AddObject(exu.ObjectRigidBody(nodeNumber=node, mass=50, inertia=[3, 3, 6, 0, 0, 0]))
        marker = mbs.AddMarker(exu.MarkerBodyRigid(bodyNumber=body))
        mbs.AddObject(exu.GenericJoint(markerNumbers=[ground, marker], constrainedAxes=[1, 1, 1, 1, 1, 0]))
        return marker

    def put(self, place: list[float], velocity: list[float], turning: list[float]) -> None:
        """The wheel at a place, its frame along the world's axes."""
        mbs = self.mbs
        rates = exu.AngularVelocity2EulerParameters_t(turning, exu.eulerParameters0)
        self.node = mbs.AddNode(
            exu.NodeRigidBodyEP(
                referenceCoordinates=[*place, *exu.eulerParameters0], initialVelocities=[*velocity, *rates]
            )
        )
        body = mbs.AddObject(exu.ObjectRigidBody(nodeNumber=self.node, mass=2, inertia=[*self.inertia, 0, 0, 0]))
        weight = mbs.AddMarker(exu.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(exu.LoadMassProportional(markerNumber=weight, loadVector=list(-9.81 * self.normal)))
        wheel = mbs.AddMarker(exu.MarkerBodyRigid(bodyNumber=body))
        self.joint = mbs.AddObject(
            exu.ObjectJointRollingDisc(
                markerNumbers=[self.floor, wheel],
                discRadius=0.3,
                discAxis=self.axis,
                planeNormal=list(self.normal),
            )
        )
        mbs.Assemble()

    def run(self, steps: int, end: float) -> dict[str, np.ndarray]:
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = end
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.timeIntegration.generalizedAlpha.useNewmark = True
        settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
        self.mbs.SolveDynamic(settings)
        kinds = exudyn.OutputVariableType

        def output(kind: Any) -> np.ndarray:
            return np.asarray(self.mbs.GetObjectOutput(self.joint, kind))

        return {
            "place": np.asarray(self.mbs.GetNodeOutput(self.node, kinds.Position)),
            "point": output(kinds.Position),
            "trail": output(kinds.Velocity),
            "force": output(kinds.ForceLocal),
            "axes": output(kinds.RotationMatrix).reshape(3, 3),
        }


def converged(make: Any, steps: int = 1000) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Outputs at END extrapolated from halved steps, and the force averaged over three neighbouring steps."""
    coarse, fine = (make().run(n, END) for n in (steps, 2 * steps))
    limit = {name: fine[name] + (fine[name] - coarse[name]) / 3 for name in coarse}
    step = END / (2 * steps)
    before, after = (make().run(2 * steps + k, END + k * step)["force"] for k in (-1, 1))
    return limit, before / 4 + fine["force"] / 2 + after / 4


CASES = {
    "axis along y on the ground": ("{0, 1, 0}", "{0, 0, 1}", None),
    "axis along x on the ground": ("{1, 0, 0}", "{0, 0, 1}", None),
    "axis along y on a slope": ("{0, 1, 0}", "{0.6, 0, 0.8}", None),
    "axis along y on a turntable": ("{0, 1, 0}", "{0, 0, 1}", 1.2),
}


@pytest.mark.parametrize("case", CASES)
def test_every_output_of_the_rolling_disc(case: str) -> None:
    axis, normal, table = CASES[case]
    numbers = [float(x) for x in axis.strip("{}").split(",")]
    upright = [float(x) for x in normal.strip("{}").split(",")]
    turning = [5.0 * numbers[0] + numbers[1], 5.0 * numbers[1] + numbers[0], 0.0]
    place = list(0.3 * np.asarray(upright) + [0.5 * upright[2], 0.2, -0.5 * upright[0]])
    velocity = np.cross(turning, 0.3 * np.asarray(upright)) + np.cross([0, 0, table or 0.0], place)
    inertia = list(INERTIA[axis])

    def make() -> Twin:
        twin = Twin(numbers, inertia, upright, table)
        twin.put(place, list(velocity), turning)
        return twin

    floor = (
        """\
  RigidBody table(m = 50, I = diagonal({3, 3, 6}));
  joints.Revolute bearing(b = table.frame, angle(start = 0, rate = 1.2));
"""
        if table is not None
        else ""
    )
    ours = machine(
        f"""\
{floor}  RigidBody wheel(m = 2, I = diagonal({{{", ".join(map(str, inertia))}}}),
    r(start = {{{", ".join(map(str, place))}}}), S(start = rotX(0), rate = {{{", ".join(map(str, turning))}}}));
  RollingDisc contact({"a = table.frame, " if floor else ""}b = wheel.frame, radius = 0.3, disc_axis = {axis},
    plane_normal = {normal});
""",
        up=normal,
    ).simulate(stop_time=END, interval=END, tolerance=1e-9)
    theirs, force = converged(make)
    assert ours["wheel.r"][-1] == pytest.approx(theirs["place"], abs=2e-7)
    assert ours["contact.point"][-1] == pytest.approx(theirs["point"], abs=2e-7)
    assert ours["contact.trail"][-1] == pytest.approx(theirs["trail"], abs=3e-6)
    # Its lateral axis makes these left-handed, as it is described; ours are the same, and R is a true attitude.
    assert ours["contact.axes"][-1] == pytest.approx(theirs["axes"], abs=2e-6)
    assert np.linalg.det(theirs["axes"]) == pytest.approx(-1, abs=1e-5)
    assert ours["contact.force"][-1] == pytest.approx(force, rel=1e-5, abs=1e-5)
