"""How the rankings of a justice experiment moved over its four stages."""

from collections.abc import Sequence

from ...state.justice import PRINCIPLES, Change, Ranking, Standing, number_of, stage_rankings
from ...state.justice.result import JusticeResult
from .blocks import NONE, Cell, Figure, Note, Table, figure, percent
from .chart import Axes, line_chart
from .experiment import justice_word, principles, result_of
from .page import Page
from .section import Block

NUMBERS = ("1", "2", "3", "4")
STEPS = ("1 → 2", "2 → 3", "3 → 4", "1 → 4")
STAGES = ("initial", "post_explanation", "final", "last")


def rankings(page: Page) -> Sequence[Block]:
    """Mean ranks as a chart and a table, everyone's rankings, what changed at each step, and the flips."""
    result = result_of(page.document)
    if result is None or not result.measures.standings:
        return []
    standings, changes = result.measures.standings, result.measures.changes
    return [
        *_ceiling(page, result),
        principles(page),
        _chart(page, standings),
        _standings(page, standings),
        _everyone(page, result),
        _changes(page, result, changes),
        *(_flips(page, step, one) for step, one in zip(STEPS, changes, strict=True) if one.counted),
    ]


def _ceiling(page: Page, result: JusticeResult) -> list[Block]:
    found = result.measures.ceiling
    if not found.warning or found.principle is None:
        return []
    return [Note(page.say("justice.ceiling", share=percent(found.share), principle=number_of(found.principle)))]


def _stages(page: Page) -> list[str]:
    return [page.say(f"justice.{stage}") for stage in STAGES]


def _chart(page: Page, standings: Sequence[Standing]) -> Block:
    axes = Axes(list(NUMBERS), page.say("justice.ranking"), low=4, high=1, ticks=[1, 2, 3, 4])
    series = {
        f"{number_of(one)} · {justice_word(page, 'principles', one)}": [each.mean_rank.get(one) for each in standings]
        for one in PRINCIPLES
    }
    return line_chart(page.say("justice.mean_ranks"), page.say("justice.mean_ranks_about"), axes, series)


def _standings(page: Page, standings: Sequence[Standing]) -> Table:
    rows: list[list[Cell]] = [
        [
            f"{number_of(one)} · {justice_word(page, 'principles', one)}",
            *(_standing(page, each.mean_rank.get(one), each.first_places.get(one, 0)) for each in standings),
        ]
        for one in PRINCIPLES
    ]
    left_out = [page.say("justice.left_out"), *(figure(each.left_out) for each in standings)]
    return Table(page.say("justice.standings"), ["", *_stages(page)], rows, left_out, named=True)


def _standing(page: Page, mean: float | None, first: int) -> Cell:
    return Figure(NONE if mean is None else page.say("justice.standing", mean=figure(mean, 2), first=first))


def _everyone(page: Page, result: JusticeResult) -> Table:
    rows = [
        [
            alone.participant_name,
            *(_ranking(page, one) for one in stage_rankings(alone, result.phase2.final_rankings.get(id))),
        ]
        for id, alone in result.phase1.items()
    ]
    return Table(page.say("justice.rankings"), ["", *_stages(page)], rows)


def _ranking(page: Page, ranking: Ranking | None) -> str:
    if ranking is None:
        return NONE
    if ranking.defaulted:
        return page.say("justice.defaulted")
    order = "\N{NO-BREAK SPACE}".join(str(number_of(one)) for one in ranking.order)
    return f"{order} · {justice_word(page, 'certainties', ranking.certainty)}"


def _changes(page: Page, result: JusticeResult, changes: Sequence[Change]) -> Table:
    rows: list[list[Cell]] = [
        [alone.participant_name, *(figure(each.kendall.get(id)) for each in changes)]
        for id, alone in result.phase1.items()
    ]
    rows.append([page.say("stands.mean"), *(figure(each.kendall_mean, 2) for each in changes)])
    rows.append([page.say("justice.certainty_shift"), *(figure(each.certainty_mean, 2, "+") for each in changes)])
    left_out = [page.say("justice.left_out"), *(figure(each.left_out) for each in changes)]
    return Table(page.say("justice.changes"), ["", *STEPS], rows, left_out)


def _flips(page: Page, step: str, change: Change) -> Table:
    rows = [
        [number, *(figure(count) for count in counts)] for number, counts in zip(NUMBERS, change.flips, strict=True)
    ]
    title = page.say("justice.flips", step=step, count=change.counted, left_out=change.left_out)
    return Table(title, [page.say("justice.before_after"), *NUMBERS], rows, compact=True)
