"""One run, two who would go on with it: the second is told who holds it, and it is free when that one is killed."""

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from command import listed, moot
from fakeserver import FakeServer, Fault
from moot import open_session
from moot.app.session import locking as desk
from moot.models.failures import RunStoppedError
from runs.five import ALL, FIVE
from runs.killing import forked
from runs.undisturbed import goes_on
from sampling import sample_cases
from servers import postgres


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session is waited for, since its people take turns at it; here not for long."""
    monkeypatch.setattr(desk, "LOCK_TIMEOUT", 0.3)


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


def refused_while_held(name: str, folder: Path, db: str) -> None:
    """A process runs it and waits for its second answer; then it is killed, and the next one goes on."""
    with FakeServer(ALL[name].reply, faults={2: Fault.stall(after=2)}) as server:
        with forked([*ALL[name].on(server), "--db", db], folder / "journal") as process:
            server.wait_for(2, within=30)
            (run,) = listed("--db", db)
            output = moot("resume", run["run"], "--db", db, "--json")
            assert (run["state"], output.exit_code, output.stdout) == ("running", 3, "")
            assert f"in use by process {process.pid} on " in output.stderr
            assert len({chat.text for chat in server.chats}) == len(server.chats), "nothing was asked twice"
        goes_on(name, server, db)


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*FIVE], seed=2, kinds=0))
def test_nobody_goes_on_with_a_run_that_another_process_runs(name: str, tmp_path: Path) -> None:
    refused_while_held(name, tmp_path, str(tmp_path / "moot.db"))


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.parametrize("name", sample_cases([*FIVE], kinds=0))
def test_nor_in_postgresql(name: str, cluster: postgres.Cluster, tmp_path: Path) -> None:
    refused_while_held(name, tmp_path, cluster.fresh())


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "moot.db")
    running: postgres.Cluster = request.getfixturevalue("cluster")
    return running.fresh()


@pytest.mark.long
def test_a_session_object_is_told_of_the_command_that_acts_on_the_session(db: str, tmp_path: Path) -> None:
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        words = ["discussion", "Tea?", "--models-only", "--max-turns", "3", "--model", f"openai:fake@{server.url}"]
        with forked([*words, "--db", db], tmp_path / "journal") as process:
            server.wait_for(2, within=30)
            session = open_session(run=listed("--db", db)[0]["run"], db=db)
            assert session.load_snapshot().turn_count == 1
            for act in (session.advance, lambda: session.close("Ada")):
                with pytest.raises(RunStoppedError, match=f"in use by process {process.pid} on "):
                    act()
        assert session.advance().turn_count == 3
        assert len(server.chats) == 4


@pytest.mark.long
def test_a_command_is_told_of_the_session_object_that_acts_on_the_session(db: str) -> None:
    with FakeServer(faults={1: Fault.stall(after=2)}) as server:
        settings = {"model": f"openai:fake@{server.url}", "max_turns": 3}
        session = open_session("Tea?", [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"], settings=settings, db=db)
        sending = Thread(target=session.send, args=("Zoe", "Tea, then."))
        sending.start()
        server.wait_for(1, within=30)
        output = moot("resume", session.run, "--db", db)
        assert output.exit_code == 3
        assert f"in use by process {os.getpid()} on " in output.stderr
        server.release()
        sending.join()
        assert [statement.speaker for statement in session.load_snapshot().history] == ["Zoe", "Ada", "Ben"]
        assert len(server.chats) == 2
        assert moot("resume", session.run, "--db", db).exit_code == 0
