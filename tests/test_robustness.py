"""No text may break the compiler: a result or diagnostics, within 5 s of processor time and 1 GB.

Here a case may take longer, so that a slow machine fails nothing.

The whole of it, 20,000 programs and 20,000 mutated models, is `python tests/robustness.py --cases 20000`, or
this file with `MBDC_ROBUSTNESS_CASES=20000` in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import attacks
import pytest
import robustness
from robustness import Case, Outcome, Worker

CASES = int(os.environ.get("MBDC_ROBUSTNESS_CASES", "120"))
SECONDS = 20.0


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker(SECONDS)
    yield worker
    worker.close()


@pytest.mark.slow
@pytest.mark.parametrize("family", [robustness.generated, robustness.mutated])
def test_any_text_ends_well(family: Callable[[int], Iterator[Case]], worker: Worker) -> None:
    outcomes = [worker.run(case) for case in family(CASES)]
    assert [outcome for outcome in outcomes if outcome.kind == "failed"] == []
    # The sample says something only where some of it compiles and some does not.
    assert {"ran", "refused"} <= {outcome.kind for outcome in outcomes}


@pytest.mark.parametrize("name", attacks.ACCEPTED)
def test_unusual_text_is_accepted(name: str, worker: Worker) -> None:
    outcome = worker.run(Case(name, attacks.ACCEPTED[name]))
    assert (outcome.kind, outcome.detail) == ("ran", "")


@pytest.mark.parametrize("name", attacks.REFUSED)
def test_attack_is_refused(name: str, worker: Worker) -> None:
    outcome = worker.run(Case(name, attacks.REFUSED[name]))
    assert outcome.kind == "refused", outcome


@pytest.mark.parametrize("name", attacks.EITHER)
def test_attack_ends_well(name: str, worker: Worker) -> None:
    outcome = worker.run(Case(name, attacks.EITHER[name]))
    assert outcome.kind != "failed", outcome


@pytest.mark.parametrize("name", attacks.FILES)
def test_attack_by_a_file_is_refused(name: str, worker: Worker, tmp_path: Path) -> None:
    outcome = worker.run(Case(name, path=str(attacks.FILES[name](tmp_path))))
    assert outcome.kind == "refused", outcome


# --- the harness itself: what it must see, it sees ---------------------------------------------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("raise ValueError('bug')", "ValueError: bug"),
        ("while True: pass", "over 2 s"),
        ("bytearray(2**30)", "MemoryError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "the process died: SIGSEGV"),
    ],
)
def test_failures_are_seen(statement: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "COMMAND", (*robustness.COMMAND, "--instead", statement))
    worker = Worker(2.0)
    try:
        outcome: Outcome = worker.run(Case("bug", "model M end M;"))
    finally:
        worker.close()
    assert outcome.kind == "failed"
    assert expected in outcome.detail
