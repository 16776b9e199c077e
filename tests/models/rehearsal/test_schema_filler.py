"""The rehearsal fills any schema it is asked for, validly, and in keeping with what was said and what it holds."""

import datetime
import enum
from typing import Annotated, Any, Literal, TypeVar

import pytest
from deliberations.rehearsal import TOPICS, ask, debate, group, with_sides
from hypothesis import given, settings, strategies as st
from moot.models.brief import Brief
from moot.models.rehearsal import RehearsalModel
from moot.nodes.judge import Judgement
from moot.state.ballot import make_ballot_schema
from moot.state.statement import Statement
from pydantic import BaseModel, ConfigDict, Field, create_model


class Colour(enum.Enum):
    red = "red"
    blue = "blue"


class Tree(BaseModel):
    label: str
    branches: list["Tree"]
    parent: "Tree | None" = None


class Finding(BaseModel):
    model_config = ConfigDict(extra="forbid")

    quote: str
    turn: int = Field(ge=0)


class Report(BaseModel):
    model_config = ConfigDict(extra="forbid")

    position: str = Field(min_length=3, max_length=60)
    objection: str | None
    agreement: float = Field(ge=0, le=1)
    rank: int = Field(gt=2, lt=5)
    share: float = Field(gt=0, lt=0.01)
    step: int = Field(ge=10, le=50, multiple_of=15)
    colour: Colour
    when: datetime.date
    findings: list[Finding] = Field(min_length=2, max_length=3)
    ratings: dict[Literal["a", "b"], int]
    pair: tuple[int, str]
    tags: set[Literal["x", "y", "z"]]
    either: Finding | Literal[7]
    tree: Tree


class Declaration(BaseModel):
    position: str
    agreement: float = Field(ge=0, le=1)
    objection: str


def wanted(model: type[BaseModel]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": model.__name__, "schema": model.model_json_schema()}}


M = TypeVar("M", bound=BaseModel)


def filled(model: type[M], seed: int, history: list[Statement], who: str = "CON", purpose: str = "position") -> M:
    told = with_sides(TOPICS["en"], statements=history)
    return model.model_validate_json(ask(seed, told, who, purpose, response_format=wanted(model)))


BALLOTS = [
    make_ballot_schema(kind, ["tea", "coffee", "water"], is_weighted=True, may_abstain=may)
    for kind in ("choice", "ranking", "approvals", "scores", "points")
    for may in (False, True)
]


MODELS = [Report, Judgement, Declaration, *BALLOTS]


@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.__name__)
def test_schemas_are_filled_validly_with_and_without_statements(model: type[BaseModel]) -> None:
    for seed in range(6):
        filled(model, seed, debate(seed)[0])
        filled(model, seed, [])


LEAVES: list[Any] = [
    str,
    bool,
    None,
    Literal["a", "b", 3],
    Annotated[str, Field(min_length=4, max_length=9)],
    Annotated[int, Field(ge=-5, le=-2)],
    Annotated[int, Field(gt=1_000_000)],
    Annotated[float, Field(gt=-1, lt=0)],
    datetime.datetime,
    Finding,
]
TYPES = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(lambda one: one | None if one is not None else str),
        inner.map(lambda one: list[one]),  # type: ignore[valid-type]
        inner.map(lambda one: Annotated[list[one], Field(min_length=2, max_length=4)]),  # type: ignore[valid-type]
        inner.map(lambda one: dict[str, one]),  # type: ignore[valid-type]
        st.tuples(inner, inner).map(lambda two: tuple[two[0], two[1]]),  # type: ignore[valid-type]
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["quote", "turn", "position", "agreement", "amount", "next_speaker", "ranking", "x", "is_open"])


@settings(max_examples=120, deadline=None)
@given(fields=st.dictionaries(NAMES, TYPES, min_size=1, max_size=5), seed=st.integers(0, 2**31))
def test_any_schema_is_filled_validly(fields: dict[str, Any], seed: int) -> None:
    model = create_model("Anything", **{name: (kind, ...) for name, kind in fields.items()})
    filled(model, seed, debate(1)[0])


def test_a_quotation_stands_in_the_turn_it_is_given_for() -> None:
    for seed in range(10):
        history = debate(seed)[0]
        found = filled(Finding, seed, history)
        assert found.quote in history[found.turn - 1].content


def test_the_judge_finds_what_ended_a_debate_and_quotes_it() -> None:
    reasons = set()
    for seed in range(40):
        history, end = debate(seed)
        verdict = filled(Judgement, seed, history, who="judge", purpose="judgement")
        reasons.add(verdict.reason)
        assert (verdict.reason == "concession_detected") == (end == "concession_detected")
        assert verdict.reason == "continue" or verdict.quote in history[verdict.turn - 1].content
    assert reasons >= {"concession_detected", "continue", "stalemate_disengagement"}


def test_a_vote_follows_the_opinion() -> None:
    options = make_ballot_schema("choice", ["Rust", "Python"])
    told = with_sides("Rust or Python for a backend")
    cast = {who: ask(3, told, who, "ballot", response_format=wanted(options)) for who in ("PRO", "CON")}
    votes = {who: options.model_validate_json(vote).make_ballot(who).choice for who, vote in cast.items()}
    assert votes == {"PRO": "Rust", "CON": "Python"}


def test_whoever_agrees_has_no_objection_and_the_others_have_one() -> None:
    agreeing = set()
    for seed in range(16):
        history, cast = group(seed), {"Ann": "analyst", "Ben": "creative", "Cleo": "critic"}
        for who in cast:
            brief = Brief(topic=TOPICS["en"], roles=cast, statements=history)
            reply = ask(seed, brief, who, "position", response_format=wanted(Declaration))
            model_validate_json = Declaration.model_validate_json(reply)
            agreeing.add(model_validate_json.agreement >= 0.8)
            assert (model_validate_json.agreement >= 0.8) == (model_validate_json.objection == "")
    assert agreeing == {True, False}


def test_a_tool_that_must_be_called_is_filled_too() -> None:
    model = RehearsalModel(seed=1)
    assert isinstance(model.with_structured_output(Declaration).invoke("Should we move?"), Declaration)
    offered = model.bind_tools([Declaration])
    assert offered.invoke([("user", "Hello.")]).tool_calls == []


class Estimated(BaseModel):
    """An estimate with its quantiles."""

    answer: float
    unit: Literal["kg"]
    low: float
    high: float


def test_an_estimate_is_ordered_and_comes_nearer_to_what_the_material_says_in_each_round() -> None:
    def middle(who: str, round: int) -> float:
        told = with_sides(TOPICS["en"], material="Once it weighed 80 kg.", round=round)
        model_validate_json = Estimated.model_validate_json(
            ask(3, told, who, "estimate", response_format=wanted(Estimated))
        )
        assert model_validate_json.low < model_validate_json.answer < model_validate_json.high
        return model_validate_json.answer

    for who in ("PRO", "CON"):
        off = [abs(middle(who, round) - 80) for round in (1, 2, 3)]
        assert off == sorted(off, reverse=True)
        assert off[2] < off[0]


def test_a_juror_votes_as_it_speaks_and_may_be_won_over() -> None:
    form = make_ballot_schema("choice", ["guilty", "not guilty"])
    votes = {filled(form, seed, debate(seed)[0]).model_dump()["choice"] for seed in range(9)}
    assert votes == {"guilty", "not guilty"}
