"""Hooks of the jury: its chart, a section with the count of each ballot, and the minority's reasons."""

from collections.abc import Sequence

from ...state.jury import collect_minority_reasons, compute_needed_votes
from ...state.positions.position import Position, group_by_moment
from ..report import MISSING, Bar, Block, Page, TableBlock, TableCell, build_bar_chart, format_figure, shorten_option
from .hooks import ANSWER_SETTINGS, SEAT_SETTINGS, Hooks

MAX_SQUARES = 12
"""Maximum number of jurors shown as squares. A larger jury is shown as a bar."""


def build_ballot_chart(page: Page) -> Sequence[Block]:
    """Build the chart of a jury's ballots; empty before the first count.

    It has a row for each ballot, with a square for each juror.
    """
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    bars, counts = list[Bar](), list[str]()
    for poll in polls:
        tally, totals = poll["tally"], poll["tally"]["totals"]
        signs = sorted(poll["options"], key=lambda sign: -polls[-1]["tally"]["totals"].get(sign, 0))
        values = [totals.get(sign, 0) for sign in signs]
        counts.append(" – ".join(map(str, values)))
        cells = [("■", f"vote-{index}") for index, value in enumerate(values) for _ in range(value)]
        text = page.say("jury.after", round=poll["round"]) if poll["round"] else page.say("jury.first")
        shown_cells = cells if len(page.seats) <= MAX_SQUARES else []
        bars.append(Bar("", text, values[0], bool(tally["winner"]), counts[-1], cells=shown_cells))
    if not bars:
        return []
    option = page.get_label("sides", polls[-1]["options"][signs[0]])
    title = page.say("jury.moved", option=shorten_option(signs[0], option), first=counts[0], last=counts[-1])
    needed = compute_needed_votes(page.document["settings"]["verdict_rule"], len(page.seats))
    legend = [
        (f"vote-{index}", page.get_label("sides", polls[-1]["options"][sign])) for index, sign in enumerate(signs)
    ]
    note = page.say("jury.about", count=len(page.seats), needed=needed)
    return [build_bar_chart(title, note, bars, full_value=len(page.seats), legend=legend)]


def build_ballot_section(page: Page) -> Sequence[Block]:
    """Build the report blocks about a jury's counted ballots; empty without a count."""
    if not (polls := [poll for poll in page.document.get("polls") or [] if poll["tally"]]):
        return []
    seat_count, options, blocks = len(page.seats), polls[0]["options"], list[Block]()
    needed_votes = compute_needed_votes(page.document["settings"]["verdict_rule"], seat_count)
    labels = {sign: shorten_option(sign, text) for sign, text in options.items()}
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


HOOKS = Hooks(
    charts=[build_ballot_chart],
    sections={"course": [build_ballot_section]},
    tool_settings=(*SEAT_SETTINGS, *ANSWER_SETTINGS, "max_rounds", "juror_count", "verdict_rule", "deadlock_after"),
)
