"""Votes: their options, the count, and the results of other rules on the same ballots."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...state.count import VOTING_RULES
from ...state.text import ELLIPSIS
from ..display.group_results import get_vote_heading_key
from .blocks import MISSING, Note, TableBlock, choose_decimals, format_figure, format_percent
from .chart import BarChart, Totals, build_bar_chart
from .page import Page
from .section import Block, FoldedBlocks

OPTION_LIMIT = 100
"""Length limit of an option in a sentence, in characters. A longer option appears as its sign."""


def list_vote_blocks(page: Page) -> Sequence[Block]:
    """Return the blocks of every vote, each in its last state."""
    polls = {poll["number"]: poll for poll in page.document.get("polls") or []}
    return [block for poll in polls.values() for block in _build_vote_blocks(page, poll)]


def _build_vote_blocks(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Note(describe_vote(page, poll)), _build_option_table(page, poll)]
    if poll["tally"] is None:
        return blocks
    details = [*_build_comparison(page, poll), *_build_ballot_table(page, poll)]
    return [*blocks, FoldedBlocks(page.say("sections.counting"), details)] if details else blocks


def build_poll_chart(page: Page, poll: Mapping[str, Any]) -> BarChart:
    """Build a chart of the totals of a counted vote."""
    tally = poll["tally"]
    get_side_label = partial(page.get_label, "sides")
    winner = get_side_label(tally["winner"]) if tally["winner"] else MISSING
    description = page.say("votes.about", winner=winner, votes=tally["votes"], voters=tally["voters"])
    winners = [get_side_label(tally["choice"] or tally["winner"])] if tally["winner"] else []
    title = page.say("votes.chart", number=poll["number"], rule=_get_rule_name(page, tally["rule"]))
    return build_bar_chart(
        title, description, Totals({get_side_label(sign): total for sign, total in tally["totals"].items()}, winners)
    )


def describe_vote(page: Page, poll: Mapping[str, Any]) -> str:
    """Describe the result of a vote in words."""
    initiator, tally = poll["initiator"] or page.say("votes.schedule"), poll["tally"]
    heading = page.say(get_vote_heading_key(poll), number=poll["number"], round=poll["round"], by=initiator)
    if tally is None:
        refusal = page.say("votes.refused", who=page.comma.join(poll["refused"])) if poll["refused"] else ""
        return page.join_sentences(heading, page.get_label("poll_events", poll["event"]), refusal)
    option_sign = tally["choice"] or tally["winner"] or page.say("votes.nobody")
    option_text = poll["options"].get(tally["choice"] or "", option_sign)
    winner = shorten_option(option_sign, option_text)
    method = {"rule": _get_rule_name(page, tally["rule"]), "settled": page.get_label("settled", tally["settled"])}
    winner = winner if winner.endswith(ELLIPSIS) else winner.rstrip(".。")
    count_sentence = page.say("votes.counted", winner=winner, turnout=format_percent(tally["turnout"]), **method)
    left_out_counts = {key: tally[key] for key in ("abstentions", "invalid", "excluded")}
    return page.join_sentences(
        heading, count_sentence, page.say("votes.left_out", **left_out_counts) if any(left_out_counts.values()) else ""
    )


def shorten_option(sign: str, text: str) -> str:
    """Return an option for a sentence or a column: its text, or its sign if the text is long."""
    return text if len(text) <= OPTION_LIMIT else sign


def _get_rule_name(page: Page, rule: str) -> str:
    return page.get_label("count_rules", rule) if rule in VOTING_RULES else rule.replace("_", " ")


def _build_option_table(page: Page, poll: Mapping[str, Any]) -> TableBlock:
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    decimals = choose_decimals(totals.values())
    rows = [
        [page.get_label("sides", sign), text, format_figure(totals.get(sign), decimals)]
        for sign, text in poll["options"].items()
    ]
    head = [page.say("votes.sign"), page.say("votes.option"), page.say("votes.total")]
    return TableBlock(page.say("votes.options", number=poll["number"]), head, rows)


def _build_comparison(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    """Return the results of the same ballots under every rule they support."""
    if not poll["report"]:
        return []
    rows = [
        [_get_rule_name(page, rule), tally["winner"] or page.say("votes.nobody"), _format_decision(page, tally)]
        for rule, tally in poll["report"]["tallies"].items()
    ]
    head = [page.say("votes.rule"), page.say("votes.winner"), page.say("votes.settled")]
    return [
        TableBlock(page.say("votes.compared", number=poll["number"]), head, rows),
        *(_describe_condorcet(page, poll["report"]) if len(poll["options"]) > 1 else []),
    ]


def _format_decision(page: Page, tally: Mapping[str, Any]) -> str:
    """Format how a count was decided, with the options that were tied."""
    tied_options = f" ({page.comma.join(tally['winners'])})" if len(tally["winners"]) > 1 else ""
    return page.get_label("settled", tally["settled"]) + tied_options


def _describe_condorcet(page: Page, report: Mapping[str, Any]) -> list[Block]:
    """Return a note on the Condorcet winner, or on the cycle of options that beat each other."""
    condorcet = report["condorcet"] or {}
    if condorcet.get("winner"):
        return [Note(page.say("votes.condorcet", winner=condorcet["winner"]))]
    return [Note(page.say("votes.cycle", cycle=" > ".join(condorcet["cycle"])))] if condorcet.get("cycle") else []


def _build_ballot_table(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    """Return the ballots of an open vote."""
    if not poll["ballots"]:
        return []
    rows = [[ballot["voter"], _format_ballot(page, ballot), ballot["reason"] or MISSING] for ballot in poll["ballots"]]
    head = [page.say("votes.voter"), page.say("votes.ballot"), page.say("votes.reason")]
    return [TableBlock(page.say("votes.box", number=poll["number"]), head, rows)]


def _format_ballot(page: Page, ballot: Mapping[str, Any]) -> str:
    if ballot["invalid"] or ballot["abstain"]:
        return page.say("votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["choice"] is not None:
        return str(ballot["choice"])
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["approvals"] is not None:
        return page.comma.join(ballot["approvals"]) or MISSING
    return page.comma.join(f"{option} {score:g}" for option, score in (ballot["scores"] or {}).items())
