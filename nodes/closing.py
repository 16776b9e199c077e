"""How a run comes to its end: its closing text if somebody spoke, and the outcome with its headline."""

from collections.abc import Awaitable, Callable

from ..state.deliberation import Stage
from ..state.ending import Ending
from ..state.ends import nobody_spoke
from ..state.incident import Call, Incident
from ..state.outcome import Outcome
from .faults import Unavailable
from .headline import headline
from .models import REHEARSAL

Closing = tuple[str, list[Call], list[Incident]]
"""A closing text, what it cost, and what went wrong."""


async def of_what_was_said(state: Stage, sum_up: Callable[[], Awaitable[Closing]]) -> Closing:
    """The closing text that `sum_up` brings; none where it fails, and unasked where nobody said anything."""
    if nobody_spoke(state):
        return "", [], []
    try:
        return await sum_up()
    except Unavailable as lost:
        return "", lost.calls, lost.followed_by("no synthesis").incidents


def kept_after_all(lost: Unavailable) -> list[Incident]:
    """The incidents of a text that was to be better, where asking again brought none."""
    return lost.followed_by("kept", severity="recoverable").incidents


def concluded(state: Stage, found: Ending, calls: list[Call], incidents: list[Incident], whole: bool) -> Outcome:
    """The outcome, with a headline that says whatever was degraded."""
    rehearsal = bool(calls) and all(call.model == REHEARSAL for call in calls)
    partial = not whole or found.reason == "participants_unavailable"
    outcome = Outcome(
        reason=found.reason,
        strategy=found.strategy,
        evidence=found.evidence,
        status="partial" if partial else "completed",
        rehearsal=rehearsal,
    )
    said = headline(outcome, state, incidents, whole)
    return outcome.model_copy(update={"headline": said})
