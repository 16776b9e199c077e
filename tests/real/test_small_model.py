"""Protocols with a real model of 135 million parameters: nothing rests on what a model of ours would say.

A proof runs every protocol, other runs of the tests the two that take the least time.

It speaks nonsense, repeats its instructions and fails at most forms: what is held here must hold for any model.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import document, listed, moot
from moot.graphs import discussion
from moot.state.fence import strip_frame
from places import is_proof
from servers.small_model import counted, installed, serving

pytestmark = pytest.mark.long

EXACT = ["--set", "temperature=0", "--set", "retry_delays=[0]"]
AMOUNT = ["--set", "max_tokens_per_turn=60", *EXACT]
ONCE = ["--set", "max_attempts=1"]
BRIEF = ["--set", "max_tokens_per_turn=24", *EXACT, *ONCE]
CLOSED = ["--set", "max_tokens_synthesis=24"]
TWO = ["--participant", "Ada", "--participant", "Ben"]
THREE = [*TWO, "--participant", "Cleo"]
PAPERS = ["--samples", "--output-language", "en", "--n-papers", "1", "--set", "paper_chars=1000"]
ALONE = "participants=[{name: Ada, reasoning_enabled: false}, {name: Ben, reasoning_enabled: false}]"
LIMITS = ("statement", "reasoning", "voting_initiation", "voting_confirmation", "voting_secret_ballot")
PATIENT = [word for limit in LIMITS for word in ("--set", f"{limit}_timeout=600")]
"""Of this protocol alone the tries have an end of their own, which a busy processor passes."""

RUNS = {
    "debate": ["debate", "Tea or coffee?", "--max-turns", "2", *BRIEF, *CLOSED],
    "consensus": ["consensus", "Tea?", *THREE, "--max-rounds", "1", "--vote", "plurality", *BRIEF, *CLOSED],
    "discussion": ["discussion", "Tea or coffee?", *TWO, "--max-turns", "2", *BRIEF],
    "panel": ["panel", "Do trees cool?", *PAPERS, "--experts", "Paper Analyst, MIT Researcher", *BRIEF, *CLOSED],
    "justice": ["justice", "--set", ALONE, "--max-rounds", "1", "--set", "max_tokens_per_turn=24", *PATIENT],
    "council": ["council", "Tea or coffee?", *TWO, *BRIEF, *CLOSED],
    "delphi": ["delphi", "How heavy?", *TWO, "--max-rounds", "2", "--set", "answer={number: kg}", *AMOUNT, *ONCE],
    "jury": ["jury", "Did Kim take the bicycle?", *TWO, "--max-rounds", "1", *AMOUNT],
}
"""One run each, as short as it can be; where an answer is a form, with room for it."""
CHEAPEST = ["discussion"]
"""The protocol that takes the least time; the others are run in a proof."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(threads=1) as found:
        yield found


def ran(url: str, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit code and saved run of a command; what it spent is what the server has counted."""
    before = counted(url)
    code = moot(*words, "--model", f"openai:smollm2@{url}", "--quiet").exit_code
    run = document("show", listed()[0]["run"])
    after = counted(url)
    assert run["totalTokens"] == sum(call["input_tokens"] + call["output_tokens"] for call in run["calls"])
    calls = [call for call in run["calls"] if call["model"] != "rehearsal"]
    assert calls
    assert after[0] - before[0] == sum(call["input_tokens"] - call["cached_tokens"] for call in calls)
    assert after[1] - before[1] == sum(call["output_tokens"] for call in calls)
    return code, run


def parts(value: Any, *keys: str) -> Iterator[dict[str, Any]]:
    """Everything in a document that has these keys."""
    if isinstance(value, dict) and set(keys) <= set(value):
        yield value
    for element in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(element, *keys)


@pytest.mark.parametrize("protocol", RUNS if is_proof() else CHEAPEST)
def test_a_real_model_s_run_ends_and_tells_what_came_of_it(protocol: str, url: str) -> None:
    code, run = ran(url, *RUNS[protocol])
    assert code in (0, 3)
    assert run["headline"]
    for turn in run["turns"]:
        assert turn["content"].strip()
        assert strip_frame(turn["content"], turn["speakerId"]) == turn["content"]
    for call in run["calls"]:
        assert call["outcome"] in ("ok", "overflow"), "what does not fit is asked with less of the record"
        assert call["reply"] == "" or strip_frame(call["reply"], call["who"]) != call["reply"].strip()
    for ballot in parts(run, "voter", "invalid", "choice"):
        assert ballot["invalid"] == "" or (ballot["choice"], ballot["ranking"]) == (None, None)
    for tally in parts(run, "voters", "votes", "abstentions", "invalid"):
        assert tally["voters"] == tally["votes"] + tally["abstentions"] + tally["invalid"] + tally["excluded"]
    for incident in run["incidents"]:
        assert incident["kind"] != "unparsable" or incident["consequence"], "what cannot be read is told, not guessed"


def test_a_context_that_is_too_small_is_met_with_less_of_the_record() -> None:
    rehearsed = ["--participant", "Ada=rehearsal", "--participant", "Ben", "--max-turns", "4", "--seed", "1"]
    with serving(context=512, threads=1) as url:
        code, run = ran(url, "discussion", "Tea or coffee?", *rehearsed, *AMOUNT)
    assert code in (0, 3)
    assert "overflow" in {incident["kind"] for incident in run["incidents"]}
    assert all(call["input_tokens"] <= 512 for call in run["calls"] if call["model"] != "rehearsal")


def test_what_a_real_model_says_can_be_followed_as_it_is_said(url: str) -> None:
    context = {"model": f"openai:smollm2@{url}", "max_turns": 1, "max_tokens_per_turn": 60, "temperature": 0}
    given = {"topic": "Tea or coffee?", "participants": [{"name": "Ada"}, {"name": "Ben"}]}
    pieces = list[str]()
    for mode, part in discussion.graph.stream(given, context=context, stream_mode=["messages", "values"]):
        if mode == "messages":
            pieces.append(part[0].text)
        else:
            state = part
    assert len(pieces) > 10
    assert [statement.content for statement in state["history"]] == [strip_frame("".join(pieces), "Ada")]


def test_an_engine_without_a_build_for_this_python_is_a_failed_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(RuntimeError, match=r"could not be installed(.|\n)*No matching distribution"):
        installed(tmp_path / "engine")
    assert list(tmp_path.iterdir()) == []
