"""What cannot be used is refused before any call, in all protocols, from the command line and from Python: the server
is never asked, and one line says which key, which value, and what to do instead."""

import json
import math
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command import listed, moot
from fakeserver import FakeServer
from langgraph.checkpoint.memory import InMemorySaver
from moot.prompts.templates import TemplateError
from moot.state.errors import InputError
from runs.five import FIVE

HUGE = "x" * 10_000_000
PEOPLE = {
    "nobody": ([], "participants"),
    "one alone": (["Ada"], "participants"),
    "a name twice": (["Ada", "Ben", "Ada"], "'Ada'"),
    "a name in capitals": (["Ada", "Ben", "ADA"], "'ADA'"),
    "a blank name": (["Ada", "Ben", "   "], "= ' ': "),
    "no name at all": (["Ada", "Ben", ""], "''"),
    "a name that is a role's": (["Ada", "Ben", "Moderator"], "'Moderator'"),
    "a name that stands for all": (["Ada", "Ben", "*"], "'*'"),
    "a name as long as a page": (["Ada", "Ben", "y" * 3000], "yyy"),
    "someone with an unknown key": (["Ada", "Ben", {"name": "Cleo", "nam": "Cleo"}], "nam"),
    "a number": (["Ada", "Ben", 7], "7"),
}
"""Casts that cannot be used, and what the line has to name."""
KNOBS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"max_round": 2}, "max_round"),
    "unknown key within": ({"budget": {"call": 3}}, "call"),
    "too few rounds": ({"max_rounds": 0}, "max_rounds = 0"),
    "too many rounds": ({"max_rounds": 10**9}, "max_rounds = 1000000000"),
    "rounds in words": ({"max_rounds": "ten"}, "max_rounds = 'ten'"),
    "too hot": ({"prices": {"input": -1}}, "prices.input = -1"),
    "a price without an end": ({"prices": {"input": math.inf}}, ": must be a finite number"),
    "a price of one model without an end": (
        {"prices": {"models": {"m": {"output": math.inf}}}},
        ": must be a finite number",
    ),
    "money without an end": ({"budget": {"cost": math.inf}}, ": must be a finite number"),
    "a seed below nought": ({"seed": -1}, "seed = -1"),
    "a language that is none": ({"language": "¿?"}, "language = '¿?'"),
    "no calls at all": ({"budget": {"calls": 0}}, "budget.calls = 0"),
    "money without prices": ({"budget": {"cost": 2}}, "prices"),
    "templates from nowhere": ({"templates": "nowhere"}, "templates = 'nowhere'"),
    "a model that names nothing": ({"model": "openai:"}, "model = 'openai:'"),
    "a key within a model": ({"model": "openai:m@http://user:planted@h/v1"}, "model = 'openai:m'"),
}
TOPICS = {
    "blank": ("   ", "= ' ': "),
    "empty": ("", "''"),
    "of ten million characters": (HUGE, "'xxx"),
    "a number": (7, "7"),
}
TALKS = [name for name in FIVE if name != "justice"]
ABOUT = dict.fromkeys(TALKS, "topic") | {"panel": "query"}


def unusable() -> list[Any]:
    """Every protocol with every input that it cannot use."""
    people = [
        (name, key, {"participants": given}, {}, said)
        for name in FIVE
        for key, (given, said) in PEOPLE.items()
        if not (name == "panel" and key == "one alone")
    ]
    settings = [(name, key, {}, given, said) for name in FIVE for key, (given, said) in KNOBS.items()]
    topics = [
        (name, f"topic {key}", {ABOUT[name]: given}, {}, said)
        for name in TALKS
        for key, (given, said) in TOPICS.items()
    ]
    return [
        pytest.param(*row, id=f"{row[0]}-{row[1]}", marks=[] if row[0] in ("debate", "justice") else pytest.mark.long)
        for row in (*people, *settings, *topics)
    ]


def described(name: str, people: object) -> object:
    """A cast with what its protocol wants of it: an expert nobody knows has to be described."""
    if name != "panel" or not isinstance(people, list):
        return people
    return [{"name": person, "role": "an expert"} if isinstance(person, str) else person for person in people]


@pytest.fixture(scope="module")
def only() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def server(only: FakeServer) -> FakeServer:
    """A server that nobody has asked anything."""
    only.reset()
    return only


@pytest.mark.parametrize(("name", "key", "given", "settings", "said"), unusable())
def test_python_refuses_it_before_any_call(
    name: str, key: str, given: dict[str, Any], settings: dict[str, Any], said: str, server: FakeServer
) -> None:
    context = {"model": f"openai:fake@{server.url}", **settings}
    people = {one: described(name, value) for one, value in given.items()}
    if name == "justice":
        context |= people
        whole: dict[str, Any] = {}
    else:
        whole = {
            ABOUT[name]: "Tea?",
            "participants": described(name, ["Ada", "Ben", "Cleo"][: 2 if name == "debate" else 3]),
            **people,
        }
    if name == "discussion" and "max_rounds" not in context:
        context["max_turns"] = 4
    graph = import_module(f"moot.graphs.{name}").build().compile(checkpointer=InMemorySaver())
    with pytest.raises((InputError, TemplateError)) as error:
        graph.invoke(whole, {"configurable": {"thread_id": "1"}}, context=context)
    line = " ".join(str(error.value).split())
    assert re.fullmatch(r"[\w.]+ = .+: .+", line)
    assert said in line
    assert "planted" not in repr(error.value)
    assert len(line) < 500
    assert server.chats == []


@pytest.mark.parametrize(("name", "key", "given", "settings", "said"), unusable())
def test_the_command_line_refuses_it_in_one_line(
    name: str, key: str, given: dict[str, Any], settings: dict[str, Any], said: str, server: FakeServer, tmp_path: Path
) -> None:
    about = {} if name == "justice" else {ABOUT[name]: "Tea?"}
    config = tmp_path / "run.yaml"
    people = {one: described(name, value) for one, value in given.items()}
    config.write_text(as_yaml({**about, **people, **settings}), encoding="utf-8")
    words = {
        "justice": ["justice", config],
        "discussion": ["discussion", "--models-only", "--max-turns", "4", "--config", config],
    }
    model = [] if "model" in settings else ["--model", f"openai:fake@{server.url}"]
    result = moot(*words.get(name, [name, "--config", config]), *model)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert re.match(r"moot: [\w.]+ = .+: .+", result.stderr)
    assert said in result.stderr or (given.get(ABOUT.get(name, "")) == HUGE and "config = " in result.stderr)
    assert "planted" not in result.stderr
    assert len(result.stderr) < 500
    assert server.chats == []
    assert listed() == []


def as_yaml(settings: dict[str, Any]) -> str:
    """Settings as a config file; JSON is YAML."""
    return json.dumps(settings, ensure_ascii=False)


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize(
    "bad", ["a: [", "- topic", "topic: !!python/object/apply:os.system [echo]", "a: &a [x]\nb: *a", "a: 1\na: 2"]
)
def test_bad_yaml_is_refused_in_one_line(name: str, bad: str, server: FakeServer, tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(bad)
    words = {"justice": ["justice", config], "discussion": ["discussion", "--config", config]}
    result = moot(*words.get(name, [name, "--config", config]), "--model", f"openai:fake@{server.url}")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "config = " in result.stderr
    assert server.chats == []
