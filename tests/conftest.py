"""What several test folders share: where the models lie, and models compiled once a session."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Tests run side by side: threads of their own would wait for each other over small matrices. Read when NumPy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write the golden files anew from what is told now")


def model_path(stem: str) -> Path:
    """The file of a shipped model or of one of the oracles' own."""
    shipped = ROOT / "models" / f"{stem}.mbd"
    return shipped if shipped.exists() else ROOT / "tests" / "oracles" / f"{stem}.mbd"


@pytest.fixture(scope="session")
def compiled() -> Callable[..., Any]:
    """`compiled("pendulum", L=2)`: the model of that file, each combination compiled once."""
    from mbdc import load_model

    store: dict[tuple[object, ...], Any] = {}

    def load(stem: str, **parameters: float) -> Any:
        key = (stem, *sorted(parameters.items()))
        if key not in store:
            store[key] = load_model(model_path(stem), parameters=parameters)
        return store[key]

    return load


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the shipped models in it, as in a fresh clone, that may be written to."""
    shutil.copytree(ROOT / "models", tmp_path / "models")
    return tmp_path
