"""Whatever the text, the end is a result or diagnostics: programs by the thousand, each within bounds.

`python tests/robustness.py --cases 20000` tries that many generated programs and that many mutated shipped
models and prints what came of them; what failed is written to a folder. Every case runs in a process of its
own kind: one that is killed after 5 s of processor time and cannot take more than 1 GB of memory.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Literal

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 5.0
"""Processor time a case may take."""
INTERRUPTED_AFTER = 2.0
"""Processor time after which a run is asked to end."""
MEGABYTES = 1000
"""Memory a case may take, that of the interpreter and the libraries included."""
PATIENCE = 120.0
"""Seconds after which a case that does not even use the processor is given up."""
CASES_PER_WORKER = 300
RUNNING = "running"
"""What a worker says when a model is compiled and its run begins."""
COMMAND: tuple[str, ...] = (sys.executable, __file__, "--worker")

STARTER = """
model Warm
  coordinate Length x(start = 1);
  kinetic k = der(x)^2/2*1[kg];
  potential p = x^2/2*1[N/m];
end Warm;
"""


@dataclass(frozen=True)
class Case:
    """A model, as a text or as the path of a file."""

    name: str
    text: str | None = None
    path: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a case. `detail` holds the codes of the diagnostics, or what went wrong."""

    case: str
    kind: Literal["ran", "stopped", "refused", "failed"]
    detail: str
    seconds: float = 0.0
    megabytes: float = 0.0


# --- in the worker ---------------------------------------------------------------------------


def attempt(case: Case, seconds: float, answers: IO[str]) -> tuple[Literal["ran", "stopped", "refused", "failed"], str]:
    """Compile the model and, where it compiles, run it for three steps."""
    from mbdc import MbdError, load_model

    try:
        model = load_model(case.path) if case.text is None else load_model(text=case.text)
    except MbdError as problem:
        return _refused(problem)
    # A run may be long; then it must come to an end as soon as it is asked to.
    signal.setitimer(signal.ITIMER_PROF, INTERRUPTED_AFTER + seconds)
    print(RUNNING, file=answers, flush=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        model.simulate(stop_time=0.003, interval=0.001)
    except MbdError as problem:
        return ("stopped", type(problem).__name__) if str(problem) else ("failed", "an error without words")
    except KeyboardInterrupt:
        return "stopped", "interrupted"
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return "ran", ""


def _refused(problem: Exception) -> tuple[Literal["refused", "failed"], str]:
    diagnostics = getattr(problem, "diagnostics", ())
    if not any(d.severity == "error" for d in diagnostics):
        return "failed", f"refused without an error: {problem}"
    for diagnostic in diagnostics:
        json.dumps(diagnostic.to_json())
        span = diagnostic.span
        if span is not None and not 0 <= span.start <= span.end <= len(span.source.text):
            return "failed", f"{diagnostic.code} lies outside of the text"
    if not str(problem).strip():
        return "failed", "diagnostics without words"
    return "refused", " ".join(sorted({d.code for d in diagnostics if d.severity == "error"}))


def guarded(case: Case, seconds: float, answers: IO[str], instead: str | None = None) -> Outcome:
    """The case under a limit of processor time, whose signal ends the process; nothing can swallow it."""
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        if instead is not None:
            exec(instead)
        kind, detail = attempt(case, seconds, answers)
    except BaseException as bug:
        kind, detail = "failed", _last_words(bug)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Outcome(case.name, kind, detail, time.process_time() - start, peak)


def _last_words(bug: BaseException) -> str:
    """The exception and the innermost places of our own code."""
    frames = traceback.extract_tb(bug.__traceback__)
    ours = [f for f in frames if Path(f.filename).is_relative_to(ROOT) and "tests" not in f.filename]
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(ours[-3:]))
    return f"{type(bug).__name__}: {str(bug)[:300]} [{places}]"


def serve(seconds: float, instead: str | None) -> None:
    """Cases as lines of JSON in, outcomes out; stray output of libraries goes nowhere.

    `instead` is a statement to run in place of each case, to see that what goes wrong is noticed.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A warning of a library would reach the user as it is.
    warnings.simplefilter("error")
    # But with numbers of 1e300 in a model nothing else is to be expected.
    warnings.filterwarnings("ignore", "overflow", RuntimeWarning)
    with open(os.devnull, "w") as unheard:
        assert guarded(Case("warm", STARTER), seconds, unheard).kind == "ran"
    _limit_memory()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        outcome = guarded(Case(**json.loads(line)), seconds, answers, instead)
        print(json.dumps(asdict(outcome)), file=answers, flush=True)


def _limit_memory() -> None:
    pages = Path("/proc/self/statm").read_text().split()
    size, resident = (int(count) * resource.getpagesize() for count in pages[:2])
    limit = size + MEGABYTES * 1024**2 - resident
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # A killed case is an outcome like any other and leaves no core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _processor_time(process: int) -> float:
    """Seconds a process has used so far, in its own name and the kernel's."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- in the parent ---------------------------------------------------------------------------


class Worker:
    """A process that takes one case after another, replaced when it dies or has served its time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0
        self._heard = b""

    def run(self, case: Case) -> Outcome:
        process = self._ready()
        assert process.stdin is not None
        process.stdin.write(json.dumps(asdict(case)).encode() + b"\n")
        process.stdin.flush()
        answer = self._answer(process)
        self._served += 1
        if answer is None:
            return self._died(case, process)
        outcome = Outcome(**json.loads(answer))
        if outcome.megabytes > MEGABYTES:
            outcome = Outcome(case.name, "failed", f"took {outcome.megabytes:.0f} MB", outcome.seconds)
        if self._served >= CASES_PER_WORKER or outcome.megabytes > MEGABYTES / 2:
            self.close()
        return outcome

    def close(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # What was not yet written has no reader any more.
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._process = None

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": ""}
        self._process = subprocess.Popen(
            [*COMMAND, "--seconds", str(self._seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | single,
        )
        self._served = 0
        self._heard = b""
        if self._answer(self._process) != "ready":
            raise RuntimeError("the worker does not even run the model it warms up with")
        return self._process

    def _answer(self, process: subprocess.Popen[bytes]) -> str | None:
        """The next line but the one that says a run begins; None where the process is dead or silent."""
        began = time.monotonic()
        interrupt_at: float | None = None
        while time.monotonic() < began + PATIENCE:
            line, found, rest = self._heard.partition(b"\n")
            if found:
                self._heard = rest
                if line.decode() != RUNNING:
                    return line.decode()
                interrupt_at = _processor_time(process.pid) + INTERRUPTED_AFTER
            elif self._hear(process):
                if not self._heard:
                    return None
            elif interrupt_at is not None and _processor_time(process.pid) > interrupt_at:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        return None

    def _hear(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether something came, if only the end."""
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], 0.1)[0]:
            return False
        heard = os.read(process.stdout.fileno(), 1 << 16)
        self._heard = self._heard + heard if heard else b""
        return True

    def _died(self, case: Case, process: subprocess.Popen[bytes]) -> Outcome:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        code = process.returncode
        self.close()
        if code is None:
            return Outcome(case.name, "failed", f"no answer for {PATIENCE:.0f} s", PATIENCE)
        if code == -signal.SIGPROF:
            return Outcome(case.name, "failed", f"over {self._seconds:.0f} s", self._seconds)
        what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome(case.name, "failed", f"the process died: {what}")


def run_all(cases: Iterable[Case], workers: int, seconds: float, seen: Callable[[Case, Outcome], None]) -> None:
    """Every case through one of the workers; `seen` is called with each as it ends."""
    queue = iter(cases)
    lock = threading.Lock()

    def drain() -> None:
        with contextlib.closing(Worker(seconds)) as worker:
            while True:
                with lock:
                    case = next(queue, None)
                if case is None:
                    return
                outcome = worker.run(case)
                with lock:
                    seen(case, outcome)

    threads = [threading.Thread(target=drain) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- cases -----------------------------------------------------------------------------------


def shipped_models() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "models").glob("*.mbd"))]


def generated(count: int, first: int = 0) -> Iterator[Case]:
    from generate import random_program

    for number in range(first, first + count):
        yield Case(f"generated-{number}", random_program(random.Random(f"generated {number}")))


def mutated(count: int, first: int = 0) -> Iterator[Case]:
    from generate import mutate

    models = shipped_models()
    for number in range(first, first + count):
        rng = random.Random(f"mutated {number}")
        text = models[number % len(models)]
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            text = mutate(rng, text)
        yield Case(f"mutated-{number}", text)


# --- the command -----------------------------------------------------------------------------


def main() -> int:
    options = _options()
    if options.worker:
        serve(options.seconds, options.instead)
        return 0
    families = {"generated": generated, "mutated": mutated}
    cases = itertools.chain.from_iterable(
        families[kind](options.cases, options.first) for kind in options.only or families
    )
    outcomes: list[Outcome] = []

    def seen(case: Case, outcome: Outcome) -> None:
        outcomes.append(outcome)
        if outcome.kind == "failed":
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{case.name}.mbd").write_text(case.text or "", encoding="utf-8")
            print(f"{case.name}: {outcome.detail}", flush=True)
        if len(outcomes) % 1000 == 0:
            print(f"... {len(outcomes)}", flush=True)

    run_all(cases, options.workers, options.seconds, seen)
    print(summary(outcomes))
    return 1 if any(outcome.kind == "failed" for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try generated programs and mutated models.")
    parser.add_argument("--cases", type=int, default=20000, help="how many of each")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--only", choices=("generated", "mutated"), action="append")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of processor time, for each")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("robustness-failures"), help="where failures go")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--instead", help=argparse.SUPPRESS)
    return parser.parse_args()


def summary(outcomes: list[Outcome]) -> str:
    lines = []
    for family in sorted({outcome.case.split("-")[0] for outcome in outcomes}):
        own = [outcome for outcome in outcomes if outcome.case.startswith(family)]
        counts = collections.Counter(outcome.kind for outcome in own)
        codes = collections.Counter(code for o in own if o.kind == "refused" for code in o.detail.split())
        slowest = max(own, key=lambda outcome: outcome.seconds)
        largest = max(own, key=lambda outcome: outcome.megabytes)
        lines += [
            f"{family}: {dict(counts)}",
            f"  slowest: {slowest.case} with {slowest.seconds:.2f} s",
            f"  largest: {largest.case} with {largest.megabytes:.0f} MB",
            f"  {len(codes)} codes: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()),
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
