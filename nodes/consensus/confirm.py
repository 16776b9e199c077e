"""Nodes after a draft: each participant accepts or objects, and everyone learns the objections.

Moot asks all participants at the same time.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import (
    AnswerForm,
    BranchInput,
    ClosedModel,
    FencedText,
    FloorState,
    MemoryState,
    TaskState,
    TurnState,
    Update,
    get_participant_by_name,
    quote_words,
)
from ...state.consensus import Confirmation, ConvergenceState, GroupUpdate
from ..answer_forms import is_no_objection, make_answer_form, make_text_field, make_word_field
from ..ask import ask, build_participant_call, build_prompt, make_check, record_calls, with_turn
from ..voting.announcement import announce_to_all

CONFIRMATION_FIELDS = "name persona draft language"


class ConfirmationReply(ClosedModel):
    """Reply of a participant: whether it accepts the draft, and the reason."""

    answer: Literal["accept", "object"] = Field(description="acceptance")
    reason: str = Field(default="", max_length=1000, description="objection_reason")


class ConfirmationState(TurnState, ConvergenceState):
    """Channels of the branch in which one participant answers a draft."""

    who: BranchInput[str]


def confirm(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant accepts the draft or objects. Each participant has a branch."""

    async def confirm(state: ConfirmationState) -> Update:
        """Ask one participant whether it accepts the draft.

        Reads the task, round, record, drafts, view_limits, and who; writes confirmations, calls, incidents,
        view_limits.
        """
        participant = get_participant_by_name(state["participants"], state["who"])
        language, draft = participant.language or state["settings"].language, state["drafts"][-1]
        values = {
            "name": participant.name,
            "persona": participant.persona,
            "draft": FencedText(quote_words(draft.sentence)),
            "draft_number": draft.number,
            "language": language,
        }
        prompt = replace(build_prompt(state, templates, "confirm", values), history=state["history"])
        prompt = prompt.with_limit(state["view_limits"].get(participant.name))
        call = with_turn(build_participant_call(state, participant, "acceptance"), 0, state["round"])
        answer_form = make_confirmation_form(language)
        call = replace(call, schema=ConfirmationReply, answer_form=answer_form, is_hidden=True, temperature=0.0)
        check = make_check(
            get_term(language, "again", "no_reason"),
            lambda reply: reply.answer == "object" and is_no_objection(reply.reason),
        )
        fields: dict[str, Any] = {"draft": draft.number, "round": state["round"], "who": participant.name}
        try:
            answer = await ask(prompt, call, check)
        except NoAnswerError as failure:
            lost: Update = GroupUpdate(confirmations=[Confirmation(**fields, accepts=False, fault=failure.kind)])
            return lost | record_calls(participant.name, failure.with_consequence("not accepted"))
        assert isinstance(answer.value, ConfirmationReply)
        accepts = answer.value.answer == "accept"
        reason = "" if accepts else answer.value.reason.strip()
        update: Update = GroupUpdate(confirmations=[Confirmation(**fields, accepts=accepts, reason=reason)])
        return update | record_calls(participant.name, answer)

    return confirm


def make_confirmation_form(language: str) -> AnswerForm:
    """Make the text form of an answer to a draft.

    The answer is `Reply: accept`, or `Reply: object` with a line for the reason.
    """
    words = {word: word for word in ("accept", "object")}
    reason_field = make_text_field("reason", "reason", language, condition="if_object")
    return make_answer_form(language, make_word_field("answer", "accept", language, words), reason_field)


class ObjectionState(TaskState, FloorState, MemoryState, ConvergenceState):
    """Channels of the node that tells everyone the objections."""


async def tell_objections(state: ObjectionState) -> Update:
    """Tell all participants the objections to the draft, and the names of those without an answer."""
    draft, language = state["drafts"][-1], state["settings"].language
    answers = [answer for answer in state["confirmations"] if answer.draft == draft.number]
    text = get_term(language, "drafts", "not_accepted", number=draft.number)
    if silent_names := [answer.who for answer in answers if answer.fault]:
        text = f"{text} {get_term(language, 'drafts', 'silent', who=join_words(language, silent_names))}"
    quoted_words = {get_term(language, "drafts", "draft", number=draft.number): draft.sentence}
    return announce_to_all(
        state, text, quoted_words | {answer.who: answer.reason for answer in answers if answer.reason}
    )
