"""People in a deliberation of an assistant, asked through forms of the client if it can show them."""

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
    """A run waits for a person. `question`: the open question. `form`: the form for the client."""

    def __init__(self, wait: WaitingForPeople, saved: SavedRun) -> None:
        super().__init__(wait.who, str(wait))
        self.run, self.question = saved.run.run, list_open_questions(saved)[0]
        self.form = build_elicitation(saved, self.question)

    @property
    def key(self) -> str:
        """Key of this question, different from all others."""
        return build_attempt_key(self.run, self.question)

    @property
    def seconds(self) -> float | None:
        """Seconds until the person's time is over; `None` without a deadline."""
        deadline = self.question["deadline"]
        return max(0.0, (datetime.fromisoformat(deadline) - get_time()).total_seconds()) if deadline else None


def build_attempt_key(run: str, question: OpenQuestion) -> str:
    """Return the key of a question and its attempt, different from all others."""
    return f"{run} {question['id']} {question['attempt']}"


def build_elicitation(saved: SavedRun, question: OpenQuestion) -> ElicitRequestFormParams:
    """Build the form of a question: the new statements, the private information of the seat, and the task."""
    name, language = question["who"], question["language"]
    statements = list_visible_statements(saved, name)
    last_turn = max((statement.turn for statement in statements if statement.speaker == name), default=0)
    is_turn = question["purpose"] == "statement"
    head = (
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
        head,
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
    return ElicitRequestFormParams(message=message, requested_schema=flatten_schema(question["schema"], head))


def parse_reply(wait: WaitingForForm, reply: ElicitResult) -> Any:
    """Return the answer of a form; a declined form skips the question.

    Raises `WaitingForPeople` if the form was cancelled: the run keeps waiting.
    """
    if reply.action == "cancel":
        raise WaitingForPeople(wait.who, str(wait))
    return parse_content(wait.question["schema"], reply.content or {}) if reply.action == "accept" else {PASS_KEY: True}


def can_show_forms(capabilities: ClientCapabilities | None) -> bool:
    """Return whether a client can show a form to its user."""
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)
