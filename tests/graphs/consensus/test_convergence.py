"""Convergence by meaning: refused before anybody is asked, lost without a guess, foretold, settled on record."""

import json
import math
from typing import Any

import pytest
from command import document, listed, moot
from fakeserver import FakeServer, Fault
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs import consensus
from moot.models.failures import RunStoppedError
from moot.state.consensus.agreement import compute_mean_similarities
from moot.state.errors import InputError

GIVEN: Any = {"topic": "A four-day week", "participants": ["Ada", "Ben", "Cleo"]}


def knobs(server: FakeServer, **others: Any) -> dict[str, Any]:
    asked = {"model": "rehearsal", "seed": 1, "max_rounds": 3, "dynamic_termination": False}
    return asked | {"convergence": "embedding", "embeddings": f"openai:any@{server.url}"} | others


def vectors(*found: Any) -> Fault:
    data = [{"object": "embedding", "index": i, "embedding": one} for i, one in enumerate(found)]
    return Fault.raw(json.dumps({"object": "list", "model": "any", "data": data, "usage": {}}))


SPENT = dict.fromkeys(range(1, 4), Fault.status(429, retry_after=0.001))
LOST: dict[str, tuple[dict[int, Fault], str, int]] = {
    "no number": ({1: vectors([1, math.nan], [1, 0], [1, 0])}, "malformed", 1),
    "no text": ({1: vectors([1, None], [1, 0], [1, 0])}, "malformed", 1),
    "one short": ({1: vectors([1, 0], [1, 0])}, "malformed", 1),
    "two lengths": ({1: vectors([1, 0], [1, 0, 0], [1, 0])}, "malformed", 1),
    "empty": ({1: vectors([], [], [])}, "malformed", 1),
    "none": ({1: vectors()}, "malformed", 1),
    "garbled": ({1: vectors("!!!", "!!!", "!!!")}, "malformed", 1),
    "no json": ({1: Fault.not_json()}, "malformed", 1),
    "rate limit": (SPENT, "rate_limit", 3),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LOST)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_a_round_without_usable_vectors_is_not_weighed_and_on_record(name: str) -> None:
    faults, kind, tries = LOST[name]
    with FakeServer(embed_faults=faults) as server:
        state = consensus.graph.invoke(GIVEN, context=knobs(server, on_outage="skip"))
        assert len(server.embeds) == tries + 1
    second, third = state["agreements"]
    assert (second.scores, second.missing) == ({}, ["Ada", "Ben", "Cleo"])
    assert set(third.scores) == {"Ada", "Ben", "Cleo"}
    (noted,) = state["incidents"]
    assert (noted.kind, noted.attempts, noted.consequence, noted.round) == (kind, tries, "not weighed", 2)
    assert "1 incident lowered the quality" in state["outcome"].headline
    assert len(state["history"]) == 9


@pytest.mark.parametrize("fault", [Fault.status(401), Fault.status(404)])
def test_a_refusing_endpoint_stops_the_dialogue_which_goes_on_there(fault: Fault) -> None:
    graph, config = consensus.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "week"}}
    with FakeServer(embed_faults={1: fault}) as server:
        with pytest.raises(RunStoppedError, match="embeddings = openai:any@"):
            graph.invoke(GIVEN, config, context=knobs(server))  # type: ignore[call-overload]
        assert len(graph.get_state(config).values["history"]) == 6  # type: ignore[arg-type]
        state = graph.invoke(None, config, context=knobs(server))  # type: ignore[call-overload]
        assert len(server.embeds) == 3
    assert [one.round for one in state["agreements"]] == [2, 3]
    assert not state["incidents"]


def test_a_stopped_run_says_how_to_go_on() -> None:
    with FakeServer(embed_faults={1: Fault.status(401)}) as server:
        words = [f"--set={key}={value}" for key, value in knobs(server).items() if key not in ("model", "seed")]
        output = moot("consensus", "Tea?", "--model", f"any@{server.url}", *words, "-q")
        assert output.exit_code == 3
        assert "Continue: " in output.stderr
        chat_count = len(server.chats)
        (run,) = listed()
        report = document("resume", run["run"])
        assert len(server.chats) == chat_count + len(report["turns"]) - run["turns"] + 1
    assert [one["round"] for one in report["agreements"]] == [2, 3]


@pytest.mark.parametrize("given", ["", "lexical", "rehearsal", "two words", "openai:any", "any@nowhere"])
def test_a_measure_without_its_model_is_refused_before_anybody_is_asked(given: str) -> None:
    with FakeServer() as server:
        context = knobs(server, model=f"any@{server.url}", embeddings=given)
        with pytest.raises(InputError, match=r"^embeddings = "):
            consensus.graph.invoke(GIVEN, context=context)
        assert not server.chats


def test_a_fork_to_a_measure_without_its_model_is_refused_before_it_is_saved() -> None:
    run = document("consensus", "Tea?", "--model", "rehearsal", "--max-rounds", "2")["run"]
    output = moot("fork", run, "--turn", "5", "--set", "convergence=embedding")
    assert (output.exit_code, "embeddings = ''" in output.stderr) == (2, True)
    assert [run["run"] for run in listed()] == [run]


def test_the_model_the_environment_names_is_settled_and_goes_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("MOOT_EMBEDDINGS", f"openai:any@{server.url}")
        state = consensus.graph.invoke(GIVEN, context=knobs(server, embeddings=""))
        assert state["settings"].embeddings == f"openai:any@{server.url}"
        assert len(server.embeds) == 2


def test_a_run_measured_by_meaning_is_estimated_and_announced_and_makes_these_calls() -> None:
    with FakeServer() as server:
        words = [f"--set={key}={value}" for key, value in knobs(server, model=f"any@{server.url}").items()]
        report = json.loads(moot("estimate", "consensus", "Tea?", *words, "--json").stdout)
        assert not server.chats + server.embeds
        run = moot("consensus", "Tea?", *words, "-q")
        assert (run.exit_code, len(server.chats)) == (0, report["expected"]["calls"])
    assert f"up to {len(server.chats) + len(server.embeds)} calls" in run.stderr


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e308])
def test_likeness_does_not_depend_on_the_length_of_vectors(size: float) -> None:
    mean_similarities = compute_mean_similarities([[size, 0.0], [size, 0.0], [0.0, size]])
    assert mean_similarities == pytest.approx([0.5, 0.5, 0.0])
