"""Drawings in the pages: no road lies over another, so that its words have a place of their own."""

import re

import pytest
from moot.app.protocols.registry import PROTOCOLS
from moot.app.report.diagram import render_diagram

ROAD = re.compile(r"^\t(\w+) -\.?->(?:\|([^|]+)\|)? (\w+);$", re.MULTILINE)
each = pytest.mark.parametrize("name", PROTOCOLS)


def roads(name: str, *, all_nodes: bool = False) -> list[tuple[str, str, str]]:
    """(from, words, to) of each road that is drawn."""
    return ROAD.findall(render_diagram(PROTOCOLS[name].module.graph, all_nodes=all_nodes))


@each
@pytest.mark.parametrize("all_nodes", [False, True], ids=["phases", "nodes"])
def test_two_boxes_have_one_road_and_no_box_has_one_to_itself(name: str, all_nodes: bool) -> None:
    ways = [(source, target) for source, _, target in roads(name, all_nodes=all_nodes)]
    assert ways
    assert len(set(ways)) == len(ways)
    assert all(source != target for source, target in ways)


@each
def test_the_phases_have_at_most_sixteen_roads(name: str) -> None:
    assert len(roads(name)) <= 16


@each
def test_every_node_is_named_in_the_picture_of_the_phases_or_belongs_to_the_phase_of_another(name: str) -> None:
    graph = PROTOCOLS[name].module.graph
    picture = render_diagram(graph)
    for node in graph.get_graph().nodes.values():
        phase = (node.metadata or {}).get("phase", node.name)
        assert node.name in picture.replace("start]", "__start__").replace("end]", "__end__") or f'("{phase}' in picture


@each
def test_every_road_of_the_graph_is_in_the_picture_of_all_nodes_with_its_words(name: str) -> None:
    picture = render_diagram(PROTOCOLS[name].module.graph, all_nodes=True)
    boxes = dict(re.findall(r'^\t(\w+)\("(.+)"\)$', picture, re.MULTILINE))
    drawn = {(source, target): words for source, words, target in roads(name, all_nodes=True)}
    for edge in PROTOCOLS[name].module.graph.get_graph(xray=True).edges:
        source, target = edge.source.replace(":", "_"), edge.target.replace(":", "_")
        words = boxes[source] if source == target else drawn[source, target]
        assert str(edge.data or "") in words


@pytest.mark.parametrize(
    ("name", "road"),
    [
        ("panel", "ending -->|agreement, cap, halt| synthesize"),
        ("panel", "ending -->|no_papers| __end__"),
        ("justice", "ending -->|consensus, imposed, cap| payment"),
        ("justice", "ending -->|halt| conclude"),
    ],
)
def test_where_the_nodes_of_a_box_part_their_names_tell_the_roads_apart(name: str, road: str) -> None:
    assert f"\t{road};\n" in render_diagram(PROTOCOLS[name].module.graph)


@pytest.mark.parametrize(
    ("name", "road"),
    [("jury", "ballot --> decide"), ("delphi", "order --> estimate"), ("council", "order --> answer")],
)
def test_a_road_without_another_is_no_choice(name: str, road: str) -> None:
    assert f"\t{road};\n" in render_diagram(PROTOCOLS[name].module.graph)
