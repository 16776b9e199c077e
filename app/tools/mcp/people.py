"""People who take part in an assistant's deliberation, by forms that the client shows."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from mcp_types import ClientCapabilities, ElicitRequestFormParams, ElicitResult

from ....nodes.ask.ask_external import PASS_KEY
from ....state import OWNER
from ....storage import get_time
from ...display.wording import translate_display_phrase
from ...people import (
    OpenQuestion,
    format_question_heading,
    list_open_questions,
    list_visible_statements,
    parse_reply_to_agent,
)
from ...people.entry_fields import ABSTAIN_FIELD, EntryField, Schema, list_fields
from ...run.failure import WaitingForPeopleError
from ...saved import SavedRun


class WaitingForFormError(WaitingForPeopleError):
    """Exception that says that a run waits for a person, with the form to fill in.

    `question`: the open question. `form`: the form for the client. `key`: unique key of the question and its attempt.
    """

    def __init__(self, error: WaitingForPeopleError, saved_run: SavedRun) -> None:
        super().__init__(error.who, str(error))
        self.run, self.question = saved_run.run.run, list_open_questions(saved_run)[0]
        self.form, self.key = build_elicitation(saved_run, self.question), make_attempt_key(self.run, self.question)

    @property
    def seconds(self) -> float | None:
        """Return the seconds until the person's deadline; `None` without a deadline."""
        deadline = self.question["deadline"]
        return max(0.0, (datetime.fromisoformat(deadline) - get_time()).total_seconds()) if deadline else None


def make_attempt_key(run: str, question: OpenQuestion) -> str:
    """Return a unique key for a question and its attempt."""
    return f"{run} {question['id']} {question['attempt']}"


def build_elicitation(saved_run: SavedRun, question: OpenQuestion) -> ElicitRequestFormParams:
    """Build the form of a question, with new statements, the seat's private information, and the task."""
    name, language, heading = question["who"], question["language"], format_question_heading(question)
    statements = [] if name == OWNER else list_visible_statements(saved_run, name)
    last_turn = max((statement.turn for statement in statements if statement.speaker == name), default=0)
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
        "\n".join(f"{sign}: {text}" for sign, text in question["options"].items()),
        translate_display_phrase(language, "seat.until", deadline=question["deadline"]) if question["deadline"] else "",
        translate_display_phrase(
            language,
            "seat.wrong",
            fault=question["fault"],
            attempt=question["attempt"],
            attempts=question["attempts"],
        )
        if question["fault"]
        else "",
    ]
    return ElicitRequestFormParams(
        message="\n\n".join(filter(None, parts)), requested_schema=flatten_schema(question["schema"], heading)
    )


def parse_reply(waiting_error: WaitingForFormError, reply: ElicitResult) -> Any:
    """Return the answer in the reply to a form.

    A declined form skips the question. If the question asks for approval of a look-up, the look-up is denied.

    Raises `WaitingForPeopleError` if the person canceled the form.
    """
    if reply.action == "cancel":
        raise WaitingForPeopleError(waiting_error.who, str(waiting_error))
    if reply.action != "accept":
        return {PASS_KEY: True}
    answer = parse_content(waiting_error.question["schema"], reply.content or {})
    return parse_reply_to_agent(answer) if waiting_error.question["who"] == OWNER else answer


def can_show_forms(capabilities: ClientCapabilities | None) -> bool:
    """Return whether a client can show a form to its user.

    `capabilities`: what the client declared, or `None`.
    """
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


BOUND_KEYS = ("type", "minimum", "maximum")
FIELD_KEYS = (*BOUND_KEYS, "title", "description", "minLength", "maxLength")
"""Schema keys that are sent to a client for a field."""

NONE_WORD = "none"
"""Choice for none of the options. A blank field is no answer, so a person must choose this."""
TEXT_FIELD = "answer"
"""Name of the only field of a question that asks for a text."""


def flatten_schema(schema: Schema | None, title: str) -> dict[str, Any]:
    """Return the JSON schema of a form without nested fields, as MCP requires.

    If `schema` is `None`, the form has a single text field with the label `title`.
    """
    if schema is None:
        properties: dict[str, Any] = {TEXT_FIELD: {"type": "string", "title": title, "minLength": 1}}
        return {"type": "object", "properties": properties, "required": [TEXT_FIELD]}
    flat_fields = [flat_field for field in list_fields(schema) for flat_field in _flatten_field(field, field.name)]
    properties = {
        key: {**field_schema, "title": field_schema.get("title", key)} for key, field_schema, _ in flat_fields
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key, _, is_required in flat_fields if is_required],
    }


def _flatten_field(field: EntryField, name: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield name, schema and requiredness of the flat fields for one field of a form.

    `name`: beginning of the names.
    """
    is_required = not field.may_be_none
    match field.kind:
        case "only":
            return
        case "choice":
            options = [*field.numbered_options, *([NONE_WORD] if "" in field.options else [])]
            yield name, {"type": "string", "enum": options}, is_required
        case "yes_no" | "number" | "text":
            field_schema = {key: field.schema[key] for key in FIELD_KEYS if key in field.schema}
            yield name, field_schema, is_required and (field.kind != "text" or "minLength" in field_schema)
        case "several":
            for number in range(1, len(field.options) + 1):
                yield (
                    f"{name}_{number}",
                    {"type": "string", "enum": [*map(str, field.options)]},
                    is_required and number <= field.min_options,
                )
            if not field.min_options:
                yield f"{name}_{NONE_WORD}", {"type": "boolean"}, False
        case "marks":
            for option in field.options:
                yield (
                    f"{name}_{option}",
                    {key: field.schema[key] for key in BOUND_KEYS if key in field.schema},
                    is_required,
                )
        case "group":
            for subfield in field.parts:
                yield from _flatten_field(subfield, f"{name}_{subfield.name}")
        case "json":
            yield name, {"type": "string", "title": f"{name} (JSON)"}, is_required


def parse_content(schema: Schema | None, content: Mapping[str, Any]) -> Any:
    """Return the answer to a question from the content of a form. The caller checks its entries.

    `schema`: JSON schema of the question; `None` for a text.
    """
    if schema is None:
        return str(content.get(TEXT_FIELD) or "")
    fields = list_fields(schema)
    values = {field.name: _parse_field(field, field.name, content) for field in fields}
    blank_names = {
        field.name
        for field in fields
        if field.may_be_none and field.kind != "several" and values[field.name] in ("", [])
    }
    return values | dict.fromkeys(blank_names if values.get(ABSTAIN_FIELD) else ())


def _parse_field(field: EntryField, name: str, content: Mapping[str, Any]) -> Any:
    match field.kind:
        case "only":
            return field.options[0]
        case "choice" if "" in field.options:
            entry = content.get(name) or None
            return "" if entry == NONE_WORD else entry
        case "several":
            options = {"": None} | {str(option): option for option in field.options}
            entries = [str(content.get(f"{name}_{number}") or "") for number in range(1, len(field.options) + 1)]
            choices = [options.get(entry, entry) for entry in entries]
            while choices and choices[-1] is None:
                choices.pop()
            if field.name != "ranking":  # in a ranking the blank stays, so that a choice after it is a fault
                choices = [choice for choice in choices if choice]
            # neither or both are no answer
            return None if (content.get(f"{name}_{NONE_WORD}") is True) == bool(choices) else choices
        case "marks":
            return [
                {"option": option, "score": score}
                for option in field.options
                if (score := content.get(f"{name}_{option}")) is not None
            ]
        case "group":
            return {
                subfield.name: _parse_field(subfield, f"{name}_{subfield.name}", content) for subfield in field.parts
            }
        case "json":
            return parse_reply_to_agent(content.get(name, ""))
    return content.get(name, None if field.may_be_none or field.schema.get("type") != "string" else "")
