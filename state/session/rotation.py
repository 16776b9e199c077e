"""Rotation of a session: the order of the seats, the next speakers, and the start of a new round."""

from collections.abc import Sequence

from ..discussion import DiscussionSettings
from ..statement import Participant
from .log import MIN_PARTICIPANTS


def order_seats(participants: Sequence[Participant]) -> list[str]:
    """Return the names in speaking order: the creator, then explicit positions, then the others as listed."""
    creator, *guests = participants
    ordered_guests = sorted(enumerate(guests), key=lambda pair: (pair[1].order is None, pair[1].order or 0, pair[0]))
    return [creator.name, *(participant.name for _, participant in ordered_guests)]


def has_automatic_end(settings: DiscussionSettings) -> bool:
    """Return whether a limit on turns, rounds or time ends the session automatically."""
    return settings.max_turns is not None or settings.max_rounds is not None or settings.ttl is not None


def rotate_seats_after(seats: Sequence[str], last_speaker: str) -> list[str]:
    """Return all seats once, beginning with the seat after `last_speaker`.

    For an unknown name, begin with the first seat.
    """
    start = seats.index(last_speaker) + 1 if last_speaker in seats else 0
    return [*seats[start:], *seats[:start]]


def compute_next_floor(
    participants: Sequence[Participant], settings: DiscussionSettings, hidden: Sequence[str], last_speaker: str
) -> list[str]:
    """Compute the next speakers, each once, from the seat after `last_speaker`.

    `hidden`: participants to leave out. If fewer than two participants remain, the list is empty and the session waits.
    If only models remain and no limit ends the session, the list ends before the next seat of a person or program.
    Otherwise, the models would talk forever.
    """
    kinds = {participant.name: participant.kind for participant in participants}
    remaining_names = [name for name in kinds if name not in hidden]
    if len(remaining_names) < MIN_PARTICIPANTS:
        return []
    next_speakers = rotate_seats_after(list(kinds), last_speaker)
    if not has_automatic_end(settings) and all(kinds[name] == "model" for name in remaining_names):
        end = next((index for index, name in enumerate(next_speakers) if kinds[name] != "model"), len(next_speakers))
        next_speakers = next_speakers[:end]
    return [name for name in next_speakers if name not in hidden]


def is_new_round(seats: Sequence[str], last_speaker: str, floor: Sequence[str]) -> bool:
    """Return whether the turn after `last_speaker` is the first of a new round.

    The next speaker is `floor[0]` or, if `floor` is empty, the next seat.
    """
    next_speaker = [*floor, *rotate_seats_after(seats, last_speaker)][0]
    return seats.index(next_speaker) <= seats.index(last_speaker)
