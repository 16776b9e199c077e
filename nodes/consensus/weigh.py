"""How far the group has converged: one score per participant, with what it rests on."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts import Catalogue, listed, term
from ...state.budget import is_spent
from ...state.consensus import ConvergenceRules, Weighing, mean_similarities, weigh_up
from ...state.consensus.channels import GroupStage, GroupUpdate
from ...state.ending import find_agreement
from ...state.history import latest_statements
from ...state.incident import EMBEDDING, Call, Incident
from ...state.statement import names
from ...state.writes import Update
from ..asking import Answer, Check, asking_role, at
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..clock import stamp
from ..models.embedding_spec import meaning
from ..models.embeddings import Unembedded, embeddings_for
from ..models.failures import Fault, Unavailable
from ..models.recording import record, replayed


class Standing(BaseModel):
    """How far one participant agrees, as a judge sees it."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=80)
    agreement: float = Field(ge=0, le=1, description="agreement")
    objection: str = Field(max_length=2000, description="objection")


class Standings(BaseModel):
    """How far each participant agrees."""

    model_config = ConfigDict(extra="forbid")

    standings: list[Standing]


@cache
def standings_of(*seats: str) -> type[Standings]:
    """The standings of these participants and no others; how many is only advised, `covers` says who is missing."""
    name: Any = Literal.__getitem__(seats)
    one: Any = create_model("Standing", __base__=Standing, name=(name, ...))
    entries = Field(json_schema_extra={"minItems": len(seats), "maxItems": len(seats)})
    return create_model("Standings", __base__=Standings, standings=(list[one], entries))


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


Scored = tuple[Weighing, Update]

NOT_WEIGHED = "not weighed"
"""The consequence of an incident that left a round without a measure."""


def weigh(words: Catalogue) -> Callable[..., object]:
    """The step that measures convergence after a complete round, by the run's strategy."""

    async def weigh(state: GroupStage, rules: ConvergenceRules) -> Update:
        """Weigh how far the group agrees.

        Reads what was given, round, record, positions, view_limits; writes weighings, and calls, incidents and
        view_limits where a model is asked.
        """
        weighing, spent = await _STRATEGIES[rules.convergence](state, words)
        news: Update = GroupUpdate(weighings=[weighing])
        return news | spent

    return weigh


async def _declared(state: GroupStage, words: Catalogue) -> Scored:
    now = [position for position in state["positions"] if position.round == state["round"]]
    scores = {position.who: position.agreement for position in now if position.agreement is not None}
    objections = {position.who: position.objection for position in now if position.objection}
    return weigh_up("declared", state["round"], scores, objections, names(state["participants"])), Update()


async def _lexical(state: GroupStage, words: Catalogue) -> Scored:
    seats = names(state["participants"])
    found = find_agreement(state["history"], speakers=seats, topic=state["topic"])
    objections = {one.speaker: one.objection for one in found.agreements}
    return weigh_up("lexical", state["round"], found.scores, objections, seats), Update()


async def _embedded(state: GroupStage, words: Catalogue) -> Scored:
    """Mean cosine between a participant's latest statement and the others' latest, negative ones as 0."""
    seats = names(state["participants"])
    latest = latest_statements(state["history"])
    spoken = [name for name in seats if name in latest]
    vectors, calls, missed = await _vectors([latest[name].content for name in spoken], state)
    if missed:
        spent = Update(incidents=[unmeasured(missed, state)])
        if calls:
            spent["calls"] = calls
        return weigh_up("embedding", state["round"], {}, {}, seats), spent
    scores = dict(zip(spoken, mean_similarities(vectors), strict=True))
    return weigh_up("embedding", state["round"], scores, {}, seats), Update(calls=calls)


Vectors = tuple[list[list[float]], list[Call], Unembedded | None]
"""Vectors, the requests made for them, and why there are none."""


async def _vectors(texts: list[str], state: GroupStage) -> Vectors:
    """What the embedding model makes of the texts, or made of them when the run was recorded.

    Raises `Unembedded` where asking again later is pointless.
    """
    rules = state["rules"]
    spec = meaning(rules).get("embeddings", "")
    request = {"purpose": EMBEDDING, "spec": spec, "round": state["round"], "texts": texts}
    held = cast(dict[str, Any], await replayed(rules, request)) or await _embed(spec, texts, state)
    await record(rules, request, held)
    calls = [Call.model_validate(one | {"replayed": bool(rules.replay)}) for one in held["calls"]]
    lost = Unembedded("", Fault(**held["fault"])) if held["fault"] else None
    if lost:
        lost.tries = held["tries"]
    return held["vectors"], calls, lost


async def _embed(spec: str, texts: list[str], state: GroupStage) -> dict[str, Any]:
    """The vectors of the texts, as a recording holds them."""
    model = await asyncio.to_thread(embeddings_for, spec, "mend it and go on")
    assert model is not None  # rules that measure by meaning name a model
    model.affords = lambda calls: not is_spent(state["rules"], [*state["calls"], *calls], asked=0)
    fault, tries, vectors = None, 0, list[list[float]]()
    try:
        vectors = await model.aembed_documents(texts) if texts else []
    except Unembedded as lost:
        if lost.fault.fatal:
            raise
        fault, tries = asdict(lost.fault), lost.tries
    calls = [call.model_copy(update={"round": state["round"]}).model_dump(mode="json") for call in model.calls]
    return {"vectors": vectors, "calls": calls, "fault": fault, "tries": tries}


def unmeasured(lost: Unembedded, state: GroupStage) -> Incident:
    """The record of a round for which the embedding model gave no vectors."""
    return Incident(
        where="weighing",
        what=lost.fault.told(state["rules"].language),
        kind=lost.fault.kind,
        consequence=NOT_WEIGHED,
        tries=lost.tries,
        round=state["round"],
        at=stamp(),
        severity="degraded",
    )


async def _judged(state: GroupStage, words: Catalogue) -> Scored:
    seats = names(state["participants"])
    asking = replace(at(asking_role(state, "judge", "weighing"), 0, state["round"]), schema=standings_of(*seats))
    told = replace(brief(state, words, "weigh", {}), history=state["history"])
    told = told.within(state["view_limits"].get("judge"))
    try:
        answer = await ask(told, asking, covers(seats, told.language))
    except Unavailable as lost:
        return weigh_up("judge", state["round"], {}, {}, seats), cost("judge", lost.followed_by(NOT_WEIGHED))
    found = answer.value.standings if isinstance(answer.value, Standings) else []
    scores = {one.name: one.agreement for one in found}
    objections = {one.name: one.objection for one in found}
    return weigh_up("judge", state["round"], scores, objections, seats), cost("judge", answer)


_STRATEGIES: dict[str, Callable[[GroupStage, Catalogue], Awaitable[Scored]]] = {
    "declared": _declared,
    "lexical": _lexical,
    "embedding": _embedded,
    "judge": _judged,
}
