"""Diagram of a graph as Mermaid text, with a box for each phase or each node.

A route from a box back to itself becomes a line of text in the box. Routes between the same two boxes become one route
with all their labels. So every label has enough space. Routes without labels from different nodes of a box show the
names of these nodes.
"""

from dataclasses import dataclass
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
NODES_PER_LINE = 4


@dataclass(frozen=True)
class Route:
    """Route between two boxes of a diagram, with its labels.

    `is_conditional`: whether a step chooses between this route and others.
    """

    source: str
    target: str
    labels: list[str]
    is_conditional: bool


@dataclass(frozen=True)
class Diagram:
    """Diagram of a graph.

    `boxes`: names of nodes by phase. `loops`: labels of the routes within a box, by phase.
    """

    boxes: dict[str, list[str]]
    routes: list[Route]
    loops: dict[str, list[str]]


def build_diagram(graph: Any, *, all_nodes: bool = False) -> Diagram:
    """Build the diagram of a compiled graph, in the order in which its nodes were added.

    `all_nodes`: whether each node, including those of inner graphs, has a box of its own. Otherwise each phase has one.
    """
    view = graph.get_graph(xray=all_nodes)
    phases = {
        name: name if all_nodes else str((node.metadata or {}).get("phase", node.name))
        for name, node in view.nodes.items()
    }
    boxes: dict[str, list[str]] = {}
    for name, phase in phases.items():
        boxes.setdefault(phase, []).append(name)
    loops: dict[str, list[str]] = {}
    edges: dict[tuple[str, str], list[Any]] = {}
    targets: dict[str, set[str]] = {}
    for edge in view.edges:
        source, target = phases[edge.source], phases[edge.target]
        targets.setdefault(edge.source, set()).add(edge.target)
        if source != target:
            edges.setdefault((source, target), []).append(edge)
        elif edge.source == edge.target:
            loops.setdefault(source, []).append(str(edge.data or "again"))
    unlabelled = {edge.source for merged_edges in edges.values() for edge in merged_edges if not edge.data}
    routes = [
        Route(
            source,
            target,
            _list_labels(merged_edges, [name for name in boxes[source] if name in unlabelled]),
            all(edge.conditional and len(targets[edge.source]) > 1 for edge in merged_edges),
        )
        for (source, target), merged_edges in edges.items()
    ]
    return Diagram(boxes, routes, loops)


def _list_labels(edges: list[Any], unlabelled_nodes: list[str]) -> list[str]:
    """Return the labels of the route that merges `edges`.

    Edges without a label give the names of their nodes, in the order of `unlabelled_nodes`. If all of these nodes take
    this route, the list is empty.
    """
    sources = {edge.source for edge in edges if not edge.data}
    if not sources:
        return list(dict.fromkeys(str(edge.data) for edge in edges))
    return [name for name in unlabelled_nodes if name in sources] if sources != set(unlabelled_nodes) else []


def render_diagram(graph: Any, *, all_nodes: bool = False) -> str:
    """Render a compiled graph as Mermaid text.

    A box stands for a phase and lists its nodes, unless a node has the phase's name.
    """
    diagram = build_diagram(graph, all_nodes=all_nodes)
    lines = [_render_box(phase, names, diagram.loops.get(phase, [])) for phase, names in diagram.boxes.items()]
    for route in diagram.routes:
        arrow = "-.->" if route.is_conditional else "-->"
        label = f"|{', '.join(route.labels)}|" if route.labels else ""
        lines.append(f"{_make_box_id(route.source)} {arrow}{label} {_make_box_id(route.target)};")
    return "\n".join([DIAGRAM_HEAD, *(f"\t{line}" for line in [*lines, *DIAGRAM_STYLE])]) + "\n"


def _render_box(phase: str, names: list[str], loops: list[str]) -> str:
    if phase in TERMINAL_LABELS:
        return f"{_make_box_id(phase)}([{TERMINAL_LABELS[phase]}]):::ends"
    parts = [] if phase in names else names
    rows = [" · ".join(parts[start : start + NODES_PER_LINE]) for start in range(0, len(parts), NODES_PER_LINE)]
    label = "<br/>".join([phase.rpartition(":")[2], *rows, *(f"↻ {loop}" for loop in loops)])
    return f'{_make_box_id(phase)}("{label}")'


def _make_box_id(name: str) -> str:
    """Return `name` as a valid Mermaid id. Mermaid reserves colons and the word `end`."""
    return name.replace(":", "_").replace(" ", "_")
