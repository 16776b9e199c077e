"""An agent of another program in a seat, asked by A2A: what is taken and refused, and that no task is sent twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moot
import pytest
from command import PROGRAM, document, listed
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.graphs import debate
from moot.models import describe_recipients
from moot.models.failures import RunStoppedError
from moot.models.model_spec import parse_spec
from moot.models.operator_policy import get_operator_policy, use_client_policy
from moot.state import InputError
from servers.a2a_agents import KEY, SAID, serve_agents

SETTINGS: Any = {"model": "rehearsal", "seed": 7, "max_turns": 2, "max_attempts": 2}
ASKED_BACK = "the agent asked a question back: Which city?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agents")


@pytest.fixture(scope="module")
def root(folder: Path) -> Iterator[str]:
    with serve_agents(folder) as root:
        yield root


@pytest.fixture
def notes(folder: Path) -> Path:
    for file in (folder / "notes", folder / "gate"):
        file.unlink(missing_ok=True)
    return folder / "notes"


def run_agent(spec: str, **settings: Any) -> moot.Result[Any]:
    """A debate in which the agent speaks first."""
    return moot.agent("debate", **SETTINGS | settings, models={"PRO": spec}).run("Ban cars?")


def noted(notes: Path, word: str) -> int:
    """How often something happened."""
    return notes.read_text().count(f"{word} ") if notes.exists() else 0


def seen(notes: Path, word: str) -> None:
    """Wait until something has happened."""
    for _ in range(600):
        if noted(notes, word):
            return
        time.sleep(0.05)
    raise AssertionError(f"no {word} in 30 s")


@pytest.mark.parametrize("agent", ["artifact", "status", "message", "legacy"])
def test_the_artifacts_are_the_answer_or_else_the_last_message(root: str, notes: Path, agent: str) -> None:
    result = run_agent(f"a2a:{root}/{agent}")
    assert result.history[0].content == SAID
    assert [call.purpose for call in result.calls] == ["agent", "statement", "synthesis"]
    assert noted(notes, "task") == (agent != "message")


def test_a_server_that_lists_the_tasks_of_others_too_is_asked_each_question(root: str, notes: Path) -> None:
    spec = f"a2a:{root}/unfiltered"
    result = moot.agent("debate", **SETTINGS, models={"PRO": spec, "CON": spec}).run("Ban cars?")
    assert len(result.history) == 2
    assert noted(notes, "task") == 2


def test_it_answers_in_a_run_with_a_saver_that_is_synchronous(root: str, notes: Path, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "own.db", check_same_thread=False)
    graph = debate.build().compile(checkpointer=SqliteSaver(connection))
    context = SETTINGS | {"models": {"PRO": f"a2a:{root}/artifact"}}
    state = graph.invoke({"topic": "Ban cars?"}, {"configurable": {"thread_id": "1"}}, context=context)
    assert state["history"][0].content == SAID
    connection.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "kind", "what"),
    [
        ("failed", "agent_failed", "the agent failed: failed: Which city?"),
        ("rejected", "agent_failed", "the agent failed: rejected: Which city?"),
        ("asks", "asks_back", ASKED_BACK),
    ],
)
def test_a_task_without_an_answer_is_a_fault_of_its_attempt(
    root: str, notes: Path, agent: str, kind: str, what: str
) -> None:
    incidents = run_agent(f"a2a:{root}/{agent}").incidents
    assert [(incident.kind, incident.what) for incident in incidents] == [(kind, what)] * 2
    assert noted(notes, "task") == 2
    assert noted(notes, "cancel") == (2 if agent == "asks" else 0)


def test_an_agent_that_is_late_is_told_to_stop(root: str, notes: Path) -> None:
    result = run_agent(f"a2a:{root}/gated", timeouts={"agent": 0.7}, max_attempts=1)
    assert [incident.kind for incident in result.incidents] == ["timeout"]
    assert (noted(notes, "task"), noted(notes, "cancel")) == (1, 1)


def test_a_task_that_is_not_streamed_is_looked_at_until_it_is_over(root: str, notes: Path, folder: Path) -> None:
    (folder / "gate").touch()
    assert run_agent(f"a2a:{root}/unstreamed").history[0].content == SAID


def test_a_key_goes_to_its_agent_and_along_no_redirect(root: str, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_API_KEY", KEY)
    assert run_agent(f"a2a:{root}/keyed#AGENT_API_KEY").history[0].content == SAID
    with pytest.raises(
        RunStoppedError,
        match="401 Unauthorized; the agent needs a key; name the variable that holds it: a2a:URL#NAME_API_KEY",
    ):
        run_agent(f"a2a:{root}/keyed")
    with pytest.raises(
        RunStoppedError, match="303 See Other; there is no agent at this address; Moot serves agents at /a2a/NAME"
    ):
        run_agent(f"a2a:{root}/page")
    with pytest.raises(RunStoppedError, match=r"redirects to http://localhost:.* \(307\); use that address"):
        run_agent(f"a2a:{root}/moved#AGENT_API_KEY")
    with pytest.raises(RunStoppedError, match="its agent card names http://localhost:9/other; use that address"):
        run_agent(f"a2a:{root}/elsewhere#AGENT_API_KEY")
    assert noted(notes, "elsewhere") == 0
    monkeypatch.delenv("AGENT_API_KEY")
    with pytest.raises(InputError, match="needs a key: set AGENT_API_KEY"):
        run_agent(f"a2a:{root}/keyed#AGENT_API_KEY")


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("a2a:agent.example", "write a2a:https://host/path"),
        ("a2a:https://user:secret@agent.example", "the address must have no key"),
        ("a2a:https://agent.example/?key=secret", "the address must have no key"),
        ("a2a:https://agent.example#SECRET", "the name ends in _API_KEY"),
        ("a2a:https://agent.example#OPENAI_API_KEY", "Moot sends OPENAI_API_KEY only to https://api.openai.com"),
    ],
)
def test_an_address_holds_no_key_and_names_one_of_its_own(spec: str, remedy: str) -> None:
    with pytest.raises(InputError, match=remedy) as error:
        parse_spec(spec)
    assert "secret" not in str(error.value).replace("SECRET", "")


def test_stay_and_the_line_of_recipients_name_the_agents_host(root: str, notes: Path) -> None:
    with pytest.raises(InputError, match=r"stay = https://other\.example allows no call to 127\.0\.0\.1:\d+; name ano"):
        run_agent(f"a2a:{root}/artifact", stay="https://other.example")
    assert noted(notes, "task") == 0
    state = debate.graph.invoke(
        {"topic": "Ban cars?"}, context=SETTINGS | {"models": {"PRO": f"a2a:{root}/artifact"}, "stay": "local"}
    )
    assert describe_recipients(state["settings"]).startswith(f"PRO: {root.removeprefix('http://')}")


def test_clients_of_a_server_seat_only_agents_that_its_operator_allows(
    root: str, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"a2a:{root}/artifact"
    get_operator_policy.cache_clear()
    with use_client_policy([]), pytest.raises(InputError, match="this server does not let its clients use this agent"):
        run_agent(spec)
    monkeypatch.setenv("MOOT_ALLOW_AGENTS", spec)
    get_operator_policy.cache_clear()
    with use_client_policy([]):
        assert run_agent(spec).history[0].content == SAID
    get_operator_policy.cache_clear()


def started(root: str, folder: Path, agent: str) -> "subprocess.Popen[str]":
    """A debate as a process of its own, with an agent in the first seat."""
    words = ["debate", "Ban cars?", "--model", "rehearsal", "--max-turns", "2", "--db", str(folder / "moot.db")]
    words += ["--set", f"models.PRO=a2a:{root}/{agent}", "--json"]
    return subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def resumed(folder: Path) -> Any:
    """The run of this database, once it was resumed."""
    (run,) = listed("--db", folder / "moot.db")
    return document("resume", run["run"], "--db", folder / "moot.db")


@pytest.mark.long
def test_a_run_killed_while_its_agent_works_goes_on_with_the_same_task(
    root: str, notes: Path, folder: Path, tmp_path: Path
) -> None:
    process = started(root, tmp_path, "gated")
    seen(notes, "task")
    time.sleep(0.3)  # it follows by now
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (folder / "gate").touch()
    assert resumed(tmp_path)["turns"][0]["content"] == SAID
    assert (noted(notes, "task"), noted(notes, "list")) == (1, 1)


def test_a_run_stops_for_an_agent_that_requires_a_login_and_goes_on_with_its_task(
    root: str, notes: Path, folder: Path
) -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver())
    thread, context = {"configurable": {"thread_id": "1"}}, SETTINGS | {"models": {"PRO": f"a2a:{root}/login"}}
    with pytest.raises(RunStoppedError, match=r"requires a login: Which city\?; log in there, and resume the run"):
        graph.invoke({"topic": "Ban cars?"}, thread, context=context)
    (folder / "gate").touch()
    seen(notes, "entered")
    assert graph.invoke(None, thread, context=context)["history"][0].content == SAID
    assert noted(notes, "task") == 1


@pytest.mark.long
def test_ctrl_c_twice_tells_the_agent_to_stop(root: str, notes: Path, tmp_path: Path) -> None:
    process = started(root, tmp_path, "gated")
    seen(notes, "task")
    for _ in range(2):
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.3)
    process.communicate()
    assert (noted(notes, "task"), noted(notes, "cancel")) == (1, 1)


def test_without_its_package_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moot.models.a2a_agent", None)
    with pytest.raises(InputError, match=r'agents by A2A need: pip install "moot\[a2a\]"'):
        run_agent("a2a:http://127.0.0.1:9/agent")
