"""Overview at the top of a report: final shares of votes or positions, and their movement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...state.consensus import AgreementScore
from ...state.dialogue.finding import Transcript
from ...state.dialogue.repetition import echoes
from ...state.justice import PRINCIPLES, SharingRule, VotingRecord, get_ballot_number
from ...state.statement import MODERATOR
from .blocks import Figure, TableBlock, TableCell, format_figure
from .chart import Axes, Share, Strip, build_line_chart, build_strip
from .justice import find_justice_result, format_rule_short, translate_justice_term
from .page import Page
from .positions import build_agreement_chart, format_position_answer, get_agreement_threshold, list_answer_moments
from .section import Block, FoldedBlocks

SHARE_RULES = ("plurality", "majority", "supermajority", "unanimity")
"""Voting rules whose totals are numbers of ballots, and so shares of a whole."""


def build_overview(page: Page) -> list[Block]:
    """Return the final shares and the movement over rounds or turns, if they are on record."""
    return [*_pick_shares(page), *_build_movement(page)]


def _pick_shares(page: Page) -> Sequence[Strip]:
    """Return the shares of the last vote, or else of the last positions, or else of the last rankings."""
    builders = (
        build_vote_shares,
        _build_agreement_shares,
        _build_position_shares,
        _build_group_shares,
        _build_first_place_shares,
    )
    return next((strips for build in builders if (strips := build(page))), [])


def build_vote_shares(page: Page) -> list[Strip]:
    """Return the shares of the last counted vote."""
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    return build_poll_shares(page, polls[-1]) if polls else []


def build_poll_shares(page: Page, poll: Mapping[str, Any]) -> list[Strip]:
    """Return the votes by option, or the first choices if the rule's totals are not votes."""
    tally, report = poll["tally"], poll["report"] or {"tallies": {}}
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
    return _build_strips(page, title, shares)


def _build_strips(page: Page, title: str, shares: Sequence[Share]) -> list[Strip]:
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
    return _build_strips(page, page.say("glance.agreement", round=last_score.round), shares)


def _build_position_shares(page: Page) -> list[Strip]:
    """Return the shares of the last positions on record; an empty list for numbers."""
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
    return _build_strips(page, last_moments[0].title, shares)


def _build_group_shares(page: Page) -> list[Strip]:
    result = find_justice_result(page.document)
    records = [record for record in result.phase2.voting_records if record.ballots] if result else []
    return build_ballot_shares(page, records[-1]) if records else []


def build_ballot_shares(page: Page, record: VotingRecord) -> list[Strip]:
    """Return the ballots of one vote attempt of a justice experiment, by rule."""
    rule_by_sign = {format_rule_short(ballot): ballot for ballot in record.ballots.values()}
    counts = Counter(format_rule_short(ballot) for ballot in record.ballots.values())
    adopted_rule = format_rule_short(record.consensus) if record.consensus else ""
    shares = [
        Share(sign, _format_share_meaning(page, rule_by_sign[sign]), count, sign == adopted_rule)
        for sign, count in counts.most_common()
    ]
    return _build_strips(page, page.say("glance.group_ballots", round=record.round), shares)


def _format_share_meaning(page: Page, rule: SharingRule | None) -> str:
    return page.say("glance.left") if rule is None else translate_justice_term(page, "principles", rule.principle)


def _build_first_place_shares(page: Page) -> list[Strip]:
    result = find_justice_result(page.document)
    last_standing = result.measures.standings[-1] if result and result.measures.standings else None
    if last_standing is None:
        return []
    shares = [
        Share(
            str(get_ballot_number(principle)),
            translate_justice_term(page, "principles", principle),
            last_standing.first_places.get(principle, 0),
        )
        for principle in PRINCIPLES
    ]
    return _build_strips(page, page.say("glance.first_places"), shares)


def _build_movement(page: Page) -> Sequence[Block]:
    if page.document.get("weighings"):
        return build_agreement_chart(page)
    return _build_position_chart(page) or (
        _build_repetition_chart(page) if page.document["protocol"] == "debate" else []
    )


SIDE_VALUES = {"for": 1, "undecided": 0, "against": -1}
"""Direction of each position: 1 for, −1 against."""


def _build_position_chart(page: Page) -> Sequence[Block]:
    """Return a chart of positions over time: plain numbers, or sides weighted by certainty."""
    moments = list_answer_moments(page)
    values_by_moment = [
        {name: _compute_position_value(entry) for name, entry in moment.answers.items()} for moment in moments
    ]
    numbers = [value for entries in values_by_moment for value in entries.values() if value is not None]
    if len(moments) < 2 or len(numbers) < sum(map(len, values_by_moment)):
        return []
    has_sides = all(entry["number"] is None for moment in moments for entry in moment.answers.values())
    low, high = (-100.0, 100.0) if has_sides else (min(numbers), max(numbers))
    if low == high:
        return []
    axes = Axes(
        [str(moment.round) for moment in moments], page.say("stands.round"), low, high, [low, (low + high) / 2, high]
    )
    description = page.say("glance.sides" if has_sides else "glance.by_round")
    series = {name: [entries.get(name) for entries in values_by_moment] for name in page.seats}
    title = page.say("glance.from_for_to_against" if has_sides else "glance.by_round")
    return [build_line_chart(title, description, axes, series)]


def _compute_position_value(entry: Mapping[str, Any]) -> float | None:
    if entry["number"] is not None:
        return float(entry["number"])
    if entry["answer"] not in SIDE_VALUES or entry["certainty"] is None:
        return None
    return float(SIDE_VALUES[entry["answer"]] * entry["certainty"])


def _build_repetition_chart(page: Page) -> Sequence[Block]:
    """Return a chart of each side's self-repetition; an empty list below three figures."""
    statements = [turn for turn in page.document["turns"] if turn["speakerId"] != MODERATOR]
    repetitions = echoes(
        Transcript([(turn["speakerId"], turn["content"]) for turn in statements], page.document["topic"])
    )
    share_by_turn = {statements[echo.turn]["turnNumber"]: echo.share for echo in repetitions}
    if len(share_by_turn) < 3:
        return []
    turns = sorted(share_by_turn)
    speaker_by_turn = {entry["turnNumber"]: entry["speakerId"] for entry in statements}
    axes = Axes([str(turn) for turn in turns], page.say("incidents.turn"), 0, 1, [0, 0.25, 0.5, 0.75, 1])
    series = {
        name: [share_by_turn[turn] if speaker_by_turn[turn] == name else None for turn in turns] for name in page.seats
    }
    title, description = page.say("glance.repetition"), page.say("glance.repetition_about")
    rows: list[list[TableCell]] = [
        [Figure(turn), speaker_by_turn[turn], format_figure(share_by_turn[turn], 2)] for turn in turns
    ]
    head = [page.say("incidents.turn"), page.say("incidents.who"), page.say("glance.share")]
    return [
        build_line_chart(title, description, axes, series),
        FoldedBlocks(page.say("page.figures"), [TableBlock(title, head, rows)]),
    ]
