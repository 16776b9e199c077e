"""Who gets the words of a run is said in one line, and `stay` refuses every other call."""

import asyncio
import socket
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from chats.asker import Asker
from fakeserver import FakeServer
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from moot.graphs.debate import graph as debate
from moot.models.failures import RunStoppedError
from moot.models.http_clients import make_http_client
from moot.models.recipients import (
    check_call,
    check_same_addresses,
    check_same_servers,
    check_stay,
    describe_recipients,
    locate_proxy,
    locate_server,
    record_recipients,
)
from moot.prompts import LANGUAGES
from moot.state.consensus import ConsensusSettings
from moot.state.debate import DebateSettings
from moot.state.errors import InputError
from moot.state.settings import Settings
from moot.state.statement import Participant

HERE, CLOUD = "openai:small@http://localhost:11434/v1", "openai:gpt-5-mini"


def line(settings: Settings, *models: str) -> str:
    names = ("Ada", "Ben", "Cleo")
    seats = [Participant(name=name, model=model) for name, model in zip(names, models, strict=False)]
    return describe_recipients(record_recipients(settings, seats))


def test_one_line_says_who_sees_what() -> None:
    settings = DebateSettings(model=HERE)
    assert line(settings, HERE, HERE) == (
        "Ada, Ben: localhost:11434. Synthesis: Ada's model. Nothing leaves this machine."
    )


@pytest.mark.parametrize(
    ("settings", "models", "said"),
    [
        (
            DebateSettings(model=HERE),
            (HERE, CLOUD),
            "Ada: localhost:11434. Ben: api.openai.com. Synthesis: Ada's model. The run's texts leave this machine for "
            "api.openai.com.",
        ),
        (
            DebateSettings(model=CLOUD),
            (HERE, HERE),
            (
                "Ada, Ben: localhost:11434. Synthesis: api.openai.com. The run's texts leave this machine for "
                "api.openai.com."
            ),
        ),
        (
            DebateSettings(model=HERE, stop_rule="judge", models={"judge": "anthropic:claude"}),
            (HERE, HERE),
            "Ada, Ben: localhost:11434. Synthesis: Ada's model. Judge: anthropic. The run's texts leave this "
            "machine for anthropic.",
        ),
        (
            ConsensusSettings(model=HERE, convergence="embedding", embeddings="openai:e@https://vectors.example/v1"),
            (HERE, HERE),
            "Ada, Ben: localhost:11434. Synthesis: Ada's model. Embeddings: vectors.example. The run's texts "
            "leave this machine for vectors.example.",
        ),
        (DebateSettings(model="rehearsal"), ("", ""), "Nothing leaves this machine."),
        (
            DebateSettings(model=HERE, language="es"),
            (HERE, HERE),
            "Ada, Ben: localhost:11434. Síntesis: el modelo de Ada. Nada sale de este equipo.",
        ),
        (
            DebateSettings(model=HERE, language="zh"),
            (HERE, HERE),
            "Ada, Ben：localhost:11434。综述：Ada 的模型。没有任何内容离开本机。",
        ),
    ],
)
def test_the_line_names_seats_roles_and_embeddings_and_what_leaves(
    settings: Settings, models: tuple[str, ...], said: str
) -> None:
    assert line(settings, *models) == said


def test_the_line_is_computed_from_the_environment_that_makes_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://proxy.example/v1")
    assert line(DebateSettings(model="openai:x"), "openai:x").startswith("Ada: proxy.example.")
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert "Traces: api.smith.langchain.com." in line(DebateSettings(model=HERE), HERE)
    with pytest.raises(InputError, match="LANGSMITH_TRACING"):
        check_call(DebateSettings(stay="local"), "model", "rehearsal")


def test_spans_that_contain_statements_are_in_the_line_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
    monkeypatch.setenv(variable, "true")
    check_call(DebateSettings(stay="local"), "model", HERE)
    monkeypatch.setenv("MOOT_TRACING", "on")
    assert line(DebateSettings(model=HERE), HERE).endswith(
        "Traces: OpenTelemetry. OpenTelemetry may send words anywhere."
    )
    with pytest.raises(InputError, match=f"{variable} = 'true': stay = local allows no call to OpenTelemetry"):
        check_call(DebateSettings(stay="local"), "model", HERE)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_proxy_that_reads_the_words_for_a_server_at_http_is_a_recipient(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, seats = "openai:small@http://box:8000/v1", [Participant(name="Ada"), Participant(name="Ben", model=HERE)]
    monkeypatch.setenv(variable, "http://user:planted@proxy.example:3128")
    assert line(DebateSettings(model=HERE), HERE, HERE).endswith("Nothing leaves this machine.")
    assert line(DebateSettings(model=CLOUD), CLOUD, HERE).endswith("leave this machine for api.openai.com.")
    assert line(DebateSettings(model=box), box, HERE).endswith(
        "Proxy: proxy.example:3128. The run's texts leave this machine for box:8000, proxy.example:3128."
    )
    saved = record_recipients(DebateSettings(model=box, stay=["local", "http://box:8000"]), seats)
    with pytest.raises(InputError, match=r"HTTP_PROXY or ALL_PROXY = '…'.* add http://proxy\.example:3128 to stay"):
        check_same_servers(saved, seats)
    monkeypatch.setenv("NO_PROXY", "box")
    check_same_servers(saved, seats)
    direct = record_recipients(DebateSettings(model=box), seats)
    monkeypatch.delenv("NO_PROXY")
    with pytest.raises(
        InputError, match="HTTP_PROXY or ALL_PROXY = '…': must lead to the servers that the run has used"
    ):
        check_same_servers(direct, seats)
    proxied = record_recipients(DebateSettings(model=box), seats)
    check_same_servers(proxied, seats)
    monkeypatch.setenv(variable, "proxy.example:3129")
    with pytest.raises(InputError, match=r"the run has used .http://box:8000/v1, .*http://proxy\.example:3128"):
        check_same_servers(proxied, seats)
    monkeypatch.delenv(variable)
    check_same_servers(proxied, seats)


@pytest.mark.parametrize("url", ["http://127.0.0.1:65536/v1", "nonsense", "https://sk-secret@host/v1"])
def test_an_address_in_the_environment_that_is_none_is_refused_unshown(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(InputError, match="OPENAI_BASE_URL = '…': must be an address such as http://HOST/v1") as error:
        line(DebateSettings(model="openai:x"), "openai:x")
    assert url not in str(error.value)


def test_people_are_named_and_no_call_is_said_to_leave() -> None:
    people = [Participant(name="Ada", model=HERE), Participant(name="You", kind="person")]
    assert describe_recipients(record_recipients(DebateSettings(model=HERE), people)) == (
        "Ada: localhost:11434. You: a person. Synthesis: Ada's model. No call leaves this machine."
    )


DIRECT = ["*", "box.example", "BOX.example", ".example", "example", "x, box.example ", "box.example:8000", "[::1], *"]
PROXIED = [
    "",
    "x",
    "box",
    "ox.example",
    "box.example:9",
    "example.box",
    "10.0.0.0/8",
    "http://x",
    "https://box.example",
]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("no_proxy", [*DIRECT, *PROXIED])
def test_a_proxy_is_on_record_where_the_client_uses_it(
    variable: str, no_proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, resolve = "http://box.example:8000/v1", socket.getaddrinfo

    def resolve_all_but_box(host: Any, *rest: Any, **more: Any) -> Any:
        if "box.example" in str(host):
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return resolve(host, *rest, **more)

    async def get() -> int:
        async with make_http_client() as client:
            return (await client.get(box)).status_code

    with FakeServer() as proxy:
        monkeypatch.setenv(variable, proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", no_proxy)
        monkeypatch.setattr(socket, "getaddrinfo", resolve_all_but_box)
        recorded = locate_proxy(locate_server(box))
        if no_proxy in DIRECT:
            assert recorded is None
            with pytest.raises(httpx.ConnectError):
                asyncio.run(get())
        else:
            assert recorded == locate_server(proxy.url.removesuffix("/v1"))
            assert asyncio.run(get()) == 404


def test_an_address_of_ipv6_is_kept_in_a_form_that_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = DebateSettings(stay="http://[fd00::2]:8000")
    assert DebateSettings.model_validate(settings.model_dump()) == settings
    check_call(settings, "model", "openai:small@http://[fd00::2]:8000/v1")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    with pytest.raises(InputError, match=r"add http://proxy\.example:3128 to stay"):
        check_call(settings, "model", "openai:small@http://[fd00::2]:8000/v1")


@pytest.mark.parametrize(
    ("stay", "url", "is_allowed"),
    [
        ("local", "http://127.0.0.1:8080/v1", True),
        ("local", "http://[::1]:8080/v1", True),
        ("local", "http://localhost.evil.example/v1", False),
        ("http://box:65535", "http://box:65535/v1", True),
        ("local", "http://192.168.1.5:8080/v1", False),
        ("https://api.mistral.ai", "https://api.mistral.ai/v1", True),
        ("https://api.mistral.ai", "http://api.mistral.ai/v1", False),
        ("https://api.mistral.ai", "http://localhost:11434/v1", False),
        (["local", "http://gpu-box:8000/"], "http://gpu-box:8000/other", True),
        (["local", "http://gpu-box:8000"], "http://gpu-box:8001/v1", False),
    ],
)
def test_stay_allows_its_origins_alone(stay: Any, url: str, is_allowed: bool) -> None:
    settings = DebateSettings(stay=stay)
    if is_allowed:
        check_stay(settings, "tools.wiki", url, locate_server(url))
    else:
        with pytest.raises(InputError, match="wiki"):
            check_stay(settings, "tools.wiki", url, locate_server(url))


@pytest.mark.parametrize(
    "stay", [[], "", "here", "https://", "https://key@host", ["local", 7], "ftp://host", "http://host/v1"]
)
def test_a_stay_that_is_neither_local_nor_an_origin_is_refused(stay: Any) -> None:
    with pytest.raises(ValueError, match="give local, or origins"):
        DebateSettings(stay=stay)


def test_a_call_to_another_server_is_refused_before_it_is_made_in_the_middle_of_a_run_too() -> None:
    with FakeServer() as server, pytest.raises(InputError, match="model of Ada"):
        Asker(server, stay="https://api.mistral.ai").ask()
    assert not server.chats


def test_a_chat_model_object_can_send_anything_and_is_refused_unless_it_is_declared_local() -> None:
    context = {"stay": "local", "max_turns": 2, "dynamic_termination": False}
    with pytest.raises(InputError, match=r"allows no call to FakeListChatModel.*declare local: true"):
        debate.invoke({"topic": "Tea?"}, context=context | {"model": FakeListChatModel(responses=["x"])})
    declared = FakeListChatModel(responses=["A statement about tea, long enough."], metadata={"local": True})
    state = debate.invoke({"topic": "Tea?"}, context=context | {"model": declared})
    assert len(state["history"]) == 2
    assert describe_recipients(state["settings"]) == (
        "PRO, CON: FakeListChatModel. Synthesis: PRO's model. Nothing leaves this machine, as declared."
    )


def test_the_first_seats_object_takes_the_roles_nobody_named() -> None:
    ada, ben = (FakeListChatModel(responses=[f"I am the model of {name}, at length."]) for name in ("Ada", "Ben"))
    state = debate.invoke(
        {"topic": "Tea?", "participants": ["Ada", "Ben"]},
        context={"models": {"Ada": ada, "Ben": ben}, "max_turns": 2, "dynamic_termination": False},
    )
    assert state["synthesis"].startswith("I am the model of Ada")
    assert state["settings"].model == "object:FakeListChatModel"


ELSEWHERE = [
    ("OPENAI_BASE_URL", f"http://{server}")
    for server in ("127.0.0.1:123/v1", "127.0.0.1:12345/v1", "127.0.0.2:1234/v1", "127.0.0.1:1234/v2", "127.0.0.1:1234")
] + [
    ("OPENAI_BASE_URL", "https://127.0.0.1:1234/v1"),
    ("OPENAI_BASE_URL", ""),
    ("LANGSMITH_TRACING", "true"),
    ("MOOT_EMBEDDINGS", "openai:e@http://127.0.0.1:1235/v1"),
    ("MOOT_EMBEDDINGS", "cohere:e"),
]


@pytest.mark.parametrize(("variable", "value"), ELSEWHERE)
def test_a_run_resumes_at_the_address_of_its_record_alone(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = [Participant(name="Ada"), Participant(name="Ben", model=CLOUD)]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1/")
    monkeypatch.setenv("MOOT_EMBEDDINGS", "openai:e@http://127.0.0.1:1234/v1")
    saved = record_recipients(DebateSettings(model="openai:m", tools=["library"]), seats)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1")
    check_same_servers(saved, seats)
    monkeypatch.setenv(variable, value)
    with pytest.raises(
        InputError, match=f"{variable} = .*must lead to the servers that the run has used.*http://127.0.0.1:1234/v1"
    ):
        check_same_servers(saved, seats)


ADDRESSES = {"OPENAI_BASE_URL": "http://127.0.0.1:1234/v1", "MOOT_EMBEDDINGS": "openai:e@http://127.0.0.1:1234/v1"}


@pytest.mark.parametrize(
    ("settings", "used"),
    [
        ({}, {"OPENAI_BASE_URL"}),
        ({"tools": ["library"]}, {"OPENAI_BASE_URL", "MOOT_EMBEDDINGS"}),
        ({"tools": ["library"], "model": HERE}, {"MOOT_EMBEDDINGS"}),
        ({"model": HERE}, set()),
    ],
)
def test_an_experiment_s_runs_ask_the_servers_that_the_variables_chose_at_its_start(
    settings: Any, used: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_settings = DebateSettings(**{"model": "openai:m"} | settings)
    for variable in ADDRESSES:
        monkeypatch.setenv("OPENAI_BASE_URL", ADDRESSES["OPENAI_BASE_URL"])
        monkeypatch.setenv("MOOT_EMBEDDINGS", ADDRESSES["MOOT_EMBEDDINGS"])
        check_same_addresses(run_settings, [str(run_settings.model)], ADDRESSES)
        monkeypatch.setenv(variable, ADDRESSES[variable].replace("1234", "1235"))
        with (
            pytest.raises(
                RunStoppedError, match=f"{variable} = .*1235.*: must be .*1234.*, as at the start of the experiment"
            )
            if variable in used
            else nullcontext()
        ):
            check_same_addresses(run_settings, [str(run_settings.model)], ADDRESSES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_record_is_compared_as_data_whatever_the_language_of_its_line(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1")
    saved = record_recipients(DebateSettings(model="openai:m", language=language), [Participant(name="Ada")])
    check_call(saved, "model", "openai:m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:123/v1")
    with pytest.raises(InputError, match="must lead to the servers that the run has used"):
        check_call(saved, "model", "openai:m")
