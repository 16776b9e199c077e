"""Tasks of the Agent2Agent protocol (A2A): saved runs, with the state and history of the run."""

import json
from collections.abc import Sequence
from datetime import datetime

from a2a.helpers import new_data_part, new_text_part
from a2a.types import Artifact, Message, Part, Role, Task, TaskState, TaskStatus, TaskStatusUpdateEvent

from ...state import OWNER, Participant, Statement
from ..agent.result import build_result
from ..people import OpenQuestion, format_question_heading, list_open_questions, list_visible_statements
from ..saved import Run, SavedRun, get_run_state

CANCELED = "canceled by the client that began it"
"""Fault of a run whose client canceled its task."""
ARTIFACT = "synthesis"


def make_task(saved_run: SavedRun, is_active: bool) -> Task:
    """Make the task of a saved run. `is_active`: whether a process executes the run, or will."""
    run = saved_run.run
    question = _make_message(saved_run, "question", [new_text_part(run.topic)], Role.ROLE_USER)
    return Task(
        id=run.run,
        context_id=run.context,
        status=make_status(saved_run, is_active),
        history=[question, *(_make_statement_message(saved_run, entry) for entry in list_shown_statements(saved_run))],
        artifacts=[make_artifact(saved_run)] if is_completed(saved_run) else [],
    )


def make_unreadable_task(run: Run, reason: str) -> Task:
    """Make the task of a run that cannot be read here."""
    ids = {"task_id": run.run, "context_id": run.context}
    message = Message(message_id=f"{run.run}-unreadable", role=Role.ROLE_AGENT, parts=[new_text_part(reason)], **ids)
    status = TaskStatus(
        state=TaskState.TASK_STATE_FAILED, message=message, timestamp=datetime.fromisoformat(run.started)
    )
    return Task(id=run.run, context_id=run.context, status=status)


def make_status(saved_run: SavedRun, is_active: bool) -> TaskStatus:
    """Make the status of a run's task. A person's turn requires input."""
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
        is_failed = run.fault not in ("", CANCELED)
        state = TaskState.TASK_STATE_FAILED if is_failed else TaskState.TASK_STATE_CANCELED
        parts = [new_text_part(run.fault)] if run.fault else []
    elif run_state == "waiting" and question:
        state, parts = TaskState.TASK_STATE_INPUT_REQUIRED, _build_question_parts(question)
    message = _make_message(saved_run, f"status-{saved_run.step}", parts) if parts else None
    return TaskStatus(state=state, message=message, timestamp=datetime.fromisoformat(saved_run.at or run.started))


def is_completed(saved_run: SavedRun) -> bool:
    """Return whether a run has ended with a result."""
    return saved_run.has_ended and saved_run.state["outcome"].status != "failed"


def make_artifact(saved_run: SavedRun) -> Artifact:
    """Make the artifact of a run that has ended: its synthesis, and the whole result as data."""
    result = build_result(saved_run.state, saved_run.run.run)
    data = new_data_part(json.loads(result.model_dump_json()), "application/json")
    return Artifact(artifact_id=ARTIFACT, name=ARTIFACT, parts=[new_text_part(result.text), data])


def make_statement_event(saved_run: SavedRun, statement: Statement) -> TaskStatusUpdateEvent:
    """Make the event for a new statement."""
    message = _make_statement_message(saved_run, statement)
    status = TaskStatus(state=TaskState.TASK_STATE_WORKING, message=message)
    return TaskStatusUpdateEvent(task_id=saved_run.run.run, context_id=saved_run.run.context, status=status)


def find_person_question(saved_run: SavedRun) -> OpenQuestion | None:
    """Return the first open question to a person, or `None`, without the operator's questions."""
    return next((question for question in list_open_questions(saved_run) if question["who"] != OWNER), None)


def list_shown_statements(saved_run: SavedRun) -> Sequence[Statement]:
    """List the statements that a client may see: those that its person may see, if it has a seat."""
    participants: list[Participant] = saved_run.state.get("participants", [])
    statements: list[Statement] = saved_run.state.get("history", [])
    people = [participant.name for participant in participants if participant.kind == "person"]
    return list_visible_statements(saved_run, people[0]) if people and not saved_run.has_ended else statements


def _build_question_parts(question: OpenQuestion) -> list[Part]:
    options = [f"{sign}: {text}" for sign, text in question["options"].items()]
    texts = [format_question_heading(question), question["private"], question["words"], *options, question["fault"]]
    form = [new_data_part({"schema": question["schema"]}, "application/json")] if question["schema"] else []
    return [new_text_part("\n".join(filter(None, texts))), *form]


def _make_statement_message(saved_run: SavedRun, statement: Statement) -> Message:
    part = new_text_part(f"{statement.speaker}: {statement.content}")
    return _make_message(saved_run, f"turn-{statement.turn}", [part])


def _make_message(saved_run: SavedRun, name: str, parts: Sequence[Part], role: Role = Role.ROLE_AGENT) -> Message:
    run = saved_run.run
    return Message(message_id=f"{run.run}-{name}", task_id=run.run, context_id=run.context, role=role, parts=parts)
