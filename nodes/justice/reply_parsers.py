"""Parsers of replies: rankings, choices and texts, with the consequence of an unusable reply."""

from ...state.justice import (
    DistributionId,
    PrincipleChoice,
    Ranking,
    Unreadable,
    make_default_ranking,
    read_choice,
    read_distribution,
    read_ranking,
)
from .addressee import Addressee
from .question import QuestionOutcome, ReplyParser, is_amount_fault

COMPREHENSION_FAILURE = "not answered rightly"
"""Consequence of a question of the comprehension test with no attempt left."""


def make_ranking_parser(addressee: Addressee) -> ReplyParser[Ranking]:
    """Build the parser of a ranking."""
    return ReplyParser(lambda text: read_ranking(text, addressee.language), "ranking", "ranking defaulted")


def select_ranking(outcome: QuestionOutcome[Ranking]) -> Ranking:
    """Return the parsed ranking with every reply, or the marked default."""
    return (
        outcome.value.model_copy(update={"raw_replies": outcome.replies})
        if outcome.value
        else make_default_ranking(outcome.replies)
    )


def make_choice_parser(addressee: Addressee) -> ReplyParser[PrincipleChoice]:
    """Build the parser of a choice."""
    voting = addressee.settings.voting
    minimum, maximum = voting.amount_min_reasonable, voting.amount_max_reasonable
    discussion = addressee.settings.discussion

    def get_retry_limit(fault: str) -> int:
        return (
            discussion.max_constraint_correction_attempts
            if is_amount_fault(fault)
            else discussion.max_participant_retries
        )

    return ReplyParser(
        lambda text: read_choice(text, addressee.language, minimum, maximum),
        "choice",
        "choice defaulted",
        get_retry_limit,
    )


def make_distribution_parser(
    right_answer: DistributionId, answers: list[DistributionId]
) -> ReplyParser[DistributionId]:
    """Build the parser of a comprehension answer. It rejects every answer but the right one.

    `answers` collects every parsed answer.
    """

    def parse_distribution(text: str) -> DistributionId:
        answers.append(read_distribution(text))
        if answers[-1] != right_answer:
            raise Unreadable("distribution_wrong")
        return right_answer

    return ReplyParser(parse_distribution, "distribution", COMPREHENSION_FAILURE)


def make_text_parser(consequence: str) -> ReplyParser[str]:
    """Build the parser of a text. It rejects an empty text."""

    def parse_text(text: str) -> str:
        if not text.strip():
            raise Unreadable("empty_response")
        return text.strip()

    return ReplyParser(parse_text, "statement", consequence)
