"""A planted key is nowhere: whatever a server says with it, in all protocols, stopped, degraded or whole."""

import logging
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command import listed, moot
from fakeserver import FakeServer, Fault
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.models.failures import RunStoppedError
from runs.ailing import VICTIM, unwaited
from runs.five import FIVE, ran
from sampling import sample_cases

LONG = pytest.mark.long
KEYS = {"a key": "sk-planted0123456789abcdef", "a word": "planted-word-7f3a"}
"""One that looks like a key, and one that only its variable gives away."""
SAID = "Was it {key}, sent as Bearer {key}, for https://x:{key}@host?"
FATAL = {
    "400": Fault.status(400, message=SAID),
    "401": Fault.status(401, message=SAID),
    "403": Fault.status(403, message=SAID),
    "404": Fault.status(404, message=SAID),
    "quota": Fault.status(429, type="insufficient_quota", code="insufficient_quota", message=SAID),
}
PASSING = {
    "500": Fault.status(500, message=SAID),
    "context too long": Fault.status(400, code="context_length_exceeded", message=SAID),
}


def rows(faults: dict[str, Fault], always: str) -> list[Any]:
    """Every protocol with every fault and the word, which is harder to find; in a debate with both keys."""
    chosen = [(name, fault, key) for name in FIVE for fault in faults for key in KEYS]
    return [
        pytest.param(name, faults[fault], KEYS[key], id=f"{name}-{fault}-{key}", marks=[] if quick else LONG)
        for name, fault, key in chosen
        if (quick := (fault, key) == (always, "a word") and name in ("debate", "justice"))
        or key == "a word"
        or (name, fault) == ("debate", always)
    ]


def everything(folder: Path, run: str, key: str) -> str:
    """All that is kept and all that can be shown of a run."""
    text = b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())
    ways = (["show"], ["show", "--json"], ["show", "--format", "html"], ["show", "--format", "md"], ["history"])
    outputs = [moot(*words, run, OPENAI_API_KEY=key).output for words in ways]
    return text.decode("latin-1") + "".join(outputs)


@pytest.mark.long
@pytest.mark.parametrize(("name", "fault", "key"), sample_cases(rows(FATAL, "401"), kinds=0))
def test_no_key_is_in_anything_a_stopped_run_leaves(
    name: str, fault: Fault, key: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeServer(FIVE[name].reply, faults={VICTIM[name]: fault}) as server:
        output = moot(*FIVE[name].on(server), OPENAI_API_KEY=key, OPENAI_BASE_URL=server.url)
        assert key in server.chats[0].headers["authorization"]
    assert output.exit_code == 3
    assert "Was it …" in output.stderr, "what the server said is told, without the key"
    assert key not in output.output + everything(tmp_path, listed()[0]["run"], key) + logged(caplog)


@pytest.mark.long
@pytest.mark.parametrize(("name", "fault", "key"), sample_cases(rows(PASSING, "500"), kinds=0))
def test_no_key_is_in_anything_a_degraded_run_leaves(
    name: str, fault: Fault, key: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    faults = dict.fromkeys(range(VICTIM[name], VICTIM[name] + 4), fault)
    with FakeServer(FIVE[name].reply, faults=faults) as server, unwaited():
        result, found = ran(FIVE[name].on(server), OPENAI_API_KEY=key, OPENAI_BASE_URL=server.url)
    assert result.exit_code == 0
    left = everything(tmp_path, found["run"], key)
    assert "Was it" in left, "what the server said is on record"
    assert key not in result.output + left + logged(caplog)


GRAPHS = [pytest.param(name, KEYS[key], id=f"{name}-{key}") for name in FIVE for key in KEYS]


@pytest.mark.long
@pytest.mark.parametrize(("name", "key"), sample_cases(GRAPHS, kinds=2))
def test_no_key_is_in_state_checkpoints_or_what_is_raised(
    name: str, key: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    given: dict[str, Any] = {"justice": {}, "panel": {"query": "Tea?", "papers": [PAPER]}}.get(name, {"topic": "Tea?"})
    settings = {
        "justice": {"participants": ["A", "B", "C"], "seed": 5, "max_rounds": 1},
        "discussion": {"max_turns": 4},
    }
    faults = {2: FATAL["401"]}
    with FakeServer(FIVE[name].reply, faults=faults) as server, SqliteSaver.from_conn_string(f"{tmp_path}/db") as saver:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        graph = import_module(f"moot.graphs.{name}").build().compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "1"}}
        context: Any = {"model": f"openai:fake@{server.url}", **settings.get(name, {})}
        with pytest.raises(RunStoppedError) as raised_error:
            graph.invoke(given, config, context=context)
        state = repr(graph.get_state(config))
        written = repr(list(saver.list(config)))
    error = raised_error.value
    content = "".join(traceback.format_exception(error)) + chained(error)
    text = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file()).decode("latin-1")
    for place in (content, state, written, text, logged(caplog)):
        assert key not in place


PAPER = {"id": "tea", "title": "Tea", "text": "Tea is drunk in many places, and has been for long."}


def chained(error: BaseException | None) -> str:
    """What an exception and those behind it hold."""
    found: list[str] = []
    while error is not None:
        found.append(f"{error!r} {vars(error)}")
        error = error.__cause__ or error.__context__
    return "\n".join(found)


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """What was logged by anyone, at any level."""
    return "\n".join(record.getMessage() for record in caplog.records)
