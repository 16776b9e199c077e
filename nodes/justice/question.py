"""Questions of the justice experiment: asked in text, parsed strictly, and repeated with the fault."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from ...models.chat import choose_spec
from ...models.failures import CallFailure, NoAnswerError, PromptLimits
from ...state.call_record import Call
from ...state.incident import Incident
from ...state.justice import Unreadable
from ...state.justice.input_output import JusticeUpdate
from ...state.text import clip_text
from ..ask import Answer, CallOptions, Prompt, QuestionResult, ask, make_incident, record_calls
from .addressee import Addressee

T = TypeVar("T")
PREVIEW_LENGTH = 50
"""Length limit of the preview of a rejected reply, in characters."""


@dataclass(frozen=True)
class QuestionOutcome(Generic[T]):
    """Outcome of a question: the parsed value or `None`, every reply, and every fault with its attempt."""

    value: T | None
    replies: list[str] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    prompt_limits: PromptLimits = field(default_factory=PromptLimits)


@dataclass(frozen=True)
class ReplyParser(Generic[T]):
    """Parser of a reply; `parse` raises an error for an unusable reply.

    `form` is the key of the phrase that describes the form of an answer. `retry_limit` returns the number
    of retries for a fault; `None`: all attempts.
    """

    parse: Callable[[str], T]
    form: str
    consequence: str
    retry_limit: Callable[[str], int] | None = None


def build_call_options(
    addressee: Addressee, purpose: str, calls: Sequence[Call], attempts: int, timeouts: list[float]
) -> CallOptions:
    """Build a call to one participant, hidden from the stream.

    The budget is the rest after `calls`. `timeouts`: seconds for each attempt.
    """
    settings, participant = addressee.settings, addressee.participant
    return CallOptions(
        who=participant.name,
        purpose=purpose,
        spec=choose_spec(settings, participant.name, participant.model),
        settings=settings,
        temperature=participant.temperature,
        max_tokens=settings.max_tokens_per_turn,
        max_attempts=attempts,
        has_answered=any(call.outcome == "ok" for call in calls),
        hidden=True,
        timeouts=timeouts,
        retry_delays=settings.discussion.waits or [1.0],
        past_calls=calls,
        reserve=0,
        is_external=participant.kind != "model",
    )


async def ask_question(
    prompt: Prompt, call: CallOptions, addressee: Addressee, parser: ReplyParser[T]
) -> QuestionOutcome[T]:
    """Ask until a reply can be parsed or no attempt is left. Record a failure instead of raising it."""
    replies: list[str] = []
    faults: list[tuple[int, str]] = []
    values: list[T] = []

    def check_reply(answer: Answer) -> str | None:
        replies.append(answer.text)
        try:
            values.append(parser.parse(answer.text))
        except Unreadable as error:
            faults.append((max(len(answer.calls), len(replies)), error.fault))
            amounts = addressee.settings.voting
            bounds = {"least": f"{amounts.amount_min_reasonable:,}", "most": f"{amounts.amount_max_reasonable:,}"}
            reason = addressee.translate_phrase(f"faults.{error.fault}", **bounds)
            if addressee.settings.discussion.retry_feedback_detail == "detailed":
                reason = append_preview(addressee, reason, answer.text)
            explanation = append_answer_form(addressee, reason, parser.form, **bounds)
            is_amount = is_amount_fault(error.fault)
            similar_count = sum(is_amount_fault(fault) == is_amount for _, fault in faults)
            if parser.retry_limit is None or similar_count <= parser.retry_limit(error.fault):
                return explanation
            failure = CallFailure("rejected", explanation, content=True)
            incident = make_incident(call, failure, len(answer.calls), "").model_copy(update={"severity": "degraded"})
            incidents = [*answer.incidents, incident]
            raise NoAnswerError("rejected", answer.calls, incidents, answer.prompt_limits) from None
        return None

    try:
        answer = await ask(prompt, call, check_reply)
    except NoAnswerError as failure:
        incidents = failure.with_consequence(parser.consequence).incidents
        return QuestionOutcome(None, replies, faults, failure.calls, incidents, failure.prompt_limits)
    return QuestionOutcome(values[-1], replies, faults, answer.calls, answer.incidents, answer.prompt_limits)


def is_amount_fault(fault: str) -> bool:
    """Return whether a fault is about an amount, which may have a separate number of retries."""
    return fault.startswith("amount")


def append_answer_form(addressee: Addressee, reason: str, form: str, **bounds: str) -> str:
    """Append every possible form of an answer to a reason, without suggesting an answer."""
    form_text = addressee.translate_phrase(f"forms.{form}", certainties=addressee.format_certainties(), **bounds)
    return addressee.translate_phrase("again.form", reason=reason, form=form_text)


def append_preview(addressee: Addressee, reason: str, reply: str) -> str:
    """Append the beginning of the reply to a reason."""
    return addressee.translate_phrase(
        "again.preview", reason=reason, seen=clip_text(" ".join(reply.split()), PREVIEW_LENGTH)
    )


def record_question_calls(addressee: Addressee, outcome: QuestionResult) -> JusticeUpdate:
    """Return the updates that a question to a participant makes to the record."""
    return cast(JusticeUpdate, record_calls(addressee.participant.name, outcome))
