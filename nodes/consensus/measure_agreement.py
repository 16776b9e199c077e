"""Measure how much a group agrees: one score per participant, with evidence."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, cast

from ...models import (
    CallFailure,
    EmbeddingError,
    check_call,
    is_machine_failure,
    load_embeddings,
    make_outage_error,
    record_reply,
    replay_reply,
    resolve_embeddings,
)
from ...state import (
    EMBEDDING_PURPOSE,
    Branch,
    Call,
    Decision,
    Incident,
    StoppingRule,
    Update,
    is_budget_spent,
    list_names,
    map_latest_statements,
    mark_reads,
)
from ...state.consensus import (
    NOT_MEASURED,
    AgreementScore,
    ConvergenceSettings,
    GroupState,
    GroupUpdate,
    compute_mean_similarities,
    find_accepted_draft,
    find_round_draft,
    list_held_objections,
    list_open_objections,
    make_agreement_score,
    score_statements,
)
from ...storage import get_timestamp
from ..positions.due_positions import measure_answer
from ..routes import Measure

FIRST_MEASURED_ROUND = 2


ScoreUpdate = tuple[AgreementScore, Update]


def measure_agreement(unmeasured_rule: StoppingRule) -> Measure:
    """Make the function that measures a group's agreement and its answer so far, after a complete round.

    If a draft, declarations or the judge are due first, the function returns a `Decision` to ask for them. It does not
    measure a round for which `unmeasured_rule` finds an ending.
    """

    async def measure_group(state: GroupState, settings: ConvergenceSettings) -> Update | Decision:
        if decision := find_draft_decision(state):
            return decision
        answer = await measure_answer(state)
        if not needs_measure(state) or unmeasured_rule(state):
            return answer
        if settings.convergence == "judge":
            return Decision(next="judge")
        if settings.convergence == "declared" and not has_declarations(state):
            return Decision(branches=[Branch(node="declare", who=name) for name in list_names(state["participants"])])
        score, costs = await _MEASURE_FUNCTIONS[settings.convergence](state)
        return GroupUpdate(agreements=[score]) | costs | answer

    return mark_reads(measure_group, unmeasured_rule, find_accepted_draft)


def find_draft_decision(state: GroupState) -> Decision | None:
    """Return the next step for the draft of this round, or `None` if there is no draft or no step left.

    First, all participants answer the draft. If too few accept it, all participants then learn the objections.
    """
    draft = find_round_draft(state["drafts"], state["round"])
    if draft is None:
        return None
    answers = [answer for answer in state["confirmations"] if answer.draft == draft.number]
    if not answers:
        return Decision(branches=[Branch(node="confirm", who=name) for name in list_names(state["participants"])])
    has_notice = any(notice.turn == state["turn"] and notice.quotes for notice in state["notices"])
    is_accepted = all(answer.accepts for answer in answers) or find_accepted_draft(state) is not None
    return None if is_accepted or has_notice else Decision(next="objected")


def needs_measure(state: GroupState) -> bool:
    """Return whether a complete round has not been measured yet."""
    agreements = state["agreements"]
    is_measured = bool(agreements) and agreements[-1].round == state["round"]
    return not state["floor"] and state["round"] >= FIRST_MEASURED_ROUND and not is_measured


def has_declarations(state: GroupState) -> bool:
    """Return whether Moot asked for declarations after this round, with or without answers."""
    rounds = [position.round for position in state["positions"] if position.agreement is not None]
    rounds += [incident.round for incident in state["incidents"] if incident.where == "position"]
    return state["round"] in rounds


async def _measure_declared(state: GroupState) -> ScoreUpdate:
    positions = [position for position in state["positions"] if position.round == state["round"]]
    scores = {position.who: position.agreement for position in positions if position.agreement is not None}
    open_objections = list_open_objections(state["positions"], state["confirmations"], state["round"])
    objections = {position.who: "; ".join(list_held_objections(position, open_objections)) for position in positions}
    return make_agreement_score(
        "declared", state["round"], scores, objections, list_names(state["participants"])
    ), Update()


async def _measure_lexical(state: GroupState) -> ScoreUpdate:
    seats, latest_statements = list_names(state["participants"]), map_latest_statements(state["history"])
    scores, objections = score_statements(
        {name: latest_statements[name].content for name in seats if name in latest_statements}
    )
    return make_agreement_score("lexical", state["round"], scores, objections, seats), Update()


async def _measure_embedded(state: GroupState) -> ScoreUpdate:
    """Compute the mean cosine of each participant's latest statement with the others' statements.

    Negative cosines count as 0.
    """
    seats = list_names(state["participants"])
    latest_statements = map_latest_statements(state["history"])
    spoken = [name for name in seats if name in latest_statements]
    vectors, calls, failure = await _load_vectors([latest_statements[name].content for name in spoken], state)
    if failure:
        incident = Incident(
            where="agreement",
            what=failure.failure.translate_message(state["settings"].language),
            kind=failure.failure.kind,
            consequence=NOT_MEASURED,
            attempts=failure.attempts,
            round=state["round"],
            at=get_timestamp(),
            severity="degraded",
        )
        update = Update(incidents=[incident])
        if calls:
            update["calls"] = calls
        return make_agreement_score("embedding", state["round"], {}, {}, seats), update
    scores = dict(zip(spoken, compute_mean_similarities(vectors), strict=True))
    return make_agreement_score("embedding", state["round"], scores, {}, seats), Update(calls=calls)


EmbeddingResult = tuple[list[list[float]], list[Call], EmbeddingError | None]
"""Vectors, the requests for them, and the error of a failed request."""


async def _load_vectors(texts: list[str], state: GroupState) -> EmbeddingResult:
    """Return the vectors of the texts, from the embedding model or from a recording.

    Raises `EmbeddingError` if another attempt is pointless.
    """
    settings = state["settings"]
    spec = resolve_embeddings(settings).get("embeddings", "")
    request = {"purpose": EMBEDDING_PURPOSE, "spec": spec, "round": state["round"], "texts": texts}
    entry = cast(dict[str, Any], await replay_reply(settings, request)) or await _embed_texts(spec, texts, state)
    await record_reply(settings, request, entry)
    calls = [Call.model_validate(call | {"replayed": bool(settings.replay)}) for call in entry["calls"]]
    failure = EmbeddingError("", CallFailure(**entry["fault"])) if entry["fault"] else None
    if failure:
        failure.attempts = entry["attempts"]
    return entry["vectors"], calls, failure


async def _embed_texts(spec: str, texts: list[str], state: GroupState) -> dict[str, Any]:
    """Embed the texts with the model `spec`, and return the result in the format of a recording.

    Raises `ServerOutageError` if the server failed, unless the run skips what it owes.
    """
    check_call(state["settings"], "embeddings", spec)
    model = await asyncio.to_thread(load_embeddings, spec, "correct it and resume")
    assert model is not None  # rules that measure by meaning name a model
    model.can_afford = lambda calls: not is_budget_spent(state["settings"], [*state["calls"], *calls], new_calls=0)
    fault, attempts, vectors = None, 0, list[list[float]]()
    try:
        vectors = await model.aembed_documents(texts) if texts else []
    except EmbeddingError as failure:
        has_succeeded = any(call.purpose == EMBEDDING_PURPOSE and call.outcome == "ok" for call in state["calls"])
        is_parked = state["settings"].on_outage == "wait" and (has_succeeded or not failure.failure.is_fatal)
        if is_parked and await is_machine_failure(failure.failure, spec):
            raise make_outage_error(failure.failure, spec) from None
        if failure.failure.is_fatal:
            raise
        fault, attempts = asdict(failure.failure), failure.attempts
    calls = [call.model_copy(update={"round": state["round"]}).model_dump(mode="json") for call in model.calls]
    return {"vectors": vectors, "calls": calls, "fault": fault, "attempts": attempts}


_MEASURE_FUNCTIONS: dict[str, Callable[[GroupState], Awaitable[ScoreUpdate]]] = {
    "declared": _measure_declared,
    "lexical": _measure_lexical,
    "embedding": _measure_embedded,
}
