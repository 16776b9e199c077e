"""Overview at the top of a report: final shares of votes or positions, and their movement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ...state.consensus import AgreementScore
from ..protocols.hooks import BlockMaker
from .blocks import Block
from .chart import Axes, Share, Strip, build_line_chart, build_strip
from .page import Page
from .positions import build_agreement_chart, format_position_answer, get_agreement_threshold, list_answer_moments

SHARE_RULES = ("plurality", "majority", "supermajority", "unanimity")
"""Voting rules whose totals are numbers of ballots. Only these totals are shares of a whole."""


def build_overview(page: Page) -> list[Block]:
    """Build charts of the final shares and of their movement over rounds or turns, if they are on record.

    The shares are those of the last vote, else of the last agreement, else of the last positions, else of the protocol.
    """
    share_builders = (_build_vote_shares, _build_agreement_shares, _build_position_shares, *page.hooks.shares)
    has_agreement = bool(page.document.get("weighings"))
    movement_builders = [build_agreement_chart] if has_agreement else [_build_position_chart, *page.hooks.movement]
    alternatives: list[Sequence[BlockMaker]] = [share_builders, movement_builders]
    return [*chain(*(next(filter(None, (builder(page) for builder in builders)), []) for builders in alternatives))]


def _build_vote_shares(page: Page) -> list[Strip]:
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    if not polls:
        return []
    # the votes by option, or the first choices if the rule's totals are not votes
    poll, tally, report = polls[-1], polls[-1]["tally"], polls[-1]["report"] or {"tallies": {}}
    has_vote_totals = tally["rule"] in SHARE_RULES
    share_tally = tally if has_vote_totals else report["tallies"].get("plurality")
    if share_tally is None:
        return []
    title = page.say(f"glance.{'ballots' if has_vote_totals else 'first_choices'}", number=poll["number"])
    winner = tally["choice"] or tally["winner"]
    shares = [
        Share(page.get_label("sides", sign), text, share_tally["totals"].get(sign, 0), sign == winner)
        for sign, text in poll["options"].items()
    ]
    if unused_count := tally["abstentions"] + tally["invalid"]:
        shares.append(Share("", page.say("glance.left"), unused_count))
    return build_strips(page, title, shares)


def build_strips(page: Page, title: str, shares: Sequence[Share]) -> list[Strip]:
    """Build a strip of shares; empty if every share is empty."""
    total = sum(share.count for share in shares)
    if not total:
        return []
    share_list = page.comma.join(f"{share.sign or share.meaning} {share.count:g}" for share in shares if share.count)
    return [build_strip(title, page.say("glance.about_bar", total=f"{total:g}", parts=share_list), shares)]


def _build_agreement_shares(page: Page) -> list[Strip]:
    agreement_scores, threshold = page.document.get("weighings") or [], get_agreement_threshold(page)
    if not agreement_scores or threshold is None:
        return []
    last_score = AgreementScore.model_validate(agreement_scores[-1])
    agreeing_count, missing_count = len(last_score.list_agreeing(threshold)), len(last_score.missing)
    shares = [
        Share("", page.say("glance.agree", threshold=f"{threshold:g}"), agreeing_count, winner=True),
        Share("", page.say("glance.not_yet"), len(last_score.scores) - agreeing_count),
        *([Share("", page.say("glance.missing"), missing_count)] if missing_count else []),
    ]
    return build_strips(page, page.say("glance.agreement", round=last_score.round), shares)


def _build_position_shares(page: Page) -> list[Strip]:
    """Build a strip of the last positions on record; empty for numbers."""
    last_moments = list_answer_moments(page)[-1:]
    if not last_moments or any(entry["number"] is not None for entry in last_moments[0].answers.values()):
        return []
    counts = Counter(format_position_answer(page, entry) for entry in last_moments[0].answers.values())
    meanings = page.document["settings"].get("options") or {}
    shares = [
        Share(position, meanings[position], count)
        if meanings.get(position, position) != position
        else Share("", position, count)
        for position, count in counts.most_common()
    ]
    return build_strips(page, last_moments[0].title, shares)


SIDE_VALUES = {"for": 1, "undecided": 0, "against": -1}
"""Direction of each position: 1 for, −1 against."""


def _build_position_chart(page: Page) -> Sequence[Block]:
    """Build a chart of positions over time: numbers, or sides weighted by certainty."""
    moments = list_answer_moments(page)
    values = [{name: _compute_position_value(entry) for name, entry in moment.answers.items()} for moment in moments]
    numbers = [value for moment_values in values for value in moment_values.values() if value is not None]
    if len(moments) < 2 or len(numbers) < sum(map(len, values)):
        return []
    has_sides = all(entry["number"] is None for moment in moments for entry in moment.answers.values())
    low, high = (-100.0, 100.0) if has_sides else (min(numbers), max(numbers))
    if low == high:
        return []
    rounds, ticks = [str(moment.round) for moment in moments], [low, (low + high) / 2, high]
    axes = Axes(rounds, page.say("stands.round"), low, high, ticks)
    series = {name: [moment_values.get(name) for moment_values in values] for name in page.seats}
    title = page.say("glance.from_for_to_against" if has_sides else "glance.by_round")
    description = page.say("glance.sides" if has_sides else "glance.by_round")
    return [build_line_chart(title, description, axes, series)]


def _compute_position_value(entry: Mapping[str, Any]) -> float | None:
    if entry["number"] is not None:
        return float(entry["number"])
    if entry["answer"] not in SIDE_VALUES or entry["certainty"] is None:
        return None
    return float(SIDE_VALUES[entry["answer"]] * entry["certainty"])
