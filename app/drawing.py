"""The drawing of a graph as mermaid text, made so that no words on it cover others.

A road from a step back to itself is a second line in the step's box, and roads between the same two steps are one road
with the words of all: a layout then finds a place of its own for the words of each road.
"""

from typing import Any

HEAD = """---
config:
  flowchart:
    curve: basis
    nodeSpacing: 60
    rankSpacing: 45
---
graph TD;"""
CALLED = {"__start__": "start", "__end__": "end"}
STYLE = [
    "classDef default fill:#f2f0ff,stroke:#9a8fd0,color:#1f1b33",
    "classDef ends fill:#d9d4ff,stroke:#9a8fd0,color:#1f1b33",
]


def draw(graph: Any) -> str:
    """Mermaid text of a compiled graph, in the order in which its steps were added."""
    drawn = graph.get_graph(xray=True)
    repeated, roads = _roads(drawn.edges)
    steps = [_box(name, repeated.get(name, [])) for name in drawn.nodes]
    return "\n".join([HEAD, *(f"\t{line}" for line in [*steps, *roads, *STYLE])]) + "\n"


def _roads(edges: list[Any]) -> tuple[dict[str, list[str]], list[str]]:
    """By step, the words of its roads to itself; and every other road, as a line."""
    words: dict[tuple[str, str], list[str]] = {}
    depends: dict[tuple[str, str], bool] = {}
    for edge in edges:
        way = edge.source, edge.target
        words.setdefault(way, []).extend([str(edge.data)] if edge.data else [])
        depends[way] = edge.conditional
    repeated = {source: said or ["again"] for (source, target), said in words.items() if source == target}
    roads = [_road(way, said, depends[way]) for way, said in words.items() if way[0] != way[1]]
    return repeated, roads


def _road(way: tuple[str, str], said: list[str], depends: bool) -> str:
    arrow = "-.->" if depends else "-->"
    told = f"|{', '.join(said)}|" if said else ""
    return f"{_id(way[0])} {arrow}{told} {_id(way[1])};"


def _box(name: str, repeated: list[str]) -> str:
    if name in CALLED:
        return f"{_id(name)}([{CALLED[name]}]):::ends"
    shown = "<br/>".join([name.rpartition(":")[2], *(f"↻ {said}" for said in repeated)])
    return f'{_id(name)}("{shown}")'


def _id(name: str) -> str:
    """A step within a step is named with a colon, which mermaid keeps for itself."""
    return name.replace(":", "_")
