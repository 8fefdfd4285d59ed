"""Constraint rows that repeat others: what they cost, and that the motion is what it is without them."""

from __future__ import annotations

import numpy as np
import pytest

from mbdc import Model, load_model
from mbdc.compiler.redundancy import Redundancy, find_redundancy

LOOPS = """\
import bodies.RigidBody;
import joints.Revolute;
model Loop "a four-bar linkage with spatial hinges: three of its rows repeat others"
  Length away;
  RigidBody crank(m = 1, I = 0.02*identity(3), c = {{0.25, 0, 0}}, r(guess = {{0, 0, away}}));
  RigidBody coupler(m = 1, I = 0.12*identity(3), c = {{0.6, 0, 0}}, r(guess = {{0.3, 0.4, away}}));
  RigidBody rocker(m = 1, I = 0.05*identity(3), c = {{0.4, 0, 0}}, r(guess = {{1, 0, away}}), S(guess = rotZ(1)));
  Revolute O(at_a = {{0, 0, away}}, b = crank.frame, angle(start = 1, rate = 1));
  Revolute A(a = crank.frame, at_a = {{0.5, 0, 0}}, b = coupler.frame);
  Revolute B(a = rocker.frame, at_a = {{0.8, 0, 0}}, b = coupler.frame, at_b = {{1.2, 0, 0}});
  Revolute C(at_a = {{1, 0, away}}, b = rocker.frame, angle(guess = 1));
end Loop;
model Loops
  inner World world(up = {{0, 1, 0}});
  for i in 1:{count} loop
    Loop loop(away = i*1[m]);
  end for;
end Loops;
"""

PENDULUM = """\
model Pendulum
  coordinate Length x(start = 0.6, rate = 0), y(start = -0.8);
  kinetic T = 1[kg]/2*(der(x)^2 + der(y)^2);
  potential V = 9.81[N]*y;
  constraint rod: x^2 + y^2 = 1[m2];
  {more}
end Pendulum;
"""


def loops(count: int) -> Model:
    return load_model(text=LOOPS.format(count=count), model="Loops")


def dependence(model: Model) -> Redundancy:
    trial = model._trial(None, None, None, None, None, None)
    start, driver = trial.start, trial.driver
    found = find_redundancy(driver.kernels, start.time, start.x, driver.environment(start.time, start.time))
    assert found is not None
    return found


def test_loops_that_do_not_depend_on_each_other_are_not_tied_together():
    one, three = dependence(loops(1)), dependence(loops(3))
    assert len(one.pattern) == 3
    assert len(three.pattern) == 9
    assert sum(map(len, three.pattern)) == 3 * sum(map(len, one.pattern))


def test_many_loops_move_as_one_does():
    one, two = (loops(count).simulate(stop_time=0.5, interval=0.05) for count in (1, 2))
    for k in (1, 2):
        assert np.abs(two[f"loop[{k}].O.angle"] - one["loop[1].O.angle"]).max() < 1e-7


@pytest.mark.parametrize("more", ["constraint again: x^2 + y^2 = 1[m2];", "constraint again: x*der(x) + y*der(y) = 0;"])
def test_a_row_said_twice_changes_nothing(more: str):
    once = load_model(text=PENDULUM.format(more="")).simulate(stop_time=3, interval=0.1)
    twice = load_model(text=PENDULUM.format(more=more)).simulate(stop_time=3, interval=0.1)
    assert np.abs(twice["x"] - once["x"]).max() < 1e-7
    assert np.abs(twice["x"] ** 2 + twice["y"] ** 2 - 1).max() < 1e-13


def test_a_law_that_contains_a_reaction_gets_its_share_of_the_least_ones():
    law = "force drag: -{part}*0.1[s]*abs(reaction(rod))*{{der(x), der(y)}} on {{x, y}};"
    again = "constraint again: x^2 + y^2 = 1[m2]; "
    once = load_model(text=PENDULUM.format(more=law.format(part=0.5))).simulate(stop_time=2, interval=0.1)
    twice = load_model(text=PENDULUM.format(more=again + law.format(part=1))).simulate(stop_time=2, interval=0.1)
    assert np.abs(twice["x"] - once["x"]).max() < 1e-7
    assert np.abs(twice["reaction(rod)"] - once["reaction(rod)"] / 2).max() < 1e-6
