"""Hooks of the Delphi: its chart, its tables, and a section with estimates and pooled distribution."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...nodes.delphi.feedback_text import format_quantity
from ...state.delphi import (
    DelphiSettings,
    ExpertEstimate,
    RoundFeedback,
    has_enough_estimates,
    summarize_estimates,
)
from ...state.positions import build_answer_format
from ..report import (
    MISSING,
    Bar,
    Block,
    Mark,
    MarkRow,
    Page,
    TableBlock,
    TableCell,
    build_bar_chart,
    build_mark_chart,
    format_rounded,
    shorten_option,
)
from .hooks import ANSWER_SETTINGS, NOBODY_TO_SILENCE, SEAT_SETTINGS, Hooks, RunDocument

FIGURE_KEYS = ("median", "first_quartile", "third_quartile", "lowest", "highest")


def build_estimate_chart(page: Page) -> Sequence[Block]:
    """Build a chart of the estimates in each round; empty without a round.

    A round of numbers has a row with the 5–95 % range, the interquartile range, the median and the experts. For
    options, the chart has a bar for each option in the last round.
    """
    if not (feedback_rows := page.document.get("feedback") or []):
        return []
    first_row, last_row = feedback_rows[0], feedback_rows[-1]
    if last_row["median"] is None:
        counts = last_row["counts"]
        bars = [Bar("", _format_option(page, sign), count) for sign, count in counts.items()]
        top = max(counts, key=counts.get)
        values = {"option": _format_option(page, top), "count": counts[top], "all": sum(counts.values())}
        note = page.say("delphi.rounds", count=len(feedback_rows))
        return [build_bar_chart(page.say("delphi.leads", **values), note, bars)]
    rows = []
    for row in feedback_rows:
        marks = [
            Mark("range", row["pooled"]["5"], row["pooled"]["95"]),
            Mark("box", row["first_quartile"], row["third_quartile"]),
            Mark("median", row["median"], text=format_rounded(row["median"])),
        ]
        estimates = [entry for entry in page.document["estimates"] if entry["round"] == row["round"]]
        colours = {name: seat.colour for name, seat in page.seats.items()}
        marks += [Mark("low", entry["number"], colour=colours.get(entry["who"])) for entry in estimates]
        rows.append(MarkRow(page.say("talk.round", number=row["round"]), "", marks))
    first, last = format_rounded(first_row["median"]), format_rounded(last_row["median"])
    unit = next((entry["unit"] for entry in page.document["estimates"]), "")
    key = "delphi.moved" if len(feedback_rows) > 1 else "delphi.stands"
    title = page.say(key, first=first, last=f"{last} {unit}".strip(), count=len(feedback_rows))
    return [build_mark_chart(title, (page.say("delphi.note"), unit), rows)]


def build_estimate_section(page: Page) -> Sequence[Block]:
    """Build the report blocks about the estimates; empty without an estimate."""
    if not (feedback_rows := page.document.get("feedback") or []):
        return []
    last_feedback = feedback_rows[-1]
    if last_feedback["median"] is None:
        signs = list(feedback_rows[0]["counts"])
        head = [page.say("delphi.round"), *(_format_option(page, sign) for sign in signs)]
        rows = [_format_numbers(row["round"], *(row["counts"][sign] for sign in signs)) for row in feedback_rows]
        blocks: list[Block] = [TableBlock(page.say("delphi.counts"), head, rows)]
    else:
        figures = [
            _format_numbers(row["round"], row["estimate_count"], *(row[key] for key in FIGURE_KEYS))
            for row in feedback_rows
        ]
        estimates = {(estimate["who"], estimate["round"]): estimate for estimate in page.document["estimates"]}
        numbers = sorted({number for _, number in estimates})
        estimate_rows: list[list[TableCell]] = [
            [name, *(_format_estimate(page, estimates.get((name, number))) for number in numbers)]
            for name in page.seats
        ]
        pool_rows = [[f"{share} %", *_format_numbers(value)] for share, value in last_feedback["pooled"].items()]
        figure_head = page.list_headings("delphi", "round given median first third lowest highest")
        blocks = [
            TableBlock(page.say("delphi.chart"), figure_head, figures),
            TableBlock(page.say("delphi.all"), [page.say("delphi.who"), *map(str, numbers)], estimate_rows),
            TableBlock(page.say("delphi.pooled"), page.list_headings("delphi", "share estimate"), pool_rows),
        ]
    # reasons that the experts saw, without names
    reasons = [[_format_estimate(page, entry), entry["reason"] or MISSING] for entry in last_feedback["reasons"]]
    if reasons:
        blocks.append(TableBlock(page.say("delphi.reasons"), page.list_headings("delphi", "estimate reason"), reasons))
    return blocks


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


TABLES = {
    table: {name: str(field.description) for name, field in row_class.model_fields.items() if name != "reasons"}
    for table, row_class in (("estimates", ExpertEstimate), ("feedback", RoundFeedback))
}


def list_record_faults(document: RunDocument) -> list[str]:
    """Return the contradictions in a document: feedback or an answer that the estimates do not give."""
    answer_format = build_answer_format(DelphiSettings.model_validate(document["settings"]))
    estimates = [ExpertEstimate.model_validate(entry) for entry in document["estimates"]]
    rows, faults = [RoundFeedback.model_validate(row) for row in document["feedback"]], list[str]()
    for row in rows:
        round_estimates = [estimate for estimate in estimates if estimate.round == row.round]
        if not round_estimates or summarize_estimates(row.round, round_estimates, answer_format) != row:
            faults.append(f"the feedback on round {row.round} differs from its estimates")
    declared = [(position["who"], position["round"], position["answer"]) for position in document["positions"]]
    if declared != [(estimate.who, estimate.round, estimate.answer) for estimate in estimates]:
        faults.append("the positions differ from the estimates")
    medians = [row.median for row in rows if has_enough_estimates(row, document["participants"])]
    answer = document.get("runAnswer") or {"answer": "nothing"}
    if medians and medians[-1] not in (None, answer.get("number")):
        faults.append(f"the recorded answer is {answer['answer']}, but the estimates give {medians[-1]:g}")
    return faults


HOOKS = Hooks(
    charts=[build_estimate_chart],
    sections={"estimates": [build_estimate_section]},
    tables=TABLES,
    table_rows=lambda document: {
        table: [{name: entry[name] for name in columns} for entry in document[table] or []]
        for table, columns in TABLES.items()
    },
    tool_settings=(*SEAT_SETTINGS, *ANSWER_SETTINGS, "max_rounds", "expert_count", "max_spread", "max_median_shift"),
    unfit_arms={"influence": NOBODY_TO_SILENCE},
    record_faults=list_record_faults,
)
