"""Votes: what could be chosen, how it was counted, and what other rules would have made of the same ballots."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...state.count import RULES
from ...state.text import ELLIPSIS
from ..display.group import held_key
from .blocks import NONE, Note, Table, figure, percent, places
from .chart import BarChart, Totals, bar_chart
from .page import Page
from .section import Block, Folded

LONGEST = 100
"""Characters of an option that stands in a sentence; a longer one stands there by its sign."""


def votes(page: Page) -> Sequence[Block]:
    """Every vote's end."""
    polls = {one["number"]: one for one in page.document.get("polls") or []}
    return [block for poll in polls.values() for block in _vote(page, poll)]


def _vote(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    begun: list[Block] = [Note(told(page, poll)), _options(page, poll)]
    if poll["tally"] is None:
        return begun
    how = [*_compared(page, poll), *_box(page, poll)]
    return [*begun, Folded(page.say("sections.counting"), how)] if how else begun


def poll_chart(page: Page, poll: Mapping[str, Any]) -> BarChart:
    """The totals of a vote that was counted."""
    tally = poll["tally"]
    about = page.say("votes.about", winner=tally["winner"] or NONE, votes=tally["votes"], voters=tally["voters"])
    chosen = [tally["choice"] or tally["winner"]] if tally["winner"] else []
    title = page.say("votes.chart", number=poll["number"], rule=_rule(page, tally["rule"]))
    return bar_chart(title, about, Totals(tally["totals"], chosen))


def told(page: Page, poll: Mapping[str, Any]) -> str:
    """What became of a vote, in words."""
    by, tally = poll["initiator"] or page.say("votes.schedule"), poll["tally"]
    held = page.say(held_key(poll), number=poll["number"], round=poll["round"], by=by)
    if tally is None:
        refused = page.say("votes.refused", who=page.comma.join(poll["refused"])) if poll["refused"] else ""
        return page.joined(held, page.word("poll_events", poll["event"]), refused)
    sign = tally["choice"] or tally["winner"] or page.say("votes.nobody")
    text = poll["options"].get(tally["choice"] or "", sign)
    won = shown(sign, text)
    how = {"rule": _rule(page, tally["rule"]), "settled": page.word("settled", tally["settled"])}
    won = won if won.endswith(ELLIPSIS) else won.rstrip(".。")
    counted = page.say("votes.counted", winner=won, turnout=percent(tally["turnout"]), **how)
    missing = {key: tally[key] for key in ("abstentions", "invalid", "excluded")}
    return page.joined(held, counted, page.say("votes.left_out", **missing) if any(missing.values()) else "")


def shown(sign: str, text: str) -> str:
    """An option in a sentence or over a column: its text, or, where that is long, its sign."""
    return text if len(text) <= LONGEST else sign


def _rule(page: Page, rule: str) -> str:
    return page.word("count_rules", rule) if rule in RULES else rule.replace("_", " ")


def _options(page: Page, poll: Mapping[str, Any]) -> Table:
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    decimals = places(totals.values())
    rows = [
        [page.word("sides", sign), text, figure(totals.get(sign), decimals)] for sign, text in poll["options"].items()
    ]
    head = [page.say("votes.sign"), page.say("votes.option"), page.say("votes.total")]
    return Table(page.say("votes.options", number=poll["number"]), head, rows)


def _compared(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    """The same ballots under every rule they support."""
    if not poll["report"]:
        return []
    rows = [
        [_rule(page, rule), one["winner"] or page.say("votes.nobody"), _settled(page, one)]
        for rule, one in poll["report"]["tallies"].items()
    ]
    head = [page.say("votes.rule"), page.say("votes.winner"), page.say("votes.settled")]
    return [
        Table(page.say("votes.compared", number=poll["number"]), head, rows),
        *(_pairs(page, poll["report"]) if len(poll["options"]) > 1 else []),
    ]


def _settled(page: Page, tally: Mapping[str, Any]) -> str:
    """How a count ended, with the equals it had to choose among."""
    equals = f" ({page.comma.join(tally['winners'])})" if len(tally["winners"]) > 1 else ""
    return page.word("settled", tally["settled"]) + equals


def _pairs(page: Page, report: Mapping[str, Any]) -> list[Block]:
    """Who beats every other option head to head, or in what circle they beat each other."""
    found = report["condorcet"] or {}
    if found.get("winner"):
        return [Note(page.say("votes.condorcet", winner=found["winner"]))]
    return [Note(page.say("votes.cycle", cycle=" > ".join(found["cycle"])))] if found.get("cycle") else []


def _box(page: Page, poll: Mapping[str, Any]) -> list[Block]:
    """The ballots, where the vote was open."""
    if not poll["ballots"]:
        return []
    rows = [[one["voter"], _said(page, one), one["reason"] or NONE] for one in poll["ballots"]]
    head = [page.say("votes.voter"), page.say("votes.ballot"), page.say("votes.reason")]
    return [Table(page.say("votes.box", number=poll["number"]), head, rows)]


def _said(page: Page, ballot: Mapping[str, Any]) -> str:
    if ballot["invalid"] or ballot["abstain"]:
        return page.say("votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["choice"] is not None:
        return str(ballot["choice"])
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["approvals"] is not None:
        return page.comma.join(ballot["approvals"]) or NONE
    return page.comma.join(f"{option} {score:g}" for option, score in (ballot["scores"] or {}).items())
