"""Look-ups of one turn: a participant requests tools, with the owner's approval, until it answers.

A node whose participants may use tools runs this graph inside itself, with separate checkpoints.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from ..nodes.lookups.approval import approve, route_after_approval
from ..nodes.lookups.lookup_nodes import begin, route_after_thought, send_to_tools, think
from ..nodes.lookups.lookup_turn import LookupLoopState
from ..nodes.lookups.run_lookup import LookupBranchState, use
from ..nodes.node_runnables import NodeRunnable, RouteRunnable


def build() -> StateGraph[LookupLoopState, Any, LookupLoopState, LookupLoopState]:
    """Build the uncompiled graph, which alternates between the model's request and the tools."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(LookupLoopState)
    graph.add_node("think", NodeRunnable(think), input_schema=LookupLoopState)
    graph.add_node("approve", NodeRunnable(approve), input_schema=LookupLoopState)
    graph.add_node("begin", NodeRunnable(begin), input_schema=LookupLoopState)
    graph.add_node("use", NodeRunnable(use), input_schema=LookupBranchState)

    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", RouteRunnable(route_after_thought), {"look up": "approve", "answered": END})
    graph.add_conditional_edges(
        "approve", RouteRunnable(route_after_approval), {"approved": "begin", "none may run": "think"}
    )
    graph.add_conditional_edges("begin", RouteRunnable(send_to_tools), ["use"])
    graph.add_edge("use", "think")
    return graph


graph = build().compile(name="lookups")
