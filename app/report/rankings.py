"""Rankings of a justice experiment over its four stages."""

from collections.abc import Sequence

from ...state.justice import (
    PRINCIPLES,
    Ranking,
    RankingChange,
    RankingSummary,
    get_ballot_number,
    list_stage_rankings,
)
from ...state.justice.result import JusticeResult
from .blocks import MISSING, Figure, Note, TableBlock, TableCell, format_figure, format_percent
from .chart import Axes, build_line_chart
from .justice import build_principle_legend, find_justice_result, translate_justice_term
from .page import Page
from .section import Block

PRINCIPLE_NUMBERS = ("1", "2", "3", "4")
STAGE_STEPS = ("1 → 2", "2 → 3", "3 → 4", "1 → 4")
RANKING_STAGES = ("initial", "post_explanation", "final", "last")


def list_ranking_tables(page: Page) -> Sequence[Block]:
    """Return mean ranks as a chart and a table, all rankings, the changes at each step, and the flips."""
    result = find_justice_result(page.document)
    if result is None or not result.measures.standings:
        return []
    standings, changes = result.measures.standings, result.measures.changes
    return [
        *_build_ceiling_note(page, result),
        build_principle_legend(page),
        _build_rank_chart(page, standings),
        _build_standings_table(page, standings),
        _build_ranking_table(page, result),
        _build_change_table(page, result, changes),
        *(
            _build_flip_table(page, step, change)
            for step, change in zip(STAGE_STEPS, changes, strict=True)
            if change.counted
        ),
    ]


def _build_ceiling_note(page: Page, result: JusticeResult) -> list[Block]:
    ceiling = result.measures.ceiling
    if not ceiling.warning or ceiling.principle is None:
        return []
    return [
        Note(
            page.say(
                "justice.ceiling", share=format_percent(ceiling.share), principle=get_ballot_number(ceiling.principle)
            )
        )
    ]


def _list_stage_names(page: Page) -> list[str]:
    return [page.say(f"justice.{stage}") for stage in RANKING_STAGES]


def _build_rank_chart(page: Page, standings: Sequence[RankingSummary]) -> Block:
    axes = Axes(list(PRINCIPLE_NUMBERS), page.say("justice.ranking"), low=4, high=1, ticks=[1, 2, 3, 4])
    series = {
        f"{get_ballot_number(principle)} · {translate_justice_term(page, 'principles', principle)}": [
            standing.mean_rank.get(principle) for standing in standings
        ]
        for principle in PRINCIPLES
    }
    return build_line_chart(page.say("justice.mean_ranks"), page.say("justice.mean_ranks_about"), axes, series)


def _build_standings_table(page: Page, standings: Sequence[RankingSummary]) -> TableBlock:
    rows: list[list[TableCell]] = [
        [
            f"{get_ballot_number(principle)} · {translate_justice_term(page, 'principles', principle)}",
            *(
                _format_standing(page, standing.mean_rank.get(principle), standing.first_places.get(principle, 0))
                for standing in standings
            ),
        ]
        for principle in PRINCIPLES
    ]
    left_out_row = [page.say("justice.left_out"), *(format_figure(standing.left_out) for standing in standings)]
    return TableBlock(
        page.say("justice.standings"), ["", *_list_stage_names(page)], rows, left_out_row, has_long_names=True
    )


def _format_standing(page: Page, mean: float | None, first_places: int) -> TableCell:
    return Figure(
        MISSING if mean is None else page.say("justice.standing", mean=format_figure(mean, 2), first=first_places)
    )


def _build_ranking_table(page: Page, result: JusticeResult) -> TableBlock:
    rows = [
        [
            member.participant_name,
            *(
                _format_ranking(page, ranking)
                for ranking in list_stage_rankings(member, result.phase2.final_rankings.get(id))
            ),
        ]
        for id, member in result.phase1.items()
    ]
    return TableBlock(page.say("justice.rankings"), ["", *_list_stage_names(page)], rows)


def _format_ranking(page: Page, ranking: Ranking | None) -> str:
    if ranking is None:
        return MISSING
    if ranking.defaulted:
        return page.say("justice.defaulted")
    rank_order = "\N{NO-BREAK SPACE}".join(str(get_ballot_number(principle)) for principle in ranking.order)
    return f"{rank_order} · {translate_justice_term(page, 'certainties', ranking.certainty)}"


def _build_change_table(page: Page, result: JusticeResult, changes: Sequence[RankingChange]) -> TableBlock:
    rows: list[list[TableCell]] = [
        [member.participant_name, *(format_figure(change.kendall.get(id)) for change in changes)]
        for id, member in result.phase1.items()
    ]
    rows.append([page.say("stands.mean"), *(format_figure(change.kendall_mean, 2) for change in changes)])
    rows.append(
        [page.say("justice.certainty_shift"), *(format_figure(change.certainty_mean, 2, "+") for change in changes)]
    )
    left_out_row = [page.say("justice.left_out"), *(format_figure(change.left_out) for change in changes)]
    return TableBlock(page.say("justice.changes"), ["", *STAGE_STEPS], rows, left_out_row)


def _build_flip_table(page: Page, step: str, change: RankingChange) -> TableBlock:
    rows = [
        [number, *(format_figure(count) for count in counts)]
        for number, counts in zip(PRINCIPLE_NUMBERS, change.flips, strict=True)
    ]
    title = page.say("justice.flips", step=step, count=change.counted, left_out=change.left_out)
    return TableBlock(title, [page.say("justice.before_after"), *PRINCIPLE_NUMBERS], rows, compact=True)
