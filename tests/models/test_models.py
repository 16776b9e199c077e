"""Which model is meant by a spec, by a role, by the environment; and what is refused before any call."""

import asyncio
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from chats.scripted import Echoing, ScriptedChat
from fakeserver import FakeServer, Fault
from langchain_openai import ChatOpenAI
from moot.graphs import debate
from moot.models import default_model
from moot.models.capabilities import get_capabilities
from moot.models.chat_model import close_models, get_chat_model
from moot.models.default_model import fetch_default_spec, fetch_models
from moot.models.failures import RunStoppedError
from moot.models.model_spec import ModelSpec, choose_spec, parse_spec
from moot.state.debate import DebateSettings
from moot.state.errors import InputError

TOPIC = {"topic": "Should cities ban cars?"}
SPECS = {
    "gpt-5-mini": ModelSpec("openai", "gpt-5-mini"),
    "openai:gpt-5-mini": ModelSpec("openai", "gpt-5-mini"),
    "openai:llama3:8b@http://localhost:11434/v1": ModelSpec("openai", "llama3:8b", "http://localhost:11434/v1"),
    "qwen@http://127.0.0.1:8000/v1": ModelSpec("openai", "qwen", "http://127.0.0.1:8000/v1"),
    "openai:org/model:free@https://openrouter.ai/api/v1": ModelSpec(
        "openai", "org/model:free", "https://openrouter.ai/api/v1"
    ),
    "anthropic:claude": ModelSpec("anthropic", "claude"),
    " rehearsal ": ModelSpec("rehearsal"),
}


@pytest.mark.parametrize("text", SPECS)
def test_a_spec_is_taken_apart(text: str) -> None:
    assert parse_spec(text) == SPECS[text]


@pytest.mark.parametrize("text", ["", "openai:", "openai: ", ":name", "two words", "openai:@http://x/v1"])
def test_a_spec_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"model = .*: write openai:<name>"):
        parse_spec(text)


@pytest.mark.parametrize(
    "url", ["http://user:sk-secret-1@host/v1", "https://sk-secret-1@host/v1", "http://h/v1?key=sk-secret-1"]
)
def test_a_key_in_a_spec_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(InputError, match="a base URL must have no key and no query") as error:
        debate.graph.invoke(TOPIC, context={"model": f"openai:any@{url}"})
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "models",
    [
        {"model": "anthropic:claude"},
        {"model": "rehearsal", "models": {"synthesizer": "anthropic:claude"}},
        {"model": "rehearsal", "models": {"CON": "two words"}},
        {"model": "openai:gpt-5-mini"},
        {"model": "rehearsal", "models": {"judge": "gpt-5-mini"}, "stop_rule": "judge"},
        {"model": "openai:any@localhost:11434/v1"},
        {"model": ScriptedChat},
    ],
)
def test_a_model_that_cannot_be_had_is_refused_before_any_call(models: dict[str, object]) -> None:
    with pytest.raises(InputError, match="model = "):
        debate.graph.invoke(TOPIC, context=models)


def test_a_model_for_nobody_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"models.jugde = 'rehearsal': no participant has this name; choose one of PRO, CON, synth"
    ):
        debate.graph.invoke(TOPIC, context={"model": "rehearsal", "models": {"jugde": "rehearsal"}})


def test_a_role_s_model_is_its_own_then_the_participant_s_then_the_run_s() -> None:
    rules = DebateSettings(model="openai:run", models={"CON": "openai:con", "judge": "openai:judge"}, stop_rule="judge")
    assert choose_spec(rules, "judge") == "openai:judge"
    assert choose_spec(rules, "CON", "openai:given") == "openai:con"
    assert choose_spec(rules, "PRO", "openai:given") == "openai:given"
    assert choose_spec(rules, "synthesizer") == "openai:run"
    assert choose_spec(DebateSettings(), "PRO") == "rehearsal"


def find_default(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return asyncio.run(fetch_default_spec())


def test_who_names_the_rehearsal_is_not_told_that_no_model_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="no model was named"):
        debate.graph.invoke(TOPIC, context={"max_turns": 2})
    monkeypatch.setenv("MOOT_MODEL", "rehearsal")
    assert debate.graph.invoke(TOPIC, context={"max_turns": 2})["outcome"].rehearsal, "and nothing is warned of"


def test_with_nothing_said_the_rehearsal_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_default(monkeypatch) == "rehearsal"


def test_moot_model_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_default(monkeypatch, MOOT_MODEL="openai:mine", OPENAI_API_KEY="sk-x") == "openai:mine"


def test_a_key_alone_means_openai_s_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        find_default(monkeypatch, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL="http://127.0.0.1:1/v1") == "openai:gpt-5-mini"
    )


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_a_server_alone_means_the_first_model_it_lists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(models=["llama3:8b", "other"]) as server:
        assert find_default(monkeypatch, **{name: server.url}) == f"openai:llama3:8b@{server.url}"


@pytest.mark.parametrize("models", [[], [""], ["m" * 301]])
def test_a_server_that_lists_no_model_stops_the_run_with_a_remedy(models: list[str]) -> None:
    with (
        FakeServer(models=models) as server,
        pytest.raises(RunStoppedError, match="lists no model; name one with --model"),
    ):
        asyncio.run(fetch_models(server.url))


def test_a_server_that_is_not_there_stops_the_run_with_a_remedy() -> None:
    with FakeServer() as server:
        url = server.url
    with pytest.raises(RunStoppedError, match="start the server, or name a model") as error:
        asyncio.run(fetch_models(url))
    assert error.value.__cause__ is None


class Dripping(BaseHTTPRequestHandler):
    """A server whose list of models never ends."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(b" ")
                time.sleep(0.05)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_list_of_models_that_never_ends_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_model, "LIST_SECONDS", 0.3)
    with ThreadingHTTPServer(("127.0.0.1", 0), Dripping) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(RunStoppedError, match="gave no list of models"):
            asyncio.run(fetch_models(f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()


def test_a_placeholder_key_is_used_where_none_is_set() -> None:
    with FakeServer() as server:
        debate.graph.invoke(TOPIC, context={"model": f"any@{server.url}", "max_turns": 2})
        assert {request.headers["authorization"] for request in server.chats} == {"Bearer none"}


def test_each_participant_and_role_may_have_a_model_of_its_own() -> None:
    models = {name: Echoing() for name in ("PRO", "CON", "synthesizer")}
    state = debate.graph.invoke(TOPIC, context={"models": models, "model": "rehearsal", "max_turns": 2})
    assert {name: [prompt.who for prompt in model.prompts] for name, model in models.items()} == {
        name: [name] for name in models
    }
    assert state["settings"].models["PRO"] == "object:Echoing"


def test_a_participant_s_model_is_asked_for_that_participant_only() -> None:
    with FakeServer() as fake_server, FakeServer() as other:
        cast = [{"name": "Ada", "model": f"any@{fake_server.url}"}, {"name": "Ben", "model": f"any@{other.url}"}]
        given = {"model": Echoing(), "max_turns": 4}
        debate.graph.invoke({**TOPIC, "participants": cast}, context=given)
        assert [len(fake_server.chats), len(other.chats)] == [2, 2]


def test_a_chat_model_with_settings_bound_to_it_can_be_given_too() -> None:
    model = ScriptedChat(script=lambda *_: "A statement of some length.")
    state = debate.graph.invoke(TOPIC, context={"model": model.bind(stop=["."]), "max_turns": 2})
    assert state["settings"].model == f"object:{type(model.bind()).__name__}"
    assert len(state["history"]) == 2


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="a model is a spec such as"):
        DebateSettings(model=42)


def test_models_and_their_http_client_are_built_once_per_event_loop() -> None:
    async def build() -> list[object]:
        rules = DebateSettings()
        specs = ["openai:a@http://127.0.0.1:1/v1", "openai:a@http://127.0.0.1:1/v1", "openai:b@http://127.0.0.1:2/v1"]
        models = [get_chat_model(spec, rules, "Ada") for spec in specs]
        assert all(isinstance(model, ChatOpenAI) and model.max_retries == 0 for model in models)
        await close_models()
        return [*models, get_chat_model(specs[0], rules, "Ada")]

    first, same, other, anew = asyncio.run(build())
    assert first is same
    assert first is not other
    assert first is not anew


def test_what_an_endpoint_refuses_is_learnt_for_that_endpoint_alone() -> None:
    with FakeServer(faults={1: Fault.unsupported("temperature")}) as strict, FakeServer() as easy:
        for server in (strict, easy):
            debate.graph.invoke(TOPIC, context={"model": f"any@{server.url}", "max_turns": 2})
        assert ["temperature" in request.body for request in strict.chats] == [True, False, False, False]
        assert all("temperature" in request.body for request in easy.chats)
    assert get_capabilities(f"any@{strict.url}").refused_settings == {"temperature"}
    assert get_capabilities(f"any@{easy.url}").refused_settings == set()
