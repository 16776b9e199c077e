"""A client of a LangGraph server gets what its operator allowed: no address, file, key or cost beside that."""

import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fakeserver import FakeServer
from langgraph_sdk import get_sync_client
from moot.graphs.debate import graph
from moot.state.errors import InputError
from sampling import sample_cases
from servers.langgraph import Client, Server

TOPIC = {"topic": "Should cities ban cars?"}
KEY, BOUND = "sk-planted-0123456789", "bound-planted-0123456789"
SHORT = {"max_turns": 2, "seed": 1}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def bound() -> Iterator[FakeServer]:
    """A server whose origin the operator allowed, with a key that goes there."""
    with FakeServer() as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


def running(folder: Path, **env: str) -> Iterator[Server]:
    server = Server(folder, OPENAI_API_KEY=KEY, OPENAI_ORG_ID="org-planted", MOOT_MODEL="rehearsal", **env)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.process.terminate()
        server.process.wait(20)


@pytest.fixture(scope="module")
def closed(folder: Path) -> Iterator[Server]:
    """A server whose operator allowed nothing."""
    (folder / "closed").mkdir()
    yield from running(folder / "closed", MOOT_ALLOW_ORIGINS="", MOOT_DB=str(folder / "moot.db"))


@pytest.fixture(scope="module")
def opened(folder: Path, bound: FakeServer) -> Iterator[Server]:
    """A server whose operator allowed something of everything."""
    (folder / "opened").mkdir()
    (folder / "shelf").mkdir()
    yield from running(
        folder / "opened",
        MOOT_ALLOW_ORIGINS=f"{bound.url.removesuffix('/v1')}=BOUND_API_KEY",
        MOOT_ALLOW_FOLDERS=str(folder / "shelf"),
        MOOT_MAX_CALLS="7",
        MOOT_MAX_COST="0.5",
        MOOT_PRICES='{"input": 0.25, "output": 2}',
        BOUND_API_KEY=BOUND,
        MOOT_DB=str(folder / "moot.db"),
    )


@pytest.fixture
def client(closed: Server) -> Iterator[Client]:
    with get_sync_client(url=closed.url) as client:
        yield client


@pytest.fixture
def guest(opened: Server) -> Iterator[Client]:
    with get_sync_client(url=opened.url) as client:
        yield client


def people(model: str) -> list[dict[str, str]]:
    return [{"name": name, "model": model} for name in ("Ada", "Ben", "Cleo")]


NAMING: dict[str, Any] = {
    "model": ("debate", TOPIC, lambda to: {"model": to}),
    "models": ("debate", TOPIC, lambda to: {"models": {"synthesizer": to}}),
    "a participant's model": ("debate", lambda to: {**TOPIC, "participants": people(to)[:2]}, lambda _: {}),
    "a consensus's embeddings": ("consensus", TOPIC, lambda to: {"convergence": "embedding", "embeddings": to}),
    "a panel's embeddings": ("panel", {"query": "Tea?"}, lambda to: {"embeddings": to}),
    "an experiment": ("justice", {}, lambda to: {"participants": people(to)}),
}


SPECS = [(way, suffix) for way in NAMING for suffix in ("", "#BOUND_API_KEY")]
FILES: list[tuple[str, Any, Any]] = [
    ("panel", {"query": "Tea?"}, {"library": "{there}"}),
    ("panel", {"query": "Tea?"}, {"library": "{missing}"}),
    ("panel", {"query": "Tea?"}, {"library": "file:{there}?mode=rw"}),
    ("panel", {"query": "Tea?"}, {"library": "~no-such-user/m.db"}),
    ("panel", {"query": "Tea?"}, {"library": "postgresql://127.0.0.1:1/db"}),
    ("panel", {"query": "Tea?"}, {"library": "host=127.0.0.1 port=1"}),
    ("panel", {"query": "Tea?"}, {"sources": ["{folder}", "{missing}"]}),
    ("debate", TOPIC, {"templates": "{folder}"}),
    ("debate", TOPIC, {"templates": "{missing}"}),
    ("justice", {}, {"logging": {"transcript_logging": {"enabled": True, "path": "{missing}"}}}),
]
"""What would make, open or find a file: the protocol, its input and its settings."""
OPENINGS = [(*row, allowing) for row in FILES for allowing in (False, True)]


def run(client: Client, name: str, given: Any, context: Any) -> Any:
    return client.runs.wait(None, name, input=given, context=context)


@pytest.mark.long
@pytest.mark.parametrize(("way", "suffix"), sample_cases(SPECS, kinds=2))
def test_no_client_leads_a_server_to_an_address(way: str, suffix: str, client: Client) -> None:
    name, given, context = NAMING[way]
    with FakeServer() as server:
        spec = f"openai:any@{server.url}{suffix}"
        with pytest.raises(Exception, match=r"add it to MOOT_ALLOW_ORIGINS|needs a key"):
            run(client, name, given(spec) if callable(given) else given, context(spec))
        assert not server.requests


@pytest.mark.long
def test_no_preset_leads_a_server_to_an_address(client: Client) -> None:
    with FakeServer() as server:
        preset = client.assistants.create("debate", context={**SHORT, "model": f"any@{server.url}"}, name="preset")
        with pytest.raises(Exception, match="MOOT_ALLOW_ORIGINS"):
            client.runs.wait(None, preset["assistant_id"], input=TOPIC)
        assert not server.requests


@pytest.mark.long
def test_no_rules_written_into_a_thread_lead_a_server_to_an_address_or_above_a_cap(guest: Client) -> None:
    client = guest
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "debate", input=TOPIC, context=SHORT, interrupt_before=["speak"])
    rules = client.threads.get_state(thread)["values"]["settings"]
    with FakeServer() as server:
        for changed in ({"model": f"any@{server.url}"}, {"templates": "/etc"}):
            client.threads.update_state(thread, {"settings": {**rules, **changed}})
            with pytest.raises(Exception, match=r"MOOT_ALLOW_ORIGINS|MOOT_ALLOW_FOLDERS"):
                client.runs.wait(thread, "debate", input=None)
        assert not server.requests
    client.threads.update_state(thread, {"settings": {**rules, "budget": {"calls": 3000}, "max_turns": 20}})
    assert len(client.runs.wait(thread, "debate", input=None)["calls"]) <= 7, "the operator's cap stands"


@pytest.mark.long
@pytest.mark.parametrize(("name", "given", "context", "allowing"), sample_cases(OPENINGS, kinds=4))
def test_no_client_makes_opens_or_finds_out_about_a_file(
    name: str, given: Any, context: Any, allowing: bool, client: Client, guest: Client, tmp_path: Path
) -> None:
    there, missing = tmp_path / "there.db", tmp_path / "missing" / "m.db"
    there.write_bytes(b"")

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(element) for key, element in value.items()}
        if isinstance(value, list):
            return [filled(element) for element in value]
        return value.format(there=there, missing=missing, folder=tmp_path) if isinstance(value, str) else value

    with pytest.raises(Exception, match="does not let its clients read this folder") as error:
        run(guest if allowing else client, name, given, filled(context))
    part = str(error.value).partition(": ")[2]
    assert not any(word in part for word in ("no such", "exist", "cannot be opened", "not a database", "refused"))
    assert (there.read_bytes(), missing.parent.exists()) == (b"", False)


@pytest.mark.long
def test_a_way_out_of_an_allowed_folder_is_none(guest: Client, folder: Path, tmp_path: Path) -> None:
    (folder / "shelf" / "out").symlink_to(tmp_path)
    for place in (folder / "shelf" / "out" / "a.db", folder / "shelf" / ".." / "a.db"):
        with pytest.raises(Exception, match="does not let its clients read this folder"):
            run(guest, "panel", {"query": "Tea?"}, {"library": str(place)})
        assert not place.exists()
    ended = run(guest, "panel", {"query": "Tea?"}, {"library": str(folder / "shelf" / "a.db")})
    assert ended["outcome"]["reason"] == "no_papers_found"


@pytest.mark.long
@pytest.mark.parametrize("model", ["openai:gpt-5-pro", "anthropic:claude", "openai:x@https://api.openai.com/v1"])
def test_no_client_spends_a_key_on_a_model_of_its_choice(model: str, client: Client) -> None:
    with pytest.raises(Exception, match=r"add it to MOOT_ALLOW_KEYS|other providers need"):
        run(client, "debate", TOPIC, {**SHORT, "model": model})


@pytest.mark.long
def test_a_run_on_a_server_is_capped(client: Client, guest: Client) -> None:
    ended = run(client, "debate", TOPIC, SHORT)
    assert ended["settings"]["budget"] == {"calls": 200, "tokens": None, "cost": None, "lookups": 100}
    assert ended["outcome"]["rehearsal"]
    with pytest.raises(Exception, match="give at most 200"):
        run(client, "debate", TOPIC, {**SHORT, "budget": {"calls": 201}})
    ended = run(guest, "debate", TOPIC, {**SHORT, "prices": {"input": 0}, "budget": {"calls": 5}})
    assert ended["settings"]["budget"] == {"calls": 5, "tokens": None, "cost": 0.5, "lookups": 100}
    assert ended["settings"]["prices"]["output"] == 2


@pytest.mark.long
def test_an_allowed_origin_gets_the_key_it_is_bound_to_and_no_other(guest: Client, bound: FakeServer) -> None:
    bound.reset()
    run(guest, "debate", TOPIC, {**SHORT, "model": f"any@{bound.url}"})
    assert {request.headers["authorization"] for request in bound.chats} == {f"Bearer {BOUND}"}
    assert "org-planted" not in repr([request.headers for request in bound.chats])
    with pytest.raises(Exception, match=r"needs a key|does not send that key|Moot sends OPENAI_API_KEY only to"):
        run(guest, "debate", TOPIC, {**SHORT, "model": f"any@{bound.url}#OPENAI_API_KEY"})
    with FakeServer() as fake_server, pytest.raises(Exception, match="MOOT_ALLOW_ORIGINS"):
        run(guest, "debate", TOPIC, {**SHORT, "model": f"any@{fake_server.url}"})


class Page(BaseHTTPRequestHandler):
    """Some page of another origin."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


READ = """async url => { try { return await (await fetch(url, {method: 'POST', body: '{}',
headers: {'content-type': 'application/json'}})).text() } catch (error) { return 'kept: ' + error.message } }"""


@pytest.mark.chromium
def test_a_page_of_another_origin_cannot_read_what_a_server_answers(closed: Server) -> None:
    from playwright.sync_api import sync_playwright

    elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=elsewhere.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as driver:
            program = next(filter(None, map(shutil.which, CHROMIUM)))
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{elsewhere.server_port}/")
            assert page.evaluate(READ, f"{closed.url}/assistants/search").startswith("kept: ")
            page.goto(f"{closed.url}/docs")
            assert "graph_id" in page.evaluate(READ, f"{closed.url}/assistants/search"), "its own page may"
            browser.close()
    finally:
        elsewhere.shutdown()
        elsewhere.server_close()


@pytest.mark.parametrize(
    "knob",
    [{"model": "openai:x@http://h.example/v1"}, {"model": "rehearsal", "record": "/tmp/x"}, {"budget": {"calls": 201}}],
    ids=lambda knob: next(reversed(knob)),
)
def test_a_client_that_another_server_hands_over_as_a_dictionary_is_limited_as_well(knob: dict[str, Any]) -> None:
    client: Any = {"configurable": {"langgraph_auth_user": {"identity": "guest"}}}
    with pytest.raises(InputError, match=r"(its clients|limit of this server)"):
        graph.invoke(TOPIC, client, context=SHORT | knob)  # type: ignore[arg-type]
