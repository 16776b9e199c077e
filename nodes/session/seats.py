"""Seats of a session in order, and the check that the session can end."""

from collections.abc import Sequence

from ...state import (
    MIN_PARTICIPANTS,
    DiscussionSettings,
    InputError,
    Participant,
    has_automatic_end,
    list_names,
    order_seats,
)
from ..seats import check_names, check_personas, with_personas


def seat_session(
    listed_participants: Sequence[Participant], personas: dict[str, str], settings: DiscussionSettings
) -> tuple[list[Participant], list[str]]:
    """Return the seats of a session, with the creator first. The list of warnings is always empty.

    Raises `InputError` for unusable seats, and for a session that could never end.
    """
    participants = list(listed_participants) or [Participant(name=name) for name in ("Ada", "Ben", "Cleo")]
    check_seats(participants)
    check_personas(personas, list_names(participants))
    if not can_end(participants, settings):
        raise InputError(
            "ttl", None, "a session without people never ends by itself: give max_turns, max_rounds or ttl"
        )
    participant_by_name = {participant.name: participant for participant in participants}
    return with_personas([participant_by_name[name] for name in order_seats(participants)], personas), []


def check_seats(participants: list[Participant]) -> None:
    """Check the number of participants, their names and their explicit order. Raises `InputError`."""
    check_names(participants)
    if len(participants) < MIN_PARTICIPANTS:
        raise InputError("participants", list_names(participants), "a session needs two participants or more")
    names_by_order: dict[int, str] = {0: participants[0].name}
    for participant in participants:
        if participant.order is not None and (
            participant.order < 0 or names_by_order.setdefault(participant.order, participant.name) != participant.name
        ):
            raise InputError(
                "participants.order",
                participant.order,
                (
                    f"{participant.name}: must be from 1 on and different for each participant; 0 is for the "
                    "creator, who is named first"
                ),
            )
    if participants[0].order:
        raise InputError(
            "participants.order",
            participants[0].order,
            f"must be 0, because {participants[0].name}, named first, is the creator",
        )


def can_end(participants: Sequence[Participant], settings: DiscussionSettings) -> bool:
    """Return whether a person, a program, a cap or a time limit can end the session."""
    return has_automatic_end(settings) or any(participant.kind != "model" for participant in participants)
