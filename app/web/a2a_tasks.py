"""Tasks of the A2A protocol, made from saved runs with their state and history."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from a2a.helpers import get_data_parts, get_message_text, new_data_part, new_text_part
from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus, TaskStatusUpdateEvent

from ...state import OWNER, Statement
from ..agent.result import build_result
from ..people import OpenQuestion, format_question_heading, list_open_questions, list_visible_statements
from ..saved import Run, SavedRun, get_run_state
from ..schema_fields import Schema

CANCELED = "canceled by the client that started it"
"""Fault of a run whose client canceled its task."""
ARTIFACT = "synthesis"


def make_task(saved_run: SavedRun, is_active: bool) -> Task:
    """Make the task of a saved run. `is_active`: whether a process executes the run or will do so."""
    run = saved_run.run
    return Task(
        id=run.run,
        context_id=run.context,
        status=make_status(saved_run, is_active),
        history=[
            _make_message(run, "question", [new_text_part(run.topic)], Role.ROLE_USER),
            *(_make_statement_message(saved_run, entry) for entry in list_shown_statements(saved_run)),
        ],
        artifacts=[make_artifact(saved_run)] if is_completed(saved_run) else [],
    )


def make_unreadable_task(run: Run, reason: str) -> Task:
    """Make the task of a run that cannot be read here. `reason`: why, for the client."""
    return Task(
        id=run.run,
        context_id=run.context,
        status=TaskStatus(
            state=TaskState.TASK_STATE_FAILED,
            message=_make_message(run, "unreadable", [new_text_part(reason)]),
            timestamp=datetime.fromisoformat(run.started),
        ),
    )


def make_status(saved_run: SavedRun, is_active: bool) -> TaskStatus:
    """Make the status of a run's task. It asks for input if a person must answer."""
    run, question, run_state = (
        saved_run.run,
        find_person_question(saved_run),
        get_run_state(saved_run.build_row(), is_active),
    )
    state, parts = TaskState.TASK_STATE_WORKING, list[Part]()
    if saved_run.has_ended:
        state = TaskState.TASK_STATE_COMPLETED if is_completed(saved_run) else TaskState.TASK_STATE_FAILED
        parts = [new_text_part(saved_run.state["outcome"].headline)]
    elif run_state == "stopped" or (run_state == "waiting" and run.fault == CANCELED):
        is_canceled = run.fault in ("", CANCELED)
        state = TaskState.TASK_STATE_CANCELED if is_canceled else TaskState.TASK_STATE_FAILED
        parts = [new_text_part(run.fault)] if run.fault else []
    elif run_state == "waiting" and question:
        state, parts = TaskState.TASK_STATE_INPUT_REQUIRED, _build_question_parts(question)
    return TaskStatus(
        state=state,
        message=_make_message(run, f"status-{saved_run.step}", parts) if parts else None,
        timestamp=datetime.fromisoformat(saved_run.at or run.started),
    )


def is_completed(saved_run: SavedRun) -> bool:
    """Return whether a run has ended and has not failed."""
    return saved_run.has_ended and saved_run.state["outcome"].status != "failed"


def make_artifact(saved_run: SavedRun) -> Artifact:
    """Make the artifact of a run that has ended: its synthesis, and the complete result as data."""
    result = build_result(saved_run.state, saved_run.run.run)
    return Artifact(
        artifact_id=ARTIFACT,
        name=ARTIFACT,
        parts=[new_text_part(result.text), new_data_part(json.loads(result.model_dump_json()), "application/json")],
    )


def make_statement_event(saved_run: SavedRun, statement: Statement) -> TaskStatusUpdateEvent:
    """Make the event for a new statement."""
    status = TaskStatus(state=TaskState.TASK_STATE_WORKING, message=_make_statement_message(saved_run, statement))
    return TaskStatusUpdateEvent(task_id=saved_run.run.run, context_id=saved_run.run.context, status=status)


def find_person_question(saved_run: SavedRun) -> OpenQuestion | None:
    """Return the first open question to a person, or `None`. Questions to the operator do not count."""
    return next((question for question in list_open_questions(saved_run) if question["who"] != OWNER), None)


def parse_answer(message: Message, schema: Schema | None) -> Any:
    """Return the text or the data of a client's message. Several parts become a list.

    A list answers no question.

    `schema`: JSON schema of the question. In data, every number is a float. Whole numbers become integers, except in
    fields for any number.
    """
    text = get_message_text(message)
    parts = [*(_restore_integers(data, schema or {}) for data in get_data_parts(message.parts)), *filter(None, [text])]
    return parts[0] if len(parts) == 1 else parts or text


def _restore_integers(value: Any, schema: Schema) -> Any:
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        return {key: _restore_integers(part, fields.get(key, {})) for key, part in value.items()}
    if isinstance(value, list):
        return [_restore_integers(part, {}) for part in value]
    is_whole = isinstance(value, float) and value.is_integer() and schema.get("type") != "number"
    return int(value) if is_whole else value


def list_shown_statements(saved_run: SavedRun) -> Sequence[Statement]:
    """Return the statements that a client may see.

    While a run with a person is open, they are only the statements that this person may see.
    """
    state = saved_run.state
    people = [participant.name for participant in state.get("participants", []) if participant.kind == "person"]
    has_limited_view = people and not saved_run.has_ended
    return list_visible_statements(saved_run, people[0]) if has_limited_view else state.get("history", [])


def _build_question_parts(question: OpenQuestion) -> list[Part]:
    texts = [
        format_question_heading(question),
        question["private"],
        question["words"],
        *[f"{sign}: {text}" for sign, text in question["options"].items()],
        question["fault"],
    ]
    form = [new_data_part({"schema": question["schema"]}, "application/json")] if question["schema"] else []
    return [new_text_part("\n".join(filter(None, texts))), *form]


def _make_statement_message(saved_run: SavedRun, statement: Statement) -> Message:
    return _make_message(
        saved_run.run, f"turn-{statement.turn}", [new_text_part(f"{statement.speaker}: {statement.content}")]
    )


def _make_message(run: Run, name: str, parts: Sequence[Part], role: Role = Role.ROLE_AGENT) -> Message:
    return Message(message_id=f"{run.run}-{name}", task_id=run.run, context_id=run.context, role=role, parts=parts)
