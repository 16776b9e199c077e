"""Hooks of the jury: a report section with the count of each ballot, and the reasons of the minority."""

from collections.abc import Sequence

from ...state.jury import collect_minority_reasons, compute_needed_votes
from ...state.positions.position import Position, group_by_moment
from ..report.blocks import MISSING, Block, TableBlock, TableCell, format_figure
from ..report.chart import Axes, build_line_chart
from ..report.page import Page
from ..report.votes import shorten_option
from .hooks import Hooks


def build_ballot_section(page: Page) -> Sequence[Block]:
    """Build the blocks about the counted ballots; empty if the record has no count."""
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    if not polls:
        return []
    seat_count, options, blocks = len(page.seats), polls[0]["options"], list[Block]()
    needed_votes = compute_needed_votes(page.document["settings"]["verdict_rule"], seat_count)
    labels = {sign: shorten_option(sign, text) for sign, text in options.items()}
    if len(polls) > 1:  # the votes for each option, ballot by ballot
        ticks = sorted({0, needed_votes, seat_count})
        numbers = [str(poll["number"]) for poll in polls]
        axes = Axes(numbers, page.say("jury.ballot"), 0, seat_count, ticks, threshold=needed_votes)
        description = page.say("jury.about", count=len(polls), needed=needed_votes)
        series = {label: [poll["tally"]["totals"].get(sign) for poll in polls] for sign, label in labels.items()}
        blocks.append(build_line_chart(page.say("jury.chart"), description, axes, series))
    rows: list[list[TableCell]] = []
    for poll in polls:
        tally = poll["tally"]
        counts = [tally["totals"].get(sign, 0) for sign in options]
        figures = [poll["number"], poll["round"], *counts, tally["voters"] - tally["votes"], needed_votes]
        rows.append([*map(format_figure, figures)])
    head = page.list_headings("jury", "ballot round missing needed")
    blocks.append(TableBlock(page.say("jury.chart"), [*head[:2], *labels.values(), *head[2:]], rows))
    # reasons of the minority, without names
    positions = [Position.model_validate(position) for position in page.document.get("positions") or []]
    reasons = collect_minority_reasons((group_by_moment(positions) or [{}])[-1])
    texts = polls[-1]["options"]
    reason_rows = [[texts.get(option, option), text or MISSING] for option in reasons for text in reasons[option]]
    if reason_rows:
        blocks.append(TableBlock(page.say("jury.minority"), page.list_headings("jury", "found reason"), reason_rows))
    return blocks


HOOKS = Hooks(sections={"course": [build_ballot_section]})
