"""MonoRollBot in plain CasADi, as in models/monorollbot.mbd, up to a ready IDAS integrator."""

import math

import casadi as ca
from idas import constrained_integrator

R, R_c, m_s, m_c, I_s, I_c, lead = 0.17, 0.0886, 1.30, 1.12, 0.0194, 2.7e-4, 0.0189
k_s, c_d, c_r, c_s, c_theta, g, torque = 370, 620, 103, 0.0052, 0.0124, 9.81, 0.9 * 2 * 0.0307
z_off, travel = R - R_c, lead / (2 * math.pi)

q, v = ca.SX.sym("q", 8), ca.SX.sym("v", 8)
x, y, alpha, beta, gamma, d, theta, r = ca.vertsplit(q)
ca_, sa, cb, sb, cg, sg = (f(u) for u in (alpha, beta, gamma) for f in (ca.cos, ca.sin))
Rz = ca.blockcat([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]])
Ry = ca.blockcat([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
Rx = ca.blockcat([[1, 0, 0], [0, ca_, -sa], [0, sa, ca_]])
S = Rz @ Ry @ Rx
rate = ca.reshape(ca.jtimes(ca.vec(S), q, v), 3, 3)
spin = S.T @ rate
w = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
centre = ca.vertcat(x, y, R)
mass = centre + S @ ca.vertcat(r * ca.cos(theta), r * ca.sin(theta), d - z_off)
vO, vC = ca.jtimes(centre, q, v), ca.jtimes(mass, q, v)

T = m_s / 2 * ca.dot(vO, vO) + I_s / 2 * ca.dot(w, w) + m_c / 2 * ca.dot(vC, vC) + I_c / 2 * v[6] ** 2
V = k_s / 2 * r**2 + m_c * g * mass[2]
D = c_s / 2 * ca.dot(w, w) + c_d / 2 * v[5] ** 2 + c_theta / 2 * v[6] ** 2 + c_r / 2 * v[7] ** 2
Q = ca.vertcat(0, 0, 0, 0, 0, 0, torque, 0)
rolling = (vO - ca.cross(S @ w, ca.vertcat(0, 0, R)))[:2]
screw = d - travel * theta

run = constrained_integrator(q, v, T, V, D, Q, holonomic=screw, nonholonomic=rolling)
print("ready", run.name())
