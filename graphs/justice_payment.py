"""The end of the justice experiment: incomes are drawn and paid, and the principles ranked a last time."""

from langgraph.graph import END

from ..nodes.justice.conclude import conclude, pay
from ..nodes.justice.roads import to_last_rankings, to_results
from ..nodes.justice.take_in import rank_last, reconvene, take_in_results
from .wiring import Drawing, place


def add_payment(graph: Drawing) -> None:
    """Add the end: it begins at `pay`, or at `conclude` where nothing is paid, and everyone hears of it alone."""
    place(graph, "pay", pay)
    place(graph, "take_in_results", take_in_results)
    place(graph, "reconvene", reconvene)
    place(graph, "rank_last", rank_last)
    place(graph, "conclude", conclude)

    graph.add_conditional_edges("pay", to_results, ["take_in_results"])
    graph.add_edge("take_in_results", "reconvene")
    graph.add_conditional_edges("reconvene", to_last_rankings, ["rank_last"])
    graph.add_edge("rank_last", "conclude")
    graph.add_edge("conclude", END)
