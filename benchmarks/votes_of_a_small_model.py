"""Acts of a small real model, such as ballots, without schemas: lost acts, and calls per act.

`python benchmarks/votes_of_a_small_model.py` starts the model of `tests/real` on this machine and plays every protocol.
An act is a ballot, a position, an estimate or another answer in a form. Takes some minutes; `… jury` plays only a jury.
"""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs import consensus, council, debate, delphi, discussion, jury, justice, panel
from servers.small_model import serving

SEATS = ["Ada", "Ben", "Cleo", "Dan"]
ALONE = [{"name": name, "reasoning_enabled": False} for name in SEATS[:2]]
PAPER = {"id": "oaks", "title": "Oaks", "abstract": "Oaks cool streets by 2 degrees.", "text": "Oaks cool streets."}
SHORT = {"max_tokens_synthesis": 40}
TEA = {"topic": "Tea or coffee?"}
Run = tuple[ModuleType, dict[str, Any], dict[str, Any]]
RUNS: dict[str, list[Run]] = {
    "jury": [
        (jury, {"topic": topic, "participants": SEATS}, {"language": language})
        for topic, language in (
            ("Did Kim take the bicycle?", "en"),
            ("¿Se llevó Kim la bicicleta?", "es"),
        )
    ],
    "council": [(council, TEA | {"participants": SEATS[:2]}, SHORT)],
    "delphi": [
        (
            delphi,
            {"topic": "How heavy is a cow?", "participants": SEATS[:2]},
            {"max_rounds": 1, "answer": {"number": "kg"}},
        )
    ],
    "consensus": [(consensus, TEA | {"participants": SEATS[:3]}, SHORT | {"max_rounds": 2, "vote": "plurality"})],
    "debate": [(debate, TEA | {"participants": SEATS[:2]}, SHORT | {"max_turns": 2, "positions": "ends"})],
    "discussion": [(discussion, TEA | {"participants": SEATS[:2]}, {"max_turns": 2, "positions": "ends"})],
    "panel": [
        (
            panel,
            {"query": "Do oaks cool streets?", "papers": [PAPER], "participants": ["Paper Analyst", "MIT Researcher"]},
            SHORT | {"positions": "ends"},
        )
    ],
    "justice": [(justice, {}, SHORT | {"participants": ALONE, "max_rounds": 1})],
}
TEXTS = ("answer", "draft", "explanation", "memory", "statement", "synthesis")
"""Purposes of questions without an act."""


def run_protocol(
    model: ChatOpenAI, module: ModuleType, values: dict[str, Any], context: dict[str, Any]
) -> dict[str, Any]:
    """Run a protocol's graph. Return its channels at the end, or after the first ballot of a jury.

    `module`: module of the graph. `values`: its input. `context`: its settings.
    """
    stop = {"interrupt_before": ["order"]} if module is jury else {}
    graph = module.build().compile(checkpointer=InMemorySaver(), **stop)
    run: Any = {"configurable": {"thread_id": "run"}}
    limits = {"max_tokens_per_turn": 40, "seed": 1} | ({} if module is justice else {"retry_delays": [0]})
    graph.invoke(values, run, context={"model": model, **limits, **context})
    return graph.get_state(run).values


def count_acts(states: list[dict[str, Any]]) -> dict[str, float]:
    """Return how many acts were requested, how many were lost after all attempts, and how many calls made."""
    calls = [call for state in states for call in state["calls"] if call.purpose not in TEXTS]
    acts = sum(call.attempt == 1 for call in calls)
    incidents = [incident for state in states for incident in state["incidents"] if incident.where not in TEXTS]
    lost = sum(incident.severity == "degraded" for incident in incidents)
    return {"acts": acts, "lost": lost, "calls": len(calls), "calls_per_act": round(len(calls) / acts, 2)}


def main() -> None:
    """Print the figures of each protocol as one line of JSON."""
    with serving(threads=1) as url:
        model = ChatOpenAI(model="smollm2", base_url=url, api_key="none", max_tokens=40, temperature=0)
        for protocol in sys.argv[1:] or RUNS:
            figures = count_acts([run_protocol(model, *run) for run in RUNS[protocol]])
            print(json.dumps({"protocol": protocol, **figures}), flush=True)


if __name__ == "__main__":
    main()
