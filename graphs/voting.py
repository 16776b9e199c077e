"""A vote as a phase that any protocol may add: proposed, consented to, cast in secret, counted."""

from ..nodes.consensus.roads import after_consent, to_consent
from ..nodes.step import Road
from ..nodes.tally import heed, tally
from ..nodes.vote import Options, cast, consent, initiate
from ..prompts import Catalogue
from ..state.ends import EndingRule
from .wiring import Drawing, place


def add_vote(graph: Drawing, words: Catalogue, options: Options, capped: EndingRule) -> None:
    """Add a vote on `options`: it begins at `initiate` and ends at `tally`, or at `order` when it was refused.

    The state needs the voting channels, `words` the templates `consent` and `ballot`. Once `capped`, nobody is asked
    for consent, whatever led to the vote: there is no discussion to go back to. The protocol draws the edges into
    `initiate` and out of `tally`.
    """
    place(graph, "initiate", initiate(options))
    place(graph, "consent", consent(words))
    place(graph, "heed", heed)
    place(graph, "cast", cast(words))
    place(graph, "tally", tally)

    graph.add_conditional_edges("initiate", Road(to_consent(capped)), ["consent", "cast"])
    graph.add_edge("consent", "heed")
    graph.add_conditional_edges("heed", Road(after_consent), {"refused": "order", "cast": "cast"})
    graph.add_edge("cast", "tally")
