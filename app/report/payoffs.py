"""Payoffs of a justice experiment's group, and those under the other principles."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ...state.justice import DISTRIBUTION_IDS, INCOME_CLASSES, get_ballot_number
from ...state.justice.result import JusticeResult
from .blocks import Facts, Note, TableBlock, TableCell, format_figure
from .justice import (
    build_principle_legend,
    find_justice_result,
    format_cents,
    format_income,
    format_rule,
    format_yes_no,
    translate_justice_term,
)
from .page import Page
from .section import Block


def list_payoff_tables(page: Page) -> Sequence[Block]:
    """Return the drawn set, the chosen distribution, the payoffs, and those under each principle."""
    result = find_justice_result(page.document)
    if result is None or not result.phase2.payoffs:
        return []
    return [
        build_principle_legend(page),
        _build_set_table(page, result),
        _build_payoff_table(page, result),
        _build_alternative_table(page, result),
    ]


def summarize_justice_result(page: Page) -> Sequence[Block]:
    """Summarize an experiment: the rule in force, its payoffs, and its support at the end."""
    result = find_justice_result(page.document)
    if result is None or not result.phase2.payoffs:
        return []
    facts = [(page.say(f"justice.{key}"), value) for key, value in _list_key_figures(page, result) if value]
    return [Note(_describe_rule_in_force(page, result)), Facts(facts)]


def _list_key_figures(page: Page, result: JusticeResult) -> Iterator[tuple[str, str]]:
    group = result.phase2
    paid_cents = [payoff.payoff_cents for payoff in group.payoffs.values()]
    range_figures = {
        "mean": format_cents(round(fmean(paid_cents))),
        "low": format_cents(min(paid_cents)),
        "high": format_cents(max(paid_cents)),
    }
    yield "summary_paid", page.say("justice.paid_range", **range_figures)
    costs = [earnings.cost_cents for earnings in group.alternative_earnings.values()]
    if costs and any(costs):
        yield "forgone", page.say("justice.forgone_by", mean=format_cents(round(fmean(costs))))
    last_standing = result.measures.standings[-1] if result.measures.standings else None
    if last_standing and last_standing.counted and group.rule_in_force:
        first_places = last_standing.first_places.get(group.rule_in_force.principle, 0)
        yield "behind", page.say("justice.of", count=first_places, all=last_standing.counted)
    certainty_shift = result.measures.changes[-1].certainty_mean if result.measures.changes else None
    if certainty_shift is not None:
        yield "certainty_short", page.say("justice.levels", figure=format_figure(certainty_shift, 2, "+"))


def _describe_rule_in_force(page: Page, result: JusticeResult) -> str:
    group = result.phase2
    rule = format_rule(page, group.rule_in_force) if group.rule_in_force else page.say("justice.no_consensus")
    sentence = page.say("justice.in_force", rule=rule)
    flags = (("satisfied", group.constraint_satisfied), ("binding", group.binding), ("decisive", group.decisive))
    flag_sentences = [
        page.say(f"justice.{name}", answer=format_yes_no(page, flag)) for name, flag in flags if flag is not None
    ]
    return page.join_sentences(sentence, _describe_lot(page, result), *flag_sentences)


def _describe_lot(page: Page, result: JusticeResult) -> str:
    """Describe the random draw that replaces a missing rule; empty if the group adopted a rule."""
    voting = page.document["settings"]["voting"]
    if result.phase2.consensus_reached or voting["decision_rule"] == "imposed":
        return ""
    return page.say(f"lots.{voting['no_consensus_mode']}")


def _build_set_table(page: Page, result: JusticeResult) -> TableBlock:
    distribution_set = result.phase2.distribution_set
    assert distribution_set is not None  # payoffs on record imply a distribution set
    rows: list[list[TableCell]] = [
        [
            translate_justice_term(page, "classes", income_class),
            *(format_income(distribution.get_income(income_class)) for distribution in distribution_set.distributions),
        ]
        for income_class in INCOME_CLASSES
    ]
    rows.append([page.say("justice.average"), *(format_income(float(mean), 2) for mean in distribution_set.averages)])
    rows.append([page.say("justice.range"), *(format_income(income_range) for income_range in distribution_set.ranges)])
    chosen_ids = set(result.phase2.chosen_distribution.values())
    head = ["", *(f"{id} ✓" if id in chosen_ids else id for id in DISTRIBUTION_IDS)]
    return TableBlock(page.say("justice.set", multiplier=f"{distribution_set.multiplier:.4g}"), head, rows)


def _build_payoff_table(page: Page, result: JusticeResult) -> TableBlock:
    group = result.phase2
    rows: list[list[TableCell]] = [
        [
            member.participant_name,
            group.chosen_distribution[id],
            translate_justice_term(page, "classes", group.assigned_classes[id]),
            format_income(group.payoffs[id].income),
            format_cents(group.payoffs[id].payoff_cents),
            format_cents(member.total_earnings),
            format_cents(group.final_banks[id]),
        ]
        for id, member in result.phase1.items()
    ]
    columns = ("who", "distribution", "class", "income", "paid", "phase1", "bank")
    return TableBlock(page.say("justice.payoffs"), [page.say(f"justice.{column}") for column in columns], rows)


def _build_alternative_table(page: Page, result: JusticeResult) -> TableBlock:
    """Return each participant's payoffs in the same income class under each principle."""
    rows: list[list[TableCell]] = [
        [
            result.phase1[id].participant_name,
            *(format_cents(outcome.payoff_cents) for outcome in alternatives.outcomes),
            page.comma.join(str(get_ballot_number(principle)) for principle in alternatives.best),
            format_cents(alternatives.spread_cents),
            format_cents(alternatives.cost_cents),
        ]
        for id, alternatives in result.phase2.alternative_earnings.items()
    ]
    columns = ("who", "under_1", "under_2", "under_3", "under_4", "best", "spread", "cost")
    return TableBlock(page.say("justice.counterfactuals"), [page.say(f"justice.{column}") for column in columns], rows)
