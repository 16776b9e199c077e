"""A server that falls silent, is shut down or is not found, in all protocols: passing in the middle of a run, and
known at once where nothing has been answered yet."""

import json
import socket
from collections.abc import Callable, Iterator

import pytest
from command import document, listed, moot
from fakeserver import Answer, FakeServer, Fault, Request
from runs.ailing import (
    SICK,
    TURNS,
    VICTIM,
    calls_for,
    impatient,
    incidents_of,
    missing,
    own_model,
    says_missing,
    unwaited,
)
from runs.five import FIVE, ran
from sampling import sample_cases

LONG = pytest.mark.long
SERIES = [pytest.param(name, marks=[] if name == "debate" else LONG) for name in FIVE]
"""Every protocol; one of them always, the others in the long matrix."""


def waiting(name: str, server: FakeServer) -> list[str]:
    """The protocol's command, with the waits it has by default."""
    return [word.replace("retry_delays=[0]", "temperature=0.7") for word in FIVE[name].on(server)]


LIMITS = {name: [60, 45, 30] if name == "justice" else [300] * 3 for name in FIVE}
"""Seconds until a whole answer, try by try, as nobody follows the words; an experiment has limits of its own."""


@pytest.mark.parametrize("name", SERIES)
def test_a_server_that_falls_silent_for_one_call_is_asked_again(name: str) -> None:
    with impatient() as patience, unwaited() as waits:
        with FakeServer(FIVE[name].reply, faults={VICTIM[name]: patience.silence}) as server:
            result, found = ran(waiting(name, server))
        assert result.exit_code == 0, result.stderr
        assert len(server.chats) == found["totalCalls"] == FIVE[name].calls + 1
    assert patience.allowed == [LIMITS[name][0]]
    assert [(incident["consequence"], incident["attempts"]) for incident in incidents_of(found, "timeout")] == [
        ("asked again", 1)
    ]
    assert 1.0 <= waits[0] <= 1.25
    assert (found["status"], missing(found)) == ("completed", [])
    assert "missing" not in found["headline"]


@pytest.mark.parametrize("name", SERIES)
def test_a_server_that_stays_silent_is_given_as_long_each_time_and_then_passed_over(name: str) -> None:
    numbers = range(VICTIM[name], VICTIM[name] + 3)
    with impatient() as patience, unwaited() as waits:
        with FakeServer(FIVE[name].reply, faults=dict.fromkeys(numbers, patience.silence)) as server:
            result, found = ran(waiting(name, server))
        assert result.exit_code == 0, result.stderr
        assert len(server.chats) == found["totalCalls"]
    last = incidents_of(found, "timeout")[-1]
    assert patience.allowed == LIMITS[name]
    assert 1.0 <= waits[0] <= 1.25
    assert 1.5 <= waits[1] <= 1.875
    assert (last["consequence"], last["attempts"], last["severity"]) == ("missed", 3, "degraded")
    assert len(calls_for(found, "statement")) == TURNS[name] + 2
    assert missing(found) == [last["turn"]]
    assert says_missing(name, found, "timeout", last["turn"], last["who"])


TALKS = [name for name in FIVE if name != "justice"]


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases(TALKS, kinds=0))
def test_the_seconds_of_the_rules_are_those_that_are_given(name: str) -> None:
    with FakeServer(lambda _: Fault.hang()) as server:
        words = FIVE[name].on(
            server,
            "timeouts.first_token=0.2",
            "timeouts.whole_reply=0.2",
            "max_attempts=1",
            "retry_delays=[0]",
            "budget.calls=4",
        )
        result, found = ran(words)
    assert {call["outcome"] for call in found["calls"]} == {"timeout"}
    assert found["turns"] == []
    assert result.exit_code in (0, 3)


class Host:
    """A model server behind a name, which can be shut down or forgotten."""

    def __init__(self, server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server, self.known = server, True
        self.url = f"http://models.test:{server.port}/v1"
        lookup = socket.getaddrinfo

        def resolve_host(host: object, *args: object, **kwargs: object) -> object:
            if host not in ("models.test", b"models.test"):
                return lookup(host, *args, **kwargs)  # type: ignore[arg-type]
            if not self.known:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return lookup("127.0.0.1", *args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(socket, "getaddrinfo", resolve_host)

    def lose(self, way: str) -> None:
        """From now on nobody gets through."""
        if way == "unknown host":
            self.known = False
        else:
            self.server.shut()

    def back(self) -> None:
        """It is as if nothing had happened."""
        self.known = True
        self.server.reopen()

    def words(self, name: str) -> list[str]:
        """The protocol's command, on this host."""
        return [word.replace(self.server.url, self.url) for word in FIVE[name].on(self.server)]


WAYS = ["refused", "unknown host"]
OUTAGES = [
    pytest.param(name, way, id=f"{name}-{way}", marks=[] if name == "debate" else LONG) for name in FIVE for way in WAYS
]


def breaking(host: list[Host], name: str, way: str) -> Callable[[Request], Answer]:
    """A server that is lost just before the victim's call."""

    def reply(request: Request) -> Answer:
        if request.n == VICTIM[name] - 1:
            host[0].lose(way)
        return FIVE[name].reply(request)

    return reply


@pytest.mark.parametrize(("name", "way"), sample_cases(OUTAGES[::2]))
def test_a_server_lost_in_the_middle_that_comes_back_costs_nobody_a_turn(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts: list[Host] = []
    with FakeServer(breaking(hosts, name, way)) as server, unwaited(lambda _: hosts[0].back()):
        hosts.append(Host(server, monkeypatch))
        result, found = ran(hosts[0].words(name))
        assert result.exit_code == 0, result.stderr
        assert len(server.chats) == FIVE[name].calls, "a call that never arrived is none to the server"
    assert found["totalCalls"] == FIVE[name].calls + 1, "on record it is one"
    assert [(incident["consequence"], incident["attempts"]) for incident in incidents_of(found, "unreachable")] == [
        ("asked again", 1)
    ]
    assert (found["status"], missing(found)) == ("completed", [])


@pytest.mark.parametrize(("name", "way"), sample_cases(OUTAGES, kinds=2))
def test_a_server_lost_in_the_middle_costs_a_turn_and_not_the_run(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts: list[Host] = []

    def back(waited: int) -> None:
        if waited == 3:  # two waits lie between the three tries of the victim; the third one is the next one's
            hosts[0].back()

    with FakeServer(breaking(hosts, name, way)) as server, unwaited(back):
        hosts.append(Host(server, monkeypatch))
        result, found = ran(hosts[0].words(name))
        assert result.exit_code == 0, result.stderr
    lost = [incident for incident in found["incidents"] if incident["kind"] == "unreachable"]
    assert [one["consequence"] for one in lost] == ["asked again", "asked again", "missed", "asked again"]
    assert "the server cannot be reached" in lost[0]["what"]
    assert missing(found) == [lost[0]["turn"]]
    assert says_missing(name, found, "server unreachable", lost[0]["turn"], lost[0]["who"])


@pytest.mark.parametrize(("name", "way"), sample_cases(OUTAGES, kinds=2))
def test_a_server_that_was_never_there_stops_the_run_at_its_first_call_and_resuming_goes_on(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(FIVE[name].reply) as server, unwaited() as waits:
        host = Host(server, monkeypatch)
        host.lose(way)
        output = moot(*host.words(name), "--json")
        turns = json.loads(output.stdout or '{"turns": []}')["turns"]  # a session stops without a document
        assert (output.exit_code, turns, server.chats, waits) == (3, [], [], [])
        assert "the server cannot be reached" in output.stderr.splitlines()[-1]
        (run,) = listed()
        assert (run["state"], run["turns"]) == ("failed", 0)
        host.back()
        report = document("resume", run["run"])
        assert len(server.chats) == report["totalCalls"] == FIVE[name].calls
    assert (report["status"], incidents_of(report, "unreachable")) == ("completed", [])


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address of this machine on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


ONE_BY_ONE = {"consensus": ["blind_first_round=false"]}
"""Where all begin at once, nobody has been answered before anybody, and the run stops."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "debate" else LONG) for name in TALKS])
def test_one_whose_server_is_gone_does_not_stop_those_whose_server_answers(name: str, nowhere: str) -> None:
    with FakeServer(FIVE[name].reply) as server, unwaited():
        words = FIVE[name].on(server, own_model(name, server).replace(server.url, nowhere), *ONE_BY_ONE.get(name, ()))
        result, found = ran(words)
    assert result.exit_code == 0, result.stderr
    lost = calls_for(found, "statement", SICK[name])
    assert {one["outcome"] for one in lost} == {"unreachable"}
    assert len(lost) == 3 * len(missing(found))
    assert len(found["turns"]) == TURNS[name] - len(missing(found))
    assert f"{len(missing(found))} of {TURNS[name]} statements missing: {SICK[name]}" in found["headline"]
