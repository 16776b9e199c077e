"""The course of a Delphi in its report: median and quartiles as a chart, every estimate, the pooled distribution."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...nodes.delphi.told import number
from ..report.blocks import NONE, Cell, Table
from ..report.chart import Axes, line_chart
from ..report.page import Page
from ..report.section import Block
from ..report.votes import shown

Told = Mapping[str, Any]
FIGURES = {
    "median": "median",
    "first": "first_quartile",
    "third": "third_quartile",
    "lowest": "lowest",
    "highest": "highest",
}
"""Words of the report for what is told of a round."""


def course(page: Page) -> Sequence[Block]:
    """What was estimated; none where nobody estimated anything."""
    rounds = page.document.get("feedback") or []
    if not rounds:
        return []
    if rounds[-1]["median"] is None:
        return [_counts(page, rounds), *_reasons(page, rounds[-1])]
    return [
        *_chart(page, rounds),
        _figures(page, rounds),
        _all(page),
        _pooled(page, rounds[-1]),
        *_reasons(page, rounds[-1]),
    ]


def _chart(page: Page, rounds: Sequence[Told]) -> list[Block]:
    """Median and quartiles over the rounds; of a single round there is no movement."""
    keys = ("first", "median", "third")
    series = {page.say(f"delphi.{key}"): [one[FIGURES[key]] for one in rounds] for key in keys}
    known = [value for values in series.values() for value in values]
    low, high = min(known), max(known)
    if len(rounds) == 1 or low == high:
        return []
    axes = Axes(
        [str(one["round"]) for one in rounds], page.say("delphi.round"), low, high, [low, (low + high) / 2, high]
    )
    return [line_chart(page.say("delphi.chart"), page.say("delphi.about", count=len(rounds)), axes, series)]


def _figures(page: Page, rounds: Sequence[Told]) -> Table:
    head = [page.say("delphi.round"), page.say("delphi.given"), *(page.say(f"delphi.{key}") for key in FIGURES)]
    rows = [
        [_short(one["round"]), _short(one["given"]), *(_short(one[key]) for key in FIGURES.values())] for one in rounds
    ]
    return Table(page.say("delphi.chart"), head, rows)


def _counts(page: Page, rounds: Sequence[Told]) -> Table:
    signs = list(rounds[0]["counts"])
    rows = [[_short(one["round"]), *(_short(one["counts"][sign]) for sign in signs)] for one in rounds]
    return Table(page.say("delphi.counts"), [page.say("delphi.round"), *(_option(page, one) for one in signs)], rows)


def _all(page: Page) -> Table:
    """Every expert's estimate in every round."""
    given = {(one["who"], one["round"]): one for one in page.document["estimates"]}
    rounds = sorted({round for _, round in given})
    rows: list[list[Cell]] = [
        [name, *(_estimate(page, given.get((name, round))) for round in rounds)] for name in page.seats
    ]
    return Table(page.say("delphi.all"), [page.say("delphi.who"), *map(str, rounds)], rows)


def _pooled(page: Page, last: Told) -> Table:
    rows = [[f"{share} %", _short(value)] for share, value in last["pooled"].items()]
    return Table(page.say("delphi.pooled"), [page.say("delphi.share"), page.say("delphi.estimate")], rows)


def _reasons(page: Page, last: Told) -> list[Block]:
    """The reasons that were told, as they were: without a name."""
    rows = [[_estimate(page, one), one["reason"] or NONE] for one in last["reasons"]]
    head = [page.say("delphi.estimate"), page.say("delphi.reason")]
    return [Table(page.say("delphi.reasons"), head, rows)] if rows else []


def _option(page: Page, sign: str) -> str:
    return shown(sign, page.document["rules"]["options"].get(sign, sign))


def _estimate(page: Page, one: Mapping[str, Any] | None) -> str:
    if one is None:
        return NONE
    if one["number"] is None:
        return _option(page, one["answer"])
    return f"{_short(one['number'])} {one['unit']}".strip() + f" ({_short(one['low'])}–{_short(one['high'])})"


def _short(value: float | None) -> str:
    return NONE if value is None else number(value).replace("-", "−")
