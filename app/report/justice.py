"""Justice experiment: its phrases and money, its votes, and the applications of its first phase."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import load_phrases
from ...state.justice import (
    PRINCIPLES,
    QUESTION_COUNT,
    ComprehensionAnswer,
    SharingRule,
    VotingRecord,
    format_dollars,
    get_ballot_number,
)
from ...state.justice.result import JusticeResult, parse_justice_result
from ..protocols.justice.private_texts import collect_private_texts
from .blocks import MISSING, Facts, Figure, Fold, TableBlock, format_figure
from .page import Page
from .section import Block

WIDE_DOT = "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}"
"""Dot between two unbreakable spaces."""


def find_justice_result(document: Mapping[str, Any]) -> JusticeResult | None:
    """Return the experiment's result, or `None` for documents of other protocols."""
    return parse_justice_result(document) if "phase2" in document else None


def describe_condition(page: Page) -> str:
    """Describe differences from the default experiment, such as the frame; empty for other protocols."""
    settings = page.document["settings"]
    if page.document["protocol"] != "justice":
        return ""
    setting_values = (settings["wording"]["wording"], settings["wording"]["frame"], settings["voting"]["decision_rule"])
    phrase_keys = load_phrases("report").list_keys("conditions")
    return page.comma.join(page.get_label("conditions", value) for value in setting_values if value in phrase_keys)


def translate_justice_term(page: Page, section: str, key: str) -> str:
    """Return the phrase for a term of the experiment: a class, a principle or a certainty."""
    return load_phrases("justice").translate_phrase(page.language, f"{section}.{key}")


def build_principle_legend(page: Page) -> Facts:
    """Build the legend of the four principles by their numbers."""
    facts = [
        (str(get_ballot_number(principle)), translate_justice_term(page, "principles", principle))
        for principle in PRINCIPLES
    ]
    return Facts(facts, page.say("justice.legend"), is_legend=True)


def format_rule_short(rule: SharingRule | None) -> str:
    """Format a rule as `3 · $15,000` on one line; a dash for `None`."""
    if rule is None:
        return MISSING
    amount = "" if rule.constraint_amount is None else f"{WIDE_DOT}${rule.constraint_amount:,}"
    return f"{get_ballot_number(rule.principle)}{amount}"


def format_rule(page: Page, rule: SharingRule | None) -> str:
    """Format a rule as `3 · maximizing … · $15,000`; a dash for `None`."""
    if rule is None:
        return MISSING
    amount = "" if rule.constraint_amount is None else f" · ${rule.constraint_amount:,}"
    return f"{get_ballot_number(rule.principle)} · {translate_justice_term(page, 'principles', rule.principle)}{amount}"


def format_cents(cents: int | None) -> Figure:
    """Format an amount in cents as dollars."""
    if cents is None:
        return Figure(MISSING)
    return Figure(f"{'−' if cents < 0 else ''}${format_dollars(abs(cents))}")


def format_income(dollars: float, places: int = 0) -> Figure:
    """Format an income in dollars."""
    return Figure(f"${format_figure(dollars, places)}")


def format_yes_no(page: Page, flag: bool | None) -> str:
    """Return the phrase for yes or no; a dash for `None`."""
    return MISSING if flag is None else page.say("justice.yes" if flag else "justice.no")


def list_vote_attempts(page: Page) -> Sequence[Block]:
    """Return a table for each vote attempt: initiators, consents, ballots and result."""
    result = find_justice_result(page.document)
    if result is None or not result.phase2.voting_records:
        return []
    return [
        build_principle_legend(page),
        *(_build_attempt_table(page, result, record) for record in result.phase2.voting_records),
    ]


def _build_attempt_table(page: Page, result: JusticeResult, record: VotingRecord) -> TableBlock:
    names = {id: member.participant_name for id, member in result.phase1.items()}
    rows = [
        [
            name,
            format_yes_no(page, record.initiation_replies.get(id)),
            format_yes_no(page, record.confirmations.get(id)),
            format_rule_short(record.ballots.get(id)),
        ]
        for id, name in names.items()
    ]
    outcome = format_rule(page, record.consensus) if record.consensus else page.say("justice.no_consensus")
    event_label = page.get_label("vote_events", record.event)
    head = [page.say(f"justice.{column}") for column in ("who", "initiated", "confirmed", "ballot")]
    return TableBlock(page.say("justice.attempt", round=record.round, event=event_label, came=outcome), head, rows)


def list_applications(page: Page) -> Sequence[Block]:
    """Return presentation orders, comprehension answers, and paid applications of the first phase."""
    result = find_justice_result(page.document)
    if result is None:
        return []
    rows = [
        [
            member.participant_name,
            format_figure(application.round),
            format_rule_short(application.choice),
            application.distribution,
            translate_justice_term(page, "classes", application.assigned_class),
            format_income(application.income),
            format_cents(application.payoff_cents),
        ]
        for member in result.phase1.values()
        for application in member.application_results
    ]
    column_keys = ("who", "application", "choice", "distribution", "class", "income", "paid")
    head = [page.say(f"justice.{column}") for column in column_keys]
    tables = [TableBlock(page.say("justice.applications"), head, rows)] if rows else []
    blocks = [*_tabulate_presentation(page, result), *_tabulate_comprehension(page, result), *tables]
    return [build_principle_legend(page), *blocks] if blocks else []


def _tabulate_presentation(page: Page, result: JusticeResult) -> list[Block]:
    """Return a table of the orders in which participants learned the material, if these were balanced."""
    checks = result.config.checks
    if "counterbalanced" not in (checks.principle_order, checks.distribution_order):
        return []
    rows = [
        [member.participant_name, member.presentation.numbers, member.presentation.columns]
        for member in result.phase1.values()
    ]
    head = [page.say(f"justice.{column}") for column in ("who", "principles", "distributions")]
    return [TableBlock(page.say("justice.presentation"), head, rows)] if rows else []


def _tabulate_comprehension(page: Page, result: JusticeResult) -> list[Block]:
    """Return a table of the answers to the comprehension test, one row per participant."""
    rows = [
        [
            member.participant_name,
            *(_format_comprehension(page, member.comprehension, index) for index in range(QUESTION_COUNT)),
        ]
        for member in result.phase1.values()
        if member.comprehension
    ]
    head = [
        page.say("justice.who"),
        *(page.say("justice.question", number=number + 1) for number in range(QUESTION_COUNT)),
    ]
    return [TableBlock(page.say("justice.comprehension"), head, rows)] if rows else []


def _format_comprehension(page: Page, answers: Sequence[ComprehensionAnswer], index: int) -> str:
    if index >= len(answers):
        return MISSING
    answer = answers[index]
    return page.say(
        "justice.asked" if answer.right else "justice.wrong",
        number=get_ballot_number(answer.principle),
        tries=answer.tries,
    )


def list_private_folds(page: Page) -> Sequence[Block]:
    """Return each participant's texts that no other participant saw. Memories have a separate section."""
    if find_justice_result(page.document) is None:
        return []
    return [
        Fold(name, page.say("private.count", count=len(texts)), [f"{label}: {text}" for label, text in texts])
        for name, texts in collect_private_texts(page.document).items()
        if texts
    ]
