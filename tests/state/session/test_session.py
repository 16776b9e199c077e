"""A session's pure parts: seats, turns, who may send, what time does, and what a summary keeps."""

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from moot.nodes.clock import written
from moot.state.discussion import DiscussionRules, Expectation
from moot.state.session.deadlines import deadline, expires_at, is_expired, overdue
from moot.state.session.log import SessionState, begins_anew, floor_after, rotation
from moot.state.session.sending import (
    LONGEST,
    AlreadySent,
    BlankText,
    NotAParticipant,
    OutOfTurn,
    SendRefused,
    SessionOver,
    StaleTurn,
    TooLong,
    can_send,
    validate_send,
    waits_for,
)
from moot.state.statement import Participant, Statement
from moot.state.window import SUMMARY_LENGTH, Summary, by_clipping, folds_next
from pydantic import ValidationError
from seats import STRICT

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def people(*named: str) -> list[Participant]:
    """Participants; a capital first letter is a person, a small one a model."""
    return [Participant(name=name, kind="person" if name[0].isupper() else "model") for name in named]


def session(**changes: Any) -> SessionState:
    at = written(NOON)
    known = {
        "participants": people("Zoe", "ada", "ben"),
        "rules": DiscussionRules(expectations=STRICT),
        "status": "open",
    }
    return SessionState(**known | {"expected": "Zoe", "since": at, "opened_at": at} | changes)


def test_the_creator_comes_first_then_explicit_orders_then_the_order_given() -> None:
    seats = [Participant(name="Zoe"), Participant(name="Ada"), Participant(name="Ben", order=2)]
    assert rotation([*seats, Participant(name="Cleo", order=1)]) == ["Zoe", "Cleo", "Ben", "Ada"]


def test_any_other_ordering_is_refused_naming_the_one_there_is() -> None:
    with pytest.raises(ValidationError, match=r"ordering\n.*'round_robin'"):
        DiscussionRules(ordering="free")


FLOORS: dict[str, tuple[list[str], list[str], str, list[str]]] = {
    "nobody has spoken": (["Zoe", "Ada", "Ben"], [], "", ["Zoe", "Ada", "Ben"]),
    "it goes round": (["Zoe", "Ada", "Ben"], [], "Ada", ["Ben", "Zoe", "Ada"]),
    "and begins again": (["Zoe", "Ada", "Ben"], [], "Ben", ["Zoe", "Ada", "Ben"]),
    "a hidden one is left out": (["Zoe", "Ada", "Ben"], ["Ada"], "Zoe", ["Ben", "Zoe"]),
    "one is too few": (["Zoe", "Ada", "Ben"], ["Ada", "Ben"], "Zoe", []),
    "models alone go on to the empty seat": (["Zoe", "ada", "ben"], ["Zoe"], "Zoe", ["ada", "ben"]),
    "and wait there": (["Zoe", "ada", "ben"], ["Zoe"], "ben", []),
    "wherever it is": (["ada", "Zoe", "ben"], ["Zoe"], "ben", ["ada"]),
}


@pytest.mark.parametrize("case", FLOORS.values(), ids=FLOORS)
def test_who_comes_next(case: tuple[list[str], list[str], str, list[str]]) -> None:
    seats, hidden, last, expected = case
    assert floor_after(people(*seats), DiscussionRules(), hidden, last) == expected


@pytest.mark.parametrize("end", [{"max_turns": 9}, {"max_rounds": 2}, {"ttl": 60}])
def test_models_that_something_will_stop_go_on_without_people(end: dict[str, Any]) -> None:
    assert floor_after(people("Zoe", "ada", "ben"), DiscussionRules(**end), ["Zoe"], "ben") == ["ada", "ben"]


def test_a_round_begins_with_whoever_sits_no_later_than_the_last_speaker() -> None:
    seats = ["Zoe", "Ada", "Ben"]
    assert [begins_anew(seats, last, []) for last in seats] == [False, False, True]
    assert begins_anew(seats, "Ada", ["Zoe"])


REFUSALS: dict[str, tuple[dict[str, Any], tuple[Any, ...], type[SendRefused]]] = {
    "not its turn": ({}, ("ada", "Hello"), OutOfTurn),
    "an outsider": ({}, ("Eve", "Hello"), NotAParticipant),
    "nobody": ({}, ("", "Hello"), NotAParticipant),
    "blank": ({}, ("Zoe", " \u200b\n"), BlankText),
    "for a turn that is over": ({"turn": 3}, ("Zoe", "Hello", 3), StaleTurn),
    "for a turn to come": ({"turn": 3}, ("Zoe", "Hello", 5), StaleTurn),
    "closed": ({"status": "closed"}, ("Zoe", "Hello"), SessionOver),
    "expired": ({"status": "expired"}, ("Zoe", "Hello"), SessionOver),
    "not open yet": ({"status": "inviting"}, ("Zoe", "Hello"), SessionOver),
    "hidden": ({"expected": "ada", "hidden": ["Zoe"]}, ("Zoe", "Hello"), OutOfTurn),
    "nobody's turn": ({"expected": "", "hidden": ["Zoe", "ada"]}, ("ben", "Hello"), OutOfTurn),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_each_refusal_has_its_own_error_that_names_who_was_expected(
    case: tuple[dict[str, Any], tuple[Any, ...], type[SendRefused]],
) -> None:
    changes, send, kind = case
    asked = session(**changes)
    with pytest.raises(SendRefused) as refused:
        validate_send(asked, *send)
    assert type(refused.value) is kind
    assert refused.value.expected == (asked.expected if asked.status == "open" else "")
    assert refused.value.expected in str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_a_text_has_an_upper_bound() -> None:
    validate_send(session(), "Zoe", "x" * LONGEST)
    with pytest.raises(TooLong, match="give at most 1,000,000 characters; this has 1,000,001"):
        validate_send(session(), "Zoe", "x" * (LONGEST + 1))


def test_only_the_expected_participant_can_send() -> None:
    assert [can_send(session(), name) for name in ("Zoe", "ada", "Eve", "")] == [True, False, False, False]
    assert not can_send(session(status="closed"), "Zoe")
    assert not can_send(session(expected="", hidden=["Zoe", "ada"]), "")
    validate_send(session(turn=3), "Zoe", "Hello", 4)


def test_a_session_that_waits_says_for_whom_and_why() -> None:
    assert waits_for(session(expected="", hidden=["Zoe", "ada"])) == (
        "fewer than 2 are left: waiting for Zoe or ada to come back"
    )
    assert "nothing would end their talk" in waits_for(session(expected="", hidden=["Zoe"]))


TIMES: dict[str, tuple[dict[str, Any], float, list[str]]] = {
    "in time": ({}, 119, []),
    "warned at two minutes": ({}, 120, ["warn"]),
    "warned once": ({"warned": [120.0]}, 599, []),
    "hidden at ten minutes": ({"warned": [120.0]}, 600, ["hide"]),
    "both at once": ({}, 7200, ["warn", "hide"]),
    "nobody is expected": ({"expected": ""}, 7200, []),
    "closed": ({"status": "closed"}, 7200, []),
    "no expectations": ({"rules": DiscussionRules(expectations=[])}, 7200, []),
}


@pytest.mark.parametrize("case", TIMES.values(), ids=TIMES)
def test_what_falls_due(case: tuple[dict[str, Any], float, list[str]]) -> None:
    changes, seconds, expected = case
    found = overdue(session(**changes), NOON + timedelta(seconds=seconds))
    assert [one.action for one in found] == expected


@pytest.mark.parametrize(("kind", "hidden"), [("person", []), ("program", ["hide"])])
def test_a_person_is_warned_and_waited_for_and_a_program_leaves_the_rotation_unless_the_rules_say_otherwise(
    kind: Literal["person", "program"], hidden: list[str]
) -> None:
    seats = [Participant(name="Zoe", kind=kind), Participant(name="ada")]
    stands = session(participants=seats, rules=DiscussionRules())
    assert [one.action for one in overdue(stands, NOON + timedelta(days=9))] == ["warn", *hidden]
    warned = session(participants=seats, rules=DiscussionRules(), warned=[120.0])
    assert (deadline(warned) is None) == (kind == "person")


def test_nothing_follows_a_hiding() -> None:
    both = [Expectation(turn_within=60, action="hide"), Expectation(turn_within=90, action="warn")]
    found = overdue(session(rules=DiscussionRules(expectations=both)), NOON + timedelta(hours=1))
    assert [one.action for one in found] == ["hide"]


def test_a_session_says_until_when_it_waits() -> None:
    assert deadline(session()) == NOON + timedelta(seconds=120)
    assert deadline(session(warned=[120.0])) == NOON + timedelta(seconds=600)
    assert deadline(session(rules=DiscussionRules(expectations=[]))) is None
    short = session(rules=DiscussionRules(ttl=30))
    assert deadline(short) == expires_at(short) == NOON + timedelta(seconds=30)
    assert [is_expired(short, NOON + timedelta(seconds=at)) for at in (29, 30)] == [False, True]
    inviting = session(rules=DiscussionRules(ttl=30), opened_at="", status="inviting")
    assert expires_at(inviting) == NOON + timedelta(seconds=30), "an invitation has its time too"


def test_the_window_grows_to_twice_its_length_then_half_of_it_is_folded() -> None:
    folded = [folds_next(DiscussionRules(), 3, total, Summary()) for total in (11, 12)]
    assert folded == [0, 6]
    assert folds_next(DiscussionRules(), 3, 17, Summary(folded=6)) == 0


def test_a_summary_without_a_model_stays_short_and_keeps_the_beginning() -> None:
    summary = Summary()
    for start in range(0, 1000, 6):
        turns = range(start + 1, start + 7)
        leaving = [Statement(turn=turn, round=1, speaker="Ada", content=f"mark-{turn} " + "w " * 300) for turn in turns]
        summary = Summary(text=by_clipping(summary, leaving), folded=start + 6)
        assert len(summary.text) < SUMMARY_LENGTH
    assert all(f"mark-{turn} " in summary.text for turn in [*range(1, 11), *range(990, 1000)])


def test_every_kind_of_refusal_has_a_reason_of_its_own() -> None:
    kinds = [OutOfTurn, NotAParticipant, SessionOver, BlankText, StaleTurn, AlreadySent]
    assert len({kind.reason for kind in kinds}) == len(kinds)
