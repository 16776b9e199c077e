"""A run played through, or only begun, with the rehearsal model in place of every other, and of people and programs."""

from collections.abc import Mapping
from typing import Any

from ..nodes.models.chat import REHEARSAL
from ..nodes.models.embedding_spec import LEXICAL
from ..state.discussion import DiscussionRules
from ..state.justice import JusticeRules
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.settings import Budget
from ..state.statement import Participant
from .request import Request


def cast_of(asked: Request) -> list[Participant]:
    """Who is named in the request; whoever else takes part speaks through the default model."""
    given = asked.input.get("participants") or getattr(asked.rules, "participants", [])
    return [
        Participant(name=one["name"], model=one.get("model", ""), kind=one.get("kind", "model"))
        for one in map(dict, given)
    ]


def ends(rules: Rules) -> bool:
    """Whether a cap on turns or rounds bounds the run."""
    return not isinstance(rules, DiscussionRules) or bool(rules.max_turns or rules.max_rounds)


async def rehearsed(asked: Request, rules: Rules, unbound: bool = False) -> tuple[Mapping[str, Any], set[str]]:
    """The state at the end of a rehearsal of the whole run, in which models stand in for all; and who is no model.

    `unbound`: as if it had no budget.
    """
    if not ends(rules):
        raise Refused("max_turns", None, "without a cap on turns or rounds nobody knows how long it goes on; give one")
    free = {one.name for one in cast_of(asked) if one.kind != "model"}
    given, knobs = _offline(asked, rules, unbound)
    channels = list(asked.protocol.drawing.state_schema.__annotations__)
    state: Mapping[str, Any] = await asked.protocol.module.graph.ainvoke(given, context=knobs, output_keys=channels)
    return state, free


async def convened(asked: Request) -> None:
    """Rehearse the first step alone, in which everyone is seated: what it refuses, no such run could begin with."""
    given, knobs = _offline(asked, asked.rules, False)
    async for _ in asked.protocol.module.graph.astream(given, context=knobs, interrupt_after=["convene"]):
        pass


def _offline(asked: Request, rules: Rules, unbound: bool) -> tuple[dict[str, Any], Rules]:
    """The input and the rules of a rehearsal that asks nobody, looks nothing up and writes nothing."""
    cast = [{**dict(one), "model": "", "kind": "model"} for one in asked.input.get("participants", [])]
    offline: dict[str, Any] = {"model": REHEARSAL, "models": {}, "record": "", "replay": ""} | (
        {"embeddings": LEXICAL} if hasattr(rules, "embeddings") else {}
    )
    offline |= {"convergence": LEXICAL} if getattr(rules, "convergence", "") == "embedding" else {}  # as few calls
    offline |= {"stop_insist": True} if getattr(rules, "stop_file", "") else {}  # made for those who are rehearsed
    offline |= {"budget": Budget().model_dump()} if unbound else {}
    if isinstance(rules, JusticeRules):
        offline["participants"] = [one.model_dump() | {"model": "", "kind": "model"} for one in rules.participants]
    return asked.input | ({"participants": cast} if cast else {}), rules.settled(**offline)
