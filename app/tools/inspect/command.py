"""`moot inspect`: saved runs as a log of inspect_ai."""

import asyncio
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ....state.errors import InputError
from ...display.screen import Screen
from ...experiment.data import load_experiment_runs
from ...experiment.items import Item
from ...report.document import load_document
from ...run.command_options import Database
from ...saved import open_database

LogSource = Annotated[str, Argument(metavar="RUN|EXPERIMENT", help="Name of a saved run, or of an experiment.")]
LogFile = Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Where to; none: NAME.eval.")]


def inspect(name: LogSource, output: LogFile = None, db: Database = "") -> None:
    """Write saved runs as a log that inspect_ai reads."""
    if find_spec("inspect_ai") is None:
        raise InputError("inspect", name, 'logs of inspect_ai need its package: pip install "moot[inspect]"')
    from .logs import write_log

    run_documents = asyncio.run(_load_documents(name, db))
    path = output or Path(f"{name}.eval")
    write_log(path, name, [document for document, _ in run_documents], [truth for _, truth in run_documents])
    Screen().show_line(str(path))


async def _load_documents(name: str, db: str) -> list[tuple[Mapping[str, Any], str]]:
    """Load the documents of an experiment's runs, or of one run, each with the right answer.

    The answer of a single run is empty.
    """
    async with open_database(db, create=False) as store:
        saved_experiment = await store.experiments.find_experiment(name)
        runs = await load_experiment_runs(store, saved_experiment) if saved_experiment else []
    if saved_experiment is None:
        return [(await load_document(name, db), "")]
    run_documents = [(run.document, _get_right_answer(run.planned.item)) for run in runs if run.document is not None]
    if not run_documents:
        raise InputError("experiment", name, "none of its runs has begun; run it first")
    return run_documents


def _get_right_answer(item: Item) -> str:
    """Return the right answer of an item: an option's id, or a number. Empty if it is unknown."""
    return next(iter(item.right_options), "" if item.truth is None else str(item.truth))
