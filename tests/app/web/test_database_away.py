"""A room whose database goes away for a while waits for it, says so in one line, and goes on with what it drove."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from command import document, listed
from fakeserver import FakeServer
from sampling import sample_cases
from servers import postgres
from servers.room import open_room

pytestmark = [pytest.mark.postgres, pytest.mark.long]

FILLED = {"topic": "Is rain good?", "max_turns": "4", "seed": "1", "do": "begin", "most": "tokens=9000000"}


def cut_off(cluster: postgres.Cluster) -> None:
    """The connections end, and the server goes on."""
    cluster.disconnect()


def restart(cluster: postgres.Cluster) -> None:
    """The server crashes, and is up again after a while."""
    cluster.halt()
    time.sleep(3)
    cluster.start()


def fetch_page(inside: httpx.Client, path: str) -> str:
    """A page, once the room has taken notice that its connections are gone."""
    end = time.monotonic() + 60
    while (answer := inside.get(path, timeout=60)).status_code != 200:
        assert answer.status_code == 409, answer.text
        assert "everything saved before is complete" in answer.text
        assert time.monotonic() < end
        time.sleep(0.1)
    return answer.text


@pytest.mark.parametrize("trouble", sample_cases([cut_off, restart], seed=2, kinds=0))
def test_a_room_waits_for_its_database_and_takes_up_what_it_drove(
    trouble: Callable[[postgres.Cluster], None], tmp_path: Path
) -> None:
    with postgres.cluster() as cluster, FakeServer() as server:
        address = cluster.fresh()
        with open_room(tmp_path, "--db", address) as room, room.client() as inside:
            server.hold()
            filled = {**FILLED, "model": f"openai:any@{server.url}"}
            path = inside.post("/new?protocol=debate", data=filled).headers["location"]
            trouble(cluster)
            assert "Is rain good?" in fetch_page(inside, path)
            server.release()
            end = time.monotonic() + 60
            while listed("--db", address)[0]["state"] != "finished":
                assert time.monotonic() < end, listed("--db", address)
                time.sleep(0.2)
            report = document("show", path.rpartition("/")[2], "--db", address)
            room.process.terminate()
            _, errors = room.process.communicate(timeout=60)
    assert report["status"] == "completed"
    (line,) = errors.splitlines()
    assert line.startswith(f"db = {address}: ")
    assert line.endswith("; everything saved before is complete; reconnecting for up to 2 minutes")
