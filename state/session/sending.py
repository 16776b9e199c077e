"""Check a text that someone sends to a session, and explain a rejection.

A rejection leaves the session unchanged.
"""

from collections.abc import Sequence

from ..errors import InputError
from ..statement import list_names
from .log import MIN_PARTICIPANTS, SessionView

MAX_TEXT_LENGTH, REASON_LENGTH, MESSAGE_ID_LENGTH = 1_000_000, 2_000, 200
"""Maximum characters of a text, of the reason for a closing or a decline, and of a client's own message id."""


class SendError(ValueError):
    """Error that rejects a message. The session stays unchanged.

    `sender`: participant that sent the text. `expected`: participant whose turn it is; may be empty.
    """

    reason = "refused"

    def __init__(self, sender: str, expected: str, remedy: str) -> None:
        super().__init__(f"{sender or 'nobody'}: {remedy}" + (f" (expected: {expected})" if expected else ""))
        self.sender, self.expected, self.remedy = sender, expected, remedy

    def __reduce__(self) -> tuple[type["SendError"], tuple[str, str, str]]:
        return type(self), (self.sender, self.expected, self.remedy)


class OutOfTurnError(SendError):
    """Error for a text from a participant who does not hold the floor."""

    reason = "out_of_turn"


class NotAParticipantError(SendError):
    """Error for a message whose sender is not a participant."""

    reason = "not_a_participant"


class NotInvitedError(SendError):
    """Error for an answer from a participant without an open invitation."""

    reason = "not_invited"


class SessionOverError(SendError):
    """Error for a message to a session that is closed, has expired or never opened."""

    reason = "session_over"


class BlankTextError(SendError):
    """Error for a text without a visible character."""

    reason = "blank_text"


class TextTooLongError(SendError):
    """Error for a text longer than the maximum."""

    reason = "too_long"


class StaleTurnError(SendError):
    """Error for a text that answers a turn which is already taken or not open yet."""

    reason = "stale_turn"


class AlreadySentError(SendError):
    """Error for a message that the session already received. The message counts once."""

    reason = "already_sent"


def check_send(session: SessionView, sender: str, text: str, turn: int | None = None) -> None:
    """Check that the session would accept a text from `sender`. Raises the `SendError` of the first fault.

    `turn`: number of the turn that the sender answers; `None` stands for the open turn.
    """
    check_participation(session, sender)
    if turn is not None and turn != session.turn + 1:
        raise StaleTurnError(sender, session.expected, f"turn {turn} is not open; the open turn is {session.turn + 1}")
    if sender != session.expected:
        remedy = "it is not your turn" if session.expected else f"no turn is open; {explain_waiting(session)}"
        if sender in session.hidden:
            remedy = "your turns are being skipped; rejoin first"
        raise OutOfTurnError(sender, session.expected, remedy)
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise BlankTextError(sender, session.expected, "the text is blank")
    if len(text) > MAX_TEXT_LENGTH:
        raise TextTooLongError(
            sender, session.expected, f"give at most {MAX_TEXT_LENGTH:,} characters; this has {len(text):,}"
        )


def check_message(sender: str, text: object, id: object, turn: object) -> None:
    """Check the types of a message's fields, and the length of `id`.

    Raises `InputError` for a wrong type, and `TextTooLongError` for an id that is too long.
    """
    for key, value in (("text", text), ("id", id)):
        if not isinstance(value, str):
            raise InputError(key, value, "give a text")
    if turn is not None and not isinstance(turn, int):
        raise InputError("turn", turn, "give the number of the turn, or none")
    if isinstance(id, str) and len(id) > MESSAGE_ID_LENGTH:
        raise TextTooLongError(sender, "", f"an id has at most {MESSAGE_ID_LENGTH} characters; this has {len(id)}")


def check_participation(session: SessionView, name: str) -> None:
    """Check that the session is open and that `name` has a seat.

    Raises `SessionOverError` or `NotAParticipantError`.
    """
    if session.status != "open":
        raise SessionOverError(name, "", f"the session is {_describe_status(session)}")
    check_seat(session, name)


def check_seat(session: SessionView, name: str) -> None:
    """Check that `name` has a seat. Raises `NotAParticipantError`."""
    seats = list_names(session.participants)
    if name not in seats:
        raise NotAParticipantError(
            name, session.expected, f"no participant has this name; choose one of {', '.join(seats)}"
        )


def check_invitation(session: SessionView, invited_names: Sequence[str], name: str) -> None:
    """Check that `name` has an invitation to answer. Raises the `SendError` of the first fault."""
    if session.status != "inviting":
        raise SessionOverError(name, "", f"the session is {_describe_status(session)}; no invitation is open")
    waiting_note = f"waiting for {', '.join(session.awaited)}"
    if name not in list_names(session.participants):
        raise NotAParticipantError(name, "", f"no participant has this name; {waiting_note}")
    if name not in invited_names:
        raise NotInvitedError(name, "", f"there is no invitation to answer; {waiting_note}")


def can_send(session: SessionView, sender: str) -> bool:
    """Return whether the session is open and `sender` is the participant whose turn it is."""
    return session.status == "open" and bool(sender) and session.expected == sender


def explain_waiting(session: SessionView) -> str:
    """Return a sentence that says why no turn is open and which hidden participants the session awaits."""
    reason = (
        f"fewer than {MIN_PARTICIPANTS} are left"
        if len(session.participants) - len(session.hidden) < MIN_PARTICIPANTS
        else "only models are left, and nothing would end the session"
    )
    return f"{reason}: waiting for {' or '.join(session.hidden)} to come back"


def _describe_status(session: SessionView) -> str:
    return "not open yet: invitations are unanswered" if session.status == "inviting" else session.status
