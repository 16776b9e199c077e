"""Turn of a model in a session. The floor advances even after a missed turn."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import cast

from pydantic import Field

from ...models import NoAnswerError
from ...prompts import Templates, get_term
from ...state import (
    MISSED_TURN,
    DiscussionSettings,
    Incident,
    Participant,
    SessionStageState,
    SessionTurnState,
    SessionUpdate,
    StrictModel,
    Update,
    list_overdue_expectations,
    repair_surrogates,
)
from ...storage import format_time, get_time
from ..ask import Answer, CallOptions, Prompt, ask, build_participant_call, record_calls, with_lookups, with_turn
from ..statement import (
    ask_for_statement,
    build_speaking_prompt,
    get_floor_holder,
    keep_raw_reply,
    make_statement,
    make_statement_check,
)
from .delivery import announce_events
from .updates import (
    advance_floor,
    apply_session_update,
    end_session,
    expire_session,
    get_session_state,
    list_violations,
    merge_updates,
)


class ClosableStatement(StrictModel):
    """Reply with a statement, in which the speaker may close the session."""

    statement: str = Field(max_length=100_000)
    close: bool = Field(description="close")
    reason: str = Field(max_length=2000, description="close_reason")


def take_turn(templates: Templates) -> Callable[[SessionTurnState], object]:
    """Build the node in which the model that holds the floor speaks."""

    async def take_turn(state: SessionTurnState) -> SessionUpdate:
        """Ask the next speaker. Record the statement or the missed turn, and advance the floor.

        Reads the task, floor, round, turn, record, lookups, memory, summary, view_limits and the session's channels;
        writes history, calls, lookups, incidents, floor, round, turn, events, status, since, warned, view_limits,
        memory.
        """
        start = get_time()
        update = expire_session(state, start)
        if not update:
            settings, speaker = state["settings"], get_floor_holder(state)
            prompt = build_speaking_prompt(state, templates, speaker)
            call = with_turn(build_participant_call(state, speaker), state["turn"] + 1, max(1, state["round"]))
            call = with_lookups(call, speaker, state["lookups"])
            close_reason: str | None = None
            if isinstance(settings, DiscussionSettings) and settings.models_may_close:
                turn_update, close_reason = await _ask_with_closing(prompt, call, speaker)
            else:
                turn_update = await ask_for_statement(prompt, call, speaker, settings)
            timed_state: SessionTurnState = {**state, "since": format_time(start)}
            update = record_turn(timed_state, turn_update, close_reason, get_time())
        return announce_events(len(state["events"]), update)

    return take_turn


async def _ask_with_closing(prompt: Prompt, call: CallOptions, speaker: Participant) -> tuple[Update, str | None]:
    """Ask a speaker that may close the session for a statement.

    Return the update, and the speaker's reason for closing the session, or `None` if it does not.
    """
    check = make_statement_check(prompt, speaker, call.settings)

    def find_answer_fault(answer: Answer) -> str | None:
        reply = answer.value
        is_wordless = isinstance(reply, ClosableStatement) and reply.close and not reply.statement.strip()
        return None if is_wordless else check(_drop_form(answer))

    try:
        answer = await ask(prompt, replace(call, schema=ClosableStatement), find_answer_fault)
    except NoAnswerError as failure:
        return record_calls(speaker.name, failure), None
    assert isinstance(answer.value, ClosableStatement)
    update = record_calls(speaker.name, keep_raw_reply(_drop_form(answer), speaker.name))
    if answer.value.statement.strip():
        update["history"] = [make_statement(_drop_form(answer), speaker.name, call.turn, call.round)]
    return update, answer.value.reason if answer.value.close else None


def _drop_form(answer: Answer) -> Answer:
    if not isinstance(answer.value, ClosableStatement):
        return answer
    return replace(answer, text=repair_surrogates(answer.value.statement), value=None)


def record_turn(
    state: SessionStageState, turn_update: Update, close_reason: str | None, now: datetime
) -> SessionUpdate:
    """Return the update for a model's turn, which closes the session if the model closed it.

    The turn counts as missed if the statement came after the session's end, or after a deadline with the action `hide`.
    `close_reason`: `None` if the model does not close the session.
    """
    session, violated_expectations = get_session_state(state), list_overdue_expectations(get_session_state(state), now)
    expiry = expire_session(state, now)
    violations = list_violations(session, violated_expectations, now)
    update = cast(SessionUpdate, turn_update) | SessionUpdate(events=violations)
    if expiry or (violated_expectations and violated_expectations[-1].action == "hide"):
        close_reason = None
        if "history" in update:
            incident = Incident(
                where="take_turn",
                who=session.expected,
                what=get_term(session.settings.language, "noted", "came_late"),
                kind="late",
                consequence=MISSED_TURN,
                turn=session.turn + 1,
                at=format_time(now),
                severity="degraded",
            )
            del update["history"]
            update["incidents"] = [*update.get("incidents", []), incident]
    if expiry:
        return merge_updates(update, expiry)
    is_used = bool(update.get("history"))
    update = merge_updates(update, advance_floor(state, session.expected, "text" if is_used else "turn_passed", now))
    if close_reason is None:
        return update
    return merge_updates(update, end_session(apply_session_update(state, update), session.expected, close_reason, now))
