"""`moot calibrate`: when may a talk stop? A stop with a promise, from the runs of an experiment."""

import asyncio
from pathlib import Path
from typing import Annotated, get_args

from typer import Argument, Option

from ...state.positions.calibrated import CalibratedStop, Signal
from ...state.refused import Refused
from ..display.plain import as_json
from ..display.screen import LABEL, Screen
from ..experiment.begin import stored_plan
from ..experiment.data import Outcome, is_rehearsed, outcomes
from ..experiment.draw import cells
from ..experiment.plan import Plan
from ..experiment.words import say
from ..options import AsJson, Database
from ..saved import opened

Named = Annotated[str, Argument(metavar="NAME", help="Name of an experiment in the database.")]
Condition = Annotated[str, Option("--condition", metavar="LABEL", help="Which condition, if there are several.")]
Signals = Annotated[
    list[str],
    Option("--signal", metavar="SCORE", help="share (the default), certainty, agreement; again for more."),
]
Delta = Annotated[float, Option("--delta", metavar="X", help="Share of runs that may end with another decision.")]
Epsilon = Annotated[float, Option("--epsilon", metavar="X", help="Chance that the promise does not hold.")]
Output = Annotated[Path, Option("--output", "-o", metavar="FILE", help="The file to write.")]


def calibrate(
    name: Named,
    condition: Condition = "",
    signal: Signals = [],  # noqa: B006 - typer needs the list
    delta: Delta = 0.1,
    epsilon: Epsilon = 0.1,
    output: Output = Path("stop.json"),
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Find the threshold at which a talk may stop, from the runs of an experiment."""
    from ..experiment.calibration import calibrated  # needs the extra `science`

    signals = _signals(signal or ["share"])
    plan, found = asyncio.run(_told(name, db))
    stop = calibrated(plan, found, _condition(plan, condition), signals, delta=delta, epsilon=epsilon)
    _write(stop, output)
    if json:
        print(as_json(stop.model_dump(mode="json")))
        return
    screen = Screen()
    if is_rehearsed(found):
        screen.line(say(plan, "opening.rehearsed"), LABEL)
    screen.line(stop.promise)
    saved = f"{stop.rounds_saved:.1f} rounds saved a run"
    screen.line(f"A talk is over once {stop.signal} reaches {stop.threshold:.2f}; {saved}.")
    screen.line(f"{output} written; use it with --set stopping=calibrated --set stop_file={output}")


async def _told(name: str, db: str) -> tuple[Plan, list[Outcome]]:
    async with opened(db, reading=True) as store:
        stored = await store.experiments.get(name)
        return stored_plan(stored), await outcomes(store, stored)


def _signals(given: list[str]) -> list[Signal]:
    known: tuple[Signal, ...] = get_args(Signal)
    if strange := [one for one in given if one not in known]:
        raise Refused("signal", strange[0], f"give one of {', '.join(known)}")
    return [one for one in known if one in given]


def _condition(plan: Plan, given: str) -> str:
    labels = [one.label for one in cells(plan)]
    if given not in labels and (given or len(labels) > 1):
        raise Refused("--condition", given, f"give one of {', '.join(labels)}")
    return given or labels[0]


def _write(stop: CalibratedStop, output: Path) -> None:
    try:
        output.write_text(stop.model_dump_json(indent=1) + "\n", "utf-8")
    except OSError as fault:
        raise Refused("--output", output, f"{fault.strerror}; name a file that can be written") from None
