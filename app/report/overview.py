"""Chart at the top of a report, and the charts that belong to the positions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..display.group_results import translate_answer
from .blocks import Bar, Block
from .chart import Axes, build_bar_chart, build_line_chart
from .page import Page
from .positions import build_agreement_chart, list_answer_moments
from .votes import build_duel_table, build_poll_chart


def build_overview(page: Page) -> list[Block]:
    """Build the chart of a run's result: the protocol's own, or that of votes, agreement or positions."""
    return next(_list_charts(page), [])


def list_further_charts(page: Page) -> Sequence[Block]:
    """Build the charts of votes, agreement and positions that are not at the top of the report."""
    return [block for blocks in list(_list_charts(page))[1:] for block in blocks]


def _list_charts(page: Page) -> Iterator[list[Block]]:
    builders = (*page.hooks.charts, _build_vote_chart, build_agreement_chart, _build_position_chart)
    charts = list(filter(None, (list(build(page)) for build in builders)))
    yield from charts or filter(None, [_build_position_bars(page)])


def _build_vote_chart(page: Page) -> list[Block]:
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    return [build_poll_chart(page, polls[-1]), *build_duel_table(page, polls[-1])] if polls else []


def _build_position_bars(page: Page) -> list[Block]:
    """Build the bar chart of the last recorded positions; empty for numbers."""
    last_moments = list_answer_moments(page)[-1:]
    if not last_moments or any(entry["number"] is not None for entry in last_moments[0].answers.values()):
        return []
    counts = Counter(
        translate_answer(entry["answer"], entry["unit"], page.language) for entry in last_moments[0].answers.values()
    )
    meanings = page.document["settings"].get("options") or {}
    bars = [Bar("", meanings.get(position, position), count) for position, count in counts.most_common()]
    found = page.comma.join(f"{bar.text} {bar.value:.0f}" for bar in bars)
    return [build_bar_chart(page.say("glance.found", when=last_moments[0].title, counts=found), "", bars)]


SIDE_VALUES = {"for": 1, "undecided": 0, "against": -1}


def _build_position_chart(page: Page) -> Sequence[Block]:
    moments = list_answer_moments(page)
    values = [{name: _compute_position_value(entry) for name, entry in moment.answers.items()} for moment in moments]
    numbers = [value for moment_values in values for value in moment_values.values() if value is not None]
    if len(moments) < 2 or len(numbers) < sum(map(len, values)):
        return []
    has_sides = all(entry["number"] is None for moment in moments for entry in moment.answers.values())
    low, high = (-100.0, 100.0) if has_sides else (min(numbers), max(numbers))
    steps = [str(moment.round or page.say("glance.before")) for moment in moments]
    return [
        build_line_chart(
            page.say("glance.from_for_to_against" if has_sides else "glance.by_round"),
            page.say("glance.sides" if has_sides else "glance.by_round"),
            Axes(steps, page.say("stands.round"), low, high),
            {name: [moment_values.get(name) for moment_values in values] for name in page.seats},
        )
    ]


def _compute_position_value(entry: Mapping[str, Any]) -> float | None:
    if entry["number"] is not None:
        return float(entry["number"])
    if entry["answer"] not in SIDE_VALUES or entry["certainty"] is None:
        return None
    return float(SIDE_VALUES[entry["answer"]] * entry["certainty"])
