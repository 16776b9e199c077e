"""One who cannot be reached for long, and caps that are reached while calls fail: in all protocols, over real HTTP."""

from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from fakeserver import Answer, FakeServer, Fault, Request
from runs.ailing import SICK, calls_for, missing, own_model, unwaited, unwilling
from runs.five import FIVE, Called, ran
from sampling import sample_cases

LONG = pytest.mark.long

ROUNDS = {
    "consensus": (["--max-rounds", "5"], [3, 3, 3, 1, 1]),
    "discussion": (["--max-turns", "15"], [3, 3, 3, 1, 1]),
    "panel": (["--cycles", "5"], [3, 3, 3, 1, 1]),
    "justice": (["--max-rounds", "5"], [3, 3, 3, 1, 1]),
}
"""How to have five rounds, and the calls for one who is never there, round by round."""


def sick(name: str, fault: Fault, well_at: int = 0) -> Called:
    """The protocol, with a model named `sick` that fails at every statement but the one in request `well_at`."""
    well = unwilling if name == "justice" else FIVE[name].reply
    met: list[int] = []

    def reply(request: Request) -> Answer:
        own = "your turn to speak" in request.text  # an experiment asks for more than statements without a form
        statement = own if name == "justice" else "response_format" not in request.body
        if request.body["model"] != "sick" or not statement:
            return well(request)
        met.append(request.n)
        return well(request) if len(met) == well_at else fault

    return replace(FIVE[name], reply=reply)


def by_round(calls: list[dict[str, Any]]) -> list[int]:
    """How many calls there were in each round."""
    return [len(list(found)) for _, found in groupby(calls, key=lambda call: call["round"])]


FAULTS = {"transport": (Fault.status(503), "server error"), "content": (Fault(of="No."), "unusable answer")}
ABSENCES = [
    pytest.param(name, *FAULTS[key], id=f"{name}-{key}", marks=[] if name == "discussion" else LONG)
    for name in ROUNDS
    for key in FAULTS
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "fault", "words"), sample_cases(ABSENCES))
def test_after_three_turns_in_a_row_one_who_is_not_there_is_tried_once_a_round(
    name: str, fault: Fault, words: str
) -> None:
    more, expected = ROUNDS[name]
    case, who = sick(name, fault), SICK[name]
    with FakeServer(case.reply) as server, unwaited():
        result, found = ran([*case.on(server, own_model(name, server)), *more])
        assert result.exit_code == 0, result.stderr
        assert len(server.chats) == found["totalCalls"]
    assert by_round(calls_for(found, "statement", who)) == expected
    lost = [incident for incident in found["incidents"] if incident["consequence"] == "missed"]
    assert [(one["who"], one["attempts"]) for one in lost] == [(who, tries) for tries in expected]
    assert found["status"] == "completed"
    text = "statements missing: 5" if name == "justice" else f" statements missing: {who} ({words}) in turns "
    assert text in found["headline"]
    assert name == "justice" or f"5 of {len(found['turns']) + 5} statements missing" in found["headline"]


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "discussion" else LONG) for name in ROUNDS])
def test_one_who_comes_back_is_asked_as_often_as_anyone_again(name: str) -> None:
    more, _ = ROUNDS[name]
    longer = [str(int(more[1]) * 6 // 5) if word == more[1] else word for word in more]
    case = sick(name, Fault.status(503), well_at=11)
    with FakeServer(case.reply) as server, unwaited():
        _, found = ran([*case.on(server, own_model(name, server)), *longer])
    assert by_round(calls_for(found, "statement", SICK[name])) == [3, 3, 3, 1, 1, 3]
    assert len(missing(found)) == 5


def test_a_debate_with_one_side_gone_ends_and_keeps_what_was_said() -> None:
    case = sick("debate", Fault.status(503))
    with FakeServer(case.reply) as server, unwaited():
        result, found = ran([*case.on(server, own_model("debate", server)), "--max-turns", "10"])
    assert (result.exit_code, found["terminationReason"]) == (3, "participants_unavailable")
    assert by_round(calls_for(found, "statement", "CON")) == [3, 3, 3]
    assert [turn["turnNumber"] for turn in found["turns"]] == [1, 3, 5]
    assert found["evidence"]["quote"] == "CON"
    assert found["synthesis"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["debate", "consensus", "panel"])
def test_nobody_is_paid_to_sum_up_what_nobody_said(name: str) -> None:
    with FakeServer(lambda _: Fault(of="No.")) as server, unwaited():
        result, found = ran(FIVE[name].on(server, f"models={{synthesizer: 'openai:closing@{server.url}'}}"))
        assert result.exit_code == 3
        assert {request.body["model"] for request in server.chats} == {"fake"}
    assert (found["turns"], found["synthesis"], found["status"]) == ([], "", "failed")
    assert "Nobody said anything, so there is nothing to sum up." in found["headline"]


SPENDING = {"debate": True, "consensus": True, "discussion": False, "panel": True, "justice": False}
"""Whether a protocol closes with a synthesis."""
PRICES = {"input": 1.0, "output": 4.0}
LENGTHS = {
    "debate": ["--max-turns", "10"],
    "consensus": ["--max-rounds", "6"],
    "discussion": ["--max-turns", "30"],
    "panel": ["--cycles", "6"],
    "justice": ["--max-rounds", "10"],
}
CAPPED = [
    pytest.param(name, kind, id=f"{name}-{kind}", marks=[] if (name, kind) == ("debate", "tokens") else LONG)
    for name in FIVE
    for kind in ("calls", "tokens", "cost")
]


def limping(name: str) -> Called:
    """The protocol on a server that fails every eighth call, and answers another eighth in a syllable.

    The last call of all, which is kept back for the synthesis, is spared.
    """
    well = unwilling if name == "justice" else FIVE[name].reply

    def reply(request: Request) -> Answer:
        spoilt = {1: Fault.status(500), 3: Fault(of="No.")}.get(request.n % 8)
        return spoilt if spoilt and request.n > 1 and request.body["model"] != "closing" else well(request)

    return replace(FIVE[name], reply=reply)


def cap_of(name: str, kind: str) -> list[str]:
    """The setting that lets a run go about half of its way."""
    half = {"debate": 9, "consensus": 20, "discussion": 16, "panel": 14, "justice": 60}[name]
    each = {"debate": 1100, "consensus": 1800, "discussion": 900, "panel": 1500, "justice": 2500}[name]
    if kind == "calls":
        return [f"budget.calls={half}"]
    if kind == "tokens":
        return [f"budget.tokens={half * each}"]
    return [f"budget.cost={half * each / 1e6}", f"prices={{input: {PRICES['input']}, output: {PRICES['output']}}}"]


@pytest.mark.parametrize(("name", "kind"), sample_cases(CAPPED, kinds=0))
def test_no_cap_is_passed_while_calls_fail_and_a_synthesis_is_written_within_it(name: str, kind: str) -> None:
    case = limping(name)
    cap = cap_of(name, kind)
    with FakeServer(case.reply) as server, unwaited():
        closing = [f"models={{synthesizer: 'openai:closing@{server.url}'}}"] if name != "discussion" else []
        result, found = ran([*case.on(server, *closing, *cap), *LENGTHS[name]])
        assert result.exit_code == 0, result.stderr
        spent = server.stats()
    limit = float(cap[0].partition("=")[2])
    read, completion_tokens = spent["prompt_tokens"], spent["completion_tokens"]
    cost = (read * PRICES["input"] + completion_tokens * PRICES["output"]) / 1e6
    figures = {"calls": spent["chats"], "tokens": read + completion_tokens, "cost": cost}
    assert figures[kind] <= limit
    assert figures[kind] >= limit / 3, "what may be spent is not left lying"
    assert found["totalCalls"] == spent["chats"]
    assert found["terminationReason"] == "budget_spent"
    assert bool(found["synthesis"]) == SPENDING[name]
    assert "budget was spent" in found["headline"]
