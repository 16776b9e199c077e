"""The group's vote in the justice experiment: started by someone, confirmed by everyone, cast in secret, counted."""

from ..nodes.justice.roads import after_ballots, after_consents, after_initiation
from ..nodes.justice.tally import collect, heed, tally
from ..nodes.justice.vote import amount, ballot, confirm, initiate
from .wiring import Drawing, place


def add_group_vote(graph: Drawing) -> None:
    """Add the vote: it begins at `initiate`, or at `confirm` where nobody has to start it, and ends at `tally`.

    Where nobody starts it or someone refuses, nothing is cast; `tally` keeps the attempt. The protocol draws the edges
    in and those out of `tally`.
    """
    place(graph, "initiate", initiate)
    place(graph, "confirm", confirm)
    place(graph, "heed", heed)
    place(graph, "ballot", ballot)
    place(graph, "collect", collect)
    place(graph, "amount", amount)
    place(graph, "tally", tally)

    graph.add_conditional_edges(
        "initiate",
        after_initiation,
        {"ask the next": "initiate", "confirm": "confirm", "no vote": "tally"},
    )
    graph.add_edge("confirm", "heed")
    graph.add_conditional_edges("heed", after_consents, {"refused": "tally", "ballot": "ballot"})
    graph.add_edge("ballot", "collect")
    graph.add_conditional_edges("collect", after_ballots, {"no amounts": "tally", "amount": "amount"})
    graph.add_edge("amount", "tally")
