"""Positions as nouns: what is asked for, how plain words are read, what a run answers, when a talk rests."""

from typing import Any

import pytest
from moot.state.consensus import ConsensusSettings
from moot.state.count import Tally
from moot.state.debate import DebateSettings
from moot.state.deliberation import ProgressState
from moot.state.discussion import DiscussionSettings
from moot.state.ending import Ending, get_stop_basis
from moot.state.errors import convert_input_error
from moot.state.positions import AnswerFormat, Position, build_answer_format, compute_answer, group_numbers
from moot.state.positions.stopping_rules import stop_on_declarations
from moot.state.statement import Participant, Statement
from moot.state.voting import Poll
from pydantic import ValidationError

OPTIONS = AnswerFormat(["A", "B"], {"A": "Plan Rosa", "B": "Plan Blau"})
KILOS = AnswerFormat((), is_numeric=True, unit="kg", tolerance=0.01)
SIDES = AnswerFormat()


def test_a_rule_that_reads_positions_asks_for_them_each_round() -> None:
    assert DebateSettings(stop_rule="declared").positions == "rounds"
    assert DiscussionSettings(stop_rule="declared").positions == "rounds"
    assert DebateSettings(stop_rule="declared").with_choices(seed=1).positions == "rounds"
    assert DebateSettings().positions == ConsensusSettings().positions == "off"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"stop_rule": "declared", "positions": "ends"}, "positions = 'ends': stop_rule: declared needs positions after"),
    ({"answer": "option"}, "options = {}: answer: option needs two options or more"),
    ({"options": {"A": "yes", "B": "no"}}, "answer = 'none': options need answer: option"),
    ({"answer": "option", "options": {"A": "yes", "a.": "no"}}, "options = 'a.': two ids differ only in case"),
    (
        {"answer": "option", "options": {"A": "Tea ", "B": "tea"}},
        "options = {'A': 'Tea', 'B': 'tea'}: two options",
    ),
    ({"answer": {"number": "kg", "tolerance": "0.01"}}, "answer"),
]


@pytest.mark.parametrize(("settings", "said"), REFUSED, ids=[one[1][:30] for one in REFUSED])
def test_what_cannot_be_asked_is_refused_with_key_value_and_remedy(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as fault:
        DebateSettings(**settings)
    assert str(convert_input_error(fault.value, DebateSettings)).startswith(said)


def make_position(who: str, answer: str, turn: int = 4, **more: Any) -> Position:
    return Position(who=who, answer=answer, turn=turn, round=turn // 2, when="round" if turn else "before", **more)


NUMBER = {"answer": {"number": "kg"}}
COUNTED = Tally.model_construct(winner="B")
POLL = {"number": 1, "event": "completed", "options": {"A": "12 kg", "B": "14 kg"}}
ANSWERS: dict[str, tuple[Any, dict[str, Any], list[Position], list[Any], tuple[Any, ...] | None]] = {
    "nobody was asked": (DiscussionSettings, {}, [], [], None),
    "only before the talk": (DiscussionSettings, {}, [make_position("Ada", "for", 0)], [], None),
    "most hold it": (
        DiscussionSettings,
        {},
        [
            make_position("Ada", "against", 0),
            make_position("Ada", "for"),
            make_position("Ben", "for"),
            make_position("Cleo", "undecided"),
        ],
        [],
        ("for", "positions", []),
    ),
    "a tie is no answer": (
        DiscussionSettings,
        {},
        [make_position("Ada", "for"), make_position("Ben", "against")],
        [],
        ("", "positions", ["for", "against"]),
    ),
    "numbers within the tolerance go together": (
        DiscussionSettings,
        NUMBER,
        [make_position("Ada", "100"), make_position("Ben", "100.5"), make_position("Cleo", "120")],
        [],
        ("100.25", "positions", []),
    ),
    "a vote comes first": (
        ConsensusSettings,
        NUMBER,
        [make_position("Ada", "12", unit="kg"), make_position("Ben", "14", unit="kg")],
        [Poll.model_construct(**POLL, tally=COUNTED)],
        ("14", "vote", []),
    ),
    "a number with three decimals wins a vote": (
        ConsensusSettings,
        NUMBER,
        [make_position("Ada", "12", unit="kg"), make_position("Ben", "14.125", unit="kg")],
        [Poll.model_construct(**POLL | {"options": {"A": "12 kg", "B": "14.125 kg"}}, tally=COUNTED)],
        ("14.125", "vote", []),
    ),
    "a negative zero is zero": (
        DiscussionSettings,
        NUMBER,
        [make_position("Ada", "-0.0"), make_position("Ben", "-0.0")],
        [],
        ("0", "positions", []),
    ),
    "a debate's is the synthesizer's": (
        DebateSettings,
        {"answer": "option", "options": OPTIONS.option_texts},
        [make_position("Ada", "A"), make_position("Ben", "A"), make_position("synthesizer", "B")],
        [],
        ("B", "synthesizer", []),
    ),
    "a debate without one has none": (
        DebateSettings,
        {},
        [make_position("Ada", "for"), make_position("Ben", "for")],
        [],
        None,
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_run_answers(name: str) -> None:
    kind, settings, positions, polls, said = ANSWERS[name]
    found = compute_answer({"settings": kind(**settings), "positions": positions, "polls": polls})
    assert (found and (found.answer, found.by, found.tied)) == said


def test_groups_of_near_numbers_are_the_largest_there_are() -> None:
    near = AnswerFormat((), is_numeric=True, tolerance=1, is_relative=False)
    assert group_numbers([5, 1, 2, 3, 9], near) == [[1, 2], [2, 3], [5], [9]]
    assert group_numbers([0, 0, 1], build_answer_format(DebateSettings(answer={"number": ""}))) == [[0, 0], [1]]


def state(rules: Any, rounds: list[list[tuple[Any, ...]]], said: dict[int, str] | None = None) -> ProgressState:
    """A talk whose participants declared (answer, certainty, stance) before it and after each round."""
    names = ["Ada", "Ben", "Cleo"][: len(rounds[0])]
    positions = [
        Position(who=who, round=at, turn=at * len(names), answer=one[0], certainty=one[1], stance=one[2])
        for at, moment in enumerate(rounds)
        for who, one in zip(names, moment, strict=True)
        if one
    ]
    history = [
        Statement(
            turn=turn, round=1 + (turn - 1) // len(names), speaker=names[(turn - 1) % len(names)], content=text, act=act
        )
        for turn in range(1, 1 + len(names) * (len(rounds) - 1))
        for text in [(said or {}).get(turn, f"Statement {turn} says something of its own.")]
        for act in ["concede" if text == CONCESSION else ""]
    ]
    people = [Participant(name=name) for name in names]
    found = {
        "topic": "Ban cars?",
        "settings": rules,
        "participants": people,
        "history": history,
        "positions": positions,
    }
    return found  # type: ignore[return-value]


HOLD, GIVE = ("for", 80, "hold"), ("for", 40, "concede")
FOE, SHAKY = ("against", 80, "hold"), ("against", 60, "partly")
CONCESSION = "The audits settle it for me.\n\nI concede."
ENDS: dict[str, tuple[Any, list[list[Any]], dict[int, str], str | None]] = {
    "too early": (DebateSettings, [[HOLD, FOE], [GIVE, FOE]], {1: CONCESSION}, None),
    "conceding twice": (DebateSettings, [[HOLD, FOE], [GIVE, FOE], [GIVE, SHAKY]], {}, "concession_detected"),
    "conceding once": (DebateSettings, [[HOLD, FOE], [HOLD, SHAKY], [GIVE, FOE]], {}, None),
    "conceding once and by the act": (
        DebateSettings,
        [[HOLD, FOE], [HOLD, SHAKY], [GIVE, FOE]],
        {3: CONCESSION},
        "concession_detected",
    ),
    "by the act alone": (DebateSettings, [[HOLD, FOE], [HOLD, SHAKY], [HOLD, FOE]], {3: CONCESSION}, None),
    "conceding once, in words": (
        DebateSettings,
        [[HOLD, FOE], [HOLD, SHAKY], [GIVE, FOE]],
        {3: "I concede it all."},
        None,
    ),
    "conceding, then not": (DebateSettings, [[HOLD, FOE], [GIVE, SHAKY], [HOLD, FOE]], {}, None),
    "nobody moves": (DebateSettings, [[HOLD, FOE], [HOLD, FOE], [HOLD, FOE]], {}, "positions_stable"),
    "one grows surer": (DebateSettings, [[HOLD, FOE], [HOLD, FOE], [("for", 86, "hold"), FOE]], {}, None),
    "hardly surer": (DebateSettings, [[HOLD, FOE], [HOLD, FOE], [("for", 85, "hold"), FOE]], {}, "positions_stable"),
    "one gave no answer": (DebateSettings, [[HOLD, FOE], [HOLD, ()], [HOLD, FOE]], {}, None),
    "one of three concedes": (DiscussionSettings, [[HOLD, FOE, FOE], [GIVE, FOE, SHAKY], [GIVE, SHAKY, FOE]], {}, None),
    "two of three concede": (
        DiscussionSettings,
        [[HOLD, FOE, FOE], [GIVE, GIVE, SHAKY], [GIVE, GIVE, FOE]],
        {},
        "concession_detected",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_when_declared_positions_end_a_talk(name: str) -> None:
    kind, rounds, said, reason = ENDS[name]
    stop = stop_on_declarations(state(kind(stop_rule="declared"), rounds, said))
    assert (stop and stop.reason) == reason
    if stop:
        assert (stop.strategy, get_stop_basis(stop).kind) == ("declared", "heuristic")
    assert stop_on_declarations(state(kind(), rounds, said)) is None
    assert stop_on_declarations(state(kind(stop_rule="declared", dynamic_termination=False), rounds, said)) is None


KINDS = {
    ("max_turns_reached", "cap"): "cap",
    ("budget_spent", "budget"): "cap",
    ("concession_detected", "asked"): "event",
    ("stalemate_repetition", "asked"): "heuristic",
    ("somebody_yawned", "a rule of one's own"): "heuristic",
    ("vote_decided", "approval"): "event",
    ("closed", "session"): "event",
    ("participants_unavailable", "availability"): "event",
}


@pytest.mark.parametrize(("reason", "strategy"), KINDS)
def test_every_stop_says_what_it_promises(reason: str, strategy: str) -> None:
    assert get_stop_basis(Ending(reason=reason, strategy=strategy)).kind == KINDS[reason, strategy]
