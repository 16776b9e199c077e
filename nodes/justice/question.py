"""Questions of the justice experiment: ask in text, parse the answer, repeat if unusable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from ...models import NoAnswerError, choose_spec
from ...state import Call, StrictModel
from ...state.answers.labelled_lines import AnswerForm
from ...state.justice.channels import JusticeUpdate
from ..ask import Answer, CallOptions, Check, Prompt, QuestionResult, ask, record_calls
from .addressee import Addressee

R = TypeVar("R", bound=StrictModel)


@dataclass(frozen=True)
class AnswerRequest(Generic[R]):
    """Request for an answer: the expected reply, and what happens without one.

    `consequence`: consequence of a missing answer, for the record. `find_fault`: function that returns the fault of a
    parsed answer, or an empty text.
    """

    schema: type[R]
    form: AnswerForm
    consequence: str
    find_fault: Callable[[R], str] = lambda _: ""


def build_call_options(
    addressee: Addressee, purpose: str, calls: Sequence[Call], attempts: int, timeouts: list[float]
) -> CallOptions:
    """Build the options of a call to one participant, whose tokens are not streamed.

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
        is_hidden=True,
        explains_unread=settings.discussion.retry_feedback_detail == "detailed",
        timeouts=timeouts,
        retry_delays=settings.discussion.retry_delays or [1.0],
        past_calls=calls,
        reserve=0,
        is_external=participant.kind != "model",
    )


async def ask_question(prompt: Prompt, call: CallOptions, request: AnswerRequest[R]) -> tuple[R | None, QuestionResult]:
    """Ask until a reply has a usable answer or no attempt is left.

    Return the answer's value (`None` without one) and the result of the question. Record a failure instead of raising
    an error.
    """

    def find_answer_fault(answer: Answer) -> str | None:
        return request.find_fault(cast(R, answer.value)) or None

    form_call = replace(call, schema=request.schema, answer_form=request.form, asks_in_text=True)
    result = await _ask_and_record(prompt, form_call, find_answer_fault, request.consequence)
    return cast(R, result.value) if isinstance(result, Answer) else None, result


async def ask_for_text(
    prompt: Prompt, call: CallOptions, addressee: Addressee, consequence: str
) -> tuple[str, QuestionResult]:
    """Ask until a reply is plain text or no attempt is left.

    Return the text (empty without one) and the result of the question. Record a failure instead of raising an error.
    `consequence`: consequence of a missing text, for the record.
    """

    def find_text_fault(answer: Answer) -> str | None:
        fault = addressee.translate_phrase("faults.empty")
        return None if answer.text.strip() else append_statement_form(addressee, fault)

    result = await _ask_and_record(prompt, call, find_text_fault, consequence)
    return result.text.strip() if isinstance(result, Answer) else "", result


async def _ask_and_record(prompt: Prompt, call: CallOptions, check: Check, consequence: str) -> QuestionResult:
    try:
        return await ask(prompt, call, check)
    except NoAnswerError as failure:
        return failure.with_consequence(consequence)


def append_statement_form(addressee: Addressee, reason: str) -> str:
    """Return `reason` followed by the form that a statement must have. The form suggests no content."""
    return addressee.translate_phrase("again.form", reason=reason, form=addressee.translate_phrase("forms.statement"))


def record_question_calls(addressee: Addressee, result: QuestionResult) -> JusticeUpdate:
    """Return the channel update that records the calls of a question to a participant."""
    return cast(JusticeUpdate, record_calls(addressee.participant.name, result))
