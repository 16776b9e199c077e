"""Vote of the group in the justice experiment: proposal, consent, secret ballots and count."""

from ..nodes.justice.routes import has_group_consent, route_after_ballots, route_after_initiation
from ..nodes.justice.tally import announce_consents, collect, tally_vote
from ..nodes.justice.vote import ask_amount, ballot, confirm, initiate
from .protocol_graph import ProtocolGraph, add_node
from .voting import VoteNodes, add_vote_nodes

GROUP_VOTE_NODES = VoteNodes(
    initiate=initiate,
    consent=confirm,
    count_consents=announce_consents,
    cast_ballot=ballot,
    route_proposal=route_after_initiation,
    proposal_routes={"ask the next": "initiate", "no vote": "tally"},
    is_confirmed=has_group_consent,
)


def add_group_vote(graph: ProtocolGraph) -> None:
    """Add the nodes of the vote, which end with `tally`.

    The nodes begin with `initiate`, or with `confirm` if the vote needs no proposal. Without a proposal or enough
    consent, no ballots are cast, and `tally` records the attempt. The protocol adds the edges into the vote and out of
    `tally`.
    """
    add_vote_nodes(graph, GROUP_VOTE_NODES, refusal_node="tally", next_node="collect")
    add_node(graph, "collect", collect, "vote")
    add_node(graph, "amount", ask_amount, "vote")
    add_node(graph, "tally", tally_vote, "vote")

    graph.add_conditional_edges("collect", route_after_ballots, {"no amounts": "tally", "amount": "amount"})
    graph.add_edge("amount", "tally")
