"""Hooks of the council: its chart, its rankings, and the arms that an experiment cannot use with it."""

from collections.abc import Sequence

from ...state import ELLIPSIS, clip_text
from ..display import format_voting_rule, translate_report_phrase
from ..report import (
    MISSING,
    Bar,
    Block,
    Figure,
    FoldedBlocks,
    Page,
    TableBlock,
    TableCell,
    build_bar_chart,
    build_duel_table,
    compute_full_value,
    format_figure,
)
from .hooks import NOBODY_TO_SILENCE, Hooks

ANSWER_LIMIT = 90  # characters


def build_rank_chart(page: Page) -> Sequence[Block]:
    """Build the chart of the rankings; empty before the count.

    It has a bar for each answer, with the voting rule's figure and each member's rank. The mark of a member's own
    answer is outlined.
    """
    if not (polls := [poll for poll in page.document.get("polls") or [] if poll["tally"]]):
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
    bars.sort(key=lambda bar: (not bar.is_winner, -bar.value))
    title = page.say("votes.undecided", why=page.get_label("settled", tally["status"]))
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
    return [
        build_bar_chart(title, page.say("reviews.note", rule=rule), bars, full_value, legend),
        *build_duel_table(page, polls[-1]),
    ]


def list_review_tables(page: Page) -> Sequence[Block]:
    """Build tables of the answers by mean rank, of all rankings, and of the critiques.

    Next to each ranking stands the order in which the member saw the answers.
    """
    if not (reviews := page.document.get("reviews") or []):
        return []
    concordance = page.document["concordance"]
    turns = {turn["speakerId"]: turn["turnNumber"] for turn in page.document["turns"]}
    answers: list[list[TableCell]] = [
        [
            page.link_turn(turns[author]),
            author,
            format_figure(concordance["mean_place"][author], 2),
            format_figure(concordance["ranked_by"][author]),
            format_figure(concordance["points"].get(author), 1),
        ]
        for author in sorted(concordance["mean_place"], key=concordance["mean_place"].get)
    ]
    rankings: list[list[TableCell]] = [
        [
            review["voter"],
            Figure(" > ".join(map(str, review["ranking"])) or page.say("votes.invalid")),
            Figure(" ".join(map(str, review["shown_turns"]))),
            format_figure(concordance["agreement"].get(review["voter"]), 2),
            format_figure(concordance["self_preference"].get(review["voter"]), 2, "+"),
        ]
        for review in reviews
    ]
    critiques: list[list[TableCell]] = [
        [review["voter"], page.link_turn(critique["turn"]), critique["text"] or MISSING]
        for review in reviews
        for critique in review["critiques"]
    ]
    answer_head = page.list_headings("reviews", "turn author mean_place ranked_by points")
    ranking_head = page.list_headings("reviews", "ranker ranking shown agreement self_preference")
    critique_head = page.list_headings("reviews", "ranker turn critique")
    title = page.say("reviews.critiques")
    return [
        TableBlock(page.say("reviews.answers"), answer_head, answers),
        TableBlock(page.say("reviews.rankings"), ranking_head, rankings),
        FoldedBlocks(title, [TableBlock(title, critique_head, critiques)]),
    ]


HOOKS = Hooks(
    sections={"reviews": [list_review_tables]},
    charts=[build_rank_chart],
    synthesis_heading=lambda language: translate_report_phrase(language, "closings.council"),
    unfit_arms={
        "vote": "a council has no deliberation to compare with its first answers; leave it out",
        "influence": NOBODY_TO_SILENCE,
    },
)
