"""Ways to write constrained motion as equations an integrator can follow, one a file, to be compared."""
