"""Who may send a text to a session, and how anybody else is told no: a refusal changes nothing."""

from collections.abc import Sequence

from ..refused import Refused
from ..statement import names
from .log import LEAST, SessionState

LONGEST, REASON_LENGTH, ID_LENGTH = 1_000_000, 2_000, 200
"""Characters of a text, of the reason of a closing or a decline, and of a client's own id of a message."""


class SendRefused(ValueError):
    """A send that changes nothing. `sender` tried; `expected` is whose turn it is, empty where it is nobody's."""

    reason = "refused"

    def __init__(self, sender: str, expected: str, remedy: str) -> None:
        super().__init__(f"{sender or 'nobody'}: {remedy}" + (f" (expected: {expected})" if expected else ""))
        self.sender, self.expected, self.remedy = sender, expected, remedy

    def __reduce__(self) -> tuple[type["SendRefused"], tuple[str, str, str]]:
        return type(self), (self.sender, self.expected, self.remedy)


class OutOfTurn(SendRefused):
    """A text from a participant who does not hold the floor."""

    reason = "out_of_turn"


class NotAParticipant(SendRefused):
    """A word from somebody who does not take part."""

    reason = "not_a_participant"


class NotInvited(SendRefused):
    """An answer from a participant who has no invitation to answer."""

    reason = "not_invited"


class SessionOver(SendRefused):
    """A word to a session that is closed, expired or was never opened."""

    reason = "session_over"


class BlankText(SendRefused):
    """A text without a visible character."""

    reason = "blank_text"


class TooLong(SendRefused):
    """A text longer than anybody will read."""

    reason = "too_long"


class StaleTurn(SendRefused):
    """A text for a turn that has been taken already, or is not open yet."""

    reason = "stale_turn"


class AlreadySent(SendRefused):
    """A message that was delivered before: it counts once."""

    reason = "already_sent"


def validate_send(session: SessionState, sender: str, text: str, turn: int | None = None) -> None:
    """Raise the `SendRefused` that fits, or return: the send would be accepted. Changes nothing, asks nobody.

    `turn` is the number of the turn the text is for, as the session named it; none: whichever is open.
    """
    check_takes_part(session, sender)
    if turn is not None and turn != session.turn + 1:
        raise StaleTurn(sender, session.expected, f"turn {turn} is not open; open is turn {session.turn + 1}")
    if sender != session.expected:
        raise OutOfTurn(sender, session.expected, _not_now(session, sender))
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise BlankText(sender, session.expected, "the text is blank")
    if len(text) > LONGEST:
        raise TooLong(sender, session.expected, f"give at most {LONGEST:,} characters; this has {len(text):,}")


def check_message(sender: str, text: object, id: object, turn: object) -> None:
    """Refuse what is no message, whoever holds the floor: a text and an id that are none, a turn without a number."""
    for key, value in (("text", text), ("id", id)):
        if not isinstance(value, str):
            raise Refused(key, value, "give a text")
    if turn is not None and not isinstance(turn, int):
        raise Refused("turn", turn, "give the number of the turn, or none")
    if isinstance(id, str) and len(id) > ID_LENGTH:
        raise TooLong(sender, "", f"an id has at most {ID_LENGTH} characters; this has {len(id)}")


def check_takes_part(session: SessionState, who: str) -> None:
    """Raise `SessionOver` unless the session is open, `NotAParticipant` unless `who` has a seat."""
    if session.status != "open":
        raise SessionOver(who, "", f"the session is {_so_far(session)}")
    check_seat(session, who)


def check_seat(session: SessionState, who: str) -> None:
    """Raise `NotAParticipant` unless `who` has a seat."""
    seats = names(session.participants)
    if who not in seats:
        raise NotAParticipant(who, session.expected, f"not a participant; they are {', '.join(seats)}")


def check_invited(session: SessionState, invited: Sequence[str], who: str) -> None:
    """Raise the `SendRefused` that fits unless `who` is one of those `invited` who have not answered yet."""
    if session.status != "inviting":
        raise SessionOver(who, "", f"the session is {_so_far(session)}; no invitation is open")
    waiting = f"waiting for {', '.join(session.awaited)}"
    if who not in names(session.participants):
        raise NotAParticipant(who, "", f"not a participant; {waiting}")
    if who not in invited:
        raise NotInvited(who, "", f"no open invitation; {waiting}")


def can_send(session: SessionState, sender: str) -> bool:
    """Whether a text from `sender` would be accepted now."""
    return session.status == "open" and bool(sender) and session.expected == sender


def waits_for(session: SessionState) -> str:
    """Why nobody is expected: who would have to come back."""
    few = len(session.participants) - len(session.hidden) < LEAST
    left = f"fewer than {LEAST} are left" if few else "only models are left, and nothing would end their talk"
    return f"{left}: waiting for {' or '.join(session.hidden)} to come back"


def _not_now(session: SessionState, sender: str) -> str:
    if sender in session.hidden:
        return "you were taken out of the rotation; come back first"
    return "it is not your turn" if session.expected else f"it is nobody's turn; {waits_for(session)}"


def _so_far(session: SessionState) -> str:
    return "not open yet: invitations are unanswered" if session.status == "inviting" else session.status
