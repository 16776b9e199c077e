"""Node that measures how far the group agrees: one score per participant, with its evidence."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...models.embedding_spec import resolve_embeddings
from ...models.embeddings import EmbeddingError, load_embeddings
from ...models.failures import CallFailure, NoAnswerError
from ...models.recording import record_reply, replay_reply
from ...prompts import Templates, get_term, join_words
from ...state.budget import is_budget_spent
from ...state.call_record import EMBEDDING_PURPOSE, Call
from ...state.consensus import AgreementScore, ConvergenceSettings, compute_mean_similarities, make_agreement_score
from ...state.consensus.channels import GroupState, GroupUpdate
from ...state.ending import measure_convergence
from ...state.history import map_latest_statements
from ...state.incident import Incident
from ...state.schemas import Update
from ...state.statement import list_names
from ...storage.clock import get_timestamp
from ..ask import Answer, Check, build_role_call, with_turn
from ..ask.ask_with_retries import ask
from ..ask.call_records import record_calls
from ..ask.prompt import build_prompt


class ParticipantScore(BaseModel):
    """Agreement of one participant, as a judge sees it."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=80)
    agreement: float = Field(ge=0, le=1, description="agreement")
    objection: str = Field(max_length=2000, description="objection")


class ParticipantScores(BaseModel):
    """Agreement of each participant."""

    model_config = ConfigDict(extra="forbid")

    standings: list[ParticipantScore]


@cache
def build_scores_schema(*seats: str) -> type[ParticipantScores]:
    """Build the schema of the scores of these participants only.

    Its number of entries is only advice; the check of coverage names the missing participants.
    """
    name: Any = Literal.__getitem__(seats)
    entry_schema: Any = create_model("Standing", __base__=ParticipantScore, name=(name, ...))
    entries = Field(json_schema_extra={"minItems": len(seats), "maxItems": len(seats)})
    return create_model("Standings", __base__=ParticipantScores, standings=(list[entry_schema], entries))


def make_coverage_check(seats: list[str], language: str) -> Check:
    """Make the check that a judge scores every participant once.

    Faults are described in the run's language.
    """

    def find_answer_fault(answer: Answer) -> str | None:
        counts = (
            Counter(entry.name for entry in answer.value.standings)
            if isinstance(answer.value, ParticipantScores)
            else Counter()
        )
        faults = {
            "no_standing": [seat for seat in seats if not counts[seat]],
            "two_standings": [seat for seat in seats if counts[seat] > 1],
        }
        messages = [
            get_term(language, "again", key, names=join_words(language, members))
            for key, members in faults.items()
            if members
        ]
        return " ".join(messages) or None

    return find_answer_fault


ScoreUpdate = tuple[AgreementScore, Update]

NOT_MEASURED = "not weighed"
"""Consequence of an incident that left a round without a measure."""


def decide(templates: Templates) -> Callable[..., object]:
    """Build the node that measures the agreement after a complete round, by the run's strategy."""

    async def decide(state: GroupState, settings: ConvergenceSettings) -> Update:
        """Measure how far the group agrees.

        Reads what was given, round, record, positions, view_limits; writes weighings, and calls, incidents and
        view_limits where a model is asked.
        """
        score, costs = await _MEASURES[settings.convergence](state, templates)
        update: Update = GroupUpdate(weighings=[score])
        return update | costs

    return decide


async def _measure_declared(state: GroupState, templates: Templates) -> ScoreUpdate:
    positions = [position for position in state["positions"] if position.round == state["round"]]
    scores = {position.who: position.agreement for position in positions if position.agreement is not None}
    objections = {position.who: position.objection for position in positions if position.objection}
    return make_agreement_score(
        "declared", state["round"], scores, objections, list_names(state["participants"])
    ), Update()


async def _measure_lexical(state: GroupState, templates: Templates) -> ScoreUpdate:
    seats = list_names(state["participants"])
    agreement = measure_convergence(state["history"], speakers=seats, topic=state["topic"])
    objections = {participant.speaker: participant.objection for participant in agreement.agreements}
    return make_agreement_score("lexical", state["round"], agreement.scores, objections, seats), Update()


async def _measure_embedded(state: GroupState, templates: Templates) -> ScoreUpdate:
    """Compute the mean cosine of each participant's latest statement with those of the others.

    Negative cosines count as 0.
    """
    seats = list_names(state["participants"])
    latest = map_latest_statements(state["history"])
    spoken = [name for name in seats if name in latest]
    vectors, calls, failure = await _load_vectors([latest[name].content for name in spoken], state)
    if failure:
        update = Update(incidents=[make_unmeasured_incident(failure, state)])
        if calls:
            update["calls"] = calls
        return make_agreement_score("embedding", state["round"], {}, {}, seats), update
    scores = dict(zip(spoken, compute_mean_similarities(vectors), strict=True))
    return make_agreement_score("embedding", state["round"], scores, {}, seats), Update(calls=calls)


EmbeddingResult = tuple[list[list[float]], list[Call], EmbeddingError | None]
"""Vectors, the requests made for them, and the error if there are no vectors."""


async def _load_vectors(texts: list[str], state: GroupState) -> EmbeddingResult:
    """Return the vectors of the texts from the embedding model, or from the recording in a replay.

    Raises the embedding error if a later attempt is pointless.
    """
    settings = state["settings"]
    spec = resolve_embeddings(settings).get("embeddings", "")
    request = {"purpose": EMBEDDING_PURPOSE, "spec": spec, "round": state["round"], "texts": texts}
    entry = cast(dict[str, Any], await replay_reply(settings, request)) or await _embed_texts(spec, texts, state)
    await record_reply(settings, request, entry)
    calls = [Call.model_validate(call | {"replayed": bool(settings.replay)}) for call in entry["calls"]]
    failure = EmbeddingError("", CallFailure(**entry["fault"])) if entry["fault"] else None
    if failure:
        failure.attempts = entry["tries"]
    return entry["vectors"], calls, failure


async def _embed_texts(spec: str, texts: list[str], state: GroupState) -> dict[str, Any]:
    """Embed the texts, and return the result in the form of a recording."""
    model = await asyncio.to_thread(load_embeddings, spec, "mend it and go on")
    assert model is not None  # rules that measure by meaning name a model
    model.can_afford = lambda calls: not is_budget_spent(state["settings"], [*state["calls"], *calls], new_calls=0)
    fault, attempts, vectors = None, 0, list[list[float]]()
    try:
        vectors = await model.aembed_documents(texts) if texts else []
    except EmbeddingError as failure:
        if failure.failure.fatal:
            raise
        fault, attempts = asdict(failure.failure), failure.attempts
    calls = [call.model_copy(update={"round": state["round"]}).model_dump(mode="json") for call in model.calls]
    return {"vectors": vectors, "calls": calls, "fault": fault, "tries": attempts}


def make_unmeasured_incident(failure: EmbeddingError, state: GroupState) -> Incident:
    """Make the incident of a round for which the embedding model gave no vectors."""
    return Incident(
        where="weighing",
        what=failure.failure.translate_message(state["settings"].language),
        kind=failure.failure.kind,
        consequence=NOT_MEASURED,
        tries=failure.attempts,
        round=state["round"],
        at=get_timestamp(),
        severity="degraded",
    )


async def _measure_judged(state: GroupState, templates: Templates) -> ScoreUpdate:
    seats = list_names(state["participants"])
    call = replace(
        with_turn(build_role_call(state, "judge", "weighing"), 0, state["round"]), schema=build_scores_schema(*seats)
    )
    prompt = replace(build_prompt(state, templates, "weigh", {}), history=state["history"])
    prompt = prompt.with_limit(state["view_limits"].get("judge"))
    try:
        answer = await ask(prompt, call, make_coverage_check(seats, prompt.language))
    except NoAnswerError as failure:
        return make_agreement_score("judge", state["round"], {}, {}, seats), record_calls(
            "judge", failure.with_consequence(NOT_MEASURED)
        )
    entries = answer.value.standings if isinstance(answer.value, ParticipantScores) else []
    scores = {entry.name: entry.agreement for entry in entries}
    objections = {entry.name: entry.objection for entry in entries}
    return make_agreement_score("judge", state["round"], scores, objections, seats), record_calls("judge", answer)


_MEASURES: dict[str, Callable[[GroupState, Templates], Awaitable[ScoreUpdate]]] = {
    "declared": _measure_declared,
    "lexical": _measure_lexical,
    "embedding": _measure_embedded,
    "judge": _measure_judged,
}
