"""People in a deliberation of an assistant. A client that can show forms asks them through forms."""

from datetime import datetime
from typing import Any

from mcp_types import ClientCapabilities, ElicitRequestFormParams, ElicitResult

from ....nodes.ask.ask_external import PASS_KEY
from ....storage.clock import get_time
from ...display.wording import format_answer_heading, format_turn_heading, translate_display_phrase
from ...people.open_questions import OpenQuestion, list_open_questions
from ...people.visible_statements import list_visible_statements
from ...run.failure import WaitingForPeople
from ...saved import SavedRun
from .forms import flatten_schema, parse_content


class WaitingForForm(WaitingForPeople):
    """Stop of a run that waits for a person.

    `question`: the open question. `form`: the form for the client.
    """

    def __init__(self, error: WaitingForPeople, saved_run: SavedRun) -> None:
        super().__init__(error.who, str(error))
        self.run, self.question = saved_run.run.run, list_open_questions(saved_run)[0]
        self.form = build_elicitation(saved_run, self.question)

    @property
    def key(self) -> str:
        """Unique key of the question and its attempt."""
        return make_attempt_key(self.run, self.question)

    @property
    def seconds(self) -> float | None:
        """Seconds until the person's deadline; `None` without a deadline."""
        deadline = self.question["deadline"]
        return max(0.0, (datetime.fromisoformat(deadline) - get_time()).total_seconds()) if deadline else None


def make_attempt_key(run: str, question: OpenQuestion) -> str:
    """Make the unique key of a question and its attempt."""
    return f"{run} {question['id']} {question['attempt']}"


def build_elicitation(saved_run: SavedRun, question: OpenQuestion) -> ElicitRequestFormParams:
    """Build the form of a question: the new statements, the private information of the seat, and the task."""
    name, language = question["who"], question["language"]
    statements = list_visible_statements(saved_run, name)
    last_turn = max((statement.turn for statement in statements if statement.speaker == name), default=0)
    is_turn = question["purpose"] == "statement"
    heading = (
        format_turn_heading(name, question["turn"], language)
        if is_turn
        else f"{name}: {format_answer_heading(question['purpose'], language)}"
    )
    attempt_numbers = {"attempt": question["attempt"], "attempts": question["attempts"]}
    parts = [
        *(
            f"{statement.turn}. {statement.speaker}: {statement.content}"
            for statement in statements
            if statement.turn > last_turn
        ),
        heading,
        *(
            translate_display_phrase(language, f"seat.{key}", text=text)
            for key in ("private", "memory")
            if (text := question[key])
        ),
        question["words"],
        translate_display_phrase(language, "seat.until", deadline=question["deadline"]) if question["deadline"] else "",
        translate_display_phrase(language, "seat.wrong", fault=question["fault"], **attempt_numbers)
        if question["fault"]
        else "",
    ]
    message = "\n\n".join(filter(None, parts))
    return ElicitRequestFormParams(message=message, requested_schema=flatten_schema(question["schema"], heading))


def parse_reply(waiting_error: WaitingForForm, reply: ElicitResult) -> Any:
    """Return the answer in the reply to a form. A declined form skips the question.

    Raises `WaitingForPeople` if the form was cancelled: the run still waits.
    """
    if reply.action == "cancel":
        raise WaitingForPeople(waiting_error.who, str(waiting_error))
    return (
        parse_content(waiting_error.question["schema"], reply.content or {})
        if reply.action == "accept"
        else {PASS_KEY: True}
    )


def can_show_forms(capabilities: ClientCapabilities | None) -> bool:
    """Return whether a client can show a form to its user."""
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
