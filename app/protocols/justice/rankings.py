"""Rankings of a justice experiment over its four stages."""

from collections.abc import Sequence

from ....state.justice import (
    PRINCIPLES,
    Ranking,
    get_ballot_number,
    list_stage_rankings,
    parse_justice_result,
)
from ...report import (
    MISSING,
    Axes,
    Block,
    Figure,
    Page,
    Paragraph,
    TableBlock,
    TableCell,
    build_line_chart,
    format_figure,
)
from .report import build_principle_legend, translate_term

PRINCIPLE_NUMBERS = ("1", "2", "3", "4")
STAGE_KEYS = "initial post_explanation final last"
STAGE_STEPS = ("1 → 2", "2 → 3", "3 → 4", "1 → 4")


def list_ranking_tables(page: Page) -> Sequence[Block]:
    """Build the chart and the tables of the rankings: mean ranks, all rankings, and changes."""
    measures = parse_justice_result(page.document).measures
    if not measures.standings:
        return []
    ceiling_notes = [block for block in build_ranking_tables(page) if isinstance(block, Paragraph)]
    tables = [block for block in build_ranking_tables(page) if isinstance(block, TableBlock)]
    names = {key: f"{get_ballot_number(key)} · {translate_term(page, 'principles', key)}" for key in PRINCIPLES}
    axes = Axes(list(PRINCIPLE_NUMBERS), page.say("justice.ranking"), low=4, high=1)
    series = {name: [standing.mean_rank.get(key) for standing in measures.standings] for key, name in names.items()}
    standing_rows: list[list[TableCell]] = [
        [
            name,
            *(
                Figure(
                    page.say("justice.standing", mean=format_figure(mean, 2), first=standing.first_places.get(key, 0))
                )
                if (mean := standing.mean_rank.get(key)) is not None
                else Figure(MISSING)
                for standing in measures.standings
            ),
        ]
        for key, name in names.items()
    ]
    left_out = [page.say("justice.left_out"), *(format_figure(standing.left_out) for standing in measures.standings)]
    standing_head = ["", *page.list_headings("justice", STAGE_KEYS)]
    blocks: list[Block] = [
        *ceiling_notes,
        build_principle_legend(page),
        build_line_chart(page.say("justice.mean_ranks"), page.say("justice.mean_ranks_about"), axes, series),
        TableBlock(page.say("justice.standings"), standing_head, standing_rows, left_out, has_long_names=True),
        *tables,
    ]
    for step, change in zip(STAGE_STEPS, measures.changes, strict=True):
        if change.counted:
            rows = [
                [number, *map(format_figure, counts)]
                for number, counts in zip(PRINCIPLE_NUMBERS, change.flips, strict=True)
            ]
            title = page.say("justice.flips", step=step, count=change.counted, left_out=change.left_out)
            blocks.append(
                TableBlock(title, [page.say("justice.before_after"), *PRINCIPLE_NUMBERS], rows, is_compact=True)
            )
    return blocks


def build_ranking_tables(page: Page) -> list[Paragraph | TableBlock]:
    """Build tables of all rankings and of their changes between stages; empty without a ranking.

    A note follows if most members began with the same principle.
    """
    result = parse_justice_result(page.document)
    changes, ceiling = result.measures.changes, result.measures.ceiling
    if not result.measures.standings:
        return []
    ranking_rows = [
        [
            member.participant_name,
            *(
                _format_ranking(page, ranking)
                for ranking in list_stage_rankings(member, result.phase2.final_rankings.get(id))
            ),
        ]
        for id, member in result.phase1.items()
    ]
    change_rows: list[list[TableCell]] = [
        [member.participant_name, *(format_figure(change.kendall.get(id)) for change in changes)]
        for id, member in result.phase1.items()
    ]
    mean_cells = [format_figure(change.kendall_mean, 2) for change in changes]
    certainty_cells = [format_figure(change.certainty_mean, 2, "+") for change in changes]
    # counts beside the diagonal: another principle in the first place than before
    flip_counts = [sum(map(sum, change.flips)) - sum(change.flips[n][n] for n in range(4)) for change in changes]
    flip_cells = [
        Figure(page.say("justice.of", count=count, all=change.counted))
        for count, change in zip(flip_counts, changes, strict=True)
    ]
    change_rows += [
        [page.say("stands.mean"), *mean_cells],
        [page.say("justice.flipped"), *flip_cells],
        [page.say("justice.certainty_shift"), *certainty_cells],
    ]
    left_out = [page.say("justice.left_out"), *(format_figure(change.left_out) for change in changes)]
    blocks: list[Paragraph | TableBlock] = [
        TableBlock(page.say("justice.rankings"), ["", *page.list_headings("justice", STAGE_KEYS)], ranking_rows),
        TableBlock(page.say("justice.changes"), ["", *STAGE_STEPS], change_rows, left_out),
    ]
    if ceiling.warning and ceiling.principle is not None and ceiling.share is not None:
        values = {"share": f"{ceiling.share:.0%}", "principle": get_ballot_number(ceiling.principle)}
        blocks.append(Paragraph(page.say("justice.ceiling", **values)))
    return blocks


def _format_ranking(page: Page, ranking: Ranking | None) -> str:
    if ranking is None:
        return MISSING
    if ranking.defaulted:
        return page.say("justice.defaulted")
    rank_order = "\N{NO-BREAK SPACE}".join(str(get_ballot_number(principle)) for principle in ranking.order)
    return f"{rank_order} · {translate_term(page, 'certainties', ranking.certainty)}"
