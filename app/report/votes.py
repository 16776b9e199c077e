"""Votes in a report: their options, the count, and the results of other rules on the same ballots."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...state import ELLIPSIS, clip_text
from ..display.group_results import (
    describe_count,
    describe_poll,
    describe_vote_start,
    format_ballot,
    format_voting_rule,
)
from .blocks import (
    MISSING,
    Bar,
    BarChart,
    Block,
    Figure,
    FoldedBlocks,
    Paragraph,
    TableBlock,
    choose_decimals,
    format_figure,
)
from .chart import build_bar_chart
from .page import Page

OPTION_LIMIT = 100
"""Maximum characters of an option in a sentence. A longer option appears as its sign."""


def list_vote_blocks(page: Page) -> Sequence[Block]:
    """Build the blocks of every vote in its last state."""
    polls = {poll["number"]: poll for poll in page.document.get("polls") or []}
    blocks: list[Block] = []
    for poll in polls.values():
        totals = poll["tally"]["totals"] if poll["tally"] else {}
        decimals = choose_decimals(totals.values())
        rows = [
            [page.get_label("sides", sign), text, format_figure(totals.get(sign), decimals)]
            for sign, text in poll["options"].items()
        ]
        title, head = page.say("votes.options", number=poll["number"]), page.list_headings("votes", "sign option total")
        blocks += [Paragraph(describe_vote(page, poll)), TableBlock(title, head, rows)]
        details = _build_details(page, poll) if poll["tally"] else []
        blocks += [FoldedBlocks(page.say("sections.counting"), details)] if details else []
    return blocks


def list_poll_blocks(page: Page) -> Sequence[Block]:
    """Build blocks about every vote in its last state: options, count, result and public ballots."""
    polls = {poll["number"]: poll for poll in page.document.get("polls") or []}
    return [block for poll in polls.values() for block in describe_poll(poll, page.document["settings"], page.language)]


def build_poll_chart(page: Page, poll: Mapping[str, Any]) -> BarChart:
    """Build a chart of a counted vote: each option in full, with the figure of the rule.

    The winner comes first.
    """
    tally, totals = poll["tally"], poll["tally"]["totals"]
    winner = tally["choice"] or tally["winner"]
    if tally["rule"] == "instant_runoff" and tally["rounds"]:
        totals = {sign: tally["rounds"][-1].get(sign, 0) for sign in totals}
    order = sorted(totals, key=lambda sign: (sign != winner, -totals[sign]))
    texts = {sign: poll["options"].get(sign, sign) for sign in order}
    bars = [
        Bar(
            "" if texts[sign] in (sign, label) else sign,
            label if texts[sign] == sign else texts[sign],
            totals[sign],
            sign == winner,
        )
        for sign in order
        for label in [page.get_label("sides", sign)]
    ]
    title = page.say("votes.undecided", why=page.get_label("settled", tally["status"]))
    if winner:
        title = page.say("votes.won", option=clip_text(texts.get(winner, winner), OPTION_LIMIT).rstrip(".。"))
    rule = format_voting_rule(tally["rule"], page.language)
    note = page.say("votes.chart", number=poll["number"], rule=rule, votes=tally["votes"], voters=tally["voters"])
    full_value = compute_full_value(tally)
    most = page.say("votes.most", full=full_value) if full_value else ""
    return build_bar_chart(title, "; ".join(filter(None, [note, most])), bars, full_value)


def compute_full_value(tally: Mapping[str, Any]) -> int:
    """Compute the highest figure that an option can reach under the rule; 0 without a maximum."""
    votes, rivals = int(tally["votes"]), len(tally["totals"]) - 1
    if tally["rule"] in ("copeland", "schulze", "ranked_pairs"):
        return rivals
    if tally["rule"] == "instant_runoff":
        return int(sum(tally["rounds"][-1].values())) if tally["rounds"] else 0
    by_rule = {"borda": votes * rivals} | dict.fromkeys(
        ("unanimity", "supermajority", "majority", "plurality", "approval"), votes
    )
    return by_rule.get(tally["rule"], 0)


def build_duel_table(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    """Build the table of all pairs of options; empty for ballots that do not compare options.

    If the options form a cycle, the table is unfolded, and a note names the cycle.
    """
    report = poll["report"] or {"tallies": {}, "condorcet": None}
    wins: dict[str, dict[str, int]] = next(
        (tally["pairwise"] for tally in report["tallies"].values() if tally["pairwise"]), {}
    )
    rows = []
    for sign, row in wins.items():
        won_count = sum(row.get(rival, 0) > wins[rival].get(sign, 0) for rival in wins if rival != sign)
        duels = page.say("votes.of", count=won_count, all=len(wins) - 1)
        rows.append([sign, *(Figure(row.get(rival, "·")) for rival in wins), Figure(duels)])
    title, cycle = page.say("votes.against", votes=poll["tally"]["votes"]), (report["condorcet"] or {}).get("cycle")
    notes = [Paragraph(page.say("votes.cycle", cycle=" > ".join(cycle)))] if cycle else []
    table = TableBlock(title, ["", *wins, page.say("votes.duel_head")], rows)
    return [FoldedBlocks(page.say("votes.duels"), [*notes, table], is_open=bool(cycle))] if wins else []


def describe_vote(page: Page, poll: Mapping[str, Any]) -> str:
    """Return a sentence about the result of a vote."""
    tally, heading = poll["tally"], describe_vote_start(poll, page.language)
    if tally is None:
        refusal = page.say("votes.refused", who=page.comma.join(poll["refused"])) if poll["refused"] else ""
        return page.join_sentences(heading, page.get_label("poll_events", poll["event"]), refusal)
    option_sign = tally["choice"] or tally["winner"] or page.say("votes.nobody")
    winner = shorten_option(option_sign, poll["options"].get(tally["choice"] or "", option_sign))
    winner = winner if winner.endswith(ELLIPSIS) else winner.rstrip(".。")
    return page.join_sentences(heading, *describe_count(tally, winner, page.language))


def shorten_option(sign: str, text: str) -> str:
    """Return an option for a sentence or a column: its text, or its sign if the text is long."""
    return text if len(text) <= OPTION_LIMIT else sign


def _build_details(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if report := poll["report"]:
        rows = []
        for rule, tally in report["tallies"].items():
            tied_options = f" ({page.comma.join(tally['winners'])})" if len(tally["winners"]) > 1 else ""
            decision = page.get_label("settled", tally["status"]) + tied_options
            rows.append(
                [format_voting_rule(rule, page.language), tally["winner"] or page.say("votes.nobody"), decision]
            )
        head = page.list_headings("votes", "rule winner settled")
        blocks.append(TableBlock(page.say("votes.compared", number=poll["number"]), head, rows))
        condorcet = (report["condorcet"] or {}) if len(poll["options"]) > 1 else {}
        if condorcet.get("winner"):
            blocks.append(Paragraph(page.say("votes.condorcet", winner=condorcet["winner"])))
        elif condorcet.get("cycle"):
            blocks.append(Paragraph(page.say("votes.cycle", cycle=" > ".join(condorcet["cycle"]))))
    if poll["ballots"]:
        rows = [
            [ballot["voter"], format_ballot(ballot, page.language), ballot["reason"] or MISSING]
            for ballot in poll["ballots"]
        ]
        head = page.list_headings("votes", "voter ballot reason")
        blocks.append(TableBlock(page.say("votes.box", number=poll["number"]), head, rows))
    return blocks
