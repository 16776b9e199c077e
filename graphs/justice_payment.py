"""End of the justice experiment: draw and pay the incomes, and ask for the last ranking."""

from langgraph.graph import END

from ..nodes.justice.conclude import conclude, pay
from ..nodes.justice.react_to_results import rank_last, reconvene, remember_results
from ..nodes.justice.routes import route_to_each
from .protocol_graph import ProtocolGraph, add_node


def add_payment(graph: ProtocolGraph) -> None:
    """Add the last nodes of the experiment, which begin with `pay`, or with `conclude` without payment.

    Each participant sees only its own result.
    """
    add_node(graph, "pay", pay, "payment")
    add_node(graph, "remember_results", remember_results, "payment")
    add_node(graph, "reconvene", reconvene, "payment")
    add_node(graph, "rank_last", rank_last, "payment")
    add_node(graph, "conclude", conclude)

    graph.add_conditional_edges("pay", route_to_each("remember_results"), ["remember_results"])
    graph.add_edge("remember_results", "reconvene")
    graph.add_conditional_edges("reconvene", route_to_each("rank_last"), ["rank_last"])
    graph.add_edge("rank_last", "conclude")
    graph.add_edge("conclude", END)
