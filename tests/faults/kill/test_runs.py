"""Kill -9, Ctrl-C and two processes at once: nothing is lost, nothing is asked twice, nobody runs a run twice."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from command import apart, document, ended, killed, listed, moot
from fakeserver import FakeServer, Fault
from sampling import sample_cases

TURNS = 4
Statements = list[tuple[int, str, str]]


def words(server: FakeServer) -> list[str]:
    model = ["--model", f"openai:fake@{server.url}", "--max-turns", str(TURNS), "--seed", "5"]
    return ["debate", "Should cities ban cars?", *model, "--set", "dynamic_termination=false"]


def list_statements(found: dict[str, Any]) -> Statements:
    """A run's statements, without times and tokens."""
    return [(turn["turnNumber"], turn["speakerId"], turn["content"]) for turn in found["turns"]]


@pytest.fixture(scope="module")
def undisturbed() -> Iterator[Statements]:
    """The statements of a run that nothing happened to: replies follow from the prompt alone."""
    with FakeServer() as server:
        yield list_statements(document(*words(server)))


CALLS = [pytest.param(call, id=f"call {call}") for call in (1, 3, TURNS + 1)]
"""The first turn, the third one and the synthesis."""


@contextmanager
def waiting(call: int) -> Iterator[tuple[FakeServer, "subprocess.Popen[str]"]]:
    """A server, and a process that has heard the beginning of its `call`-th answer and waits for the rest."""
    with FakeServer(faults={call: Fault.stall(after=2)}) as server:
        process = apart(words(server))
        server.wait_for(call, within=30)
        try:
            yield server, process
        finally:
            process.kill()
            process.communicate()


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Press Ctrl-C, and wait until the process says that it has understood."""
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "Ctrl-C again" not in process.stderr.readline():
        assert process.poll() is None


@pytest.mark.long
@pytest.mark.parametrize("call", sample_cases(CALLS, kinds=0))
def test_after_kill_9_a_run_goes_on_with_only_the_call_under_way_asked_again(
    call: int, undisturbed: Statements
) -> None:
    with waiting(call) as (server, process):
        killed(process)
        run = listed()[0]
        assert (run["state"], run["turns"]) == ("stopped", call - 1)
        report = document("resume", run["run"])
        texts = [chat.text for chat in server.chats]
    assert list_statements(report) == undisturbed
    assert report["status"] == "completed"
    assert len(texts) == TURNS + 2
    assert texts[call - 1] == texts[call]
    assert len(set(texts)) == TURNS + 1


@pytest.mark.long
def test_the_first_ctrl_c_stops_after_the_step_the_run_goes_on_later(undisturbed: Statements) -> None:
    with waiting(2) as (server, process):
        interrupt(process)
        server.release()
        code, _, errors = ended(process)
        name = listed()[0]["run"]
        assert code == 130
        assert f"resume {name}" in errors.splitlines()[-1]
        assert listed()[0]["turns"] == 2
        assert list_statements(document("resume", name)) == undisturbed
        assert len(server.chats) == TURNS + 1


@pytest.mark.long
def test_the_second_ctrl_c_stops_at_once() -> None:
    with waiting(2) as (server, process):
        interrupt(process)
        process.send_signal(signal.SIGINT)
        code, _, errors = ended(process)
        assert code == 130
        assert "stopped at once. Saved. Continue: " in errors
        assert listed()[0]["turns"] == 1
        assert len(server.chats) == 2


@pytest.mark.long
def test_a_run_that_another_process_runs_is_refused_saying_who() -> None:
    with waiting(2) as (server, process):
        run = listed()[0]
        assert run["state"] == "running"
        output = moot("resume", run["run"], "--json")
        assert (output.exit_code, output.stdout) == (3, "")
        assert f"in use by process {process.pid} on {socket.gethostname()}, since 20" in output.stderr
        assert len(server.chats) == 2
        assert document("show", run["run"])["status"] == "unfinished"
        killed(process)
        assert document("resume", run["run"])["status"] == "completed"
