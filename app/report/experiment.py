"""A justice experiment's own sections: what was agreed, payoffs with their counterfactuals, votes, applications."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import phrases
from ...state.adoption import VotingRecord
from ...state.income import DISTRIBUTION_IDS, INCOME_CLASSES
from ...state.justice_report import JusticeResult
from ...state.payoff import dollars
from ...state.principle import SharingRule, number_of
from .blocks import NONE, Cell, Figure, Note, Table, figure
from .page import Page
from .section import Block


def result_of(document: Mapping[str, Any]) -> JusticeResult | None:
    """The experiment's result; none in the documents of other protocols."""
    if "phase2" not in document:
        return None
    return JusticeResult.model_validate({key: document[key] for key in JusticeResult.model_fields})


def justice_word(page: Page, section: str, key: str) -> str:
    """A word of the experiment: a class, a principle, a certainty."""
    return phrases("justice").say(page.language, f"{section}.{key}")


def rule_in_words(page: Page, rule: SharingRule | None) -> str:
    """`3 · maximizing … · 15,000`; a dash for none."""
    if rule is None:
        return NONE
    amount = "" if rule.constraint_amount is None else f" · {rule.constraint_amount:,}"
    return f"{number_of(rule.principle)} · {justice_word(page, 'principles', rule.principle)}{amount}"


def money(cents: int | None) -> Figure:
    """Cents as dollars."""
    return Figure(NONE if cents is None else f"${dollars(cents)}")


def payoffs(page: Page) -> Sequence[Block]:
    """The set that was drawn, what the rule chose, and who was paid what; under each principle what would have been."""
    result = result_of(page.document)
    if result is None or not result.phase2.payoffs:
        return []
    return [Note(_in_force(page, result)), _set(page, result), _paid(page, result)]


def _in_force(page: Page, result: JusticeResult) -> str:
    group = result.phase2
    told = page.say("justice.in_force", rule=rule_in_words(page, group.rule_in_force))
    flags = (("satisfied", group.constraint_satisfied), ("binding", group.binding), ("decisive", group.decisive))
    said = [page.say(f"justice.{name}", answer=_yes(page, flag)) for name, flag in flags if flag is not None]
    return " ".join([told, *said])


def _yes(page: Page, flag: bool | None) -> str:
    return NONE if flag is None else page.say("justice.yes" if flag else "justice.no")


def _set(page: Page, result: JusticeResult) -> Table:
    table = result.phase2.distribution_set
    assert table is not None  # a settlement has one
    rows: list[list[Cell]] = [
        [justice_word(page, "classes", one), *(figure(each.income(one)) for each in table.distributions)]
        for one in INCOME_CLASSES
    ]
    rows.append([page.say("justice.average"), *(figure(float(mean), 1) for mean in table.averages)])
    rows.append([page.say("justice.range"), *(figure(each) for each in table.ranges)])
    chosen = set(result.phase2.chosen_distribution.values())
    head = ["", *(f"{each} ✓" if each in chosen else each for each in DISTRIBUTION_IDS)]
    return Table(page.say("justice.set", multiplier=f"{table.multiplier:.4g}"), head, rows)


def _paid(page: Page, result: JusticeResult) -> Table:
    columns = ("who", "distribution", "class", "income", "paid", "under_1", "under_2", "under_3", "under_4")
    head = [page.say(f"justice.{one}") for one in (*columns, "best", "cost", "phase1", "bank")]
    return Table(page.say("justice.payoffs"), head, [_payoff(page, result, id) for id in result.phase2.payoffs])


def _payoff(page: Page, result: JusticeResult, id: str) -> list[Cell]:
    group, alone = result.phase2, result.phase1[id]
    others = group.alternative_earnings[id]
    return [
        alone.participant_name,
        group.chosen_distribution[id],
        justice_word(page, "classes", group.assigned_classes[id]),
        figure(group.payoffs[id].income),
        money(group.payoffs[id].payoff_cents),
        *(money(each.payoff_cents) for each in others.outcomes),
        ", ".join(str(number_of(each)) for each in others.best),
        money(others.cost_cents),
        money(alone.total_earnings),
        money(group.final_banks[id]),
    ]


def ballots(page: Page) -> Sequence[Block]:
    """Every vote attempt: who wanted it, who consented, what was cast, what came of it."""
    result = result_of(page.document)
    if result is None or not result.phase2.voting_records:
        return []
    return [_attempt(page, result, one) for one in result.phase2.voting_records]


def _attempt(page: Page, result: JusticeResult, record: VotingRecord) -> Table:
    names = {id: one.participant_name for id, one in result.phase1.items()}
    rows = [
        [
            name,
            _yes(page, record.initiation_replies.get(id)),
            _yes(page, record.confirmations.get(id)),
            rule_in_words(page, record.ballots.get(id)),
        ]
        for id, name in names.items()
    ]
    came = rule_in_words(page, record.consensus) if record.consensus else page.say("justice.no_consensus")
    event = page.word("vote_events", record.event)
    head = [page.say(f"justice.{one}") for one in ("who", "initiated", "confirmed", "ballot")]
    return Table(page.say("justice.attempt", round=record.round, event=event, came=came), head, rows)


def applications(page: Page) -> Sequence[Block]:
    """The paid applications of the first phase."""
    result = result_of(page.document)
    if result is None:
        return []
    rows = [
        [
            alone.participant_name,
            figure(one.round),
            rule_in_words(page, one.choice),
            one.distribution,
            justice_word(page, "classes", one.assigned_class),
            figure(one.income),
            money(one.payoff_cents),
        ]
        for alone in result.phase1.values()
        for one in alone.application_results
    ]
    columns = ("who", "application", "choice", "distribution", "class", "income", "paid")
    return (
        [Table(page.say("justice.applications"), [page.say(f"justice.{one}") for one in columns], rows)] if rows else []
    )
