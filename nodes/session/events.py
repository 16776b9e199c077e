"""What a touch does to a session: time passes, somebody closes or comes back.

Each function takes the session's channels and the time, and gives the news; nothing here waits or asks a model.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, cast

from ...prompts import term
from ...state.discussion import DiscussionRules, Expectation
from ...state.fence import storable
from ...state.incident import PASSED_OVER, Incident
from ...state.session import (
    Event,
    SessionState,
    around,
    begins_anew,
    check_seat,
    check_takes_part,
    due_at,
    floor_after,
    is_expired,
    missed_at,
    overdue,
    unanswered,
)
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import names
from ..clock import written


def with_news(state: SessionStage, news: SessionUpdate) -> SessionStage:
    """The channels as they will be when `news` is recorded."""
    grown = {
        "history": [*state["history"], *news.get("history", [])],
        "events": [*state["events"], *news.get("events", [])],
        "incidents": [*state["incidents"], *news.get("incidents", [])],
    }
    return cast(SessionStage, {**state, **news, **grown})


def joined(first: SessionUpdate, then: SessionUpdate) -> SessionUpdate:
    """Two pieces of news as one."""
    events = [*first.get("events", []), *then.get("events", [])]
    return first | then | SessionUpdate(events=events) if events else first | then


def session_of(state: SessionStage) -> SessionState:
    """The session as time and senders are judged by."""
    rules = state["rules"]
    assert isinstance(rules, DiscussionRules)
    return SessionState(
        participants=state["participants"],
        rules=rules,
        status=state["status"],
        expected=state["floor"][0] if state["floor"] else "",
        turn=state["turn"],
        awaited=awaited(state),
        since=state["since"],
        opened_at=state["opened_at"],
        hidden=state["hidden"],
        warned=state["warned"],
    )


def awaited(state: SessionStage) -> list[str]:
    """Whose answers to the invitation a session that is inviting waits for."""
    if state["status"] != "inviting":
        return []
    return [name for name in unanswered(state["events"]) if name not in state["hidden"]]


def time_passes(state: SessionStage, now: datetime) -> SessionUpdate:
    """What fell due by `now`: the session's own end, or warnings and at most one hiding. Empty: nothing.

    A model's clock runs only while it is asked, so nothing falls due for one that nobody has asked yet.
    """
    session = session_of(state)
    asked = any(one.name == session.expected and one.kind != "model" for one in session.participants)
    late = overdue(session, now) if asked or session.awaited else []
    missed = missed_at(session)
    if not is_expired(session, now) and missed and missed <= now:
        return _passed_over(state, now)
    if is_expired(session, now) or not late:
        return run_out(state, now)
    warned = [one.turn_within for one in late if one.action == "warn"]
    news = SessionUpdate(events=violations(session, late, now), warned=[*session.warned, *warned])
    if late[-1].action != "hide":
        return news
    return joined(news, _left_out(state, now) if session.awaited else _hidden(state, now))


def _passed_over(state: SessionStage, now: datetime) -> SessionUpdate:
    """The expected person did not answer in time: the turn is over, on record, and the next one is expected."""
    session, language = session_of(state), state["rules"].language
    missed = Incident(
        where="hear",
        who=session.expected,
        what=term(language, "noted", "late"),
        kind="late",
        consequence=PASSED_OVER,
        tries=0,
        turn=session.turn + 1,
        round=max(1, state["round"]),
        at=written(now),
        severity="degraded",
    )
    return moved_on(state, session.expected, "turn_passed", now) | SessionUpdate(incidents=[missed])


def run_out(state: SessionStage, now: datetime) -> SessionUpdate:
    """The session's own end, if its time to live is over by `now`. Empty: it is not."""
    if not is_expired(session_of(state), now):
        return SessionUpdate()
    expired = Event(kind="session_expired", text="ttl", to=names(state["participants"]), recorded_at=written(now))
    return SessionUpdate(events=[expired], status="expired")


def violations(session: SessionState, late: Sequence[Expectation], now: datetime) -> list[Event]:
    """The log's entries for expectations that were not met, by the expected speaker or by those who were invited."""
    return [
        Event(
            kind="expectation_violated",
            who=who,
            turn=session.turn + 1 if session.expected else 0,
            to=names(session.participants),
            due_at=written(due_at(session, one)),
            recorded_at=written(now),
            turn_within=one.turn_within,
            action=one.action,
        )
        for one in late
        for who in ([session.expected] if session.expected else _late_guests(session, one))
    ]


def _late_guests(session: SessionState, one: Expectation) -> list[str]:
    return session.spared if one.action == "hide" else session.awaited


def _left_out(state: SessionStage, now: datetime) -> SessionUpdate:
    """Those who need not take part and do not answer: the session opens without them, and they may come later."""
    session, seats = session_of(state), names(state["participants"])
    gone = [Event(kind="participant_hidden", who=one, to=seats, recorded_at=written(now)) for one in session.spared]
    return SessionUpdate(events=gone, hidden=[*state["hidden"], *session.spared])


def _hidden(state: SessionStage, now: datetime) -> SessionUpdate:
    """The expected speaker leaves the rotation; the clock of whoever comes next starts now."""
    session, seats = session_of(state), names(state["participants"])
    name, hidden = session.expected, [*state["hidden"], session.expected]
    floor = floor_after(session.participants, session.rules, hidden, name)
    turn, at = session.turn + 1, written(now)
    gone = Event(kind="participant_hidden", who=name, turn=turn, to=seats, recorded_at=at)
    again = bool(floor) and begins_anew(seats, name, floor)
    return SessionUpdate(events=[gone], hidden=hidden, floor=floor, since=at, warned=[], round=state["round"] + again)


def moved_on(state: SessionStage, speaker: str, kind: Literal["text", "turn_passed"], now: datetime) -> SessionUpdate:
    """The turn is over, used or passed over: the floor goes to the next one, whose clock starts now."""
    session, seats, at = session_of(state), names(state["participants"]), written(now)
    turn, to = session.turn + 1, [name for name in seats if name != speaker]
    event = Event(kind=kind, who=speaker, turn=turn, to=to, recorded_at=at)
    floor = floor_after(session.participants, session.rules, session.hidden, speaker)
    round = state["round"] + begins_anew(seats, speaker, floor)
    return SessionUpdate(events=[event], floor=floor, turn=turn, round=round, since=at, warned=[])


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
    """Somebody who takes part closes the session, also before it has opened. Raises a `Refusal`."""
    session = session_of(state)
    (check_seat if session.status == "inviting" else check_takes_part)(session, by)
    seats = names(state["participants"])
    end = Event(kind="session_closed", who=by, text=storable(why), to=seats, recorded_at=written(now))
    return SessionUpdate(events=[end], status="closed")
