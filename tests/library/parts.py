"""Models built from the shipped library: statements as text, with all of the library imported."""

from __future__ import annotations

from typing import Any

from mbdc import load_model

LIBRARY = """\
import bodies;
import bodies.RigidBody;
import bodies.RigidBodyByAngles;
import bodies.AttachedBody;
import bodies.PointMass;
import contacts;
import contacts.RollingDisc;
import contacts.RollingSphere;
import contacts.KnifeEdge;
import contacts.Wheel;
import planar;
import planar.PlanarBody;
import joints;
import forces;
import carriers;
import inertias;
"""


def machine(body: str, *, up: str = "{0, 0, 1}", g: float = 9.81, **structure: Any) -> Any:
    """A model of these statements in a world with gravity."""
    world = f"  inner World world(up = {up}, g = {g});"
    return load_model(text=f"{LIBRARY}model Machine\n{world}\n{body}\nend Machine;\n", parameters=structure)
