"""`moot` without a command: it finds models, says what to do next, and asks one question at most."""

import io
import sys

import pytest
from command import moot
from fakeserver import FakeServer
from moot.app import first_steps
from moot.models import local_servers
from ports import free_port


@pytest.fixture(autouse=True)
def ports(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The ports that are asked, in place of the usual ones, at which anything may listen: nothing at first."""
    ports = {name: free_port() for name in local_servers.LOCAL_SERVERS}
    monkeypatch.setattr(local_servers, "LOCAL_SERVERS", ports)
    monkeypatch.setattr(first_steps, "LOCAL_SERVERS", ports)
    return ports


def test_without_model_and_key_it_says_so_and_what_to_do_next() -> None:
    output = moot()
    assert output.exit_code == 0
    assert "no server answers on this machine (Ollama, LM Studio, llama.cpp, vLLM)" in output.stdout
    assert "made-up text" in output.stdout
    for step in ("debate 'Should cities", "example", "serve", "--help"):
        assert f"moot {step}" in output.stdout.partition("Next:")[2]


@pytest.mark.parametrize("name", list(local_servers.LOCAL_SERVERS))
def test_a_local_server_is_found_and_its_first_model_named_in_the_next_command(
    name: str, ports: dict[str, int]
) -> None:
    with FakeServer(models=["nomic-embed-text", "qwen3:8b", "llama"]) as server:
        ports[name] = server.port
        output = moot().stdout
    spec = f"openai:qwen3:8b@http://localhost:{server.port}/v1"
    assert (f"{spec}  {name}" in output, f"--model {spec}" in output, "embed" in output) == (True, True, False)
    assert not server.chats


def test_keys_are_named_and_never_shown() -> None:
    output = moot(OPENAI_API_KEY="sk-planted-1", GROQ_API_KEY="gsk-planted-2").stdout
    assert "openai:gpt-5-mini" in output
    assert ("GROQ_API_KEY" in output, "api.groq.com" in output, "planted" in output) == (True, True, False)


def test_a_named_model_comes_before_one_that_is_found(ports: dict[str, int]) -> None:
    with FakeServer() as server:
        ports["vLLM"] = server.port
        output = moot(MOOT_MODEL="rehearsal").stdout
    assert output.index("MOOT_MODEL") < output.index("fake-model")
    assert "--model" not in output


@pytest.mark.parametrize("name", ["two words", "a@b", "\x1b[31mred", "x" * 300], ids=repr)
def test_a_name_that_no_model_has_is_left_out(name: str, ports: dict[str, int]) -> None:
    with FakeServer(models=[name]) as server:
        ports["Ollama"] = server.port
        assert local_servers.find_local_models() == {}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "words"), [("\n", []), ("Tea?\n", ["debate", "--", "Tea?"])])
def test_on_a_terminal_one_question_is_asked(typed: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stdout", terminal)
    assert first_steps.show_first_steps() == words
    assert terminal.getvalue().count("Enter: none") == 1


def test_the_topic_that_is_typed_is_debated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_steps, "show_first_steps", lambda: ["example", "--quiet"])
    assert "Example: recorded answers" in moot().stdout
