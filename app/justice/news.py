"""What happens in a justice experiment, a line for each step, as a display tells it in the run's language."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...prompts import phrases, term
from ...state.justice import (
    ApplicationResult,
    ComprehensionAnswer,
    Ranking,
    SharingRule,
    VoteAnswer,
    VotingRecord,
    dollars,
    number_of,
)

WHO_ALONE = {"take_in_adoption": "adoption", "pay": "pay", "take_in_results": "results"}
"""Steps that are told by who took them, and nothing else."""


def say(language: str, key: str, /, **values: object) -> str:
    """A phrase about an experiment, in the run's language."""
    return phrases("experiment").say(language, key, **values)


def happenings(step: str, update: Mapping[str, Any], language: str) -> Iterator[str]:
    """Lines about what a step of the experiment wrote; nothing for other protocols' steps. Ballots stay secret."""
    calls, told = update.get("calls") or [], partial(say, language)
    who = calls[-1].who if calls else ""
    for ranking in [*(update.get("rankings") or {}).values(), *(update.get("last_rankings") or {}).values()]:
        stage = told(f"stages.{step}")
        yield told("steps.ranked", who=who, stage=stage, ranking=in_numbers(ranking, language))
    yield from (understood(who, one, language) for one in update.get("comprehension") or [])
    if step == "explanation" and "comment" in update:
        yield told("steps.studied", who=who)
    yield from (applied(who, one, language) for one in update.get("applications") or [])
    if update.get("orders"):
        order = term(language, "lists", "comma").join(update["floor"])
        yield told("steps.round", round=update["round"], order=order)
    yield from (voted(who, one, language) for one in update.get("answers") or [])
    yield from (counted(one, language) for one in update.get("votes") or [])
    if step in WHO_ALONE:
        yield told(f"steps.{WHO_ALONE[step]}", who=who)


def understood(who: str, answer: ComprehensionAnswer, language: str) -> str:
    """One question of the comprehension test in short."""
    key = "steps.understood" if answer.right else "steps.misunderstood"
    return say(language, key, who=who, principle=number_of(answer.principle), tries=answer.tries)


def in_numbers(ranking: Ranking, language: str) -> str:
    """ "2, 3, 1, 4 (sure)"; or that it was defaulted."""
    if ranking.defaulted:
        return say(language, "steps.unranked")
    certainty = phrases("justice").say(language, f"certainties.{ranking.certainty}")
    order = ", ".join(str(number_of(each)) for each in ranking.order)
    return say(language, "steps.ranking", order=order, certainty=certainty)


def rule_in_short(rule: SharingRule, language: str) -> str:
    """ "principle 3 at 14,000"."""
    number, amount = number_of(rule.principle), rule.constraint_amount
    if amount is None:
        return say(language, "steps.rule", number=number)
    return say(language, "steps.rule_amount", number=number, amount=f"{amount:,}")


def applied(who: str, result: ApplicationResult, language: str) -> str:
    """One application in short."""
    values = {
        "rule": rule_in_short(result.choice.rule, language) if result.choice else say(language, "steps.no_choice"),
        "class": phrases("justice").say(language, f"classes.{result.assigned_class}"),
        "paid": dollars(result.payoff_cents),
    }
    return say(language, "steps.applied", who=who, round=result.round, **values)


def voted(who: str, answer: VoteAnswer, language: str) -> str:
    """What one answered, without what a secret ballot says."""
    given = {"principle": answer.principle, "amount": answer.amount}.get(answer.question, answer.yes)
    return say(language, f"votes.{answer.question}_{'yes' if given else 'no'}", who=who)


def counted(record: VotingRecord, language: str) -> str:
    """What came of a vote attempt."""
    if record.consensus:
        return say(language, "votes.adopted", rule=rule_in_short(record.consensus, language))
    return say(language, f"votes.{record.event}")
