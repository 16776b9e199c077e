"""Report section of a Delphi: a chart, every estimate, and the pooled distribution."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....nodes.delphi.feedback_text import format_quantity
from ...report.blocks import MISSING, TableBlock, TableCell
from ...report.chart import Axes, build_line_chart
from ...report.page import Page
from ...report.section import Block
from ...report.votes import shorten_option

FeedbackRow = Mapping[str, Any]
ROUND_FIGURES = {
    "median": "median",
    "first": "first_quartile",
    "third": "third_quartile",
    "lowest": "lowest",
    "highest": "highest",
}
"""Feedback keys of the report's figures."""


def build_estimate_section(page: Page) -> Sequence[Block]:
    """Build the blocks about the estimates; empty without an estimate."""
    feedback_rows = page.document.get("feedback") or []
    if not feedback_rows:
        return []
    if feedback_rows[-1]["median"] is None:
        return [_build_counts_table(page, feedback_rows), *_build_reasons_table(page, feedback_rows[-1])]
    return [
        *_build_chart(page, feedback_rows),
        _build_figures_table(page, feedback_rows),
        _build_estimates_table(page),
        _build_pooled_table(page, feedback_rows[-1]),
        *_build_reasons_table(page, feedback_rows[-1]),
    ]


def _build_chart(page: Page, feedback_rows: Sequence[FeedbackRow]) -> list[Block]:
    """Build the chart of median and quartiles over the rounds; empty for a single round."""
    keys = ("first", "median", "third")
    series = {page.say(f"delphi.{key}"): [feedback[ROUND_FIGURES[key]] for feedback in feedback_rows] for key in keys}
    figures = [value for values in series.values() for value in values]
    low, high = min(figures), max(figures)
    if len(feedback_rows) == 1 or low == high:
        return []
    axes = Axes(
        [str(feedback["round"]) for feedback in feedback_rows],
        page.say("delphi.round"),
        low,
        high,
        [low, (low + high) / 2, high],
    )
    return [
        build_line_chart(page.say("delphi.chart"), page.say("delphi.about", count=len(feedback_rows)), axes, series)
    ]


def _build_figures_table(page: Page, feedback_rows: Sequence[FeedbackRow]) -> TableBlock:
    headings = [
        page.say("delphi.round"),
        page.say("delphi.given"),
        *(page.say(f"delphi.{key}") for key in ROUND_FIGURES),
    ]
    rows = [
        [
            _format_number(feedback["round"]),
            _format_number(feedback["given"]),
            *(_format_number(feedback[key]) for key in ROUND_FIGURES.values()),
        ]
        for feedback in feedback_rows
    ]
    return TableBlock(page.say("delphi.chart"), headings, rows)


def _build_counts_table(page: Page, feedback_rows: Sequence[FeedbackRow]) -> TableBlock:
    signs = list(feedback_rows[0]["counts"])
    rows = [
        [_format_number(feedback["round"]), *(_format_number(feedback["counts"][sign]) for sign in signs)]
        for feedback in feedback_rows
    ]
    return TableBlock(
        page.say("delphi.counts"), [page.say("delphi.round"), *(_format_option(page, sign) for sign in signs)], rows
    )


def _build_estimates_table(page: Page) -> TableBlock:
    """Build the table of every expert's estimate in every round."""
    estimates = {(estimate["who"], estimate["round"]): estimate for estimate in page.document["estimates"]}
    round_numbers = sorted({round for _, round in estimates})
    rows: list[list[TableCell]] = [
        [name, *(_format_estimate(page, estimates.get((name, round))) for round in round_numbers)]
        for name in page.seats
    ]
    return TableBlock(page.say("delphi.all"), [page.say("delphi.who"), *map(str, round_numbers)], rows)


def _build_pooled_table(page: Page, last_feedback: FeedbackRow) -> TableBlock:
    rows = [[f"{share} %", _format_number(value)] for share, value in last_feedback["pooled"].items()]
    return TableBlock(page.say("delphi.pooled"), [page.say("delphi.share"), page.say("delphi.estimate")], rows)


def _build_reasons_table(page: Page, last_feedback: FeedbackRow) -> list[Block]:
    """Build the table of the reasons that the experts saw, without names; empty without reasons."""
    rows = [[_format_estimate(page, estimate), estimate["reason"] or MISSING] for estimate in last_feedback["reasons"]]
    headings = [page.say("delphi.estimate"), page.say("delphi.reason")]
    return [TableBlock(page.say("delphi.reasons"), headings, rows)] if rows else []


def _format_option(page: Page, sign: str) -> str:
    return shorten_option(sign, page.document["settings"]["options"].get(sign, sign))


def _format_estimate(page: Page, estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return MISSING
    if estimate["number"] is None:
        return _format_option(page, estimate["answer"])
    return (
        f"{_format_number(estimate['number'])} {estimate['unit']}".strip()
        + f" ({_format_number(estimate['low'])}–{_format_number(estimate['high'])})"
    )


def _format_number(value: float | None) -> str:
    return MISSING if value is None else format_quantity(value).replace("-", "−")
