"""A prompt that a server finds too long, in its own words, in all protocols: less is shown, the record stays whole."""

import re
from itertools import groupby
from pathlib import Path

import pytest
from fakeserver import Answer, FakeServer, Fault, Request, short_window, tokens
from runs.ailing import VICTIM, at_length, calls_for, incidents_of, missing, spoken, task, unwaited
from runs.five import FIVE, ran
from sampling import sample_cases

LONG = pytest.mark.long
WORDINGS = ["openai", "vllm", "vllm-flat", "llama.cpp", "ollama"]
WINDOWS = {
    "debate": (1700, ["--max-turns", "8"], 8),
    "consensus": (2250, ["--max-rounds", "3"], 9),
    "discussion": (1700, ["--max-turns", "12"], 12),
    "panel": (2200, ["--cycles", "3"], 12),
    "justice": (3350, ["--max-rounds", "3"], 9),
}
"""How many tokens fit, how long to talk, and how many turns that makes."""
PAIRS = [*((name, "openai") for name in FIVE), *zip(FIVE, WORDINGS[1:], strict=False)]
SHORT = [pytest.param(*pair, id="-".join(pair), marks=LONG if place else []) for place, pair in enumerate(PAIRS)]
"""Every protocol in one server's words, and every other server's words in one protocol."""


@pytest.mark.parametrize(("name", "wording"), sample_cases(SHORT))
def test_where_little_fits_everyone_is_shown_less_and_nothing_is_lost(name: str, wording: str) -> None:
    limit, more, turns = WINDOWS[name]
    with FakeServer(short_window(at_length(name), limit, wording)) as server, unwaited() as waits:
        result, found = ran([*FIVE[name].on(server), *more])
        assert result.exit_code == 0, result.stderr
        sizes = [tokens(chat.text) for chat in server.chats]
    assert len(sizes) == found["totalCalls"]
    halved = [incident for incident in found["incidents"] if incident["kind"] == "overflow"]
    assert {one["consequence"] for one in halved} == {"view halved"}
    assert sum(call["outcome"] == "overflow" for call in found["calls"]) == len(halved)
    assert len(halved) == sum(size > limit for size in sizes)
    for who in {one["who"] for one in halved} - {"synthesizer"}:
        outcomes = [call["outcome"] for call in found["calls"] if call["who"] == who]
        fitted = [len(list(run)) for is_fit, run in groupby(outcomes, "ok".__eq__) if is_fit]
        assert outcomes.count("overflow") == len(list(groupby(outcomes, "ok".__eq__))) // 2, "half is enough"
        between = fitted[outcomes[0] == "ok" : -1]
        assert [count for count in between if count < 3] == [], "the smaller view is kept until three calls have fitted"
    assert missing(found) == []
    assert "missing" not in found["headline"]
    assert [len(text) > 1700 for text in spoken(found)] == [True] * turns, "the record is whole"
    assert waits.count(0) == len(waits), "a halved prompt is sent at once"


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "debate" else LONG) for name in FIVE])
def test_one_for_whom_three_halvings_are_not_enough_is_passed_over_and_shown_little_from_then_on(name: str) -> None:
    _, more, turns = WINDOWS[name]
    faults = dict.fromkeys(range(VICTIM[name], VICTIM[name] + 4), Fault.overflow())
    with FakeServer(at_length(name), faults=faults) as server, unwaited():
        result, found = ran([*FIVE[name].on(server), *more])
        assert result.exit_code == 0, result.stderr
        chats = server.chats[VICTIM[name] - 1 : VICTIM[name] + 3]
        later = server.chats[VICTIM[name] + 3 :]
    assert len({task(chat) for chat in chats}) == 1
    assert [tokens(chat.text) for chat in chats] == sorted({tokens(chat.text) for chat in chats}, reverse=True)
    (*halved, last) = incidents_of(found, "overflow")
    assert [one["consequence"] for one in halved] == ["view halved"] * 3
    assert (last["consequence"], last["severity"], last["attempts"]) == ("missed", "degraded", 4)
    assert missing(found) == [last["turn"]]
    who = last["who"]
    assert len(spoken(found)) == turns - 1
    others = [incident for incident in found["incidents"] if incident["who"] != who and incident["kind"] == "overflow"]
    assert others == [], "what one endpoint refuses is shown to the others as before"
    text = "statements missing: 1" if name == "justice" else f"1 of {turns} statements missing: {who} (prompt too long)"
    assert text in found["headline"]
    again_asked = [call["outcome"] for call in calls_for(found, "statement", who) if call["turn"] > last["turn"]]
    assert set(again_asked) == {"ok"}
    assert any("left out" in one.text or tokens(one.text) < tokens(chats[0].text) for one in later)


SLIDING = "view.recent_n=3"
ENDLESS = "dynamic_termination=true"
ROLES = {
    "a debate's judge": ("debate", "judge", "judgement", 1700, ["--max-turns", "10", "--stop-rule", "judge"]),
    "a group's judge": ("consensus", "judge", "agreement", 1700, ["--max-rounds", "5", "--set", "convergence=judge"]),
    "a summarizer": ("discussion", "summarizer", "summary", 1500, ["--max-turns", "16", "--set", SLIDING]),
    "a voter": ("consensus", "Ben", "ballot", 1700, ["--max-rounds", "3", "--vote", "approval"]),
    "a participant who takes in what was agreed": ("justice", "B", "memory", 2700, []),
}
"""Who has a short window: in which protocol, asked what last, how many tokens fit, and how to call it."""


@pytest.mark.parametrize("key", [pytest.param(key, marks=[] if "group" in key else LONG) for key in ROLES])
def test_what_one_question_showed_to_be_too_long_is_not_sent_with_the_next_one(key: str) -> None:
    name, who, purpose, limit, more = ROLES[key]
    at_ease = at_length(name)
    narrow = short_window(at_ease, limit)

    def reply(request: Request) -> Answer:
        return narrow(request) if request.body["model"] == "narrow" else at_ease(request)

    with FakeServer(reply) as server, unwaited():
        settings = [f"models={{{who}: 'openai:narrow@{server.url}'}}", *([ENDLESS] if name == "debate" else [])]
        result, found = ran([*FIVE[name].on(server, *settings), *more])
    assert result.exit_code == 0, result.stderr
    outcomes = [call["outcome"] for call in found["calls"] if call["who"] == who]
    refused, fitted = 0, 0
    for chat in [request for request in server.chats if request.body["model"] == "narrow"]:
        shown = sum(map(len, re.findall(r"<statement .*?</statement>", chat.text, re.DOTALL)))
        assert not refused or shown < refused or fitted >= 3, "kept short until three calls have fitted"
        refused, fitted = (shown, 0) if tokens(chat.text) > limit else (refused, fitted + 1)
    later = outcomes[outcomes.index("overflow") :]
    allowed = 2 + later.count("ok") // 3
    assert 1 <= later.count("overflow") <= allowed, "once, where the view had room to grow, and after three that fitted"
    assert len(calls_for(found, purpose, who)) > (name == "justice")
    assert outcomes[-1] == "ok"


def test_material_too_large_for_a_window_is_shown_shortened_and_no_turn_is_lost(tmp_path: Path) -> None:
    (tmp_path / "material.txt").write_text("All about trams and streets. " * 300)
    with FakeServer(short_window(at_length("debate"), 2600)) as server, unwaited():
        words = ["--material", str(tmp_path / "material.txt"), "--max-turns", "2"]
        result, found = ran([*FIVE["debate"].on(server), *words])
    assert result.exit_code == 0, result.stderr
    assert missing(found) == []
    assert len(spoken(found)) == 2
    assert "All about trams" in server.chats[-1].text


def test_how_much_of_the_material_fits_is_found_once_for_each_and_goes_on_from_turn_to_turn(tmp_path: Path) -> None:
    (tmp_path / "material.txt").write_text("All about trams and streets. " * 6000)
    with FakeServer(short_window(at_length("debate"), 5200)) as server, unwaited():
        words = ["--material", str(tmp_path / "material.txt"), "--max-turns", "6"]
        result, found = ran([*FIVE["debate"].on(server), *words])
    assert result.exit_code == 0, result.stderr
    assert missing(found) == [1, 2], "more than eight times too large: found in two turns of each"
    outcomes = [(call["turn"], call["outcome"]) for call in found["calls"] if call["purpose"] == "statement"]
    assert [outcome for turn, outcome in outcomes if turn > 4] == ["ok", "ok"], "no later turn pays for it again"
    assert "All about trams" in server.chats[-1].text
    assert found["synthesis"]
