"""A `.mbd` file to a ready IDAS integrator, as a run begins it."""

import sys

from mbdc import load_model

model = load_model(sys.argv[1])
run = model._built.kernels.integrators.over(500, 1e-9, 1e-11)
print("ready", run.name())
