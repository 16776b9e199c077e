"""Branches of one fan-out: a failure of one never costs what the others are paid for."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from chats.scripted import ScriptedChat
from deliberations.blind_round import NAMES, RUN, Group, unhurried
from fakeserver import FakeServer, Fault, Reply
from moot.graphs import consensus
from moot.models.failures import RunStoppedError


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_branch_that_must_stop_waits_for_its_siblings_and_only_its_own_call_is_made_again(way: str) -> None:
    refused = True

    def reply(request: Any) -> Reply | Fault:
        return Fault.status(401) if refused and request.body["model"] == "ben" else unhurried(request)

    with FakeServer(reply=reply, gate=3) as server:
        group = Group(server)
        with pytest.raises(RunStoppedError, match="Ben"):
            getattr(group, way)(group.given)
        assert group.asked() == {"ada": 1, "ben": 1, "cleo": 1}
        refused = False
        ended = getattr(group, way)(None)
        assert group.asked()["ben"] == 2
        assert (group.asked()["ada"], group.asked()["cleo"]) == (1, 1)
    assert [statement.speaker for statement in ended["history"]] == NAMES
    assert [statement.turn for statement in ended["history"]] == [1, 2, 3]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_two_branches_that_must_stop_do_not_wait_for_each_other_for_ever(way: str) -> None:
    def reply(request: Any) -> Reply | Fault:
        return unhurried(request) if request.body["model"] == "cleo" else Fault.status(401)

    with FakeServer(reply=reply, gate=3) as server:
        group = Group(server)
        with pytest.raises(RunStoppedError):
            getattr(group, way)(group.given)
        state = group.graph.get_state(RUN)
    assert [statement.speaker for statement in state.values["history"]] == ["Cleo"]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_branch_that_gets_no_answer_is_on_record_and_stops_nobody(way: str) -> None:
    def reply(request: Any) -> Reply | Fault:
        return Fault.drop() if request.body["model"] == "ben" else unhurried(request)

    with FakeServer(reply=reply) as server:
        group = Group(server, on_outage="skip")
        ended = getattr(group, way)(group.given)
    assert [statement.speaker for statement in ended["history"]] == ["Ada", "Cleo"]
    assert [statement.turn for statement in ended["history"]] == [1, 3], "a passed-over turn keeps its number"
    assert [incident.consequence for incident in ended["incidents"] if incident.who == "Ben"] == [
        "asked again",
        "asked again",
        "missed",
    ]


def test_runs_without_a_checkpointer_do_not_wait_for_each_other() -> None:
    def reply(request: Any) -> Reply | Fault:
        return Fault.status(401) if request.body["model"] == "ben" else Fault.hang(unhurried)

    async def both() -> list[Any]:
        graph = consensus.graph
        lone = {**Group(server).given, "participants": [{"name": name, "model": f"ben@{server.url}"} for name in NAMES]}
        held = {**Group(server).given, "participants": [{"name": name, "model": f"ada@{server.url}"} for name in NAMES]}
        context = Group(server).context
        waiting = asyncio.create_task(graph.ainvoke(held, context=context))
        await asyncio.to_thread(server.wait_for, 3)
        with pytest.raises(RunStoppedError):
            await graph.ainvoke(lone, context=context)
        server.reply = unhurried
        server.release()
        return [statement.speaker for statement in (await waiting)["history"]]

    with FakeServer(reply=reply) as server:
        assert asyncio.run(both()) == NAMES


def test_branches_ask_at_the_same_time() -> None:
    with FakeServer(reply=unhurried, gate=3) as server:
        assert len(Group(server).invoke(Group(server).given)["history"]) == 3
        assert server.peak == 3


@pytest.mark.parametrize("cap", [2, 4, 5, 6, 9])
def test_branches_share_what_the_budget_leaves_and_it_is_never_passed(cap: int) -> None:
    def reply(request: Any) -> Reply | Fault:
        return Fault.content("empty") if request.body["model"] == "ben" else unhurried(request)

    with FakeServer(reply=reply) as server:
        group = Group(server, budget={"calls": cap}, convergence="lexical")
        state = group.invoke(group.given)
        assert len(server.chats) == len(state["calls"]) <= cap
        assert len(server.chats) >= min(cap, 5), "nor is it left unused"
    assert state["calls"][-1].purpose == "synthesis", "one call was kept for the end"


@pytest.mark.parametrize("cap", [2, 3, 4])
@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_branches_that_run_one_after_the_other_share_the_budget_too(way: str, cap: int) -> None:
    graph, config = consensus.graph, {"max_concurrency": 1}
    context = {"model": "rehearsal", "seed": 7, "max_rounds": 2, "budget": {"calls": cap}}
    given = {"topic": "Where shall we meet?", "participants": NAMES}
    if way == "ainvoke":
        state = asyncio.run(graph.ainvoke(given, config, context=context))
    else:
        state = graph.invoke(given, config, context=context)
    assert [call.purpose for call in state["calls"]] == ["statement"] * (cap - 1) + ["synthesis"]


def test_a_participant_that_was_lost_for_three_turns_is_tried_once_a_round_from_then_on() -> None:
    def answer(messages: Any, kwargs: Any) -> Any:
        if "You are Ben" in messages[1].text:
            return TimeoutError()
        return f"A view that nobody has held before, numbered {len(messages[1].text)} and {len(model.prompts)}."

    model = ScriptedChat(script=answer)
    context: Any = {
        "model": model,
        "max_rounds": 5,
        "convergence": "lexical",
        "dynamic_termination": False,
        "retry_delays": [0],
    }
    given = {"topic": "Where shall we meet?", "participants": NAMES}
    state = consensus.graph.invoke(given, context=context)
    counts = Counter(call.round for call in state["calls"] if call.who == "Ben")
    assert counts == {1: 3, 2: 3, 3: 3, 4: 1, 5: 1}
    assert len([statement for statement in state["history"] if statement.speaker != "Ben"]) == 10
