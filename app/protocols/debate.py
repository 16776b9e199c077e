"""Hooks of the debate: a chart of each side's repetition of itself."""

from collections.abc import Sequence

from ...state.dialogue.finding import Transcript
from ...state.dialogue.repetition import echoes
from ...state.statement import MODERATOR
from ..report.blocks import Figure, TableBlock, TableCell, format_figure
from ..report.chart import Axes, build_line_chart
from ..report.page import Page
from ..report.section import Block, FoldedBlocks
from .hooks import Hooks


def build_repetition_chart(page: Page) -> Sequence[Block]:
    """Return a chart of each side's self-repetition, or an empty list for fewer than 3 data points."""
    statements = [turn for turn in page.document["turns"] if turn["speakerId"] != MODERATOR]
    texts = [(turn["speakerId"], turn["content"]) for turn in statements]
    repetitions = echoes(Transcript(texts, page.document["topic"]))
    shares = {statements[echo.turn]["turnNumber"]: echo.share for echo in repetitions}
    if len(shares) < 3:
        return []
    turns = sorted(shares)
    speakers = {turn["turnNumber"]: turn["speakerId"] for turn in statements}
    axes = Axes([str(turn) for turn in turns], page.say("incidents.turn"), 0, 1, [0, 0.25, 0.5, 0.75, 1])
    series = {name: [shares[turn] if speakers[turn] == name else None for turn in turns] for name in page.seats}
    title = page.say("glance.repetition")
    rows: list[list[TableCell]] = [[Figure(turn), speakers[turn], format_figure(shares[turn], 2)] for turn in turns]
    head = [*page.list_headings("incidents", "turn who"), page.say("glance.share")]
    return [
        build_line_chart(title, page.say("glance.repetition_about"), axes, series),
        FoldedBlocks(page.say("page.figures"), [TableBlock(title, head, rows)]),
    ]


HOOKS = Hooks(movement=[build_repetition_chart])
