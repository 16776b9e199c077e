"""What a run waits for, of whom, and what each seat may see of it. Nothing here reads a database or writes anything."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from langgraph.types import Interrupt
from typing_extensions import TypedDict

from ...nodes.asking.outside import KIND
from ...state.history import shown_of
from ...state.statement import Notice, Statement
from ..display.wording import say
from ..failure import Waits

INVITATION = {
    "type": "object",
    "properties": {"accept": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["accept"],
}
"""The form in which an invitation to a session is answered."""


class Standing(Protocol):
    """A run as it stands: what `load` gives, or langgraph's own snapshot of a thread."""

    @property
    def values(self) -> dict[str, Any]:
        """The state."""

    @property
    def interrupts(self) -> Sequence[Interrupt]:
        """What is asked of people and programs."""


class Waiting(TypedDict):
    """One question that waits, and nothing that this seat may not see.

    `id`: of the interrupt; `purpose`: `statement`, `position`, `consent`, `ballot`, `invitation` …; `words`: the task,
    in the language of whoever is asked; `schema`: the JSON schema of a form, none where a text is asked for;
    `deadline`: ISO 8601, UTC, none for ever; `fault`: what was wrong with the answer before; `rules`: what holds for
    all of the talk; `private`, `memory`: what this seat alone is told; `heard`: the last turn it may have heard of.
    """

    id: str
    who: str
    purpose: str
    language: str
    turn: int
    round: int
    words: str
    schema: dict[str, Any] | None
    deadline: str | None
    fault: str
    attempt: int
    attempts: int
    rules: str
    private: str
    memory: str
    heard: int


def waiting(snapshot: Standing) -> list[Waiting]:
    """Every question that waits for somebody, in seat order; a session that waits for nobody at all has none."""
    found = [one for each in snapshot.interrupts for one in _asked(each, snapshot.values)]
    seats = [one.name for one in snapshot.values.get("participants", [])]
    return sorted(found, key=lambda one: seats.index(one["who"]) if one["who"] in seats else len(seats))


def _asked(one: Interrupt, state: Mapping[str, Any]) -> list[Waiting]:
    told: Mapping[str, Any] = one.value
    match told["kind"]:
        case "turn":
            return [_of_session(one.id, told["expected"], "statement", told, state)]
        case "invitation":
            return [_of_session(one.id, who, "invitation", told, state) for who in told["waiting_for"]]
        case kind if kind == KIND:
            known = {key: value for key, value in told.items() if key in Waiting.__annotations__}
            return [Waiting(id=one.id, **known)]  # type: ignore[typeddict-item]
    return []


def _of_session(id: str, who: str, purpose: str, told: Mapping[str, Any], state: Mapping[str, Any]) -> Waiting:
    language, turn = state["rules"].language, told.get("turn", 0)
    key = "seat.invited" if purpose == "invitation" else "seat.turn"
    return Waiting(
        id=id,
        who=who,
        purpose=purpose,
        language=language,
        turn=turn,
        round=state["round"],
        words=say(language, key, turn=turn, topic=told["topic"]),
        schema=INVITATION if purpose == "invitation" else None,
        deadline=told["until"],
        fault=told["refused"],
        attempt=1,
        attempts=1,
        rules="",
        private=next((one.private for one in state["participants"] if one.name == who), ""),
        memory="",
        heard=max((one.turn for one in state["history"]), default=0),
    )


def seen(snapshot: Standing, who: str) -> list[Statement]:
    """The statements that `who` may see by now: its own, and those of others that were heard."""
    last, history = heard_up_to(snapshot, who), shown_of(snapshot.values.get("history", []))
    return [one for one in history if one.speaker == who or one.turn <= last]


def heard_up_to(snapshot: Standing, who: str) -> int:
    """The last turn whose statement others may have heard by now; 0: none.

    In a round that is held unheard, none of that round. Where a protocol names nobody, none at all, but
    for whoever is to sum them up.
    """
    values, history = snapshot.values, snapshot.values.get("history", [])
    mine = [one["heard"] for one in waiting(snapshot) if one["who"] == who]
    if not history or (not mine and values["rules"].anonymous):
        return 0
    if heard := mine or [one["heard"] for one in waiting(snapshot)]:
        return min(heard)
    unheard = values["round"] if _unheard(snapshot) else None
    return max((one.turn for one in history if one.round != unheard), default=0)


def told(snapshot: Standing) -> list[Notice]:
    """What the protocol told everyone so far: the material, documents, and what came of votes and estimates."""
    values = snapshot.values
    given = [values.get("material", ""), *(f"{one.title}\n{one.text}" for one in values.get("exhibits", []))]
    return [*(Notice(turn=0, text=text) for text in given if text.strip()), *values.get("notices", [])]


def _unheard(snapshot: Standing) -> bool:
    """Whether several are speaking now without hearing each other."""
    tasks = getattr(snapshot, "tasks", ())
    steps = [one.name for one in tasks] or list(getattr(snapshot, "next", ()))
    return any(step.endswith("unheard") for step in steps)


def waits_for(left: Sequence[Waiting]) -> Waits:
    """What stops a run of which these questions are left."""
    people, turn = list(dict.fromkeys(one["who"] for one in left)), max((one["turn"] for one in left), default=0)
    return Waits(people, f"waiting for {people[0]} (turn {turn})" if len(people) == 1 and turn else "")


def overdue(snapshot: Standing, now: datetime) -> bool:
    """Whether somebody's time is over by `now`."""
    ends = [one["deadline"] for one in waiting(snapshot)]
    return any(end is not None and datetime.fromisoformat(end) <= now for end in ends)
