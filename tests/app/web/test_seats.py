"""Seats in the browser as a person without a script meets them: what they show, what they keep, what they refuse."""

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fakeserver import FakeServer
from moot import open_session
from moot.app.people import answer_question
from moot.app.people.open_questions import find_question
from moot.app.saved import SavedRun, Store, load_saved_run, open_database
from moot.app.web.run_driver import RunDriver
from moot.app.web.seat import answers
from moot.app.web.seat.answers import InvalidFormError, parse_form
from moot.state.ballot import make_ballot_schema
from moot.storage.clock import use_clock
from seats import CONSENSUS, SAID, Given, Seat, begun, begun_in, link, reply
from servers.room import Room, page_with


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer(reply=reply) as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("room")


@pytest.fixture(scope="module")
def outside(room: Room) -> Iterator[httpx.Client]:
    """Somebody who has not come into the room."""
    with httpx.Client(base_url=room.root, headers={"origin": room.root}, timeout=30, trust_env=False) as client:
        yield client


@pytest.fixture
def run(inside: httpx.Client, server: FakeServer) -> str:
    """A consensus that waits for Yan and Zoe in its first, blind round."""
    return waits(inside, begun_in(inside, f"openai:any@{server.url}"))


def waits(inside: httpx.Client, run: str) -> str:
    """The run, once it waits for somebody."""
    page_with(inside, run, 'data-state="waiting"')
    return run


def seats(inside: httpx.Client, outside: httpx.Client, run: str) -> tuple[Seat, Seat]:
    """The seats of Yan and Zoe."""
    return Seat(outside, link(inside, run, "Yan")), Seat(outside, link(inside, run, "Zoe"))


def box(page: str) -> str:
    """What stands in the box."""
    return re.search(r'<textarea id="text".*?>\n(.*?)</textarea>', page, re.DOTALL)[1]  # type: ignore[index]


REACH = [
    ("GET", "/", 303),
    ("GET", "/new", 303),
    ("GET", "{run}", 303),
    ("GET", "{run}/events", 303),
    ("GET", "{run}/data", 303),
    ("GET", "{run}/report", 303),
    ("GET", "{run}/fork", 303),
    ("GET", "{run}/delete", 303),
    ("GET", "/compare", 303),
    ("GET", "/enter?token={token}", 401),
    ("GET", "/seat/{token}/data", 404),
    ("GET", "/seat/{token}/..{run}/data", 404),
    ("GET", "/seat/%2e%2e{run}", 404),
    ("GET", "/seat/{token}x", 404),
    ("GET", "/seat/", 404),
    ("POST", "/new", 401),
    ("POST", "{run}/seats", 401),
    ("POST", "{run}/stop", 401),
    ("POST", "{run}/resume", 401),
    ("POST", "{run}/delete", 401),
    ("POST", "/seat/{token}/events", 405),
]


@pytest.mark.long
def test_a_stolen_token_reaches_nothing_but_its_seat(
    room: Room, inside: httpx.Client, outside: httpx.Client, run: str
) -> None:
    token = link(inside, run, "Yan")
    cookies = {"moot_room": token}
    with httpx.Client(base_url=room.root, headers=outside.headers, cookies=cookies, trust_env=False) as thief:
        for how, path, code in REACH:
            assert (path, thief.request(how, path.format(run=run, token=token)).status_code) == (path, code)
    assert outside.post(f"/seat/{token}", headers={"origin": "https://evil.example"}).status_code == 403
    assert outside.get(f"/seat/{token}").status_code == 200


@pytest.mark.long
def test_nobody_answers_from_a_seat_what_somebody_else_or_another_run_is_asked(
    inside: httpx.Client, outside: httpx.Client, run: str, server: FakeServer
) -> None:
    other = waits(inside, begun_in(inside, f"openai:any@{server.url}"))
    yan, zoe = seats(inside, outside, run)
    before = [inside.get(f"{one}/data").json()["turns"] for one in (run, other)]
    for id in (zoe.id, Seat(outside, link(inside, other, "Yan")).id):
        assert yan.post("say", id=id, text="Not mine to say, and yet I say it.").status_code == 409
    assert [inside.get(f"{one}/data").json()["turns"] for one in (run, other)] == before


@pytest.mark.long
def test_a_blind_round_stays_blind_on_the_page_and_in_its_events(
    inside: httpx.Client, outside: httpx.Client, run: str
) -> None:
    yan, zoe = seats(inside, outside, run)
    assert "rather have tea" not in yan.page
    assert 'class="who" dir="auto">Yan' in yan.post("say", text=SAID["Yan"]).text
    assert not any(words in zoe.page for words in ("rather have tea", "calm"))
    with outside.stream("GET", f"{zoe.path}/events?after=0") as stream:
        lines = stream.iter_lines()
        assert json.loads(read_event(lines, "waiting")["data"])["who"] == ["Zoe"]
        zoe.post("say", text=SAID["Zoe"])
        first = read_event(lines, "said")
        assert "rather have tea" in first["data"]
        assert "calm" in read_event(lines, "said")["data"]
    with outside.stream("GET", f"{zoe.path}/events", headers={"last-event-id": first["id"]}) as stream:
        assert "calm" in read_event(stream.iter_lines(), "said")["data"], "what came since, and nothing twice"
    assert zoe.page.count(">New<") == 2
    assert zoe.post("read", heard="2").text.count(">New<") == 0


def read_event(lines: Iterator[str], kind: str) -> dict[str, str]:
    """The next event of a kind."""
    event: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        if line:
            event[key] = value
        elif event.get("event") == kind:
            return event
        else:
            event = {}
    raise AssertionError(kind)


def test_an_answer_is_recorded_without_loading_the_run_again_and_again(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, loads = begun(*CONSENSUS, "--model", f"openai:any@{server.url}"), list[str]()

    async def count_load(store: Store, run: str) -> SavedRun:
        loads.append(run)
        return await load_saved_run(store, run)

    async def answer_while_the_run_is_locked() -> None:
        async with open_database(create=False) as store, open_database(create=False) as database:
            room: Any = SimpleNamespace(store=store, driver=RunDriver(store, 0.0))
            question = find_question(await load_saved_run(store, name), "Yan")
            assert question
            async with database.lock(name):
                answer = asyncio.create_task(answers.submit_answer(room, name, question["id"], "Yan", SAID["Yan"]))
                await asyncio.sleep(0.7)
                assert loads == [], "nothing is loaded before the answer is sent"
            assert await answer
            await room.driver.close()

    monkeypatch.setattr(answers, "load_saved_run", count_load)
    asyncio.run(answer_while_the_run_is_locked())
    assert 1 <= len(loads) <= 3


@pytest.mark.long
def test_a_text_that_came_too_late_is_kept_and_offered_again(
    inside: httpx.Client, outside: httpx.Client, run: str, folder: Path
) -> None:
    yan, _ = seats(inside, outside, run)
    assert box(yan.post("keep", text="Half a thought …").text) == "Half a thought …"
    asked = yan.id
    answer_question(run.rpartition("/")[2], asked, "Yan", {"pass": True}, db=str(folder / "moot.db"))
    late = "I would have said so\n\nin two paragraphs."
    page = yan.post("say", id=asked, text=late)
    assert page.status_code == 409
    assert "This text came too late" in page.text
    assert box(page.text) == box(yan.page) == late


def test_a_draft_from_before_a_question_is_offered_in_the_box_and_sent_by_its_button_alone(
    inside: httpx.Client, outside: httpx.Client, run: str, folder: Path
) -> None:
    yan, zoe = seats(inside, outside, run)
    earlier = yan.id
    zoe.post("keep", text="Written before I was asked.")
    answer_question(run.rpartition("/")[2], earlier, "Yan", SAID["Yan"], db=str(folder / "moot.db"))
    yan.post("say", id=earlier, text="Written for the question before.")
    assert box(yan.page) == "Written for the question before."
    assert box(zoe.page) == "Written before I was asked."
    contents = [
        turn["content"] for turn in inside.get(f"{run}/data").json()["turns"] if turn["speakerId"] in ("Yan", "Zoe")
    ]
    assert contents == [SAID["Yan"]]


def test_no_token_is_stored_or_shown_again(inside: httpx.Client, run: str, folder: Path) -> None:
    token = link(inside, run, "Yan")
    assert not any(token in inside.get(path).text for path in (run, f"{run}/data", f"{run}/report", "/"))
    assert not any(token.encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_what_is_wrong_with_an_answer_is_said_and_it_stands_in_the_box_to_be_mended(
    inside: httpx.Client, outside: httpx.Client, run: str
) -> None:
    yan, _ = seats(inside, outside, run)
    again = yan.post("say", text="Yan:").text
    assert "it was empty. (attempt 2 of 3)" in again
    assert box(again) == "Yan:"
    assert "Write something, or skip the turn." in yan.post("say", text=" \n").text
    too_long = yan.post("say", text="No. " * 30_000)
    assert (too_long.status_code, "must have at most 100,000; shorten it" in too_long.text) == (409, True)
    assert "Zoe’s turn" in yan.post("say", text="No.").text


@pytest.mark.long
def test_a_link_is_revoked_or_made_anew_and_the_one_before_opens_nothing(
    inside: httpx.Client, outside: httpx.Client, run: str
) -> None:
    first = Seat(outside, link(inside, run, "Yan"))
    first.post("keep", text="A draft that stays.")
    with outside.stream("GET", f"{first.path}/events") as stream:
        lines = stream.iter_lines()
        read_event(lines, "waiting")
        second = Seat(outside, link(inside, run, "Yan"))
        Seat(outside, link(inside, run, "Zoe")).post("say", text=SAID["Zoe"])
        assert not any("said" in line for line in lines), "a stream of a revoked link ends"
    assert outside.get(first.path).status_code == 404
    assert outside.post(first.path, data={"do": "keep", "text": "mine"}).status_code == 404
    assert box(second.page) == "A draft that stays."
    assert inside.post(f"{run}/seats", data={"who": "Yan", "do": "revoke"}).status_code == 303
    assert outside.get(second.path).status_code == outside.get(f"{second.path}/events").status_code == 404
    assert inside.post(f"{run}/seats", data={"who": "Ann", "do": "link"}).status_code == 409, "a model has no seat"


def invited(inside: httpx.Client, **more: str) -> str:
    """A discussion that waits for the people it has invited."""
    filled = {"topic": "Tea?", "do": "rehearse", "seat.1.name": "Ann", "seat.2.name": "Yan", "seat.2.kind": "person"}
    return waits(inside, inside.post("/new?protocol=discussion", data=filled | more).headers["location"])


@pytest.mark.long
def test_an_invitation_is_accepted_or_declined_at_the_seat(inside: httpx.Client, outside: httpx.Client) -> None:
    run = invited(inside, max_turns="3")
    yan = Seat(outside, link(inside, run, "Yan"))
    assert "You are invited." in yan.page
    assert 'value="pass"' not in yan.page, "must be a text"
    assert "Please correct the marked fields." in yan.post("say", {"reason": ""}).text
    yan.post("say", {"accept": "1", "reason": ""})
    assert "It is your turn." in page_with(outside, yan.path, "It is your turn.")
    assert "I speak, then." in yan.post("say", text="I speak, then.").text
    contents = [turn["content"] for turn in inside.get(f"{run}/data").json()["turns"] if turn["speakerId"] == "Yan"]
    assert contents == ["I speak, then."]
    yan = Seat(outside, link(inside, invited(inside), "Yan"))
    yan.post("say", {"accept": "2", "reason": "I am away."})
    assert "Yan declined the invitation (“I am away.”)" in page_with(outside, yan.path, "The run has ended.")


def test_who_is_out_of_the_rotation_comes_back(inside: httpx.Client, outside: httpx.Client, folder: Path) -> None:
    settings = {"model": "rehearsal", "expectations": [{"turn_within": 60, "action": "hide"}]}
    people = [{"name": who, "kind": "person"} for who in ("Yan", "Zoe", "Bo")]
    session = open_session("Tea?", people, settings=settings, db=folder / "moot.db")
    for who in ("Zoe", "Bo"):
        session.answer_invitation(who)
    with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=61)):
        session.advance()
    yan = Seat(outside, link(inside, f"/runs/{session.run}", "Yan"))
    assert "Your turns are being skipped." in yan.page
    assert "Your turns are being skipped." not in yan.post("back").text
    assert session.load_snapshot().hidden == []


@pytest.mark.long
@pytest.mark.parametrize(
    "said", ["Ann, your reasons are the better ones.", "Ann’s code is better:\n```python\nboil(water)"]
)
def test_a_side_gives_in_at_its_seat_by_a_box_that_ends_the_statement_with_the_act(
    inside: httpx.Client, outside: httpx.Client, said: str
) -> None:
    filled = {"topic": "Tea?", "do": "rehearse", "seat.1.name": "Ann", "seat.2.name": "Yan", "seat.2.kind": "person"}
    run = waits(inside, inside.post("/new?protocol=debate", data=filled).headers["location"])
    yan = Seat(outside, link(inside, run, "Yan"))
    assert "I give up my side: end with “I concede.”" in yan.page
    yan.post("say", text="Coffee wakes people up, and tea does not.")
    page_with(outside, yan.path, "It is your turn.")
    yan.post("say", text=said, concede="1")
    page_with(outside, yan.path, "The run has ended.")
    document = inside.get(f"{run}/data").json()
    assert document["turns"][-1]["content"] == f"{said}\n\nI concede."
    assert document["terminationReason"] == "concession_detected"
    assert "Yan conceded to Ann in turn 4." in inside.get(f"{run}/report").text


def test_a_rehearsed_seat_is_called_no_model_at_a_seat_and_in_the_list(
    inside: httpx.Client, outside: httpx.Client
) -> None:
    filled = {"topic": "Tea?", "do": "rehearse", "seat.1.name": "Ann", "seat.2.name": "Yan", "seat.2.kind": "person"}
    run = waits(inside, inside.post("/new?protocol=debate", data=filled).headers["location"])
    page = Seat(outside, link(inside, run, "Yan")).page
    assert "No model takes part: the words of Ann are made up." in page
    assert ('<span class="meta">no model</span>' in page, '<span class="meta">model</span>' in page) == (True, False)
    assert "1 without a model, 1 person" in inside.get("/").text


@pytest.mark.parametrize(("language", "said"), [("es", "Es tu turno."), ("zh", "轮到你了。")])
def test_a_seat_speaks_the_language_of_its_run(
    language: str, said: str, inside: httpx.Client, outside: httpx.Client, server: FakeServer
) -> None:
    run = waits(inside, begun_in(inside, f"openai:any@{server.url}", language=language))
    page = Seat(outside, link(inside, run, "Yan")).page
    assert said in page
    assert f'<html lang="{language}">' in page


@pytest.mark.long
@pytest.mark.parametrize(
    ("protocol", "more"), [("council", {}), ("delphi", {"max_rounds": "1"})], ids=["council", "delphi"]
)
def test_where_nobody_learns_who_said_what_a_seat_shows_nobody_else_by_name_and_in_the_end_what_came_of_it(
    protocol: str, more: dict[str, str], inside: httpx.Client, outside: httpx.Client
) -> None:
    filled = {"topic": "How many?", "do": "rehearse", "seat.1.name": "Ann", "seat.2.name": "Yan", "seat.3.name": "Ben"}
    run = inside.post(f"/new?protocol={protocol}", data=filled | more | {"seat.2.kind": "person"}).headers["location"]
    yan = Seat(outside, link(inside, waits(inside, run), "Yan"))
    forms: list[Given] = [{"text": SAID["Yan"]}, {"answer": "5", "low": "4", "high": "6", "reason": "A guess."}]
    review = {f"critiques.{character}": "Fair." for character in "ABC"} | {
        f"ranking.{place}": str(place) for place in (1, 2, 3)
    }
    for form in [forms[0], {**review, "reason": "So."}] if protocol == "council" else forms[1:]:
        assert re.findall(r'class="who" dir="auto">(Ann|Ben)', yan.page) == []
        assert yan.post("say", form).status_code == 200
    page = page_with(outside, yan.path, "The run has ended.")
    assert "Your statements stay in the record under the name Yan." in page
    assert '<p class="verdict"' in page
    assert f'<a class="button" href="{yan.path}/report">Read the report</a>' in page
    assert re.search(r'<figure class="(bars|chart[^"]*)" id="glance-1"', page)


CHOICE = {"anyOf": [{"enum": ["A", "B"]}, {"type": "null"}]}
RANKED = {"type": "array", "items": {"enum": ["A", "B", "C"]}, "minItems": 2}
MARK = {"type": "object", "properties": {"option": {"enum": ["A", "B"]}, "score": {"type": "integer", "maximum": 10}}}
SCORED = {"type": "array", "items": MARK}
WORDS = {"type": "object", "properties": {"A": {"type": "string", "minLength": 1}, "B": {"type": "string"}}}
FILLED: list[tuple[str, Any, dict[str, list[str]], Any]] = [
    ("agrees", {"type": "boolean"}, {"agrees": ["2"]}, False),
    ("choice", {"enum": ["A", "B"]}, {"choice": ["2"]}, "B"),
    ("choice", CHOICE, {"choice": [""]}, None),
    ("choice", {"anyOf": [{"enum": ["A"]}, {"type": "null"}]}, {}, None),
    ("choice", {"anyOf": [{"const": "A"}, {"type": "null"}]}, {"choice": ["1"]}, "A"),
    ("unit", {"const": "kg"}, {}, "kg"),
    ("answer", {"type": "number"}, {"answer": ["0.25"]}, 0.25),
    ("reason", {"type": "string"}, {"reason": ["One.\r\n\r\nTwo."]}, "One.\n\nTwo."),
    ("ranking", RANKED, {"ranking.1": ["2"], "ranking.2": [""], "ranking.3": ["1"]}, ["C", "A"]),
    ("approvals", {**RANKED, "minItems": 0}, {"approvals": ["1", "3"]}, ["A", "C"]),
    ("approvals", {**RANKED, "minItems": 0}, {"approvals.none": ["1"]}, []),
    ("approvals", {**RANKED, "minItems": 0}, {"approvals.none": ["0"]}, InvalidFormError),
    ("approvals", {**RANKED, "minItems": 0}, {}, InvalidFormError),
    ("approvals", {**RANKED, "minItems": 0}, {"approvals": ["1"], "approvals.none": ["1"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.none": ["1"]}, InvalidFormError),
    ("changed_by", {"enum": ["", "Ben"]}, {"changed_by": ["none"]}, ""),
    ("changed_by", {"enum": ["", "Ben"]}, {"changed_by": ["1"]}, "Ben"),
    ("changed_by", {"enum": ["", "Ben"]}, {"changed_by": [""]}, InvalidFormError),
    ("changed_by", {"enum": ["", "Ben"]}, {}, InvalidFormError),
    ("standing", {"type": "array", "items": {"enum": [3, 7, 8]}}, {"standing": ["1", "3"]}, [3, 8]),
    ("standing", {"type": "array", "items": {"enum": [3, 7, 8]}}, {"standing.none": ["1"]}, []),
    ("standing", {"type": "array", "items": {"enum": [3, 7, 8]}}, {}, InvalidFormError),
    ("scores", SCORED, {"scores.1": ["7"], "scores.2": ["3"]}, [("A", 7), ("B", 3)]),
    ("critiques", WORDS, {"critiques.A": ["Good."], "critiques.B": [""]}, {"A": "Good.", "B": ""}),
    ("agrees", {"type": "boolean"}, {}, InvalidFormError),
    ("choice", {"enum": ["A", "B"]}, {"choice": ["3"]}, InvalidFormError),
    ("choice", {"enum": ["A", "B"]}, {"choice": ["000000001999"]}, InvalidFormError),
    ("choice", {"enum": ["A", "B"]}, {"choice": ["9" * 5000]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["1"], "ranking.2": ["1"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["1"], "ranking.3": ["3"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["0000000019"], "ranking.3": ["2"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["1"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["2"], "ranking.2": ["1"], "ranking.3": ["1st"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["9" * 5000], "ranking.2": ["9" * 5000]}, InvalidFormError),
    ("scores", {"type": "array", "items": MARK}, {"scores.1": ["7"], "scores.2": ["11"]}, InvalidFormError),
    ("critiques", WORDS, {"critiques.A": [" "]}, InvalidFormError),
    ("agrees", {"type": "boolean"}, {"agrees": ["1", "2"]}, InvalidFormError),
    ("choice", {"enum": ["A", "B"]}, {"choice": ["2", "1"]}, InvalidFormError),
    ("ranking", RANKED, {"ranking.1": ["2", "1"], "ranking.3": ["3"]}, InvalidFormError),
    ("scores", {"type": "array", "items": MARK}, {"scores.1": ["7", "0"], "scores.2": ["3"]}, InvalidFormError),
]


@pytest.mark.parametrize(("name", "field", "given", "value"), FILLED, ids=[f"{one[0]} {one[2]}"[:80] for one in FILLED])
def test_a_form_is_read_as_it_was_filled_in_and_nothing_of_it_is_guessed(
    name: str, field: Any, given: dict[str, list[str]], value: Any
) -> None:
    schema = {"properties": {name: field}}
    if value is InvalidFormError:
        with pytest.raises(InvalidFormError):
            parse_form(schema, given, "en")
        return
    if name == "scores":
        value = [{"option": option, "score": score} for option, score in value]
    assert parse_form(schema, given, "en") == {name: value}


@pytest.mark.long
def test_who_abstains_need_not_choose() -> None:
    schema = {"properties": {"choice": CHOICE, "abstain": {"type": "boolean"}}}
    assert parse_form(schema, {"abstain": ["1"]}, "en") == {"choice": None, "abstain": True}
    assert parse_form(schema, {"choice": ["2"]}, "en") == {"choice": "B", "abstain": False}
    assert parse_form(schema, {"choice": [""], "abstain": ["1"]}, "en") == {"choice": None, "abstain": True}
    scores = {"properties": {"scores": {"anyOf": [SCORED, {"type": "null"}]}, "abstain": {"type": "boolean"}}}
    assert parse_form(scores, {"scores.1": [""], "abstain": ["1"]}, "en") == {"scores": None, "abstain": True}
    ballot = make_ballot_schema("choice", ["A", "B"], is_weighted=True, may_abstain=True).model_json_schema()
    abstention = {"choice": None, "weight": None, "abstain": True, "reason": ""}
    assert parse_form(ballot, {"weight": [""], "abstain": ["1"], "reason": [""]}, "en") == abstention
    for blank in ({"choice": ["1"], "weight": [""]}, {"choice": [""], "weight": ["5"]}):
        with pytest.raises(InvalidFormError, match="Choose one"):
            parse_form(ballot, {**blank, "reason": [""]}, "en")
    for contrary_schema, contrary in ((schema, {"choice": ["2"]}), (scores, {"scores.2": ["7"]})):
        with pytest.raises(InvalidFormError, match="both voted and abstained"):
            parse_form(contrary_schema, {**contrary, "abstain": ["1"]}, "en")
