"""What happens in a justice experiment, a line for each step, as a display tells it."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..state.adoption import VotingRecord
from ..state.application import ApplicationResult
from ..state.justice_box import VoteAnswer
from ..state.payoff import dollars
from ..state.principle import Ranking, SharingRule, number_of

STAGES = {
    "initial_ranking": "first ranking",
    "post_explanation_ranking": "ranking after the explanation",
    "final_ranking": "ranking after the applications",
    "rank_last": "last ranking",
}
VOTES = {
    ("initiation", True): "starts a vote",
    ("initiation", False): "wants no vote now",
    ("confirmation", True): "agrees to vote",
    ("confirmation", False): "does not agree to vote",
}


def happenings(step: str, update: Mapping[str, Any]) -> Iterator[str]:
    """Lines about what a step of the experiment wrote; nothing for other protocols' steps. Ballots stay secret."""
    calls = update.get("calls") or []
    who = calls[-1].who if calls else ""
    for ranking in [*(update.get("rankings") or {}).values(), *(update.get("last_rankings") or {}).values()]:
        yield f"{who}: {STAGES.get(step, step)}: {in_numbers(ranking)}"
    if step == "explanation" and "comment" in update:
        yield f"{who}: studied how the principles pick a distribution"
    yield from (f"{who}: {applied(one)}" for one in update.get("applications") or [])
    if orders := update.get("orders"):
        yield f"Round {update['round']}: {', '.join(update['floor'])}" if orders else ""
    yield from (f"{who} {voted(one)}" for one in update.get("answers") or [])
    yield from (counted(one) for one in update.get("votes") or [])
    if step == "take_in_adoption":
        yield f"{who} takes in what was adopted"
    if step == "pay":
        yield "The incomes and the classes are drawn, and everyone is paid."
    if step == "take_in_results":
        yield f"{who} takes in the results"


def in_numbers(ranking: Ranking) -> str:
    """ "2, 3, 1, 4 (sure)"; or that it was defaulted."""
    if ranking.defaulted:
        return "none that could be used"
    return f"{', '.join(str(number_of(each)) for each in ranking.order)} ({ranking.certainty.replace('_', ' ')})"


def rule_in_short(rule: SharingRule) -> str:
    """ "principle 3 at 14,000"."""
    amount = f" at {rule.constraint_amount:,}" if rule.constraint_amount else ""
    return f"principle {number_of(rule.principle)}{amount}"


def applied(result: ApplicationResult) -> str:
    """One application in short."""
    chose = rule_in_short(result.choice.rule) if result.choice else "no usable choice"
    place = result.assigned_class.replace("_", " ")
    return f"application {result.round}: {chose}; class {place}, paid ${dollars(result.payoff_cents)}"


def voted(answer: VoteAnswer) -> str:
    """What one answered, without what a secret ballot says."""
    if answer.question == "amount":
        return "has named an amount" if answer.amount else "has named no usable amount"
    if answer.question == "principle":
        return "has voted" if answer.principle else "has cast no usable ballot"
    return VOTES[answer.question, answer.yes]


def counted(record: VotingRecord) -> str:
    """What came of a vote attempt."""
    if record.event == "not_initiated":
        return "Nobody starts a vote."
    if record.event == "confirmation_failed":
        return "The vote is not held."
    return f"Adopted: {rule_in_short(record.consensus)}." if record.consensus else "The vote brings no agreement."
