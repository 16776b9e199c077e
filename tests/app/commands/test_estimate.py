"""`moot estimate` against the calls runs really make, and `moot models`."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import document, moot
from fakeserver import FakeServer
from moot.app.protocols.justice.hooks import build_experiment_settings
from moot.app.protocols.registry import get_protocol
from moot.app.run.deliberation_options import RunOptions
from moot.app.run.estimate import describe_highest_cost, estimate_cost
from moot.app.run.request import RunRequest, build_request
from moot.state.consensus.settings import ConsensusSettings
from moot.state.justice.settings import JusticeSettings


def estimate(*words: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(moot("estimate", *words, "--json").stdout)
    return report


FIVE: list[Any] = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
ZOE = {"name": "Zoe", "kind": "person"}


def announced(name: str, given: dict[str, Any]) -> str:
    about = {"query" if name == "panel" else "topic": "Tea or coffee?"}
    return asyncio.run(
        describe_highest_cost(build_request(get_protocol(name), {"model": "openai:x"} | about | given, RunOptions()))
    )


def test_without_early_ending_the_expected_calls_are_the_calls_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ("--set", "dynamic_termination=false", "--max-turns", "6")
    found = estimate("debate", "Tea or coffee?", *rules)
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        document("debate", "Tea or coffee?", *rules)
        chat_count = len(server.chats)
    assert (found["low"]["calls"], found["expected"]["calls"], found["maximum"]["calls"]) == (7, 7, (3 + 3) * 7 + 7 * 3)
    assert chat_count == 7


@pytest.mark.long
@pytest.mark.parametrize("words", [("debate",), ("consensus", "--set", "max_rounds=4")])
def test_with_early_endings_low_and_high_bracket_what_runs_make(words: tuple[str, ...]) -> None:
    found = estimate(*words)
    totalCalls = [
        document(words[0], "Tea or coffee?", *words[1:], "--model", "rehearsal", "--seed", str(seed))["totalCalls"]
        for seed in (11, 12, 13)
    ]
    assert found["low"]["calls"] <= found["expected"]["calls"] <= found["maximum"]["calls"]
    assert all(calls <= found["maximum"]["calls"] for calls in totalCalls)
    assert found["low"]["calls"] <= max(totalCalls)


OWN: dict[str, list[str]] = {
    "jury": ["--juror-count", "4", "--max-rounds", "1", "--no-dynamic-termination"],
    "delphi": ["--expert-count", "4", "--max-rounds", "2", "--no-dynamic-termination"],
    "council": [
        "--participant",
        "Ada",
        "--participant",
        "Ben",
        "--participant",
        "Cleo",
        "--no-rank-own-answer",
        "--voting-rule",
        "schulze",
    ],
}
CALLS = {"jury": 12, "delphi": 8, "council": 7}


@pytest.mark.parametrize("name", OWN)
def test_an_estimate_takes_the_options_that_only_the_run_s_protocol_has(name: str) -> None:
    assert estimate(name, "Tea or coffee?", *OWN[name])["low"]["calls"] == CALLS[name]


def test_an_option_of_another_protocol_is_refused_and_its_help_shows_the_own_ones() -> None:
    output = moot("estimate", "debate", "--verdict-rule", "5/6")
    assert (output.exit_code, "No such option: --verdict-rule" in output.stderr) == (2, True)
    assert ["--verdict-rule" in moot("estimate", name, "--help").stdout for name in ("jury", "debate")] == [True, False]


@pytest.mark.long
def test_an_experiment_is_estimated_with_its_settings_in_the_spelling_in_which_it_runs(tmp_path: Path) -> None:
    config = tmp_path / "experiment.yaml"
    config.write_text("participants: [Ada, Ben, Cleo]\nwording: {frame: loss}\nmax_rounds: 9\n")
    settings = build_request(
        get_protocol("justice"), {}, RunOptions(config=config, set=["max_rounds=2", "wording=neutral"], seed=4)
    ).settings
    assert isinstance(settings, JusticeSettings)
    assert (len(settings.participants), settings.discussion.max_rounds, settings.seed) == (3, 2, 4)
    assert (settings.wording.frame, settings.wording.wording) == ("loss", "neutral")
    assert estimate("justice", "--set", "max_rounds=1")["low"]["calls"] < estimate("justice")["low"]["calls"]


def test_off_and_yes_are_words_in_a_settings_file(tmp_path: Path) -> None:
    config = tmp_path / "talk.yaml"
    config.write_text("topic: 2026-11-21\nvote: off\nblind_first_round: no\ndynamic_termination: true\n")
    request = build_request(get_protocol("consensus"), {}, RunOptions(config=config))
    assert isinstance(request.settings, ConsensusSettings)
    assert (request.topic, request.settings.vote) == ("2026-11-21", "off")
    assert (request.settings.blind_first_round, request.settings.dynamic_termination) == (False, True)


def test_money_is_tokens_at_the_given_prices() -> None:
    found = estimate("debate", "--max-turns", "4", "--set", "prices={input: 1, output: 10}")["expected"]
    assert found["money"] == pytest.approx((found["input_tokens"] + 10 * found["output_tokens"]) / 1e6)
    assert estimate("debate")["expected"]["money"] is None


def test_an_estimate_asks_no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        estimate("debate", "--model", "openai:dear")
        assert not server.requests


CHOICE = {"answer": "option", "options": {"A": "a ban", "B": "a toll"}}
ANNOUNCED: dict[str, tuple[str, dict[str, Any], int]] = {
    "a debate: its turns, whether one gives in, and the synthesis": ("debate", {"max_turns": 4}, 4 + 1 + 1),
    "a judge may be asked from the fourth statement on": ("debate", {"max_turns": 6, "stop_rule": "judge"}, 6 + 3 + 1),
    "or never": ("debate", {"max_turns": 6, "stop_rule": "judge", "dynamic_termination": False}, 6 + 1),
    "no more calls than the cap": ("debate", {"budget": {"calls": 3}}, 3),
    "consensus: positions from the second round on, a draft, its acceptances and the synthesis": (
        "consensus",
        {"max_rounds": 2, "participants": FIVE},
        10 + 5 + 1 + 5 + 1,
    ),
    "or none": ("consensus", {"max_rounds": 2, "convergence": "lexical", "participants": FIVE}, 10 + 1 + 5 + 1),
    "positions: before and after each pair of turns": (
        "debate",
        {"max_turns": 4, "positions": "rounds"},
        4 + 1 + 6 + 1,
    ),
    "at the ends, and the answer": ("debate", {"max_turns": 4, "positions": "ends", **CHOICE}, 4 + 1 + 4 + 1 + 1),
    "in one question with the agreement": (
        "consensus",
        {"max_rounds": 2, "participants": FIVE, "positions": "rounds"},
        10 + 15 + 1 + 5 + 1,
    ),
    "declared endings are played to the cap": ("debate", {"max_turns": 6, "stop_rule": "declared"}, 6 + 1 + 8),
    "a session has no synthesis": ("discussion", {"max_turns": 5}, 5),
    "a judge reads what people say, too": (
        "debate",
        {"max_turns": 6, "stop_rule": "judge", "participants": [ZOE, "Ada"]},
        3 + 3 + 1,
    ),
    "and its people cost nothing": ("discussion", {"max_turns": 6, "participants": [*FIVE[:2], ZOE]}, 4),
}


@pytest.mark.long
@pytest.mark.parametrize("case", ANNOUNCED.values(), ids=ANNOUNCED)
def test_a_paid_run_says_beforehand_how_many_calls_it_may_make(case: tuple[str, dict[str, Any], int]) -> None:
    assert f"model openai:x; up to {case[2]} calls and about " in announced(*case[:2])


@pytest.mark.long
@pytest.mark.parametrize(("seats", "calls"), [([ZOE], 2 / 3), ([ZOE, ZOE | {"name": "Yan"}], 1 / 3)])
def test_people_in_an_experiment_on_justice_are_no_calls(seats: list[Any], calls: float) -> None:
    def most(people: list[Any]) -> int:
        given = {"participants": people, "max_rounds": 1, "model": "rehearsal"}
        return asyncio.run(
            estimate_cost(build_request(get_protocol("justice"), given, RunOptions()), range(1, 2))
        ).maximum.calls

    assert most([*FIVE[: 3 - len(seats)], *seats]) == pytest.approx(calls * most(FIVE[:3]), rel=0.05)


def test_an_experiment_without_a_cap_to_play_to_is_announced_as_one_that_may_go_otherwise() -> None:
    rules = build_experiment_settings({}, {"model": "openai:x", "seed": 5})
    highest_cost = asyncio.run(describe_highest_cost(RunRequest(get_protocol("justice"), rules)))
    assert re.match(
        r"model openai:x; about \d+ calls and [\d,]+ tokens, as in a rehearsal; price unknown: openai:x",
        highest_cost,
    )


def test_what_is_announced_is_within_the_budget_and_at_the_given_prices() -> None:
    priced = {"prices": {"input": 1, "output": 2}, "budget": {"cost": 0.01, "tokens": 9000}}
    amounts = re.search(
        r"about ([\d,]+) tokens without retries; ([\d.]+) at the given prices", announced("debate", priced)
    )
    assert amounts
    assert int(amounts[1].replace(",", "")) <= 9000
    assert 0 < float(amounts[2]) <= 0.01
    assert "price unknown: openai:x" in announced("debate", {})


def test_what_nothing_bounds_is_not_announced_and_cannot_be_estimated() -> None:
    assert "no limit on turns, so no limit" in announced("discussion", {"ttl": 60, "participants": FIVE})
    assert announced("debate", {"model": "rehearsal"}) == ""
    output = moot("estimate", "discussion", "--set", "ttl=60")
    assert (output.exit_code, "must be given" in output.stderr) == (2, True)


NO_PRICE = {
    "no model": ([], "To see a price, name a model: --model openai:gpt-5-mini."),
    "a model of one's own": (
        ["--model", "openai:x@http://localhost:9/v1"],
        "Price unknown: openai:x@http://localhost:9/v1; set prices.input and prices.output.",
    ),
}


@pytest.mark.parametrize(("chosen", "remedy"), NO_PRICE.values(), ids=NO_PRICE)
def test_an_estimate_without_a_price_says_how_to_get_one(chosen: list[str], remedy: str) -> None:
    assert remedy in moot("estimate", "debate", "Tea?", *chosen).stdout.splitlines()
    prices = ["--set", "prices.input=1", "--set", "prices.output=1"]
    assert remedy not in moot("estimate", "debate", "Tea?", *chosen, *prices).stdout.splitlines()
    assert "To see a price" not in moot("estimate", "debate", "Tea?", "--model", "rehearsal").stdout


def test_an_estimate_without_papers_says_why_it_is_nought() -> None:
    assert (
        "No paper in the library answers this question, so the run would ask no model"
        in moot("estimate", "panel").stdout
    )


def test_models_lists_what_the_server_serves_and_marks_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(moot("models", "--json").stdout)["default"] == "rehearsal"
    with FakeServer(models=["one", "two"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        report = json.loads(moot("models", "--json").stdout)
        assert report["default"] == f"openai:one@{server.url}"
        assert list(report["models"])[:2] == [f"openai:one@{server.url}", f"openai:two@{server.url}"]
        assert f"* openai:one@{server.url}" in moot("models").stdout
