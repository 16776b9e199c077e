"""Drawings say what a protocol does: every road has words, every step is on a way from beginning to end."""

import json
from importlib import import_module
from typing import Any

import pytest
from places import ROOT

GRAPHS = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
START, END = "__start__", "__end__"
each = pytest.mark.parametrize("name", sorted(GRAPHS))


def edges(name: str) -> list[Any]:
    """(from, to, words or none, whether it depends) of every edge in a graph's drawing."""
    module, _, attribute = GRAPHS[name]["path"].partition(":")
    return list(getattr(import_module(module), attribute).get_graph().edges)


def reached(ways: list[tuple[str, str]], begin: str) -> set[str]:
    found: set[str] = set()
    ahead = [begin]
    while ahead:
        at = ahead.pop()
        if at not in found:
            found.add(at)
            ahead += [to for source, to in ways if source == at]
    return found


@each
def test_every_step_lies_on_a_way_from_the_beginning_to_the_end(name: str) -> None:
    ways = [(edge.source, edge.target) for edge in edges(name)]
    steps = {step for way in ways for step in way}
    assert reached(ways, START) == steps
    assert reached([(to, source) for source, to in ways], END) == steps


@each
def test_a_choice_between_roads_is_told_in_words_or_names_the_step(name: str) -> None:
    for edge in edges(name):
        if edge.conditional and edge.data:
            assert str(edge.data).replace("_", " ").islower(), f"{name}: {edge.source} -> {edge.target}"


@each
def test_the_drawing_is_the_same_every_time(name: str) -> None:
    module, _, attribute = GRAPHS[name]["path"].partition(":")
    graph = getattr(import_module(module), attribute)
    again = import_module(module).build().compile(name=name)
    assert graph.get_graph().draw_mermaid() == again.get_graph().draw_mermaid()


def test_a_debate_is_drawn_as_it_is_held() -> None:
    assert sorted((edge.source, edge.target, edge.data) for edge in edges("debate")) == [
        ("__start__", "convene", None),
        ("ask_concession", "decide", None),
        ("cap", "synthesize", None),
        ("concession", "synthesize", None),
        ("convene", "decide", None),
        ("decide", "ask_concession", None),
        ("decide", "cap", None),
        ("decide", "concession", None),
        ("decide", "halt", None),
        ("decide", "judge", None),
        ("decide", "name_answer", None),
        ("decide", "order", "next round"),
        ("decide", "speak", "next speaker"),
        ("decide", "stalemate", None),
        ("decide", "take_position", None),
        ("halt", "synthesize", None),
        ("judge", "decide", None),
        ("name_answer", "decide", None),
        ("order", "speak", None),
        ("speak", "decide", None),
        ("stalemate", "synthesize", None),
        ("synthesize", "__end__", None),
        ("take_position", "decide", None),
    ]


PAIRS = {"debate": 20, "consensus": 32, "discussion": 28, "justice": 36}
"""Most pairs of connected nodes in a drawing that somebody can read; 16 in any other."""
NODES_OF_ENDINGS = {
    "debate": {"concession", "stalemate", "cap", "halt"},
    "consensus": {"consensus", "stalemate", "cap", "halt"},
    "discussion": {"closing", "agreement", "cap", "halt"},
    "panel": {"agreement", "cap", "halt", "no_papers"},
    "council": {"winner", "tie", "cap", "halt"},
    "jury": {"verdict", "deadlock", "halt"},
    "delphi": {"convergence", "stability", "cap", "halt"},
    "justice": {"consensus", "imposed", "cap", "halt"},
}
"""Nodes that record an ending."""


@each
def test_a_drawing_has_few_enough_roads_to_be_read(name: str) -> None:
    pairs = {frozenset((edge.source, edge.target)) for edge in edges(name) if edge.source != edge.target}
    assert len(pairs) <= PAIRS.get(name, 16)


@pytest.mark.parametrize("name", NODES_OF_ENDINGS)
def test_all_endings_leave_from_one_node(name: str) -> None:
    endings = NODES_OF_ENDINGS[name]
    assert {edge.source for edge in edges(name) if edge.target in endings} == {"decide"}
    assert endings <= {edge.target for edge in edges(name)}


@pytest.mark.parametrize("name", ["consensus", "justice"])
def test_no_road_leads_from_a_speaker_to_memory_in_the_middle_of_a_round(name: str) -> None:
    into = [edge for edge in edges(name) if edge.source == "speak" and edge.target == "remember"]
    assert [edge.data for edge in into] == ["round done"]
