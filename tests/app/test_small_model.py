"""Nothing rests on fakes: a debate and a discussion with a real model, a real tokenizer and a real context limit.

The model is very small: much of what it says is refused, and turns are passed over. What has to hold is that each run
ends, says how, and counts what it cost.
"""

import json
from collections.abc import Iterator

import pytest
from command import listed, moot
from runs.five import shown
from servers.small_model import small_model

pytestmark = pytest.mark.long

SHORT = ("max_tokens_per_turn=60", "statement_tries=2", "waits=[0]")
RUNS = {
    "debate": ["debate", "Tea or coffee?", "--max-turns", "2", "--max-calls", "5"],
    "discussion": ["discuss", "Tea or coffee?", "--models-only", "--max-turns", "2", "--max-calls", "4"],
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with small_model() as url:
        yield url


def ended(url: str, words: list[str], *settings: str) -> dict[str, object]:
    """The document of the run of a command, which has to end, as a success or a failure that is told."""
    given = [word for one in (*SHORT, *settings) for word in ("--set", one)]
    done = moot(*words, "--model", f"openai:small@{url}", *given, "--json")
    assert done.exit_code in (0, 3), done.stderr
    return shown(listed()[0]["run"])


@pytest.mark.parametrize("name", RUNS)
def test_a_protocol_ends_with_a_real_small_model_and_counts_what_its_server_counts(name: str, server: str) -> None:
    found = ended(server, RUNS[name])
    assert found["status"] in ("completed", "partial", "failed"), json.dumps(found["headline"])
    assert found["headline"]
    answered = [call for call in found["calls"] if call["outcome"] == "ok"]  # type: ignore[attr-defined]
    assert answered
    assert all(call["input_tokens"] > 100 and 0 < call["output_tokens"] <= 60 for call in answered)
    assert any(call["cached_tokens"] > 100 for call in answered), "the prompts share no beginning"
    assert not any("<statement" in turn["content"] for turn in found["turns"])  # type: ignore[attr-defined]
