"""Questions of the justice experiment: asked in text, read strictly, asked again with the reason and every form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from ...state.incident import Call, Incident
from ...state.justice import Unreadable
from ...state.justice.writes import JusticeUpdate
from ...state.text import clipped
from ..asking import Asking, Brief, incident_of
from ..asking.ask import Answer, ask
from ..asking.cost import Spent, cost
from ..models.chat import spec_for
from ..models.failures import Fault, Narrowed, Unavailable
from .addressee import Hearer

T = TypeVar("T")
PREVIEW = 50
"""Characters of a rejected reply that its writer is shown again."""


@dataclass(frozen=True)
class Heard(Generic[T]):
    """What a question brought: the value read, if any; every reply; every fault with the try it was found in."""

    value: T | None
    replies: list[str] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    narrowed: Narrowed = field(default_factory=Narrowed)


@dataclass(frozen=True)
class Reading(Generic[T]):
    """How a reply is read: `read` raises Unreadable; `allowed` tells how often a fault may be asked again.

    `form` is the key of the words for how an answer is written.
    """

    read: Callable[[str], T]
    form: str
    consequence: str
    allowed: Callable[[str], int] | None = None


@dataclass(frozen=True)
class Within:
    """The bounds of a question: tries in all, and seconds for each."""

    tries: int
    timeouts: list[float]


def question(hearer: Hearer, purpose: str, calls: Sequence[Call], within: Within) -> Asking:
    """A question to one participant, hidden from the stream, within what the budget leaves after `calls`."""
    rules, one = hearer.rules, hearer.one
    return Asking(
        who=one.name,
        purpose=purpose,
        spec=spec_for(rules, one.name, one.model),
        rules=rules,
        temperature=one.temperature,
        max_tokens=rules.max_tokens_per_turn,
        tries=within.tries,
        proven=any(call.outcome == "ok" for call in calls),
        hidden=True,
        timeouts=within.timeouts,
        waits=rules.discussion.waits or [1.0],
        spent=calls,
        reserve=0,
        outside=one.kind != "model",
    )


async def heard(told: Brief, asking: Asking, hearer: Hearer, reading: Reading[T]) -> Heard[T]:
    """Ask until a reply can be read or the tries are spent; never raises `Unavailable`."""
    replies: list[str] = []
    faults: list[tuple[int, str]] = []
    values: list[T] = []

    def check(answer: Answer) -> str | None:
        replies.append(answer.text)
        try:
            values.append(reading.read(answer.text))
        except Unreadable as unread:
            faults.append((max(len(answer.calls), len(replies)), unread.fault))
            said = again(hearer, f"faults.{unread.fault}", answer.text, reading.form)
            if _spent(reading, unread.fault, faults):
                incidents = [*answer.incidents, _last(asking, said, answer)]
                raise Unavailable("rejected", answer.calls, incidents, answer.narrowed) from None
            return said
        return None

    try:
        answer = await ask(told, asking, check)
    except Unavailable as lost:
        incidents = lost.followed_by(reading.consequence).incidents
        return Heard(None, replies, faults, lost.calls, incidents, lost.narrowed)
    return Heard(values[-1], replies, faults, answer.calls, answer.incidents, answer.narrowed)


def _spent(reading: Reading[T], fault: str, faults: list[tuple[int, str]]) -> bool:
    """Whether this fault has been asked again as often as it may be."""
    if reading.allowed is None:
        return False
    alike = [one for _, one in faults if is_amount(one) == is_amount(fault)]
    return len(alike) > reading.allowed(fault)


def is_amount(fault: str) -> bool:
    """Whether a fault is about an amount, of which there may be other tries than of the rest."""
    return fault.startswith("amount")


def _last(asking: Asking, said: str, answer: Answer) -> Incident:
    incident = incident_of(asking, Fault("rejected", said, content=True), len(answer.calls), "")
    return incident.model_copy(update={"severity": "degraded"})


def again(hearer: Hearer, key: str, seen: str, form: str) -> str:
    """What was wrong with a reply, in words for its writer, and how an answer is written; in detail, what it wrote."""
    amounts = hearer.rules.voting
    bounds = {"least": f"{amounts.amount_min_reasonable:,}", "most": f"{amounts.amount_max_reasonable:,}"}
    reason = hearer.say(key, **bounds)
    if hearer.rules.discussion.retry_feedback_detail == "detailed":
        reason = with_preview(hearer, reason, seen)
    return as_written(hearer, reason, form, **bounds)


def as_written(hearer: Hearer, reason: str, form: str, **bounds: str) -> str:
    """A reason, followed by every form an answer may have; never by one answer, which would be put into its mouth."""
    told = hearer.say(f"forms.{form}", certainties=hearer.certainties(), **bounds)
    return hearer.say("again.form", reason=reason, form=told)


def with_preview(hearer: Hearer, reason: str, seen: str) -> str:
    """A reason with the beginning of what was written."""
    return hearer.say("again.preview", reason=reason, seen=clipped(" ".join(seen.split()), PREVIEW))


def spent(hearer: Hearer, of: Spent) -> JusticeUpdate:
    """What a question to a participant leaves on record."""
    return cast(JusticeUpdate, cost(hearer.one.name, of))
