"""`moot estimate` against the calls runs really make, and `moot models`."""

import json
from typing import Any

import pytest
from command import document, moot
from fakeserver import FakeServer


def estimate(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(moot("estimate", *words, "--json").stdout)
    return found


def test_without_early_ending_the_expected_calls_are_the_calls_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ("--set", "dynamic_termination=false", "--max-turns", "6")
    found = estimate("debate", "Tea or coffee?", *rules)
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        document("debate", "Tea or coffee?", *rules)
        made = len(server.chats)
    assert (found["low"]["calls"], found["expected"]["calls"], found["high"]["calls"]) == (7, 7, 7)
    assert made == 7


@pytest.mark.parametrize("words", [("debate",), ("consensus", "--set", "max_rounds=4")])
def test_with_early_endings_low_and_high_bracket_what_runs_make(words: tuple[str, ...]) -> None:
    found = estimate(*words)
    made = [
        document(words[0], "Tea or coffee?", *words[1:], "--model", "rehearsal", "--seed", str(seed))["totalCalls"]
        for seed in (11, 12, 13)
    ]
    assert found["low"]["calls"] <= found["expected"]["calls"] <= found["high"]["calls"]
    assert all(calls <= found["high"]["calls"] for calls in made)
    assert found["low"]["calls"] <= max(made)


def test_money_is_tokens_at_the_given_prices() -> None:
    found = estimate("debate", "--max-turns", "4", "--set", "prices={input: 1, output: 10}")["expected"]
    assert found["money"] == pytest.approx((found["input_tokens"] + 10 * found["output_tokens"]) / 1e6)
    assert estimate("debate")["expected"]["money"] is None


def test_an_estimate_asks_no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        estimate("debate", "--model", "openai:dear")
        assert not server.requests


def test_models_lists_what_the_server_serves_and_marks_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(moot("models", "--json").stdout)["default"] == "rehearsal"
    with FakeServer(models=["one", "two"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        found = json.loads(moot("models", "--json").stdout)
        assert found["default"] == f"openai:one@{server.url}"
        assert list(found["models"])[:2] == [f"openai:one@{server.url}", f"openai:two@{server.url}"]
        assert f"* openai:one@{server.url}" in moot("models").stdout
