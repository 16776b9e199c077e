"""Diagram of the phases of a protocol on the page of a run: the places of its boxes and routes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..report import build_diagram

TERMINALS = {"__start__": "start", "__end__": "end"}
NODES_PER_LINE = 2
"""Maximum names of nodes in a line of a box."""
LINE_HEIGHT, BOX_WIDTH, BOX_GAP = 15, 230, 34
"""Height of a line of text, width of a box, and space between two boxes, in units of the diagram."""
BEND, BEND_STEP, LABEL_HEIGHT = 24, 14, 14
"""Depth of the first bent route, depth that each further one adds, and space between two labels."""


@dataclass(frozen=True)
class PhaseBox:
    """Box of a phase.

    `lines`: texts below its name. `routes`: next phases, with the labels of the routes to them.
    """

    name: str
    nodes: Sequence[str]
    lines: Sequence[str]
    routes: Sequence[str]
    y: int
    height: int


@dataclass(frozen=True)
class PhaseArrow:
    """Line from a box to another, with the place of its label."""

    path: str
    label: str
    x: int
    y: int
    anchor: str
    is_conditional: bool


@dataclass(frozen=True)
class PhaseDiagram:
    """Diagram around x = 0, from top to bottom.

    Routes back bend to the left, and routes past a box to the right.
    """

    boxes: Sequence[PhaseBox]
    arrows: Sequence[PhaseArrow]
    height: int


def place_phases(graph: Any) -> PhaseDiagram:
    """Place the phases and routes of a compiled graph."""
    diagram, boxes, y = build_diagram(graph), dict[str, PhaseBox](), 4
    for phase, nodes in diagram.boxes.items():
        names = [] if phase in nodes else nodes
        lines = [" · ".join(names[start : start + NODES_PER_LINE]) for start in range(0, len(names), NODES_PER_LINE)]
        lines += [f"↻ {loop}" for loop in diagram.loops.get(phase, [])]
        routes = [
            _name_phase(route.target) + (f" ({', '.join(route.labels)})" if route.labels else "")
            for route in diagram.routes
            if route.source == phase
        ]
        height = LINE_HEIGHT * (1 + len(lines)) + 14
        boxes[phase] = PhaseBox(_name_phase(phase), nodes, lines, routes, y, height)
        y += height + BOX_GAP
    places = {phase: place for place, phase in enumerate(boxes)}
    arrows, label_heights = list[PhaseArrow](), {"start": set[int](), "end": set[int]()}
    bends = {"start": 0, "end": 0}
    for route in sorted(diagram.routes, key=lambda route: abs(places[route.target] - places[route.source])):
        source, target, label = boxes[route.source], boxes[route.target], ", ".join(route.labels)
        if places[route.target] == places[route.source] + 1:
            top = source.y + source.height
            path = f"M0 {top} V{target.y - 2}"
            arrows.append(PhaseArrow(path, label, 8, top + BOX_GAP // 2 + 4, "start", route.is_conditional))
            continue
        anchor, side = ("start", 1) if target.y > source.y else ("end", -1)
        depth = BOX_WIDTH // 2 + BEND + BEND_STEP * bends[anchor]
        bends[anchor] += 1
        first, last = source.y + source.height // 2 + 5, target.y + target.height // 2 - 5
        edge, bend, middle = side * BOX_WIDTH // 2, side * depth, (first + last) // 2
        path = f"M{edge} {first} Q{bend} {first} {bend} {middle} Q{bend} {last} {edge + side * 2} {last}"
        while label and any(abs(middle - height) < LABEL_HEIGHT for height in label_heights[anchor]):
            middle += LABEL_HEIGHT
        label_heights[anchor].add(middle)
        arrows.append(PhaseArrow(path, label, bend + side * 4, middle + 4, anchor, route.is_conditional))
    return PhaseDiagram(list(boxes.values()), arrows, y - BOX_GAP + 4)


def _name_phase(phase: str) -> str:
    return TERMINALS.get(phase, phase.rpartition(":")[2].replace("_", " "))
