"""Models without structured output vote by an act: the last line or the bare answer counts, and nothing is guessed."""

from typing import Any

import pytest
from deliberations.consensus import SEATS, Group, run_consensus, stand
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs import consensus


def polled(consent: str = "Consent: yes", ballot: str = "Vote: A", **context: Any) -> tuple[dict[str, Any], Any]:
    """A dialogue that ends in a vote in which Ben answers in these words, and all others by the line of the form."""
    said = {"consent": {"Ben": consent}, "ballot": {"Ben": ballot}}
    plain = {"consent": "Consent: yes", "ballot": context.pop("others", "Vote: A")}
    views: dict[str, Any] = {
        purpose: lambda who, nth, purpose=purpose: said[purpose].get(who, plain[purpose]) for purpose in said
    }
    views["position"] = lambda who, nth: stand(0.9) | {"position": f"What {who} wants."}
    return run_consensus(views, **{"vote": "plurality", "open_ballot": True, **context})


def list_asked(model: Any, purpose: str, who: str = "Ben") -> list[Any]:
    return [prompt for prompt in model.prompts if (prompt.purpose, prompt.who) == (purpose, who)]


def count_attempts(model: Any, purpose: str) -> dict[str, int]:
    return {name: len(list_asked(model, purpose, name)) for name in SEATS}


@pytest.mark.parametrize(
    "consent", ["yes", "**Consent: yes**", "It is time; some say no.\nConsent: yes.", "Consentimiento: sí", "同意：是"]
)
def test_a_consent_as_the_last_line_or_alone_is_one(consent: str) -> None:
    state, model = polled(consent)
    assert [poll.event for poll in state["polls"]] == ["initiated", "confirmed", "completed"]
    assert count_attempts(model, "consent") == dict.fromkeys(SEATS, 1)
    assert state["incidents"] == []


def test_a_refusal_sends_the_group_back_to_its_discussion() -> None:
    state, model = polled("Yesterday I would have said yes.\nConsent: no", max_rounds=3)
    assert state["polls"][1].refused == ["Ben"]
    assert count_attempts(model, "consent")["Ben"] == 1
    assert state["incidents"] == []


@pytest.mark.parametrize("consent", ["Yes and no.", "I do not approve.", "Yes, because it is time.", "Whatever."])
def test_a_consent_without_the_act_is_asked_for_again_after_the_reply_and_counts_as_no(consent: str) -> None:
    state, model = polled(consent, max_rounds=3)
    (first,) = [poll for poll in state["polls"] if poll.number == 1 and poll.event == "confirmation_failed"]
    assert first.refused == ["Ben"]
    again = list_asked(model, "consent")[1].messages
    assert [(message.type, message.text) for message in again[2:]] == [
        ("ai", consent),
        ("human", "I could not read your answer. Reply with one line only: `Consent: yes` or `Consent: no`."),
    ]


BALLOTS: dict[str, tuple[str, str, Any]] = {
    "plurality": ("B helps.\nVote: B", "choice", "B"),
    "approval": ("Approve: A, C\nReason: both help.", "approvals", ["A", "C"]),
    "borda": ("Ranking: C > A > B", "ranking", ["C", "A", "B"]),
    "score": ("Scores: A=7, B=2, C=0", "scores", {"A": 7, "B": 2, "C": 0}),
    "cumulative": ("Scores: A=7, B=3", "scores", {"A": 7, "B": 3}),
    "confidence_weighted": ("Vote: B\nCertainty: 4", "choice", "B"),
    "majority": ("Vote: abstain", "abstain", True),
}


@pytest.mark.parametrize("rule", BALLOTS)
def test_a_ballot_by_its_lines_is_counted_by_every_rule(rule: str) -> None:
    words, field, value = BALLOTS[rule]
    state, model = polled(ballot=words, others=words, vote=rule)
    assert [getattr(ballot, field) for ballot in state["polls"][-1].ballots] == [value] * 3
    assert count_attempts(model, "ballot") == dict.fromkeys(SEATS, 1)
    assert state["incidents"] == []


def test_the_question_ends_with_every_form_alike() -> None:
    _, model = polled()
    assert list_asked(model, "ballot")[0].human.endswith(
        "Think as long as you like. Then end with these lines, each of its own:\n"
        "- `Vote: A` or `Vote: B` or `Vote: C` or `Vote: abstain`\n"
        "- `Reason: …`, if you wish"
    )


@pytest.mark.parametrize(
    "words",
    ["I do not vote for A.", "A or B", "He is not\nA", "Vote: A\nVote: B", "Z", 'So {"choice": "A"}', '{"choice": "A'],
)
def test_a_reply_without_a_ballot_is_asked_again_and_then_invalid_with_what_was_said(words: str) -> None:
    state, model = polled(ballot=words)
    assert count_attempts(model, "ballot") == {"Ada": 1, "Ben": 3, "Cleo": 1}
    question = (
        "I could not read your vote. Reply with one line only: `Vote: A` or `Vote: B` or `Vote: C` or `Vote: abstain`."
    )
    assert [told.messages[-1].text for told in list_asked(model, "ballot")[1:]] == [question, question]
    spoiled = state["polls"][-1].ballots[1]
    assert (spoiled.voter, spoiled.kind, spoiled.invalid != "", spoiled.raw) == ("Ben", None, True, words)
    assert state["incidents"][-1].consequence == "no valid ballot"


def test_a_vote_keeps_how_it_was_read_and_every_reply() -> None:
    read: dict[str, tuple[Any, str]] = {
        "schema": ({"choice": "B"}, '{"choice": "B"}'),
        "line": ("So.\nVote: B", "So.\nVote: B"),
        "bare": ("B", "B"),
    }
    for read_as, (said, text) in read.items():
        views = {"ballot": lambda who, nth, said=said: "No." if nth == 1 else said, "consent": lambda who, nth: "yes"}
        graph, run = consensus.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": read_as}}
        model = Group(views={"position": lambda who, nth: stand(0.9) | {"position": f"What {who} wants."}, **views})
        context = {"model": model, "retry_delays": [0], "vote": "plurality", "confirm": False}
        graph.invoke({"topic": "A four-day week", "participants": SEATS}, run, context=context)
        state = graph.get_state(run).values
        assert {(ballot.question, ballot.attempt, ballot.read_as, *ballot.replies) for ballot in state["ballots"]} == {
            ("ballot", 2, read_as, "No.", text)
        }
        assert [
            (consent.voter, consent.question, consent.read_as, consent.replies) for consent in state["consents"]
        ] == [(who, "consent", "bare", ["yes"]) for who in SEATS]


def test_a_ballot_that_breaks_a_rule_is_asked_for_again_with_the_fault_and_the_forms() -> None:
    _, model = polled(ballot="Scores: A=7, B=4", others="Scores: A=10", vote="cumulative")
    again = list_asked(model, "ballot")[1].messages[-1].text
    assert again.startswith("I could not use your vote: points: the points add up to 11; give away exactly 10.")
    assert "`Scores: A=10, B=0, C=0` or `Scores: A=0, B=0, C=10` or `Scores: abstain`" in again
