"""What a seat may see of a run, and nothing else: what was said, as far as it may be heard, and what is asked."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....state.statement import MODERATOR, Participant, Statement
from ...document import document
from ...people import Waiting, seen, waiting
from ...people.waiting import heard_up_to, told
from ...report.head import head
from ...report.page import page
from ...report.talk import Entry, Round, rounds
from ...saved import Saved, Seat
from ...session.locked import is_session
from ..course import thinking


@dataclass(frozen=True)
class Said:
    """One line of the talk: a turn, or a notice to everyone. `unread`: not marked as read from this seat."""

    entry: Entry | None
    notice: str = ""
    number: int = 0
    unread: bool = False
    mine: bool = False


def of_others(saved: Saved, who: str) -> list[Statement]:
    """What others said, as far as a seat may see it. Where nothing is taken back, it only ever grows at its end."""
    return [one for one in seen(saved, who) if one.speaker != who]


def participant_of(saved: Saved, who: str) -> Participant | None:
    """Who sits there; none where they take part no more."""
    return next((one for one in saved.state.get("participants", []) if one.name == who), None)


def asked_of(saved: Saved, who: str) -> Waiting | None:
    """The question that waits for a seat; none: it is not asked."""
    return next((one for one in waiting(saved) if one["who"] == who), None)


def place_of(one: Waiting) -> str:
    """Which question it is, whatever was wrong with the answers before."""
    return f"{one['purpose']} {one['turn']} {one['round']}"


def has_said(saved: Saved, who: str, text: str) -> bool:
    """Whether a text is what somebody said last."""
    mine: list[Statement] = [one for one in saved.state["history"] if one.speaker == who]
    return bool(mine) and mine[-1].content == text.strip()


def is_out(saved: Saved, who: str) -> bool:
    """Whether somebody is out of the rotation of a session, and can come back."""
    return not saved.finished and who in saved.state.get("hidden", [])


def may_pass(saved: Saved) -> bool:
    """Whether a question can be let pass; a session takes texts alone."""
    return not is_session(saved)


def parts(saved: Saved, seat: Seat) -> dict[str, Any]:
    """What stands on the page of a seat."""
    shown, who = page(document(saved)), seat.kept.who
    ended, closing = saved.finished, shown.document["synthesis"]
    return {
        "page": shown,
        "tell": shown.say,
        "topic": head(shown).topic,
        "me": participant_of(saved, who),
        "said": _said(saved, seat, rounds(shown)),
        "heard": len(of_others(saved, who)),
        "asked": asked_of(saved, who),
        "others": [one for one in waiting(saved) if one["who"] != who],
        "out": is_out(saved, who),
        "passes": may_pass(saved),
        "doing": thinking(saved),
        "text": "" if has_said(saved, who, seat.kept.text) else seat.kept.text,
        "ended": head(shown) if ended else None,
        "closing": shown.prose.closing(closing) if ended and closing else "",
    }


def _said(saved: Saved, seat: Seat, found: Sequence[Round]) -> list[Said]:
    who, last = seat.kept.who, heard_up_to(saved, seat.kept.who)
    heard = {(one.turn, one.speaker == MODERATOR) for one in seen(saved, who)}
    unread = {one.turn for one in of_others(saved, who)[seat.kept.read :]}
    entries = [
        Said(one, unread=one.turn in unread and one.who != who, mine=one.who == who)
        for part in found
        for one in part.entries
        if ((one.turn, one.own) in heard if one.text else one.who == who or one.turn <= last)
    ]
    turns = [one.entry.turn for one in entries if one.entry]
    for number, notice in reversed(list(enumerate(told(saved)))):
        entries.insert(bisect_right(turns, notice.turn), Said(None, notice.text, number))
    return entries
