"""Report sections of a justice experiment: overview, votes, Phase 1, and private texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ....prompts import load_phrases
from ....state.justice import (
    PRINCIPLES,
    QUESTION_COUNT,
    SharingRule,
    VotingRecord,
    format_dollars,
    get_ballot_number,
    parse_justice_result,
)
from ...report import (
    MISSING,
    Bar,
    BarChart,
    Block,
    BulletList,
    FactList,
    Figure,
    FoldedBlocks,
    Page,
    TableBlock,
    build_bar_chart,
    format_figure,
)
from .step_messages import translate_justice_phrase

SPACED_DOT = "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}"


def describe_condition(page: Page) -> str:
    """Return how the settings differ from the default experiment, in words, such as a loss frame."""
    settings = page.document["settings"]
    values = (settings["wording"]["wording"], settings["wording"]["frame"], settings["voting"]["decision_rule"])
    phrase_keys = load_phrases("report").list_keys("conditions")
    return page.comma.join(page.get_label("conditions", value) for value in values if value in phrase_keys)


def translate_term(page: Page, section: str, key: str) -> str:
    """Return the phrase for a term of the experiment, such as a class, a principle or a certainty."""
    return load_phrases("justice").translate_phrase(page.language, f"{section}.{key}")


def build_principle_legend(page: Page) -> FactList:
    """Build the report block that names the four principles by their numbers."""
    facts = [(str(get_ballot_number(key)), translate_term(page, "principles", key)) for key in PRINCIPLES]
    return FactList(facts, page.say("justice.legend"), is_legend=True)


def format_rule_short(rule: SharingRule | None) -> str:
    """Return a rule as `3 · $15,000`, without the principle's name; a dash for `None`."""
    if rule is None:
        return MISSING
    amount = "" if rule.constraint_amount is None else f"{SPACED_DOT}${rule.constraint_amount:,}"
    return f"{get_ballot_number(rule.principle)}{amount}"


def format_rule(page: Page, rule: SharingRule | None) -> str:
    """Return a rule as `3 · maximizing … · $15,000`.

    If `rule` is `None`, say that the group did not agree on a rule.
    """
    if rule is None:
        return page.say("justice.no_consensus")
    amount = "" if rule.constraint_amount is None else f" · ${rule.constraint_amount:,}"
    return f"{get_ballot_number(rule.principle)} · {translate_term(page, 'principles', rule.principle)}{amount}"


def format_cents(cents: int) -> Figure:
    """Format an amount in cents as dollars."""
    return Figure(f"{'−' if cents < 0 else ''}${format_dollars(abs(cents))}")


def format_income(dollars: float, places: int = 0) -> Figure:
    """Format an income in dollars."""
    return Figure(f"${format_figure(dollars, places)}")


def format_yes_no(page: Page, flag: bool | None) -> str:
    """Return the phrase for yes or no; a dash for `None`."""
    return MISSING if flag is None else page.say("justice.yes" if flag else "justice.no")


def list_vote_attempts(page: Page) -> Sequence[Block]:
    """Build a table for each vote: proposers, consents, ballots and result."""
    result, blocks = parse_justice_result(page.document), list[Block]()
    for record in result.phase2.voting_records:
        rows = [
            [
                member.participant_name,
                format_yes_no(page, record.initiation_replies.get(id)),
                format_yes_no(page, record.confirmations.get(id)),
                format_rule_short(record.ballots.get(id)),
            ]
            for id, member in result.phase1.items()
        ]
        event, outcome = page.get_label("vote_events", record.event), format_rule(page, record.consensus)
        title = page.say("justice.attempt", round=record.round, event=event, came=outcome)
        blocks.append(TableBlock(title, page.list_headings("justice", "who initiated confirmed ballot"), rows))
    return [build_principle_legend(page), *blocks] if blocks else []


def list_applications(page: Page) -> Sequence[Block]:
    """Build tables of Phase 1: presentation orders, comprehension answers, and paid applications.

    Presentation orders appear only if the settings balance them.
    """
    result = parse_justice_result(page.document)
    members, checks = list(result.phase1.values()), result.config.checks
    tables: list[tuple[str, Sequence[str], list[list[Any]]]] = []
    if "counterbalanced" in (checks.principle_order, checks.distribution_order):
        orders = [
            [member.participant_name, member.presentation.numbers, member.presentation.columns] for member in members
        ]
        tables.append(("presentation", page.list_headings("justice", "who principles distributions"), orders))
    numbers = range(QUESTION_COUNT)
    questions = [page.say("justice.question", number=number + 1) for number in numbers]
    answers = [
        [member.participant_name, *(_format_comprehension(page, member.comprehension[n : n + 1]) for n in numbers)]
        for member in members
        if member.comprehension
    ]
    tables.append(("comprehension", [page.say("justice.who"), *questions], answers))
    applications = [
        [
            member.participant_name,
            format_figure(application.round),
            format_rule_short(application.choice),
            application.distribution,
            translate_term(page, "classes", application.assigned_class),
            format_income(application.income),
            format_cents(application.payoff_cents),
        ]
        for member in members
        for application in member.application_results
    ]
    columns = page.list_headings("justice", "who application choice distribution class income paid")
    tables.append(("applications", columns, applications))
    blocks = [TableBlock(page.say(f"justice.{name}"), head, rows) for name, head, rows in tables if rows]
    return [build_principle_legend(page), *blocks] if blocks else []


def _format_comprehension(page: Page, answers: Sequence[Any]) -> str:
    for answer in answers:
        key = "justice.asked" if answer.right else "justice.wrong"
        return page.say(key, number=get_ballot_number(answer.principle), attempts=answer.attempts)
    return MISSING


def collect_private_texts(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Return each participant's private texts by name: comment, reasons of choices, private reasoning.

    Each text is a pair of label and text.
    """
    result, texts_by_name = parse_justice_result(document), dict[str, list[tuple[str, str]]]()
    label = partial(translate_justice_phrase, result.config.language)
    for id, phase1 in result.phase1.items():
        texts = [
            (label("private.comment"), phase1.principle_explanation),
            *(
                (label("private.reason", round=application.round), application.choice.reasoning)
                for application in phase1.application_results
                if application.choice
            ),
            *(
                (label("private.thought", round=thought.round), thought.text)
                for thought in result.phase2.private_reasonings
                if thought.participant == id
            ),
        ]
        texts_by_name[phase1.participant_name] = [labeled_text for labeled_text in texts if labeled_text[1]]
    return texts_by_name


def collect_texts_with_memories(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Return each participant's private texts by name, with its memory at the end.

    Each text is a pair of label and text.
    """
    texts, label = collect_private_texts(document), translate_justice_phrase(document["language"], "private.memory")
    for name, lines in document["memory"].items():
        texts.setdefault(name, []).extend([(label, "\n".join(lines))] if lines else [])
    return texts


def list_private_folds(page: Page) -> Sequence[Block]:
    """Build a folded block with each participant's private texts. Memories have a separate section."""
    return [
        FoldedBlocks(
            name,
            [BulletList([f"{label}: {text}" for label, text in texts])],
            count=page.say("private.count", count=len(texts)),
        )
        for name, texts in collect_private_texts(page.document).items()
        if texts
    ]


def build_vote_chart(page: Page) -> list[BarChart]:
    """Build the chart of the ballots in the last vote, by rule, as a list; empty without a vote."""
    records = [record for record in parse_justice_result(page.document).phase2.voting_records if record.ballots]
    return [_build_ballot_chart(page, records[-1])] if records else []


def build_round_charts(page: Page, number: int) -> list[BarChart]:
    """Build a chart of the ballots in each vote of one round, by rule.

    `number`: number of the round.
    """
    records = parse_justice_result(page.document).phase2.voting_records
    return [_build_ballot_chart(page, record) for record in records if record.round == number and record.ballots]


def _build_ballot_chart(page: Page, record: VotingRecord) -> BarChart:
    rules = {format_rule_short(ballot): ballot for ballot in record.ballots.values()}
    counts = Counter(format_rule_short(ballot) for ballot in record.ballots.values())
    adopted_rule = format_rule_short(record.consensus) if record.consensus else ""
    bars = [
        Bar(
            sign,
            translate_term(page, "principles", rule.principle) if (rule := rules[sign]) else page.say("glance.left"),
            count,
            sign == adopted_rule,
        )
        for sign, count in counts.most_common()
    ]
    return build_bar_chart(page.say("glance.group_ballots", round=record.round), "", bars)


def find_agreement_round(document: Any) -> int:
    """Return the round in which the group adopted a rule, or 0."""
    return next((int(record["round"]) for record in document["phase2"]["voting_records"] if record["consensus"]), 0)
