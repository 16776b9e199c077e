"""Waiting for somebody outside: an interrupt that asks again until its answer can be taken."""

from collections.abc import Callable
from typing import Any, TypeVar

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt
from pydantic import BaseModel, ValidationError

from ...state.fence import storable
from ...state.incident import Incident
from ...state.refused import refused_input as unusable
from ...state.session import SendRefused
from ...state.session.channels import SessionStage, SessionUpdate
from ..clock import now, stamp
from .events import joined, time_passes, with_news

PATIENCE = 20
"""Refusals after which the step ends with them recorded, and waits anew."""

REFUSED = "refused"
"""The consequence of an incident that stands for a refusal."""

Asked = TypeVar("Asked", bound=BaseModel)


def ask_outside(
    asking: Callable[[str], dict[str, Any]],
    kind: type[Asked],
    take: Callable[[Asked], SessionUpdate],
    refused: str = "",
) -> SessionUpdate:
    """Ask until something can be taken; what was refused stands in the next question, and after twenty on record.

    A step that waits runs again from its top with every answer. Only the newest answer is judged by what it brings:
    those before it were refused when they came, and stay refused however late it has become.
    """
    refusals: list[SendRefused] = []
    answer = _answered(asking(refused), kind)
    while True:
        news, refusal = SessionUpdate(), None
        try:
            news = take(answer)
        except SendRefused as no:
            refusal = no
            if len(refusals) + 1 >= PATIENCE:
                return SessionUpdate(incidents=[noted(one) for one in [*refusals, no]])
        try:
            answer = _answered(asking(storable(str(refusal or ""))), kind)
        except GraphInterrupt:
            if refusal is None:
                return news
            raise
        refusals.append(refusal or SendRefused("", "", "refused when it came"))


def _answered(question: dict[str, Any], kind: type[Asked]) -> Asked:
    """The next answer; raises `Refused` for one that cannot be read, and the session waits on as it was."""
    try:
        return interrupt(question, response_schema=kind)
    except ValidationError as error:
        raise unusable(error, kind) from None


def in_time(state: SessionStage, act: Callable[[SessionStage], SessionUpdate]) -> SessionUpdate:
    """What time has done by now, then what is done to the session as it stands after that.

    Raises `SendRefused` when nothing changes by either; what is refused as time changes something is on record.
    """
    passed = time_passes(state, now())
    try:
        return joined(passed, act(with_news(state, passed)))
    except SendRefused as refusal:
        if not passed:
            raise
        return passed | SessionUpdate(incidents=[noted(refusal)])


def noted(refusal: SendRefused) -> Incident:
    """A refusal as the record keeps it, where it is kept."""
    said, who = storable(str(refusal)), storable(refusal.sender[:80])
    return Incident(where="hear", who=who, what=said, kind=refusal.reason, consequence=REFUSED, tries=0, at=stamp())
