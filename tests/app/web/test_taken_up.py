"""A room that died with runs under way takes them up by itself when it is open again; what was stopped stays so."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from command import document, listed
from fakeserver import FakeServer
from servers.room import open_room

pytestmark = pytest.mark.long

FILLED = {"topic": "Is rain good?", "max_turns": "4", "seed": "1", "do": "begin", "most": "tokens=9000000"}


def until_ended(database: Path) -> dict[str, object]:
    """The only run, when it has ended; nobody touches it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        (run,) = listed("--db", database)
        if run["state"] == "finished":
            return run
        time.sleep(0.1)
    raise AssertionError(f"nobody took it up: {run}")


def test_a_room_that_died_takes_up_what_it_drove_and_asks_nothing_twice(tmp_path: Path) -> None:
    with FakeServer() as server:
        with open_room(tmp_path) as room, room.client() as inside:
            server.hold()
            filled = {**FILLED, "model": f"openai:any@{server.url}"}
            path = inside.post("/new?protocol=debate", data=filled).headers["location"]
            while not server.chats:
                time.sleep(0.01)
            room.kill()
        server.release()
        assert listed("--db", tmp_path / "moot.db")[0]["state"] == "stopped"
        with open_room(tmp_path):
            run = until_ended(tmp_path / "moot.db")
        assert path.endswith(str(run["run"]))
        report = document("show", str(run["run"]), "--db", tmp_path / "moot.db")
        assert len(server.chats) == report["totalCalls"], "the lost one is on record"
    assert report["status"] == "completed"


def test_what_was_stopped_in_the_room_or_with_it_is_not_taken_up(tmp_path: Path) -> None:
    with FakeServer(latency=0.5) as server:
        filled = {**FILLED, "max_turns": "20", "model": f"openai:any@{server.url}"}
        with open_room(tmp_path) as room, room.client() as inside:
            answer = inside.post("/new?protocol=debate", data=filled)
            assert answer.status_code == 303, answer.text
            inside.post(f"{answer.headers['location']}/stop")
            inside.post("/new?protocol=debate", data=filled)
        chat_count = len(server.chats)
        assert {run["state"] for run in listed("--db", tmp_path / "moot.db")} == {"stopped"}
        with open_room(tmp_path) as room, room.client() as inside:
            inside.get("/")
            time.sleep(1.0)
            assert len(server.chats) == chat_count


def test_a_run_for_a_client_of_the_endpoint_is_not_taken_up_with_nobody_listening(tmp_path: Path) -> None:
    key, body = "key-of-a-test-0123456789", {"model": "moot/debate", "messages": [{"role": "user", "content": "Tea?"}]}
    (tmp_path / "keys").write_text(key)
    with FakeServer() as server, ThreadPoolExecutor() as pool:
        words = ("--model", f"openai:any@{server.url}", "--api-key-file", str(tmp_path / "keys"))
        server.hold()
        with open_room(tmp_path, *words) as room:
            headers = {"authorization": f"Bearer {key}"}
            asking = pool.submit(httpx.post, f"{room.root}/v1/chat/completions", json=body, headers=headers)
            while not server.chats:
                time.sleep(0.01)
            room.kill()
        assert asking.exception()
        server.release()
        with open_room(tmp_path, *words) as room, room.client() as inside:
            inside.get("/")
            time.sleep(1.0)
        assert len(server.chats) == 1
