"""A protocol is added with a graph, its words in one language, its rules and one line in the list of protocols."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

LINE = '        ProtocolEntry("roundtable", "Everyone speaks once a round."),\n'
GRAPH = '''"""Roundtable: everyone speaks once a round, and the last word is a summary."""

from langgraph.graph import END, START

from ..nodes import statement as statement_node
from ..nodes import synthesize as synthesis_node
from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import fill_floor, order_by_seat
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import load_templates
from ..state.availability import stop_if_all_absent
from ..state.ending import CAPS
from ..state.deliberation import DeliberationState, JudgeState
from ..state.roundtable import RoundtableSettings, seat_everyone
from ..state.schemas import DeliberationInput, DeliberationResult
from ..state.stopping.rules import stop_at_budget, stop_at_round_cap, stop_on_first
from .protocol_graph import ProtocolGraph, add_endings, add_node

TEMPLATES = load_templates(
    "roundtable",
    system="topic participants language",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    synthesize=synthesis_node.SYNTHESIS_FIELDS,
)
STOPPING_RULE = stop_on_first(stop_if_all_absent, stop_at_round_cap, stop_at_budget)
ENDINGS = {"cap": CAPS, "halt": ()}


class Roundtable(DeliberationState, JudgeState):
    """State of a roundtable."""


def build() -> ProtocolGraph:
    """Build the graph of the roundtable, not yet compiled."""
    graph = ProtocolGraph(
        Roundtable, RoundtableSettings, input_schema=DeliberationInput, output_schema=DeliberationResult
    )
    add_node(graph, "convene", convene(RoundtableSettings, seat_everyone, TEMPLATES))
    add_node(graph, "order", fill_floor(order_by_seat))
    add_node(graph, "speak", speak(TEMPLATES))
    add_node(graph, "decide", decide(STOPPING_RULE, ENDINGS))
    add_node(graph, "synthesize", synthesize(TEMPLATES))

    next_steps = {"next speaker": "speak", "next round": "order"}
    endings = add_endings(graph, ENDINGS, "synthesize")
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_edge("order", "speak")
    graph.add_edge("speak", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_steps, **endings})
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="roundtable")
'''
SETTINGS = '''"""Settings of a roundtable."""

from typing import Literal

from pydantic import Field

from .settings import Settings, StoppingSettings
from .statement import Participant


class RoundtableSettings(StoppingSettings):
    """Settings of a roundtable."""

    protocol: Literal["roundtable"] = Field(default="roundtable", description="Always `roundtable`.")
    dynamic_termination: Literal[False] = Field(default=False, description="Always to the last round.")
    max_rounds: int = Field(default=2, ge=1, le=10, description="Rounds at most.")


def seat_everyone(
    participants: list[Participant], personas: dict[str, str], settings: Settings
) -> tuple[list[Participant], list[str]]:
    """Seat the participants of the input, or three."""
    return list(participants) or [Participant(name=name) for name in ("Ada", "Ben", "Cleo")], []
'''
WORDS = {
    "system": "A roundtable on: {topic}\n\nAt the table:\n{participants}",
    "open": "You are {name}. Say what you hold, in about {words} words. Answer only in {language}.",
    "speak": "You are {name}. Answer the others, in about {words} words. Answer only in {language}.",
    "synthesize": "Sum up what was said, in about {words} words. Answer only in {language}.",
}
DRIVER = """
import json, sys
from typer.testing import CliRunner
from moot.app.main import app
results = []
for words in json.load(sys.stdin):
    done = CliRunner().invoke(app, words)
    results.append([done.exit_code, done.stdout, done.stderr])
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and one protocol more, whose words are in English alone."""
    home = tmp_path_factory.mktemp("home")
    package = home / "moot"
    for room in ("app", "graphs", "models", "nodes", "papers", "prompts", "state", "storage"):
        shutil.copytree(ROOT / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    for face in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / face, package)
    (package / "graphs" / "roundtable.py").write_text(GRAPH, "utf-8")
    (package / "state" / "roundtable.py").write_text(SETTINGS, "utf-8")
    (package / "prompts" / "en" / "roundtable").mkdir()
    for name, text in WORDS.items():
        (package / "prompts" / "en" / "roundtable" / f"{name}.md").write_text(text, "utf-8")
    protocols = package / "app" / "protocols" / "registry.py"
    first = '        ProtocolEntry(\n            "consensus"'
    protocols.write_text(protocols.read_text("utf-8").replace(first, LINE + first, 1), "utf-8")
    return home


def called(home: Path, *commands: list[str]) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of each command, called one after the other in one process."""
    env = os.environ | {"PYTHONPATH": str(home), "MOOT_DB": str(home / "runs.db")}
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DRIVER],
        input=json.dumps(commands),
        cwd=home,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [(code, out, errors) for code, out, errors in json.loads(process.stdout.splitlines()[-1])]


@pytest.fixture(scope="module")
def run(home: Path) -> dict[str, Any]:
    """A roundtable of two, begun by its own command."""
    begin = [
        "roundtable",
        "Tea?",
        "--participant",
        "Ann",
        "--participant",
        "Bob=rehearsal",
        "--max-rounds",
        "1",
        "--seed",
        "1",
    ]
    [(code, out, errors)] = called(home, [*begin, "--model", "rehearsal", "--json"])
    assert code == 0, errors
    document: dict[str, Any] = json.loads(out)
    return document


@pytest.mark.long
def test_it_has_a_command_with_an_option_for_each_of_its_knobs(home: Path, run: dict[str, Any]) -> None:
    assert (run["protocol"], run["topic"], run["terminationReason"]) == ("roundtable", "Tea?", "max_rounds_reached")
    assert [turn["speakerId"] for turn in run["turns"]] == ["Ann", "Bob"]
    helped, listed = called(home, ["roundtable", "--help"], ["--help"])
    assert "Everyone speaks once a round." in helped[1]
    assert [one for one in ("--max-rounds", "--participant", "--material", "--seed") if one not in helped[1]] == []
    assert "--profile" not in helped[1]
    assert "roundtable" in listed[1]


@pytest.mark.long
def test_its_cost_is_estimated_and_its_graph_is_drawn(home: Path) -> None:
    estimate, graph, profiles = called(
        home, ["estimate", "roundtable", "Tea?", "--json"], ["diagram", "roundtable"], ["profiles", "roundtable"]
    )
    assert json.loads(estimate[1])["expected"]["calls"] == 7
    assert "next speaker" in graph[1]
    assert profiles == (0, "", "")


@pytest.mark.long
@pytest.mark.parametrize("format", ["transcript", "md", "html", "csv"])
def test_it_is_shown(home: Path, run: dict[str, Any], format: str) -> None:
    [(code, out, _)] = called(home, ["show", run["run"], "--format", format])
    assert code == 0
    assert run["turns"][1]["content"].split()[0] in out


@pytest.mark.long
def test_it_is_listed_resumed_and_forked(home: Path, run: dict[str, Any]) -> None:
    listed, resumed, forked = called(
        home,
        ["runs", "--json"],
        ["resume", run["run"], "--json"],
        ["fork", run["run"], "--turn", "1", "--set", "topic=Coffee?", "--json"],
    )
    assert run["run"] in [one["run"] for one in json.loads(listed[1])]
    assert json.loads(resumed[1]) == run
    assert json.loads(forked[1])["topic"] == "Coffee?"
    assert json.loads(forked[1])["forkedFrom"].startswith(run["run"])


@pytest.mark.long
def test_in_a_language_it_has_no_words_in_it_is_run_with_the_english_ones(home: Path) -> None:
    [(code, out, _)] = called(home, ["roundtable", "¿Té?", "--model", "rehearsal", "--language", "es", "--json"])
    assert code == 0
    text = "no templates in es: English templates are used, and replies are asked for in es"
    assert text in [incident["what"] for incident in json.loads(out)["incidents"]]


def test_a_release_without_its_other_languages_is_noticed(home: Path) -> None:
    code = (
        "from moot.app.protocols.registry import PROTOCOLS\n"
        "from release import list_missing_texts\n"
        "print(list_missing_texts(PROTOCOLS))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(home), str(ROOT / "tests" / "support")])}
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=home, env=env, capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "['zh/roundtable', 'es/roundtable']"
