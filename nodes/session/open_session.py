"""Opening of a session: invitations, answers and the first turn."""

from typing import Any

from pydantic import AliasChoices, Field

from ...state import (
    MIN_PARTICIPANTS,
    REASON_LENGTH,
    ClosedModel,
    DiscussionSettings,
    SessionEvent,
    SessionStageState,
    SessionUpdate,
    TaskState,
    check_invitation,
    compute_next_floor,
    find_next_deadline,
    list_names,
    list_pending_invitees,
    repair_surrogates,
)
from ...storage import format_time, get_time, get_timestamp
from .delivery import announce_events
from .seats import can_end
from .updates import end_session, get_session_state, list_awaited_guests
from .waiting import apply_after_time, ask_until_accepted


class InvitationAnswer(ClosedModel):
    """Message to a session that waits for answers to its invitations."""

    who: str = Field(
        default="",
        max_length=80,
        validation_alias=AliasChoices("who", "speaker", "by"),
        description="Participant that answers.",
    )
    accept: bool = Field(default=True, description="Whether the participant takes part.")
    reason: str = Field(default="", max_length=REASON_LENGTH, description="Reason for a refusal.")
    close: bool = Field(default=False, description="Whether to cancel the session before it opens.")
    tick: bool = Field(default=False, description="Whether only to check the deadlines.")


async def invite(state: TaskState) -> SessionUpdate:
    """Invite everyone except the creator. Models accept at once.

    Reads participants; writes every channel of a session.
    """
    timestamp, (creator, *guests) = get_timestamp(), state["participants"]
    invitations = [
        SessionEvent(kind="session_invite", who=guest.name, to=[guest.name], recorded_at=timestamp) for guest in guests
    ]
    acceptances = [
        SessionEvent(kind="session_invite_ack", who=guest.name, to=[creator.name], recorded_at=timestamp)
        for guest in guests
        if guest.kind == "model"
    ]
    return announce_events(0, SessionUpdate(events=[*invitations, *acceptances])) | SessionUpdate(
        status="inviting", since=timestamp, opened_at="", hidden=[], warned=[]
    )


async def await_answers(state: SessionStageState) -> SessionUpdate:
    """Wait for an answer to an invitation, for the closing of the session, or for a deadline.

    Reads topic, participants, settings, floor, turn, history, incidents and the session's channels; writes events,
    hidden, warned, incidents and, if a required participant declines or the session ends, status.
    """

    def build_question(refusal: str) -> dict[str, Any]:
        guests, deadline = list_awaited_guests(state), find_next_deadline(get_session_state(state))
        return {
            "kind": "invitation",
            "topic": state["topic"],
            "waiting_for": guests,
            "refused": refusal,
            "deadline": format_time(deadline) if deadline else None,
        }

    update = ask_until_accepted(
        build_question,
        InvitationAnswer,
        lambda answer: apply_after_time(state, lambda current: build_answer_update(current, answer)),
    )
    return announce_events(len(state["events"]), update)


def build_answer_update(state: SessionStageState, answer: InvitationAnswer) -> SessionUpdate:
    """Build the update for an answer to an invitation, or for a cancellation of the session.

    Raises `SendError` if the answering participant has no open invitation.
    """
    if answer.tick:
        return SessionUpdate()
    if answer.close:
        return end_session(state, answer.who, answer.reason, get_time())
    check_invitation(get_session_state(state), list_pending_invitees(state["events"]), answer.who)
    event = SessionEvent(
        kind="session_invite_ack" if answer.accept else "session_invite_reject",
        who=answer.who,
        text=repair_surrogates(answer.reason),
        to=[state["participants"][0].name],
        recorded_at=get_timestamp(),
    )
    is_required = next(participant.required for participant in state["participants"] if participant.name == answer.who)
    if is_required and not answer.accept:
        return SessionUpdate(events=[event], status="refused")
    return SessionUpdate(events=[event], hidden=[name for name in state["hidden"] if name != answer.who])


async def begin(state: SessionStageState, settings: DiscussionSettings) -> SessionUpdate:
    """Open the session without the participants that declined.

    If fewer than two participants remain, or nothing can end the session, its status becomes `refused`. If the session
    is over already, nothing changes.

    Reads participants, settings, events, hidden, status; writes participants, events, status, floor, round, since,
    opened_at, warned.
    """
    if state["status"] != "inviting":
        return SessionUpdate()
    timestamp, decliners = (
        get_timestamp(),
        [event.who for event in state["events"] if event.kind == "session_invite_reject"],
    )
    remaining_participants = [participant for participant in state["participants"] if participant.name not in decliners]
    if len(remaining_participants) < MIN_PARTICIPANTS or not can_end(remaining_participants, settings):
        return SessionUpdate(status="refused")
    event = SessionEvent(
        kind="session_opened",
        who=remaining_participants[0].name,
        to=list_names(remaining_participants),
        recorded_at=timestamp,
    )
    floor = compute_next_floor(remaining_participants, settings, state["hidden"], "")
    update = SessionUpdate(
        events=[event], status="open", floor=floor, round=1, since=timestamp, opened_at=timestamp, warned=[]
    )
    return announce_events(
        len(state["events"]), update | SessionUpdate(participants=remaining_participants) if decliners else update
    )


def route_after_invitation(state: SessionStageState) -> str:
    """Route to the wait for the next answer or, if all have answered or the session is over, past it."""
    return "waiting" if state["status"] == "inviting" and list_awaited_guests(state) else "all answered"
