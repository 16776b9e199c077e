"""Payoffs of the group in a justice experiment, and the payoffs that other principles would bring."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ....state.justice import DISTRIBUTION_IDS, INCOME_CLASSES, JusticeResult, get_ballot_number, parse_justice_result
from ...report import (
    Block,
    FactList,
    Mark,
    MarkRow,
    Page,
    Paragraph,
    TableBlock,
    TableCell,
    build_mark_chart,
    format_figure,
)
from .report import (
    build_principle_legend,
    format_cents,
    format_income,
    format_rule,
    format_rule_short,
    format_yes_no,
    translate_term,
)


def build_payoff_chart(page: Page) -> Sequence[Block]:
    """Build the chart of the group's payoffs; empty without payoffs.

    It has a row for each member, with the payoff and a tick for each principle.
    """
    result = parse_justice_result(page.document)
    rows = []
    for id, alternatives in result.phase2.alternative_earnings.items():
        paid_cents = result.phase2.payoffs[id].payoff_cents
        other_cents = [outcome.payoff_cents for outcome in alternatives.outcomes]
        marks = [Mark("range", min(*other_cents, paid_cents) / 100, max(*other_cents, paid_cents) / 100)]
        marks += [Mark("tick", cents / 100) for cents in other_cents]
        name = result.phase1[id].participant_name
        income_class = translate_term(page, "classes", result.phase2.assigned_classes[id])
        rows.append(MarkRow(name, income_class, [*marks, Mark("dot", paid_cents / 100)]))
    if not rows:
        return []
    paid = [payoff.payoff_cents for payoff in result.phase2.payoffs.values()]
    values = {"low": format_cents(min(paid)), "high": format_cents(max(paid))}
    title = page.say("justice.range_paid", rule=format_rule_short(result.phase2.rule_in_force), **values)
    return [build_mark_chart(title, (page.say("justice.range_note"), page.say("justice.axis")), rows, row_height=36)]


def list_payoff_tables(page: Page) -> Sequence[Block]:
    """Build tables of the drawn set, the selected distribution, and the payoffs under each principle."""
    result, tables = parse_justice_result(page.document), build_payoff_tables(page)
    if not tables:
        return []
    drawn_set = result.phase2.distribution_set
    assert drawn_set is not None  # payoffs on record imply a distribution set
    rows: list[list[TableCell]] = [
        [
            translate_term(page, "classes", income_class),
            *(format_income(distribution.get_income(income_class)) for distribution in drawn_set.distributions),
        ]
        for income_class in INCOME_CLASSES
    ]
    rows += [
        [page.say("justice.average"), *(format_income(float(mean), 2) for mean in drawn_set.averages)],
        [page.say("justice.range"), *map(format_income, drawn_set.ranges)],
    ]
    chosen_ids = set(result.phase2.chosen_distribution.values())
    head = ["", *(f"{id} ✓" if id in chosen_ids else id for id in DISTRIBUTION_IDS)]
    set_title = page.say("justice.set", multiplier=f"{drawn_set.multiplier:.4g}")
    return [build_principle_legend(page), TableBlock(set_title, head, rows), *tables]


def build_payoff_tables(page: Page) -> list[TableBlock]:
    """Build tables of each member's payoff and of what each principle would have paid.

    The list is empty before the payment.
    """
    result = parse_justice_result(page.document)
    group, members = result.phase2, result.phase1
    if not group.payoffs:
        return []
    payoff_rows: list[list[TableCell]] = [
        [
            member.participant_name,
            group.chosen_distribution[id],
            translate_term(page, "classes", group.assigned_classes[id]),
            format_income(group.payoffs[id].income),
            format_cents(group.payoffs[id].payoff_cents),
            format_cents(member.total_earnings),
            format_cents(group.final_earnings[id]),
        ]
        for id, member in members.items()
    ]
    # payoffs in the same income class under each principle
    alternative_rows: list[list[TableCell]] = [
        [
            members[id].participant_name,
            *(format_cents(outcome.payoff_cents) for outcome in alternatives.outcomes),
            page.comma.join(str(get_ballot_number(principle)) for principle in alternatives.best),
            format_cents(alternatives.spread_cents),
            format_cents(alternatives.cost_cents),
        ]
        for id, alternatives in group.alternative_earnings.items()
    ]
    sums = [
        sum(payoff.payoff_cents for payoff in group.payoffs.values()),
        sum(member.total_earnings for member in members.values()),
        sum(group.final_earnings.values()),
    ]
    total = [page.say("cost.total"), "", "", "", *map(format_cents, sums)]
    payoff_head = page.list_headings("justice", "who distribution class income paid phase1 bank")
    alternative_head = page.list_headings("justice", "who under_1 under_2 under_3 under_4 best spread cost")
    return [
        TableBlock(page.say("justice.payoffs"), payoff_head, payoff_rows, total),
        TableBlock(page.say("justice.counterfactuals"), alternative_head, alternative_rows),
    ]


def summarize_result(page: Page) -> Sequence[Block]:
    """Return report blocks that summarize an experiment: the applied rule, the payoffs, and its support.

    The list is empty before the payment.
    """
    result = parse_justice_result(page.document)
    group, voting = result.phase2, page.document["settings"]["voting"]
    if not group.payoffs:
        return []
    sentences = [page.say("justice.in_force", rule=format_rule(page, group.rule_in_force))]
    if not group.consensus_reached and voting["decision_rule"] != "imposed":
        sentences.append(page.say(f"lots.{voting['no_consensus_mode']}"))  # a draw replaced the missing rule
    flags = {"satisfied": group.constraint_satisfied, "binding": group.binding, "decisive": group.decisive}
    sentences += [
        page.say(f"justice.{name}", answer=format_yes_no(page, flag))
        for name, flag in flags.items()
        if flag is not None
    ]
    return [
        Paragraph(page.join_sentences(*sentences)),
        FactList([(page.say(f"justice.{key}"), value) for key, value in _list_key_figures(page, result) if value]),
    ]


def _list_key_figures(page: Page, result: JusticeResult) -> Iterator[tuple[str, str]]:
    group = result.phase2
    paid_cents = [payoff.payoff_cents for payoff in group.payoffs.values()]
    paid_figures = {"mean": round(fmean(paid_cents)), "low": min(paid_cents), "high": max(paid_cents)}
    cells = {name: format_cents(cents) for name, cents in paid_figures.items()}
    yield "summary_paid", page.say("justice.paid_range", **cells)
    costs = [earnings.cost_cents for earnings in group.alternative_earnings.values()]
    if any(costs):
        yield "forgone", page.say("justice.forgone_by", mean=format_cents(round(fmean(costs))))
    last_standing = result.measures.standings[-1] if result.measures.standings else None
    if last_standing and last_standing.counted and group.rule_in_force:
        first_places = last_standing.first_places.get(group.rule_in_force.principle, 0)
        yield "behind", page.say("justice.of", count=first_places, all=last_standing.counted)
    certainty_shift = result.measures.changes[-1].certainty_mean if result.measures.changes else None
    if certainty_shift is not None:
        yield "certainty_short", page.say("justice.levels", figure=format_figure(certainty_shift, 2, "+"))
