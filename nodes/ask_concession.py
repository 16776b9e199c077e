"""Node that asks a speaker whether its statement is a concession."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from ..models import NoAnswerError
from ..prompts import Templates
from ..state import (
    MIN_STATEMENTS,
    MODERATOR,
    AnswerForm,
    Branch,
    BranchInput,
    ClosedModel,
    Ending,
    Evidence,
    JudgeState,
    ProgressState,
    Statement,
    StoppingSettings,
    TurnState,
    Update,
    cut_quote,
    find_conceding_sentence,
    find_formal_concession,
    get_participant_by_name,
    is_budget_spent,
    mark_reads,
)
from .answer_forms import format_field, make_answer_form, make_word_field
from .ask import ask, build_participant_call, build_prompt, record_calls, with_turn
from .statement import CONCESSION_LINES, limit_history

CONCESSION_FIELDS = "name quote lines language"


class ConcessionState(TurnState, JudgeState):
    """Channels that the question about a concession reads."""

    who: BranchInput[str]


class ConcessionReply(ClosedModel):
    """Reply to the question whether a speaker concedes."""

    concede: Literal["yes", "no"] = Field(description="concede")


def make_concession_lister(then: Callable[[Any], list[Branch]]) -> Callable[[Any], list[Branch]]:
    """Make the function that lists the questions to ask next.

    It lists the question about a concession if that is due, otherwise the questions of `then`.
    """

    def list_branches(state: ProgressState, settings: StoppingSettings) -> list[Branch]:
        if not needs_concession_question(state, settings):
            return then(state)
        return [Branch(node="ask_concession", who=state["history"][-1].speaker)]

    return mark_reads(list_branches, then)


def needs_concession_question(state: ProgressState, settings: StoppingSettings) -> bool:
    """Return whether to ask the last speaker if its statement is a concession.

    Moot asks only with `stop_rule: asked`, and at most once for each statement. The statement must contain a concession
    phrase or the line of a concession, but no formal concession.
    """
    history: list[Statement] = state["history"]
    if settings.stop_rule != "asked" or not settings.dynamic_termination or state["judged_turn"] >= state["turn"]:
        return False
    if len(history) < MIN_STATEMENTS or find_formal_concession(history) or is_budget_spent(settings, state["calls"]):
        return False
    statement = history[-1]
    is_askable = statement.speaker != MODERATOR and statement.turn == state["turn"]
    return is_askable and bool(find_conceding_sentence(statement.content, CONCESSION_LINES))


def ask_concession(templates: Templates) -> Callable[..., object]:
    """Build the node that asks the last speaker whether its statement is a concession."""

    async def ask_concession(state: ConcessionState, settings: StoppingSettings) -> Update:
        """Ask the last speaker for a yes or a no.

        Reads the task, turn, round, record, memory, summary, view_limits, who; writes verdict, judged_turn, calls,
        incidents, view_limits, memory.
        """
        statement = state["history"][-1]
        speaker = get_participant_by_name(state["participants"], state["who"])
        language = speaker.language or settings.language
        sentence = find_conceding_sentence(statement.content, CONCESSION_LINES)
        form = make_concession_form(language)
        spent_attempts = sum(
            call.turn == statement.turn and call.who == speaker.name and not call.is_lost for call in state["calls"]
        )
        call = with_turn(build_participant_call(state, speaker, "concession"), state["turn"], state["round"])
        call = replace(
            call,
            schema=ConcessionReply,
            answer_form=form,
            is_hidden=True,
            temperature=0.0,
            max_attempts=max(1, call.max_attempts - spent_attempts),
        )
        lines = format_field(form.fields[0], language)
        values = {"name": speaker.name, "quote": " ".join(sentence.split()), "lines": lines, "language": language}
        prompt = limit_history(state, build_prompt(state, templates, "ask_concession", values), speaker)
        update = Update(judged_turn=state["turn"])
        try:
            answer = await ask(prompt, call)
        except NoAnswerError as failure:
            return update | record_calls(speaker.name, failure.with_consequence("counted as no"))
        update |= record_calls(speaker.name, answer)
        if not isinstance(answer.value, ConcessionReply) or answer.value.concede == "no":
            return update
        evidence = Evidence(turns=[statement.turn], quote=cut_quote(sentence), note="gave up its side when asked")
        return update | Update(verdict=Ending(reason="concession_detected", strategy="asked", evidence=evidence))

    return ask_concession


def make_concession_form(language: str) -> AnswerForm:
    """Make the text form of the reply: one line such as `Concede: yes`."""
    return make_answer_form(language, make_word_field("concede", "concede", language, {"yes": "yes", "no": "no"}))
