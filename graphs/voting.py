"""Vote as a phase that any protocol can add: proposal, consent, secret ballots and count."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from ..nodes.voting.routes import has_full_consent, route_after_consents, route_after_initiation
from ..nodes.voting.vote import Options, cast_ballot, consent, count_consents, count_votes, initiate
from ..prompts import Templates
from ..state.stopping.rules import StoppingRule
from .protocol_graph import ProtocolGraph, add_node


@dataclass(frozen=True)
class VoteNodes:
    """Nodes and routes of one protocol's vote, from the proposal to the ballots.

    `consent`, `cast_ballot`: nodes named after their functions. Other nodes have the names of their fields.
    `route_proposal`: route from the proposal to the consents, or to one of `proposal_routes`. `is_confirmed`: whether
    the vote takes place.
    """

    initiate: Callable[..., Any]
    consent: Callable[..., Any]
    count_consents: Callable[..., Any]
    cast_ballot: Callable[..., Any]
    route_proposal: Callable[..., Any]
    proposal_routes: Mapping[Hashable, str]
    is_confirmed: Callable[[Any], bool]


def add_vote_nodes(graph: ProtocolGraph, nodes: VoteNodes, refusal_node: str, next_node: str) -> None:
    """Add the nodes that every vote has: the proposal, the consents, their count, and the ballots.

    The secret ballots lead to `next_node`. If consent is refused, no ballots are cast, and the route leads to
    `refusal_node`.
    """
    consent_node, ballot_node = nodes.consent.__name__, nodes.cast_ballot.__name__
    add_node(graph, "initiate", nodes.initiate, "vote")
    add_node(graph, consent_node, nodes.consent, "vote")
    add_node(graph, "count_consents", nodes.count_consents, "vote")
    add_node(graph, ballot_node, nodes.cast_ballot, "vote")

    graph.add_conditional_edges("initiate", nodes.route_proposal, {**nodes.proposal_routes, consent_node: consent_node})
    graph.add_edge(consent_node, "count_consents")
    graph.add_conditional_edges(
        "count_consents",
        route_after_consents(nodes.is_confirmed, ballot_node),
        {"refused": refusal_node, ballot_node: ballot_node},
    )
    graph.add_edge(ballot_node, next_node)


def add_vote(
    graph: ProtocolGraph,
    templates: Templates,
    options: Options,
    cap_rule: StoppingRule,
    vote_prevention_rule: StoppingRule,
    next_node: str = "synthesize",
    impossible_node: str = "decide",
) -> None:
    """Add a vote on `options`, from `initiate` to `next_node`, or to `order` if consent is refused.

    `templates` needs `consent` and `ballot`. If `vote_prevention_rule` finds an ending, everyone learns why no vote
    takes place, and the route leads to `impossible_node`. If `cap_rule` finds an ending, the vote needs no consent. The
    protocol adds the edges into `initiate`.
    """
    nodes = VoteNodes(
        initiate=initiate(options, vote_prevention_rule),
        consent=consent(templates),
        count_consents=count_consents,
        cast_ballot=cast_ballot(templates),
        route_proposal=route_after_initiation(cap_rule),
        proposal_routes={"cast_ballot": "cast_ballot", "not held": impossible_node},
        is_confirmed=has_full_consent,
    )
    add_vote_nodes(graph, nodes, refusal_node="order", next_node="tally")
    add_node(graph, "tally", count_votes, "vote")
    graph.add_edge("tally", next_node)
