"""`moot calibrate`: find a calibrated stopping threshold from the runs of an experiment."""

from pathlib import Path
from typing import Annotated, get_args

from typer import Argument, Option

from ...state import InputError
from ...state.positions.calibrated_stop import StopSignal
from ..display import LABEL_STYLE, Screen, format_json
from ..experiment import has_only_rehearsals, list_conditions, load_experiment_runs, parse_plan
from ..run import AsJson, Database, flatten_options, write_text
from ..saved import open_database


@flatten_options
async def calibrate(
    name: Annotated[str, Argument(metavar="NAME", help="Name of an experiment.")],
    condition: Annotated[
        str, Option("--condition", metavar="LABEL", help="Condition, if the experiment has several.")
    ] = "",
    signal: Annotated[
        list[str],
        Option(
            "--signal",
            metavar="SCORE",
            help="Score that decides when to stop: share (default), certainty, agreement; repeatable.",
        ),
    ] = [],  # noqa: B006 - typer needs the list
    delta: Annotated[
        float,
        Option("--risk", metavar="X", help="Share of runs that may end with another decision than without the stop."),
    ] = 0.1,
    epsilon: Annotated[
        float, Option("--error-rate", metavar="X", help="Probability that the guarantee is wrong.")
    ] = 0.1,
    output: Annotated[Path, Option("--output", "-o", metavar="FILE", help="Output file.")] = Path("stop.json"),
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Compute a stopping rule from the runs of an experiment."""
    from ..experiment.calibration import calibrate_stop  # needs the extra `science`

    known_signals: tuple[StopSignal, ...] = get_args(StopSignal)
    for signal_name in signal:
        if signal_name not in known_signals:
            raise InputError("signal", signal_name, f"give one of {', '.join(known_signals)}")
    signals = [known_signal for known_signal in known_signals if known_signal in (signal or ["share"])]
    async with open_database(db, read_only=True) as store:
        saved_experiment = await store.experiments.get_experiment(name)
        plan, runs = parse_plan(saved_experiment.plan), await load_experiment_runs(store, saved_experiment)
    labels = [plan_condition.label for plan_condition in list_conditions(plan)]
    if condition not in labels and (condition or len(labels) > 1):
        raise InputError("--condition", condition, f"give one of {', '.join(labels)}")
    calibrated_stop = calibrate_stop(plan, runs, condition or labels[0], signals, delta=delta, epsilon=epsilon)
    write_text(output, calibrated_stop.model_dump_json(indent=1) + "\n")
    if json:
        return print(format_json(calibrated_stop.model_dump(mode="json")))
    screen = Screen()
    if has_only_rehearsals(runs):
        screen.show_line(plan.translate("opening.rehearsed"), LABEL_STYLE)
    screen.show_line(calibrated_stop.guarantee)
    screen.show_line(
        f"The deliberation ends when {calibrated_stop.signal} reaches {calibrated_stop.threshold:.2f}; "
        f"{calibrated_stop.rounds_saved:.1f} rounds saved per run."
    )
    screen.show_line(f"{output} written; use it with --set stop_rule=calibrated --set calibration_file={output}")
