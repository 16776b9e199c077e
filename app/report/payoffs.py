"""How a justice experiment's group was paid, and what other principles would have paid."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ...state.justice import DISTRIBUTION_IDS, INCOME_CLASSES, number_of
from ...state.justice.result import JusticeResult
from .blocks import Cell, Facts, Note, Table, figure
from .experiment import income, justice_word, money, principles, result_of, rule_in_words, yes_or_no
from .page import Page
from .section import Block


def payoffs(page: Page) -> Sequence[Block]:
    """The set that was drawn, what the rule chose, and who was paid what; under each principle what would have been."""
    result = result_of(page.document)
    if result is None or not result.phase2.payoffs:
        return []
    return [principles(page), _set(page, result), _paid(page, result), _instead(page, result)]


def result(page: Page) -> Sequence[Block]:
    """An experiment in short: the rule in force, what it paid, and how many stood behind it at the end."""
    found = result_of(page.document)
    if found is None or not found.phase2.payoffs:
        return []
    facts = [(page.say(f"justice.{key}"), value) for key, value in _in_short(page, found) if value]
    return [Note(_in_force(page, found)), Facts(facts)]


def _in_short(page: Page, found: JusticeResult) -> Iterator[tuple[str, str]]:
    group = found.phase2
    paid = [one.payoff_cents for one in group.payoffs.values()]
    spread = {"mean": money(round(fmean(paid))), "low": money(min(paid)), "high": money(max(paid))}
    yield "summary_paid", page.say("justice.paid_range", **spread)
    costs = [one.cost_cents for one in group.alternative_earnings.values()]
    if costs and any(costs):
        yield "forgone", page.say("justice.forgone_by", mean=money(round(fmean(costs))))
    last = found.measures.standings[-1] if found.measures.standings else None
    if last and last.counted and group.rule_in_force:
        first = last.first_places.get(group.rule_in_force.principle, 0)
        yield "behind", page.say("justice.of", count=first, all=last.counted)
    shift = found.measures.changes[-1].certainty_mean if found.measures.changes else None
    if shift is not None:
        yield "certainty_short", page.say("justice.levels", figure=figure(shift, 2, "+"))


def _in_force(page: Page, result: JusticeResult) -> str:
    group = result.phase2
    rule = rule_in_words(page, group.rule_in_force) if group.rule_in_force else page.say("justice.no_consensus")
    told = page.say("justice.in_force", rule=rule)
    flags = (("satisfied", group.constraint_satisfied), ("binding", group.binding), ("decisive", group.decisive))
    said = [page.say(f"justice.{name}", answer=yes_or_no(page, flag)) for name, flag in flags if flag is not None]
    return page.joined(told, _lot(page, result), *said)


def _lot(page: Page, result: JusticeResult) -> str:
    """What was drawn by lot because no rule was adopted."""
    voting = page.document["rules"]["voting"]
    if result.phase2.consensus_reached or voting["decision_rule"] == "imposed":
        return ""
    return page.say(f"lots.{voting['no_consensus_mode']}")


def _set(page: Page, result: JusticeResult) -> Table:
    table = result.phase2.distribution_set
    assert table is not None  # a settlement has one
    rows: list[list[Cell]] = [
        [justice_word(page, "classes", one), *(income(each.income(one)) for each in table.distributions)]
        for one in INCOME_CLASSES
    ]
    rows.append([page.say("justice.average"), *(income(float(mean), 2) for mean in table.averages)])
    rows.append([page.say("justice.range"), *(income(each) for each in table.ranges)])
    chosen = set(result.phase2.chosen_distribution.values())
    head = ["", *(f"{each} ✓" if each in chosen else each for each in DISTRIBUTION_IDS)]
    return Table(page.say("justice.set", multiplier=f"{table.multiplier:.4g}"), head, rows)


def _paid(page: Page, result: JusticeResult) -> Table:
    group = result.phase2
    rows: list[list[Cell]] = [
        [
            alone.participant_name,
            group.chosen_distribution[id],
            justice_word(page, "classes", group.assigned_classes[id]),
            income(group.payoffs[id].income),
            money(group.payoffs[id].payoff_cents),
            money(alone.total_earnings),
            money(group.final_banks[id]),
        ]
        for id, alone in result.phase1.items()
    ]
    columns = ("who", "distribution", "class", "income", "paid", "phase1", "bank")
    return Table(page.say("justice.payoffs"), [page.say(f"justice.{one}") for one in columns], rows)


def _instead(page: Page, result: JusticeResult) -> Table:
    """What the same class would have been paid under each principle."""
    rows: list[list[Cell]] = [
        [
            result.phase1[id].participant_name,
            *(money(each.payoff_cents) for each in others.outcomes),
            page.comma.join(str(number_of(each)) for each in others.best),
            money(others.spread_cents),
            money(others.cost_cents),
        ]
        for id, others in result.phase2.alternative_earnings.items()
    ]
    columns = ("who", "under_1", "under_2", "under_3", "under_4", "best", "spread", "cost")
    return Table(page.say("justice.counterfactuals"), [page.say(f"justice.{one}") for one in columns], rows)
