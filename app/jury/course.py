"""The course of a jury's ballots in its report: the count of each, and the reasons of the minority."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...state.jury import dissenting, needed
from ...state.positions.position import Position, declared_after
from ..report.blocks import NONE, Cell, Table, figure
from ..report.chart import Axes, line_chart
from ..report.page import Page
from ..report.section import Block
from ..report.votes import shown

Poll = Mapping[str, Any]


def course(page: Page) -> Sequence[Block]:
    """The ballots that were counted; none where no count is on record."""
    polls = [one for one in page.document.get("polls") or [] if one["tally"]]
    if not polls:
        return []
    takes = needed(page.document["rules"]["verdict"], len(page.seats))
    return [*_chart(page, polls, takes), _table(page, polls, takes), *_minority(page, polls[-1])]


def _chart(page: Page, polls: Sequence[Poll], takes: int) -> list[Block]:
    """Votes for each option, ballot by ballot; of a single ballot there is no course."""
    if len(polls) == 1:
        return []
    most = len(page.seats)
    ticks = sorted({0, takes, most})
    steps = [str(one["number"]) for one in polls]
    axes = Axes(steps, page.say("jury.ballot"), 0, most, ticks, threshold=takes)
    about = page.say("jury.about", count=len(polls), needed=takes)
    series = {
        shown(sign, text): [one["tally"]["totals"].get(sign) for one in polls]
        for sign, text in polls[0]["options"].items()
    }
    return [line_chart(page.say("jury.chart"), about, axes, series)]


def _table(page: Page, polls: Sequence[Poll], takes: int) -> Table:
    options = polls[0]["options"]
    head = [page.say("jury.ballot"), page.say("jury.round"), *(shown(*one) for one in options.items())]
    rows: list[list[Cell]] = []
    for one in polls:
        counts = [figure(one["tally"]["totals"].get(sign, 0)) for sign in options]
        missing = figure(one["tally"]["voters"] - one["tally"]["votes"])
        rows.append([figure(one["number"]), figure(one["round"]), *counts, missing, figure(takes)])
    return Table(page.say("jury.chart"), [*head, page.say("jury.missing"), page.say("jury.needed")], rows)


def _minority(page: Page, last: Poll) -> list[Block]:
    """What those said who did not vote as most did; nobody is named."""
    given = [Position.model_validate(one) for one in page.document.get("positions") or []]
    said = dissenting((declared_after(given) or [{}])[-1])
    rows = [[last["options"].get(option, option), why or NONE] for option, reasons in said.items() for why in reasons]
    head = [page.say("jury.found"), page.say("jury.reason")]
    return [Table(page.say("jury.minority"), head, rows)] if rows else []
