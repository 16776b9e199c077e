"""The room's safety: who may come in, from where one may write, and what is never sent."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from command import PROGRAM, document, listed
from servers.room import Room, open_room

KEY = "sk-planted-5f1e"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    document("debate", "Tea?", "--model", "rehearsal", "--db", folder / "moot.db")
    return folder


@pytest.fixture(scope="module")
def room(folder: Path) -> Iterator[Room]:
    with open_room(folder, "--rehearsal-delay", "0", OPENAI_API_KEY=KEY) as room:
        yield room


@pytest.fixture(scope="module")
def run(folder: Path) -> str:
    return str(listed("--db", folder / "moot.db")[0]["run"])


@pytest.fixture(scope="module")
def came_in(room: Room) -> httpx.Response:
    return httpx.get(room.address, trust_env=False)


@pytest.fixture(scope="module")
def inside(room: Room, came_in: httpx.Response) -> Iterator[httpx.Client]:
    cookies = {"moot_room": came_in.cookies["moot_room"]}
    headers = {"origin": room.root}
    with httpx.Client(base_url=room.root, cookies=cookies, headers=headers, trust_env=False) as client:
        yield client


@pytest.mark.long
def test_the_printed_token_becomes_a_cookie_that_no_script_and_no_other_site_gets(came_in: httpx.Response) -> None:
    text = came_in.headers["set-cookie"].lower()
    assert "httponly" in text
    assert "samesite=strict" in text


def test_a_token_opens_once_and_nothing_is_shown_without_the_cookie(room: Room, run: str, inside: httpx.Client) -> None:
    assert inside.get("/").status_code == 200
    assert httpx.get(room.address, trust_env=False).status_code == 401
    for path in ("/", f"/runs/{run}", f"/runs/{run}/events", f"/runs/{run}/data", "/new"):
        assert httpx.get(room.root + path, trust_env=False).headers["location"] == "/enter"
    forged = httpx.get(room.root, cookies={"moot_room": "99999999999.abc.def"}, trust_env=False)
    assert forged.status_code == 303


FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_write_from_another_site_is_refused(headers: dict[str, str], inside: httpx.Client, run: str) -> None:
    assert inside.post(f"/runs/{run}/delete", headers=headers).status_code == 403
    assert inside.get(f"/runs/{run}").status_code == 200


def test_a_write_that_names_no_origin_at_all_is_refused(room: Room, inside: httpx.Client, run: str) -> None:
    cookie = {"moot_room": inside.cookies["moot_room"]}
    assert httpx.post(f"{room.root}/runs/{run}/delete", cookies=cookie, trust_env=False).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", ""])
def test_a_name_that_was_made_to_lead_here_is_refused(host: str, inside: httpx.Client) -> None:
    assert inside.get("/", headers={"host": host}).status_code in (400, 421)


def test_what_is_too_long_is_refused_unread(inside: httpx.Client, run: str) -> None:
    assert inside.post(f"/runs/{run}/fork", content=b"x" * 300_000).status_code == 413


def test_every_answer_forbids_foreign_and_inline_scripts_and_frames(inside: httpx.Client, run: str) -> None:
    for path in ("/", f"/runs/{run}", "/new", "/enter", "/assets/room.js", f"/runs/{run}/report", "/nowhere"):
        policy = inside.get(path).headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy.replace(
            "style-src 'unsafe-inline'" if path.endswith("report") else "-", ""
        )
        assert inside.get(path).headers["x-content-type-options"] == "nosniff"


def test_no_page_holds_a_key(inside: httpx.Client, run: str) -> None:
    for path in ("/", "/new", "/new?protocol=debate", f"/runs/{run}", f"/runs/{run}/data", f"/runs/{run}/fork"):
        assert KEY not in inside.get(path).text


def test_a_run_is_deleted_only_after_it_was_asked_twice(room: Room, folder: Path, inside: httpx.Client) -> None:
    name = document("debate", "Coffee?", "--model", "rehearsal", "--db", folder / "moot.db")["run"]
    assert "You cannot undo this." in inside.get(f"/runs/{name}/delete").text
    assert inside.get(f"/runs/{name}").status_code == 200
    assert inside.post(f"/runs/{name}/delete").status_code == 303
    assert inside.get(f"/runs/{name}").status_code == 404


@pytest.mark.long
@pytest.mark.parametrize(("token", "told"), [("", "MOOT_ROOM_TOKEN"), ("short", "at least 16")])
def test_beyond_this_machine_a_room_needs_a_token(token: str, told: str, tmp_path: Path) -> None:
    called = [PROGRAM, "serve", "--host", "0.0.0.0", "--port", "0", "--db", str(tmp_path / "moot.db")]
    env = {"MOOT_ROOM_TOKEN": token, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    process = subprocess.run(called, capture_output=True, text=True, timeout=60, env=env)
    assert process.returncode == 2
    assert told in process.stderr


def half_open(room: Room, text: bytes, source: str = "127.0.0.1") -> socket.socket:
    """A connection that has sent the begin of a request."""
    address = ("127.0.0.1", int(room.root.rpartition(":")[2]))
    connection = socket.create_connection(address, timeout=30, source_address=(source, 0))
    connection.sendall(text)
    return connection


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(65536) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


@pytest.mark.long
def test_half_open_connections_by_the_thousand_keep_nobody_out(tmp_path: Path) -> None:
    with open_room(tmp_path) as room, room.client() as inside, ExitStack() as sockets:
        with inside.stream("GET", "/runs/none/events"):  # of somebody who has come in
            flood = [sockets.enter_context(half_open(room, b"GET / HTTP/1.1\r\nHost:")) for _ in range(1100)]
        for _ in range(3):
            assert inside.get("/").status_code == 200
            assert httpx.get(f"{room.root}/enter", trust_env=False).status_code == 401, "a stranger is answered too"
        assert sum(map(is_open, flood)) <= 50


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_half_open_connections_from_many_addresses_are_counted_in_all(tmp_path: Path) -> None:
    with open_room(tmp_path) as room, ExitStack() as sockets:
        sources = [f"127.0.0.{number}" for number in range(2, 17) for _ in range(40)]
        flood = [sockets.enter_context(half_open(room, b"GET / HTTP/1.1\r\nHost:", source)) for source in sources]
        assert httpx.get(f"{room.root}/enter", trust_env=False).status_code == 401
        assert 300 < sum(map(is_open, flood)) <= 400


@pytest.mark.long
def test_a_caller_who_leaves_in_the_middle_of_a_form_writes_no_traceback(tmp_path: Path) -> None:
    with open_room(tmp_path) as room:
        head = b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
        half_open(room, head + f"Origin: {room.root}\r\n\r\ntoken=x".encode()).close()
        assert httpx.get(f"{room.root}/enter", trust_env=False).status_code == 401
        room.process.terminate()
        assert "Traceback" not in (room.process.communicate(timeout=30)[1] or "")


@pytest.mark.long
def test_headers_come_within_ten_seconds_also_after_an_answered_request(tmp_path: Path) -> None:
    with open_room(tmp_path) as room:
        silent, slow = half_open(room, b""), half_open(room, b"GET / HTTP/1.1\r\n")
        again = half_open(room, b"GET /enter HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answered = half_open(room, b"GET /enter HTTP/1.1\r\nHost: localhost\r\n")
        assert again.recv(65536).startswith(b"HTTP/1.1 401")
        again.sendall(b"GET /enter HTTP/1.1\r\n")
        time.sleep(3)
        answered.sendall(b"\r\n")
        assert answered.recv(65536).startswith(b"HTTP/1.1 401"), "slow, but in time"
        for connection in (silent, slow, again):
            while is_open(connection):
                time.sleep(0.2)
            connection.close()
        answered.close()
