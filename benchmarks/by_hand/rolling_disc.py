"""The rolling disc in plain CasADi, as in models/rolling_disc.mbd, up to a ready IDAS integrator."""

import casadi as ca
from idas import constrained_integrator

m, r, g = 1.0, 0.5, 9.81
I_axle, I_diameter = m * r**2 / 2, m * r**2 / 4

q, v = ca.SX.sym("q", 5), ca.SX.sym("v", 5)
x, y, yaw, lean, spin = ca.vertsplit(q)
C = ca.vertcat(x, y, r * ca.cos(lean))
vC = ca.jtimes(C, q, v)
about_axle = v[4] + v[2] * ca.sin(lean)

T = m / 2 * ca.dot(vC, vC) + I_axle / 2 * about_axle**2
T += I_diameter / 2 * (v[3] ** 2 + (v[2] * ca.cos(lean)) ** 2)
V = m * g * C[2]
rolling = v[0] * ca.cos(yaw) + v[1] * ca.sin(yaw) - r * about_axle
grip = v[1] * ca.cos(yaw) - v[0] * ca.sin(yaw) + r * ca.cos(lean) * v[3]

run = constrained_integrator(q, v, T, V, nonholonomic=ca.vertcat(rolling, grip))
print("ready", run.name())
