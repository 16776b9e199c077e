"""A run begun from Python that answers with a dictionary: saved like any other, and resumable like any other."""

import shlex
from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import ValidationError

from ..nodes.models.failures import Stopped
from ..nodes.models.spec import spec_for
from ..prompts import TemplateFault
from ..state.ending import Outcome
from ..state.refused import Refused
from ..state.rules import Rules
from .begin import entered
from .request import Request
from .saved import Saved, forget_unbegun, load, opened, thread


class Standing(TypedDict):
    """What every reply says of its run. `status`: completed, partial, failed or unfinished.

    `run`: its name, for `moot show` and `moot resume`. `models`: the model of each participant, and of who sums up.
    """

    status: str
    headline: str
    run: str
    models: dict[str, str]
    rehearsal: bool


async def kept(asked: Request, db: str) -> Saved:
    """Run what is asked, and give it as it is saved.

    Raises `Refused` where it cannot begin, and then nothing of it is kept; `Stopped` where it cannot go on for now.
    """
    async with opened(db) as store:
        name = (await entered(store, asked)).run
        graph = store.graph(asked.protocol.name)
        async with store.lock(name):
            try:
                await graph.ainvoke(asked.input, thread(name), context=asked.rules, durability="sync")
            except (Refused, ValidationError, TemplateFault):
                await forget_unbegun(store, name)
                raise
            except Stopped as stop:
                again = shlex.join(["moot", "resume", name, *(["--db", store.where] if db else [])])
                raise Stopped(f"{stop}; saved, go on with: {again}") from stop
            saved = await load(store, name)
            await store.runs.save(saved.row())
    return saved


def standing(saved: Saved) -> Standing:
    """What a reply says of its run."""
    outcome: Outcome | None = saved.state.get("outcome")
    return Standing(
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        run=saved.run.run,
        models=models_of(saved.state),
        rehearsal=bool(outcome and outcome.rehearsal),
    )


def models_of(state: Mapping[str, Any]) -> dict[str, str]:
    """Who was asked of which model: every participant that is one, and the synthesizer."""
    rules: Rules = state["rules"]
    seats = {one.name: spec_for(rules, one.name, one.model) for one in state["participants"] if one.kind == "model"}
    return {**seats, "synthesizer": spec_for(rules, "synthesizer")}
