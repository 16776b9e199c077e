"""What a question leaves on record, whether or not it was answered."""

from typing import Protocol

from ...state.incident import Call, Incident
from ...state.writes import Update
from ..models.failures import Narrowed


class Spent(Protocol):
    """Whatever a question ended with: an answer, or none."""

    @property
    def calls(self) -> list[Call]:
        """The calls made for it."""

    @property
    def incidents(self) -> list[Incident]:
        """What went wrong."""

    @property
    def narrowed(self) -> Narrowed:
        """What was learnt about the endpoint."""


def cost(who: str, of: Spent) -> Update:
    """The calls made for a question to `who`, and what went wrong.

    One whose endpoint refused a long prompt has a smaller view from then on, and of its memory what is left.
    """
    found = Update(calls=of.calls)
    if of.incidents:
        found["incidents"] = of.incidents
    if of.narrowed.view:
        found["view_limits"] = {who: of.narrowed.view}
        if of.narrowed.memory:
            found["memory"] = {who: {"replace": of.narrowed.memory}}
    return found
