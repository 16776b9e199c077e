"""Positions of the boxes and routes in the diagram of a protocol's phases, on the page of a run."""

from typing import Any

from ..report import build_diagram

TERMINALS = {"__start__": "start", "__end__": "end"}
NODES_PER_LINE = 2
"""Maximum names of nodes in a line of a box."""
LINE_HEIGHT, BOX_WIDTH, BOX_GAP = 15, 230, 34
"""Height of a line of text, width of a box, and space between two boxes, in units of the diagram."""
BEND, BEND_STEP, LABEL_HEIGHT = 24, 14, 14
"""Depth of the first bent route, additional depth of each further route, and space between two labels."""


def place_phases(graph: Any) -> dict[str, Any]:
    """Return the template values of the diagram of a compiled graph's phases.

    Boxes run from top to bottom around x = 0. Routes back bend to the left, and routes past a box to the right.
    """
    diagram, boxes, y = build_diagram(graph), dict[str, dict[str, Any]](), 4
    names = {phase: TERMINALS.get(phase, phase.rpartition(":")[2].replace("_", " ")) for phase in diagram.boxes}
    for phase, nodes in diagram.boxes.items():
        parts = [] if phase in nodes else nodes
        lines = [" · ".join(parts[start : start + NODES_PER_LINE]) for start in range(0, len(parts), NODES_PER_LINE)]
        lines += [f"↻ {loop}" for loop in diagram.loops.get(phase, [])]
        routes = [
            names[route.target] + (f" ({', '.join(route.labels)})" if route.labels else "")
            for route in diagram.routes
            if route.source == phase
        ]
        height = LINE_HEIGHT * (1 + len(lines)) + 14
        boxes[phase] = {
            "name": names[phase],
            "nodes": nodes,
            "lines": lines,
            "routes": routes,
            "y": y,
            "height": height,
            "index": len(boxes),
        }
        y += height + BOX_GAP
    arrows, label_positions = list[dict[str, Any]](), dict[str, list[int]](start=[], end=[])
    lengths = {id(route): boxes[route.target]["index"] - boxes[route.source]["index"] for route in diagram.routes}
    for route in sorted(diagram.routes, key=lambda route: abs(lengths[id(route)])):
        source, target = boxes[route.source], boxes[route.target]
        arrow = {"label": ", ".join(route.labels), "is_conditional": route.is_conditional, "anchor": "start"}
        if lengths[id(route)] == 1:
            top = source["y"] + source["height"]
            arrows.append(arrow | {"path": f"M0 {top} V{target['y'] - 2}", "x": 8, "y": top + BOX_GAP // 2 + 4})
            continue
        anchor, side = ("start", 1) if lengths[id(route)] > 0 else ("end", -1)
        first, last = (box["y"] + box["height"] // 2 for box in (source, target))
        bend = side * (BOX_WIDTH // 2 + BEND + BEND_STEP * len(label_positions[anchor]))
        edge, middle = side * BOX_WIDTH // 2, (first + last) // 2
        path = f"M{edge} {first + 5} Q{bend} {first} {bend} {middle} Q{bend} {last} {edge + side * 2} {last - 5}"
        while any(abs(middle - position) < LABEL_HEIGHT for position in label_positions[anchor]):
            middle += LABEL_HEIGHT
        label_positions[anchor].append(middle)
        arrows.append(arrow | {"path": path, "x": bend + side * 4, "y": middle + 4, "anchor": anchor})
    return {"boxes": list(boxes.values()), "arrows": arrows, "height": y - BOX_GAP + 4}
