"""Compilation leaves Python's garbage collection as it was."""

from __future__ import annotations

import gc

import pytest

from mbdc import ModelError, load_model


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize(
    "text", ["model A coordinate Length x(start = 1); kinetic k = der(x)^2/2*1[kg]; end A;", "model"]
)
def test_collection_is_as_it_was(text: str, enabled: bool) -> None:
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        try:
            load_model(text=text)
        except ModelError:
            assert text == "model"
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
