"""Words go to the servers of the seats and to no default; every entrance says so before the run, and `stay` holds."""

import asyncio
import html
import json
from collections.abc import Iterator

import moot as package
import pytest
from command import document, moot
from fakeserver import FakeServer
from moot.app.protocols.registry import get_protocol
from moot.app.run.request import build_client_request
from moot.app.web.protocol_form import build_protocol_form
from moot.app.web.start_page import summarize_estimate

SHORT = ("--set", "retry_delays=[0]")


@pytest.fixture
def local() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """The server of the default model, with a key in the environment."""
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-3f9a7c")
        monkeypatch.setenv("MOOT_MODEL", "openai:large")
        yield server


def seats(server: FakeServer, *names: str) -> list[str]:
    return [part for name in names for part in ("--participant", f"{name}=openai:small@{server.url}")]


RUNS = {
    "debate": ("Ada", "Ben"),
    "consensus": ("Ada", "Ben", "Cleo"),
    "council": ("Ada", "Ben", "Cleo"),
    "jury": ("Ada", "Ben", "Cleo"),
    "delphi": ("Ada", "Ben", "Cleo"),
}


@pytest.mark.parametrize("protocol", RUNS)
def test_where_every_seat_names_its_model_the_roles_nobody_named_are_taken_by_the_first_seats_and_never_by_a_default(
    protocol: str, local: FakeServer, cloud: FakeServer
) -> None:
    rounds = ("--max-turns", "2") if protocol == "debate" else () if protocol == "council" else ("--max-rounds", "1")
    result = moot(protocol, "How long is the Danube, in km?", *seats(local, *RUNS[protocol]), *rounds, *SHORT, "--json")
    report = json.loads(result.stdout)
    assert {call["model"] for call in report["calls"]} == {f"openai:small@{local.url}"} == {report["model"]}
    assert local.chats
    assert not cloud.chats


def test_a_role_that_somebody_named_is_taken_by_its_own_model(local: FakeServer, cloud: FakeServer) -> None:
    report = document(
        "debate", "Tea?", *seats(local, "Ada", "Ben"), "--max-turns", "2", "--synthesizer", "openai:large"
    )
    assert [call["model"] for call in report["calls"]][-1] == "openai:large"
    assert len(cloud.chats) == 1
    assert "Synthesis: 127.0.0.1" in report["recipients"]


def test_a_default_takes_the_roles_where_a_seat_has_no_model(local: FakeServer, cloud: FakeServer) -> None:
    document("debate", "Tea?", *seats(local, "Ada"), "--participant", "Ben", "--max-turns", "2")
    assert len(cloud.chats) == 2


def test_a_council_of_local_models_sends_its_record_to_no_cloud(local: FakeServer, cloud: FakeServer) -> None:
    spec = f"openai:small@{local.url}"
    reply = package.council({"query": "Tea?", "councilParticipants": [spec, spec], "councilMaxTurns": 2})
    assert reply["models"]["synthesizer"] == spec
    assert reply["recipients"].endswith("Synthesis: PRO's model. Nothing leaves this machine.")
    assert not cloud.chats


def test_seats_named_by_models_alone_take_the_roles_too(local: FakeServer, cloud: FakeServer) -> None:
    spec = f"openai:small@{local.url}"
    report = document("debate", "Tea?", "--max-turns", "2", "--set", f"models={{PRO: '{spec}', CON: '{spec}'}}")
    assert report["model"] == spec
    assert not cloud.chats


def test_the_line_stands_in_the_terminal_the_form_the_estimate_the_report_the_document_and_the_record(
    local: FakeServer, cloud: FakeServer
) -> None:
    place = local.url.removeprefix("http://").removesuffix("/v1")
    line = f"Ada, Ben: {place}. Synthesis: Ada's model. Nothing leaves this machine."
    words = ["debate", "Tea?", *seats(local, "Ada", "Ben"), "--max-turns", "2"]
    output = moot(*words)
    assert line in output.output.splitlines()[0]
    record = document(*words)
    assert record["recipients"] == line
    debaters, synthesis = record["settings"]["recipients"]
    assert (debaters["names"], synthesis["same_as"]) == (["Ada", "Ben"], "Ada")
    assert debaters["destination"] == synthesis["destination"]
    assert debaters["destination"]["origin"] + debaters["destination"]["path"] == local.url
    report = html.unescape(moot("show", record["run"], "--format", "html").output)
    assert (report.count(line), f"recipients: {line}" in report, "origin" in report) == (2, True, False)
    assert line in moot("estimate", *words).output
    spec = f"openai:small@{local.url}"
    values = {"topic": "Tea?", "participants": [{"name": "Ada", "model": spec}, {"name": "Ben", "model": spec}]}
    request = build_client_request(get_protocol("debate"), values).with_model("openai:large")
    assert asyncio.run(summarize_estimate(request, "en"))["estimate"].recipients == line
    assert "stay" in {field.name for field in build_protocol_form(get_protocol("debate")).fields}


TWO, THREE = ("Ada=HERE", "Ben=HERE"), ("Ada=HERE", "Ben=HERE", "Cleo=HERE")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("debate", "Tea?"), ("Ada=openai:large", "Ben=HERE")),
        (("debate", "Tea?", "--model", "openai:large"), ()),
        (("debate", "Tea?"), ()),
        (("debate", "Tea?", "--synthesizer", "openai:large"), TWO),
        (("consensus", "Tea?", "--convergence", "embedding", "--set", "embeddings=openai:vectors"), THREE),
        (("justice",), ()),
    ],
    ids=["a seat", "the run", "the default", "the synthesizer", "embeddings", "justice"],
)
def test_stay_refuses_any_other_call_before_it_is_made(
    words: tuple[str, ...],
    named: tuple[str, ...],
    local: FakeServer,
    cloud: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MOOT_MODEL")
    spec, origin = f"openai:small@{local.url}", local.url.removesuffix("/v1")
    people = [part for name in named for part in ("--participant", name.replace("HERE", spec))]
    result = moot(*words, *people, "--stay", origin)
    assert result.exit_code == 2, result.output
    assert f"stay = {origin}" in result.stderr
    assert not [*local.requests, *cloud.requests]


def test_no_proxy_gets_the_words_for_a_server_of_this_machine(
    local: FakeServer, cloud: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, cloud.url.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    document("debate", "Tea?", *seats(local, "Ada", "Ben"), "--max-turns", "2", "--stay", "local")
    assert len(local.chats) == 3
    assert not cloud.requests
