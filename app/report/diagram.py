"""Diagram of a graph as mermaid text, laid out so that labels do not cover each other.

A route from a node back to itself becomes a second line in the node's box. Routes between the same two nodes become
one route with all their labels. So the layout finds room for every label.
"""

from typing import Any

DIAGRAM_HEAD = """---
config:
  flowchart:
    curve: basis
    nodeSpacing: 60
    rankSpacing: 45
---
graph TD;"""
TERMINAL_LABELS = {"__start__": "start", "__end__": "end"}
DIAGRAM_STYLE = [
    "classDef default fill:#f2f0ff,stroke:#9a8fd0,color:#1f1b33",
    "classDef ends fill:#d9d4ff,stroke:#9a8fd0,color:#1f1b33",
]


def render_diagram(graph: Any) -> str:
    """Render a compiled graph as mermaid text, its nodes in the order in which they were added."""
    graph_view = graph.get_graph(xray=True)
    loop_labels, route_lines = _merge_routes(graph_view.edges)
    boxes = [_render_box(name, loop_labels.get(name, [])) for name in graph_view.nodes]
    return "\n".join([DIAGRAM_HEAD, *(f"\t{line}" for line in [*boxes, *route_lines, *DIAGRAM_STYLE])]) + "\n"


def _merge_routes(edges: list[Any]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the labels of each node's routes to itself, and a line for each other route."""
    labels_by_ends: dict[tuple[str, str], list[str]] = {}
    conditional_by_ends: dict[tuple[str, str], bool] = {}
    for edge in edges:
        ends = edge.source, edge.target
        labels_by_ends.setdefault(ends, []).extend([str(edge.data)] if edge.data else [])
        conditional_by_ends[ends] = edge.conditional
    loop_labels = {
        source: labels or ["again"] for (source, target), labels in labels_by_ends.items() if source == target
    }
    route_lines = [
        _render_route(ends, labels, conditional_by_ends[ends])
        for ends, labels in labels_by_ends.items()
        if ends[0] != ends[1]
    ]
    return loop_labels, route_lines


def _render_route(ends: tuple[str, str], labels: list[str], is_conditional: bool) -> str:
    arrow = "-.->" if is_conditional else "-->"
    label = f"|{', '.join(labels)}|" if labels else ""
    return f"{_make_node_id(ends[0])} {arrow}{label} {_make_node_id(ends[1])};"


def _render_box(name: str, loop_labels: list[str]) -> str:
    if name in TERMINAL_LABELS:
        return f"{_make_node_id(name)}([{TERMINAL_LABELS[name]}]):::ends"
    label = "<br/>".join([name.rpartition(":")[2], *(f"↻ {loop}" for loop in loop_labels)])
    return f'{_make_node_id(name)}("{label}")'


def _make_node_id(name: str) -> str:
    """Return a node's mermaid id. Mermaid reserves the colon in the name of a step within a step."""
    return name.replace(":", "_")
