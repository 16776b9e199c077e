"""Turn of a model in a session. The floor advances even after a missed turn."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field

from ...models.failures import NoAnswerError
from ...prompts import Templates, get_term
from ...state.availability import MISSED_TURN
from ...state.discussion import DiscussionSettings
from ...state.fence import repair_surrogates
from ...state.incident import Incident
from ...state.schemas import Update
from ...state.session import SessionView, list_overdue_expectations
from ...state.session.channels import SessionStageState, SessionUpdate
from ...state.statement import Participant
from ...storage.clock import format_time, get_time
from ..ask import CallOptions, Prompt, build_participant_call, with_turn
from ..ask.ask_with_retries import Answer, Check, ask
from ..ask.call_records import record_calls
from ..statement import (
    ask_for_statement,
    build_speaking_prompt,
    get_floor_holder,
    keep_raw_reply,
    make_statement,
    make_statement_check,
)
from .deliver import announce_events
from .events import (
    advance_floor,
    end_session,
    expire_session,
    get_session_state,
    list_violations,
    merge_updates,
    with_update,
)


class ClosableStatement(BaseModel):
    """Statement whose speaker may close the session."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(max_length=100_000)
    close: bool = Field(description="close")
    reason: str = Field(max_length=2000, description="close_reason")


class TurnResult(NamedTuple):
    """Result of a turn: its update, and a reason for closing the session if its speaker closes it."""

    update: Update
    close_reason: str | None = None


def take_turn(templates: Templates) -> Callable[[SessionStageState], object]:
    """Build the node in which the model that holds the floor speaks."""

    async def take_turn(state: SessionStageState) -> SessionUpdate:
        """Ask the holder of the floor; record the statement or the missed turn, and pass the floor on.

        Reads what was given, floor, round, turn, record, memory, summary, view_limits and the session's channels;
        writes history, calls, incidents, floor, round, turn, events, status, since, warned, view_limits, memory.
        """
        start = get_time()
        update = expire_session(state, start)
        if not update:
            result = await _ask_speaker(state, templates, get_floor_holder(state))
            update = record_turn({**state, "since": format_time(start)}, result, get_time())
        return announce_events(len(state["events"]), update)

    return take_turn


async def _ask_speaker(state: SessionStageState, templates: Templates, speaker: Participant) -> TurnResult:
    settings, prompt = state["settings"], build_speaking_prompt(state, templates, speaker)
    call = with_turn(build_participant_call(state, speaker), state["turn"] + 1, max(1, state["round"]))
    if not isinstance(settings, DiscussionSettings) or not settings.models_may_close:
        return TurnResult(await ask_for_statement(prompt, call, speaker, settings))
    return await _ask_with_closing(prompt, replace(call, schema=ClosableStatement), speaker)


async def _ask_with_closing(prompt: Prompt, call: CallOptions, speaker: Participant) -> TurnResult:
    """Ask for a statement, with the speaker's choice to close the session."""
    try:
        answer = await ask(prompt, call, _allow_closing(make_statement_check(prompt, speaker, call.settings)))
    except NoAnswerError as failure:
        return TurnResult(record_calls(speaker.name, failure))
    assert isinstance(answer.value, ClosableStatement)
    update = record_calls(speaker.name, keep_raw_reply(_drop_form(answer), speaker.name))
    if answer.value.statement.strip():
        update["history"] = [make_statement(_drop_form(answer), speaker, call.turn, call.round)]
    return TurnResult(update, answer.value.reason if answer.value.close else None)


def _allow_closing(check: Check) -> Check:
    def check_answer(answer: Answer) -> str | None:
        is_wordless = (
            isinstance(answer.value, ClosableStatement) and answer.value.close and not answer.value.statement.strip()
        )
        return None if is_wordless else check(_drop_form(answer))

    return check_answer


def _drop_form(answer: Answer) -> Answer:
    """Return the answer as a plain text, without its form."""
    reply = answer.value
    return (
        replace(answer, text=repair_surrogates(reply.statement), value=None)
        if isinstance(reply, ClosableStatement)
        else answer
    )


def record_turn(state: SessionStageState, result: TurnResult, now: datetime) -> SessionUpdate:
    """Record a model's turn, without its statement if the session is over or the turn too late.

    A model's clock runs during its call. A late model loses only this turn, since it cannot return by itself.
    """
    session, violated_expectations = get_session_state(state), list_overdue_expectations(get_session_state(state), now)
    expiry = expire_session(state, now)
    update = cast(SessionUpdate, result.update) | SessionUpdate(
        events=list_violations(session, violated_expectations, now)
    )
    if expiry or (violated_expectations and violated_expectations[-1].action == "hide"):
        result = TurnResult(update)
        update = _drop_late_statement(update, session, format_time(now))
    if expiry:
        return merge_updates(update, expiry)
    is_used = bool(update.get("history"))
    update = merge_updates(update, advance_floor(state, session.expected, "text" if is_used else "turn_passed", now))
    if result.close_reason is None:
        return update
    return merge_updates(update, end_session(with_update(state, update), session.expected, result.close_reason, now))


def _drop_late_statement(update: SessionUpdate, session: SessionView, timestamp: str) -> SessionUpdate:
    """Return the update without its statement, and with the incident that explains it."""
    if "history" not in update:
        return update
    incident = Incident(
        where="take_turn",
        who=session.expected,
        what=get_term(session.settings.language, "noted", "came_late"),
        kind="late",
        consequence=MISSED_TURN,
        turn=session.turn + 1,
        at=timestamp,
        severity="degraded",
    )
    other_fields = cast(SessionUpdate, {key: value for key, value in update.items() if key != "history"})
    return other_fields | SessionUpdate(incidents=[*update.get("incidents", []), incident])
