"""Events of a run, which displays receive, made from LangGraph's stream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state import ENDING_PHASE, MISSED_TURN, Call, Incident, Participant, Settings, Statement, clip_text, sum_tokens
from ..protocols.hooks import get_hooks
from ..report.block_text import list_block_lines
from .group_results import describe_update
from .plain_text import flatten_line, format_json
from .wording import translate_display_phrase

STREAM_MODES = ["tasks", "custom", "updates"]
"""LangGraph's stream modes that `read_events` needs.

To show words as they arrive, a display adds `messages`.
"""


LOOKUP_STEPS = {"think", "approve", "begin", "use"}
"""Steps of the inner graph of a turn with look-ups."""


@dataclass(frozen=True)
class RunPrepared:
    """Event: the participants and settings are known."""

    topic: str
    participants: list[Participant]
    settings: Settings


@dataclass(frozen=True)
class StepStarted:
    """Event: a step has begun.

    `who`: the participant, or empty. `turn`: number of the turn; 0 outside of turns. `id`: id of the task, as in the
    step's `StepEnded`.
    """

    step: str
    who: str = ""
    turn: int = 0
    id: str = ""


@dataclass(frozen=True)
class StepEnded:
    """Event: a step has ended, with or without a result."""

    step: str
    id: str


@dataclass(frozen=True)
class WordsStreamed:
    """Event: a model wrote some words of its answer."""

    who: str
    purpose: str
    text: str


@dataclass(frozen=True)
class RetryStarted:
    """Event: an answer in this turn was unusable, and Moot asks the participant again."""

    who: str
    kind: str


@dataclass(frozen=True)
class StatementAdded:
    """Event: a statement was recorded."""

    statement: Statement


@dataclass(frozen=True)
class StepReported:
    """Event: a step without a statement has finished. The event describes the step in one or more lines."""

    line: str


@dataclass(frozen=True)
class FileUnreadable(StepReported):
    """Event: a file of the run could not be read."""


@dataclass(frozen=True)
class TurnMissed:
    """Event: a participant missed its turn."""

    incident: Incident


@dataclass(frozen=True)
class CallsMade:
    """Event: the run called models."""

    calls: int
    tokens: int
    records: Sequence[Call] = ()


@dataclass(frozen=True)
class RunEnded:
    """Event: the run has ended."""


RunEvent = (
    RunPrepared
    | StepStarted
    | StepEnded
    | WordsStreamed
    | RetryStarted
    | StatementAdded
    | StepReported
    | TurnMissed
    | CallsMade
    | RunEnded
)


def read_events(stream_part: Mapping[str, Any], settings: Settings) -> Iterator[RunEvent]:
    """Yield the run events in one part of LangGraph's stream (version 2).

    `settings`: settings of the run, whose language the events' texts have.
    """
    payload, language = stream_part["data"], settings.language
    match stream_part["type"]:
        case "messages":
            chunk, metadata = payload
            if chunk.text and metadata.get("speaker"):
                yield WordsStreamed(metadata["speaker"], metadata.get("purpose", ""), chunk.text)
        case "custom" if not isinstance(payload, Mapping):
            pass  # of an agent in a seat
        case "custom" if payload.get("event") == "again":
            yield RetryStarted(payload["who"], payload["kind"])
        case "custom" if line := get_hooks(settings.protocol).log_line(payload, language):
            yield StepReported(line)
        case "tasks" if payload.get("name") in LOOKUP_STEPS and stream_part.get("ns"):
            return
        case "tasks" if "input" in payload and payload.get("metadata", {}).get("phase") != ENDING_PHASE:
            step, state = payload["name"], payload["input"] if isinstance(payload["input"], dict) else {}
            if "floor" in state and step in ("speak", "take_turn", "receive_message"):
                yield StepStarted(step, next(iter(state["floor"]), ""), state["turn"] + 1, payload["id"])
            else:
                is_blind = step == "speak" and "seat" in state
                who, seat = str(state.get("who", "")), state.get("seat", 0)
                yield StepStarted("speak_blind" if is_blind else step, who, seat, payload["id"])
        case "tasks" if "result" in payload:
            yield StepEnded(payload["name"], payload["id"])
        case "updates":
            step_lines = get_hooks(settings.protocol).step_lines
            if stream_part.get("ns") and payload.keys() <= LOOKUP_STEPS:
                lookups = [lookup for update in payload.values() for lookup in (update or {}).get("lookups") or []]
                for lookup in lookups:
                    values = {"who": lookup.who, "tool": lookup.tool, "id": lookup.id, "status": lookup.status}
                    values["arguments"] = clip_text(flatten_line(format_json(lookup.arguments, None)), 120)
                    yield StepReported(translate_display_phrase(language, "turn.lookup", **values))
                return
            for step, step_update in payload.items() if "__interrupt__" not in payload else ():
                update = (
                    step_update if isinstance(step_update, Mapping) else {}
                )  # a step of an agent may return anything
                yield from _list_update_events(update, is_nested=bool(stream_part.get("ns")))
                yield from (StepReported(line) for line in step_lines(step, update, language))
                if lines := list_block_lines(describe_update(update, settings), "  "):
                    yield StepReported("\n".join(lines))


def _list_update_events(update: Mapping[str, Any], is_nested: bool) -> Iterator[RunEvent]:
    calls: list[Call] = update.get("calls") or []
    if calls and not is_nested:  # a subgraph's calls are also in the update of its step
        yield CallsMade(len(calls), sum_tokens(calls), calls)
    if is_nested and "history" in update:
        return  # of a deliberation that holds a seat
    if "participants" in update and "settings" in update:
        yield RunPrepared(update["topic"], update["participants"], update["settings"])
    yield from (StatementAdded(statement) for statement in update.get("history") or [])
    for incident in update.get("incidents") or []:
        if incident.consequence == MISSED_TURN:
            yield TurnMissed(incident)
        if incident.where == "retrieve":
            yield FileUnreadable(incident.what)
    if update.get("outcome"):
        yield RunEnded()
