"""Ballots: what is one, and what a schema accepts."""

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from moot.state.ballot import Ballot, find_ballot_fault, make_ballot_schema
from moot.state.count import count_ballots
from moot.state.errors import InputError
from pydantic import ValidationError

OPTIONS = ["Bus", "Tram", "Ring road"]


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"choice": "a", "ranking": ["a"]},
        {"choice": "a", "abstain": True},
        {"choice": "a", "invalid": "unclear"},
        {"ranking": []},
        {"scores": {}},
        {"scores": {"a": float("nan")}},
        {"scores": {"a": 3, "a ": 5}},
        {"choice": "a", "weight": 6},
        {"choice": "a", "weight": "3"},
        {"choice": "a", "amount": -1},
        {"choice": "a", "amount": 1.5},
        {"ranking": ["a"], "amount": 5},
        {"choice": "a", "raw": "text"},
        {"choice": " "},
        {"choice": "a\nb"},
        {"choice": "a\x1b[2J"},
        {"choice": "a", "colour": "red"},
    ],
)
def test_a_ballot_says_exactly_one_well_formed_thing(content):
    with pytest.raises(ValidationError):
        Ballot.model_validate({"voter": "Ada", **content})


def test_a_ballot_survives_a_checkpoint_and_so_does_its_count():
    allowed = [("moot.state.ballot", "Ballot"), ("moot.state.count.count_result", "Tally")]
    serde = JsonPlusSerializer(allowed_msgpack_modules=allowed)
    ballots = [
        Ballot(voter="Ada", choice="a", amount=5, weight=3, reason="cheap"),
        Ballot(voter="Bob", ranking=["a", "b"]),
        Ballot(voter="Cyd", scores={"a": 1.5}),
        Ballot(voter="Dan", abstain=True),
        Ballot.make_invalid("Eve", "hm" * 5000, "unclear"),
    ]
    tally = count_ballots(ballots[:1], "plurality")
    assert serde.loads_typed(serde.dumps_typed([*ballots, tally])) == [*ballots, tally]


@pytest.mark.parametrize(
    ("ballot", "why"),
    [
        (Ballot(voter="Ada", ranking=["a", "b"]), ""),
        (Ballot(voter="Ada", ranking=["a"]), ""),
        (Ballot(voter="Ada", ranking=["a", "b", "a"]), "ranking names 'a' twice"),
        (Ballot(voter="Ada", approvals=["a", "z"]), "approvals names the unknown option 'z'"),
        (Ballot(voter="Ada", abstain=True), ""),
        (Ballot.make_invalid("Ada", "hm", "unclear"), "unclear"),
    ],
)
def test_a_ballot_is_at_fault_for_repeats_and_unknown_options(ballot, why):
    assert find_ballot_fault(ballot, ["a", "b", "c"]) == why


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        ("choice", "Bus", {"choice": "Bus"}),
        ("ranking", ["Tram", "Bus"], {"ranking": ["Tram", "Bus"]}),
        ("approvals", [], {"approvals": []}),
        ("scores", [{"option": "Bus", "score": 7.5}], {"scores": {"Bus": 7.5}}),
        ("points", [{"option": "Bus", "score": 7}, {"option": "Tram", "score": 3}], {"scores": {"Bus": 7, "Tram": 3}}),
    ],
)
def test_an_answer_in_the_schema_becomes_a_ballot(kind, answer, said):
    schema = make_ballot_schema(kind, OPTIONS, is_weighted=True, may_abstain=True)
    assert schema.model_json_schema()["additionalProperties"] is False
    assert schema.model_json_schema()["required"] == ["reason", kind, "abstain", "weight"]
    voted = schema.model_validate({kind: answer, "reason": "why", "abstain": False, "weight": 4})
    assert voted.make_ballot("Ada") == Ballot(voter="Ada", weight=4, reason="why", **said)
    abstained = schema.model_validate({kind: None, "reason": "", "abstain": True, "weight": 1})
    assert abstained.make_ballot("Ada").abstain


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("choice", {"choice": "bus", "reason": ""}),
        ("choice", {"choice": "Bus", "reason": "", "mood": "good"}),
        ("choice", {"choice": None, "reason": ""}),
        ("ranking", {"ranking": ["Bus", "Bus"], "reason": ""}),
        ("ranking", {"ranking": [], "reason": ""}),
        ("approvals", {"approvals": ["Plane"], "reason": ""}),
        ("scores", {"scores": [{"option": "Bus", "score": 11}], "reason": ""}),
        ("scores", {"scores": [{"option": "Bus", "score": 1}] * 2, "reason": ""}),
        ("points", {"points": [{"option": "Bus", "score": 9}], "reason": ""}),
    ],
)
def test_an_answer_outside_the_schema_is_an_error(kind, answer):
    with pytest.raises(ValidationError):
        make_ballot_schema(kind, OPTIONS).model_validate(answer)


@pytest.mark.parametrize(
    ("answer", "cast"),
    [
        ({"choice": "Bus"}, {"choice": "Bus"}),
        ({"choice": "Bus", "reason": "why"}, {"choice": "Bus", "reason": "why"}),
        ({"choice": "Bus", "abstain": False}, {"choice": "Bus"}),
        ({"abstain": True}, {"abstain": True}),
        ({"abstain": True, "choice": None}, {"abstain": True}),
    ],
)
def test_a_ballot_without_a_reason_or_a_word_on_abstaining_is_complete(answer, cast):
    schema = make_ballot_schema("choice", OPTIONS, may_abstain=True)
    assert schema.model_validate(answer).make_ballot("Ada") == Ballot(voter="Ada", **cast)


@pytest.mark.parametrize("answer", [{}, {"choice": None}, {"reason": "why"}, {"choice": "Bus", "abstain": True}])
def test_a_ballot_that_neither_votes_nor_abstains_is_none(answer):
    with pytest.raises(ValidationError):
        make_ballot_schema("choice", OPTIONS, may_abstain=True).model_validate(answer)


@pytest.mark.parametrize("options", [[], ["a", "a"]])
def test_a_schema_needs_options_that_differ(options):
    with pytest.raises(InputError, match="options"):
        make_ballot_schema("choice", options)
