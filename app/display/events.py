"""The events of a run that a display shows, made from langgraph's stream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.ending import Outcome
from ...state.incident import PASSED_OVER, Call, Incident, total_tokens
from ...state.rules import Rules
from ...state.statement import Participant, Statement
from ..justice.news import happenings
from ..session.news import session_line
from .aligned import aligned
from .group import Item, happened

MODES = ["tasks", "custom", "updates"]
"""The stream modes `news` reads; of what is followed word by word, `messages` too."""


@dataclass(frozen=True)
class Seated:
    """The participants and the rules are known."""

    topic: str
    material: str
    participants: list[Participant]
    rules: Rules


@dataclass(frozen=True)
class Doing:
    """A step has begun. `who`: the participant it concerns, if one; `turn`: the turn it would be, 0 outside turns."""

    step: str
    who: str = ""
    turn: int = 0


@dataclass(frozen=True)
class Words:
    """Some words of an answer, as the model writes them."""

    who: str
    purpose: str
    text: str


@dataclass(frozen=True)
class AskedAgain:
    """The answer so far in this turn was unusable; the participant is asked again."""

    who: str
    kind: str


@dataclass(frozen=True)
class Said:
    """A statement has entered the record."""

    statement: Statement


@dataclass(frozen=True)
class Happened:
    """A step that makes no statement, described in one line."""

    line: str


@dataclass(frozen=True)
class Unread(Happened):
    """A file of the run's own could not be read."""


@dataclass(frozen=True)
class PassedOver:
    """A participant missed its turn."""

    incident: Incident


@dataclass(frozen=True)
class Spent:
    """Calls were made."""

    calls: int
    tokens: int
    made: Sequence[Call] = ()


@dataclass(frozen=True)
class Ended:
    """It is over."""

    outcome: Outcome
    synthesis: str


Event = Seated | Doing | Words | AskedAgain | Said | Happened | PassedOver | Spent | Ended


def news(part: Mapping[str, Any], rules: Rules) -> Iterator[Event]:
    """The events in one part of the stream (version 2), with texts in the run's language."""
    data, language = part["data"], rules.language
    match part["type"]:
        case "messages":
            chunk, about = data
            if chunk.text and about.get("speaker"):
                yield Words(about["speaker"], about.get("purpose", ""), chunk.text)
        case "custom" if data.get("event") == "again":
            yield AskedAgain(data["who"], data["kind"])
        case "custom" if "seq" in data and (line := session_line(data, language)):
            yield Happened(line)
        case "tasks" if "input" in data:
            yield _doing(data["name"], data["input"])
        case "updates":
            for step, update in data.items() if "__interrupt__" not in data else ():
                yield from _written(update or {}, nested=bool(part.get("ns")))
                yield from (Happened(line) for line in happenings(step, update or {}, language))
                if items := [_lines(item) for item in happened(update or {}, rules)]:
                    yield Happened("\n".join(items))


def _lines(item: Item) -> str:
    return item if isinstance(item, str) else "\n".join(f"  {line}" for line in aligned(item))


def _doing(step: str, read: Any) -> Doing:
    given = read if isinstance(read, dict) else {}
    if "floor" in given and step in ("speak", "take_turn", "hear"):
        return Doing(step, next(iter(given["floor"]), ""), given["turn"] + 1)
    return Doing(step, str(given.get("who", "")), given.get("seat", 0))  # who speaks unheard, in the first round


def _written(update: Mapping[str, Any], nested: bool) -> Iterator[Event]:
    calls: list[Call] = update.get("calls") or []
    if calls and not nested:  # what a graph within the graph spends, its step hands in
        yield Spent(len(calls), total_tokens(calls), calls)
    if "participants" in update and "rules" in update:
        yield Seated(update["topic"], update["material"], update["participants"], update["rules"])
    yield from (Said(statement) for statement in update.get("history") or [])
    for incident in update.get("incidents") or []:
        if incident.consequence == PASSED_OVER:
            yield PassedOver(incident)
        if incident.where == "retrieve":
            yield Unread(incident.what)
    if outcome := update.get("outcome"):
        yield Ended(outcome, update.get("synthesis", ""))
