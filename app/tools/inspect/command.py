"""`moot export-inspect`: saved runs as a log of inspect_ai."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ....state import InputError
from ...display.screen import Screen
from ...experiment import load_experiment_runs
from ...report import load_document
from ...run.command_options import Database, flatten_options
from ...saved import open_database


@flatten_options
async def export_inspect(
    name: Annotated[str, Argument(metavar="RUN|EXPERIMENT", help="Saved run or experiment.")],
    output: Annotated[
        Path | None, Option("--output", "-o", metavar="FILE", help="Output file [default: NAME.eval].")
    ] = None,
    db: Database = "",
) -> None:
    """Write saved runs as a log for Inspect."""
    if find_spec("inspect_ai") is None:
        raise InputError(
            "export-inspect", name, 'Inspect logs need the package inspect_ai: pip install "moot[inspect]"'
        )
    from .logs import write_log

    documents: list[Mapping[str, Any]] = []
    truths: list[str] = []
    async with open_database(db, create=False) as store:
        saved_experiment = await store.experiments.find_experiment(name)
        for run in await load_experiment_runs(store, saved_experiment) if saved_experiment else []:
            if run.document is not None:
                item = run.planned.item
                documents.append(run.document)
                truths.append(next(iter(item.right_options), "" if item.truth is None else str(item.truth)))
    if saved_experiment is None:
        documents, truths = [await load_document(name, db)], [""]
    if not documents:
        raise InputError("experiment", name, "no run of this experiment has started; run it first")
    path = output or Path(f"{name}.eval")
    write_log(path, name, documents, truths)
    Screen().show_line(str(path))
