"""A session's pure parts: seats, turns, who may send, what time does, and what a summary keeps."""

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from moot.state.discussion import DiscussionSettings, Expectation
from moot.state.history_view import MAX_SUMMARY_LENGTH, Summary, count_leaving_statements, extend_summary
from moot.state.session.deadlines import compute_expiry, find_next_deadline, is_expired, list_overdue_expectations
from moot.state.session.log import SessionView
from moot.state.session.rotation import compute_next_floor, is_new_round, order_seats
from moot.state.session.sending import (
    MAX_TEXT_LENGTH,
    AlreadySentError,
    BlankTextError,
    NotAParticipantError,
    OutOfTurnError,
    SendError,
    SessionOverError,
    StaleTurnError,
    TextTooLongError,
    can_send,
    check_send,
    explain_waiting,
)
from moot.state.statement import Participant, Statement
from moot.storage.clock import format_time
from pydantic import ValidationError
from seats import STRICT

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def people(*named: str) -> list[Participant]:
    """Participants; a capital first letter is a person, a small one a model."""
    return [Participant(name=name, kind="person" if name[0].isupper() else "model") for name in named]


def session(**changes: Any) -> SessionView:
    at = format_time(NOON)
    known = {
        "participants": people("Zoe", "ada", "ben"),
        "settings": DiscussionSettings(expectations=STRICT),
        "status": "open",
    }
    return SessionView(**known | {"expected": "Zoe", "since": at, "opened_at": at} | changes)


def test_the_creator_comes_first_then_explicit_orders_then_the_order_given() -> None:
    seats = [Participant(name="Zoe"), Participant(name="Ada"), Participant(name="Ben", order=2)]
    assert order_seats([*seats, Participant(name="Cleo", order=1)]) == ["Zoe", "Cleo", "Ben", "Ada"]


def test_any_other_ordering_is_refused_naming_the_one_there_is() -> None:
    with pytest.raises(ValidationError, match=r"ordering\n.*'round_robin'"):
        DiscussionSettings(ordering="free")


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
    assert compute_next_floor(people(*seats), DiscussionSettings(), hidden, last) == expected


@pytest.mark.parametrize("end", [{"max_turns": 9}, {"max_rounds": 2}, {"ttl": 60}])
def test_models_that_something_will_stop_go_on_without_people(end: dict[str, Any]) -> None:
    assert compute_next_floor(people("Zoe", "ada", "ben"), DiscussionSettings(**end), ["Zoe"], "ben") == ["ada", "ben"]


def test_a_round_begins_with_whoever_sits_no_later_than_the_last_speaker() -> None:
    seats = ["Zoe", "Ada", "Ben"]
    assert [is_new_round(seats, last, []) for last in seats] == [False, False, True]
    assert is_new_round(seats, "Ada", ["Zoe"])


REFUSALS: dict[str, tuple[dict[str, Any], tuple[Any, ...], type[SendError]]] = {
    "not its turn": ({}, ("ada", "Hello"), OutOfTurnError),
    "an outsider": ({}, ("Eve", "Hello"), NotAParticipantError),
    "nobody": ({}, ("", "Hello"), NotAParticipantError),
    "blank": ({}, ("Zoe", " \u200b\n"), BlankTextError),
    "for a turn that is over": ({"turn": 3}, ("Zoe", "Hello", 3), StaleTurnError),
    "for a turn to come": ({"turn": 3}, ("Zoe", "Hello", 5), StaleTurnError),
    "closed": ({"status": "closed"}, ("Zoe", "Hello"), SessionOverError),
    "expired": ({"status": "expired"}, ("Zoe", "Hello"), SessionOverError),
    "not open yet": ({"status": "inviting"}, ("Zoe", "Hello"), SessionOverError),
    "hidden": ({"expected": "ada", "hidden": ["Zoe"]}, ("Zoe", "Hello"), OutOfTurnError),
    "nobody's turn": ({"expected": "", "hidden": ["Zoe", "ada"]}, ("ben", "Hello"), OutOfTurnError),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_each_refusal_has_its_own_error_that_names_who_was_expected(
    case: tuple[dict[str, Any], tuple[Any, ...], type[SendError]],
) -> None:
    changes, send, kind = case
    asked = session(**changes)
    with pytest.raises(SendError) as error:
        check_send(asked, *send)
    assert type(error.value) is kind
    assert error.value.expected == (asked.expected if asked.status == "open" else "")
    assert error.value.expected in str(error.value)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_a_text_has_an_upper_bound() -> None:
    check_send(session(), "Zoe", "x" * MAX_TEXT_LENGTH)
    with pytest.raises(TextTooLongError, match="give at most 1,000,000 characters; this has 1,000,001"):
        check_send(session(), "Zoe", "x" * (MAX_TEXT_LENGTH + 1))


def test_only_the_expected_participant_can_send() -> None:
    assert [can_send(session(), name) for name in ("Zoe", "ada", "Eve", "")] == [True, False, False, False]
    assert not can_send(session(status="closed"), "Zoe")
    assert not can_send(session(expected="", hidden=["Zoe", "ada"]), "")
    check_send(session(turn=3), "Zoe", "Hello", 4)


def test_a_session_that_waits_says_for_whom_and_why() -> None:
    assert explain_waiting(session(expected="", hidden=["Zoe", "ada"])) == (
        "fewer than 2 are left: waiting for Zoe or ada to come back"
    )
    assert "nothing would end the session" in explain_waiting(session(expected="", hidden=["Zoe"]))


TIMES: dict[str, tuple[dict[str, Any], float, list[str]]] = {
    "in time": ({}, 119, []),
    "warned at two minutes": ({}, 120, ["warn"]),
    "warned once": ({"warned": [120.0]}, 599, []),
    "hidden at ten minutes": ({"warned": [120.0]}, 600, ["hide"]),
    "both at once": ({}, 7200, ["warn", "hide"]),
    "nobody is expected": ({"expected": ""}, 7200, []),
    "closed": ({"status": "closed"}, 7200, []),
    "no expectations": ({"settings": DiscussionSettings(expectations=[])}, 7200, []),
}


@pytest.mark.parametrize("case", TIMES.values(), ids=TIMES)
def test_what_falls_due(case: tuple[dict[str, Any], float, list[str]]) -> None:
    changes, seconds, expected = case
    overdue_expectations = list_overdue_expectations(session(**changes), NOON + timedelta(seconds=seconds))
    assert [overdue_expectation.action for overdue_expectation in overdue_expectations] == expected


@pytest.mark.parametrize(("kind", "hidden"), [("person", []), ("program", ["hide"])])
def test_a_person_is_warned_and_waited_for_and_a_program_leaves_the_rotation_unless_the_rules_say_otherwise(
    kind: Literal["person", "program"], hidden: list[str]
) -> None:
    seats = [Participant(name="Zoe", kind=kind), Participant(name="ada")]
    stands = session(participants=seats, settings=DiscussionSettings())
    assert [
        overdue_expectation.action
        for overdue_expectation in list_overdue_expectations(stands, NOON + timedelta(days=9))
    ] == ["warn", *hidden]
    warned = session(participants=seats, settings=DiscussionSettings(), warned=[120.0])
    assert (find_next_deadline(warned) is None) == (kind == "person")


def test_nothing_follows_a_hiding() -> None:
    both = [Expectation(turn_within=60, action="hide"), Expectation(turn_within=90, action="warn")]
    overdue_expectations = list_overdue_expectations(
        session(settings=DiscussionSettings(expectations=both)), NOON + timedelta(hours=1)
    )
    assert [overdue_expectation.action for overdue_expectation in overdue_expectations] == ["hide"]


def test_a_session_says_until_when_it_waits() -> None:
    assert find_next_deadline(session()) == NOON + timedelta(seconds=120)
    assert find_next_deadline(session(warned=[120.0])) == NOON + timedelta(seconds=600)
    assert find_next_deadline(session(settings=DiscussionSettings(expectations=[]))) is None
    short = session(settings=DiscussionSettings(ttl=30))
    assert find_next_deadline(short) == compute_expiry(short) == NOON + timedelta(seconds=30)
    assert [is_expired(short, NOON + timedelta(seconds=at)) for at in (29, 30)] == [False, True]
    inviting = session(settings=DiscussionSettings(ttl=30), opened_at="", status="inviting")
    assert compute_expiry(inviting) == NOON + timedelta(seconds=30), "an invitation has its time too"


def test_the_window_grows_to_twice_its_length_then_half_of_it_is_folded() -> None:
    folded = [count_leaving_statements(DiscussionSettings(), 3, total, Summary()) for total in (11, 12)]
    assert folded == [0, 6]
    assert count_leaving_statements(DiscussionSettings(), 3, 17, Summary(statement_count=6)) == 0


def test_a_summary_without_a_model_stays_short_and_keeps_the_beginning() -> None:
    summary = Summary()
    for start in range(0, 1000, 6):
        turns = range(start + 1, start + 7)
        leaving = [Statement(turn=turn, round=1, speaker="Ada", content=f"mark-{turn} " + "w " * 300) for turn in turns]
        summary = Summary(text=extend_summary(summary, leaving), statement_count=start + 6)
        assert len(summary.text) < MAX_SUMMARY_LENGTH
    assert all(f"mark-{turn} " in summary.text for turn in [*range(1, 11), *range(990, 1000)])


def test_every_kind_of_refusal_has_a_reason_of_its_own() -> None:
    kinds = [OutOfTurnError, NotAParticipantError, SessionOverError, BlankTextError, StaleTurnError, AlreadySentError]
    assert len({kind.reason for kind in kinds}) == len(kinds)
