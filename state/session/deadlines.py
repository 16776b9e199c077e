"""What time does to a session: warnings, hidings, and its own end. Pure: the time is given, never looked up."""

from datetime import datetime, timedelta

from ..discussion import Expectation
from .log import SessionState

GOING_ON = ("inviting", "open")
"""Statuses in which time counts."""


def due_at(session: SessionState, one: Expectation) -> datetime:
    """When an expectation of whoever is waited for falls due."""
    return datetime.fromisoformat(session.since) + timedelta(seconds=one.turn_within)


def expires_at(session: SessionState) -> datetime | None:
    """When the session's time is over, counted from its opening, and before that from the invitation; `None`: never."""
    began = session.opened_at or session.since
    if session.rules.ttl is None or not began:
        return None
    return datetime.fromisoformat(began) + timedelta(seconds=session.rules.ttl)


def is_expired(session: SessionState, now: datetime) -> bool:
    """Whether the session's time is over."""
    end = expires_at(session)
    return session.status in GOING_ON and end is not None and now >= end


def pending(session: SessionState) -> list[Expectation]:
    """The expectations of whoever is waited for that were not yet acted on, in the order of falling due.

    Nothing follows a hiding: whoever comes next has a clock of their own. While the session is inviting, only those
    it can open without are hidden. A person whose turn it is stays, unless an expectation is to hold for people.
    """
    if session.status not in GOING_ON or not (session.expected or session.awaited) or not session.since:
        return []
    found: list[Expectation] = []
    held = [one for one in session.rules.expectations if one.people or not _is_person(session, session.expected)]
    for one in sorted(held, key=lambda each: (each.turn_within, each.action == "hide")):
        if one.action == "hide" and (session.expected or session.spared):
            return [*found, one]
        if one.action == "warn" and one.turn_within not in session.warned:
            found.append(one)
    return found


def missed_at(session: SessionState) -> datetime | None:
    """When the turn of an expected person is passed over; `None`: never."""
    seconds = session.rules.person_deadline
    if seconds is None or not _is_person(session, session.expected) or session.status != "open":
        return None
    return datetime.fromisoformat(session.since) + timedelta(seconds=seconds)


def _is_person(session: SessionState, who: str) -> bool:
    return any(one.name == who and one.kind == "person" for one in session.participants)


def overdue(session: SessionState, now: datetime) -> list[Expectation]:
    """The pending expectations that have fallen due by `now`."""
    return [one for one in pending(session) if now >= due_at(session, one)]


def deadline(session: SessionState) -> datetime | None:
    """When the next expectation of whoever is waited for falls due, the turn is passed over, or the
    session expires; `None`: never."""
    end = expires_at(session) if session.status in GOING_ON else None
    ends = [one for one in (end, missed_at(session)) if one]
    return min([*(due_at(session, one) for one in pending(session)), *ends], default=None)
