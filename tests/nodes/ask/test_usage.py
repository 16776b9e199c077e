"""Whatever a server says that an answer costs, the answer is kept, nothing is negative, and caps hold."""

import json
from typing import Any

import pytest
from command import document, moot
from fakeserver import FakeServer, Reply, Request
from fakeserver.echo import echo_by_hash
from fakeserver.spoilt import make_reply
from moot.state.budget import is_budget_spent
from moot.state.debate import DebateSettings
from moot.state.records import Call

DEBATE = ("debate", "Tea or coffee?", "--max-turns", "4", "--set", "retry_delays=[0]")
PRICED = ("--set", "prices={input: 1000000, cached: 1, output: 1000000}")


def reporting(usage: Any) -> Any:
    """A server that answers well and says this of what it cost."""

    def reply(request: Request) -> Reply:
        whole = make_reply(echo_by_hash, request)
        return Reply(whole.text, usage=usage)

    return reply


WRONG = {
    "negative": {"prompt_tokens": -5, "completion_tokens": 3},
    "huge": {"prompt_tokens": 10**30, "completion_tokens": 3, "total_tokens": 10**30},
    "a fraction": {"prompt_tokens": 12.5, "completion_tokens": 3},
    "a string": {"prompt_tokens": "a dozen", "completion_tokens": "3", "total_tokens": "15"},
    "nothing": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "nothing for a text": {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10},
    "absent": False,
    "null": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
}


@pytest.mark.parametrize("usage", WRONG.values(), ids=WRONG)
def test_the_answer_is_kept_and_the_figure_is_unknown_on_record(usage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(reply=reporting(usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        report = document(*DEBATE, *PRICED)
        assert len(server.chats) == 5
    assert len(report["turns"]) == 4
    assert report["synthesis"]
    assert (report["status"], report["totalTokens"], report["totalCost"]) == ("completed", 0, 0)
    assert all(call["assumed_input"] > 100 and call["assumed_output"] > 10 for call in report["calls"])
    incidents = [incident for incident in report["incidents"] if incident["kind"] == "usage"]
    assert [incident["consequence"] for incident in incidents] == ["kept"], "told once for a model"
    assert "the server reports no token counts" in incidents[0]["what"]


@pytest.mark.parametrize("usage", [WRONG["absent"], WRONG["negative"]], ids=["absent", "negative"])
def test_a_cap_on_tokens_holds_without_usable_figures(usage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(reply=reporting(usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        words = ("debate", "Tea or coffee?", "--max-turns", "20", "--set", "dynamic_termination=false")
        report = document(*words, "--max-total-tokens", "30000")
    assert report["terminationReason"] == "budget_spent"
    assert sum(call["assumed_input"] + call["assumed_output"] for call in report["calls"]) <= 30000


def test_more_cached_than_prompt_never_makes_a_cost_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 10**6}}
    with FakeServer(reply=reporting(usage)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        report = document(*DEBATE, *PRICED)
    assert report["totalCost"] == 5 * 13
    assert {call["cached_tokens"] for call in report["calls"]} == {0}


def test_a_schema_s_answer_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(reply=reporting(WRONG["a string"])) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        output = moot("consensus", "Tea or coffee?", "--max-rounds", "2", "--set", "retry_delays=[0]", "--json")
    assert output.exit_code == 0, output.stderr
    assert json.loads(output.stdout)["positions"]


def test_caps_take_what_is_unknown_for_as_much_as_it_can_be() -> None:
    unknown = Call(purpose="statement", assumed_input=5000, assumed_output=900)
    assert is_budget_spent(DebateSettings(budget={"tokens": 9000}), [unknown])
    assert not is_budget_spent(DebateSettings(budget={"tokens": 9000}), [Call(purpose="statement", input_tokens=50)])


def test_a_lost_call_counts_against_the_caps_on_tokens_and_cost_and_not_against_the_one_on_calls() -> None:
    lost = Call(purpose="statement", outcome="lost", assumed_input=5000, assumed_output=900)
    sent = Call(purpose="statement", input_tokens=50)
    budget = DebateSettings(budget={"calls": 3})
    assert not is_budget_spent(budget, [sent, lost, lost])
    assert is_budget_spent(budget, [sent, sent])
    assert is_budget_spent(DebateSettings(budget={"tokens": 6000}), [lost])
