"""The session object: from Python, sync and async, across processes, and over time."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from chats.scripted import ScriptedChat
from command import killed, listed
from fakeserver import FakeServer, Fault
from moot import aopen_session, load_run, open_session
from moot.app.people import answer_question, resume_waiting_run
from moot.app.session.api import Session
from moot.models.failures import RunStoppedError
from moot.state.errors import InputError
from moot.state.session.log import SessionEvent
from moot.state.session.sending import (
    AlreadySentError,
    BlankTextError,
    NotAParticipantError,
    NotInvitedError,
    OutOfTurnError,
    SendError,
    SessionOverError,
    StaleTurnError,
    TextTooLongError,
)
from moot.storage.clock import format_time, use_clock
from seats import STRICT

ZOE = {"name": "Zoe", "kind": "person"}
YAN: dict[str, Any] = {"name": "Yan", "kind": "person"}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


def opened(server: FakeServer, *others: Any, **chosen: Any) -> Session:
    settings = {"model": f"openai:fake@{server.url}", "retry_delays": [0], "expectations": STRICT} | chosen.pop(
        "settings", {}
    )
    return open_session("Names for a cat", others or ("Ada", "Ben"), creator=ZOE, settings=settings, **chosen)


def seen(session: Session) -> dict[str, Any]:
    return dict(session.load_snapshot().state)


def test_a_session_opens_with_its_creator_expected_and_nobody_asked(server: FakeServer) -> None:
    session = opened(server)
    assert (session.status, session.turn_count) == ("open", 0)
    assert session.participant_order == ["Zoe", "Ada", "Ben"]
    assert session.expected_next_speaker == session.expected == "Zoe"
    assert [session.can_send(name) for name in ("Zoe", "Ada", "Eve")] == [True, False, False]
    assert len(server.chats) == 0


WRONG: dict[str, tuple[tuple[str, str], dict[str, Any], type[SendError]]] = {
    "out of turn": (("Ada", "Me!"), {}, OutOfTurnError),
    "an outsider": (("Eve", "Me!"), {}, NotAParticipantError),
    "blank": (("Zoe", " \n"), {}, BlankTextError),
    "a turn that is over": (("Zoe", "Me!"), {"turn": 1}, StaleTurnError),
    "an id used before": (("Zoe", "Something else."), {"id": "m1"}, AlreadySentError),
}


@pytest.mark.long
@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_a_wrong_send_is_refused_with_its_own_error_and_changes_nothing(
    case: tuple[tuple[str, str], dict[str, Any], type[SendError]], server: FakeServer
) -> None:
    said, more, kind = case
    session = opened(server)
    session.send("Zoe", "Tibbles?", id="m1")
    before, chat_count = seen(session), len(server.chats)
    with pytest.raises(SendError) as error:
        session.send(*said, **more)
    assert type(error.value) is kind
    assert error.value.expected == "Zoe"
    assert (seen(session), len(server.chats)) == (before, chat_count)
    assert session.send("Zoe", "Misty?").turn == 4
    assert [statement.speaker for statement in session.history] == ["Zoe", "Ada", "Ben"] * 2
    assert len(server.chats) == 4


def test_the_right_send_advances_and_the_same_send_twice_counts_once(server: FakeServer) -> None:
    session = opened(server)
    first = session.send("Zoe", "Tibbles?", id="m1", turn=1)
    assert session.send("Zoe", "Tibbles?", id="m1", turn=1) == first
    assert (session.turn_count, len(server.chats)) == (3, 2)
    assert [statement["speaker"] for statement in session.view["view"]] == ["Zoe", "Ada", "Ben"]


def test_text_that_is_no_unicode_is_mended_and_keeps_no_session_waiting(server: FakeServer) -> None:
    session = opened(server)
    assert session.send("Zoe", "Half \ud800 a pair.", id="m1").content == "Half \ufffd a pair."
    assert session.send("Zoe", "Half \ud800 a pair.", id="m1").turn == 1
    with pytest.raises(NotAParticipantError):
        session.send("\ud800", "Me!")
    assert session.close("Zoe", "\ud800").events[-1].text == "\ufffd"


def test_after_closing_nothing_is_taken_and_who_closed_it_is_on_record(server: FakeServer) -> None:
    session = opened(server)
    session.send("Zoe", "Tibbles?", id="m1")
    with pytest.raises(NotAParticipantError):
        session.close("Eve")
    look = session.close("Ben", "It is settled.")
    assert look.outcome is not None
    assert (look.status, look.outcome.reason, look.outcome.evidence.note) == ("closed", "closed", "It is settled.")
    assert (look.events[-1].kind, look.events[-1].who) == ("session_closed", "Ben")
    for word in (
        lambda: session.send("Zoe", "More?"),
        lambda: session.close("Zoe"),
        lambda: session.restore_participant("Zoe"),
    ):
        with pytest.raises(SessionOverError):
            word()
    assert session.send("Zoe", "Tibbles?", id="m1").turn == 1
    assert (session.load_snapshot().events, len(server.chats)) == (look.events, 2)
    assert listed()[0]["state"] == "finished"


def test_an_endless_reason_is_clipped_and_an_endless_id_refused(server: FakeServer) -> None:
    session = opened(server, YAN)
    session.answer_invitation("Yan", reason="x" * 9000)
    with pytest.raises(TextTooLongError, match="an id has at most 200 characters; this has 201"):
        session.send("Zoe", "Tibbles?", id="x" * 201)
    session.close("Zoe", "x" * 9000)
    assert max(len(event.text) for event in session.events) == 2000


@pytest.mark.parametrize(
    ("sent", "key"),
    [({"text": None}, "text"), ({"text": 5}, "text"), ({"id": 7}, "id"), ({"turn": "1"}, "turn")],
)
def test_what_is_no_message_is_refused_and_changes_nothing(sent: dict[str, Any], key: str, server: FakeServer) -> None:
    session = opened(server)
    before = seen(session)
    with pytest.raises(InputError, match=f"^{key} = "):
        session.send("Zoe", **({"text": "Tibbles?"} | sent))
    assert seen(session) == before


def test_a_database_may_be_named_by_a_path(server: FakeServer, tmp_path: Path) -> None:
    session = opened(server, db=tmp_path / "own.db")
    session.send("Zoe", "Tibbles?")
    assert len(load_run(session.run, tmp_path / "own.db")["history"]) == 3


def test_an_observer_who_waits_for_the_session_inside_it_is_told_how_not_to(server: FakeServer) -> None:
    session = opened(server)
    watched = open_session(run=session.run, on_event=lambda _: print(session.expected))
    with pytest.raises(RuntimeError, match="inside on_event use the session of `aopen_session`"):
        watched.send("Zoe", "Tibbles?", id="m1")
    assert session.send("Zoe", "Tibbles?", id="m1").turn == 1


def test_the_log_is_numbered_and_observers_are_told_of_every_entry_once(server: FakeServer) -> None:
    told: list[SessionEvent] = []
    session = opened(server, on_event=told.append)
    with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=130)):
        assert session.can_send("Zoe")
        assert session.can_send("Zoe")
        session.send("Zoe", "Tibbles?")
        session.close("Ada")
        assert told == session.events
    assert [one.seq for one in told] == list(range(1, len(told) + 1))
    assert [one.kind for one in told].count("expectation_violated") == 1
    assert [one.kind for one in told][-5:] == ["expectation_violated", "text", "text", "text", "session_closed"]
    assert (told[-4].text, told[-4].to) == ("Tibbles?", ["Ada", "Ben"])


TOUCHES = {
    "probe": lambda session: session.can_send("Zoe"),
    "read": lambda session: session.history,
    "resume": lambda session: open_session(run=session.run),
}


@pytest.mark.long
@pytest.mark.parametrize("touch", TOUCHES.values(), ids=TOUCHES)
def test_hours_later_the_first_touch_hides_the_absent_and_asks_nobody(touch: Any, server: FakeServer) -> None:
    session = opened(server, YAN, "Ada")
    session.answer_invitation("Yan")
    start = datetime.now(UTC)
    with use_clock(lambda: start + timedelta(hours=3)):
        touch(session)
        again = open_session(run=session.run)
        assert (again.expected, again.load_snapshot().hidden) == ("Yan", ["Zoe"])
        assert [event.kind for event in again.events][-3:] == ["expectation_violated"] * 2 + ["participant_hidden"]
        assert len({event.recorded_at for event in again.events[-3:]}) == 1
        assert again.load_snapshot().deadline == format_time(start + timedelta(hours=3, seconds=120))
        assert again.restore_participant("Zoe").expected_next_speaker == "Yan"
        again.send("Yan", "Good morning.")
        assert (again.expected, len(server.chats)) == ("Zoe", 1)


def test_models_whose_turn_it_becomes_wait_for_a_tick(server: FakeServer) -> None:
    session = opened(server)
    with use_clock(lambda: datetime.now(UTC) + timedelta(hours=3)):
        assert (session.expected, len(server.chats)) == ("Ada", 0)
        look = session.advance()
        assert (look.turn_count, look.expected_next_speaker, len(server.chats)) == (2, "", 2)
        with pytest.raises(OutOfTurnError, match="your turns are being skipped"):
            session.send("Zoe", "Sorry!")
        assert session.restore_participant("Zoe").expected_next_speaker == "Zoe"
        assert session.send("Zoe", "Sorry!").turn == 3


def test_people_are_invited_and_answer(server: FakeServer) -> None:
    session = opened(server, YAN, "Ada")
    assert (session.status, session.load_snapshot().invited) == ("inviting", ["Yan"])
    with pytest.raises(SessionOverError, match="invitations are unanswered"):
        session.send("Zoe", "Hello?")
    with pytest.raises(NotAParticipantError, match="waiting for Yan"):
        session.answer_invitation("Eve")
    with pytest.raises(NotInvitedError, match="there is no invitation to answer; waiting for Yan"):
        session.answer_invitation("Zoe")
    assert session.answer_invitation("Yan").status == "open"
    with pytest.raises(SessionOverError, match="no invitation is open"):
        session.answer_invitation("Yan")


@pytest.mark.parametrize("value", [{"accept": "no"}, {"accept": 1}, {}, "yes", {"pass": True}, None], ids=str)
def test_what_is_no_answer_to_an_invitation_neither_accepts_nor_declines_it(value: Any, server: FakeServer) -> None:
    session = opened(server, YAN, "Ada")
    (question,) = resume_waiting_run(session.run)
    with pytest.raises(InputError):
        answer_question(session.run, question["id"], "Yan", value)
    assert (session.status, session.load_snapshot().invited) == ("inviting", ["Yan"])
    answer_question(session.run, question["id"], "Yan", {"accept": True})
    assert session.status == "open"


def test_looking_at_a_session_opens_it_without_a_guest_it_does_not_need(server: FakeServer) -> None:
    session = opened(server, YAN | {"required": False}, "Ada")
    assert session.status == "inviting"
    with use_clock(lambda: datetime.now(UTC) + timedelta(minutes=11)):
        look = session.load_snapshot()
        assert (look.status, look.expected_next_speaker, look.hidden) == ("open", "Zoe", ["Yan"])
        assert session.restore_participant("Yan").hidden == []


@pytest.mark.parametrize("how", ["decline", "close"])
def test_a_session_can_fail_to_open(how: str, server: FakeServer) -> None:
    session = opened(server, YAN, "Ada")
    look = session.answer_invitation("Yan", False, "No time.") if how == "decline" else session.close("Zoe", "Later.")
    assert look.status == ("refused" if how == "decline" else "closed")
    assert look.outcome is not None
    assert len(server.chats) == 0


def test_a_session_ends_when_its_time_is_over_whoever_looks(server: FakeServer) -> None:
    session = opened(server, ttl=3600)
    with use_clock(lambda: datetime.now(UTC) + timedelta(hours=2)):
        look = session.load_snapshot()
        assert (look.status, look.events[-1].kind) == ("expired", "session_expired")
        assert look.outcome is not None
        assert look.outcome.reason == "expired"
        with pytest.raises(SessionOverError):
            session.send("Zoe", "Hello?")


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "another ordering": ({"settings": {"ordering": "free"}}, "ordering = 'free': must be 'round_robin'"),
    "an unknown setting": ({"settings": {"max_turn": 3}}, "max_turn = 3: unknown key; did you mean max_turns?"),
    "no time": ({"ttl": 0.0}, "ttl = 0.0: must be more than 0"),
    "one alone": ({"participants": ["Ada"]}, "participants = ['Ada']: a session needs two participants or more"),
    "models without an end": ({}, "ttl = None: a session without people never ends by itself: give max_turns"),
    "no topic": ({"topic": " "}, "topic = ' ': give a text that is not blank"),
    "a word nobody knows": ({"creater": "Zoe"}, "creater = 'Zoe': unknown key; did you mean creator?"),
    "a setting among the options": ({"max_turns": 3}, "max_turns = 3: give it in settings={'max_turns': …}"),
    "a saved run and a topic": ({"run": "discussion-x"}, "topic = 'Tea': the saved session discussion-x has its own"),
    "no such run": ({"topic": "", "participants": [], "run": "discussion-nobody"}, "no such run"),
    "no name of a run": ({"topic": "", "participants": [], "run": "../x"}, "no run has such a name"),
}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "one text": ({"participants": "Ada"}, "participants = 'Ada': give a list"),
    "one mapping": ({"participants": {"Ada": "a model"}}, "participants = {'Ada': 'a model'}: give a list"),
    "none": ({"participants": None}, "participants = None: give a list"),
    "a number": ({"participants": 3}, "participants = 3: give a list"),
    "numbers": ({"participants": ["Ada", 3]}, "participants.1 = 3: give a name, or a mapping"),
    "a list in a list": ({"participants": [["Ada"], "Ben"]}, "participants.0 = ['Ada']: give a name"),
    "a name that is none": ({"participants": [{"name": 3}, "Ben"]}, "participants.0.name = 3: "),
    "a creator that is a number": ({"creator": 3}, "creator = 3: give a name, or a mapping"),
    "settings in a list": ({"settings": ["max_turns"]}, "settings = ['max_turns']: give a mapping"),
    "a time that is a word": ({"ttl": "long"}, "ttl = 'long': give seconds"),
    "personas in a list": ({"personas": ["x"]}, "personas = ['x']: give a mapping"),
    "a topic that is a number": ({"topic": 3}, "topic = 3: give a text"),
    "a listener that does not listen": ({"on_event": "print"}, "on_event = 'print': give a function"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_what_is_of_the_wrong_kind_is_refused_in_one_line(case: tuple[dict[str, Any], str]) -> None:
    given, why = case
    whole: dict[str, Any] = {"topic": "Tea", "participants": ["Ada", "Ben"], **given}
    with pytest.raises(InputError) as error:
        open_session(**whole)
    assert why in str(error.value)
    assert listed() == []


@pytest.mark.long
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_session_that_cannot_work_is_refused_in_one_line(
    case: tuple[dict[str, Any], str], server: FakeServer
) -> None:
    given, why = case
    opened(server).close("Zoe")
    settings = {"model": f"openai:fake@{server.url}"} | given.pop("settings", {})
    with pytest.raises(InputError) as error:
        open_session(given.pop("topic", "Tea"), given.pop("participants", ["Ada", "Ben"]), settings=settings, **given)
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert (len(server.chats), len(listed())) == (0, 1)


@pytest.mark.parametrize("creator", ["Zoe", {"name": "zoe", "kind": "person"}, "Max"])
def test_the_creator_speaks_first_be_it_a_participant_or_somebody_more(creator: Any, server: FakeServer) -> None:
    others: list[Any] = ["Ada", {"name": "Zoe", "kind": "person"}]
    settings = {"model": f"openai:fake@{server.url}", "max_turns": 1}
    session = open_session("Tea", others, creator=creator, settings=settings)
    first = creator if isinstance(creator, str) else "zoe"
    assert session.participant_order == [first, "Ada", *(["Zoe"] if creator == "Max" else [])]


def test_a_model_that_cannot_be_reached_keeps_the_text_and_goes_on_later() -> None:
    with FakeServer(faults={1: Fault.status(401)}) as server:
        session = opened(server)
        with pytest.raises(RunStoppedError, match="Ada"):
            session.send("Zoe", "Tibbles?", id="m1")
        assert (session.expected, session.turn_count) == ("Ada", 1)
        assert session.send("Zoe", "Tibbles?", id="m1").turn == 1
        assert session.advance().expected_next_speaker == "Zoe"
        assert (session.turn_count, len(server.chats)) == (3, 3)


def test_an_unfinished_session_can_be_closed_without_a_model() -> None:
    with FakeServer(faults={1: Fault.status(401)}) as server:
        session = opened(server)
        with pytest.raises(RunStoppedError):
            session.send("Zoe", "Tibbles?")
        assert session.close("Zoe").status == "closed"
        assert len(server.chats) == 1


def test_a_model_object_is_given_again_when_the_session_is_taken_up() -> None:
    model = ScriptedChat(script=lambda *_: "A sound statement.")
    session = open_session("Tea", ["Ada"], creator=ZOE, settings={"model": model})
    session.send("Zoe", "Green or black?")
    again = open_session(run=session.run, settings={"model": model})
    assert again.send("Zoe", "And when?").turn == 3
    assert len(model.prompts) == 2
    with pytest.raises(InputError, match="a session keeps the settings it was opened with"):
        open_session(run=session.run, settings={"max_turns": 3})
    with pytest.raises(RunStoppedError, match="pass it again"):
        open_session(run=session.run).send("Zoe", "And where?")


def test_of_two_clients_that_answer_the_same_turn_one_is_told_so(server: FakeServer) -> None:
    session = opened(server)
    server.hold()
    first = threading.Thread(target=session.send, args=("Zoe", "Mine!"), kwargs={"turn": 1})
    first.start()
    server.wait_for(1, within=20)
    with pytest.raises((StaleTurnError, OutOfTurnError)):
        open_session(run=session.run).send("Zoe", "No, mine!", turn=1)
    server.release()
    first.join(20)
    assert [statement.content for statement in session.history if statement.speaker == "Zoe"] == ["Mine!"]
    assert len(server.chats) == 2


def test_clients_of_other_threads_that_race_are_all_answered(server: FakeServer) -> None:
    session, taken, refused = opened(server), [], []

    def send(number: int) -> None:
        try:
            taken.append(open_session(run=session.run).send("Zoe", f"Number {number}.", turn=1))
        except (StaleTurnError, OutOfTurnError) as refusal:
            refused.append(refusal)

    racers = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(60)
    assert (len(taken), len(refused)) == (1, 3)
    assert [statement.content for statement in session.history if statement.speaker == "Zoe"] == [taken[0].content]
    assert len(server.chats) == 2


SENDER = """
import sys
from moot import open_session
from moot.state.session import SendError
try:
    print("taken", open_session(run=sys.argv[1]).send("Zoe", sys.argv[2], turn=1).turn, flush=True)
except SendError as refusal:
    print(refusal.reason, flush=True)
"""


def sender(run: str, text: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-W", "ignore", "-c", SENDER, run, text]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.long
def test_of_two_processes_that_answer_the_same_turn_one_is_told_so(server: FakeServer) -> None:
    session = opened(server)
    racers = [sender(session.run, text) for text in ("Mine!", "No, mine!")]
    texts = sorted(racer.communicate(timeout=60)[0].strip() for racer in racers)
    assert texts[-1] == "taken 1"
    assert texts[0] in ("stale_turn", "out_of_turn")
    assert (session.turn_count, len(server.chats)) == (3, 2)


@pytest.mark.long
def test_a_process_killed_while_a_model_speaks_loses_nothing() -> None:
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        session = opened(server)
        process = sender(session.run, "Tibbles?")
        server.wait_for(2, within=30)
        killed(process)
        assert (session.expected, session.turn_count) == ("Ben", 2)
        look = session.advance()
    assert [statement.speaker for statement in look.history] == ["Zoe", "Ada", "Ben"]
    assert len(server.chats) == 3


def test_the_same_from_async_code(server: FakeServer) -> None:
    told: list[str] = []

    async def collect_event(event: SessionEvent) -> None:
        told.append(event.kind)

    async def talk() -> list[str]:
        settings = {"model": f"openai:fake@{server.url}"}
        session = await aopen_session("Tea", ["Ada", "Ben"], creator=ZOE, settings=settings, on_event=collect_event)
        assert await session.can_send("Zoe")
        await session.send("Zoe", "Green or black?")
        with pytest.raises(OutOfTurnError):
            await session.validate_send("Ada", "Black.")
        return [event.kind for event in (await session.close("Zoe")).events]

    assert asyncio.run(talk()) == told


def test_sessions_live_in_the_database_they_were_opened_in(server: FakeServer, tmp_path: Path) -> None:
    place = str(tmp_path / "other.db")
    session = opened(server, db=place)
    assert listed() == []
    assert listed("--db", place)[0]["run"] == session.run
    assert open_session(run=session.run, db=place).expected == "Zoe"
