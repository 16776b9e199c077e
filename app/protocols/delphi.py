"""Hooks of the Delphi: its tables, and a report section with charts, all estimates and the pooled distribution."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ...nodes.delphi.feedback_text import format_quantity
from ...state.delphi import ExpertEstimate, RoundFeedback
from ..report.blocks import MISSING, Block, TableBlock, TableCell
from ..report.chart import Axes, build_line_chart
from ..report.page import Page
from ..report.votes import shorten_option
from .hooks import NOBODY_TO_SILENCE, Hooks, RunDocument

FeedbackRow = Mapping[str, Any]
FIGURE_KEYS = ("median", "first_quartile", "third_quartile", "lowest", "highest")


def build_estimate_section(page: Page) -> Sequence[Block]:
    """Build the blocks about the estimates; empty without an estimate."""
    feedback_rows = page.document.get("feedback") or []
    if not feedback_rows:
        return []
    last_feedback = feedback_rows[-1]
    if last_feedback["median"] is None:
        signs = list(feedback_rows[0]["counts"])
        head = [page.say("delphi.round"), *(_format_option(page, sign) for sign in signs)]
        rows = [_format_numbers(row["round"], *(row["counts"][sign] for sign in signs)) for row in feedback_rows]
        blocks: list[Block] = [TableBlock(page.say("delphi.counts"), head, rows)]
    else:
        blocks = _build_number_blocks(page, feedback_rows)
    # reasons that the experts saw, without names
    reasons = [[_format_estimate(page, entry), entry["reason"] or MISSING] for entry in last_feedback["reasons"]]
    if reasons:
        blocks.append(TableBlock(page.say("delphi.reasons"), page.list_headings("delphi", "estimate reason"), reasons))
    return blocks


def _build_number_blocks(page: Page, feedback_rows: Sequence[FeedbackRow]) -> list[Block]:
    """Build the blocks about numeric estimates.

    They are a chart of median and quartiles over the rounds, and tables of figures, estimates and the pooled
    distribution.
    """
    series = {
        page.say("delphi.first"): [row["first_quartile"] for row in feedback_rows],
        page.say("delphi.median"): [row["median"] for row in feedback_rows],
        page.say("delphi.third"): [row["third_quartile"] for row in feedback_rows],
    }
    figures = [value for values in series.values() for value in values]
    low, high = min(figures), max(figures)
    title, blocks = page.say("delphi.chart"), list[Block]()
    if len(feedback_rows) > 1 and low != high:
        rounds, ticks = [str(row["round"]) for row in feedback_rows], [low, (low + high) / 2, high]
        axes = Axes(rounds, page.say("delphi.round"), low, high, ticks)
        blocks.append(build_line_chart(title, page.say("delphi.about", count=len(feedback_rows)), axes, series))
    head = page.list_headings("delphi", "round given median first third lowest highest")
    rows = [_format_numbers(row["round"], row["given"], *(row[key] for key in FIGURE_KEYS)) for row in feedback_rows]
    blocks.append(TableBlock(title, head, rows))
    estimates = {(estimate["who"], estimate["round"]): estimate for estimate in page.document["estimates"]}
    numbers = sorted({number for _, number in estimates})
    estimate_rows: list[list[TableCell]] = [
        [name, *(_format_estimate(page, estimates.get((name, number))) for number in numbers)] for name in page.seats
    ]
    blocks.append(TableBlock(page.say("delphi.all"), [page.say("delphi.who"), *map(str, numbers)], estimate_rows))
    pool_rows = [[f"{share} %", *_format_numbers(value)] for share, value in feedback_rows[-1]["pooled"].items()]
    return [*blocks, TableBlock(page.say("delphi.pooled"), page.list_headings("delphi", "share estimate"), pool_rows)]


def _format_option(page: Page, sign: str) -> str:
    return shorten_option(sign, page.document["settings"]["options"].get(sign, sign))


def _format_estimate(page: Page, estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return MISSING
    if estimate["number"] is None:
        return _format_option(page, estimate["answer"])
    number, low, high = _format_numbers(estimate["number"], estimate["low"], estimate["high"])
    return f"{number} {estimate['unit']}".strip() + f" ({low}–{high})"


def _format_numbers(*values: float | None) -> list[str]:
    return [MISSING if value is None else format_quantity(value).replace("-", "−") for value in values]


def list_table_rows(document: RunDocument) -> dict[str, list[dict[str, Any]]]:
    """List the rows of the tables. The field `reasons` is left out because estimates contain it."""
    return {
        table: [{name: entry[name] for name in entry if name != "reasons"} for entry in document[table] or []]
        for table in TABLES
    }


ROW_CLASSES: dict[str, type[BaseModel]] = {"estimates": ExpertEstimate, "feedback": RoundFeedback}
TABLES = {
    table: {name: str(field.description) for name, field in row_class.model_fields.items() if name != "reasons"}
    for table, row_class in ROW_CLASSES.items()
}
HOOKS = Hooks(
    sections={"estimates": [build_estimate_section]},
    tables=TABLES,
    table_rows=list_table_rows,
    unfit_arms={"influence": NOBODY_TO_SILENCE},
)
