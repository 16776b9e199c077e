"""Channels: reducers that do not care how writes are batched, and that give plain dicts their type."""

import pytest
from hypothesis import given, strategies as st
from moot.state.debate import DebateSettings
from moot.state.deliberation import gather_calls, gather_statements
from moot.state.memory import fold_memory
from moot.state.records import Call
from moot.state.reducers import (
    keep_latest,
    keep_latest_settings,
    make_append_reducer,
    make_latest_reducer,
    make_merge_reducer,
)
from moot.state.statement import Participant, Statement

OWNERS = ["Ada", "Ben", "Cleo"]
lines = st.lists(st.text(max_size=5), max_size=3)
writes = st.lists(
    st.dictionaries(
        st.sampled_from([*OWNERS, "*"]),
        lines | st.fixed_dictionaries({"replace": lines}),
        max_size=3,
    ),
    max_size=4,
)


@given(writes, writes)
def test_memory_is_the_same_however_its_writes_are_batched(first: list, then: list) -> None:  # type: ignore[type-arg]
    begun: dict[str, list[str]] = {"Ada": ["old"], "Ben": []}
    assert fold_memory(fold_memory(begun, first), then) == fold_memory(begun, [*first, *then])
    assert begun == {"Ada": ["old"], "Ben": []}


SAID = [Statement(turn=turn, round=1, speaker="Ada", content=f"Statement {turn}.") for turn in range(1, 4)]
RULES = [DebateSettings(max_turns=turns) for turns in (2, 4)]
CAST = [[Participant(name="Ada")], [Participant(name="Ben"), Participant(name="Cleo")]]
REDUCERS = {
    "statements": (gather_statements, [], [[SAID[0]], [one.model_dump() for one in SAID[1:]], []]),
    "calls": (gather_calls, [], [[Call(purpose="statement")], [{"purpose": "synthesis"}]]),
    "words": (make_append_reducer(str), ["a"], [["b"], [], ["c", "d"]]),
    "texts": (keep_latest, "", ["one", "two"]),
    "limits": (make_merge_reducer(int), {"Ada": 9}, [{"Ben": 5}, {"Ada": 4, "Ben": 3}]),
    "settings": (keep_latest_settings, DebateSettings(), [RULES[0], RULES[1].model_dump()]),
    "cast": (make_latest_reducer(list[Participant]), [], [CAST[0], [one.model_dump() for one in CAST[1]]]),
}


@pytest.mark.parametrize("name", REDUCERS)
def test_every_reducer_gives_the_same_however_its_writes_are_batched(name: str) -> None:
    reduce, begun, written = REDUCERS[name]
    whole = reduce(begun, written)  # type: ignore[operator]
    for cut in range(len(written) + 1):
        assert reduce(reduce(begun, written[:cut]), written[cut:]) == whole  # type: ignore[operator]
    one_by_one = begun
    for write in written:
        one_by_one = reduce(one_by_one, [write])  # type: ignore[operator]
    assert one_by_one == whole


def test_plain_dicts_from_a_client_become_the_state_s_own_types() -> None:
    reduce, statement, turn = REDUCERS["statements"]
    assert reduce(statement, turn) == SAID  # type: ignore[operator]
    assert all(isinstance(one, Statement) for one in reduce(statement, turn))  # type: ignore[operator]
    assert isinstance(keep_latest_settings(RULES[0], [RULES[1].model_dump()]), DebateSettings)
