"""Messages about the steps of a justice experiment, one line each, in the run's language."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ....prompts import get_term, load_phrases
from ....state.justice import Ranking, SharingRule, format_dollars, get_ballot_number

NAME_ONLY_STEPS = {"remember_rule": "adoption", "pay": "pay", "remember_results": "results"}
"""Steps that a message describes by the participant's name only."""


def translate_justice_phrase(language: str, key: str, /, **values: object) -> str:
    """Return a phrase about a justice experiment, filled with `values`."""
    return load_phrases("experiment").translate_phrase(language, key, **values)


def describe_step(step: str, update: Mapping[str, Any], language: str) -> Iterator[str]:
    """Yield lines about what a step did. They do not reveal secret ballots.

    `update`: channel values that the step wrote.
    """
    calls, translate = update.get("calls") or [], partial(translate_justice_phrase, language)
    name = calls[-1].who if calls else ""
    for ranking in [*(update.get("rankings") or {}).values(), *(update.get("last_rankings") or {}).values()]:
        yield translate(
            "steps.ranked", who=name, stage=translate(f"stages.{step}"), ranking=format_ranking(ranking, language)
        )
    for answer in update.get("comprehension") or []:
        key = "steps.understood" if answer.right else "steps.misunderstood"
        yield translate(key, who=name, principle=get_ballot_number(answer.principle), attempts=answer.attempts)
    if step == "explanation" and "comment" in update:
        yield translate("steps.studied", who=name)
    for result in update.get("applications") or []:
        values = {
            "rule": format_rule(result.choice.rule, language) if result.choice else translate("steps.no_choice"),
            "class": load_phrases("justice").translate_phrase(language, f"classes.{result.assigned_class}"),
            "paid": format_dollars(result.payoff_cents),
        }
        yield translate("steps.applied", who=name, round=result.round, **values)
    if update.get("orders"):
        yield translate(
            "steps.round", round=update["round"], order=get_term(language, "lists", "comma").join(update["floor"])
        )
    for answer in update.get("answers") or []:
        has_answer = {"principle": answer.principle, "amount": answer.amount}.get(answer.question, answer.yes)
        yield translate(f"votes.{answer.question}_{'yes' if has_answer else 'no'}", who=name)
    for record in update.get("votes") or []:
        adopted_rule = format_rule(record.consensus, language) if record.consensus else ""
        yield translate("votes.adopted", rule=adopted_rule) if adopted_rule else translate(f"votes.{record.event}")
    if step in NAME_ONLY_STEPS:
        yield translate(f"steps.{NAME_ONLY_STEPS[step]}", who=name)


def format_ranking(ranking: Ranking, language: str) -> str:
    """Return a ranking as text, such as "2, 3, 1, 4 (sure)", or say that it is the default."""
    if ranking.defaulted:
        return translate_justice_phrase(language, "steps.unranked")
    certainty = load_phrases("justice").translate_phrase(language, f"certainties.{ranking.certainty}")
    ballot_numbers = ", ".join(str(get_ballot_number(principle)) for principle in ranking.order)
    return translate_justice_phrase(language, "steps.ranking", order=ballot_numbers, certainty=certainty)


def format_rule(rule: SharingRule, language: str) -> str:
    """Return a rule as text, such as "principle 3 at 14,000"."""
    number, amount = get_ballot_number(rule.principle), rule.constraint_amount
    if amount is None:
        return translate_justice_phrase(language, "steps.rule", number=number)
    return translate_justice_phrase(language, "steps.rule_amount", number=number, amount=f"{amount:,}")
