"""Wait for a person or program, by an interrupt that repeats until an answer is acceptable."""

from collections.abc import Callable
from typing import Any, TypeVar

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt
from pydantic import BaseModel, ValidationError

from ...state import Incident, SendError, SessionStageState, SessionUpdate, convert_input_error, repair_surrogates
from ...storage import get_time, get_timestamp
from .updates import apply_session_update, apply_time, merge_updates

MAX_REFUSALS = 20
"""Number of refusals after which the node ends, records them, and waits again."""

REFUSAL = "refused"
"""Consequence of an incident that records a refusal."""

ReplyT = TypeVar("ReplyT", bound=BaseModel)


def ask_until_accepted(
    build_question: Callable[[str], dict[str, Any]],
    form: type[ReplyT],
    accept: Callable[[ReplyT], SessionUpdate],
    last_refusal: str = "",
) -> SessionUpdate:
    """Interrupt the run with a question, until `accept` accepts the answer. Return the update of `accept`.

    `build_question` gets the reason why the last answer was rejected. `form`: type of an answer. After `MAX_REFUSALS`
    rejections, the node ends and records them. Each new answer makes LangGraph run the node again from the start. The
    node evaluates only the newest answer; earlier ones stay rejected.
    """
    refusals: list[SendError] = []
    answer = _ask_question(build_question(last_refusal), form)
    while True:
        update, refusal = SessionUpdate(), None
        try:
            update = accept(answer)
        except SendError as error:
            refusal = error
            if len(refusals) + 1 >= MAX_REFUSALS:
                return SessionUpdate(incidents=[make_refusal_incident(entry) for entry in [*refusals, error]])
        try:
            answer = _ask_question(build_question(repair_surrogates(str(refusal or ""))), form)
        except GraphInterrupt:
            if refusal is None:
                return update
            raise
        refusals.append(refusal or SendError("", "", "refused on arrival"))


def _ask_question(question: dict[str, Any], form: type[ReplyT]) -> ReplyT:
    try:
        return interrupt(question, response_schema=form)
    except ValidationError as error:
        raise convert_input_error(error, form) from None


def apply_after_time(state: SessionStageState, action: Callable[[SessionStageState], SessionUpdate]) -> SessionUpdate:
    """Return the update for the time that has passed, merged with the update of `action` after it.

    If the action raises a `SendError` but time changed the session, record the rejection. If time changed nothing,
    raise the error.
    """
    time_update = apply_time(state, get_time())
    try:
        return merge_updates(time_update, action(apply_session_update(state, time_update)))
    except SendError as refusal:
        if not time_update:
            raise
        return time_update | SessionUpdate(incidents=[make_refusal_incident(refusal)])


def make_refusal_incident(refusal: SendError) -> Incident:
    """Make the incident that records a rejected message."""
    text, sender = repair_surrogates(str(refusal)), repair_surrogates(refusal.sender[:80])
    return Incident(
        where="receive_message",
        who=sender,
        what=text,
        kind=refusal.reason,
        consequence=REFUSAL,
        attempts=0,
        at=get_timestamp(),
    )
