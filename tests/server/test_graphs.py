"""What a LangGraph server is told to serve: every protocol, by module path, with its own caption."""

import json
from importlib import import_module

import pytest
from moot.app.protocols.registry import PROTOCOLS
from places import ROOT

SERVED = json.loads((ROOT / "langgraph.json").read_text())["graphs"]


def test_every_protocol_the_command_line_runs_is_served() -> None:
    assert set(PROTOCOLS) <= set(SERVED)


def test_a_server_passes_on_a_panels_own_words_for_its_knobs() -> None:
    """A server leaves out, in silence, whatever the schema of the context does not name."""
    panel = import_module("moot.graphs.panel").graph
    given = {"output_language": "en", "cycles": 2}
    assert set(given) <= set(panel.get_context_jsonschema()["properties"])
    rules = panel.context_schema(**{"language": "zh", "max_rounds": 1}, **given)
    assert (rules.language, rules.max_rounds) == ("en", 2)


@pytest.mark.parametrize("name", SERVED)
def test_a_graph_is_served_by_module_with_its_caption_and_complete_schemas(name: str) -> None:
    path, _, attribute = SERVED[name]["path"].partition(":")
    module = import_module(path)
    graph = getattr(module, attribute)
    assert graph.name == name
    assert SERVED[name]["description"] == " ".join(module.__doc__.split("\n\n")[0].split())
    assert graph.get_input_jsonschema()["properties"]
    settings = graph.get_context_jsonschema()
    for knob in settings["properties"].values():
        named = settings["$defs"][knob["$ref"].rpartition("/")[2]] if "$ref" in knob else {}
        assert knob.get("description") or named["description"]
