"""`moot inspect`: saved runs as a log of inspect_ai."""

import asyncio
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ...state.refused import Refused
from ..display.screen import Screen
from ..document import saved_document
from ..experiment.data import outcomes
from ..experiment.items import Item
from ..options import Database
from ..saved import opened

Name = Annotated[str, Argument(metavar="RUN|EXPERIMENT", help="Name of a saved run, or of an experiment.")]
Output = Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Where to; none: NAME.eval.")]


def inspect(name: Name, output: Output = None, db: Database = "") -> None:
    """Write saved runs as a log that inspect_ai reads."""
    if find_spec("inspect_ai") is None:
        raise Refused("inspect", name, 'logs of inspect_ai need its package: pip install "moot[inspect]"')
    from .logs import write_log

    found = asyncio.run(_found(name, db))
    path = output or Path(f"{name}.eval")
    write_log(path, name, [document for document, _ in found], [truth for _, truth in found])
    Screen().line(str(path))


async def _found(name: str, db: str) -> list[tuple[Mapping[str, Any], str]]:
    """The documents of an experiment's runs, each with its item's right answer; or that of one run."""
    async with opened(db, create=False) as store:
        stored = await store.experiments.find(name)
        runs = await outcomes(store, stored) if stored else []
    if stored is None:
        return [(await saved_document(name, db), "")]
    found = [(one.document, _right(one.trial.item)) for one in runs if one.document is not None]
    if not found:
        raise Refused("experiment", name, "none of its runs has begun; run it first")
    return found


def _right(item: Item) -> str:
    """The right answer as a run gives it: the id of one of the options, or a number; empty: not known."""
    return next(iter(item.right), "" if item.truth is None else str(item.truth))
