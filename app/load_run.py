"""`load_run`: a saved run, from Python."""

from pathlib import Path
from typing import Any, get_type_hints

from ..nodes.step import wait_for
from ..state.refused import Refused
from .protocols import protocol
from .saved import load, opened


def load_run(run: str, db: str | Path | None = None) -> dict[str, Any]:
    """What `graph.invoke` gave or would give for a saved run: `history`, `outcome`, `synthesis` and the others.

    `outcome` is None while the run is unfinished. `db`: the database, by path or address; none: the default one.
    Raises `Refused` if there is no such run.
    """
    return wait_for(_loaded(run, db or ""))


async def _loaded(name: str, db: str | Path) -> dict[str, Any]:
    async with opened(db, reading=True) as store:
        saved = await load(store, name)
    if not saved.begun:
        raise Refused("run", name, "nothing of it was saved")
    return {key: saved.state.get(key) for key in get_type_hints(protocol(saved.run.protocol).build().output_schema)}
