"""An estimate's high is never passed, also not by runs that use every try of every question."""

import asyncio
import json
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chats.sent_prompt import SentPrompt
from command import document, moot
from deliberations.consensus import accept, object_because, run_consensus
from deliberations.justice import LINES, Cast, Play
from fakeserver import Answer, FakeServer, Fault, Request, echo_by_hash
from fakeserver.echo import paragraph
from moot.app.display.terminal import Terminal
from moot.app.protocols.registry import get_protocol
from moot.app.run import start
from moot.app.run.deliberation_options import RunOptions
from moot.app.run.estimate import CostEstimate, describe_highest_cost, estimate_cost
from moot.app.run.request import RunRequest, build_request
from moot.models.error_classification import OPTIONAL_SETTINGS


def high_of(name: str, given: dict[str, Any], **settings: Any) -> CostEstimate:
    """The estimate of a protocol."""
    texts = [f"{key}={value}" for key, value in settings.items()]
    return asyncio.run(estimate_cost(build_request(get_protocol(name), given, RunOptions(set=texts))))


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("debate", "Tea or coffee?", "--set", "dynamic_termination=false"),
        ("consensus", "Tea or coffee?", "--max-rounds", "2", "--vote", "plurality"),
        ("consensus", "Tea or coffee?", "--max-rounds", "2", "--convergence", "judge"),
        ("debate", "Tea or coffee?", "--set", "stop_rule=judge", "--max-turns", "6"),
    ],
)
def test_a_run_that_uses_every_try_stays_within_high(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ("--set", "retry_delays=[0]")
    report = document("estimate", *words, *quick)
    with FakeServer(reply=lambda request: "?") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        moot(*words, *quick, "--quiet")
        assert 0 < len(server.chats) <= report["maximum"]["calls"]


@pytest.mark.parametrize("objects", [False, True])
def test_the_line_before_a_consensus_counts_its_drafts_and_acceptances(objects: bool) -> None:
    given = {"topic": "A four-day week", "participants": ["Ada", "Ben", "Cleo"]}
    options = RunOptions(model="openai:x@http://127.0.0.1:9/v1", set=["max_rounds=3"])
    line = asyncio.run(describe_highest_cost(build_request(get_protocol("consensus"), given, options)))
    views = {"acceptance": lambda who, nth: object_because("x") if objects and who == "Ben" else accept()}
    state, _ = run_consensus(views, max_rounds=3)
    assert sum(call.attempt == 1 for call in state["calls"]) <= int(re.findall(r"up to (\d+) calls", line)[0])


def test_the_line_before_a_run_names_every_model_in_it() -> None:
    seats = [{"name": name, "model": f"openai:{name.lower()}@http://127.0.0.1:9/v1"} for name in ("A", "B", "C")]
    given = {"topic": "Tea?", "participants": [*seats, seats[0] | {"name": "D"}], "max_rounds": 2}
    request = build_request(get_protocol("consensus"), given, RunOptions()).with_model("rehearsal")
    line = asyncio.run(describe_highest_cost(request))
    a, b, c = (seat["model"] for seat in seats)
    assert line.startswith(f"models {a}, {b}, and {c}; up to ")


def test_the_questions_whether_a_speaker_gives_in_are_in_the_highest_estimate_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("debate", "Tea or coffee?", "--max-turns", "6", "--set", "retry_delays=[0]")
    asking, capped = (document("estimate", *words, *more) for more in ((), ("--set", "dynamic_termination=false")))
    assert asking["maximum"]["calls"] > capped["maximum"]["calls"]
    phrase = "Fair point, and I have a great deal more to say about the second matter; number "
    replies = (f"{phrase}{number} of many, which nobody has named so far." for number in range(100))
    with FakeServer(
        reply=lambda request: "Concede: no" if "Do you give up" in request.text else next(replies)
    ) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        moot(*words, "--quiet")
        assert sum("Do you give up" in request.text for request in server.chats) >= 1
        assert len(server.chats) <= asking["maximum"]["calls"]


APART = ["--set", "personas={Ada: You build., Ben: You count., Cleo: You doubt.}"]
UNSEEN = {
    "council": ["--set", "chairman=Ben", *APART],
    "council by scores": ["--set", "voting_rule=score", *APART],
    "jury": ["--max-rounds", "2"],
    "delphi": ["--max-rounds", "3"],
    "delphi with options": ["--max-rounds", "3", "--set", "options={A: tea, B: milk}"],
}


@pytest.mark.long
@pytest.mark.parametrize("name", UNSEEN)
def test_jurors_experts_and_members_who_answer_at_the_last_try_stay_within_high(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = [word for one in ("Ada", "Ben", "Cleo") for word in ("--participant", one)]
    words = [name.split()[0], "Tea?", *cast, *UNSEEN[name], "--set", "retry_delays=[0]"]
    report, met = document("estimate", *words), Counter[str]()

    def reply(request: Request) -> Answer:
        messages = request.body["messages"]
        question = str(messages[1]["content"]).partition("<again>")[0].strip()
        met[question] += 1
        if met[question] < 3:
            return "?"
        if messages[-2]["role"] == "assistant" and (lines := re.findall("`(.+?)`", messages[-1]["content"])):
            first = {line.partition(":")[0]: line for line in reversed(lines)}
            return (
                "\n".join(first.values()).replace("40, 55, 70", f"0, {request.seed[0]}, 300").replace("…", "so it is")
            )
        if name == "delphi":
            return json.dumps({"answer": request.seed[0], "low": 0, "high": 300, "reason": paragraph(request.seed, 30)})
        return echo_by_hash(request)

    with FakeServer(reply=reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        record = document(*words)
    assert report["low"]["calls"] * 3 <= len(server.chats) == record["totalCalls"] <= report["maximum"]["calls"]
    tokens = sum(call["input_tokens"] + call["output_tokens"] for call in record["calls"])
    assert tokens <= report["maximum"]["input_tokens"] + report["high"]["output_tokens"]


UNWANTED = ("temperature", "max_completion_tokens", "stream_options")


class Worst:
    """A server that takes no setting, finds each prompt too long three times, and is answered well at the last try."""

    def __init__(self) -> None:
        self.refused, self.asked = set[str](), 0

    def __call__(self, request: Request) -> Answer:
        if new := [one for one in UNWANTED if one in request.body and one not in self.refused]:
            self.refused.add(new[0])
            return Fault.unsupported(new[0])
        self.asked += 1
        step = self.asked % 6
        return Fault.overflow() if step in (1, 2, 3) else "?" if step else echo_by_hash(request)


def test_a_run_whose_server_refuses_all_it_can_refuse_unread_stays_within_high(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "long.txt").write_text("Coffee keeps people awake, and tea does not. " * 400)
    words = ["debate", "Tea or coffee?", "--max-turns", "4", "--material", tmp_path / "long.txt"]
    words += ["--set", "retry_delays=[0]", "--set", "dynamic_termination=false"]
    report = document("estimate", *words[:2], *words[4:6], "--set", "dynamic_termination=false", "--max-turns", "4")
    with FakeServer(reply=Worst()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert document(*words)["terminationReason"] == "max_turns_reached"
    assert len(server.chats) == 5 * 6 + len(UNWANTED) - 1  # nobody follows the words, so no stream is asked for
    assert len(server.chats) <= report["maximum"]["calls"]


@pytest.mark.long
def test_the_requests_that_find_a_panel_s_papers_are_within_high_and_within_the_cap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moot("papers", "add", "--samples", "--embeddings", "lexical")
    late = dict.fromkeys((1, 2, 4, 5), Fault.status(429, retry_after=0.001))
    words = ["Do street trees keep cities cool?", "--set", "min_similarity_threshold=0"]
    with FakeServer(embed_faults=late) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("MOOT_EMBEDDINGS", f"openai:e@{server.url}")
        report = document("estimate", "panel", *words)
        assert not server.requests
        output = moot("panel", *words, "--max-calls", "3")
        assert (output.exit_code, len(server.embeds)) == (3, 2)
        assert "the budget leaves no call for this; " in output.stderr
    with FakeServer(embed_faults=late) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("MOOT_EMBEDDINGS", f"openai:e@{server.url}")
        record = document("panel", *words)
        assert len(server.embeds) == 3 + 3
        assert record["totalCalls"] == len(server.requests)
    assert report["low"]["calls"] == 2 + 5
    assert report["maximum"]["calls"] == 2 * 3 + 5 * (3 + 3) + 5 * len(OPTIONAL_SETTINGS)


TRIES = {"ranking": 3, "explanation": 3, "choice": 3, "reasoning": 2, "statement": 3, "memory": 5}
TRIES |= dict.fromkeys(["initiation", "confirmation", "ballot", "amount"], 3) | {"comprehension": 5}


class Reluctant:
    """One experiment's cast: everyone answers at the last try; the last one starts each vote; the last one agrees."""

    def __init__(self, rounds: int) -> None:
        self.asked, self.rounds = Counter[tuple[str, str]](), rounds

    def __call__(self, prompt: SentPrompt) -> str:
        key = (prompt.who, prompt.purpose)
        self.asked[key] += 1
        if self.asked[key] % TRIES[prompt.purpose]:
            return ""
        question = self.asked[key] // TRIES[prompt.purpose]
        if prompt.purpose == "initiation":
            return "1" if prompt.who == "C" else "0"
        if prompt.purpose == "amount" and question < self.rounds:
            return f"{14000 + ord(prompt.who)}"
        line = LINES[prompt.purpose]
        return str(line(prompt) if callable(line) else line)


@pytest.mark.long
def test_an_experiment_that_asks_everything_as_often_as_it_may_takes_what_high_says() -> None:
    settings: dict[str, Any] = {"participants": ["A", "B", "C"], "max_rounds": 3, "seed": 1}
    settings |= {"max_constraint_correction_attempts": 0, "comprehension_test": True}
    cast = Reluctant(3)
    play = Play(Cast(lines=dict.fromkeys(LINES, cast)), **settings)
    play.go({})
    high = high_of("justice", {}, **{**settings, "participants": "[A, B, C]"})
    assert len(play.state["votes"]) == 3
    questions = sum(times // TRIES[purpose] for (_, purpose), times in cast.asked.items())
    assert len(play.state["calls"]) + 3 * questions + 3 * len(OPTIONAL_SETTINGS) == high.maximum.calls


def test_high_is_what_95_of_100_rehearsals_with_faults_stay_within_and_maximum_is_every_answer_asked_again() -> None:
    high = high_of("debate", {"topic": "Tea?"}, dynamic_termination="false", max_turns=10)
    assert high.low.calls == high.expected.calls
    assert high.expected.calls == 11
    assert high.expected.calls < high.high.calls <= 2 * high.expected.calls
    assert high.expected.tokens < high.high.tokens
    assert high.maximum.calls == 11 * (3 + 3) + 3 * len(OPTIONAL_SETTINGS)
    again = high_of("debate", {"topic": "Tea?"}, dynamic_termination="false", max_turns=10, max_attempts=1)
    assert again.high.calls == again.expected.calls == 11


def test_the_first_call_does_not_wait_for_the_rehearsal_that_finds_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    first_call, notes = threading.Event(), list[str]()

    async def describe_late(request: RunRequest) -> str:
        assert await asyncio.to_thread(first_call.wait, 60)
        return "cost known"

    def answer(request: Request) -> Answer:
        first_call.set()
        return echo_by_hash(request)

    monkeypatch.setattr(start, "describe_highest_cost", describe_late)
    monkeypatch.setattr(start, "FIRST_CALL_DELAY", 0.0)
    monkeypatch.setattr(Terminal, "show_note", lambda self, text, style="": notes.append(text))
    with FakeServer(reply=answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert moot("debate", "Tea?", "--max-turns", "6", "--quiet").exit_code == 0
    assert notes[-1] == "cost known"


def test_the_cost_of_a_panel_is_that_of_the_library_in_the_run_s_database(tmp_path: Path) -> None:
    database, prices = str(tmp_path / "library.db"), ["--set", "prices.input=1", "--set", "prices.output=1"]
    moot("papers", "add", "--samples", "--db", database)
    with FakeServer() as server:
        words = ["--model", f"openai:any@{server.url}", *prices, "--db", database, "--quiet"]
        output = moot("panel", "Do assemblies decide well?", *words)
        paid = len(server.requests)
    assert paid > 0
    assert f"up to {paid} calls" in output.stderr


def test_a_request_without_a_price_for_its_cost_cap_is_still_refused_before_the_run() -> None:
    output = moot("debate", "Tea?", "--model", "openai:x@http://127.0.0.1:9/v1", "--set", "budget.cost=1")
    assert (output.exit_code, "no price known for openai:x@" in output.stderr) == (2, True)


TOOLS = {"tools": ["library"], "lookups": {"rounds": 2}}


def estimate_debate(**settings: Any) -> CostEstimate:
    """The estimate of a debate of four turns."""
    request = build_request(get_protocol("debate"), {"topic": "Tea?", "max_turns": 4, **settings}, RunOptions())
    return asyncio.run(estimate_cost(request))


def test_with_tools_low_has_no_look_ups_expected_one_request_an_answer_and_high_every_round() -> None:
    plain, looking = estimate_debate(), estimate_debate(**TOOLS)
    assert abs(looking.low.input_tokens - plain.low.input_tokens) < 50
    assert looking.low.calls == plain.low.calls
    assert looking.expected.calls == plain.expected.calls + 4
    assert looking.high.calls >= plain.low.calls + 2 * 4
    assert looking.maximum.calls > looking.high.calls


def count_calls(protocol: str, **settings: Any) -> int:
    """The calls in the line before a run."""
    given = {"topic": "Tea?", "model": "openai:x@http://127.0.0.1:9/v1", **settings}
    line = asyncio.run(describe_highest_cost(build_request(get_protocol(protocol), given, RunOptions())))
    return int(re.findall(r"(\d+) calls", line)[0])


@pytest.mark.parametrize("protocol", ["debate", "council"])
def test_the_line_before_a_run_with_tools_counts_every_round_of_look_ups(protocol: str) -> None:
    caps = {"max_turns": 4} if protocol == "debate" else {"participants": ["Ada", "Ben", "Cleo", "Dan"]}
    assert count_calls(protocol, **caps, **TOOLS) == count_calls(protocol, **caps) + 4 * 2


def test_maximum_and_the_line_before_a_run_count_every_call_that_an_agent_may_make(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "estimated_agents.py").write_text("def agent(messages):\n    return 'Yes.'\n")
    monkeypatch.syspath_prepend(tmp_path)
    models = {"PRO": "agent:estimated_agents:agent"}
    ten, debate = (estimate_debate(models=models, agent_calls=count, max_attempts=3) for count in (10, 1))
    assert ten.maximum.calls == debate.maximum.calls + 2 * 3 * 9  # two statements, three attempts, nine calls more
    assert ten.low.calls == debate.low.calls
    lines = [count_calls("debate", models=models, agent_calls=count, max_turns=4) for count in (10, 1)]
    assert lines[0] == lines[1] + 2 * 9


def test_maximum_is_no_more_than_the_budget_buys() -> None:
    high = high_of("debate", {"topic": "Tea?"}, **{"budget.calls": 9})
    assert high.maximum.calls == 9


@pytest.mark.long
def test_the_runs_of_a_series_are_all_estimated_and_announced() -> None:
    high, three = (high_of("justice", {}, seed=3, max_rounds=1, repeats=repeats) for repeats in (1, 3))
    for label in ("low", "expected", "high", "maximum"):
        assert getattr(three, label).calls == 3 * getattr(high, label).calls
        assert getattr(three, label).tokens == 3 * getattr(high, label).tokens
    request = build_request(
        get_protocol("justice"), {}, RunOptions(model="openai:x", seed=3, set=["max_rounds=1", "repeats=3"])
    )
    assert asyncio.run(describe_highest_cost(request)).startswith("3 runs together: model openai:x; ")
    assert "For 3 runs together." in moot("estimate", "justice", "--repeats", "3", "--set", "max_rounds=1").stdout


def test_an_estimate_takes_what_a_consensus_is_begun_with() -> None:
    plain, voted = (document("estimate", "consensus", "--max-rounds", "1", *more) for more in ((), ("--vote", "borda")))
    assert voted["high"]["calls"] > plain["high"]["calls"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("debate", "--vote", "borda"), "vote = 'borda': unknown key"),
        (("justice", "--vote", "borda"), "vote = 'borda': unknown key"),
        (("debate", "--repeats", "2"), "repeats = 2: unknown key"),
    ],
)
def test_what_a_protocol_does_not_know_is_refused_by_its_estimate(words: tuple[str, ...], said: str) -> None:
    output = moot("estimate", *words)
    assert output.exit_code == 2
    assert said in output.stderr
