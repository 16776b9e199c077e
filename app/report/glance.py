"""What a reader sees before reading: how votes or positions were shared out at the end, and how they came to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...state.consensus import Weighing
from ...state.dialogue.finding import Transcript
from ...state.dialogue.repetition import echoes
from ...state.justice import PRINCIPLES, SharingRule, VotingRecord, number_of
from ...state.statement import MODERATOR
from .blocks import Cell, Figure, Table, figure
from .chart import Axes, Share, Strip, line_chart, strip
from .experiment import justice_word, result_of, rule_in_short
from .page import Page
from .positions import agreement_chart, answered, taken, threshold
from .section import Block, Folded

COUNTED = ("plurality", "majority", "supermajority", "unanimity")
"""Rules whose totals are ballots, so that they are shares of a whole."""


def glance(page: Page) -> list[Block]:
    """The shares at the end, if there are any, and the movement over rounds or turns, if it is on record."""
    return [*_shares(page), *_movement(page)]


def _shares(page: Page) -> Sequence[Strip]:
    """The first of these that is on record: the last vote, the last positions, the last rankings."""
    made = (vote_shares, _agreeing, _positions, _group_ballots, _first_places)
    return next((found for one in made if (found := one(page))), [])


def vote_shares(page: Page) -> list[Strip]:
    """The last vote that was counted."""
    counted = [one for one in page.document.get("polls") or [] if one["tally"]]
    return poll_shares(page, counted[-1]) if counted else []


def poll_shares(page: Page, poll: Mapping[str, Any]) -> list[Strip]:
    """Votes by option; of a rule whose totals are no votes, the first choices; none where ballots have none."""
    tally, report = poll["tally"], poll["report"] or {"tallies": {}}
    itself = tally["rule"] in COUNTED
    shown = tally if itself else report["tallies"].get("plurality")
    if shown is None:
        return []
    title = page.say(f"glance.{'ballots' if itself else 'first_choices'}", number=poll["number"])
    chosen = tally["choice"] or tally["winner"]
    shares = [
        Share(page.word("sides", sign), text, shown["totals"].get(sign, 0), sign == chosen)
        for sign, text in poll["options"].items()
    ]
    if left := tally["abstentions"] + tally["invalid"]:
        shares.append(Share("", page.say("glance.left"), left))
    return _strip(page, title, shares)


def _strip(page: Page, title: str, shares: Sequence[Share]) -> list[Strip]:
    total = sum(share.count for share in shares)
    if not total:
        return []
    parts = page.comma.join(f"{share.sign or share.meaning} {share.count:g}" for share in shares if share.count)
    return [strip(title, page.say("glance.about_bar", total=f"{total:g}", parts=parts), shares)]


def _agreeing(page: Page) -> list[Strip]:
    weighings, bound = page.document.get("weighings") or [], threshold(page)
    if not weighings or bound is None:
        return []
    last = Weighing.model_validate(weighings[-1])
    agreeing, missing = len(last.agreeing(bound)), len(last.missing)
    shares = [
        Share("", page.say("glance.agree", threshold=f"{bound:g}"), agreeing, winner=True),
        Share("", page.say("glance.not_yet"), len(last.scores) - agreeing),
        *([Share("", page.say("glance.missing"), missing)] if missing else []),
    ]
    return _strip(page, page.say("glance.agreement", round=last.round), shares)


def _positions(page: Page) -> list[Strip]:
    """The last positions on record; figures are no shares."""
    last = taken(page)[-1:]
    if not last or any(one["number"] is not None for one in last[0].held.values()):
        return []
    counts = Counter(answered(page, one) for one in last[0].held.values())
    meant = page.document["rules"].get("options") or {}
    shares = [
        Share(position, meant[position], count)
        if meant.get(position, position) != position
        else Share("", position, count)
        for position, count in counts.most_common()
    ]
    return _strip(page, last[0].title, shares)


def _group_ballots(page: Page) -> list[Strip]:
    result = result_of(page.document)
    cast = [one for one in result.phase2.voting_records if one.ballots] if result else []
    return group_shares(page, cast[-1]) if cast else []


def group_shares(page: Page, record: VotingRecord) -> list[Strip]:
    """The ballots of a vote attempt of an experiment, by rule."""
    rules = {rule_in_short(one): one for one in record.ballots.values()}
    counts = Counter(rule_in_short(one) for one in record.ballots.values())
    adopted = rule_in_short(record.consensus) if record.consensus else ""
    shares = [Share(sign, _named(page, rules[sign]), count, sign == adopted) for sign, count in counts.most_common()]
    return _strip(page, page.say("glance.group_ballots", round=record.round), shares)


def _named(page: Page, rule: SharingRule | None) -> str:
    return page.say("glance.left") if rule is None else justice_word(page, "principles", rule.principle)


def _first_places(page: Page) -> list[Strip]:
    result = result_of(page.document)
    last = result.measures.standings[-1] if result and result.measures.standings else None
    if last is None:
        return []
    shares = [
        Share(str(number_of(one)), justice_word(page, "principles", one), last.first_places.get(one, 0))
        for one in PRINCIPLES
    ]
    return _strip(page, page.say("glance.first_places"), shares)


def _movement(page: Page) -> Sequence[Block]:
    if page.document.get("weighings"):
        return agreement_chart(page)
    return _moved(page) or (_repetition(page) if page.document["protocol"] == "debate" else [])


SIDES = {"for": 1, "undecided": 0, "against": -1}
"""Which way a position points."""


def _moved(page: Page) -> Sequence[Block]:
    """Positions over the moments they were asked at: numbers as they are, sides weighted by certainty."""
    moments = taken(page)
    values = [{name: _value(one) for name, one in each.held.items()} for each in moments]
    known = [value for each in values for value in each.values() if value is not None]
    if len(moments) < 2 or len(known) < sum(map(len, values)):
        return []
    sided = all(one["number"] is None for each in moments for one in each.held.values())
    low, high = (-100.0, 100.0) if sided else (min(known), max(known))
    if low == high:
        return []
    axes = Axes([str(one.round) for one in moments], page.say("stands.round"), low, high, [low, (low + high) / 2, high])
    about = page.say("glance.sides" if sided else "glance.by_round")
    series = {name: [each.get(name) for each in values] for name in page.seats}
    title = page.say("glance.from_for_to_against" if sided else "glance.by_round")
    return [line_chart(title, about, axes, series)]


def _value(one: Mapping[str, Any]) -> float | None:
    if one["number"] is not None:
        return float(one["number"])
    if one["answer"] not in SIDES or one["certainty"] is None:
        return None
    return float(SIDES[one["answer"]] * one["certainty"])


def _repetition(page: Page) -> Sequence[Block]:
    """How much of its own words each side says again, by turn; nothing before somebody could."""
    said = [one for one in page.document["turns"] if one["speakerId"] != MODERATOR]
    found = echoes(Transcript([(one["speakerId"], one["content"]) for one in said], page.document["topic"]))
    again = {said[echo.turn]["turnNumber"]: echo.share for echo in found}
    if len(again) < 3:
        return []
    turns = sorted(again)
    speakers = {one["turnNumber"]: one["speakerId"] for one in said}
    axes = Axes([str(turn) for turn in turns], page.say("incidents.turn"), 0, 1, [0, 0.25, 0.5, 0.75, 1])
    series = {name: [again[turn] if speakers[turn] == name else None for turn in turns] for name in page.seats}
    title, about = page.say("glance.repetition"), page.say("glance.repetition_about")
    rows: list[list[Cell]] = [[Figure(turn), speakers[turn], figure(again[turn], 2)] for turn in turns]
    head = [page.say("incidents.turn"), page.say("incidents.who"), page.say("glance.share")]
    return [line_chart(title, about, axes, series), Folded(page.say("page.figures"), [Table(title, head, rows)])]
