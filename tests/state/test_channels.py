"""Every channel of every protocol folds its writes alike however they are batched, given as models or as plain data."""

import copy
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, get_type_hints

import pytest
from fakeserver.echo import paragraph
from fakeserver.schema import Filler
from hypothesis import given, settings, strategies as st
from langgraph.channels import DeltaChannel
from moot.state.ballot import Ballot
from moot.state.deliberation import gather_statements, make_delta_channel
from moot.state.justice.application import ApplicationResult, apply_choice, deal_case
from moot.state.justice.channels import Phase1State
from moot.state.justice.principle import PRINCIPLES, Ranking
from moot.state.justice.settings import JusticeSettings
from moot.state.papers.paper import Paper
from moot.state.settings import get_settings_class
from moot.state.statement import Statement
from moot.state.voting.poll import CastBallot
from pydantic import BaseModel, TypeAdapter

PROTOCOLS = ("debate", "consensus", "discussion", "panel", "justice")
STATES = [getattr(import_module(f"moot.graphs.{name}"), f"{name.capitalize()}GraphState") for name in PROTOCOLS]


class Channel(NamedTuple):
    """A channel that folds its writes, what it holds at first, and the type of what it holds."""

    fold: Any
    first: Any
    holds: TypeAdapter[Any]


def channels() -> dict[str, Channel]:
    """Every folding channel by name; protocols share most of them."""
    found: dict[str, Channel] = {}
    for state in (*STATES, Phase1State):
        for key, hint in get_type_hints(state, include_extras=True).items():
            for note in getattr(hint, "__metadata__", ()):
                if isinstance(note, DeltaChannel):
                    found[key] = Channel(note.reducer, first(hint.__origin__), TypeAdapter(hint.__origin__))
    return found


def first(kind: Any) -> Any:
    """What a channel of this type holds before anything is written."""
    kind = getattr(kind, "__origin__", kind)
    return (
        kind()
        if kind in (str, list, dict)
        else DRAWN.get("settings", kind)()
        if kind.__name__ == "Settings"
        else kind()
    )


def drawn_rules(number: int = 2) -> Any:
    return get_settings_class("debate").model_validate({"max_turns": 2 + number % 9})


def drawn_memory(number: int) -> dict[str, Any]:
    lines = [paragraph(number.to_bytes(8), 2)]
    return {"Ada": lines} if number % 3 else {("Ben", "*")[number % 2]: {"replace": lines}}


def drawn_ballot(number: int) -> list[CastBallot]:
    ballot = Ballot(voter=f"v{number}", choice="abc"[number % 3])
    return [CastBallot(poll=1 + number % 3, voter=ballot.voter, question="ballot", ballot=ballot)]


def drawn_ranking(number: int) -> dict[str, Ranking]:
    order = list(PRINCIPLES[number % 4 :] + PRINCIPLES[: number % 4])
    return {"ABC"[number % 3]: Ranking(order=order, certainty="sure")}


def drawn_application(number: int) -> list[ApplicationResult]:
    rules = JusticeSettings(seed=number % 2**31)
    return [apply_choice(rules, deal_case(rules, rules.ids[0], 1 + number % 4), None, ["Hm."])]


DRAWN: dict[str, Any] = {
    "settings": drawn_rules,
    "memory": drawn_memory,
    "ballots": drawn_ballot,
    "rankings": drawn_ranking,
    "last_rankings": drawn_ranking,
    "applications": drawn_application,
    "papers": lambda number: [Paper(id=f"p{number}", title="Tea", text="It is drunk in many places.")],
}
"""Channels whose writes are of another kind than what they hold, or have to make sense as a whole."""
CHANNELS = channels()


@cache
def form_of(key: str) -> dict[str, Any]:
    return CHANNELS[key].holds.json_schema()


@cache
def written(key: str, number: int) -> Any:
    """Something that a step may write to this channel, that follows from the number."""
    if key in DRAWN:
        return DRAWN[key](number)
    channel, schema = CHANNELS[key], form_of(key)
    filler = Filler(schema, number.to_bytes(8), lambda one: paragraph(one.to_bytes(8), 3))
    if schema.get("type") == "object" and "additionalProperties" in schema and "properties" not in schema:
        plain = {"ABC"[number % 3]: filler.fill(schema["additionalProperties"])}
    else:
        plain = filler.fill(schema)
    return channel.holds.validate_python(plain)


def plain(value: Any) -> Any:
    """The same as a client sends it: without models."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list):
        return [plain(element) for element in value]
    return {key: plain(element) for key, element in value.items()} if isinstance(value, dict) else value


def test_every_protocol_s_channels_are_among_them() -> None:
    assert {
        "history",
        "incidents",
        "calls",
        "memory",
        "participants",
        "settings",
        "events",
        "ballots",
    } <= CHANNELS.keys()
    assert {"papers", "alone", "votes", "draws", "settlement", "memory_lines", "applications"} <= CHANNELS.keys()


@pytest.mark.parametrize("key", CHANNELS)
@settings(max_examples=15, deadline=None)
@given(numbers=st.lists(st.integers(0, 40), max_size=5), data=st.data())
def test_however_writes_are_batched_the_channel_holds_the_same(
    key: str, numbers: list[int], data: st.DataObject
) -> None:
    fold, begun, holds = CHANNELS[key]
    writes = [written(key, number) for number in numbers]
    sent = [plain(one) if data.draw(st.booleans()) else one for one in writes]
    before = copy.deepcopy((begun, sent))
    whole = fold(begun, writes)
    cut = data.draw(st.integers(0, len(writes)))
    assert fold(fold(begun, sent[:cut]), sent[cut:]) == whole
    one_by_one = begun
    for write in sent:
        one_by_one = fold(one_by_one, [write])
    assert one_by_one == whole
    assert (begun, sent) == before, "nothing that was given is changed"
    if key != "settings":
        assert holds.validate_python(plain(whole)) == whole, "and it holds the state's own types"
    assert type(whole) is type(begun)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=6))
def test_a_record_only_grows(numbers: list[int]) -> None:
    for key in ("history", "incidents", "calls", "positions", "polls", "ballots", "events", "votes", "draws"):
        fold, held, _ = CHANNELS[key]
        for number in numbers:
            longer = fold(held, [written(key, number)])
            assert longer[: len(held)] == held
            assert len(longer) > len(held)
            held = longer


def test_a_whole_memory_may_come_as_plain_data() -> None:
    fold, _, _ = CHANNELS["memory"]
    whole = fold({"Ada": ["old"], "Ben": []}, [{"*": {"replace": ["new"]}}, {"Ben": {"replace": ["own"]}}])
    assert whole == {"Ada": ["new"], "Ben": ["own"]}


def test_a_copy_of_a_channel_takes_nothing_along_and_is_updated_apart() -> None:
    channel = make_delta_channel(gather_statements)
    channel.key, channel.value = "history", [Statement(turn=1, round=1, speaker="Ada", content="Yes.")]
    same = channel.copy()
    assert same.value is channel.value
    same.update([[Statement(turn=2, round=1, speaker="Ben", content="No.")]])
    assert (same == channel, same.key, len(same.value), len(channel.value)) == (True, "history", 2, 1)
