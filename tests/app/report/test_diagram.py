"""Drawings in the pages: no road lies over another, so that its words have a place of their own."""

import re

import pytest
from moot.app.protocols.protocol import PROTOCOLS
from moot.app.report.diagram import render_diagram

ROAD = re.compile(r"^\t(\w+) -\.?->(?:\|([^|]+)\|)? (\w+);$", re.MULTILINE)
each = pytest.mark.parametrize("name", PROTOCOLS)


def roads(name: str) -> list[tuple[str, str, str]]:
    """(from, words, to) of each road that is drawn."""
    return ROAD.findall(render_diagram(PROTOCOLS[name].module.graph))


@each
def test_two_steps_have_one_road_and_no_step_has_one_to_itself(name: str) -> None:
    ways = [(source, target) for source, _, target in roads(name)]
    assert ways
    assert len(set(ways)) == len(ways)
    assert all(source != target for source, target in ways)


@each
def test_every_road_of_the_graph_is_in_the_drawing_with_its_words(name: str) -> None:
    drawing = render_diagram(PROTOCOLS[name].module.graph)
    boxes = dict(re.findall(r'^\t(\w+)\("(.+)"\)$', drawing, re.MULTILINE))
    drawn = {(source, target): words for source, words, target in roads(name)}
    for edge in PROTOCOLS[name].module.graph.get_graph(xray=True).edges:
        source, target = edge.source.replace(":", "_"), edge.target.replace(":", "_")
        words = boxes[source] if source == target else drawn[source, target]
        assert str(edge.data or "") in words
