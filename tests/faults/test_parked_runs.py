"""A parked run is a state of its own, and goes on when its server answers again or the time that it named has come."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import moot as moot_package
import pytest
from command import document, listed, moot
from fakeserver import Answer, FakeServer, Fault, Request
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from moot.app.people.deadlines import DeadlineEnforcer
from moot.app.saved import load_saved_run, open_database
from moot.app.web.run_driver import RunDriver
from moot.graphs import debate
from moot.models import RunStoppedError
from moot.state import InputError
from moot.storage.clock import format_local_time, use_clock
from runs.ailing import missing, unwaited
from runs.five import CAST, FIVE, TOPIC, Called, called

MEASURED = Called(called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=("convergence=embedding",)), 13, 3)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def command_on(server: FakeServer, name: str = "debate") -> list[str]:
    return FIVE[name].on(server, on_outage="wait")


def parked() -> dict[str, Any]:
    (run,) = listed("--state", "parked")
    return run


@contextmanager
def told_to_wait(seconds: int, name: str = "debate") -> Iterator[FakeServer]:
    """A server that asks once, in a run's third call, to wait."""
    with FakeServer(FIVE[name].reply, faults={3: Fault.status(429, retry_after=seconds)}) as server:
        yield server


@contextmanager
def sleeping(then: Callable[[float], None]) -> Iterator[None]:
    """What `--when-ready` waits is not waited; `then` is told its seconds."""

    async def sleep(seconds: float) -> None:
        then(seconds)

    with patch("moot.app.run.parked_runs.asyncio", SimpleNamespace(sleep=sleep)):
        yield


@pytest.mark.parametrize("name", ["debate", "discussion"])
def test_a_server_that_asks_for_more_than_a_minute_parks_the_run_at_once_until_that_time(name: str) -> None:
    with told_to_wait(3600, name) as server, unwaited() as waits, use_clock(lambda: NOON):
        output = moot(*command_on(server, name))
        assert (output.exit_code, len(server.chats), waits) == (3, 3, [])
        time = format_local_time(NOON + timedelta(hours=1))
        assert f"waiting for 127.0.0.1:{server.port}: the server asks to wait until {time}" in output.stderr
        run = parked()
        assert (run["retryAt"], run["turns"]) == ("2026-03-01T13:00:00.000Z", 2)


def test_a_server_that_asks_for_a_minute_is_waited_for() -> None:
    with told_to_wait(60) as server, unwaited() as waits:
        assert moot(*command_on(server)).exit_code == 0
    assert waits == [60.0]


def test_a_parked_run_is_told_apart_from_a_stopped_one_in_lists_and_shown_with_its_server() -> None:
    with told_to_wait(3600) as server:
        moot(*command_on(server))
        assert (listed("--state", "stopped"), len(listed("--state", "parked"))) == ([], 1)
        terminal = patch("moot.app.display.screen.Screen.is_terminal", True)
        with terminal:
            assert f"waiting for 127.0.0.1:{server.port}" in moot("runs").stdout
        assert document("resume", parked()["run"])["status"] == "completed"
    assert listed("--state", "parked") == []


def test_a_refused_resume_keeps_a_run_that_no_model_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(FIVE["debate"].reply, faults={1: Fault.status(429, retry_after=3600)}) as server:
        moot(*command_on(server), "--stay", "local")
        run = parked()["run"]
        with monkeypatch.context() as context:
            context.setenv("LANGSMITH_TRACING", "true")
            output = moot("resume", run)
        assert (output.exit_code, "stay = local" in output.stderr) == (2, True), output.stderr
        assert [run["run"] for run in listed()] == [run]
        assert document("resume", run)["status"] == "completed"


def test_a_session_in_python_whose_server_is_away_is_parked_with_its_reason() -> None:
    with FakeServer(faults={1: Fault.status(429, retry_after=3600)}) as server, unwaited():
        settings = {"model": f"openai:any@{server.url}", "max_turns": 4}
        session = moot_package.open_session("Tea?", [{"name": "Ada", "kind": "person"}, "Ben"], settings=settings)
        with pytest.raises(RunStoppedError, match="the server asks to wait"):
            session.send("Ada", "What a person typed for an hour, and does not type again.")
        assert (parked()["run"], parked()["turns"]) == (session.run, 1)
        session.advance()
        assert listed("--state", "parked") == []


Entrance = Callable[[], Callable[[], Any]]
"""Begin a run of `openai:any` that its server parks, and return what takes it up again."""


def enter_by_command() -> Callable[[], Any]:
    assert moot("debate", "Tea?", "--model", "openai:any", "--max-turns", "4").exit_code == 3
    run = parked()["run"]

    def resume() -> Any:
        result = moot("resume", run)
        if result.exit_code == 2:
            raise InputError("moot resume", "", result.stderr)

    return resume


def enter_by_session() -> Callable[[], Any]:
    people = [{"name": "You", "kind": "person"}, "Ada", "Ben"]
    session = moot_package.open_session("Tea?", people, settings={"model": "openai:any", "max_turns": 9})
    session.send("You", "What I think of tea, at length.")
    with pytest.raises(RunStoppedError):
        session.send("You", "What I think of tea now, at length.")
    return lambda: moot_package.open_session(run=session.run).advance()


def enter_by_asynchronous_session() -> Callable[[], Any]:
    async def advance(run: str) -> None:
        await (await moot_package.aopen_session(run=run)).advance()

    enter_by_session()
    run = parked()["run"]
    return lambda: asyncio.run(advance(run))


def enter_by_graph() -> Callable[[], Any]:
    graph = debate.build().compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t"}}
    with pytest.raises(RunStoppedError):
        graph.invoke({"topic": "Tea?"}, thread, context={"model": "openai:any", "max_turns": 4})
    return lambda: graph.invoke(None, thread)


def enter_by_agent() -> Callable[[], Any]:
    deliberation = moot_package.agent("debate", model="openai:any", max_turns=4)
    graph = StateGraph(MessagesState)
    graph.add_node("debate", deliberation)
    graph.add_edge(START, "debate")
    compiled = graph.compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "t"}}
    with pytest.raises(RunStoppedError):
        compiled.invoke({"messages": [("user", "Tea?")]}, thread)
    return lambda: compiled.invoke(None, thread)


ENTRANCES: dict[str, Entrance] = {
    "moot resume": enter_by_command,
    "open_session": enter_by_session,
    "aopen_session": enter_by_asynchronous_session,
    "graph.invoke": enter_by_graph,
    "agent": enter_by_agent,
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_run_goes_on_at_the_server_of_its_record_alone(entrance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server, FakeServer() as fake_server, unwaited():
        server.faults = {3: Fault.status(429, retry_after=3600)}
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        go_on = ENTRANCES[entrance]()
        for address in (
            fake_server.url,
            server.url.replace("/v1", "/v2"),
            server.url.replace("127.0.0.1", "localhost"),
        ):
            monkeypatch.setenv("OPENAI_BASE_URL", address)
            request_count = len(server.requests)
            with pytest.raises(
                InputError, match=f"OPENAI_BASE_URL = '{address}': must lead to the servers that the run has used"
            ):
                go_on()
            assert (len(server.requests), len(fake_server.requests)) == (request_count, 0)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        go_on()
        assert len(server.requests) > 3


def test_the_papers_of_a_resumed_run_go_to_the_embedding_model_of_its_record_alone(tmp_path: Path) -> None:
    papers = tmp_path / "papers.json"
    papers.write_text('[{"title": "Quiet trams", "abstract": "Trams make no noise in the city."}]')
    with FakeServer() as server, FakeServer() as fake_server:
        server.embed_faults = {1: Fault.status(401)}
        own, other = ({"MOOT_EMBEDDINGS": f"openai:e@{address}"} for address in (server.url, fake_server.url))
        words = ("--model", f"openai:m@{server.url}", "--set", f'sources=["{papers}"]', "--set", "max_turns=2")
        assert moot("panel", "Trams?", *words, **own).exit_code == 3
        (run,) = listed()
        output = moot("resume", run["run"], **other)
        assert (output.exit_code, fake_server.requests) == (2, [])
        assert (
            f"MOOT_EMBEDDINGS = '{other['MOOT_EMBEDDINGS']}': must lead to the servers that the run has used"
            in output.stderr
        )
        assert moot("resume", run["run"], **own).exit_code == 0


@pytest.mark.long
@pytest.mark.parametrize("fault", [Fault.status(429, retry_after=3600), Fault.status(503)], ids=["an hour", "503"])
def test_a_server_of_embeddings_that_is_away_parks_the_run_until_it_measures_again(fault: Fault) -> None:
    with FakeServer(MEASURED.reply) as server, unwaited() as waits:
        server.embed_faults = dict.fromkeys(range(1, 4), fault)
        output = moot(*MEASURED.on(server, f"embeddings=openai:embed@{server.url}", on_outage="wait"))
        assert (output.exit_code, sum(waits) < 60) == (3, True), output.stderr
        run = parked()["run"]
        server.embed_faults = {}
        finished = document("resume", run)
        assert finished["status"] == "completed"
        assert "agreement" not in [incident["where"] for incident in finished["incidents"]]


@pytest.mark.parametrize("name", ["debate", "discussion"])
def test_when_ready_waits_until_the_server_answers_again_and_resumes(name: str) -> None:
    slept: list[float] = []
    with FakeServer() as server, unwaited():

        def reply(request: Request) -> Answer:
            if request.n == 2:
                server.shut()
            return FIVE[name].reply(request)

        def come_back(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 3:
                server.reopen()

        server.reply = reply
        assert moot(*command_on(server, name)).exit_code == 3
        run = parked()["run"]
        with sleeping(come_back):
            output = moot("resume", run, "--when-ready")
        assert output.exit_code == 0, output.output
    assert f"Waiting for 127.0.0.1:{server.port}. Moot resumes the run when the server answers.\n" in output.stderr
    assert output.stderr.count("Waiting for") == 1
    assert len(slept) == 3
    assert missing(document("show", run)) == []


def test_when_ready_waits_until_the_time_has_come_even_if_the_server_answers() -> None:
    now = [NOON]

    def pass_by(seconds: float) -> None:
        now[0] += timedelta(seconds=600)

    with use_clock(lambda: now[0]), told_to_wait(3600) as server:
        time = format_local_time(NOON + timedelta(hours=1))
        assert moot(*command_on(server)).exit_code == 3
        with sleeping(pass_by):
            output = moot("resume", parked()["run"], "--when-ready")
        assert output.exit_code == 0, output.output
    assert f"until {time}, as the server asked." in output.stderr
    assert now[0] == NOON + timedelta(hours=1)


def test_a_server_that_answers_and_fails_again_is_waited_for_longer_each_time() -> None:
    slept: list[float] = []
    with FakeServer() as server, unwaited():
        server.reply = lambda request: Fault.status(503) if 2 <= request.n < 11 else FIVE["debate"].reply(request)
        assert moot(*command_on(server)).exit_code == 3
        with sleeping(slept.append):
            output = moot("resume", parked()["run"], "--when-ready")
        assert output.exit_code == 0, output.output
    assert slept == [0.0, 5.0, 10.0][1:]


def test_a_room_takes_a_parked_run_up_by_itself_when_its_server_is_back_or_its_time_has_come() -> None:
    with told_to_wait(3600) as late, FakeServer() as gone, unwaited(), use_clock(lambda: NOON):

        def reply(request: Request) -> Answer:
            if request.n == 2:
                gone.shut()
            return FIVE["debate"].reply(request)

        gone.reply = reply
        for server in (late, gone):
            assert moot(*command_on(server)).exit_code == 3
        by_server = {run["waitingFor"]: run["run"] for run in listed("--state", "parked")}
        first, second = (by_server[f"127.0.0.1:{server.port}"] for server in (late, gone))

        async def look(moment: datetime) -> list[bool]:
            """Whether each run has ended, after a look at what is due."""
            async with open_database(create=False) as store:
                driver = RunDriver(store, 0)
                with use_clock(lambda: moment):
                    await DeadlineEnforcer(store, driver.resume_overdue_run).resume_overdue(moment)
                    while any(driver.is_driving(run) for run in (first, second)):
                        await asyncio.sleep(0.01)
                has_endeds = [(await load_saved_run(store, run)).has_ended for run in (first, second)]
                await driver.close()
                return has_endeds

        assert asyncio.run(look(NOON)) == [False, False]
        assert asyncio.run(look(NOON + timedelta(hours=1, seconds=1))) == [True, False]
        gone.reopen()
        assert asyncio.run(look(NOON)) == [True, True]
    assert re.fullmatch("(debate-.*){2}", first + second)
