"""Access to a saved run from Python."""

from pathlib import Path
from typing import Any, get_type_hints

from ..nodes.step import run_blocking
from ..state import InputError
from .protocols.protocol import get_protocol
from .saved import load_saved_run, open_database


def load_run(run: str, db: str | Path | None = None) -> dict[str, Any]:
    """Return the result that `graph.invoke` gives for a saved run: `history`, `outcome` and more.

    `outcome` is `None` while the run is unfinished. `db`: path or address of the database; `None`: the default
    database. Raises `InputError` if the run does not exist.
    """
    return run_blocking(_load_result(run, db or ""))


async def _load_result(name: str, db: str | Path) -> dict[str, Any]:
    async with open_database(db, read_only=True) as store:
        saved_run = await load_saved_run(store, name)
    if not saved_run.has_begun:
        raise InputError("run", name, "it has no saved step")
    return {
        key: saved_run.state.get(key)
        for key in get_type_hints(get_protocol(saved_run.run.protocol).build_graph().output_schema)
    }
