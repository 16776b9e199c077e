"""Open questions of a run, and the notices to all participants.

This module neither reads nor writes a database.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from langgraph.types import Interrupt
from typing_extensions import TypedDict

from ...nodes.ask.ask_external import QUESTION_KIND
from ...state.statement import Notice
from ..display.wording import translate_display_phrase
from ..run.failure import WaitingForPeople

INVITATION_SCHEMA = {
    "type": "object",
    "properties": {"accept": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["accept"],
}
"""JSON schema of the answer to an invitation to a session."""


class RunSnapshot(Protocol):
    """Interface of a run's state: a loaded run, or LangGraph's snapshot of a thread."""

    @property
    def values(self) -> dict[str, Any]:
        """Channels of the run."""

    @property
    def interrupts(self) -> Sequence[Interrupt]:
        """Interrupts that ask people and programs."""


class OpenQuestion(TypedDict):
    """Open question, limited to the information that its seat may see.

    `id`: id of the interrupt. `purpose`: `statement`, `position`, `consent`, `ballot`, `invitation` … `words`: the task
    in the person's language. `schema`: JSON schema of a form, or `None` for plain text. `deadline`: ISO 8601 in UTC, or
    `None`. `fault`: fault of the last answer, or empty. `rules`: rules of the whole deliberation. `private`, `memory`:
    information for this seat only. `heard`: last turn that the seat may see. `options`: texts of the form's options.
    """

    id: str
    who: str
    purpose: str
    language: str
    turn: int
    round: int
    words: str
    schema: dict[str, Any] | None
    options: dict[str, str]
    deadline: str | None
    fault: str
    attempt: int
    attempts: int
    rules: str
    private: str
    memory: str
    heard: int


def list_open_questions(snapshot: RunSnapshot) -> list[OpenQuestion]:
    """List the open questions in seat order; empty if the run waits for no participant."""
    questions, state = list[OpenQuestion](), snapshot.values
    for interrupt in snapshot.interrupts:
        request: Mapping[str, Any] = interrupt.value
        if request["kind"] == "turn":
            questions.append(_make_session_question(interrupt.id, request["expected"], "statement", request, state))
        for name in request["waiting_for"] if request["kind"] == "invitation" else ():
            questions.append(_make_session_question(interrupt.id, name, "invitation", request, state))
        if request["kind"] == QUESTION_KIND:
            fields = {key: value for key, value in request.items() if key in OpenQuestion.__annotations__}
            questions.append(OpenQuestion(id=interrupt.id, **fields))  # type: ignore[typeddict-item]
    names = [participant.name for participant in state.get("participants", [])]
    return sorted(questions, key=lambda entry: names.index(entry["who"]) if entry["who"] in names else len(names))


def _make_session_question(
    interrupt_id: str, name: str, purpose: str, request: Mapping[str, Any], state: Mapping[str, Any]
) -> OpenQuestion:
    language, turn = state["settings"].language, request.get("turn", 0)
    key = "seat.invited" if purpose == "invitation" else "seat.turn"
    return OpenQuestion(
        id=interrupt_id,
        who=name,
        purpose=purpose,
        language=language,
        turn=turn,
        round=state["round"],
        words=translate_display_phrase(language, key, turn=turn, topic=request["topic"]),
        schema=INVITATION_SCHEMA if purpose == "invitation" else None,
        options={},
        deadline=request["until"],
        fault=request["refused"],
        attempt=1,
        attempts=1,
        rules="",
        private=next((participant.private for participant in state["participants"] if participant.name == name), ""),
        memory="",
        heard=max((statement.turn for statement in state["history"]), default=0),
    )


def find_question(snapshot: RunSnapshot, name: str) -> OpenQuestion | None:
    """Return the open question to a seat, or `None`."""
    return next((question for question in list_open_questions(snapshot) if question["who"] == name), None)


def list_notices(snapshot: RunSnapshot) -> list[Notice]:
    """List the notices to everyone so far: the material, documents, and results of votes and estimates."""
    values = snapshot.values
    documents = [
        values.get("material", ""),
        *(f"{exhibit.title}\n{exhibit.text}" for exhibit in values.get("exhibits", [])),
    ]
    return [*(Notice(turn=0, text=text) for text in documents if text.strip()), *values.get("notices", [])]


def make_waiting_error(questions: Sequence[OpenQuestion]) -> WaitingForPeople:
    """Make the exception that stops a run because of these open questions."""
    names = list(dict.fromkeys(question["who"] for question in questions))
    turn = max((question["turn"] for question in questions), default=0)
    return WaitingForPeople(names, f"waiting for {names[0]} (turn {turn})" if len(names) == 1 and turn else "")


def has_overdue_question(snapshot: RunSnapshot, moment: datetime) -> bool:
    """Return whether the deadline of any open question has passed at `moment`."""
    deadlines = [question["deadline"] for question in list_open_questions(snapshot)]
    return any(deadline is not None and datetime.fromisoformat(deadline) <= moment for deadline in deadlines)
