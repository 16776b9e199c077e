"""Rankings of a council: each member's ranking, its agreement with the group, and every critique."""

from collections.abc import Sequence

from .blocks import MISSING, Block, Figure, FoldedBlocks, TableBlock, TableCell, format_figure
from .page import Page


def list_review_tables(page: Page) -> Sequence[Block]:
    """Build tables of the answers by mean rank, of all rankings, and of the critiques.

    The order in which a member saw the answers stands next to its ranking.
    """
    reviews = page.document.get("reviews") or []
    if not reviews:
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
            Figure(" ".join(map(str, review["shown"]))),
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
