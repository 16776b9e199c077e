"""A web page starts nothing on a server that does not name its origin, not even blindly; Studio's can be added."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from servers.langgraph import CONFIG, Server

STUDIO = "https://smith.langchain.com"
BODY = {"assistant_id": "debate", "input": {"topic": "Tea?"}, "context": {"model": "rehearsal", "max_turns": 2}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose operator has added Studio's origin as the README says."""
    http = CONFIG["http"] | {"cors": CONFIG["http"]["cors"] | {"allow_origins": [STUDIO]}}
    running = Server(tmp_path_factory.mktemp("origins"), CONFIG | {"http": http}, MOOT_ALLOW_HOSTS="moot.example")
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.process.terminate()
        running.process.wait(20)


def send_request(
    server: Server, path: str, origin: str | None, method: str = "POST", **headers: str
) -> tuple[int, Any, Any]:
    """Status, headers and text of a request that a page may make without leave: its body is plain text."""
    sent = {"content-type": "text/plain"} | ({"origin": origin} if origin else {}) | headers
    body = json.dumps(BODY).encode() if method in ("POST", "PATCH", "PUT") else None
    request = urllib.request.Request(f"{server.url}{path}", body, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


@pytest.mark.long
@pytest.mark.parametrize("origin", ["https://example.com", "null", "http://127.0.0.1:9", "http://localhost", "x" * 999])
def test_a_page_of_another_origin_starts_nothing_by_any_method(origin: str, server: Server) -> None:
    with get_sync_client(url=server.url) as client:
        thread = client.threads.create()["thread_id"]
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            for path in (f"/threads/{thread}/runs", f"/threads/{thread}", "/runs", "/mcp", "/docs", "/ui/x", "/ok"):
                status, headers, said = send_request(server, path, origin, method)
                assert (status, "access-control-allow-origin" in headers) == (403, False), (method, path)
                assert "http.cors.allow_origins in langgraph.json" in said
        assert client.runs.list(thread) == []
        assert client.threads.get(thread)["thread_id"] == thread


@pytest.mark.long
def test_a_page_that_points_its_name_to_this_machine_reads_and_starts_nothing(server: Server) -> None:
    port = server.url.rpartition(":")[2]
    for host in (f"evil.example:{port}", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::"):
        for method, path in (("GET", "/threads/x"), ("POST", "/assistants/search"), ("GET", "/docs"), ("GET", "/ui/x")):
            for origin in (None, f"http://{host}"):
                status, _, said = send_request(server, path, origin, method, host=host)
                assert (status, "MOOT_ALLOW_HOSTS" in said) == (421, True), (host, path)
    for host in (f"127.0.0.1:{port}", f"[::1]:{port}", "localhost", "moot.example", f"Moot.Example:{port}"):
        assert send_request(server, "/assistants/search", None, host=host)[0] == 200, host


@pytest.mark.long
@pytest.mark.parametrize("origin", [None, STUDIO, "own"])
def test_programs_the_server_s_own_pages_and_the_origins_named_are_answered(origin: str | None, server: Server) -> None:
    page = server.url if origin == "own" else origin
    status, headers, said = send_request(server, "/runs/wait", page)
    assert (status, "Ended after turn" in said) == (200, True)
    assert headers.get("access-control-allow-origin") == (STUDIO if origin == STUDIO else None)
    if origin == STUDIO:
        leave = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        status, headers, _ = send_request(server, "/runs/wait", origin, "OPTIONS", **leave)
        assert (status, headers["access-control-allow-origin"]) == (200, STUDIO)
        assert "content-type" in headers["access-control-allow-headers"]
