"""Open questions of a run to participants and to its owner, and the notices to all participants.

This module neither reads nor writes a database.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from langgraph.types import Interrupt
from typing_extensions import TypedDict

from ...nodes.ask.ask_agent import APPROVAL_KIND
from ...nodes.ask.ask_external import QUESTION_KIND
from ...nodes.lookups.approval import Approval
from ...state import OWNER, Notice, StrictModel
from ..display import format_json, format_turn_heading, get_label, translate_display_phrase
from ..run.failure import WaitingForPeopleError


class InvitationReply(StrictModel):
    """Reply of a person to an invitation to a session."""

    accept: bool
    reason: str = ""


class RunSnapshot(Protocol):
    """Interface of a run's state: a loaded run, or LangGraph's snapshot of a thread."""

    @property
    def values(self) -> dict[str, Any]:
        """Return the values of the run's channels."""

    @property
    def interrupts(self) -> Sequence[Interrupt]:
        """Return the interrupts that ask people and programs."""


class OpenQuestion(TypedDict):
    """Open question, limited to the information that its seat may see.

    `id`: id of the interrupt. `who`: a participant, or `OWNER` for an approval. `purpose`: `statement`, `position`,
    `consent`, `ballot`, `invitation`, `approval` … `words`: the task in the person's language. `schema`: JSON schema of
    a form, or `None` for plain text. `options`: texts of the form's options. `deadline`: ISO 8601 in UTC, or `None`.
    `fault`: fault of the last answer, or empty. `rules`: rules of the whole deliberation. `private`, `memory`:
    information for this seat only. `heard`: last turn that the seat may see.
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
    """List the open questions in seat order, the owner's last; empty if the run waits for nobody."""
    questions, state = list[OpenQuestion](), snapshot.values
    for interrupt in snapshot.interrupts:
        request: Mapping[str, Any] = interrupt.value
        if request["kind"] == "turn":
            questions.append(_make_session_question(interrupt.id, request["expected"], "statement", request, state))
        for name in request["waiting_for"] if request["kind"] == "invitation" else ():
            questions.append(_make_session_question(interrupt.id, name, "invitation", request, state))
        if request["kind"] == APPROVAL_KIND:
            questions.append(_make_approval_question(interrupt, state))
        if request["kind"] == QUESTION_KIND:
            fields = {key: value for key, value in request.items() if key in OpenQuestion.__annotations__}
            questions.append(OpenQuestion(id=interrupt.id, **fields))  # type: ignore[typeddict-item]
    names = [participant.name for participant in state.get("participants", [])]
    return sorted(questions, key=lambda entry: names.index(entry["who"]) if entry["who"] in names else len(names))


def _make_session_question(
    interrupt_id: str, name: str, purpose: str, request: Mapping[str, Any], state: Mapping[str, Any]
) -> OpenQuestion:
    key = "seat.invited" if purpose == "invitation" else "seat.turn"
    return OpenQuestion(
        **{
            **_make_question(interrupt_id, name, purpose, request, state, key, topic=request["topic"]),
            "schema": InvitationReply.model_json_schema() if purpose == "invitation" else None,
            "deadline": request["deadline"],
            "fault": request["refused"],
            "private": next(
                (participant.private for participant in state["participants"] if participant.name == name), ""
            ),
        }
    )


def _make_approval_question(interrupt: Interrupt, state: Mapping[str, Any]) -> OpenQuestion:
    """Return the open question whether the owner approves a look-up, or the question of an agent.

    The question of an agent has no schema.
    """
    request: Mapping[str, Any] = interrupt.value
    subject = format_json(request.get("value", request.get("arguments")), None)
    question = _make_question(
        interrupt.id,
        OWNER,
        APPROVAL_KIND,
        request,
        state,
        "seat.approval",
        who=request["who"],
        subject=f"{request.get('tool', '')} {subject}".strip(),
    )
    return OpenQuestion(
        **{
            **question,
            "schema": Approval.model_json_schema() if "tool" in request else None,
            "deadline": request.get("deadline"),
            "fault": request.get("fault", ""),
        }
    )


def _make_question(
    interrupt_id: str,
    name: str,
    purpose: str,
    request: Mapping[str, Any],
    state: Mapping[str, Any],
    key: str,
    **values: object,
) -> OpenQuestion:
    """Return an open question whose task is the phrase `key` of the display.

    `interrupt_id`, `name`, `purpose`: values of its fields. `request`: payload of the interrupt. `values`: its other
    fields, in place of their defaults.
    """
    language, turn = state["settings"].language, request.get("turn", 0)
    return OpenQuestion(
        id=interrupt_id,
        who=name,
        purpose=purpose,
        language=language,
        turn=turn,
        round=state["round"],
        words=translate_display_phrase(language, key, turn=turn, **values),
        schema=None,
        options={},
        deadline=None,
        fault="",
        attempt=1,
        attempts=1,
        rules="",
        private="",
        memory="",
        heard=max((statement.turn for statement in state["history"]), default=0),
    )


def find_question(snapshot: RunSnapshot, name: str) -> OpenQuestion | None:
    """Return the open question to the participant `name`, or `None`."""
    return next((question for question in list_open_questions(snapshot) if question["who"] == name), None)


def list_notices(snapshot: RunSnapshot) -> list[Notice]:
    """List the notices to everyone so far: the material, documents, and results of votes and estimates."""
    values = snapshot.values
    documents = [
        values.get("material", ""),
        *(f"{exhibit.title}\n{exhibit.text}" for exhibit in values.get("exhibits", [])),
    ]
    return [*(Notice(turn=0, text=text) for text in documents if text.strip()), *values.get("notices", [])]


def list_awaited_names(snapshot: RunSnapshot) -> list[str]:
    """Return the names of the people and programs that a run waits for.

    The run's owner appears as a word in the run's language.
    """
    names = dict.fromkeys(question["who"] for question in list_open_questions(snapshot))
    return [get_label(snapshot.values["settings"].language, "roles", name, "display") for name in names]


def format_question_heading(question: OpenQuestion) -> str:
    """Return the heading of a question: the participant's name, and what kind of answer is requested."""
    name, language = question["who"], question["language"]
    if question["purpose"] == "statement":
        return format_turn_heading(name, question["turn"], language)
    heading = get_label(language, "stages", question["purpose"]).capitalize()
    return heading if name == OWNER else f"{name}: {heading}"


def format_deadline(question: OpenQuestion) -> str:
    """Format the deadline of a question in local time, with the zone; empty without a deadline."""
    if not question["deadline"]:
        return ""
    local_time = datetime.fromisoformat(question["deadline"]).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return translate_display_phrase(question["language"], "seat.until", deadline=local_time)


def make_waiting_error(questions: Sequence[OpenQuestion]) -> WaitingForPeopleError:
    """Make the exception that stops a run because of these open questions.

    The message names the asked participants. If only the owner is asked, the message quotes the first question.
    """
    names = list(dict.fromkeys(question["who"] for question in questions if question["who"] != OWNER))
    if not names:
        return WaitingForPeopleError([], f"Waiting for your approval: {questions[0]['words']}")
    turn = max((question["turn"] for question in questions), default=0)
    return WaitingForPeopleError(names, f"Waiting for {names[0]} (turn {turn})" if len(names) == 1 and turn else "")


def has_overdue_question(snapshot: RunSnapshot, moment: datetime) -> bool:
    """Return whether the deadline of any open question has passed at `moment`."""
    return any(
        question["deadline"] is not None and datetime.fromisoformat(question["deadline"]) <= moment
        for question in list_open_questions(snapshot)
    )
