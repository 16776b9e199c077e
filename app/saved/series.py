"""Series of runs: what their runs are called, and how many are still to be finished."""

from ...state.ends import UNAVAILABLE
from .runs import Run
from .store import Store


def run_name(name: str, repeat: int) -> str:
    """The name of the repeat-th run of a series, from 1; the first has the series's own."""
    return name if repeat == 1 else f"{name}-{repeat}"


async def to_finish(store: Store, run: Run) -> tuple[int, int]:
    """Of the series a run belongs to: how many of its runs have not come to their end, and how many it is to have."""
    first = await store.runs.get(run.series)
    names = [run_name(run.series, place) for place in range(1, int(first.rules["repeats"]) + 1)]
    finished = {one.run for one in await store.runs.all() if one.finished and one.ending != UNAVAILABLE}
    return len(set(names) - finished), len(names)
