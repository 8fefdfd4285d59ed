"""The printed formulas of MonoRollBot's paper, typed from it, for one state at a time.

"Full Nonlinear Nonholonomic Dynamics and Motion Analysis of a 3-DoF Underactuated Spherical Rolling Robot":
coordinates (1) are x, y, alpha, beta, gamma, d_a, theta_n, r. Numbers in parentheses are its equations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy import cos, sin
from numpy.typing import NDArray

Vector = NDArray[np.float64] | NDArray[np.complex128]


@dataclass(frozen=True)
class Parameters:
    """R, R_c in m, masses in kg, inertias in kg m2, the screw's lead in m, and the rest in SI units."""

    R: float
    R_c: float
    m_s: float
    m_c: float
    I_s: float
    I_c: float
    lead: float
    k_s: float
    c_s: float
    c_d: float
    c_theta: float
    c_r: float
    g: float = 9.81

    @property
    def z_off(self) -> float:
        return self.R - self.R_c

    @property
    def a(self) -> float:
        return self.lead / (2 * np.pi)


def mass_matrix(q: Vector, p: Parameters) -> Vector:
    """(21a) with the shorthands (22) and (23); complex q is taken, for differentiation."""
    _, _, alpha, beta, gamma, d_a, theta, r = q
    ca, sa, cb, sb = cos(alpha), sin(alpha), cos(beta), sin(beta)
    cg, sg, ct, st = cos(gamma), sin(gamma), cos(theta), sin(theta)
    m, inertia = p.m_c, p.I_s
    delta = d_a - p.z_off
    psi1 = delta * ca * cb - r * sb * ct + r * cb * sa * st
    psi2 = sa * sg + ca * cg * sb
    psi3 = sa * cg - ca * sb * sg
    psi4 = cb * cg * ct - ca * sg * st + cg * sa * sb * st
    psi5 = ca * cg * st + cb * ct * sg + sa * sb * sg * st
    psi6 = ca * ct * sg + cb * cg * st - cg * sa * sb * ct
    psi7 = ca * cg * ct - cb * sg * st + sa * sb * ct * sg
    psi8 = ca * sb * sg - cg * sa
    psi9 = ca * sg - sa * sb * cg
    psi10 = sa * sg + ca * sb * cg
    psi11 = ca * cg + sa * sb * sg
    psi12 = sb * st + cb * sa * ct
    psi13 = sb * ct - cb * sa * st
    upper = {
        (1, 1): m + p.m_s,
        (1, 3): m * (delta * psi9 + r * st * psi10),
        (1, 4): m * cg * psi1,
        (1, 5): m * (delta * psi3 - r * psi5),
        (1, 6): m * psi2,
        (1, 7): -m * r * psi6,
        (1, 8): m * psi4,
        (2, 2): m + p.m_s,
        (2, 3): m * (-delta * psi11 + r * st * psi8),
        (2, 4): m * sg * psi1,
        (2, 5): m * (delta * psi2 + r * psi4),
        (2, 6): m * psi8,
        (2, 7): m * r * psi7,
        (2, 8): m * psi5,
        (3, 3): inertia + m * (delta**2 + r**2 * st**2),
        (3, 4): m * r * ct * (delta * sa - r * ca * st),
        (3, 5): -inertia * sb
        - m * (sb * delta**2 + delta * r * ca * cb * ct + r**2 * sb * st**2 + r**2 * cb * sa * st * ct),
        (3, 6): m * r * st,
        (3, 7): -m * r * ct * delta,
        (3, 8): -m * st * delta,
        (4, 4): inertia + m * (delta**2 * ca**2 + r**2 * (1 - ca**2 * st**2) + 2 * delta * r * ca * sa * st),
        (4, 5): m * delta**2 * sin(2 * alpha) * cb / 2
        - m * r**2 * sin(2 * alpha) * cb * st**2 / 2
        + m * r**2 * sin(2 * theta) * ca * sb / 2
        - m * delta * r * sa * sb * ct
        - m * delta * r * cos(2 * alpha) * cb * st,
        (4, 6): -m * r * ca * ct,
        (4, 7): -m * r * (r * sa + delta * ca * st),
        (4, 8): m * delta * ca * ct,
        (5, 5): inertia
        + m * (delta**2 * (1 - ca**2 * cb**2) + 2 * delta * r * ca * cb * psi13 + r**2 * (ca**2 * cb**2 + psi12**2)),
        (5, 6): -m * r * psi12,
        (5, 7): m * r * (r * ca * cb + delta * psi13),
        (5, 8): m * delta * psi12,
        (6, 6): m,
        (7, 7): m * r**2 + p.I_c,
        (8, 8): m,
    }
    matrix = np.zeros((8, 8), dtype=np.asarray(q).dtype)
    for (i, j), entry in upper.items():
        matrix[i - 1, j - 1] = matrix[j - 1, i - 1] = entry
    return matrix


def quadratic_velocity_vector(q: Vector, v: Vector, p: Parameters) -> Vector:
    """(25) with Christoffel symbols (26), the printed matrix differentiated by complex steps."""
    step = 1e-30
    slopes = np.empty((8, 8, 8))
    for k in range(8):
        moved = q.astype(complex)
        moved[k] += 1j * step
        slopes[:, :, k] = mass_matrix(moved, p).imag / step
    symbols = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 0, 1)) / 2
    return np.einsum("ijk,j,k->i", symbols, v, v)


def gravity_vector(q: Vector, p: Parameters) -> Vector:
    """(27)."""
    _, _, alpha, beta, _, d_a, theta, r = q
    delta = d_a - p.z_off
    weight = p.g * p.m_c
    return np.array(
        [
            0,
            0,
            weight * (-delta * sin(alpha) * cos(beta) + r * cos(beta) * cos(alpha) * sin(theta)),
            weight
            * (-delta * cos(alpha) * sin(beta) - r * cos(beta) * cos(theta) - r * sin(beta) * sin(alpha) * sin(theta)),
            0,
            weight * cos(alpha) * cos(beta),
            weight * r * (sin(beta) * sin(theta) + cos(beta) * sin(alpha) * cos(theta)),
            p.k_s * r + weight * (-sin(beta) * cos(theta) + cos(beta) * sin(alpha) * sin(theta)),
        ]
    )


def height(q: Vector, p: Parameters) -> float:
    """z_c of (13): the moving mass above the sphere's centre."""
    _, _, alpha, beta, _, d_a, theta, r = q
    delta = d_a - p.z_off
    return float(delta * cos(alpha) * cos(beta) - r * sin(beta) * cos(theta) + r * cos(beta) * sin(alpha) * sin(theta))


def damping_vector(v: Vector, p: Parameters) -> Vector:
    """(28)."""
    return np.array([0, 0, p.c_s, p.c_s, p.c_s, p.c_d, p.c_theta, p.c_r]) * v


def rolling_matrix(q: Vector, p: Parameters) -> Vector:
    """A of (10), the rolling constraint (8) as printed."""
    _, _, alpha, beta, *_ = q
    return np.array(
        [
            [1, 0, 0, -p.R * cos(alpha), -p.R * sin(alpha) * sin(beta), 0, 0, 0],
            [0, 1, 0, p.R * sin(alpha), -p.R * cos(alpha) * sin(beta), 0, 0, 0],
        ]
    )


def consistent_rolling_matrix(q: Vector, p: Parameters) -> Vector:
    """No slip for the attitude (2), which (8) is not: x' = R (beta' cos gamma + alpha' sin gamma cos beta),
    y' = R (beta' sin gamma - alpha' cos gamma cos beta)."""
    _, _, _, beta, gamma, *_ = q
    return np.array(
        [
            [1, 0, -p.R * sin(gamma) * cos(beta), -p.R * cos(gamma), 0, 0, 0, 0],
            [0, 1, p.R * cos(gamma) * cos(beta), -p.R * sin(gamma), 0, 0, 0, 0],
        ]
    )


def screw_matrix(p: Parameters) -> Vector:
    """J_h of (20)."""
    return np.array([0, 0, 0, 0, 0, 1, -p.a, 0.0])
