"""Hooks of the council: its chart, and the arms that an experiment cannot use with it."""

from collections.abc import Sequence

from ...state import ELLIPSIS, clip_text
from ..display.group_results import format_voting_rule
from ..display.wording import translate_report_phrase
from ..report import MISSING, Bar, Block, Page, build_bar_chart, build_duel_table, compute_full_value
from .hooks import NOBODY_TO_SILENCE, Hooks

ANSWER_LIMIT = 90
"""Length limit of an answer in the chart, in characters."""


def build_rank_chart(page: Page) -> Sequence[Block]:
    """Build a bar for each answer: the rule's figure, and each member's place; empty before the count.

    A member's own answer is outlined.
    """
    polls = [poll for poll in page.document.get("polls") or [] if poll["tally"]]
    if not polls:
        return []
    tally, reviews = polls[-1]["tally"], page.document["reviews"]
    answers = {turn["speakerId"]: turn for turn in page.document["turns"] if turn["speakerId"] in tally["totals"]}
    bars = []
    for name, turn in answers.items():
        cells = []
        for review in reviews:
            ranks = {number: str(rank) for rank, number in enumerate(review["ranking"], 1)}
            rank, kind = ranks.get(turn["turnNumber"], MISSING), "own" if review["voter"] == name else "place"
            cells.append((rank, f"{kind} first" if rank == "1" else kind))
        text = f"“{clip_text(' '.join(turn['content'].split()), ANSWER_LIMIT).replace(ELLIPSIS, '…')}”"
        bars.append(Bar(name, text, tally["totals"][name], name == tally["winner"], cells=cells))
    bars.sort(key=lambda bar: (not bar.winner, -bar.value))
    title = page.say("votes.undecided", why=page.get_label("settled", tally["settled"]))
    if tally["winner"]:
        first_count = sum(review["ranking"][:1] == [answers[tally["winner"]]["turnNumber"]] for review in reviews)
        title = page.say("reviews.won", who=tally["winner"], count=first_count, all=len(reviews))
    rule = format_voting_rule(tally["rule"], page.language)
    legend = [
        ("own", page.say("reviews.own")),
        ("place", page.say("reviews.places", who=page.comma.join(review["voter"] for review in reviews))),
    ]
    full_value = compute_full_value(tally)
    rule = page.say("reviews.points_of", rule=rule, full=full_value) if full_value else rule
    chart = build_bar_chart(title, page.say("reviews.note", rule=rule), bars, full_value, legend)
    return [chart, *build_duel_table(page, polls[-1])]


HOOKS = Hooks(
    charts=[build_rank_chart],
    synthesis_heading=lambda language: translate_report_phrase(language, "closings.council"),
    unfit_arms={
        "vote": "a council already votes by its first answers; leave it out",
        "influence": NOBODY_TO_SILENCE,
    },
)
