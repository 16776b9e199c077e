"""Runs begun in a room are left to workers: saved whole with their first step, taken by whoever is free."""

import asyncio
import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from command import PROGRAM, document, listed, moot
from fakeserver import FakeServer, Fault
from moot.app.people.deadlines import DeadlineEnforcer
from moot.app.saved import open_database
from moot.app.workers.job_queue import QueueClient, open_queue
from moot.storage.clock import use_clock
from seats import Seat, link
from servers import postgres
from servers.room import open_room

pytestmark = pytest.mark.postgres

KEY = "key-of-a-test-0123456789"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres.cluster() as running:
        yield running.fresh()


@pytest.fixture(scope="module")
def inside(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("room")
    (folder / "keys").write_text(f"{KEY}\n")
    words = ("--workers", "--a2a", "--db", address, "--model", "rehearsal", "--api-key-file", str(folder / "keys"))
    with open_room(folder, *words) as room, room.client() as client:
        yield client


def state(inside: httpx.Client, path: str) -> str:
    match = re.search(r'data-state="(\w+)"', inside.get(path).text)
    assert match
    return match[1]


def worked(address: str) -> str:
    output = moot("experiment", "work", "--exit-when-done", "--db", address)
    assert output.exit_code == 0, output.stderr
    return output.stdout


@pytest.mark.long
def test_a_run_begun_in_the_room_is_saved_waits_for_a_worker_and_is_ended_by_it(
    inside: httpx.Client, address: str
) -> None:
    filled = {"topic": "Is rain good?", "max_turns": "4", "do": "rehearse"}
    path = inside.post("/new?protocol=debate", data=filled).headers["location"]
    assert "Queued for a worker." in inside.get(path).text
    name = path.rpartition("/")[2]
    assert document("show", name, "--db", address)["topic"] == "Is rain good?"
    assert worked(address) == f"{name}: done\n"
    assert state(inside, path) == "finished"
    assert len(document("show", name, "--db", address)["turns"]) > 0


@pytest.mark.long
def test_where_it_waits_for_a_person_the_worker_lets_go_of_it_and_after_the_deadline_it_is_taken_again(
    inside: httpx.Client, address: str
) -> None:
    people = {"seat.1.name": "Ada", "seat.1.kind": "person", "seat.2.name": "Bo"}
    filled = {"topic": "Is rain good?", "max_turns": "2", "person_deadline": "60", "do": "rehearse", **people}
    path = inside.post("/new?protocol=debate", data=filled).headers["location"]
    name = path.rpartition("/")[2]
    assert f"{name}: Waiting for Ada" in worked(address)
    assert state(inside, path) == "waiting"
    later = datetime.now(UTC) + timedelta(seconds=61)

    async def hand_over_run() -> bool:
        async with open_database(address) as store, open_queue(address) as app:
            await DeadlineEnforcer(store, QueueClient(app).hand_over_run).resume_overdue(later)
            return await QueueClient(app).is_waiting(name)

    assert asyncio.run(hand_over_run()), "it is handed out again"
    with use_clock(lambda: later):
        assert f"{name}: done" in worked(address)
    assert state(inside, path) == "finished"


@pytest.mark.long
def test_what_is_answered_at_a_seat_is_entered_by_the_room_and_a_worker_goes_on(
    inside: httpx.Client, address: str
) -> None:
    people = {"seat.1.name": "Ada", "seat.1.kind": "person", "seat.2.name": "Bo"}
    filled = {"topic": "Is rain good?", "max_turns": "2", "do": "rehearse", **people}
    path = inside.post("/new?protocol=debate", data=filled).headers["location"]
    name = path.rpartition("/")[2]
    assert f"{name}: Waiting for Ada" in worked(address)
    seat = Seat(inside, link(inside, path, "Ada"))
    assert seat.post("say", {"text": "Rain fills the wells."}).status_code == 200
    assert [turn["speakerId"] for turn in document("show", name, "--db", address)["turns"]] == ["Ada"]
    assert "Queued for a worker." in inside.get(path).text
    assert f"{name}: done" in worked(address)
    assert [turn["speakerId"] for turn in document("show", name, "--db", address)["turns"]] == ["Ada", "Bo"]


@pytest.mark.long
def test_why_a_run_stopped_at_a_worker_stands_in_the_room_and_in_the_lists(inside: httpx.Client, address: str) -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        filled = {
            "topic": "Is rain good?",
            "max_turns": "3",
            "model": f"openai:fake@{server.url}",
            "most": "tokens=9000000",
        }
        path = inside.post("/new?protocol=debate", data={"do": "begin", **filled}).headers["location"]
        name = path.rpartition("/")[2]
        told = worked(address)
        assert f"{name}: " in told
        why = told.partition(f"{name}: ")[2].strip()
        assert "401" in why
        assert f"It stopped: {why}" in unescape(inside.get(path).text)
        assert f"It stopped: {why}" in moot("show", name, "--db", address).stdout
        assert why in moot("runs", "--db", address).stdout
        assert next(run["fault"] for run in listed("--db", address) if run["run"] == name) == why
        inside.post(f"{path}/resume")
        assert f"{name}: done" in worked(address)
    assert document("show", name, "--db", address)["fault"] == ""


@pytest.mark.long
def test_what_cannot_be_begun_is_refused_at_once_and_nothing_of_it_is_kept(inside: httpx.Client, address: str) -> None:
    before = len(listed("--db", address))
    filled = {"topic": "Tea?", "do": "rehearse", "seat.1.name": "Ada", "seat.2.name": "ada"}
    response = inside.post("/new?protocol=debate", data=filled)
    assert (response.status_code, "must differ from the other names" in response.text) == (400, True)
    assert len(listed("--db", address)) == before


def test_a_name_that_no_server_can_hold_names_no_experiment(inside: httpx.Client) -> None:
    assert "has no such experiment" in inside.get("/experiments/%00").text


@pytest.mark.long
def test_a_program_that_asks_is_answered_when_a_worker_has_ended_the_run(inside: httpx.Client, address: str) -> None:
    body = {"model": "moot/debate", "messages": [{"role": "user", "content": "Tea?"}], "moot": {"max_turns": 2}}
    head, place = {"authorization": f"Bearer {KEY}"}, inside.base_url.join("/v1/chat/completions")
    with ThreadPoolExecutor(1) as beside:
        submit = beside.submit(httpx.post, place, json=body, headers=head, timeout=60)
        while not submit.done():
            worked(address)
    assert submit.result().status_code == 200, submit.result().text


@pytest.mark.long
def test_a_response_that_waits_for_a_worker_is_in_progress_even_after_a_try_to_cancel_it(
    inside: httpx.Client, address: str
) -> None:
    body = {"model": "moot/debate", "input": "Tea?", "stream": True, "moot": {"max_turns": 2}}
    head, place = {"authorization": f"Bearer {KEY}"}, str(inside.base_url.join("/v1/responses"))

    with httpx.Client(headers=head, timeout=60, trust_env=False) as client:
        with client.stream("POST", place, json=body) as answer:
            events = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
            response = next(events)["response"]["id"]
            assert client.get(f"{place}/{response}").json()["status"] == "in_progress"
            assert client.post(f"{place}/{response}/cancel").json()["status"] == "in_progress"
            assert f"{response.removeprefix('resp_')}: done" in worked(address)
            assert [event["type"] for event in events][-1] == "response.completed"
        assert client.get(f"{place}/{response}").json()["status"] == "completed"


@pytest.mark.long
def test_the_task_of_an_agent_is_saved_in_postgresql_and_completed_by_a_worker(
    inside: httpx.Client, address: str
) -> None:
    def ask(method: str, **params: object) -> dict[str, Any]:
        head = {"authorization": f"Bearer {KEY}", "A2A-Version": "1.0"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = httpx.post(inside.base_url.join("/a2a/debate"), json=body, headers=head, timeout=60, trust_env=False)
        result: dict[str, Any] = answer.json()["result"]
        return result

    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "Is rain good?"}]}
    message["metadata"] = {"moot": {"max_turns": 2}}
    task = ask("SendMessage", message=message, configuration={"returnImmediately": True})["task"]
    assert task["status"]["state"] == "TASK_STATE_WORKING"
    assert f"{task['id']}: done" in worked(address)
    found = ask("GetTask", id=task["id"])
    assert found["status"]["state"] == "TASK_STATE_COMPLETED"
    texts = [
        f"{turn['speakerId']}: {turn['content']}" for turn in document("show", task["id"], "--db", address)["turns"]
    ]
    assert [entry["parts"][0]["text"] for entry in found["history"]] == ["Is rain good?", *texts]
    assert [entry["id"] for entry in ask("ListTasks")["tasks"]] == [task["id"]]


@pytest.mark.long
def test_a_run_that_is_parked_at_a_worker_goes_on_by_itself_when_its_server_answers_though_the_room_is_dead(
    address: str, tmp_path: Path
) -> None:
    def wait_for(run: str, sign: str) -> None:
        for _ in range(240):
            if next(entry["state"] for entry in listed("--db", address) if entry["run"] == run) == sign:
                return
            time.sleep(0.5)
        raise AssertionError(f"{run} is not {sign}")

    with FakeServer(faults=dict.fromkeys(range(3, 50), Fault.status(503))) as server:
        filled = {"topic": "Is rain good?", "max_turns": "4", "model": f"openai:fake@{server.url}", "do": "begin"}
        with open_room(tmp_path, "--workers", "--db", address) as room, room.client() as client:
            path = client.post("/new?protocol=debate", data=filled | {"most": "tokens=9000000"}).headers["location"]
            room.kill()
        run = path.rpartition("/")[2]
        called = [PROGRAM, "experiment", "work", "--db", address]
        worker = subprocess.Popen(called, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            wait_for(run, "parked")
            server.faults = {}
            wait_for(run, "finished")
        finally:
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=60)
        assert len(document("show", run, "--db", address)["turns"]) == 4


@pytest.mark.long
def test_workers_share_no_file(tmp_path: Path) -> None:
    output = moot("serve", "--workers", "--db", tmp_path / "moot.db")
    assert output.exit_code == 2
    assert "workers need a PostgreSQL database" in output.stderr
