"""Node that fills a caller's form with the result of a deliberation."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pydantic import BaseModel
from typing_extensions import TypedDict

from ..models import NoAnswerError
from ..prompts import Templates
from ..state import FencedText, OutcomeState, RecordState, TaskState, Update, fence_text
from .ask import SHARED_TEMPLATES, Prompt, ask, build_role_call, build_shared_values, record_calls


class FilledFormState(TypedDict):
    """Channel of the form that a caller requested, after it is filled."""

    filled_form: dict[str, Any]
    """Form filled with the result, as plain values; missing if all attempts failed."""


class FormFillingState(TaskState, RecordState, OutcomeState):
    """Channels that the node for a caller's form reads."""


def fill_form(form: type[BaseModel], templates: Templates, reserved_calls: int) -> Callable[[Any], Awaitable[Any]]:
    """Build the node that fills a caller's form after the deliberation.

    `templates`: templates of the protocol. `reserved_calls`: number of calls kept for the form. The run's own cap is
    lower than the caller's by this number.
    """

    async def fill_form(state: FormFillingState) -> dict[str, Any] | Update:
        """Ask the synthesizer to fill the form.

        Reads the task, the record, outcome and synthesis; writes filled_form, calls and incidents.
        """
        outcome, settings = state["outcome"], state["settings"]
        synthesis = state["synthesis"] or (outcome.headline if outcome else "")
        fields = {"synthesis": FencedText(fence_text("synthesis", synthesis))}
        shared_values = build_shared_values(settings, state["participants"], state["topic"])
        prompt = Prompt(
            head=templates.fill_template(settings.language, "system", shared_values, settings.templates),
            task=SHARED_TEMPLATES.fill_template(settings.language, "fill_form", fields, settings.templates),
            language=settings.language,
            material=state["material"],
            exhibits=state["exhibits"],
            history=state["history"],
            bound=settings.public_history_max_length,
            notices=state["notices"],
            topic=state["topic"],
            participants=state["participants"],
            values=fields,
        )
        call = build_role_call(state, "synthesizer", "form")
        if settings.budget.calls is not None:
            budget = settings.budget.model_copy(update={"calls": settings.budget.calls + reserved_calls})
            call = replace(call, settings=settings.model_copy(update={"budget": budget}))
        try:
            answer = await ask(prompt, replace(call, schema=form, is_hidden=True))
        except NoAnswerError as failure:
            return record_calls(call.who, failure.with_consequence("no form", severity="degraded"))
        assert answer.value is not None
        update: Any = record_calls(call.who, answer)
        return {**update, "filled_form": answer.value.model_dump(mode="json")}

    return fill_form
