"""Node that asks a judge model whether the deliberation should continue."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from ..models import NoAnswerError
from ..prompts import Templates, get_term
from ..state import (
    Ending,
    Evidence,
    ProgressState,
    Statement,
    StoppingSettings,
    StrictModel,
    Update,
    mark_reads,
    needs_judge,
)
from ..state.quotation_source import QuotationSource
from .ask import Answer, Check, ask, build_prompt, build_role_call, record_calls, with_turn
from .routes import choose_next_by_floor

MIN_CONFIDENCE = 0.6


@mark_reads
def choose_next_or_judge(state: ProgressState, settings: StoppingSettings) -> str:
    """Return the next step of a run that continues: the judge if it is due, or a turn, or a round."""
    return "judge" if needs_judge(state, settings) else choose_next_by_floor(state)


class Judgement(StrictModel):
    """Reply of the judge, with quoted evidence and its confidence."""

    reason: Literal["concession_detected", "stalemate_repetition", "stalemate_disengagement", "continue"]
    quote: str = Field(max_length=2000, description="quote")
    turn: int = Field(ge=0, description="turn")
    confidence: float = Field(ge=0, le=1, description="confidence")


def judge(templates: Templates) -> Callable[[ProgressState], object]:
    """Build the node in which a judge model says whether the deliberation is over."""

    async def judge(state: ProgressState) -> Update:
        """Ask the judge for a verdict with quoted evidence.

        Reads the task, round, turn, record, view_limits; writes verdict, judged_turn, calls, incidents, view_limits.
        """
        call = replace(
            with_turn(build_role_call(state, "judge", "judgement"), state["turn"], state["round"]), schema=Judgement
        )
        prompt = replace(build_prompt(state, templates, "judge", {}), history=state["history"])
        prompt = prompt.with_limit(state["view_limits"].get("judge"))
        update = Update(judged_turn=state["turn"])
        try:
            answer = await ask(prompt, call, make_quote_check(state["history"], prompt.language))
        except NoAnswerError as failure:
            return update | record_calls("judge", failure.with_consequence("continued unjudged"))
        return update | Update(verdict=find_verdict(answer.value)) | record_calls("judge", answer)

    return judge


def find_verdict(value: BaseModel | None) -> Ending | None:
    """Return the ending that a judge's reply implies, or `None` to continue.

    A reply with a confidence below `MIN_CONFIDENCE` means to continue.
    """
    if not isinstance(value, Judgement) or value.reason == "continue" or value.confidence < MIN_CONFIDENCE:
        return None
    evidence = Evidence(turns=[value.turn], quote=value.quote, figure=value.confidence, threshold=MIN_CONFIDENCE)
    return Ending(reason=value.reason, strategy="judge", evidence=evidence)


def make_quote_check(history: list[Statement], language: str) -> Check:
    """Make the check that a judge's quotation occurs in the turn it names, as whole words.

    A reply that lets the run continue needs no quotation.
    """

    def find_answer_fault(answer: Answer) -> str | None:
        value = answer.value
        if not isinstance(value, Judgement) or value.reason == "continue":
            return None
        source = QuotationSource(next((entry.content for entry in history if entry.turn == value.turn), ""))
        return None if source.has_quote(value.quote) else get_term(language, "again", "no_such_quote", turn=value.turn)

    return find_answer_fault
