"""A jury, read as what its jurors were told and what came of it."""

import re
from typing import Any

import pytest
from chats.scripted import Echoing, ScriptedChat, ScriptedReply, SentPrompt
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs.jury import build, graph
from moot.state.errors import InputError
from pydantic import Field

JURORS = ["Ada", "Ben", "Cleo", "Dan"]
CASE = {"topic": "Did Kim take the bicycle?", "material": "The lock was cut.", "participants": JURORS}


class Bench(ScriptedChat):
    """Jurors who talk at length and vote as `votes` says: by ballot, a letter for each juror."""

    script: Any = Field(default_factory=list)
    votes: list[str] = Field(default_factory=list)
    words: dict[str, str] = Field(default={"g": "guilty", "n": "not guilty"})

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if prompt.purpose != "ballot":
            return f"In turn {len(self.prompts)} {prompt.who} says that the lock was cut by whoever held the key."
        ballot = sum(prompt.purpose == "ballot" for prompt in self.prompts[:-1]) // len(JURORS)
        letter = self.votes[ballot][JURORS.index(prompt.who)]
        return {"choice": self.words[letter], "reason": f"secret-{prompt.who}-{ballot + 1}"}


def run_jury(votes: list[str], **settings: Any) -> tuple[Bench, dict[str, Any]]:
    """A jury of four that votes so."""
    model = Bench(votes=votes)
    return model, graph.invoke(CASE, context={"model": model, **settings})


def test_a_jury_votes_discusses_and_votes_again_until_its_verdict() -> None:
    model, state = run_jury(["ggnn", "gggn", "gggg"])
    purposes = [prompt.purpose for prompt in model.prompts]
    assert purposes == ["ballot"] * 4 + (["statement"] * 4 + ["ballot"] * 4) * 2
    assert [statement.speaker for statement in state["history"]] == JURORS * 2
    outcome = state["outcome"]
    assert (outcome.reason, outcome.status, outcome.evidence.quote) == ("verdict_reached", "completed", "guilty")
    assert (outcome.basis.kind, state["answer"].answer, state["answer"].by) == ("event", "guilty", "vote")
    assert [poll.tally.totals for poll in state["polls"] if poll.tally] == [
        {"guilty": 2, "not guilty": 2},
        {"guilty": 3, "not guilty": 1},
        {"guilty": 4, "not guilty": 0},
    ]


def test_everyone_is_told_each_count_and_nobody_who_voted_how_or_why() -> None:
    model, _ = run_jury(["ggnn", "gggn", "gnnn", "gnnn"], max_rounds=3)
    counts = [re.findall(r"Ballot \d, cast in secret: [^\n]+", prompt.text) for prompt in model.prompts]
    first = "Ballot 1, cast in secret: guilty 2 and not guilty 2. A verdict takes 4."
    second = "Ballot 2, cast in secret: guilty 3 and not guilty 1. A verdict takes 4."
    third = "Ballot 3, cast in secret: guilty 1 and not guilty 3. A verdict takes 4."
    assert counts == [[]] * 4 + [[first]] * 8 + [[first, second]] * 8 + [[first, second, third]] * 8
    assert [prompt.who for prompt in model.prompts if "secret-" in prompt.text] == []


@pytest.mark.long
def test_no_juror_is_told_of_anothers_ballot_or_private_facts() -> None:
    model = Echoing()
    people = [{"name": name, "private": f"mark-{name}"} for name in JURORS]
    state = graph.invoke(
        {**CASE, "participants": people}, context={"model": model, "max_rounds": 1, "dynamic_termination": False}
    )
    said = {statement.speaker: statement.content for statement in state["history"]}
    assert all(f"mark-{name}" in text for name, text in said.items())
    first = [prompt for prompt in model.prompts if prompt.purpose == "ballot"][:4]
    assert [set(re.findall(r"mark-\w+", one.text)) for one in first] == [{f"mark-{name}"} for name in JURORS]
    assert [ballot.reason for ballot in state["polls"][-1].ballots] == []


def test_jurors_who_do_not_vote_by_the_form_convict_nobody() -> None:
    six = [f"J{number}" for number in range(6)]
    model = ScriptedChat(script=lambda messages, _: "He is not\nguilty")
    compiled, run = build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    compiled.invoke({**CASE, "participants": six}, run, context={"model": model, "max_rounds": 1, "retry_delays": [0]})
    state = compiled.get_state(run).values
    assert {poll.tally.winner for poll in state["polls"] if poll.tally} == {None}
    assert {ballot.read_as for ballot in state["ballots"]} == {None}
    assert {tuple(ballot.replies) for ballot in state["ballots"]} == {("He is not\nguilty",) * 3}
    again = "I could not read your vote. Reply with one line only: `Vote: guilty` or `Vote: not guilty`."
    for name in six:  # jurors vote at the same time
        first = [
            prompt.messages[-1].text for prompt in model.prompts if (prompt.who, prompt.purpose) == (name, "ballot")
        ][:3]
        assert [text == again for text in first] == [False, True, True]


def test_ballots_are_positions_on_record() -> None:
    _, state = run_jury(["ggnn", "gggg"])
    found = [
        (position.who, position.when, position.round, position.turn, position.answer) for position in state["positions"]
    ]
    assert found[:2] == [("Ada", "before", 0, 0, "guilty"), ("Ben", "before", 0, 0, "guilty")]
    assert found[4:] == [(name, "round", 1, 4, "guilty") for name in JURORS]
    assert state["positions"][3].position == "secret-Dan-1"


DEADLOCKS: list[tuple[list[str], dict[str, Any], str]] = [
    (["ggnn"] * 4, {}, "unmoved"),
    (["ggnn", "gngn"], {"max_rounds": 1}, "cap"),
    (["ggnn", "gngn"], {"max_turns": 2}, "cap"),
]


@pytest.mark.parametrize(("votes", "settings", "strategy"), DEADLOCKS)
def test_a_jury_that_cannot_agree_is_deadlocked(votes: list[str], settings: dict[str, Any], strategy: str) -> None:
    _, state = run_jury(votes, **settings)
    outcome = state["outcome"]
    assert (outcome.reason, outcome.strategy, outcome.status) == ("jury_deadlocked", strategy, "completed")
    assert outcome.headline.endswith("the jury could not agree.")
    assert state["answer"].tied == ["guilty", "not guilty"]
    assert "## Reasons on every side" in state["synthesis"]


def test_the_result_is_the_verdict_the_ballots_and_the_minority_s_reasons_without_names() -> None:
    model, state = run_jury(["ggnn", "gggn"], verdict_rule="3-1")
    assert state["synthesis"] == (
        "## Verdict\n\nThe jury found: “guilty”.\n\n"
        "## Ballots\n\n"
        "- Ballot 1, cast in secret: guilty 2 and not guilty 2. A verdict takes 3.\n"
        "- Ballot 2, cast in secret: guilty 3 and not guilty 1. A verdict takes 3.\n\n"
        "## Reasons of the minority\n\n- not guilty: secret-Dan-2"
    )
    assert {prompt.purpose for prompt in model.prompts} == {"ballot", "statement"}


LANGUAGES = [
    ("en", "guilty", "The jury found: “guilty”."),
    ("zh", "有罪", "陪审团裁定：“有罪”。"),
    ("es", "culpable", "El jurado declaró: «culpable»."),
]


@pytest.mark.parametrize(("language", "shown", "said"), LANGUAGES)
def test_a_jury_finds_in_the_language_of_its_run(language: str, shown: str, said: str) -> None:
    model, state = run_jury(["gggg"], language=language)
    assert f"- guilty: <said>{shown}</said>" in model.prompts[0].text
    assert said in state["synthesis"]


def test_a_jury_may_have_options_of_its_own() -> None:
    model = Bench(votes=["gggg"], words={"g": "B"})
    options = {"A": "the bridge", "B": "the tunnel"}
    state = graph.invoke(CASE, context={"model": model, "options": options})
    assert (state["answer"].answer, state["answer"].text) == ("B", "the tunnel")


def test_an_abstention_is_asked_again_and_then_no_vote() -> None:
    class Abstaining(Bench):
        def answer(self, prompt: SentPrompt) -> ScriptedReply:
            return "I abstain." if (prompt.who, prompt.purpose) == ("Dan", "ballot") else super().answer(prompt)

    model = Abstaining(votes=["gggg"] * 9)
    state = graph.invoke(CASE, context={"model": model, "verdict_rule": "3-1", "retry_delays": [0]})
    assert sorted(prompt.who for prompt in model.prompts) == ["Ada", "Ben", "Cleo", "Dan", "Dan", "Dan"]
    assert state["outcome"].reason == "verdict_reached"
    assert "guilty 3, not guilty 0, and no valid ballot 1" in state["synthesis"]
    assert [incident.consequence for incident in state["incidents"]][-1] == "no valid ballot"
    assert "not guilty" not in [position.answer for position in state["positions"]]


def test_where_no_ballot_can_be_had_it_is_a_failure_and_no_deadlock() -> None:
    class Mute(Bench):
        def answer(self, prompt: SentPrompt) -> ScriptedReply:
            return "Hm."

    state = graph.invoke(CASE, context={"model": Mute(), "retry_delays": [0]})
    assert (state["outcome"].reason, state["outcome"].status) == ("participants_unavailable", "failed")
    text = "Not finished: no valid ballot came from Ada, Ben, Cleo, Dan."
    assert state["outcome"].headline.startswith(text)
    assert (state["answer"], state["history"]) == (None, [])


class Unreadable(Bench):
    """Jurors of whom some vote in words nobody can read, from one ballot on."""

    mute: str = ""
    since: int = 1

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        said = super().answer(prompt)
        ballot = 1 + sum(prompt.purpose == "statement" for prompt in self.prompts) // len(JURORS)
        return "Hm." if prompt.purpose == "ballot" and prompt.who in self.mute and ballot >= self.since else said


SHORT: list[tuple[str, int, str, str]] = [
    ("Dan", 1, "jury_deadlocked", "completed"),
    ("Cleo Dan", 1, "jury_deadlocked", "completed"),
    ("Ben Cleo Dan", 1, "participants_unavailable", "failed"),
    ("Ben Cleo Dan", 2, "participants_unavailable", "failed"),
]


@pytest.mark.parametrize(("mute", "since", "reason", "status"), SHORT)
def test_ballots_that_are_missing_make_no_unanimity_of_the_others_and_most_of_them_a_failure(
    mute: str, since: int, reason: str, status: str
) -> None:
    model = Unreadable(votes=["gggg" if since == 1 else "ggnn", "gggg"] + ["gggg"] * 90, mute=mute, since=since)
    state = graph.invoke(CASE, context={"model": model, "retry_delays": [0], "max_attempts": 1, "max_rounds": 1})
    assert (state["outcome"].reason, state["outcome"].status) == (reason, status)
    missing = len(mute.split())
    assert f"In the last ballot, {missing} of 4 jurors gave no valid vote." in state["synthesis"]
    if status == "failed":
        assert state["outcome"].headline.startswith("Not finished: ")
        assert state["answer"] is None, "one juror's vote is not the jury's"


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        CASE,
        {"verdict_rule": "10-2"},
        "verdict_rule = '10-2': the two numbers must add up to 4, the number of jurors",
    ),
    (CASE | {"participants": ["Ada"]}, {}, r"participants = \['Ada'\]: this protocol needs two participants or more"),
    (CASE | {"personas": {"Zoe": "A judge."}}, {}, r"personas = \['Zoe'\]: give the personas by participant: Ada"),
]


@pytest.mark.parametrize(("given", "settings", "said"), REFUSED)
def test_what_cannot_sit_is_refused(given: Any, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        graph.invoke(given, context={"model": "rehearsal", **settings})


def test_a_jury_of_twelve_sits_where_nobody_is_named() -> None:
    state = graph.invoke(
        {"topic": "Tea?"}, context={"model": "rehearsal", "juror_count": 12, "max_rounds": 1, "seed": 1}
    )
    assert [participant.name for participant in state["participants"]][::11] == ["Juror 1", "Juror 12"]
    assert state["synthesis"]


def test_a_jury_goes_on_from_its_checkpoint() -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": "t"}}
    model = Bench(votes=["ggnn", "gggg"])
    compiled = build().compile(checkpointer=saver, interrupt_before=["order"])
    compiled.invoke(CASE, thread, context={"model": model})  # type: ignore[arg-type]
    state = compiled.invoke(None, thread, context={"model": model})  # type: ignore[arg-type]
    assert state["outcome"].reason == "verdict_reached"
    assert len(model.prompts) == 12
