"""Ask a judge whether the deliberation should go on."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..prompts import Catalogue, term
from ..state.deliberation import Stage
from ..state.ending import Ending, Evidence
from ..state.statement import Statement
from ..state.writes import Update
from .asking import asking_role, at
from .asking.ask import Answer, Check, ask
from .asking.brief import brief
from .asking.cost import cost
from .models.failures import Unavailable

CONFIDENT = 0.6
"""Confidence from which a judgement ends a deliberation."""


class Judgement(BaseModel):
    """What a judge answers."""

    model_config = ConfigDict(extra="forbid")

    reason: Literal["concession_detected", "stalemate_repetition", "stalemate_disengagement", "continue"]
    quote: str = Field(max_length=2000, description="quote")
    turn: int = Field(ge=0, description="turn")
    confidence: float = Field(ge=0, le=1, description="confidence")


def decide(words: Catalogue) -> Callable[[Stage], object]:
    """The step in which a judge says whether the deliberation is over."""

    async def decide(state: Stage) -> Update:
        """Ask the judge for a verdict with quoted evidence.

        Reads what was given, round, turn, record, view_limits; writes verdict, judged, calls, incidents, view_limits.
        """
        asking = replace(at(asking_role(state, "judge", "judgement"), state["turn"], state["round"]), schema=Judgement)
        told = replace(brief(state, words, "judge", {}), history=state["history"])
        told = told.within(state["view_limits"].get("judge"))
        judged = Update(judged=state["turn"])
        try:
            answer = await ask(told, asking, quotes_the_record(state["history"], told.language))
        except Unavailable as lost:
            return judged | cost("judge", lost.followed_by("went on unjudged"))
        return judged | Update(verdict=verdict(answer.value)) | cost("judge", answer)

    return decide


def verdict(value: BaseModel | None) -> Ending | None:
    """The ending a judgement stands for; none when it says to go on or is not sure."""
    if not isinstance(value, Judgement) or value.reason == "continue" or value.confidence < CONFIDENT:
        return None
    evidence = Evidence(turns=[value.turn], quote=value.quote, figure=value.confidence, threshold=CONFIDENT)
    return Ending(reason=value.reason, strategy="judge", evidence=evidence)


def quotes_the_record(history: list[Statement], language: str) -> Check:
    """The check of a judgement: its quotation must stand in the turn it names."""

    def check(answer: Answer) -> str | None:
        value = answer.value
        if not isinstance(value, Judgement) or value.reason == "continue":
            return None
        said = next((one.content for one in history if one.turn == value.turn), "")
        found = bool(value.quote.strip()) and " ".join(value.quote.split()) in " ".join(said.split())
        return None if found else term(language, "again", "no_such_quote", turn=value.turn)

    return check
