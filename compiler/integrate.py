"""One piece of a trajectory by IDAS, in physical units."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from mbdc.dsl.records import frozen, replace

from .idas import ALGEBRAIC_SCALE
from .inputs import Inputs
from .interrupts import at_once
from .kernels import Kernels
from .redundancy import Redundancy

Floats = NDArray[np.float64]


@frozen
class State:
    """A state at a time: x (nx,), z (nz,), and the integrals of the powers since the start, work (np,)."""

    time: float
    x: Floats
    z: Floats
    work: Floats


@frozen
class Piece:
    """What IDAS returned at equal steps: times (k,), x (nx, k), z (nz, k), work (np, k), and its step count."""

    times: Floats
    x: Floats
    z: Floats
    work: Floats
    steps: int

    def head(self, count: int) -> Piece:
        """The first instants."""
        return Piece(self.times[:count], self.x[:, :count], self.z[:, :count], self.work[:, :count], self.steps)

    def state(self, k: int) -> State:
        return State(float(self.times[k]), self.x[:, k], self.z[:, k], self.work[:, k])


FEW_STATES, LEAST_SHARE = 8, 0.25
"""So many states may share what a tolerance allows; for more it is made smaller, down to this part."""


@frozen
class Accuracy:
    """Tolerances of IDAS: relative, and absolute as a part of each state's scale (nx,) and of an energy (J)."""

    relative: float
    absolute: float
    scales: Floats
    energy: float

    @staticmethod
    def asked(tolerance: float, scales: Floats, energy: float, loosened: float = 1.0) -> Accuracy:
        """What a user means by a tolerance takes a tighter one of IDAS, which bounds single steps.

        It also bounds the mean over all states only: among many, few could hold all of the error. `loosened` (1 or
        more) is for stretches where rounding alone exceeds what was asked.
        """
        few = float(np.clip(np.sqrt(FEW_STATES / max(scales.size, 1)), LEAST_SHARE, 1.0))
        relative = max(few * tolerance / 10, 1e-13) * loosened
        return Accuracy(relative, max(few * tolerance / 1000, 1e-13) * loosened, scales, energy)

    def loosened(self, factor: float) -> Accuracy:
        """The same, so many times wider."""
        return replace(self, relative=self.relative * factor, absolute=self.absolute * factor)


@frozen
class Driver:
    """What stays the same over a run: the compiled functions, the parameters (np,) and the inputs."""

    kernels: Kernels
    parameters: Floats
    inputs: Inputs

    def in_modes(self, modes: Floats) -> Driver:
        """The same with other modes (nm,), which are the last of the parameters."""
        return replace(self, parameters=np.concatenate([self.parameters[: self.parameters.size - modes.size], modes]))

    def environment(self, start: float, stop: float) -> Floats:
        """Parameters and signals for a piece, (ne,)."""
        return np.concatenate([self.parameters, self.inputs.column(start, stop)])

    def integrate(
        self,
        state: State,
        stop: float,
        instants: int,
        kappa: float,
        accuracy: Accuracy,
        redundancy: Redundancy | None = None,
    ) -> Piece | None:
        """From a state to `stop`, with results at `instants` equal steps; None where IDAS could not."""
        duration = stop - state.time
        pattern = () if redundancy is None else redundancy.pattern
        run = self.kernels.integrators.over(instants, accuracy.relative, accuracy.absolute, pattern)
        numbers = np.array([kappa, state.time, duration, accuracy.energy])
        parts = [self.environment(state.time, stop), numbers, accuracy.scales]
        z0 = state.z / ALGEBRAIC_SCALE
        if redundancy is not None:
            parts.append(redundancy.numbers)
            z0 = np.concatenate([z0, redundancy.algebraic(z0[self.kernels.forces])])
        said = StringIO()
        try:
            # What IDAS prints about a failure means nothing to a user; who called hears of it by the return.
            with redirect_stderr(said), at_once():
                found = run(x0=state.x / accuracy.scales, z0=z0, p=np.concatenate(parts))
        except RuntimeError as failure:
            # CasADi raises this for every return code of IDAS; anything else is a fault of ours.
            if "IDA" not in str(failure):
                raise
            # CasADi takes Ctrl-C for itself, and shows it as one more failure of IDAS.
            if "KeyboardInterrupt" in said.getvalue():
                raise KeyboardInterrupt from failure
            return None
        # What has grown beyond all numbers is seen below.
        with np.errstate(invalid="ignore", over="ignore"):
            x, work = found["xf"].full(), accuracy.energy * found["qf"].full()
            z = ALGEBRAIC_SCALE * found["zf"].full()[: state.z.size]
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(work))):
            return None
        times = state.time + duration * np.arange(1, instants + 1) / instants
        times[-1] = stop
        x = x * accuracy.scales[:, None]
        return Piece(times, x, z, state.work[:, None] + work, _steps(run))


def _steps(run: ca.Function) -> int:
    return int(run.stats()["nsteps"])
