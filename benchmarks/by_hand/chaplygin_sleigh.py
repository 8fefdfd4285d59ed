"""Chaplygin's sleigh in plain CasADi, as in models/chaplygin_sleigh.mbd, up to a ready IDAS integrator."""

import casadi as ca
from idas import constrained_integrator

m, inertia, ahead = 1.0, 0.5, 0.3

q, v = ca.SX.sym("q", 3), ca.SX.sym("v", 3)
x, y, heading = ca.vertsplit(q)
blade = ca.vertcat(x, y) - ahead * ca.vertcat(ca.cos(heading), ca.sin(heading))
left = ca.vertcat(-ca.sin(heading), ca.cos(heading))

T = m / 2 * (v[0] ** 2 + v[1] ** 2) + inertia / 2 * v[2] ** 2
edge = ca.dot(ca.jtimes(blade, q, v), left)

run = constrained_integrator(q, v, T, ca.SX(0), nonholonomic=edge)
print("ready", run.name())
