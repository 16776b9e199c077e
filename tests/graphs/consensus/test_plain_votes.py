"""Models without structured output vote in plain words: what is stated plainly counts, and nothing is guessed."""

from typing import Any

import pytest
from deliberations.consensus import SEATS, held, stand


def polled(consent: str = "Yes, I agree.", ballot: str = "I vote for A.", **context: Any) -> tuple[dict[str, Any], Any]:
    """A dialogue that ends in a vote in which Ben answers in these words, and all others in plain ones."""
    said = {"consent": {"Ben": consent}, "ballot": {"Ben": ballot}}
    plain = {"consent": "Yes.", "ballot": context.pop("others", "I vote for A.")}
    views: dict[str, Any] = {
        purpose: lambda who, nth, purpose=purpose: said[purpose].get(who, plain[purpose]) for purpose in said
    }
    views["position"] = lambda who, nth: stand(0.9) | {"position": f"What {who} wants."}
    return held(views, **{"vote": "plurality", "open_ballot": True, **context})


def tries(model: Any, purpose: str) -> dict[str, int]:
    asked = [told.who for told in model.told if told.purpose == purpose]
    return {name: asked.count(name) for name in SEATS}


@pytest.mark.parametrize("consent", ["yes", "**YES!**", "Yes, because it is time.", "I consent.", "同意。"])
def test_a_consent_in_plain_words_is_one(consent: str) -> None:
    state, model = polled(consent)
    assert [poll.event for poll in state["polls"]] == ["initiated", "confirmed", "completed"]
    assert tries(model, "consent") == dict.fromkeys(SEATS, 1)
    assert state["incidents"] == []


@pytest.mark.parametrize("consent", ["NO. Yesterday I would have said yes.", "I do not approve.", "不同意"])
def test_a_refusal_in_plain_words_sends_the_group_back_to_its_discussion(consent: str) -> None:
    state, model = polled(consent, max_rounds=3)
    assert state["polls"][1].refused == ["Ben"]
    assert tries(model, "consent")["Ben"] == 1
    assert state["incidents"] == []


@pytest.mark.parametrize("consent", ["Yes and no.", "Yesterday", "Yes if they pay", "Whatever."])
def test_what_is_neither_is_asked_again_with_what_was_wrong_and_counts_as_no(consent: str) -> None:
    state, model = polled(consent, max_rounds=3)
    (first,) = [poll for poll in state["polls"] if poll.number == 1 and poll.event == "confirmation_failed"]
    assert first.refused == ["Ben"]
    again = [told.private for told in model.told if (told.purpose, told.who) == ("consent", "Ben")][1]
    assert "in plain words, " in again


BALLOTS: dict[str, tuple[str, str, Any]] = {
    "plurality": ("My vote: B, because it helps.", "choice", "B"),
    "approval": ("- A\n- C\n\nReason: both help.", "approvals", ["A", "C"]),
    "borda": ("1. C\n2. A\n3. B", "ranking", ["C", "A", "B"]),
    "score": ("A: 7\nB: 2\nC: 0", "scores", {"A": 7, "B": 2, "C": 0}),
    "cumulative": ("A: 7\nB: 3", "scores", {"A": 7, "B": 3}),
    "confidence_weighted": ("I vote for B.\nCertainty: 4", "choice", "B"),
    "majority": ("I abstain.", "abstain", True),
}


@pytest.mark.parametrize("rule", BALLOTS)
def test_a_ballot_in_plain_words_is_counted_by_every_rule(rule: str) -> None:
    words, field, value = BALLOTS[rule]
    state, model = polled(ballot=words, others=words, vote=rule)
    assert [getattr(ballot, field) for ballot in state["polls"][-1].ballots] == [value] * 3
    assert tries(model, "ballot") == dict.fromkeys(SEATS, 1)
    assert state["incidents"] == []


@pytest.mark.parametrize("words", ["I do not vote for A.", "A or B", "Both are fine.", "Z", '{"choice": "A", "rea'])
def test_what_is_no_ballot_is_asked_again_with_the_error_and_then_invalid(words: str) -> None:
    state, model = polled(ballot=words)
    assert tries(model, "ballot") == {"Ada": 1, "Ben": 3, "Cleo": 1}
    spoiled = state["polls"][-1].ballots[1]
    assert (spoiled.voter, spoiled.kind, spoiled.invalid != "", spoiled.raw) == ("Ben", None, True, words)
    assert state["incidents"][-1].consequence == "no valid ballot"
