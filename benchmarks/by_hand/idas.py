"""What the three hand-written scripts share: Lagrange's equations with multipliers, handed to IDAS."""

import casadi as ca

OPTIONS = {
    "suppress_algebraic": True,
    "cj_scaling": True,
    "max_num_steps": 200_000,
    "reltol": 1e-9,
    "abstol": 1e-11,
}


def constrained_integrator(q, v, T, V, D=0, Q=0, holonomic=None, nonholonomic=None, kappa=20.0):
    """IDAS over 500 instants of 5 s; constraints differentiated to accelerations and kept attracting."""
    none = ca.SX(0, 1)
    holonomic = none if holonomic is None else holonomic
    nonholonomic = none if nonholonomic is None else nonholonomic
    n, a = q.numel(), ca.SX.sym("a", q.numel())
    multipliers = ca.SX.sym("multipliers", holonomic.numel() + nonholonomic.numel())
    state, rate = ca.vertcat(q, v), ca.vertcat(v, a)

    momentum = ca.gradient(T, v)
    A = ca.vertcat(ca.jacobian(holonomic, q), ca.jacobian(nonholonomic, v))
    motion = ca.jtimes(momentum, state, rate) - ca.gradient(T - V, q) + ca.gradient(D + ca.SX(0), v) - Q
    motion -= A.T @ multipliers
    first = ca.jtimes(holonomic, q, v)
    second = ca.jtimes(first, state, rate) + 2 * kappa * first + kappa**2 * holonomic
    levels = ca.vertcat(second, ca.jtimes(nonholonomic, state, rate) + kappa * nonholonomic)

    dae = {
        "x": state,
        "z": ca.vertcat(a, multipliers),
        "ode": rate,
        "alg": ca.vertcat(motion, levels),
    }
    assert dae["alg"].numel() == n + multipliers.numel()
    return ca.integrator("run", "idas", dae, 0.0, [k / 100 for k in range(1, 501)], OPTIONS)
