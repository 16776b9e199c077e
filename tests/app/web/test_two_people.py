"""Two people at their seats, each in a browser of their own, and a model finish a consensus with a vote."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from browsing import find_faults, open_browser
from command.terminal import typed
from fakeserver import FakeServer
from playwright.sync_api import Browser, Page, expect
from ports import free_port
from seats import SAID, Seat, begun_in, link, reply
from servers.room import Room, open_room

pytestmark = pytest.mark.chromium

expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


def write(page: Page, text: str) -> None:
    """Write in the box, and wait until the draft is kept."""
    page.locator("#text").fill(text)
    expect(page.locator("#kept")).to_have_text("Draft saved.")


def vote(page: Page) -> None:
    """Fill in the ballot with the keyboard alone, and send it."""
    page.locator("input[name=choice]").first.focus()
    page.keyboard.press("Space")
    page.locator("[name=reason]").fill("It is fair.")
    page.get_by_role("button", name="Cast ballot").focus()
    page.keyboard.press("Enter")


def take_seats(room: Room, inside: httpx.Client, run: str, pages: dict[str, Page]) -> None:
    """Open each seat and take it; nobody is asked before all are there."""
    for who, page in pages.items():
        page.goto(f"{room.root}/seat/{link(inside, run, who)}")
        expect(page.locator("#arrival")).to_contain_text("Who sits here")
        page.get_by_role("button", name="Take my seat").click()
        if who != [*pages][-1]:
            expect(page.locator("#turn")).to_contain_text("Waiting for")
            expect(page.get_by_role("button", name="Send statement")).to_have_count(0)


def test_two_people_in_two_browsers_and_a_model_finish_a_consensus_with_a_vote(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    with FakeServer(reply=reply) as server:
        with open_room(tmp_path, port=port) as room, room.client() as inside:
            run = begun_in(inside, f"openai:any@{server.url}", open_ballot="true")
            pages = {who: browser.new_context().new_page() for who in ("Yan", "Zoe")}
            take_seats(room, inside, run, pages)
            for page in pages.values():
                expect(page.locator("#turn")).to_contain_text("It is your turn.")
                expect(page.locator(".company")).to_contain_text("Ann: a language model")
            yan, zoe = pages.values()
            write(yan, SAID["Yan"])
            yan.reload()
            expect(yan.locator("#text")).to_have_value(SAID["Yan"])
            assert find_faults(yan, (1280, "dark"), (360, "light")) == []
            zoe.context.set_offline(True)
            zoe.locator("#text").fill(SAID["Zoe"])
            zoe.get_by_role("button", name="Send statement").click()
            expect(zoe.locator("#unsent")).to_be_visible()
            expect(zoe.locator("#text")).to_have_value(SAID["Zoe"])
            room.kill()
            expect(yan.locator("#lost")).to_contain_text("No connection since")
        with open_room(tmp_path, port=port) as room, room.client() as inside:
            expect(yan.locator("#badge")).to_contain_text("Your turn")
            expect(yan.locator("#lost")).to_be_hidden()
            yan.reload()
            expect(yan.locator("#text")).to_have_value(SAID["Yan"])
            yan.get_by_role("button", name="Send statement").click()
            expect(yan.locator("#turn")).to_contain_text("Zoe’s turn")
            assert find_faults(yan, (1280, "light"), (360, "light")) == []
            expect(yan.locator("#said > li")).to_have_count(1)
            zoe.context.set_offline(False)
            zoe.get_by_role("button", name="Send statement").click()
            expect(yan.locator("#said")).to_contain_text("Coffee wakes people up")
            expect(yan.locator("#said > li.unread")).to_have_count(2)
            expect(yan.locator("legend", has_text="Which one do you choose?")).to_be_visible()
            assert find_faults(yan, (1280, "light"), (360, "dark")) == []
            for page in pages.values():
                vote(page)
            for page in pages.values():
                expect(page.locator("#turn")).to_contain_text("The run has ended.")
                expect(page.locator("#ending .verdict")).to_be_visible()
            document = inside.get(f"{run}/data").json()
    said = {turn["speakerId"]: turn["content"] for turn in document["turns"]}
    assert {who: said[who] for who in SAID} == SAID
    assert len(document["turns"]) == 3
    assert document["terminationReason"] == "vote_decided"
    assert json.dumps(document["polls"]).count("It is fair.") == 2
    assert len(document["calls"]) == len(server.chats)


def test_two_people_in_browsers_and_one_at_a_terminal_finish_a_consensus_with_a_vote(
    browser: Browser, tmp_path: Path
) -> None:
    keys = [("Ann> ", "Both, says Ann.\r"), ("Which one do you choose? (A, B, C): ", "abstain\r")]
    keys += [("Why? (Enter: leave it empty) ", "I like both.\r")]
    with FakeServer(reply=reply) as server, open_room(tmp_path) as room, room.client() as inside:
        run = begun_in(inside, f"openai:any@{server.url}", **{"seat.1.kind": "person"})
        pages = {who: browser.new_context().new_page() for who in SAID}
        with ThreadPoolExecutor() as aside:
            words = ["join", run.rpartition("/")[2], "--as", "Ann", "--wait", "--db", tmp_path / "moot.db"]
            ann = aside.submit(typed, words, keys)
            for who, page in pages.items():
                page.goto(f"{room.root}/seat/{link(inside, run, who)}")
                page.get_by_role("button", name="Take my seat").click()
            for who, page in pages.items():
                page.locator("#text").fill(SAID[who])
                expect(page.get_by_role("button", name="Send statement")).to_be_visible()
                page.locator("#text").press("Control+Enter")
                expect(page.locator("#turn")).to_contain_text("Your statement is sent.")
            for page in pages.values():
                expect(page.get_by_role("button", name="Skip turn")).to_have_count(0)
                vote(page)
            result = ann.result()
        for page in pages.values():
            expect(page.locator("#ending .verdict")).to_be_visible()
        document = inside.get(f"{run}/data").json()
    assert result.code == 0, result.text
    assert {turn["speakerId"]: turn["content"] for turn in document["turns"]} == {**SAID, "Ann": "Both, says Ann."}
    assert document["terminationReason"] == "vote_decided"
    assert document["polls"][-1]["tally"]["abstentions"] == 1


def test_on_a_phone_the_answer_box_and_the_newest_statements_stand_on_one_screen(
    browser: Browser, tmp_path: Path
) -> None:
    filled = {"topic": "Ban cars?", "do": "rehearse", "max_turns": "8", "seed": "1"}
    filled |= {"seat.1.name": "Ann", "seat.2.name": "Yan"}
    with open_room(tmp_path) as room, room.client() as inside:
        run = str(inside.post("/new?protocol=debate", data=filled | {"seat.2.kind": "person"}).headers["location"])
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        take_seats(room, inside, run, {"Yan": page})
        for turn, text in (
            (1, "Shops lose those who carry heavy goods."),
            (3, "Ambulances need a street of their own."),
        ):
            expect(page.locator(f"#turn-{turn}")).to_be_visible()
            page.locator("#text").fill(text)
            page.get_by_role("button", name="Send statement").click()
        expect(page.locator("#turn-5")).to_be_visible()
        expect(page.locator("#badge")).to_contain_text("Your turn")
        for part in ("#badge", "#turn-5", "#text", "#sends .first"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.9)
        assert page.locator("#sends .first").bounding_box()["height"] >= 44  # type: ignore[index]
        expect(page.locator("#turn-1")).to_be_hidden()
        page.get_by_text("Show all 5 statements").click()
        expect(page.locator("#turn-1")).to_be_visible()
        assert find_faults(page, (390, "light"), (320, "dark")) == []


def test_what_somebody_writes_ahead_stays_as_it_is_and_can_be_said_once_it_is_their_turn(
    browser: Browser, tmp_path: Path
) -> None:
    filled = {"topic": "Ban cars?", "do": "rehearse", "max_turns": "4", "seat.1.name": "Yan", "seat.2.name": "Zoe"}
    filled |= {"seat.1.kind": "person", "seat.2.kind": "person"}
    with open_room(tmp_path) as room, room.client() as inside:
        run = str(inside.post("/new?protocol=debate", data=filled).headers["location"])
        yan, zoe = (browser.new_context().new_page() for _ in SAID)
        take_seats(room, inside, run, {"Yan": yan, "Zoe": zoe})
        expect(zoe.locator("#turn")).to_contain_text("Yan’s turn")
        assert zoe.get_by_role("button", name="Send statement").count() == 0
        zoe.locator("#text").press_sequentially("I think ahead")
        yan.locator("#text").fill(SAID["Yan"])
        yan.get_by_role("button", name="Send statement").click()
        expect(zoe.get_by_role("button", name="Send statement")).to_be_visible()
        expect(zoe.locator("#said")).to_contain_text("calm")
        expect(zoe.locator("#text")).to_be_focused()
        zoe.keyboard.type(", and now I go on.")
        zoe.keyboard.press("Tab")
        zoe.keyboard.press("Enter")
        expect(yan.locator("#said")).to_contain_text("I think ahead, and now I go on.")
        expect(zoe.locator("#text")).to_have_value("")


def test_a_text_that_was_written_for_another_question_is_never_sent_as_the_answer_to_the_one_that_came(
    browser: Browser, tmp_path: Path
) -> None:
    with FakeServer(reply=reply) as server, open_room(tmp_path, port=free_port()) as room, room.client() as inside:
        seats = {"seat.1.name": "Yan", "seat.1.kind": "person", "seat.2.name": "Ann", "max_turns": "4"}
        form = {"topic": "Tea?", "model": f"openai:any@{server.url}", "do": "begin", "most": "tokens=9000000", **seats}
        run = str(inside.post("/new?protocol=debate", data=form).headers["location"])
        token = link(inside, run, "Yan")
        page = browser.new_context().new_page()
        page.goto(f"{room.root}/seat/{token}")
        page.get_by_role("button", name="Take my seat").click()
        expect(page.locator("#turn")).to_contain_text("It is your turn.")
        write(page, "Written for the first question.")
        seat = Seat(inside, token)  # the same seat, elsewhere
        seat.post("say", text="Said on another device.")
        expect(page.locator("#changed")).to_be_visible()
        page.get_by_role("button", name="Send statement").click()
        expect(page.locator("main")).to_contain_text("too late", ignore_case=True)
        expect(page.locator("#text")).to_have_value("Written for the first question.")
        contents = [turn["content"] for turn in inside.get(f"{run}/data").json()["turns"] if turn["speakerId"] == "Yan"]
        assert contents == ["Said on another device."]


def test_a_ballot_is_ranked_by_keys_alone_and_its_seat_says_what_became_of_it(browser: Browser, tmp_path: Path) -> None:
    with FakeServer(reply=reply) as server, open_room(tmp_path) as room, room.client() as inside:
        run = begun_in(inside, f"openai:any@{server.url}", vote="instant_runoff")
        pages = {who: browser.new_context().new_page() for who in ("Yan", "Zoe")}
        take_seats(room, inside, run, pages)
        yan, zoe = pages.values()
        for who, page in pages.items():
            page.locator("#text").fill(SAID[who])
            page.get_by_role("button", name="Send statement").click()
        expect(yan.locator("fieldset.ranking")).to_contain_text(SAID["Zoe"])
        expect(yan.locator("fieldset.ranking select").first).to_be_hidden()
        assert find_faults(yan, (1280, "dark"), (320, "light")) == []
        for place in (1, 2):
            yan.get_by_role("button", name=f"Add as {place}").first.focus()
            yan.keyboard.press("Enter")
        expect(yan.locator(".status")).to_contain_text(", 2 of 2")
        yan.get_by_role("button", name="Move up").last.press("Enter")
        expect(yan.locator(".ranked > li").first).to_contain_text("Tea keeps the office calm")
        expect(yan.get_by_role("button", name="Move down").first).to_be_focused()
        yan.get_by_role("button", name="Cast ballot").press("Enter")
        expect(yan.locator("#turn")).to_contain_text("Your ballot is cast.")
        expect(yan.locator("#turn")).to_contain_text("2 of 3 have answered")
        yan.get_by_text("My answer").click()
        expect(yan.locator("#turn")).to_contain_text("Tea keeps the office calm, says Yan.")
        yan.context.set_offline(True)
        expect(yan.locator("#lost")).to_contain_text("No connection since")
        yan.context.set_offline(False)
        expect(yan.locator("#found")).to_be_visible()
        zoe.get_by_role("button", name="Add as 1").first.click()
        zoe.get_by_role("button", name="Cast ballot").click()
        expect(yan.locator("#ending .verdict")).to_be_visible()
        assert find_faults(yan, (1280, "light"), (320, "dark")) == []
        yan.get_by_role("link", name="Read the report").click()
        expect(yan.locator("h1")).to_contain_text("Tea or coffee?")
        tally = inside.get(f"{run}/data").json()["polls"][-1]["tally"]
    assert tally["totals"] == {"A": 2, "B": 1, "C": 0}, "Yan put the second one first"


def test_an_invitation_is_copied_and_drawn_and_its_seat_s_state_stands_in_a_table(
    browser: Browser, tmp_path: Path
) -> None:
    filled = {"topic": "Ban cars?", "do": "rehearse", "seat.1.kind": "person", "seat.1.name": "", "seat.2.name": ""}
    with open_room(tmp_path) as room:
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(room.address)
        response = page.request.post(f"{room.root}/new?protocol=debate", form=filled, headers={"origin": room.root})
        page.goto(response.url)
        row = page.locator("#seats tbody tr")
        expect(row).to_contain_text("has no link")
        page.get_by_role("button", name="Create link: PRO").click()
        expect(page.locator("#main")).to_contain_text("This address works on this machine only.")
        page.get_by_role("button", name="Copy").click()
        expect(page.locator("#copied")).to_be_visible()
        address = page.locator("#address").input_value()
        assert page.evaluate("navigator.clipboard.readText()") == address
        if find_spec("segno"):
            expect(page.get_by_role("img", name="QR code of the link").locator("svg")).to_be_visible()
        assert find_faults(page, (1280, "light"), (320, "dark")) == []
