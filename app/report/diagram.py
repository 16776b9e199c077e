"""Diagram of a graph as Mermaid text, with a box for each phase or each node.

A route from a box back to itself becomes a line of text in the box. Routes between the same two boxes become one route
with all their labels. So every label has enough space.
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
NODES_PER_LINE = 4
"""Maximum names of nodes in a line of a phase's box."""


def render_diagram(graph: Any, *, all_nodes: bool = False) -> str:
    """Render a compiled graph as Mermaid text, in the order in which its nodes were added.

    A box stands for a phase and lists its nodes, unless a node has the phase's name. `all_nodes`: draw a box for each
    node, including nodes of inner graphs.
    """
    view = graph.get_graph(xray=all_nodes)
    phases = {name: name if all_nodes else _get_phase(node, node.name) for name, node in view.nodes.items()}
    boxes: dict[str, list[str]] = {}
    for name, phase in phases.items():
        boxes.setdefault(phase, []).append(name)
    loops: dict[str, list[str]] = {}
    labels: dict[tuple[str, str], dict[str, None]] = {}
    is_conditional: dict[tuple[str, str], bool] = {}
    for edge in view.edges:
        source, target = phases[edge.source], phases[edge.target]
        label = str(edge.data) if edge.data else ""
        if source != target:
            labels.setdefault((source, target), {}).update({label: None} if label else {})
            is_conditional[source, target] = is_conditional.get((source, target), False) or edge.conditional
        elif edge.source == edge.target:
            loops.setdefault(source, []).append(label or "again")
    lines = [_render_box(phase, names, loops.get(phase, [])) for phase, names in boxes.items()]
    for (source, target), texts in labels.items():
        arrow = "-.->" if is_conditional[source, target] else "-->"
        label = f"|{', '.join(texts)}|" if texts else ""
        lines.append(f"{_make_box_id(source)} {arrow}{label} {_make_box_id(target)};")
    return "\n".join([DIAGRAM_HEAD, *(f"\t{line}" for line in [*lines, *DIAGRAM_STYLE])]) + "\n"


def list_phases(builder: Any) -> dict[str, list[str]]:
    """List the phases of an uncompiled graph with their nodes, in the order in which they were added."""
    phases: dict[str, list[str]] = {}
    for name, node in builder.nodes.items():
        phases.setdefault(_get_phase(node, name), []).append(name)
    return phases


def _get_phase(node: Any, name: str) -> str:
    return str((node.metadata or {}).get("phase", name))


def _render_box(phase: str, names: list[str], loops: list[str]) -> str:
    if phase in TERMINAL_LABELS:
        return f"{_make_box_id(phase)}([{TERMINAL_LABELS[phase]}]):::ends"
    parts = [] if phase in names else names
    rows = [" · ".join(parts[start : start + NODES_PER_LINE]) for start in range(0, len(parts), NODES_PER_LINE)]
    label = "<br/>".join([phase.rpartition(":")[2], *rows, *(f"↻ {loop}" for loop in loops)])
    return f'{_make_box_id(phase)}("{label}")'


def _make_box_id(name: str) -> str:
    """Return a valid Mermaid id. Mermaid reserves colons and the word `end`."""
    return name.replace(":", "_").replace(" ", "_")
