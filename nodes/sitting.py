"""What a touch does to a session: time passes, a text is taken or refused, somebody closes or comes back.

Each function takes the session's channels and the time, and gives the news; nothing here waits or asks a model.
"""

from datetime import datetime, timedelta

from ..state.deliberation import SessionStage, Update
from ..state.fence import storable
from ..state.rules import DiscussionRules
from ..state.session import (
    Event,
    NotAParticipant,
    Session,
    SessionOver,
    instant,
    is_expired,
    lap,
    next_lap,
    overdue,
    validate_send,
)
from ..state.statement import Statement, names


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


def written(moment: datetime) -> str:
    """A time as it is recorded."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_passes(state: SessionStage, now: datetime) -> Update:
    """What fell due by `now`: the session's own end, or warnings and at most one hiding. Empty: nothing."""
    session, at = session_of(state), written(now)
    if is_expired(session, now):
        expired = Event(kind="session_expired", text="ttl", to=names(state["participants"]), recorded_at=at)
        return Update(events=[expired], status="expired")
    news, late = Update(), overdue(session, now)
    for one in late:
        due_at = written(instant(session.since) + timedelta(seconds=one.turn_within))
        told = {"who": session.expected, "turn": session.turn + 1, "due_at": due_at, "recorded_at": at}
        kind = "expectation_violated"
        violated = Event.model_validate({"kind": kind, "text": f"turn_within {one.turn_within:g} s"} | told)
        news["events"] = [*news.get("events", []), violated]
        if one.action == "hide":
            hidden = Event.model_validate({"kind": "participant_hidden"} | told)
            news |= _without(state, session.expected, at) | Update(events=[*news["events"], hidden])
        else:
            news["warned"] = [*news.get("warned", session.warned), one.turn_within]
    return news


def _without(state: SessionStage, name: str, at: str) -> Update:
    hidden = [*state["hidden"], name]
    return Update(hidden=hidden, floor=next_lap(names(state["participants"]), hidden, name), since=at, warned=[])


def restored(state: SessionStage, name: str, now: datetime) -> Update:
    """A hidden participant comes back at its old seat; whoever is expected stays expected."""
    seats, at = names(state["participants"]), written(now)
    if name not in seats:
        raise NotAParticipant(name, state["floor"][0] if state["floor"] else "", "not a participant")
    if name not in state["hidden"]:
        return Update()
    hidden = [one for one in state["hidden"] if one != name]
    back = Event(kind="participant_restored", who=name, to=seats, recorded_at=at)
    waited = not state["floor"]
    last = state["history"][-1].speaker if state["history"] else ""
    floor = next_lap(seats, hidden, last) if waited else lap(seats, hidden, state["floor"][0])
    news = Update(hidden=hidden, events=[back], floor=floor)
    return news | Update(since=at, warned=[]) if waited else news


def closed(state: SessionStage, by: str, why: str, now: datetime) -> Update:
    """Somebody who takes part closes the session."""
    session, seats = session_of(state), names(state["participants"])
    if session.status != "open":
        raise SessionOver(by, "", f"the session is {session.status}")
    if by not in seats:
        raise NotAParticipant(by, session.expected, f"only participants close it: {', '.join(seats)}")
    end = Event(kind="session_closed", who=by, text=why, to=seats, recorded_at=written(now))
    return Update(events=[end], status="closed")


def sent(state: SessionStage, sender: str, text: str, message_id: str, now: datetime) -> Update:
    """A text takes the open turn. Raises the `Refusal` that fits."""
    validate_send(session_of(state), sender, text)
    statement = Statement(
        turn=state["turn"] + 1,
        round=max(1, state["round"]),
        speaker=sender,
        content=storable(text.strip()),
        at=written(now),
        message_id=message_id,
    )
    return Update(history=[statement]) | moved_on(state, sender, "text", now)


def moved_on(state: SessionStage, speaker: str, kind: str, now: datetime) -> Update:
    """The turn is over, used or passed over: the floor goes to the next one, whose clock starts now."""
    seats, at, turn = names(state["participants"]), written(now), state["turn"] + 1
    to = [name for name in seats if name != speaker]
    event = Event.model_validate({"kind": kind, "who": speaker, "turn": turn, "to": to, "recorded_at": at})
    floor = next_lap(seats, state["hidden"], speaker)
    again = not floor or seats.index(floor[0]) <= seats.index(speaker)
    return Update(events=[event], floor=floor, turn=turn, round=state["round"] + again, since=at, warned=[])


def already_sent(state: SessionStage, sender: str, message_id: str) -> Statement | None:
    """The statement a client's message became before, if it was delivered already."""
    return next(
        (one for one in state["history"] if message_id and one.message_id == message_id and one.speaker == sender), None
    )
