"""Deadlines of a session: when to warn, when to hide a participant, and when the session expires.

The caller passes the current time.
"""

from datetime import datetime, timedelta

from ..discussion import Expectation
from .log import SessionView

ACTIVE_STATUSES = ("inviting", "open")
"""Statuses in which time limits run."""


def compute_due_time(session: SessionView, expectation: Expectation) -> datetime:
    """Compute when the participant whose turn it is runs out of a time limit."""
    return datetime.fromisoformat(session.since) + timedelta(seconds=expectation.turn_within)


def compute_expiry(session: SessionView) -> datetime | None:
    """Compute when the session expires; `None` without a limit.

    The limit runs from the opening. Before that, it runs from the invitation.
    """
    start = session.opened_at or session.since
    if session.settings.ttl is None or not start:
        return None
    return datetime.fromisoformat(start) + timedelta(seconds=session.settings.ttl)


def is_expired(session: SessionView, now: datetime) -> bool:
    """Return whether an open or invited session has passed its expiry time."""
    expiry = compute_expiry(session)
    return session.status in ACTIVE_STATUSES and expiry is not None and now >= expiry


def list_pending_expectations(session: SessionView) -> list[Expectation]:
    """List the time limits that still apply to the awaited participant, earliest first.

    The list ends at the first limit that hides the participant, because the next speaker gets new limits. Before the
    session opens, only optional participants can be hidden. A limit with `people: false` does not apply to people.
    """
    if session.status not in ACTIVE_STATUSES or not (session.expected or session.awaited) or not session.since:
        return []
    expectations: list[Expectation] = []
    applicable_expectations = [
        expectation
        for expectation in session.settings.expectations
        if expectation.people or not _is_person(session, session.expected)
    ]
    for expectation in sorted(
        applicable_expectations, key=lambda candidate: (candidate.turn_within, candidate.action == "hide")
    ):
        if expectation.action == "hide" and (session.expected or session.optional_awaited):
            return [*expectations, expectation]
        if expectation.action == "warn" and expectation.turn_within not in session.warned:
            expectations.append(expectation)
    return expectations


def compute_miss_time(session: SessionView) -> datetime | None:
    """Compute when the person whose turn it is will miss the turn.

    Return `None` without a deadline, or if the session waits for no person.
    """
    seconds = session.settings.person_deadline
    if seconds is None or not _is_person(session, session.expected) or session.status != "open":
        return None
    return datetime.fromisoformat(session.since) + timedelta(seconds=seconds)


def _is_person(session: SessionView, name: str) -> bool:
    return any(participant.name == name and participant.kind == "person" for participant in session.participants)


def list_overdue_expectations(session: SessionView, now: datetime) -> list[Expectation]:
    """List the time limits that have run out at `now`."""
    return [
        expectation
        for expectation in list_pending_expectations(session)
        if now >= compute_due_time(session, expectation)
    ]


def find_next_deadline(session: SessionView) -> datetime | None:
    """Return the time of the session's next deadline, or `None`."""
    expiry = compute_expiry(session) if session.status in ACTIVE_STATUSES else None
    deadlines = [deadline for deadline in (expiry, compute_miss_time(session)) if deadline]
    return min(
        [*(compute_due_time(session, expectation) for expectation in list_pending_expectations(session)), *deadlines],
        default=None,
    )
