"""A run as one JSON document: the envelope every protocol shares, and the protocol's own keys."""

from collections.abc import Mapping
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from ..nodes.closing import is_rehearsed
from ..state.ending import Evidence, Promise
from ..state.incident import Call, Incident, total_tokens
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.statement import Participant, Statement
from .hooks import hooks_of
from .protocols import Protocol, protocol
from .saved import Saved, checked, load, opened
from .saved.origin import origin

CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
SHARED = ("topic", "material", "participants", "rules", "history", "incidents", "calls", "outcome", "synthesis")
"""What the envelope says in keys of its own; everything else in a protocol's result is the protocol's own."""

RENAMED = {"answer": "runAnswer"}
"""Keys of a result that a document calls otherwise; a panel's `answer` is its text to read."""


class TurnLine(BaseModel):
    """One statement. Serialised by alias: turnNumber, speakerId, persona, content, timestamp, tokensUsed."""

    model_config = CAMEL

    turn_number: int
    speaker_id: str
    persona: str
    content: str
    timestamp: str
    tokens_used: int = Field(description="Prompt and completion tokens of the turn, failed tries included.")


class CourseLine(BaseModel):
    """What else the record says of one statement. Serialised by alias: turnNumber, round, cutOff, silenced."""

    model_config = CAMEL

    turn_number: int
    round: int
    cut_off: bool = Field(description="Whether the model ran into its length limit.")
    silenced: bool = Field(description="Whether a fork kept it from everyone after.")


class Envelope(BaseModel):
    """What every protocol's document begins with."""

    model_config = CAMEL

    run: str
    protocol: str
    topic: str
    material: str = Field(description="Background that everyone saw; empty: there was none.")
    model: str
    rehearsal: bool
    replayed: bool = Field(description="Whether every answer came from a recording.")
    seed: int | None
    language: str
    started_at: str = Field(default="", description="When the run was begun, ISO 8601, UTC; empty if not saved.")
    forked_from: str = Field(default="", description="The run and checkpoint it goes on from; empty: begun anew.")
    forked_turn: int | None = Field(default=None, description="The turn after which it goes on from there.")
    forked_with: dict[str, Any] = Field(default={}, description="What was set there, by the key of `--set`, whole.")
    experiment: str = Field(default="", description="The experiment it belongs to; empty: none.")
    condition: str = Field(default="", description="The condition it was run under there.")
    item: str = Field(default="", description="The item it was run on there.")
    repeat: int | None = Field(default=None, description="Which repeat it is there, from 1.")
    status: str = Field(description="completed, partial, failed, or unfinished.")
    fault: str = Field(default="", description="Why an unfinished run stopped, in one line; empty: nothing was wrong.")
    headline: str
    termination_reason: str | None
    strategy: str | None = Field(default=None, description="The rule that found the ending; null while it goes on.")
    evidence: Evidence | None
    promise: Promise | None = Field(default=None, description="What the stop promises; null while it goes on.")
    turns: list[TurnLine]
    course: list[CourseLine] = Field(description="The rounds of the turns, in the same order.")
    synthesis: str
    participants: list[Participant]
    total_tokens: int = Field(description="Tokens of every call, synthesis and judges included.")
    total_time_ms: int = Field(description="Wall time while it was running, in milliseconds.")
    total_calls: int
    total_cost: float | None = Field(description="In the currency of the prices; null where a model asked has none.")
    incidents: list[Incident]
    calls: list[Call] = Field(description="Every request to a model, successful or not.")
    memory: dict[str, list[str]] = Field(description="What each participant remembers at the end, oldest line first.")
    rules: dict[str, Any] = Field(description="Every knob of the run, as it was settled.")


def document(saved: Saved) -> dict[str, Any]:
    """The document of a saved run, finished or not."""
    ran = protocol(saved.run.protocol)
    shared = envelope(saved.state, saved.run.run, saved.milliseconds)
    shared |= {"startedAt": saved.run.started, "fault": saved.run.fault} | origin(saved.run)
    keys = hooks_of(ran.name).keys
    own = keys(saved, shared) if keys else _result(saved, ran)
    own_keys: dict[str, Any] = TypeAdapter(dict[str, Any]).dump_python(dict(own), mode="json")
    return shared | own_keys


async def saved_document(name: str, db: str) -> dict[str, Any]:
    """The document of the run of this name. Raises `Refused` where there is none, or nothing of it."""
    checked(name)
    async with opened(db, reading=True) as store:
        saved = await load(store, name)
    if not saved.begun:
        raise Refused("run", name, "nothing of it was saved; begin it anew")
    return document(saved)


def _result(saved: Saved, ran: Protocol) -> dict[str, Any]:
    """What the graph gives back beside what the envelope says."""
    keys = [key for key in get_type_hints(ran.build().output_schema) if key not in SHARED]
    return {RENAMED.get(key, to_camel(key)): saved.state.get(key) for key in keys}


def envelope(state: Mapping[str, Any], run: str, milliseconds: int) -> dict[str, Any]:
    """What the document of any run begins with."""
    return _envelope(state, run, milliseconds).model_dump(mode="json", by_alias=True)


def _envelope(state: Mapping[str, Any], run: str, milliseconds: int) -> Envelope:
    rules: Rules = state["rules"]
    calls: list[Call] = state["calls"]
    outcome = state.get("outcome")
    return Envelope(
        run=run,
        protocol=rules.protocol,
        topic=state.get("topic", ""),
        material=state.get("material", ""),
        model=str(rules.model),
        rehearsal=outcome.rehearsal if outcome else is_rehearsed(calls),
        replayed=bool(rules.replay),
        seed=rules.seed,
        language=rules.language,
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        termination_reason=outcome.reason if outcome else None,
        strategy=outcome.strategy if outcome else None,
        evidence=outcome.evidence if outcome else None,
        promise=outcome.promise if outcome else None,
        turns=turns(state["history"], state["participants"]),
        course=_course(state["history"]),
        synthesis=state.get("synthesis", ""),
        participants=state["participants"],
        total_tokens=total_tokens(calls),
        total_time_ms=milliseconds,
        total_calls=len(calls),
        total_cost=rules.prices.cost(calls) if rules.prices else None,
        incidents=state["incidents"],
        calls=calls,
        memory=state.get("memory") or {},
        rules=rules.model_dump(mode="json"),
    )


def _course(history: list[Statement]) -> list[CourseLine]:
    return [
        CourseLine(turn_number=one.turn, round=one.round, cut_off=one.cut_off, silenced=one.silenced) for one in history
    ]


def turns(history: list[Statement], participants: list[Participant]) -> list[TurnLine]:
    """The statements, each with its speaker's persona."""
    personas = {one.name: one.persona for one in participants}
    return [
        TurnLine(
            turn_number=one.turn,
            speaker_id=one.speaker,
            persona=personas.get(one.speaker, ""),
            content=one.content,
            timestamp=one.at,
            tokens_used=one.tokens,
        )
        for one in history
    ]
