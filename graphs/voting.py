"""A vote as a phase that any protocol may add: proposed, consented to, cast in secret, counted."""

from ..nodes.voting.roads import after_consents, after_initiation
from ..nodes.voting.tally import heed, tally
from ..nodes.voting.vote import Options, cast, consent, initiate
from ..prompts import Catalogue
from ..state.ends import EndingRule
from .wiring import Drawing, place


def add_vote(
    graph: Drawing, words: Catalogue, options: Options, capped: EndingRule, unheld: EndingRule, on: str = "synthesize"
) -> None:
    """Add a vote on `options`: it begins at `initiate` and leads `on`, or to `order` when it was refused.

    `words` needs the templates `consent` and `ballot`. Where `unheld` finds an ending, no vote is held and everyone is
    told why. Once `capped`, nobody is asked for consent, whatever led to the vote: there is no discussion to go back
    to. The protocol draws the edges into `initiate`.
    """
    place(graph, "initiate", initiate(options, unheld))
    place(graph, "consent", consent(words))
    place(graph, "heed", heed)
    place(graph, "cast", cast(words))
    place(graph, "tally", tally)

    begun = {"consent": "consent", "cast": "cast", "not held": on}
    graph.add_conditional_edges("initiate", after_initiation(capped), begun)
    graph.add_edge("consent", "heed")
    graph.add_conditional_edges("heed", after_consents, {"refused": "order", "cast": "cast"})
    graph.add_edge("cast", "tally")
    graph.add_edge("tally", on)
