"""Where participants stood, round by round: agreement as a chart, what they declared as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.consensus import Weighing
from .blocks import NONE, Figure, Table, figure
from .chart import Axes, BarChart, Totals, bar_chart, line_chart
from .page import Page
from .section import Block, Folded

ABREAST = 8
"""Rounds that stand side by side in a table."""


def stands(page: Page) -> Sequence[Block]:
    """Positions and weighings of a group."""
    weighings, positions = page.document.get("weighings") or [], page.document.get("positions") or []
    blocks: list[Block] = [*(_scores(page, weighings) if weighings else []), *_held(page)]
    if any(one.get("agreement") is not None for one in positions):
        blocks.append(Folded(page.say("stands.declared"), [_declared(page, positions)]))
    return blocks


@dataclass(frozen=True)
class Taken:
    """The answers on record of one moment, by who gave them, and what it is called; `round`: 0 before the talk."""

    round: int
    when: str
    title: str
    held: Mapping[str, Mapping[str, Any]]


def taken(page: Page) -> list[Taken]:
    """Where participants said they stood, the first moment first; empty where nobody was asked."""
    given = [one for one in page.document.get("positions") or [] if one.get("answer") and one["who"] in page.seats]
    moments: dict[int, dict[str, Mapping[str, Any]]] = {}
    for one in given:
        moments.setdefault(one["turn"], {})[one["who"]] = one
    return [_taken(page, held) for _, held in sorted(moments.items())]


def _taken(page: Page, held: Mapping[str, Mapping[str, Any]]) -> Taken:
    first = next(iter(held.values()))
    when = page.say(f"glance.{first['when']}", round=first["round"])
    return Taken(first["round"], when, page.say("glance.positions", when=when), held)


def answered(page: Page, one: Mapping[str, Any]) -> str:
    """An answer in words."""
    return f"{page.word('sides', one['answer'])} {one['unit']}".strip()


def _held(page: Page) -> list[Block]:
    """The position of each, round by round."""
    moments = taken(page)
    parts = [moments[first : first + ABREAST] for first in range(0, len(moments), ABREAST)]
    return [
        Table(
            page.say("glance.by_round"),
            ["", *(one.when for one in part)],
            [[name, *(_answer(page, one.held.get(name)) for one in part)] for name in page.seats],
        )
        for part in parts
    ]


def _answer(page: Page, one: Mapping[str, Any] | None) -> str:
    if one is None:
        return NONE
    sure = "" if one["certainty"] is None else f" ({one['certainty']:.0f})"
    return f"{answered(page, one)}{sure}"


def threshold(page: Page) -> float | None:
    found = page.document["rules"].get("threshold")
    return None if found is None else float(found)


def agreement_chart(page: Page) -> list[Block]:
    """Agreement round by round; of a single round there is no movement."""
    weighings = page.document["weighings"]
    if len(weighings) == 1:
        return []
    axes = Axes(
        steps=[str(one["round"]) for one in weighings],
        name=page.say("stands.round"),
        low=0,
        high=1,
        ticks=[0, 0.25, 0.5, 0.75, 1],
        threshold=threshold(page),
    )
    series = {name: [one["scores"].get(name) for one in weighings] for name in page.seats}
    last = weighings[-1]
    about = page.say("stands.about", count=len(weighings), score=figure(last["score"], 2), round=last["round"])
    return [line_chart(page.say("stands.chart"), about, axes, series)]


def agreement_bars(page: Page, weighing: Mapping[str, Any]) -> BarChart:
    """Agreement after one round."""
    about = page.say("stands.about_one", score=figure(weighing["score"], 2), round=weighing["round"])
    bound = threshold(page)
    agreeing = [] if bound is None else Weighing.model_validate(weighing).agreeing(bound)
    scores = {name: round(score, 2) for name, score in weighing["scores"].items()}
    key = "stands.chart_agreed" if agreeing else "stands.chart_one"
    title = page.say(key, round=weighing["round"], threshold=f"{bound or 0:g}")
    return bar_chart(title, about, Totals(scores, agreeing, full=1))


def _scores(page: Page, weighings: Sequence[Mapping[str, Any]]) -> list[Table]:
    """Everyone's agreement after each round, in as many tables of much the same width as fit a sheet of paper."""
    width = -(-len(weighings) // -(-len(weighings) // ABREAST))
    parts = [weighings[first : first + width] for first in range(0, len(weighings), width)]
    title = page.say("stands.scores", strategy=page.say(f"measured.{weighings[-1]['strategy']}"))
    if len(parts) == 1:
        return [_abreast(page, title, weighings)]
    spans = [page.say("talk.round", number=f"{part[0]['round']}–{part[-1]['round']}") for part in parts]
    return [_abreast(page, f"{title} · {span}", part) for span, part in zip(spans, parts, strict=True)]


def _abreast(page: Page, title: str, weighings: Sequence[Mapping[str, Any]]) -> Table:
    rows = [[name, *(_score(page, one, name) for one in weighings)] for name in page.seats]
    named = page.say("stands.mean_of_all" if any(one["missing"] for one in weighings) else "stands.mean")
    mean = [named, *(figure(one["score"], 2) for one in weighings)]
    head = ["", *(page.say("talk.round", number=one["round"]) for one in weighings)]
    return Table(title, head, rows, mean)


def _score(page: Page, weighing: Mapping[str, Any], name: str) -> Figure:
    if name in weighing["missing"]:
        return Figure(page.say("stands.missing"))
    return figure(weighing["scores"].get(name), 2)


def _declared(page: Page, positions: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        [
            one["who"],
            figure(one["round"]),
            one["position"] or NONE,
            figure(one["agreement"], 2),
            one["objection"] or NONE,
            one["moved_by"] or NONE,
        ]
        for one in positions
    ]
    columns = ("who", "round", "position", "agreement", "objection", "moved_by")
    return Table(page.say("stands.declared"), [page.say(f"stands.{one}") for one in columns], rows)
