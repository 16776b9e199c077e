"""Document of a run as JSON, with shared keys and the protocol's own, and comparison of two documents."""

from collections.abc import Mapping
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from ...models import describe_recipients
from ...nodes.outcome import is_rehearsed
from ...state import (
    Call,
    Evidence,
    Incident,
    InputError,
    Lookup,
    Participant,
    Settings,
    Statement,
    StopBasis,
    clip_text,
    sum_tokens,
)
from ..display.plain_text import flatten_line
from ..protocols import get_hooks, get_protocol
from ..saved import SavedRun, Store, build_origin, check_run_name, load_saved_run, open_database

COMPARED_LENGTH = 300
CAMEL_CONFIG = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)
ENVELOPE_CHANNELS = (
    "topic",
    "material",
    "participants",
    "settings",
    "history",
    "incidents",
    "calls",
    "lookups",
    "outcome",
    "synthesis",
)
"""Channels whose values the envelope contains. All other channels of a result belong to the protocol."""

RENAMED_KEYS = {"answer": "runAnswer"}
"""Document key of each channel with a different name. In a panel's document, `answer` is the text of the answer."""


class TurnLine(BaseModel):
    """Statement in a document.

    Serialised by alias: turnNumber, speakerId, persona, content, timestamp, tokensUsed.
    """

    model_config = CAMEL_CONFIG

    turn_number: int
    speaker_id: str
    persona: str
    content: str
    timestamp: str
    tokens_used: int = Field(description="Prompt and completion tokens of the turn, including failed attempts.")


class TurnDetails(BaseModel):
    """Additional data of a statement in a document.

    Serialised by alias: turnNumber, round, cutOff, silenced.
    """

    model_config = CAMEL_CONFIG

    turn_number: int
    round: int
    cut_off: bool = Field(description="Whether the model reached its length limit.")
    silenced: bool = Field(description="Whether a fork hides the statement from all participants.")


class RunResult(BaseModel):
    """Keys that the documents of all protocols and the results of tool calls share."""

    model_config = CAMEL_CONFIG

    run: str = Field(description="Name of the saved run, for `moot show`.")
    protocol: str
    topic: str
    status: str = Field(description="`completed`, `partial`, `failed` or `unfinished`.")
    headline: str = Field(description="Ending and failures on one line.")
    termination_reason: str | None
    rehearsal: bool = Field(description="Whether the run used no model, so that its texts are not answers.")
    synthesis: str = Field(description="Synthesis of the deliberation.")
    turns: list[TurnLine]
    total_calls: int
    total_tokens: int = Field(description="Tokens of all calls, including synthesis and judges.")
    total_cost: float | None = Field(description="Cost in the currency of the prices; null if a price is unknown.")


class Envelope(RunResult):
    """Keys with which every protocol's document begins."""

    material: str = Field(description="Background for all participants; empty: none.")
    model: str
    recipients: str = Field(description="Servers that got the words of the run, on one line.")
    replayed: bool = Field(description="Whether every answer came from a recording.")
    seed: int | None
    language: str
    started_at: str = Field(default="", description="Start of the run, ISO 8601, UTC; empty: not saved.")
    forked_from: str = Field(default="", description="Run and checkpoint of the original; empty: no fork.")
    forked_turn: int | None = Field(
        default=None, description="Last turn taken from the original; null if the run is not a fork."
    )
    forked_with: dict[str, Any] = Field(default={}, description="Changes of the fork, by the key of `--set`.")
    experiment: str = Field(default="", description="Experiment of the run; empty: none.")
    condition: str = Field(default="", description="Condition in the experiment.")
    item: str = Field(default="", description="Item in the experiment.")
    repeat: int | None = Field(default=None, description="Number of the repeat in the experiment, from 1.")
    fault: str = Field(default="", description="Reason why an unfinished run stopped, on one line; empty: no fault.")
    strategy: str | None = Field(
        default=None, description="Name of the rule that ended the run; null while it continues."
    )
    evidence: Evidence | None
    basis: StopBasis | None = Field(default=None, description="Basis of the stop; null while the run continues.")
    course: list[TurnDetails] = Field(description="Round and marks of each turn, in the same order.")
    participants: list[Participant]
    total_time_ms: int = Field(description="Wall time without pauses, in milliseconds.")
    sent_requests: int = Field(default=0, description="Number of paid requests: recorded, lost and open.")
    recorded_requests: int = Field(default=0, description="Number of paid requests in `calls`.")
    lost_requests: int = Field(
        default=0, description="Number of paid requests whose process died before it saved the answer."
    )
    open_requests: int = Field(default=0, description="Number of paid requests without an answer yet; 0 at the end.")
    incidents: list[Incident]
    calls: list[Call] = Field(description="Every request to a model, successful or not.")
    lookups: list[Lookup] = Field(description="Every look-up by a tool, in order.")
    memory: dict[str, list[str]] = Field(description="Memory of each participant at the end, oldest line first.")
    settings: dict[str, Any] = Field(description="Settings of the run, completed at its start.")


def build_document(saved_run: SavedRun) -> dict[str, Any]:
    """Build the document of a saved run, finished or not, as JSON data."""
    protocol, state = get_protocol(saved_run.run.protocol), saved_run.state
    envelope = build_envelope(state, saved_run.run.run, saved_run.milliseconds)
    envelope |= {"startedAt": saved_run.run.started, "fault": saved_run.run.fault} | build_origin(saved_run.run)
    envelope |= {f"{key}Requests": saved_run.requests.get(key, 0) for key in ("recorded", "lost", "open")}
    envelope["sentRequests"] = sum(saved_run.requests.values())
    if collect_keys := get_hooks(protocol.name).keys:
        own_values = dict(collect_keys(saved_run, envelope))
    else:
        keys = [key for key in get_type_hints(protocol.graph.output_schema) if key not in ENVELOPE_CHANNELS]
        own_values = {RENAMED_KEYS.get(key, to_camel(key)): state.get(key) for key in keys}
    own_keys: dict[str, Any] = TypeAdapter(dict[str, Any]).dump_python(own_values, mode="json")
    return envelope | own_keys


async def find_document(store: Store, experiment: str, run: str) -> dict[str, Any] | None:
    """Build the document of a run in an experiment; `None` if no step was saved."""
    if not await store.runs.has_run(run):
        return None
    saved_run = await load_saved_run(store, run)
    return build_document(saved_run) if saved_run.has_begun and saved_run.run.experiment == experiment else None


async def load_document(name: str, db: str) -> dict[str, Any]:
    """Load the run `name` and return its document.

    Raises `InputError` for an unknown run and for a run without a saved step.
    """
    check_run_name(name)
    async with open_database(db, read_only=True) as store:
        saved_run = await load_saved_run(store, name)
    if not saved_run.has_begun:
        raise InputError("run", name, "the run has no saved step; start a new run")
    return build_document(saved_run)


def build_envelope(state: Mapping[str, Any], run: str, milliseconds: int) -> dict[str, Any]:
    """Build the keys of a document that all protocols share.

    `state`: channels of the run. `milliseconds`: duration of the run.
    """
    settings: Settings = state["settings"]
    calls: list[Call] = state["calls"]
    history: list[Statement] = state["history"]
    outcome = state.get("outcome")
    envelope = Envelope(
        run=run,
        protocol=settings.protocol,
        topic=state.get("topic", ""),
        material=state.get("material", ""),
        model=str(settings.model),
        recipients=describe_recipients(settings),
        rehearsal=outcome.rehearsal if outcome else is_rehearsed(calls),
        replayed=bool(settings.replay),
        seed=settings.seed,
        language=settings.language,
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        termination_reason=outcome.reason if outcome else None,
        strategy=outcome.strategy if outcome else None,
        evidence=outcome.evidence if outcome else None,
        basis=outcome.basis if outcome else None,
        turns=build_turn_lines(history, state["participants"]),
        course=[
            TurnDetails(turn_number=line.turn, round=line.round, cut_off=line.cut_off, silenced=line.silenced)
            for line in history
        ],
        synthesis=state.get("synthesis", ""),
        participants=state["participants"],
        total_tokens=sum_tokens(calls),
        total_time_ms=milliseconds,
        total_calls=len(calls),
        total_cost=settings.prices.compute_cost(calls) if settings.prices else None,
        incidents=state["incidents"],
        calls=calls,
        lookups=state.get("lookups") or [],
        memory=state.get("memory") or {},
        settings=settings.model_dump(mode="json"),
    )
    return envelope.model_dump(mode="json", by_alias=True)


def build_turn_lines(history: list[Statement], participants: list[Participant]) -> list[TurnLine]:
    """Return the document's entry for each statement, with its speaker's persona."""
    personas = {participant.name: participant.persona for participant in participants}
    return [
        TurnLine(
            turn_number=statement.turn,
            speaker_id=statement.speaker,
            persona=personas.get(statement.speaker, ""),
            content=statement.content,
            timestamp=statement.at,
            tokens_used=statement.tokens,
        )
        for statement in history
    ]


def compare_documents(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the differences between two documents: the subject, and its text in each document.

    Statements are compared by turn.
    """
    pairs: list[tuple[str, object, object]] = [
        (key, first.get(key), second.get(key)) for key in ("topic", "model", "seed", "recipients")
    ]
    settings = [document.get("settings") or {} for document in (first, second)]
    keys = sorted({*settings[0], *settings[1]} - {"model", "seed", "recipients"})
    pairs += [(f"settings.{key}", settings[0].get(key), settings[1].get(key)) for key in keys]
    personas = [
        "; ".join(f"{participant['name']}: {participant['persona']}" for participant in document["participants"])
        for document in (first, second)
    ]
    texts = [{turn["turnNumber"]: turn["content"] for turn in document["turns"]} for document in (first, second)]
    turns = sorted({*texts[0], *texts[1]})
    pairs += [
        ("personas", personas[0], personas[1]),
        ("ending", first["terminationReason"], second["terminationReason"]),
        *((f"statement {turn}", texts[0].get(turn, "–"), texts[1].get(turn, "–")) for turn in turns),
        *((key, first.get(key), second.get(key)) for key in ("headline", "synthesis")),
        ("turns", len(first["turns"]), len(second["turns"])),
        ("tokens", first["totalTokens"], second["totalTokens"]),
    ]
    rows = [
        (label, *(clip_text(flatten_line(str(value)), COMPARED_LENGTH) for value in (before, after)))
        for label, before, after in pairs
    ]
    return [(label, before, after) for label, before, after in rows if before != after]
