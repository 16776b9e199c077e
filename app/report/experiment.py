"""A justice experiment in its own words and money; its votes, and the applications of its first phase."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import phrases
from ...state.justice import PRINCIPLES, QUESTIONS, ComprehensionAnswer, SharingRule, VotingRecord, dollars, number_of
from ...state.justice.result import JusticeResult, result_in
from ..justice.private import private_texts
from .blocks import NONE, Facts, Figure, Fold, Table, figure
from .page import Page
from .section import Block

APART = "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}"


def result_of(document: Mapping[str, Any]) -> JusticeResult | None:
    """The experiment's result; none in the documents of other protocols."""
    return result_in(document) if "phase2" in document else None


def condition(page: Page) -> str:
    """What differs from the default experiment, such as its frame; empty for the default and for other protocols."""
    rules = page.document["rules"]
    if page.document["protocol"] != "justice":
        return ""
    chosen = (rules["wording"]["wording"], rules["wording"]["frame"], rules["voting"]["decision_rule"])
    known = phrases("report").keys("conditions")
    return page.comma.join(page.word("conditions", one) for one in chosen if one in known)


def justice_word(page: Page, section: str, key: str) -> str:
    """A word of the experiment: a class, a principle, a certainty."""
    return phrases("justice").say(page.language, f"{section}.{key}")


def principles(page: Page) -> Facts:
    """The four principles by their numbers."""
    named = [(str(number_of(one)), justice_word(page, "principles", one)) for one in PRINCIPLES]
    return Facts(named, page.say("justice.legend"), key=True)


def rule_in_short(rule: SharingRule | None) -> str:
    """`3 · $15,000` on one line; a dash for none."""
    if rule is None:
        return NONE
    amount = "" if rule.constraint_amount is None else f"{APART}${rule.constraint_amount:,}"
    return f"{number_of(rule.principle)}{amount}"


def rule_in_words(page: Page, rule: SharingRule | None) -> str:
    """`3 · maximizing … · $15,000`; a dash for none."""
    if rule is None:
        return NONE
    amount = "" if rule.constraint_amount is None else f" · ${rule.constraint_amount:,}"
    return f"{number_of(rule.principle)} · {justice_word(page, 'principles', rule.principle)}{amount}"


def money(cents: int | None) -> Figure:
    """Cents as dollars."""
    if cents is None:
        return Figure(NONE)
    return Figure(f"{'−' if cents < 0 else ''}${dollars(abs(cents))}")


def income(dollars: float, places: int = 0) -> Figure:
    """An income, in dollars, as dollars."""
    return Figure(f"${figure(dollars, places)}")


def yes_or_no(page: Page, flag: bool | None) -> str:
    """The answer; a dash for none."""
    return NONE if flag is None else page.say("justice.yes" if flag else "justice.no")


def ballots(page: Page) -> Sequence[Block]:
    """Every vote attempt: who wanted it, who consented, what was cast, what came of it."""
    result = result_of(page.document)
    if result is None or not result.phase2.voting_records:
        return []
    return [principles(page), *(_attempt(page, result, one) for one in result.phase2.voting_records)]


def _attempt(page: Page, result: JusticeResult, record: VotingRecord) -> Table:
    names = {id: one.participant_name for id, one in result.phase1.items()}
    rows = [
        [
            name,
            yes_or_no(page, record.initiation_replies.get(id)),
            yes_or_no(page, record.confirmations.get(id)),
            rule_in_short(record.ballots.get(id)),
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
            rule_in_short(one.choice),
            one.distribution,
            justice_word(page, "classes", one.assigned_class),
            income(one.income),
            money(one.payoff_cents),
        ]
        for alone in result.phase1.values()
        for one in alone.application_results
    ]
    columns = ("who", "application", "choice", "distribution", "class", "income", "paid")
    head = [page.say(f"justice.{one}") for one in columns]
    made = [Table(page.say("justice.applications"), head, rows)] if rows else []
    found = [*_presentation(page, result), *_comprehension(page, result), *made]
    return [principles(page), *found] if found else []


def _presentation(page: Page, result: JusticeResult) -> list[Block]:
    """In which order everyone was told of principles and distributions, where that was balanced."""
    checks = result.config.checks
    if "counterbalanced" not in (checks.principle_order, checks.distribution_order):
        return []
    rows = [
        [alone.participant_name, alone.presentation.numbers, alone.presentation.columns]
        for alone in result.phase1.values()
    ]
    head = [page.say(f"justice.{one}") for one in ("who", "principles", "distributions")]
    return [Table(page.say("justice.presentation"), head, rows)] if rows else []


def _comprehension(page: Page, result: JusticeResult) -> list[Block]:
    """How often everyone was asked each question of the comprehension test."""
    rows = [
        [alone.participant_name, *(_answered(page, alone.comprehension, place) for place in range(QUESTIONS))]
        for alone in result.phase1.values()
        if alone.comprehension
    ]
    head = [page.say("justice.who"), *(page.say("justice.question", number=one + 1) for one in range(QUESTIONS))]
    return [Table(page.say("justice.comprehension"), head, rows)] if rows else []


def _answered(page: Page, answers: Sequence[ComprehensionAnswer], place: int) -> str:
    if place >= len(answers):
        return NONE
    one = answers[place]
    return page.say("justice.asked" if one.right else "justice.wrong", number=number_of(one.principle), tries=one.tries)


def private(page: Page) -> Sequence[Block]:
    """What each wrote that no other participant was shown; memories have a section of their own."""
    if result_of(page.document) is None:
        return []
    return [
        Fold(name, page.say("private.count", count=len(texts)), [f"{what}: {text}" for what, text in texts])
        for name, texts in private_texts(page.document).items()
        if texts
    ]
