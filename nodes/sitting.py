"""What a touch does to a session: time passes, a text is taken or refused, somebody closes or comes back.

Each function takes the session's channels and the time, and gives the news; nothing here waits or asks a model.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from ..state.discussion import DiscussionRules, Expectation
from ..state.expectation import due_at, is_expired, overdue, written
from ..state.fence import storable
from ..state.sending import AlreadySent, check_takes_part, validate_send
from ..state.session import Event, Session, around, begins_anew, floor_after
from ..state.session_state import SessionStage, SessionUpdate
from ..state.statement import Statement, names
from .news import joined


def session_of(state: SessionStage) -> Session:
    """The session as time and senders are judged by."""
    rules = state["rules"]
    assert isinstance(rules, DiscussionRules)
    return Session(
        participants=state["participants"],
        rules=rules,
        status=state["status"],
        expected=state["floor"][0] if state["floor"] else "",
        turn=state["turn"],
        since=state["since"],
        opened_at=state["opened_at"],
        hidden=state["hidden"],
        warned=state["warned"],
    )


def time_passes(state: SessionStage, now: datetime) -> SessionUpdate:
    """What fell due by `now`: the session's own end, or warnings and at most one hiding. Empty: nothing.

    A model's clock runs only while it is asked, so nothing falls due for one that nobody has asked yet.
    """
    session = session_of(state)
    asked = any(one.name == session.expected and one.kind != "model" for one in session.participants)
    late = overdue(session, now) if asked else []
    if is_expired(session, now) or not late:
        return run_out(state, now)
    warned = [one.turn_within for one in late if one.action == "warn"]
    news = SessionUpdate(events=violations(session, late, now), warned=[*session.warned, *warned])
    return joined(news, _hidden(state, now)) if late[-1].action == "hide" else news


def run_out(state: SessionStage, now: datetime) -> SessionUpdate:
    """The session's own end, if its time to live is over by `now`. Empty: it is not."""
    if not is_expired(session_of(state), now):
        return SessionUpdate()
    expired = Event(kind="session_expired", text="ttl", to=names(state["participants"]), recorded_at=written(now))
    return SessionUpdate(events=[expired], status="expired")


def violations(session: Session, late: Sequence[Expectation], now: datetime) -> list[Event]:
    """The log's entries for expectations that were not met."""
    return [
        Event(
            kind="expectation_violated",
            who=session.expected,
            turn=session.turn + 1,
            text=f"turn_within {one.turn_within:g} s: {one.action}",
            to=names(session.participants),
            due_at=written(due_at(session, one)),
            recorded_at=written(now),
        )
        for one in late
    ]


def _hidden(state: SessionStage, now: datetime) -> SessionUpdate:
    """The expected speaker leaves the rotation; the clock of whoever comes next starts now."""
    session, seats = session_of(state), names(state["participants"])
    name, hidden = session.expected, [*state["hidden"], session.expected]
    floor = floor_after(session.participants, session.rules, hidden, name)
    turn, at = session.turn + 1, written(now)
    gone = Event(kind="participant_hidden", who=name, turn=turn, to=seats, recorded_at=at)
    again = bool(floor) and begins_anew(seats, name, floor)
    return SessionUpdate(events=[gone], hidden=hidden, floor=floor, since=at, warned=[], round=state["round"] + again)


def restored(state: SessionStage, name: str, now: datetime) -> SessionUpdate:
    """A hidden participant comes back at its old seat; whoever is expected stays expected. Raises a `Refusal`."""
    session, at = session_of(state), written(now)
    check_takes_part(session, name)
    if name not in state["hidden"]:
        return SessionUpdate()
    hidden, seats = [one for one in state["hidden"] if one != name], names(state["participants"])
    back = Event(kind="participant_restored", who=name, turn=session.turn + 1, to=seats, recorded_at=at)
    last = around(seats, session.expected)[-2] if session.expected else _last_holder(state)
    news = SessionUpdate(hidden=hidden, events=[back])
    news["floor"] = floor_after(session.participants, session.rules, hidden, last)
    return news if session.expected else news | SessionUpdate(since=at, warned=[])


def _last_holder(state: SessionStage) -> str:
    """Whose turn was over last; empty before the first turn."""
    return next((one.who for one in reversed(state["events"]) if one.kind in ("text", "turn_passed")), "")


def closed(state: SessionStage, by: str, why: str, now: datetime) -> SessionUpdate:
    """Somebody who takes part closes the session. Raises a `Refusal`."""
    session = session_of(state)
    inviting = session.status == "inviting"
    check_takes_part(session.model_copy(update={"status": "open"}) if inviting else session, by)
    seats = names(state["participants"])
    end = Event(kind="session_closed", who=by, text=storable(why), to=seats, recorded_at=written(now))
    return SessionUpdate(events=[end], status="closed")


def sent(state: SessionStage, statement: Statement, turn: int | None, now: datetime) -> SessionUpdate:
    """A text takes the open turn; its turn and round are filled in. Raises the `Refusal` that fits.

    `turn`: the turn it is for, as its sender understood it; none: whichever is open.
    """
    session = session_of(state)
    if before := already_sent(state, statement.speaker, statement.message_id):
        raise AlreadySent(statement.speaker, session.expected, f"recorded already, as turn {before.turn}")
    validate_send(session, statement.speaker, statement.content, turn)
    place = {"turn": session.turn + 1, "round": max(1, state["round"]), "at": written(now)}
    content = storable(statement.content.strip())
    taken = statement.model_copy(update=place | {"content": content})
    return joined(SessionUpdate(history=[taken]), moved_on(state, statement.speaker, "text", now))


def moved_on(state: SessionStage, speaker: str, kind: Literal["text", "turn_passed"], now: datetime) -> SessionUpdate:
    """The turn is over, used or passed over: the floor goes to the next one, whose clock starts now."""
    session, seats, at = session_of(state), names(state["participants"]), written(now)
    turn, to = session.turn + 1, [name for name in seats if name != speaker]
    event = Event(kind=kind, who=speaker, turn=turn, to=to, recorded_at=at)
    floor = floor_after(session.participants, session.rules, session.hidden, speaker)
    round = state["round"] + begins_anew(seats, speaker, floor)
    return SessionUpdate(events=[event], floor=floor, turn=turn, round=round, since=at, warned=[])


def already_sent(state: SessionStage, sender: str, message_id: str) -> Statement | None:
    """The statement a client's message became before, if it was delivered already."""
    mine = (one for one in reversed(state["history"]) if one.speaker == sender and one.message_id == message_id)
    return next(mine, None) if message_id else None
