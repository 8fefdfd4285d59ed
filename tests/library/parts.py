"""Models built from the shipped library, as text."""

from __future__ import annotations

from typing import Any

from mbdc import load_model

ROLLING = """\
import bodies.RigidBody;
import bodies.RigidBodyByAngles;
import contacts.RollingDisc;
import contacts.RollingSphere;
import contacts.RollingTorus;
import contacts.KnifeEdge;
import contacts.Wheel;
import inertias;
"""


def rolling(body: str, **structure: Any) -> Any:
    """A model of these statements, with what rolls in sight."""
    return load_model(text=f"{ROLLING}model Machine\n{body}\nend Machine;\n", parameters=structure)
