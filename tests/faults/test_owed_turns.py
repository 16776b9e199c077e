"""Turns that a machine's failure prevented are owed: the run parks, and going on makes them first, in their order."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from command import document, listed, moot
from fakeserver import Answer, FakeServer, Fault, Request
from moot.models.failures import CallFailure
from moot.models.outage import is_machine_failure
from runs.ailing import SICK, impatient, missing, own_model, spoken, unwaited
from runs.five import FIVE, MORE, ran
from sampling import sample_cases

LONG = pytest.mark.long
EIGHT = {**FIVE, **{name: MORE[name] for name in ("council", "jury", "delphi")}}
"""Every protocol."""


def words_on(server: FakeServer, name: str, *settings: str) -> list[str]:
    """A protocol's command on this server, as it is by default in an outage."""
    return EIGHT[name].on(server, *settings, on_outage="wait")


def parked_run() -> dict[str, Any]:
    """The only saved run, which is parked."""
    (run,) = listed()
    assert run["state"] == "parked"
    return run


CASES = [
    pytest.param(name, way, id=f"{name}-{way}", marks=[] if name == "debate" else LONG)
    for name in EIGHT
    for way in ("refuses", "breaks off", "503")
]


@pytest.mark.parametrize(("name", "way"), sample_cases(CASES))
def test_a_turn_that_a_machine_prevents_is_owed_and_made_first_when_the_run_goes_on(name: str, way: str) -> None:
    ill = [True]
    first = EIGHT[name].calls // 2
    with FakeServer(EIGHT[name].reply) as server, unwaited():
        _, undisturbed = ran(words_on(server, name))
        texts = [request.text for request in server.chats]
    assert moot("delete", listed()[0]["run"], "--yes").exit_code == 0
    faults = {"breaks off": Fault.drop(), "503": Fault.status(503)}
    with FakeServer() as server, unwaited():

        def reply(request: Request) -> Answer:
            if way == "refuses" and ill and request.n == first:
                server.shut()
            elif ill and request.n >= first:
                return faults[way]
            return EIGHT[name].reply(request)

        server.reply = reply
        output = moot(*words_on(server, name))
        assert output.exit_code == 3, output.output
        line = output.stderr.strip().splitlines()[-1]
        assert f"waiting for 127.0.0.1:{server.port}: " in line
        assert "Not yet answered: " in line
        run = parked_run()
        assert run["waitingFor"] == f"127.0.0.1:{server.port}"
        assert len([chat for chat in server.chats if chat.n >= first]) <= 3 * EIGHT[name].width + 1
        tried = len(server.chats)
        ill.clear()
        server.reopen()
        report = document("resume", run["run"])
        again = [request.text for request in server.chats[tried:]]
    assert (missing(report), report["status"]) == ([], undisturbed["status"])
    assert spoken(report) == spoken(undisturbed)
    expected = [text for text in texts if text in again]
    assert sorted(again) == sorted(expected), "nothing is asked twice"
    assert again == expected or EIGHT[name].width > 1, "what is owed comes first, in its order"


def test_the_run_parks_half_a_minute_after_the_first_refusal_not_after_every_turn_was_tried() -> None:
    times: list[float] = [0.0]

    async def sleep(seconds: float) -> None:
        times.append(times[-1] + seconds)

    with FakeServer(FIVE["debate"].reply) as server:

        def reply(request: Request) -> Answer:
            if request.n == 2:
                server.shut()
            return FIVE["debate"].reply(request)

        server.reply = reply
        clock = SimpleNamespace(monotonic=lambda: times[-1], perf_counter=time.perf_counter)
        with (
            patch("moot.nodes.ask.ask_with_retries.asyncio", SimpleNamespace(sleep=sleep)),
            patch("moot.nodes.ask.attempt.time", clock),
            patch("moot.models.outage.time", clock),
        ):
            output = moot(*words_on(server, "debate", "max_attempts=10", "retry_delays=[1.0, 1.5]"))
    assert (output.exit_code, times[-1]) == (3, 30.0)
    run = parked_run()
    assert run["turns"] == 2
    assert run["fault"].endswith("Not yet answered: PRO (turn 3)")


def test_one_provider_of_several_is_gone_on_without_when_outages_are_skipped() -> None:
    with FakeServer(FIVE["discussion"].reply) as server, FakeServer(lambda _: Fault.status(503)) as gone, unwaited():
        text = own_model("discussion", server).replace(server.url, gone.url)
        result, found = ran(FIVE["discussion"].on(server, text, on_outage="skip"))
    assert result.exit_code == 0, result.stderr
    assert (len(found["turns"]), len(missing(found))) == (4, 2)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "debate" else LONG) for name in FIVE])
def test_of_two_servers_the_one_that_is_gone_is_waited_for_and_its_seat_speaks_in_its_turn(name: str) -> None:
    ill = [True]

    def reply(request: Request) -> Answer:
        return Fault.status(503) if ill else FIVE[name].reply(request)

    with FakeServer(FIVE[name].reply) as server, FakeServer(reply) as gone, unwaited():
        text = own_model(name, server).replace(server.url, gone.url)
        output = moot(*words_on(server, name, text))
        assert output.exit_code == 3, output.output
        run = parked_run()
        assert run["waitingFor"] == f"127.0.0.1:{gone.port}"
        assert f"Not yet answered: {SICK[name]}" in run["fault"]
        ill.clear()
        report = document("resume", run["run"])
    assert (missing(report), report["status"]) == ([], "completed")
    assert SICK[name] in {turn["speakerId"] for turn in report["turns"]}


def test_every_seat_of_a_round_that_is_owed_is_named() -> None:
    with FakeServer(FIVE["consensus"].reply) as server, FakeServer(lambda _: Fault.status(503)) as gone, unwaited():
        text = f"models={{Ada: 'openai:a@{gone.url}', Cleo: 'openai:c@{gone.url}'}}"
        assert moot(*words_on(server, "consensus", text)).exit_code == 3
    assert parked_run()["fault"].endswith("Not yet answered: Ada (turn 1), Cleo (turn 3)")


def test_what_a_model_did_is_passed_over_and_parks_no_run() -> None:
    faults = dict(enumerate([Fault.content("content_filter"), Fault(of="No.")] * 2, 2))
    with FakeServer(FIVE["debate"].reply, faults=faults) as server, unwaited():
        result, found = ran(words_on(server, "debate"))
    assert result.exit_code == 0, result.stderr
    assert missing(found) == [2]


@pytest.mark.parametrize("living", [True, False])
def test_silence_is_the_model_s_if_its_server_answers_and_the_machine_s_if_not(living: bool) -> None:
    with impatient() as patience, unwaited(), FakeServer(FIVE["debate"].reply) as server:
        server.faults = dict.fromkeys(range(2, 5), patience.silence)
        with patch("moot.models.outage.CONNECT_SECONDS", 5.0 if living else 0.0001):
            result = moot(*words_on(server, "debate"))
        chats = len(server.chats)
    assert result.exit_code == (0 if living else 3), result.output
    assert chats == (7 if living else 2), "a dead server is not asked for another two minutes"


@pytest.mark.parametrize(
    ("kind", "is_machine"),
    [
        *((kind, True) for kind in ("unreachable", "connection", "server", "rate_limit")),
        *((kind, False) for kind in ("refusal", "rejected", "unparsable", "malformed", "overflow", "cut_off")),
    ],
)
def test_what_a_machine_does_and_what_a_model_does_is_told_apart(kind: str, is_machine: bool) -> None:
    answer = asyncio.run(is_machine_failure(CallFailure(kind), "openai:any@http://127.0.0.1:9/v1"))
    assert answer == is_machine
