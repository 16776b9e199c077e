"""Report section of a jury: the count of each ballot, and the reasons of the minority."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....state.jury import collect_minority_reasons, compute_needed_votes
from ....state.positions.position import Position, group_by_moment
from ...report.blocks import MISSING, TableBlock, TableCell, format_figure
from ...report.chart import Axes, build_line_chart
from ...report.page import Page
from ...report.section import Block
from ...report.votes import shorten_option

PollRecord = Mapping[str, Any]


def build_ballot_section(page: Page) -> Sequence[Block]:
    """Build the blocks about the counted ballots; empty if the record has no count."""
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    if not polls:
        return []
    needed_votes = compute_needed_votes(page.document["settings"]["verdict"], len(page.seats))
    return [
        *_build_chart(page, polls, needed_votes),
        _build_table(page, polls, needed_votes),
        *_build_minority_table(page, polls[-1]),
    ]


def _build_chart(page: Page, polls: Sequence[PollRecord], needed_votes: int) -> list[Block]:
    """Build the chart of votes for each option, ballot by ballot; empty for a single ballot."""
    if len(polls) == 1:
        return []
    seat_count = len(page.seats)
    ticks = sorted({0, needed_votes, seat_count})
    poll_labels = [str(poll["number"]) for poll in polls]
    axes = Axes(poll_labels, page.say("jury.ballot"), 0, seat_count, ticks, threshold=needed_votes)
    description = page.say("jury.about", count=len(polls), needed=needed_votes)
    series = {
        shorten_option(sign, text): [poll["tally"]["totals"].get(sign) for poll in polls]
        for sign, text in polls[0]["options"].items()
    }
    return [build_line_chart(page.say("jury.chart"), description, axes, series)]


def _build_table(page: Page, polls: Sequence[PollRecord], needed_votes: int) -> TableBlock:
    options = polls[0]["options"]
    headings = [
        page.say("jury.ballot"),
        page.say("jury.round"),
        *(shorten_option(*option) for option in options.items()),
    ]
    rows: list[list[TableCell]] = []
    for poll in polls:
        counts = [format_figure(poll["tally"]["totals"].get(sign, 0)) for sign in options]
        missing_votes = format_figure(poll["tally"]["voters"] - poll["tally"]["votes"])
        rows.append(
            [
                format_figure(poll["number"]),
                format_figure(poll["round"]),
                *counts,
                missing_votes,
                format_figure(needed_votes),
            ]
        )
    return TableBlock(page.say("jury.chart"), [*headings, page.say("jury.missing"), page.say("jury.needed")], rows)


def _build_minority_table(page: Page, last_poll: PollRecord) -> list[Block]:
    """Build the table of the reasons of the minority, without names; empty without reasons."""
    positions = [Position.model_validate(position) for position in page.document.get("positions") or []]
    reasons_by_option = collect_minority_reasons((group_by_moment(positions) or [{}])[-1])
    rows = [
        [last_poll["options"].get(option, option), reason or MISSING]
        for option, reasons in reasons_by_option.items()
        for reason in reasons
    ]
    headings = [page.say("jury.found"), page.say("jury.reason")]
    return [TableBlock(page.say("jury.minority"), headings, rows)] if rows else []
