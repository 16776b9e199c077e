"""How a vote comes about, in every protocol alike: all but the initiator are asked, and one refusal is enough."""

import pytest
from moot.state.answers import AnswerRecord
from moot.state.council import Review
from moot.state.justice import VoteAnswer
from moot.state.voting import (
    CastBallot,
    Consent,
    has_enough_votes,
    is_vote_confirmed,
    list_consent_voters,
    list_refusers,
)


def test_all_but_the_initiator_are_asked_and_all_where_nobody_proposed_it() -> None:
    assert list_consent_voters(["a", "b", "c"], "b") == ["a", "c"]
    assert list_consent_voters(["a", "b", "c"], "") == list_consent_voters(["a", "b", "c"], None) == ["a", "b", "c"]


def test_who_did_not_consent_is_named_in_the_order_asked() -> None:
    assert list_refusers({"c": False, "a": True, "b": False}) == ["c", "b"]


@pytest.mark.parametrize(
    ("consents", "initiator", "unanimity", "majority"),
    [
        ({"b": True, "c": True}, "a", True, True),
        ({"b": True, "c": False}, "a", False, True),
        ({"b": False, "c": False}, "a", False, False),
        ({"a": True, "b": True, "c": True}, None, True, True),
        ({"a": True, "b": True, "c": False}, None, False, True),
        ({"b": False}, "a", False, False),
        ({}, None, False, False),
    ],
)
def test_vector_21_one_refusal_fails_the_confirmation(
    consents: dict[str, bool], initiator: str | None, unanimity: bool, majority: bool
) -> None:
    assert is_vote_confirmed(consents, initiator, "unanimity") is unanimity
    assert is_vote_confirmed(consents, initiator, "majority") is majority


def test_none_of_none_carries_nothing() -> None:
    assert not has_enough_votes(0, 0, "unanimity")
    assert not has_enough_votes(0, 0, "majority")


@pytest.mark.parametrize("record", [Consent, CastBallot, Review, VoteAnswer])
def test_an_answer_is_on_record_in_one_shape_in_every_protocol(record: type[AnswerRecord]) -> None:
    assert issubclass(record, AnswerRecord)
    assert list(record.model_fields)[:5] == ["voter", "question", "attempt", "read_as", "replies"]
