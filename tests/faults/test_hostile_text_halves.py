"""Half of a surrogate pair, which no encoding can write: whatever it stands in, no run breaks on it."""

from importlib import import_module
from typing import Any

import pytest
from command import listed, moot
from fakeserver import FakeServer, Fault
from langgraph.checkpoint.memory import InMemorySaver
from moot.state.errors import InputError
from runs.ailing import VICTIM, unwaited
from runs.five import FIVE, ran
from runs.hostile import saying
from sampling import sample_cases

HALVES = "It holds \ud83d that half of a sign \udc00 is none, and \ud83d\ude00 a whole one is."
KEPT = "It holds \ufffd that half of a sign \ufffd is none, and \U0001f600 a whole one is."
WAYS = ([], ["--json"], ["--format", "html"], ["--format", "md"])


@pytest.mark.long
@pytest.mark.parametrize("name", FIVE)
def test_said_by_a_model_they_are_kept_as_signs_that_can_be_written(name: str) -> None:
    with FakeServer(saying(HALVES)) as server, unwaited():
        live = moot(*FIVE[name].on(server))
        assert live.exit_code == 0, live.stderr
        prompts = [chat.text for chat in server.chats]
    run = listed()[0]["run"]
    outputs = [moot("show", run, *words) for words in WAYS]
    assert [output.exit_code for output in outputs] == [0] * len(WAYS)
    assert all(KEPT in output.stdout for output in outputs[:1])
    for text in [live.output, *(output.output for output in outputs), *prompts]:
        text.encode("utf-8")
    if name != "justice":
        assert any(KEPT in text for text in prompts)


FAILURES = [
    pytest.param(name, fault, id=f"{name}-{fault}", marks=[] if name == "debate" else pytest.mark.long)
    for name in FIVE
    for fault in ("fatal", "passing", "refusal")
]
"""In one protocol always, in the others in the long matrix."""


@pytest.mark.parametrize(("name", "fault"), sample_cases(FAILURES, kinds=0))
def test_said_by_a_server_they_break_neither_the_record_nor_the_line_on_the_terminal(name: str, fault: str) -> None:
    made = {
        "fatal": Fault.status(401, message=HALVES),
        "passing": Fault.status(500, message=HALVES),
        "refusal": Fault.status(400, code="content_filter", message=HALVES),
    }[fault]
    times = 1 if fault == "fatal" else 3
    faults = dict.fromkeys(range(VICTIM[name], VICTIM[name] + times), made)
    with FakeServer(FIVE[name].reply, faults=faults) as server, unwaited():
        result, found = ran(FIVE[name].on(server))
    assert result.exit_code == (3 if fault == "fatal" else 0), result.output
    result.output.encode("utf-8")
    if fault == "fatal":
        assert KEPT in result.stderr
    else:
        assert [KEPT in incident["what"] for incident in found["incidents"] if incident["attempts"] == 3] == [True]


TALKS = [name for name in FIVE if name != "justice"]
CASTS = {"debate": ["Ada", "Ben"], "consensus": ["Ada", "Ben", "Cleo"], "discussion": ["Ada", "Ben"], "panel": []}
HALF = "All about \udc00 tea, and \ud83d more."
TAKEN: dict[str, Any] = {
    "material": {"material": HALF},
    "a persona of its own": {"persona": HALF},
    "a persona by name": {"personas": HALF},
    "a role": {"role": HALF},
}


def opened_with(protocol: str, given: dict[str, Any], **first: Any) -> dict[str, Any]:
    """The input of a protocol; `first` describes its first participant."""
    people = [{"name": one, "role": "an expert"} for one in CASTS[protocol] or ["Ada"]]
    people[0] |= first
    about = {"query": "Tea?", "papers": [{"id": "tea", "title": "Tea", "text": "Tea is drunk."}]}
    return {**(about if protocol == "panel" else {"topic": "Tea?"}), "participants": people, **given}


def run_hostile_text(name: str, given: dict[str, Any], server: FakeServer) -> dict[str, Any]:
    """A short run with a checkpointer, and its state as it was stored."""
    graph = import_module(f"moot.graphs.{name}").build().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context = {"model": f"openai:fake@{server.url}", "max_turns": 3, "retry_delays": [0]}
    graph.invoke(given, config, context=context)
    found: dict[str, Any] = graph.get_state(config).values
    return found


@pytest.mark.parametrize("name", TALKS)
@pytest.mark.parametrize("key", ["topic", "name"])
def test_in_a_topic_or_a_name_they_are_refused_before_any_call(name: str, key: str) -> None:
    about = "query" if name == "panel" else "topic"
    given = opened_with(
        name, {about: "Tea \ud83d?"} if key == "topic" else {}, **({"name": "A\ud83da"} if key == "name" else {})
    )
    with FakeServer(FIVE[name].reply) as server:
        with pytest.raises(InputError, match=r"^[\w.]+ = .+: .+"):
            run_hostile_text(name, given, server)
        assert server.chats == []


@pytest.mark.parametrize("name", TALKS)
@pytest.mark.parametrize("key", TAKEN)
def test_given_elsewhere_they_are_taken_in_as_signs_that_can_be_written_or_refused(name: str, key: str) -> None:
    ((field, text),) = TAKEN[key].items()
    first = {field: text} if field in ("persona", "role") else {}
    who = "pro" if name == "debate" else (CASTS[name] or ["Ada"])[0]
    given = opened_with(
        name, {"material": {"material": text}, "personas": {"personas": {who: text}}}.get(field, {}), **first
    )
    with FakeServer(FIVE[name].reply) as server:
        try:
            state = run_hostile_text(name, given, server)
        except InputError:
            assert server.chats == []
            return
        for chat in server.chats:
            chat.text.encode("utf-8")
    repr(state).encode("utf-8")
    assert "\\ud83d" not in repr(state)


def test_in_an_experiment_s_names_they_are_refused_too() -> None:
    with FakeServer() as server:
        context = {"model": f"openai:fake@{server.url}", "participants": ["A", "B\ud83d"]}
        with pytest.raises(InputError, match=r"participants.1.name = .+: .+"):
            import_module("moot.graphs.justice").graph.invoke({}, context=context)
        assert server.chats == []


def test_a_form_filled_with_them_is_kept_to_the_last_sign() -> None:
    with FakeServer(saying(HALVES)) as server, unwaited():
        result, found = ran([*FIVE["consensus"].on(server), "--vote", "approval"])
    assert result.exit_code == 0
    assert {position["position"] for position in found["positions"]} == {KEPT}
    assert KEPT in found["synthesis"]
