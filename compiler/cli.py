"""The command `mbdc`: a model's text to its trajectory in a file, or a stage of its compilation as text.

Only click is imported here at once; everything else when it is needed, so that `mbdc --help` answers
at once. Exit codes: 0 done, 1 the model or its start is wrong, 2 wrong usage, 3 the run stopped early
(what was computed is kept), 70 a bug in mbdc.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from mbdc.dsl.records import frozen

if TYPE_CHECKING:
    from .formulations.formulation import FormulationName
    from .model import Model
    from .settings import Setting, SortedSettings
    from .trajectory import Result
    from .voice import Voice

DONE, WRONG_MODEL, WRONG_USAGE, STOPPED_EARLY, BUG, INTERRUPTED = 0, 1, 2, 3, 70, 130

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit with its code."""
    # The matrices of a run are small: threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_answer(words))


def _answer(words: list[str]) -> int:
    """The exit code of a command line; whatever goes wrong is told here."""
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except click.UsageError as wrong:
        return _tell_usage(wrong, words)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted: nothing was written.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as bug:
        from .bug import report_bug

        return report_bug(bug, words, BUG)


def _dispatch(words: list[str]) -> int:
    if not words:
        words = ["--help"]
    others = {"show": _show, "compare": _compare}
    command, rest = (others[words[0]], words[1:]) if words[0] in others else (_run, words)
    name = f"mbdc {words[0]}" if command is not _run else "mbdc"
    code: int = command.main(rest, prog_name=name, standalone_mode=False) or DONE
    return code


def _tell_usage(wrong: click.UsageError, words: list[str]) -> int:
    if "--json" in words:
        from .voice import JsonVoice

        JsonVoice().usage(wrong.format_message(), WRONG_USAGE)
    else:
        wrong.show()
    return WRONG_USAGE


def _positive(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} is not a positive number")
    return value


@frozen
class _Order:
    """What the command line asks for."""

    path: Path
    model: str | None
    settings: tuple[str, ...]
    stop_time: float | None
    interval: float | None
    tolerance: float | None
    output: Path
    check: bool
    strict: bool
    project: bool = False


@click.command(
    context_settings=_HELP,
    epilog="mbdc show MODEL.mbd --stage syntax|flat|equations|reduced prints a stage of the compilation;"
    " mbdc compare MODEL.mbd runs formulations of the equations side by side.",
)
@click.argument("path", metavar="MODEL.mbd", type=click.Path(path_type=Path))
@click.option("--model", metavar="NAME", help="Which model of the file; the last one if not given.")
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Give a parameter, an input or a start: L=0.4, alpha.start=5[deg], x.rate=1. May be repeated.",
)
@click.option("--stop-time", type=float, metavar="SECONDS", callback=_positive, help="How long to simulate.")
@click.option("--interval", type=float, metavar="SECONDS", callback=_positive, help="Time between recorded instants.")
@click.option("--tolerance", type=float, metavar="E", callback=_positive, help="Relative tolerance.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Where to write; MODEL.csv in the current folder if not given.",
)
@click.option("--check", is_flag=True, help="Stop before the run.")
@click.option("--project", is_flag=True, help="Move start values that break a constraint, the least way.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document: diagnostics, system, report.")
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.option("--quiet", "-q", is_flag=True, help="Print warnings and errors only.")
@click.version_option(package_name="mbdc", message="mbdc %(version)s")
def _run(
    path: Path,
    model: str | None,
    settings: tuple[str, ...],
    stop_time: float | None,
    interval: float | None,
    tolerance: float | None,
    output: Path | None,
    check: bool,
    project: bool,
    as_json: bool,
    strict: bool,
    quiet: bool,
) -> int:
    """Compile a mechanical system, simulate it, and write its motion to a table.

    The text says what the system is: coordinates, energies, constraints, forces. What is printed says
    what was found in it and how well the run kept to it.
    """
    from .voice import JsonVoice, TextVoice

    target = output if output is not None else Path(f"{path.stem}.csv")
    order = _Order(path, model, settings, stop_time, interval, tolerance, target, check, strict, project)
    _verify_file(path)
    if not check:
        _verify_output(target)
    return _carry_out(order, JsonVoice() if as_json else TextVoice(quiet=quiet))


def _carry_out(order: _Order, voice: Voice) -> int:
    from .errors import ModelError, SimulationError, StartError
    from .model import load_model

    try:
        settings = _settings(order)
        model = load_model(order.path, model=order.model, parameters=settings.parameters, strict=order.strict)
        voice.system(model)
        if order.check:
            return voice.finish(DONE)
        result = _simulate(model, order, settings, voice)
    except (ModelError, StartError) as wrong:
        voice.complain(wrong)
        return voice.finish(WRONG_MODEL)
    except SimulationError as stopped:
        voice.complain(stopped)
        voice.report(stopped.result, _save(stopped.result, order.output, voice))
        return voice.finish(STOPPED_EARLY)
    voice.report(result, _save(result, order.output, voice))
    return voice.finish(DONE)


def _simulate(model: Model, order: _Order, settings: SortedSettings, voice: Voice) -> Result:
    with voice.progress() as progress:
        return model.simulate(
            stop_time=order.stop_time,
            interval=order.interval,
            tolerance=order.tolerance,
            inputs=settings.inputs,
            start=settings.starts,
            project=order.project,
            progress=progress,
        )


def _settings(order: _Order) -> SortedSettings:
    """The `--set` values, told apart by what the model declares."""
    from .settings import SettingError, SortedSettings, sort_settings

    if not order.settings:
        return SortedSettings()
    from mbdc.dsl.analyse import analyse
    from mbdc.dsl.files import read_source

    try:
        settings = [_setting(text) for text in order.settings]
        # Structural parameters decide which variables there are, so they are put in before asking for them.
        structure = {s.name: s.value for s in settings if not isinstance(s.value, list)}
        flat = analyse(read_source(order.path), model=order.model, structure=structure).flat
        # Without a flat model the text itself is wrong, and compiling it says how.
        return sort_settings(settings, flat) if flat is not None else SortedSettings()
    except SettingError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--set") from wrong


def _setting(text: str) -> Setting:
    from mbdc.dsl.parse import parse
    from mbdc.dsl.source import Source

    from .settings import SettingError, as_module, evaluate, expression_in, split_setting

    name, value = split_setting(text)
    module, complaints = parse(Source("--set", as_module(value)))
    if complaints:
        raise SettingError(f"the value of `{name}`: {complaints[0].message}")
    return evaluate(name, expression_in(name, module))


def _save(result: Result, output: Path, voice: Voice) -> Path:
    """Where the result was written: the output, or a temporary folder if that cannot be written any more."""
    try:
        result.save(output)
        return output
    except OSError as refused:
        import tempfile

        refuge = Path(tempfile.mkdtemp(prefix="mbdc-")) / output.name
        result.save(refuge)
        voice.warn(f"{output} cannot be written ({refused.strerror}): the result is in {refuge}")
        return refuge


def _verify_file(path: Path) -> None:
    if path.is_dir():
        raise click.BadParameter(f"{path} is a folder, not a model file", param_hint="MODEL.mbd")
    if not path.exists():
        raise click.BadParameter(f"there is no file {path}{_near(path)}", param_hint="MODEL.mbd")
    if not os.access(path, os.R_OK):
        raise click.BadParameter(f"{path} may not be read", param_hint="MODEL.mbd")


def _near(path: Path) -> str:
    from mbdc.dsl.nearest import nearest

    folder = path.parent
    names = [p.name for p in folder.glob("*.mbd")] if folder.is_dir() else []
    near = nearest(path.name, names)
    return f"; did you mean {folder / near[0]}?" if near else ""


def _verify_output(path: Path) -> None:
    """Refuse an output that cannot be written before the run, not after it."""
    from .files import why_not_writable
    from .trajectory import check_suffix

    try:
        check_suffix(path)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong), param_hint="-o") from wrong
    reason = why_not_writable(path)
    if reason:
        raise click.BadParameter(reason, param_hint="-o")


STAGES = ("syntax", "flat", "equations", "reduced")


@click.command(context_settings=_HELP)
@click.argument("path", metavar="MODEL.mbd", type=click.Path(path_type=Path))
@click.option("--model", metavar="NAME", help="Which model of the file; the last one if not given.")
@click.option(
    "--stage",
    type=click.Choice(STAGES),
    default="equations",
    show_default=True,
    help="syntax: the text as read; flat: all parts put together; equations: the equations of motion;"
    " reduced: what was differentiated, and the hidden constraints.",
)
def _show(path: Path, model: str | None, stage: str) -> int:
    """Print a stage of the compilation of a model as text."""
    from mbdc.dsl.files import read_source

    from .errors import ModelError
    from .stages import show_stage
    from .voice import TextVoice

    _verify_file(path)
    voice = TextVoice(quiet=False)
    try:
        click.echo(show_stage(read_source(path), model, stage))
    except ModelError as wrong:
        voice.complain(wrong)
        return voice.finish(WRONG_MODEL)
    return DONE


FORMULATIONS: tuple[FormulationName, ...] = ("attraction", "baumgarte", "ggl", "udwadia-kalaba", "null-space")


@click.command(context_settings=_HELP)
@click.argument("path", metavar="MODEL.mbd", type=click.Path(path_type=Path))
@click.option("--model", metavar="NAME", help="Which model of the file; the last one if not given.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="As for a run. May be repeated.")
@click.option("--stop-time", type=float, metavar="SECONDS", callback=_positive, help="How long to simulate.")
@click.option("--interval", type=float, metavar="SECONDS", callback=_positive, help="Time between recorded instants.")
@click.option("--tolerance", type=float, metavar="E", callback=_positive, help="Relative tolerance.")
@click.option(
    "--only",
    type=click.Choice(FORMULATIONS),
    multiple=True,
    help="A formulation to run beside the default; all of them if not given. May be repeated.",
)
@click.option(
    "--gains",
    type=click.FloatRange(min=0, max=1e300),
    nargs=2,
    default=(10.0, 10.0),
    show_default="10 10",
    metavar="ALPHA BETA",
    help="Baumgarte's, in 1/s.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", "-q", is_flag=True, help="Leave notes and progress out.")
def _compare(
    path: Path,
    model: str | None,
    settings: tuple[str, ...],
    stop_time: float | None,
    interval: float | None,
    tolerance: float | None,
    only: tuple[FormulationName, ...],
    gains: tuple[float, float],
    as_json: bool,
    quiet: bool,
) -> int:
    """Run formulations of a model's equations side by side from one start, and print how they differ.

    The first is the one every run uses; the others are there to be compared with it. One that cannot take
    the model says why.
    """
    from .voice import JsonVoice, TextVoice

    order = _Order(path, model, settings, stop_time, interval, tolerance, Path(), True, False)
    _verify_file(path)
    voice = JsonVoice() if as_json else TextVoice(quiet=quiet)
    return _set_side_by_side(order, only or FORMULATIONS, gains, voice)


def _set_side_by_side(
    order: _Order, formulations: Sequence[FormulationName], gains: tuple[float, float], voice: Voice
) -> int:
    from .errors import ModelError, StartError
    from .model import load_model

    try:
        settings = _settings(order)
        model = load_model(order.path, model=order.model, parameters=settings.parameters)
        voice.notes(model)
        with voice.progress() as progress:
            comparison = model.compare(
                formulations,
                stop_time=order.stop_time,
                interval=order.interval,
                tolerance=order.tolerance,
                inputs=settings.inputs,
                start=settings.starts,
                progress=progress,
                gains=gains,
            )
    except (ModelError, StartError) as wrong:
        voice.complain(wrong)
        return voice.finish(WRONG_MODEL)
    voice.comparison(comparison)
    return voice.finish(STOPPED_EARLY if comparison.stopped else DONE)
