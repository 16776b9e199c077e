"""What can go wrong between a run and its models, in all protocols, over real HTTP: nothing ends it, nothing is silent.

A statement in the middle of each run is the victim. What is waited is written down, not waited.
"""

import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from command import document, listed, moot
from fakeserver import Answer, FakeServer, Fault, Request
from runs.five import FIVE, ran
from sampling import sample_cases

VICTIM = {"debate": 2, "consensus": 5, "discussion": 2, "panel": 2, "justice": 28}
"""The call that goes wrong, which asks for a statement."""


class Row(NamedTuple):
    """A fault, the kind its incident is of, how its kind reads in a headline, and the seconds a server asks to wait."""

    fault: Fault
    kind: str
    words: str
    after: float = 0.0


def told_again(request: Request) -> str:
    """What the task said, said back."""
    return request.text.rsplit("<task>", 1)[-1].split("</task>")[0]


ROWS = {
    "429": Row(Fault.status(429), "rate_limit", "rate limit"),
    "429 in 7 s": Row(Fault.status(429, retry_after=7), "rate_limit", "rate limit", 7.0),
    "429 in an hour": Row(Fault.status(429, retry_after=3600), "rate_limit", "rate limit", 60.0),
    "500": Row(Fault.status(500), "server", "server error"),
    "502 page": Row(Fault.status(502), "server", "server error"),
    "503 in 3 s": Row(Fault.status(503, retry_after=3), "server", "server error", 3.0),
    "dropped": Row(Fault.drop(), "connection", "connection lost"),
    "cut": Row(Fault.cut_stream(), "connection", "connection lost"),
    "ended early": Row(Fault.end_early(), "connection", "connection lost"),
    "error in the stream": Row(Fault.stream_error(), "connection", "connection lost"),
    "no JSON": Row(Fault.not_json(), "malformed", "unreadable server answer"),
    "blank": Row(Fault.content("blank"), "rejected", "unusable answer"),
    "too short": Row(Fault(of="Yes."), "rejected", "unusable answer"),
    "refused": Row(Fault.content("content_filter"), "refusal", "refusal"),
    "refused by policy": Row(Fault.policy(), "refusal", "refusal"),
    "only a header": Row(Fault(of=lambda request: f"**{speaker(request)}:**"), "rejected", "unusable answer"),
    "the task repeated": Row(Fault(of=told_again), "rejected", "unusable answer"),
}
"""Faults a participant is asked again after, and passed over when its tries are spent."""

STREAMED = [ROWS[key] for key in ("cut", "ended early", "error in the stream")]
"""What goes wrong while an answer is read piece by piece, as it is where somebody follows the words."""


@pytest.fixture(autouse=True)
def followed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Somebody follows the words where that is what goes wrong."""
    callspec = getattr(request.node, "callspec", None)
    if callspec and callspec.params.get("row") in STREAMED:
        with patch("moot.nodes.ask.request.has_token_reader", lambda: True):
            yield
    else:
        yield


FATAL = {
    "400": Fault.status(400),
    "401": Fault.status(401),
    "403": Fault.status(403),
    "404": Fault.status(404),
    "quota": Fault.quota(),
}
"""Faults that stop a run."""

NAMES = r"PRO|CON|Ada|Ben|Cleo|A|B|C|Google Engineer|MIT Researcher|Industry Expert|Paper Analyst"


def speaker(request: Request) -> str:
    """Whose turn the task says it is."""
    match = re.search(rf"\b(?:{NAMES})\b(?=[,.])", request.text.rsplit("<task>", 1)[-1])
    assert match, request.text[-600:]
    return match[0]


@pytest.fixture(autouse=True)
def waits() -> Iterator[list[float]]:
    """The seconds that would have been waited before a try."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with patch("moot.nodes.ask.ask_with_retries.asyncio", SimpleNamespace(sleep=sleep)):
        yield waited


def pairs(rows: dict[str, Any], seed: int) -> list[Any]:
    """Each protocol with each row in a proof; else a part with every protocol and every row, by this seed."""
    cases = [pytest.param(name, rows[key], id=f"{name}-{key}") for name in FIVE for key in rows]
    return sample_cases(cases, seed, share=20)


def failing(name: str, fault: Fault, times: int) -> dict[int, Fault]:
    """The victim's calls, each with this fault."""
    return {VICTIM[name] + number: fault for number in range(times)}


def incidents_of(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [
        incident for incident in found["incidents"] if incident["kind"] == kind and incident["where"] == "statement"
    ]


def statements(server: FakeServer, found: dict[str, Any]) -> int:
    """How many statements were asked for; every request the server saw must be on record."""
    assert len(server.chats) == found["totalCalls"]
    return sum(call["purpose"] == "statement" for call in found["calls"])


TURNS = {"debate": 4, "consensus": 6, "discussion": 6, "panel": 4, "justice": 3}


@pytest.mark.long
@pytest.mark.parametrize(("name", "row"), pairs(ROWS, seed=1))
def test_what_fails_once_is_asked_again_and_nothing_is_missing(name: str, row: Row, waits: list[float]) -> None:
    with FakeServer(FIVE[name].reply, faults=failing(name, row.fault, 1)) as server:
        result, found = ran(FIVE[name].on(server))
        assert result.exit_code == 0, result.stderr
        assert statements(server, found) == TURNS[name] + 1
    assert [(incident["consequence"], incident["attempts"]) for incident in incidents_of(found, row.kind)] == [
        ("asked again", 1)
    ]
    assert found["status"] == "completed"
    assert len(found["turns"]) == TURNS[name]
    assert "missing" not in found["headline"]
    assert max(waits) >= row.after
    assert max(waits) <= max(row.after, 1.25)


@pytest.mark.long
@pytest.mark.parametrize(("name", "row"), pairs(ROWS, seed=2))
def test_what_fails_three_times_is_passed_over_and_said(name: str, row: Row) -> None:
    with FakeServer(FIVE[name].reply, faults=failing(name, row.fault, 3)) as server:
        result, found = ran(FIVE[name].on(server))
        assert result.exit_code == 0, result.stderr
        assert statements(server, found) == TURNS[name] + 2
    last = incidents_of(found, row.kind)[-1]
    assert (last["consequence"], last["attempts"], last["severity"]) == ("missed", 3, "degraded")
    turnNumbers = [turn["turnNumber"] for turn in found["turns"] if turn["content"]]
    if name == "justice":
        assert "Degraded: statements missing: 1" in found["headline"]
    else:
        assert turnNumbers == [turn for turn in range(1, TURNS[name] + 1) if turn != last["turn"]]
        missing = f"1 of {TURNS[name]} statements missing: {last['who']} ({row.words}) in turn {last['turn']}."
        assert missing in found["headline"]


@pytest.mark.long
@pytest.mark.parametrize(("name", "fault"), pairs(FATAL, seed=3))
def test_what_no_retry_cures_stops_it_with_one_line_and_it_goes_on_when_cured(name: str, fault: Fault) -> None:
    planted = "sk-planted0123456789abcdef"
    with FakeServer(FIVE[name].reply, faults=failing(name, fault, 1)) as server:
        stopped, found = ran(FIVE[name].on(server), OPENAI_API_KEY=planted, OPENAI_BASE_URL=server.url)
        report = json.loads(stopped.stdout or '{"status": "unfinished"}')  # a session stops without a document
        assert (stopped.exit_code, report["status"]) == (3, "unfinished")
        assert len(server.chats) == VICTIM[name]
        line = stopped.stderr.strip().splitlines()[-1]
        assert re.search(rf"^moot: (?:{NAMES}) \(openai:fake@http://.*\): .*. Saved. Continue: ", line)
        assert planted not in stopped.output
        (run,) = listed()
        assert (run["state"], found["terminationReason"]) == ("stopped" if run["turns"] else "failed", None)
        record = document("resume", listed()[0]["run"])
        assert record["status"] == "completed"
        assert len(server.chats) == FIVE[name].calls + 1
    assert not incidents_of(record, "refused")


LONGER = {
    "debate": ["--max-turns", "10"],
    "consensus": ["--max-rounds", "6"],
    "discussion": ["--max-turns", "14"],
    "panel": ["--cycles", "4"],
}
"""Long enough for everyone to be missed three times in a row."""


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*LONGER], kinds=0))
def test_when_nobody_can_be_reached_any_more_it_ends_so_and_goes_on_later(name: str) -> None:
    ill = True

    def reply(request: Request) -> Answer:
        return Fault.status(503) if ill and request.n > 1 else FIVE[name].reply(request)

    with FakeServer(reply) as server:
        stopped, found = ran([*FIVE[name].on(server), *LONGER[name]])
        assert (stopped.exit_code, json.loads(stopped.stdout)["status"]) == (3, "failed")
        assert found["terminationReason"] == "participants_unavailable"
        assert len(found["turns"]) == 1
        ill = False
        report = document("resume", listed()[0]["run"])
    assert report["terminationReason"] != "participants_unavailable"
    assert report["turns"][0] == found["turns"][0]


CAPS = [
    pytest.param(name, cap, id=f"{name}-{cap}")
    for name in FIVE
    for cap in range({"justice": 3, "discussion": 1}.get(name, 2), 7)
]


@pytest.mark.parametrize(("key", "cap", "least"), [("calls", "2", "3"), ("tokens", "1199", "1,200")])
def test_a_cap_that_cannot_be_shared_among_those_who_are_asked_at_once_is_refused(
    key: str, cap: str, least: str
) -> None:
    with FakeServer() as server:
        output = moot(*FIVE["justice"].on(server, f"budget.{key}={cap}"))
        assert (output.exit_code, server.chats) == (2, [])
    assert f"budget.{key} = {cap}: give at least {least}, enough for a call to each participant" in output.stderr


@pytest.mark.long
@pytest.mark.parametrize(("name", "cap"), sample_cases(CAPS))
def test_a_cap_on_calls_holds_while_calls_fail(name: str, cap: int) -> None:
    faults = {call: Fault.status(500) for call in range(2, 60, 3)}
    with FakeServer(FIVE[name].reply, faults=faults) as server:
        result, found = ran(FIVE[name].on(server, f"budget.calls={cap}"))
        assert result.exit_code == 0, result.stderr
        assert len(server.chats) == found["totalCalls"] <= cap
    assert cap > FIVE[name].calls or found["terminationReason"] == "budget_spent"
