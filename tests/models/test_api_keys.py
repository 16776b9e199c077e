"""A key goes to its provider's own host and to the server of OPENAI_BASE_URL; to others only what a spec names."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from command import moot
from fakeserver import FakeServer, Fault, echo_by_hash
from moot.graphs import consensus, debate, justice, panel
from moot.models.api_keys import KEY_OWNERS, NO_KEY, OPENAI_KEY, get_key_variable
from moot.models.chat_model import close_models, get_chat_model
from moot.models.default_model import fetch_models
from moot.models.embeddings import load_embeddings
from moot.models.failures import RunStoppedError
from moot.models.http_clients import load_certificates
from moot.models.model_spec import ModelSpec, check_key, parse_spec
from moot.state.debate import DebateSettings
from moot.state.errors import InputError
from moot.state.recipient import parse_origin
from runs.five import alone_and_together

KEY, OTHER = "sk-planted-0123456789", "other-planted-0123456789"
TOPIC = {"topic": "Should cities ban cars?"}
PAPER = {"id": "tea", "title": "Tea", "text": "Tea is drunk in many places, and has been for long."}


@pytest.fixture(autouse=True)
def _with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-planted")
    monkeypatch.setenv("NAME_API_KEY", OTHER)


def list_headers(server: FakeServer) -> str:
    """Everything that came to a server, beside what was said."""
    return repr([request.headers for request in server.requests])


def in_model(url: str) -> None:
    debate.graph.invoke(TOPIC, context={"model": f"any@{url}", "max_turns": 2})


def in_models(url: str) -> None:
    debate.graph.invoke(TOPIC, context={"model": "rehearsal", "models": {"synthesizer": f"any@{url}"}, "max_turns": 2})


def in_a_participant(url: str) -> None:
    cast = [{"name": "Ada", "model": f"any@{url}"}, {"name": "Ben"}]
    debate.graph.invoke({**TOPIC, "participants": cast}, context={"model": "rehearsal", "max_turns": 2})


def in_a_consensus_s_embeddings(url: str) -> None:
    settings = {"model": "rehearsal", "convergence": "embedding", "embeddings": f"openai:e@{url}", "max_rounds": 3}
    consensus.graph.invoke(TOPIC, context=settings)


def in_a_panel_s_embeddings(url: str) -> None:
    Path("paper.json").write_text(json.dumps([PAPER]))
    assert moot("papers", "add", "paper.json").exit_code == 0
    panel.graph.invoke({"query": "Tea?"}, context={"model": "rehearsal", "embeddings": f"openai:e@{url}"})


def in_an_experiment(url: str) -> None:
    cast = [{"name": name, "model": f"openai:any@{url}"} for name in "ABC"]
    justice.graph.invoke({}, context={"participants": cast, "seed": 5, "max_rounds": 1, "model": "rehearsal"})


def in_a_config(url: str) -> None:
    Path("given.yaml").write_text(f"model: openai:any@{url}\nmax_turns: 2\n")
    assert moot("debate", "Should cities ban cars?", "--config", "given.yaml").exit_code == 0


WAYS = [
    in_model,
    in_models,
    in_a_participant,
    in_a_consensus_s_embeddings,
    in_a_panel_s_embeddings,
    in_an_experiment,
    in_a_config,
]


@pytest.mark.long
@pytest.mark.parametrize("named", WAYS)
def test_a_server_that_somebody_names_gets_no_key_and_no_organisation(
    named: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with FakeServer(alone_and_together if named is in_an_experiment else echo_by_hash) as server:
        named(server.url)
        assert server.requests
        assert "planted" not in list_headers(server)
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {NO_KEY}"}


def test_the_server_of_openai_base_url_gets_the_key_also_where_a_spec_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        in_model(server.url)
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
        assert "org-planted" in list_headers(server)


def test_a_server_that_misses_its_key_is_told_with_the_place_of_its_variable() -> None:
    with FakeServer(reply=lambda _: Fault.status(401)) as server:
        with pytest.raises(RunStoppedError, match="name the key's variable: openai:NAME@URL#NAME_API_KEY"):
            in_model(server.url)
        with pytest.raises(RunStoppedError, match="401") as error:
            in_model(f"{server.url}#NAME_API_KEY")
        assert "variable" not in str(error.value)


def test_another_server_gets_the_key_whose_variable_its_spec_names() -> None:
    with FakeServer() as server:
        in_model(f"{server.url}#NAME_API_KEY")
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {OTHER}"}
        assert KEY not in list_headers(server)


def embedded(url: str) -> None:
    model = load_embeddings(f"openai:e@{url}")
    assert model is not None
    model.embed_query("tea")


@pytest.mark.parametrize("status", [301, 307, 308])
@pytest.mark.parametrize("asking", [in_model, embedded])
def test_neither_a_key_nor_what_is_asked_follows_a_redirect(
    status: int, asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer() as elsewhere:
        leads = Fault("instead", http=status, headers={"location": f"{elsewhere.url}/chat/completions"})
        with FakeServer(reply=lambda _: leads, embed_faults={1: leads}) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            with pytest.raises(
                RunStoppedError, match=rf"redirects to {elsewhere.url}/chat/completions \({status}\); use that addr"
            ):
                asking(server.url)
        assert not elsewhere.requests


class Leads(BaseHTTPRequestHandler):
    """A server that sends whoever asks it elsewhere."""

    elsewhere = ""

    def do_GET(self) -> None:
        self.send_response(307)
        self.send_header("location", f"{self.elsewhere}/models")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_list_of_models_follows_no_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as elsewhere, ThreadingHTTPServer(("127.0.0.1", 0), Leads) as server:
        monkeypatch.setattr(Leads, "elsewhere", elsewhere.url)
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(RunStoppedError, match="gave no list of models"):
            asyncio.run(fetch_models(f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()
        assert not elsewhere.requests


def test_a_well_known_server_gets_its_own_key() -> None:
    found = {url: get_key_variable(url.removesuffix(":443") + "/api/v1") for url in KEY_OWNERS}
    assert found == KEY_OWNERS
    assert get_key_variable("http://openrouter.ai/api/v1") == "", "not without encryption"
    assert get_key_variable("https://openrouter.ai.example/api/v1") == ""


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:m@http://h/v1#sk-planted-1", "ends in _API_KEY"),
        ("openai:m@http://h/v1#PGPASSWORD", "ends in _API_KEY"),
        ("openai:m@http://h/v1#OPENAI_API_KEY", "Moot sends OPENAI_API_KEY only to https://api.openai.com"),
        ("openai:m@https://h/v1#OPENROUTER_API_KEY", "Moot sends OPENROUTER_API_KEY only to https://openrouter.ai"),
        ("openai:m@http://h/v1#NONE_SET_API_KEY", "needs a key: set NONE_SET_API_KEY"),
        ("openai:m@http://api.openai.com\\@h/v1", "a base URL must have no key"),
        ("anthropic:claude@http://h/v1", "only openai: has an address"),
    ],
)
def test_a_key_that_is_none_or_another_s_and_an_address_that_would_be_dropped_are_refused(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        check_key("model", spec)
    assert "planted" not in str(error.value)


@pytest.mark.parametrize("key", ["sk-planted–1", "sk-planted\nX-Other: 1", "sk planted"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAME_API_KEY", key)
    with pytest.raises(InputError, match="NAME_API_KEY = '…': must be printable ASCII without spaces") as error:
        check_key("model", "openai:m@http://h/v1#NAME_API_KEY")
    assert "planted" not in str(error.value)


async def listed_models(url: str) -> None:
    await fetch_models(url)


async def asked_anew(url: str) -> None:
    await debate.graph.ainvoke(TOPIC, context={"model": f"any@{url}", "max_turns": 2})


async def embedded_anew(url: str) -> None:
    embedded(url)


PROXIES = "ALL_PROXY, HTTPS_PROXY or HTTP_PROXY = '…': must be http"


@pytest.mark.parametrize("asking", [asked_anew, embedded_anew, listed_models])  # each in a loop without a client
@pytest.mark.parametrize(
    ("variable", "address", "said"),
    [
        ("ALL_PROXY", "socks://u:planted@h:1", PROXIES),
        ("ALL_PROXY", "socks5://u:planted@h:1", PROXIES),
        ("HTTPS_PROXY", "http://u:planted@h:port", PROXIES),
        ("OPENAI_PROXY", "http://u:planted@h:1", "OPENAI_PROXY = '…': must be unset; set HTTPS_PROXY"),
        (
            "SSL_CERT_FILE",
            "/planted/none.pem",
            "SSL_CERT_FILE or SSL_CERT_DIR = '…': must be the path of a file or folder of certificates",
        ),
    ],
)
def test_a_proxy_or_certificates_that_cannot_be_used_are_refused_without_being_shown(
    variable: str, address: str, said: str, asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, address)
    monkeypatch.delenv("NO_PROXY", raising=False)
    load_certificates.cache_clear()
    with FakeServer() as server:
        with pytest.raises(InputError, match=said) as error:
            asyncio.run(asking(server.url))
        assert not server.requests
    assert "planted" not in str(error.value)


def test_a_spec_with_a_key_is_taken_apart() -> None:
    url = "https://openrouter.ai/api/v1"
    assert parse_spec(f"openai:a/b:free@{url}#OPENROUTER_API_KEY") == ModelSpec(
        "openai", "a/b:free", url, "OPENROUTER_API_KEY"
    )
    assert parse_origin("http://LocalHost:80/v1") == parse_origin("http://localhost/v1") == "http://localhost:80"


def test_openai_s_own_key_goes_to_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    async def key() -> str:
        model: Any = get_chat_model("openai:gpt-5-mini", DebateSettings(), "Ada")
        await close_models()
        return str(model.openai_api_key.get_secret_value())

    assert get_key_variable("https://api.openai.com/v1") == OPENAI_KEY
    assert asyncio.run(key()) == KEY
