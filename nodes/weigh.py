"""How far the group has converged: one score per participant, with what it rests on."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts import Catalogue, listed, term
from ..state.consensus import ConsensusRules
from ..state.ending import find_agreement
from ..state.group_state import GroupStage, GroupUpdate
from ..state.position import Weighing, mean_similarities, weigh_up
from ..state.refusal import Refused
from ..state.statement import Statement, names
from ..state.writes import Update
from .ask import Answer, Check, ask
from .asking import asking_role, at, narrowed
from .brief import brief
from .embeddings import embeddings_for
from .faults import Unavailable

Scored = tuple[Weighing, Update]


class Standing(BaseModel):
    """How far one participant agrees, as a judge sees it."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=80, description="The participant.")
    agreement: float = Field(ge=0, le=1, description="0: not at all; 1: wholly with where the group stands.")
    objection: str = Field(max_length=2000, description="What the participant still objects to; empty if nothing.")


class Standings(BaseModel):
    """How far each participant agrees."""

    model_config = ConfigDict(extra="forbid")

    standings: list[Standing] = Field(description="One entry for each participant.")


@cache
def standings_of(*seats: str) -> type[Standings]:
    """The standings of these participants and no others; how many is only advised, `covers` says who is missing."""
    name: Any = Literal.__getitem__(seats)
    one: Any = create_model("Standing", __base__=Standing, name=(name, ...))
    entries = Field(json_schema_extra={"minItems": len(seats), "maxItems": len(seats)})
    return create_model("Standings", __base__=Standings, standings=(list[one], entries))


def weigh(words: Catalogue) -> Callable[[GroupStage], object]:
    """The step that measures convergence after a complete round, by the run's strategy."""

    async def weigh(state: GroupStage) -> Update:
        """Weigh how far the group agrees.

        Reads cast, rules, round, history, positions; writes weighings, and calls, incidents and view_limits where a
        model is asked.
        """
        rules = state["rules"]
        strategy = rules.convergence if isinstance(rules, ConsensusRules) else "lexical"
        weighing, cost = await _STRATEGIES[strategy](state, words)
        news: Update = GroupUpdate(weighings=[weighing])
        return news | cost

    return weigh


async def _declared(state: GroupStage, words: Catalogue) -> Scored:
    now = [position for position in state["positions"] if position.round == state["round"]]
    scores = {position.who: position.agreement for position in now}
    objections = {position.who: position.objection for position in now}
    return weigh_up("declared", state["round"], scores, objections, names(state["participants"])), Update()


async def _lexical(state: GroupStage, words: Catalogue) -> Scored:
    seats = names(state["participants"])
    found = find_agreement(state["history"], speakers=seats, topic=state["topic"])
    objections = {one.speaker: one.objection for one in found.agreements}
    return weigh_up("lexical", state["round"], found.scores, objections, seats), Update()


async def _embedded(state: GroupStage, words: Catalogue) -> Scored:
    """Mean cosine between a participant's latest statement and the others' latest, negative ones as 0."""
    seats, rules = names(state["participants"]), state["rules"]
    latest = latest_statements(state["history"])
    spec = rules.embeddings if isinstance(rules, ConsensusRules) else ""
    model = await asyncio.to_thread(embeddings_for, spec)
    if model is None:
        raise Refused("embeddings", spec, "convergence by embedding needs a model: embeddings, or MOOT_EMBEDDINGS")
    spoken = [name for name in seats if name in latest]
    vectors = await model.aembed_documents([latest[name].content for name in spoken])
    scores = dict(zip(spoken, mean_similarities(vectors), strict=True))
    return weigh_up("embedding", state["round"], scores, {}, seats), Update()


async def _judged(state: GroupStage, words: Catalogue) -> Scored:
    seats = names(state["participants"])
    asking = replace(at(asking_role(state, "judge", "weighing"), 0, state["round"]), schema=standings_of(*seats))
    told = replace(brief(state, words, "weigh", {}), history=state["history"])
    told = told.within(state["view_limits"].get("judge"))
    try:
        answer = await ask(told, asking, covers(seats, told.language))
    except Unavailable as lost:
        note = [each.model_copy(update={"consequence": "not weighed"}) for each in lost.incidents]
        cost = Update(calls=lost.calls, incidents=note) | narrowed("judge", lost.narrowed)
        return weigh_up("judge", state["round"], {}, {}, seats), cost
    found = answer.value.standings if isinstance(answer.value, Standings) else []
    scores = {one.name: one.agreement for one in found}
    objections = {one.name: one.objection for one in found}
    cost = Update(calls=answer.calls, incidents=answer.incidents) | narrowed("judge", answer.narrowed)
    return weigh_up("judge", state["round"], scores, objections, seats), cost


def covers(seats: list[str], language: str) -> Check:
    """The check of a judge's standings: every participant once. What is wrong is told in the run's language."""

    def check(answer: Answer) -> str | None:
        said = Counter(one.name for one in answer.value.standings) if isinstance(answer.value, Standings) else Counter()
        told = {
            "no_standing": [seat for seat in seats if not said[seat]],
            "two_standings": [seat for seat in seats if said[seat] > 1],
        }
        wrong = [term(language, "again", key, names=listed(language, who)) for key, who in told.items() if who]
        return " ".join(wrong) or None

    return check


def latest_statements(history: list[Statement]) -> dict[str, Statement]:
    """Each speaker's newest statement."""
    return {statement.speaker: statement for statement in history}


_STRATEGIES: dict[str, Callable[[GroupStage, Catalogue], Awaitable[Scored]]] = {
    "declared": _declared,
    "lexical": _lexical,
    "embedding": _embedded,
    "judge": _judged,
}
