"""Questions of the justice experiment: ask in text, parse the answer, repeat if unusable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

from ...models import NoAnswerError, PromptLimits, choose_spec
from ...state import Call, Incident, StrictModel, clip_text
from ...state.answers.labelled_lines import AnswerForm, ReadAs
from ...state.justice.channels import JusticeUpdate
from ...state.lookups import Lookup
from ..ask import Answer, CallOptions, Check, Prompt, QuestionResult, ask, record_calls
from .addressee import Addressee

PREVIEW_LENGTH = 50
"""Maximum characters of a rejected reply in its preview."""


class Reply(StrictModel):
    """Base class of the reply schemas."""


T = TypeVar("T")
R = TypeVar("R", bound=Reply)


@dataclass(frozen=True)
class AnswerRequest(Generic[R]):
    """Answer that a question requests.

    `consequence`: consequence of a missing answer, for the record. `find_fault`: function that returns the fault of a
    parsed answer, or an empty text.
    """

    schema: type[R]
    form: AnswerForm
    consequence: str
    find_fault: Callable[[R], str] = lambda _: ""


@dataclass(frozen=True)
class QuestionOutcome(Generic[T]):
    """Outcome of a question: the value or `None`, how it was read, and every reply."""

    value: T | None
    read_as: ReadAs | None = None
    replies: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    prompt_limits: PromptLimits = field(default_factory=PromptLimits)
    lookups: list[Lookup] = field(default_factory=list)


def build_call_options(
    addressee: Addressee, purpose: str, calls: Sequence[Call], attempts: int, timeouts: list[float]
) -> CallOptions:
    """Build the options of a call to one participant, hidden from the stream.

    `calls`: earlier calls, which count against the budget. `timeouts`: seconds for each attempt.
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
        explains_unread=settings.discussion.retry_feedback_detail == "detailed",
        timeouts=timeouts,
        retry_delays=settings.discussion.retry_delays or [1.0],
        past_calls=calls,
        reserve=0,
        is_external=participant.kind != "model",
    )


async def ask_question(prompt: Prompt, call: CallOptions, request: AnswerRequest[R]) -> QuestionOutcome[R]:
    """Ask until a reply has a usable answer or no attempt is left.

    Record a failure instead of raising an error.
    """

    def check_answer(answer: Answer) -> str | None:
        return request.find_fault(cast(R, answer.value)) or None

    form_call = replace(call, schema=request.schema, answer_form=request.form, asks_in_text=True)
    answer = await _ask_and_record(prompt, form_call, check_answer, request.consequence)
    return _make_outcome(answer, cast(R, answer.value)) if isinstance(answer, Answer) else _make_failed_outcome(answer)


async def ask_for_text(
    prompt: Prompt, call: CallOptions, addressee: Addressee, consequence: str
) -> QuestionOutcome[str]:
    """Ask until a reply is plain text or no attempt is left. Record a failure instead of raising an error."""

    def check_text(answer: Answer) -> str | None:
        fault = addressee.translate_phrase("faults.empty")
        return None if answer.text.strip() else append_statement_form(addressee, fault)

    answer = await _ask_and_record(prompt, call, check_text, consequence)
    return _make_outcome(answer, answer.text.strip()) if isinstance(answer, Answer) else _make_failed_outcome(answer)


async def _ask_and_record(prompt: Prompt, call: CallOptions, check: Check, consequence: str) -> Answer | NoAnswerError:
    try:
        return await ask(prompt, call, check)
    except NoAnswerError as failure:
        return failure.with_consequence(consequence)


def _make_outcome(answer: Answer, value: T) -> QuestionOutcome[T]:
    return QuestionOutcome(value, answer.read_as, answer.replies, answer.calls, answer.incidents, answer.prompt_limits)


def _make_failed_outcome(failure: NoAnswerError) -> QuestionOutcome[Any]:
    return QuestionOutcome(None, None, failure.replies, failure.calls, failure.incidents, failure.prompt_limits)


def append_statement_form(addressee: Addressee, reason: str) -> str:
    """Append the form of a statement to a reason, without suggesting any content."""
    return addressee.translate_phrase("again.form", reason=reason, form=addressee.translate_phrase("forms.statement"))


def append_preview(addressee: Addressee, reason: str, reply: str) -> str:
    """Append the beginning of the reply to a reason."""
    return addressee.translate_phrase(
        "again.preview", reason=reason, seen=clip_text(" ".join(reply.split()), PREVIEW_LENGTH)
    )


def record_question_calls(addressee: Addressee, outcome: QuestionResult) -> JusticeUpdate:
    """Return the updates that record the calls of a question to a participant."""
    return cast(JusticeUpdate, record_calls(addressee.participant.name, outcome))
