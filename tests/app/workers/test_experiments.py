"""Experiments on more than one machine: each run ends once, whoever dies; caps and limits hold over all workers."""

import asyncio
import json
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
import yaml
from command import apart, document, ended, killed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from moot.app.saved import Store, open_database, postgres as saved_postgres
from moot.app.saved.database_errors import RunLockedError
from moot.app.saved.endpoints import EndpointSlots
from moot.app.saved.experiments import ExperimentTables, SavedExperiment
from moot.app.saved.runs import Execute
from moot.app.workers.job_queue import open_queue, watch_queue
from moot.state.setting_types import Budget
from places import is_proof
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from records.tables import lasting, read
from sampling import sample_cases
from servers import postgres

pytestmark = pytest.mark.postgres

PLAN: dict[str, Any] = {
    "name": "cars",
    "protocol": "debate",
    "settings": {"max_turns": 2, "dynamic_termination": False},
    "items": ["Ban cars?", "Tax sugar?", "Free trams?"],
}
CALLS = 3
"""Calls of each of its runs."""


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.fixture
def address(server: postgres.Cluster) -> str:
    return server.fresh()


def written(folder: Path, model: FakeServer | None = None, settings: Any = (), **changes: Any) -> Path:
    """The plan in a file, with changes; its model is the server's, or none."""
    spec = f"openai:fake@{model.url}" if model else "rehearsal"
    context = PLAN["settings"] | {"model": spec, "retry_delays": [0]} | dict(settings)
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN | {"settings": context} | changes))
    return path


def handed_out(plan: Path | str, address: str, *words: str) -> str:
    output = moot("experiment", "run", plan, "--workers", *words, "--db", address)
    assert output.exit_code == 0, output.stderr
    return output.stdout


def worker(address: str, *words: str) -> "Popen[str]":
    return apart(["experiment", "work", "--exit-when-done", *words, "--db", address])


def worked(address: str) -> str:
    """What a worker in this process says until nothing is left."""
    output = moot("experiment", "work", "--exit-when-done", "--db", address)
    assert output.exit_code == 0, output.stderr
    return output.stdout


def counts(address: str) -> dict[str, int]:
    """The runs of the experiment in each state."""
    (cell,) = document("experiment", "status", "cars", "--db", address)["conditions"]
    return {key: count for key, count in cell.items() if isinstance(count, int) and count and key != "planned"}


def tell(address: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.mark.long
def test_a_worker_without_the_plan_file_ends_what_was_handed_out_and_a_second_time_asks_nobody(
    address: str, tmp_path: Path
) -> None:
    with FakeServer() as model:
        plan = written(tmp_path, model)
        assert "3 runs wait for workers" in handed_out(plan, address)
        handed_out(plan, address)
        queued = tell(address, "SELECT queue_name, lock, queueing_lock, args FROM procrastinate_jobs ORDER BY id")
        assert [(queue, lock, once) for queue, lock, once, _ in queued] == [
            ("moot", f"cars-all-{item}-r1", f"cars-all-{item}-r1") for item in (1, 2, 3)
        ]
        assert not any(topic in json.dumps(args) for *_, args in queued for topic in PLAN["items"])
        plan.unlink()
        assert sorted(worked(address).split("\n")) == ["", *(f"cars-all-{item}-r1: done" for item in (1, 2, 3))]
        assert len(model.chats) == 3 * CALLS
        assert "0 runs wait for workers" in handed_out("cars", address)
        assert worked(address) == ""
        assert moot("experiment", "run", "cars", "--db", address).exit_code == 0
        assert len(model.chats) == 3 * CALLS
    assert counts(address) == {"done": 3}


@pytest.mark.long
def test_what_a_dead_worker_had_begun_is_put_back_and_what_a_frozen_one_holds_is_not(
    address: str, tmp_path: Path
) -> None:
    handed_out(written(tmp_path), address)
    fetch = "SELECT id FROM procrastinate_fetch_job_v2(NULL, (SELECT max(id) FROM procrastinate_workers))"
    tell(address, "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 hour')")
    (first,), (second,) = [*tell(address, fetch), *tell(address, fetch)]

    async def meanwhile() -> None:
        async with open_database(address) as store, store.lock("cars-all-1-r1"):
            await asyncio.wait_for(put_back(address, second), 30)
            states = tell(address, f"SELECT status FROM procrastinate_jobs WHERE id = {first}")
            assert states == [("doing",)], "its worker may go on with it at any moment"

    asyncio.run(meanwhile())
    worked(address)
    assert counts(address) == {"done": 3}


def test_a_process_frozen_while_it_reserves_what_a_run_may_spend_does_not_hold_up_the_others(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_postgres, "IDLE_TIMEOUT", "100ms")
    row = SavedExperiment(name="cars", started="2026", plan={}, hash="", model="rehearsal")

    async def slow(experiments: ExperimentTables, execute: Execute) -> bool:
        await execute("UPDATE moot_experiments SET visits = visits + 10 WHERE name = ?", "cars")
        if not await experiments.find_progress("cars-1"):
            assert await experiments.reserve_budget("cars", "cars-1", Budget(), {})
        return bool(await execute("SELECT 1"))

    async def meanwhile() -> None:
        async with open_database(address) as database:
            await database.experiments.add_experiment(row)
            await asyncio.wait_for(saved_postgres.run_in_transaction(address, partial(slow, database.experiments)), 20)
        assert tell(address, "SELECT visits FROM moot_experiments") == [(11,)], (
            "what it had locked is undone and done again"
        )

    asyncio.run(meanwhile())


async def put_back(address: str, job: int) -> None:
    """Look after the queue until a job is in it."""
    under_way = f"SELECT 1 FROM procrastinate_jobs WHERE id = {job} AND status = 'doing'"
    async with open_database(address) as store, open_queue(address) as app:
        tending = asyncio.create_task(watch_queue(app, store, False))
        while await asyncio.to_thread(tell, address, under_way):
            await asyncio.sleep(0.05)
        tending.cancel()


def test_a_process_cannot_hold_a_run_twice(address: str) -> None:
    async def twice(store: Store) -> None:
        async with store.lock("cars-all-1-r1"):
            with pytest.raises(RunLockedError):
                async with store.lock("cars-all-1-r1"):
                    pass
            assert await store.is_held("cars-all-1-r1")
        async with store.lock("cars-all-1-r1"):
            pass

    async def run_twice() -> None:
        async with open_database(address) as store:
            await twice(store)

    asyncio.run(run_twice())


@pytest.mark.long
def test_told_to_stop_a_worker_ends_its_current_steps_and_another_goes_on_without_asking_anew(
    address: str, tmp_path: Path
) -> None:
    with FakeServer() as model:
        handed_out(written(tmp_path, model), address)
        model.hold()
        first = apart(["experiment", "work", "--jobs", "2", "--db", address])
        model.wait_for(2, within=60)
        report = document("experiment", "status", "cars", "--db", address)
        wheres = [remark["what"] for remark in report["remarks"] if remark["state"] == "running"]
        assert len(wheres) == 2
        assert all(where.startswith(f"process {first.pid} on ") and ", since 20" in where for where in wheres)
        first.send_signal(signal.SIGTERM)
        assert "stopping after the current steps" in first.stdout.readline()  # type: ignore[union-attr]
        model.release()
        code, output, errors = ended(first)
        assert (code, errors) == (0, "")
        assert output.count("stopped") == 2
        assert counts(address) == {"stopped": 2, "waiting": 1}
        worked(address)
        assert len(model.chats) == 3 * CALLS
    assert counts(address) == {"done": 3}


@pytest.mark.long
def test_a_key_that_is_refused_stops_the_worker_and_leaves_the_runs_to_others(address: str, tmp_path: Path) -> None:
    with FakeServer(faults={number: Fault.status(401) for number in range(1, 9)}) as model:
        handed_out(written(tmp_path, model, repeats=4), address)
        output = moot("experiment", "work", "--db", address)
        assert output.exit_code == 3
        assert "runs stopped, the last: " in output.stderr
        assert len(model.chats) <= 8
    with FakeServer(port=model.port):
        worked(address)
    assert counts(address) == {"done": 12}


def cut_off(server: postgres.Cluster) -> None:
    """The connections end, and the server goes on."""
    server.disconnect()


def restart(server: postgres.Cluster) -> None:
    """The server crashes, and is up again after a while."""
    server.halt()
    time.sleep(3)
    server.start()


@pytest.mark.long
@pytest.mark.parametrize("trouble", sample_cases([cut_off, restart], kinds=0))
def test_a_worker_that_loses_the_database_says_so_in_one_line_and_goes_on_when_it_is_back(
    trouble: Callable[[postgres.Cluster], None], server: postgres.Cluster, address: str, tmp_path: Path
) -> None:
    with FakeServer() as model:
        handed_out(written(tmp_path, model), address)
        model.hold()
        lost = worker(address)
        model.wait_for(2, within=60)
        trouble(server)
        model.release()
        code, output, errors = ended(lost)
    assert (code, errors) == (0, "")
    lines = [line for line in output.splitlines() if line.startswith("db = ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"db = {address}: ")
    assert lines[0].endswith("; everything saved before is complete; reconnecting for up to 2 minutes")
    assert counts(address) == {"done": 3}


@pytest.mark.long
def test_a_worker_whose_queue_fails_as_it_saves_a_result_connects_anew_and_pays_for_nothing_twice(
    address: str, tmp_path: Path
) -> None:
    finish, failures = JobManager.finish_job, [ConnectorException()]

    async def finish_job(self: JobManager, *arguments: Any, **keywords: Any) -> None:
        if failures:
            raise failures.pop() from psycopg.OperationalError("server closed the connection unexpectedly")
        await finish(self, *arguments, **keywords)

    with FakeServer() as model, patch.object(JobManager, "finish_job", finish_job):
        handed_out(written(tmp_path, model), address)
        output = moot("experiment", "work", "--exit-when-done", "--db", address)
        assert len(model.chats) == 3 * CALLS
    assert (output.exit_code, output.stderr) == (0, "")
    assert output.stdout.count("server closed the connection unexpectedly") == 1
    assert "Traceback" not in output.output
    assert counts(address) == {"done": 3}


@pytest.mark.long
def test_a_worker_leaves_when_the_database_stays_away(tmp_path: Path) -> None:
    with postgres.cluster() as cluster, FakeServer() as model:
        address = cluster.fresh()
        handed_out(written(tmp_path, model), address)
        model.hold()
        with (
            patch("moot.app.saved.postgres.RECONNECT_SECONDS", 0.5),
            patch("moot.app.workers.job_queue.CONNECT_SECONDS", 0.5),
            ThreadPoolExecutor() as pool,
        ):
            submit = pool.submit(moot, "experiment", "work", "--exit-when-done", "--db", address)
            model.wait_for(2, within=60)
            cluster.halt()
            model.release()
            result = submit.result(timeout=60)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"moot: db = {address}: ")
    assert "Traceback" not in result.output


SERVERS = [pytest.param(False, id="answering"), pytest.param(True, id="timing out")]


@pytest.mark.long
@pytest.mark.parametrize("faulty", sample_cases(SERVERS, kinds=0))
def test_a_cap_over_all_runs_and_the_limits_of_an_endpoint_hold_over_two_workers(
    faulty: bool, address: str, tmp_path: Path
) -> None:
    faults = {number: Fault.drop() for number in (2, 5, 6)} if faulty else {}
    with FakeServer(faults=faults, latency=0.02) as model:
        limits = {f"openai:fake@{model.url}": {"concurrent": 3}}
        plan = written(tmp_path, model, {"budget": {"calls": 4}}, cap={"calls": 21}, repeats=4, limits=limits)
        handed_out(plan, address)
        endeds = [ended(one) for one in [worker(address), worker(address)]]
        assert [code for code, *_ in endeds] == [0, 0]
        assert any("the cap is too low for another run" in output for _, output, _ in endeds)
        assert 12 < len(model.chats) <= 21
        assert model.peak <= 3
    assert document("experiment", "status", "cars", "--db", address)["calls"] <= 21


def test_slots_and_tokens_of_an_endpoint_are_one_for_all_and_slots_come_back_from_the_dead(address: str) -> None:
    async def used(mine: EndpointSlots, other: EndpointSlots, close: Any) -> None:
        assert [await one.take_slot("a", 3) for one in (mine, other, mine, other, mine)] == [True] * 3 + [False] * 2
        assert await mine.take_slot("b", 1)
        await mine.release_slot("a")
        assert await other.take_slot("a", 3)
        assert not await mine.take_slot("a", 3)
        assert [await one.take_token("a", 3) for one in (mine, other, mine)] == [0, 0, 0]
        assert 0 < await other.take_token("a", 3) <= 60
        assert await other.take_token("a", 4) == 0, "whoever may use it harder has more"
        await close()
        while not await other.take_slot("a", 3):
            await asyncio.sleep(0.02)
        assert not await other.take_slot("a", 3)
        assert await other.take_slot("b", 1)

    async def both() -> None:
        async with open_database(address) as database:
            second = open_database(address)
            mine = await second.__aenter__()
            assert mine.endpoints
            assert database.endpoints
            await used(mine.endpoints, database.endpoints, lambda: second.__aexit__(None, None, None))

    asyncio.run(both())


def test_where_no_workers_can_be_nothing_is_handed_out(tmp_path: Path) -> None:
    plan = written(tmp_path)
    for words in (["run", plan, "--workers"], ["work", "--exit-when-done"]):
        output = moot("experiment", *words, "--db", tmp_path / "runs.db")
        assert output.exit_code == 2
        assert "workers need a PostgreSQL database; name one" in output.stderr
    output = moot("experiment", "run", plan, "--workers", "--jobs", "3", "--db", "postgresql://nowhere/x")
    assert "--jobs = 3: has no effect with --workers" in output.stderr


@pytest.mark.long
def test_four_workers_one_killed_and_one_frozen_leave_the_rows_of_one_process(address: str, tmp_path: Path) -> None:
    count = 250 if is_proof() else 12
    with FakeServer(reply=echo_by_hash, latency=0.05) as model:
        items = [f"Topic {number}?" for number in range(count)]
        conditions = {"plain": {}, "long": {"max_turns": 3}}
        plan = written(tmp_path, model, items=items, conditions=conditions)
        alone = moot("experiment", "run", plan, "--jobs", "8", "--json", "--db", tmp_path / "runs.db")
        assert alone.exit_code == 0, alone.stderr
        once = len(model.chats)
        handed_out(plan, address)
        model.hold()
        first, frozen, *others = [worker(address, "--jobs", "1") for _ in range(4)]
        model.wait_for(once + 4, within=120)
        frozen.send_signal(signal.SIGSTOP)
        killed(first)
        model.release()
        model.wait_for(2 * once - 30, within=600)
        with pytest.raises(TimeoutError):
            model.wait_for(10 * once, within=12)
        frozen.send_signal(signal.SIGCONT)
        endeds = [ended(one) for one in (frozen, *others)]
        assert [(code, errors) for code, _, errors in endeds] == [(0, "")] * 3
        assert once <= len(model.chats) - once <= once + 4, "no more is asked anew than the dead one had under way"
        chat_count = len(model.chats)
        assert moot("experiment", "run", plan, "--json", "--db", address).exit_code == 0
        assert len(model.chats) == chat_count
        tables = []
        for place in (str(tmp_path / "runs.db"), address):
            folder = tmp_path / f"data{len(tables)}"
            assert moot("experiment", "export", "cars", "-o", folder, "--db", place).exit_code == 0
            tables.append(read(folder))
    assert len(tables[0]["runs"]) == 2 * count
    late = {row["run"] for row in tables[1]["incidents"] if row["kind"] == "unreachable"}
    assert len(late) <= 4, "a connection that was being made as its worker froze is late, and made again"
    interrupted = {row["run"] for row in tables[1]["calls"] if row["outcome"] == "lost"}
    assert 0 < len(interrupted) <= 2, "the dead one's request under way is lost, at most the frozen one's too"
    for name in tables[0].keys() - {"codebook"}:
        passed_over = late | interrupted if name == "runs" else late  # a lost request is a part of what its run cost
        alone_rows, worker_rows = (
            [lasting(row) for row in table[name] if row.get("run") not in passed_over] for table in tables
        )
        assert alone_rows == [row for row in worker_rows if row.get("outcome") != "lost"], name
