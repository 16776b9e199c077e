"""`moot calibrate`: find a calibrated stopping threshold from the runs of an experiment."""

import asyncio
from pathlib import Path
from typing import Annotated, get_args

from typer import Argument, Option

from ...state.errors import InputError
from ...state.positions.calibrated_stop import CalibratedStop, StopSignal
from ..display.plain_text import format_json
from ..display.screen import LABEL_STYLE, Screen
from ..experiment.data import ExperimentRun, has_only_rehearsals, load_experiment_runs
from ..experiment.entry import restore_plan
from ..experiment.plan import Plan
from ..experiment.planned_runs import list_conditions
from ..experiment.wording import translate_for_plan
from ..run.command_options import AsJson, Database
from ..saved import open_database

ExperimentName = Annotated[str, Argument(metavar="NAME", help="Name of an experiment in the database.")]
ConditionOption = Annotated[str, Option("--condition", metavar="LABEL", help="Which condition, if there are several.")]
SignalsOption = Annotated[
    list[str],
    Option("--signal", metavar="SCORE", help="share (the default), certainty, agreement; again for more."),
]
RiskOption = Annotated[float, Option("--delta", metavar="X", help="Share of runs that may end with another decision.")]
ErrorRateOption = Annotated[float, Option("--epsilon", metavar="X", help="Chance that the promise does not hold.")]
CalibrationFile = Annotated[Path, Option("--output", "-o", metavar="FILE", help="The file to write.")]


def calibrate(
    name: ExperimentName,
    condition: ConditionOption = "",
    signal: SignalsOption = [],  # noqa: B006 - typer needs the list
    delta: RiskOption = 0.1,
    epsilon: ErrorRateOption = 0.1,
    output: CalibrationFile = Path("stop.json"),
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Find the threshold at which a talk may stop, from the runs of an experiment."""
    from ..experiment.calibration import calibrate_stop  # needs the extra `science`

    signals = _parse_signals(signal or ["share"])
    plan, runs = asyncio.run(_load_runs(name, db))
    calibrated_stop = calibrate_stop(
        plan, runs, _select_condition(plan, condition), signals, delta=delta, epsilon=epsilon
    )
    _write_stop(calibrated_stop, output)
    if json:
        print(format_json(calibrated_stop.model_dump(mode="json")))
        return
    screen = Screen()
    if has_only_rehearsals(runs):
        screen.show_line(translate_for_plan(plan, "opening.rehearsed"), LABEL_STYLE)
    screen.show_line(calibrated_stop.promise)
    savings = f"{calibrated_stop.rounds_saved:.1f} rounds saved a run"
    screen.show_line(
        f"A talk is over once {calibrated_stop.signal} reaches {calibrated_stop.threshold:.2f}; {savings}."
    )
    screen.show_line(f"{output} written; use it with --set stopping=calibrated --set stop_file={output}")


async def _load_runs(name: str, db: str) -> tuple[Plan, list[ExperimentRun]]:
    async with open_database(db, read_only=True) as store:
        saved_experiment = await store.experiments.get_experiment(name)
        return restore_plan(saved_experiment), await load_experiment_runs(store, saved_experiment)


def _parse_signals(signals: list[str]) -> list[StopSignal]:
    known_signals: tuple[StopSignal, ...] = get_args(StopSignal)
    if unknown_signals := [signal for signal in signals if signal not in known_signals]:
        raise InputError("signal", unknown_signals[0], f"give one of {', '.join(known_signals)}")
    return [signal for signal in known_signals if signal in signals]


def _select_condition(plan: Plan, label: str) -> str:
    labels = [condition.label for condition in list_conditions(plan)]
    if label not in labels and (label or len(labels) > 1):
        raise InputError("--condition", label, f"give one of {', '.join(labels)}")
    return label or labels[0]


def _write_stop(calibrated_stop: CalibratedStop, output: Path) -> None:
    try:
        output.write_text(calibrated_stop.model_dump_json(indent=1) + "\n", "utf-8")
    except OSError as error:
        raise InputError("--output", output, f"{error.strerror}; name a file that can be written") from None
