"""Votes of a real small model at an endpoint that takes no schema: votes lost, and calls for each vote.

`python benchmarks/votes_of_a_small_model.py` starts the model of `tests/real` on this machine and asks four jurors in
each case for a ballot. Takes some minutes.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs import jury
from servers.small_model import serving

CASES = {
    "en": ["Did Kim take the bicycle?", "Did Lee break the window?"],
    "es": ["¿Se llevó Kim la bicicleta?"],
}
JURORS = ["Ada", "Ben", "Cleo", "Dan"]


def cast_ballots(model: ChatOpenAI, topic: str, language: str) -> dict[str, Any]:
    """Return the channels of a jury after its first ballot."""
    graph = jury.build().compile(checkpointer=InMemorySaver(), interrupt_before=["order"])
    run: Any = {"configurable": {"thread_id": topic}}
    context = {"model": model, "language": language, "max_tokens_per_turn": 80, "retry_delays": [0], "seed": 1}
    graph.invoke({"topic": topic, "participants": JURORS}, run, context=context)
    return graph.get_state(run).values


def main() -> None:
    """Print the figures as one line of JSON."""
    with serving(threads=2) as url:
        model = ChatOpenAI(model="smollm2", base_url=url, api_key="none", max_tokens=80, temperature=0)
        states = [cast_ballots(model, topic, language) for language, topics in CASES.items() for topic in topics]
    votes = [cast.ballot for state in states for cast in state["ballots"]]
    calls = sum(len(state["calls"]) for state in states)
    lost = sum(bool(vote.invalid) for vote in votes)
    print(
        json.dumps({"votes": len(votes), "lost": lost, "calls": calls, "calls_per_vote": round(calls / len(votes), 2)})
    )


if __name__ == "__main__":
    main()
