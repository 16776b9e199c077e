"""How replies are read: rankings, choices, texts; strictly, with what follows when none can be used."""

from collections.abc import Callable

from ...state.justice import (
    Choice,
    Ranking,
    Unreadable,
    default_ranking,
    read_choice,
    read_distribution,
    read_ranking,
)
from ...state.justice.income import DistributionId
from .addressee import Hearer
from .question import Heard, Reading, is_amount

NOT_UNDERSTOOD = "not answered rightly"
"""The consequence of a question of the comprehension test whose tries are spent."""


def ranking_in(hearer: Hearer) -> Reading[Ranking]:
    """How a ranking is read."""
    return Reading(lambda text: read_ranking(text, hearer.language), "ranking", "ranking defaulted")


def ranked(got: Heard[Ranking]) -> Ranking:
    """The ranking read, with every reply; or the marked default."""
    return got.value.model_copy(update={"raw_replies": got.replies}) if got.value else default_ranking(got.replies)


def choice_in(hearer: Hearer) -> Reading[Choice]:
    """How a choice is read."""
    vote = hearer.rules.voting
    least, most = vote.amount_min_reasonable, vote.amount_max_reasonable
    return Reading(
        lambda text: read_choice(text, hearer.language, least, most), "choice", "choice defaulted", corrections(hearer)
    )


def corrections(hearer: Hearer) -> Callable[[str], int]:
    """How often a bad amount, and any other fault, is asked again in Phase 1."""
    talk = hearer.rules.discussion

    def allowed(fault: str) -> int:
        return talk.max_constraint_correction_attempts if is_amount(fault) else talk.max_participant_retries

    return allowed


def distribution_in(right: DistributionId, given: list[DistributionId]) -> Reading[DistributionId]:
    """How an answer to the comprehension test is read: any but the right one is asked again; `given` takes them all."""

    def read(text: str) -> DistributionId:
        given.append(read_distribution(text))
        if given[-1] != right:
            raise Unreadable("distribution_wrong")
        return right

    return Reading(read, "distribution", NOT_UNDERSTOOD)


def a_text(consequence: str) -> Reading[str]:
    """How a text that only has to say something is read."""

    def read(text: str) -> str:
        if not text.strip():
            raise Unreadable("empty_response")
        return text.strip()

    return Reading(read, "statement", consequence)
