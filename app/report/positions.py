"""Positions of the participants in a report: agreement as a chart, declared positions as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.consensus import AgreementScore, list_position_changes
from ...state.positions import Position
from ..display import list_drafts, shorten_text, translate_answer, translate_display_phrase
from .blocks import MISSING, Bar, BarChart, Block, Figure, FoldedBlocks, Paragraph, TableBlock, format_figure
from .chart import Axes, build_bar_chart, build_line_chart
from .page import Page

ROUNDS_PER_SHEET = 8
"""Maximum rounds side by side in a table."""


def list_position_tables(page: Page) -> Sequence[Block]:
    """Build tables of the agreement scores, of the answers at each moment, and of the declared positions."""
    agreement_scores, positions = page.document.get("agreements") or [], page.document.get("positions") or []
    blocks: list[Block] = [*_build_score_tables(page, agreement_scores)] if agreement_scores else []
    moments = list_answer_moments(page)
    for start in range(0, len(moments), ROUNDS_PER_SHEET):
        part = moments[start : start + ROUNDS_PER_SHEET]
        rows = [
            [name, *(_format_certain_answer(page, moment.answers.get(name)) for moment in part)] for name in page.seats
        ]
        blocks.append(TableBlock(page.say("glance.by_round"), ["", *(moment.when for moment in part)], rows))
    if any(position.get("agreement") is not None for position in positions):
        declarations = [
            [
                position["who"],
                format_figure(position["round"]),
                position["position"] or MISSING,
                format_figure(position["agreement"], 2),
                position["objection"] or MISSING,
                position["changed_by"] or MISSING,
            ]
            for position in positions
        ]
        title, head = page.say("stands.declared"), "who round position agreement objection changed_by"
        blocks.append(FoldedBlocks(title, [TableBlock(title, page.list_headings("stands", head), declarations)]))
    return blocks


@dataclass(frozen=True)
class AnswerMoment:
    """Answers of all participants at one moment, by participant.

    `round`: 0 before the deliberation. `when`, `title`: name of the moment, in a table and as a heading.
    """

    round: int
    when: str
    title: str
    answers: Mapping[str, Mapping[str, Any]]


def list_answer_moments(page: Page) -> list[AnswerMoment]:
    """Return the moments at which participants gave answers, in order."""
    answers_by_turn: dict[int, dict[str, Mapping[str, Any]]] = {}
    for entry in page.document.get("positions") or []:
        if entry.get("answer") and entry["who"] in page.seats:
            answers_by_turn.setdefault(entry["turn"], {})[entry["who"]] = entry
    moments = []
    for _, answers in sorted(answers_by_turn.items()):
        first_entry = next(iter(answers.values()))
        when = page.say(f"glance.{first_entry['when']}", round=first_entry["round"])
        moments.append(AnswerMoment(first_entry["round"], when, page.say("glance.positions", when=when), answers))
    return moments


def _format_certain_answer(page: Page, entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return MISSING
    certainty = "" if entry["certainty"] is None else f" ({entry['certainty']:.0f})"
    return f"{translate_answer(entry['answer'], entry['unit'], page.language)}{certainty}"


def find_agreement_threshold(page: Page) -> float | None:
    """Return the run's agreement threshold, 0 to 1, or `None` if its protocol has no threshold."""
    threshold = page.document["settings"].get("agreement_threshold")
    return None if threshold is None else float(threshold)


def build_agreement_chart(page: Page) -> list[Block]:
    """Build a chart of the agreement after each round, as a list.

    Without measured agreement, it shows which members accept the shared position; without answers to a draft, the list
    is empty. Similarity of words is left out, because it is no agreement.
    """
    agreement_scores = page.document.get("agreements") or []
    if not agreement_scores or agreement_scores[-1]["measure"] == "lexical":
        return _build_acceptance_chart(page)
    if len(agreement_scores) == 1:
        return [_build_agreement_bars(page, agreement_scores[0])]
    rounds, last = [str(agreement["round"]) for agreement in agreement_scores], agreement_scores[-1]
    axes = Axes(rounds, page.say("stands.round"), 0, 1, find_agreement_threshold(page))
    series = {name: [agreement["scores"].get(name) for agreement in agreement_scores] for name in page.seats}
    mean = page.say("stands.mean")
    series[mean] = [agreement["score"] for agreement in agreement_scores]
    first_score, score = (format_figure(agreement["score"], 2) for agreement in (agreement_scores[0], last))
    lowest = min(last["scores"], key=last["scores"].get, default=MISSING)
    title = page.say("stands.chart", first=first_score, last=score, who=lowest)
    description = page.say("stands.about", count=len(agreement_scores), score=score, round=last["round"])
    return [build_line_chart(title, description, axes, series, strong=mean)]


def _build_acceptance_chart(page: Page) -> list[Block]:
    drafts = page.document.get("drafts") or []
    answers = [entry for entry in page.document.get("confirmations") or [] if entry["draft"] == len(drafts)]
    bars = [Bar("", entry["who"], entry["accepts"], entry["accepts"], entry["reason"] or " ") for entry in answers]
    title = page.say("stands.accept", count=sum(entry["accepts"] for entry in answers), all=len(page.seats))
    return [build_bar_chart(title, drafts[-1]["sentence"], bars, full_value=1)] if bars else []


def _build_agreement_bars(page: Page, agreement: Mapping[str, Any]) -> BarChart:
    description = page.say("stands.about_one", score=format_figure(agreement["score"], 2), round=agreement["round"])
    threshold = find_agreement_threshold(page)
    agreeing_names = (
        [] if threshold is None else AgreementScore.model_validate(agreement).list_agreeing_participants(threshold)
    )
    bars = [Bar("", name, round(score, 2), name in agreeing_names) for name, score in agreement["scores"].items()]
    title = page.say(
        "stands.chart_agreed" if agreeing_names else "stands.chart_one",
        round=agreement["round"],
        threshold=f"{threshold or 0:g}",
    )
    return build_bar_chart(title, description, bars, full_value=1)


def list_agreement_blocks(page: Page) -> list[Block]:
    """Build blocks about agreement scores, changed positions, open objections, and drafts."""
    document, agreement_scores = page.document, page.document.get("agreements") or []
    blocks: list[Block] = [*_build_score_tables(page, agreement_scores)] if agreement_scores else []
    positions = [Position.model_validate(entry) for entry in document.get("positions") or []]
    blocks += [
        Paragraph(
            translate_display_phrase(
                page.language,
                "group.changed_by" if position.changed_by else "group.shifted",
                round=position.round,
                who=position.who,
                by=position.changed_by,
                position=shorten_text(position.position),
            )
        )
        for position in list_position_changes(positions)
    ]
    blocks += [
        Paragraph(translate_display_phrase(page.language, "group.objects", who=name, text=shorten_text(text)))
        for name, text in (agreement_scores[-1]["objections"].items() if agreement_scores else ())
    ]
    return [*blocks, *map(Paragraph, list_drafts(document))]


def _build_score_tables(page: Page, agreement_scores: Sequence[Mapping[str, Any]]) -> list[TableBlock]:
    """Build tables of the agreement scores after each round, narrow enough for a printed page."""
    part_length = -(-len(agreement_scores) // -(-len(agreement_scores) // ROUNDS_PER_SHEET))
    title = page.say("stands.scores", measure=page.say(f"measured.{agreement_scores[-1]['measure']}"))
    tables = []
    for start in range(0, len(agreement_scores), part_length):
        part = agreement_scores[start : start + part_length]
        span = page.say("talk.round", number=f"{part[0]['round']}–{part[-1]['round']}")
        missing_figure, rows = Figure(page.say("stands.missing")), []
        for name in page.seats:
            scores = [(name in agreement["missing"], agreement["scores"].get(name)) for agreement in part]
            rows.append(
                [name, *(missing_figure if is_missing else format_figure(score, 2) for is_missing, score in scores)]
            )
        label = page.say("stands.mean_of_all" if any(agreement["missing"] for agreement in part) else "stands.mean")
        means = [label, *(format_figure(agreement["score"], 2) for agreement in part)]
        head = ["", *(page.say("talk.round", number=agreement["round"]) for agreement in part)]
        caption = title if len(part) == len(agreement_scores) else f"{title} · {span}"
        tables.append(TableBlock(caption, head, rows, means))
    return tables
