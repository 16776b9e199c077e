"""The room as people meet it: in a real browser, while it is alive, killed and opened again."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest
from browsing import find_faults, open_browser
from command import apart, document, ended, listed
from moot.app.protocols.registry import get_protocol
from moot.app.run.execution import take_step
from moot.app.run.request import merge_layers
from moot.app.run.start import create_run
from moot.app.saved import open_database
from playwright.sync_api import Browser, BrowserContext, Page, expect
from ports import free_port
from sampling import sample_cases
from servers.room import Room, open_room

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    for one in ("debate", "consensus"):
        document(one, "Should we <b>ban</b> cars?", "--model", "rehearsal", "--db", folder / "moot.db")
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> str:
    """A finished consensus."""
    return next(
        saved_run["run"] for saved_run in listed("--db", folder / "moot.db") if saved_run["protocol"] == "consensus"
    )


@pytest.fixture(scope="module")
def room(folder: Path) -> Iterator[Room]:
    with open_room(folder, "--rehearsal-delay", "0.3") as room:
        yield room


@pytest.fixture(scope="module")
def browser(room: Room, run: str) -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def people(browser: Browser, room: Room) -> Iterator[BrowserContext]:
    """A browser that has come in."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(room.address)
    expect(page.locator("h1")).to_have_text("Deliberations")
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(people: BrowserContext, room: Room) -> Iterator[Page]:
    """A page whose browser complains of nothing."""
    page = people.new_page()
    complaints: list[str] = []
    page.on("console", lambda event: complaints.append(f"{event.text} {event.location}"))
    page.on("pageerror", lambda event: complaints.append(event.message))
    page.goto(room.root)
    yield page
    page.close()
    assert [complaint for complaint in complaints if "ERR_" not in complaint and "status of 400" not in complaint] == []


def begin(page: Page, root: str, protocol: str = "debate", **settings: str) -> str:
    """Begin a rehearsal from the form that nothing ends before its cap, and give the run's name."""
    page.goto(f"{root}/new?protocol={protocol}")
    page.locator("#topic").fill("Is tea better than coffee?")
    page.locator("#more > summary").click()
    for name, value in {"seed": "1", **settings}.items():
        page.locator(f"#{name}").fill(value)
    page.get_by_role("button", name="Rehearse first").click()
    page.wait_for_url("**/runs/*")
    return page.url.rpartition("/")[2]


def numbers(page: Page) -> list[str]:
    """The turns on the page, in order."""
    return page.locator(".turns > li .number").all_inner_texts()


def test_a_rehearsal_begun_from_the_form_is_watched_to_its_end(page: Page, room: Room) -> None:
    begin(page, room.root, max_turns="4")
    expect(page.locator("#acts .state")).to_have_text("Running")
    expect(page.locator("#doing")).to_contain_text(re.compile("PRO|CON"))
    expect(page.locator("#turn-1")).to_be_visible()
    page.reload()
    expect(page.locator("#acts .state")).to_have_text("Finished", timeout=20_000)
    expect(page.locator("#closing")).to_be_visible()
    expect(page.locator("#now")).to_be_hidden()
    record = page.request.get(f"{page.url}/data").json()
    assert numbers(page) == [str(turn["turnNumber"]) for turn in record["turns"]]
    for turn in record["turns"]:
        assert turn["content"].split("\n")[0][:60] in page.locator(f"#turn-{turn['turnNumber']}").inner_text()


DRAWN = """[...document.querySelectorAll("#talk > :not(.round), .round > :not(.course), #figures-part > *")]
    .map((one) => one.textContent.replace(/\\s+/g, " ").trim())"""
"""What stands on a page beside its statements."""


def test_what_is_drawn_beside_the_statements_comes_without_a_reload(page: Page, room: Room) -> None:
    begin(page, room.root, "council")
    expect(page.locator("#talk-title")).to_have_text("Participants")
    expect(page.locator("#acts .state")).to_have_text("Finished", timeout=20_000)
    expect(page.locator("#talk-title")).to_have_text("Conversation")
    expect(page.locator("#figures-part #reviews")).to_be_visible()
    watched = page.evaluate(DRAWN)
    page.reload()
    assert watched == page.evaluate(DRAWN)


async def entered_alone(db: Path) -> str:
    """A run of which no step was taken yet."""
    async with open_database(db) as store:
        return (await create_run(store, ASKED)).run


async def stepped(db: Path, name: str) -> None:
    """Take the first step of a run."""
    async with open_database(db) as store:
        await take_step(store, name, ASKED.input)


ASKED = merge_layers(get_protocol("debate"), [{}, {"topic": "Tea?", "model": "rehearsal"}])


def test_a_page_opened_before_the_first_step_becomes_that_of_the_run(page: Page, room: Room, folder: Path) -> None:
    with ThreadPoolExecutor(1) as beside:
        name = beside.submit(asyncio.run, entered_alone(folder / "moot.db")).result()
        page.goto(f"{room.root}/runs/{name}")
        expect(page.locator("#main")).to_contain_text("Nothing is saved yet.")
        beside.submit(asyncio.run, stepped(folder / "moot.db", name)).result()
        expect(page.locator("#talk-title")).to_have_text("Participants")


def test_a_run_is_stopped_and_goes_on_where_it_stopped_and_is_forked_from_a_turn(page: Page, room: Room) -> None:
    name = begin(page, room.root, max_turns="12")
    expect(page.locator("#turn-2")).to_be_visible()
    page.get_by_role("button", name="Stop run").click()
    expect(page.locator("#acts .state")).to_have_text("Stopped", timeout=10_000)
    before = numbers(page)
    page.get_by_role("button", name="Resume run").click()
    expect(page.locator("#acts .state")).to_have_text("Finished", timeout=20_000)
    expect(page.locator(f"#turn-{before[-1]}")).to_be_visible()
    assert numbers(page)[: len(before)] == before
    assert len(set(numbers(page))) == len(numbers(page)) > len(before)
    page.goto(f"{room.root}/runs/{name}/fork?turn=2")
    page.locator("#said").fill("I have changed my mind about tea entirely.")
    page.locator("#rules").fill("max_turns=4")
    page.get_by_role("button", name="Start fork").click()
    expect(page.locator("#turn-2")).to_contain_text("changed my mind about tea entirely")
    page.get_by_role("link", name=f"Compare with {name}").click()
    expect(page.locator(".pair.same")).to_have_count(1)
    expect(page.locator(".pair", has=page.locator("#turn-2"))).to_contain_text("changed my mind about tea entirely")


def test_what_cannot_be_used_stands_beside_its_field(page: Page, room: Room) -> None:
    page.goto(f"{room.root}/new?protocol=consensus")
    page.locator("#topic").fill("Tea?")
    page.locator("#more > summary").click()
    page.locator("[id='budget.calls']").fill("-3")
    page.get_by_role("button", name="Rehearse first").click()
    expect(page.locator("[id='wrong-budget.calls']")).to_contain_text("at least 1")
    expect(page.locator("#topic")).to_have_value("Tea?")


def test_a_killed_room_is_opened_again_and_goes_on_by_itself_and_nothing_is_lost_or_doubled(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    port = free_port()
    with browser.new_context() as context, open_room(tmp_path, "--rehearsal-delay", "0.3", port=port) as room:
        page = context.new_page()
        page.goto(room.address)
        begin(page, room.root, max_turns="8")
        expect(page.locator("#turn-2")).to_be_visible()
        room.kill()
        seen = numbers(page)
        with open_room(tmp_path, "--rehearsal-delay", "0.1", port=port):
            expect(page.locator("#acts .state")).to_have_text("Finished", timeout=20_000)
            assert numbers(page)[: len(seen)] == seen
            record = page.request.get(f"{page.url}/data").json()
            assert numbers(page) == [str(turn["turnNumber"]) for turn in record["turns"]]


def test_a_page_follows_what_another_process_saves(page: Page, room: Room, folder: Path) -> None:
    name = begin(page, room.root, max_turns="12")
    expect(page.locator("#turn-1")).to_be_visible()
    page.get_by_role("button", name="Stop run").click()
    expect(page.locator("#acts .state")).to_have_text("Stopped", timeout=10_000)
    before = len(numbers(page))
    assert ended(apart(["resume", name, "--quiet", "--db", folder / "moot.db"]))[0] == 0
    expect(page.locator("#acts .state")).to_have_text("Finished")
    assert len(set(numbers(page))) == len(numbers(page)) > before


WEIGHT = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, one) => sum + one.decodedBodySize, 0)"""
PAGES = ["/", "/new", "/new?protocol=consensus", "/runs/{run}", "/runs/{run}/fork", "/runs/{run}/delete", "/compare"]


@pytest.mark.parametrize("path", sample_cases(PAGES, kinds=0, share=3))
def test_a_page_is_for_everyone_light_and_fits_a_phone(path: str, page: Page, room: Room, run: str) -> None:
    page.goto(room.root + path.format(run=run))
    assert 0 < page.evaluate(WEIGHT) < 150_000
    assert find_faults(page, *product((1280, 360), ("light", "dark"))) == []


def test_without_its_script_a_run_is_begun_and_read(browser: Browser, tmp_path: Path) -> None:
    with (
        browser.new_context(java_script_enabled=False) as context,
        open_room(tmp_path, "--rehearsal-delay", "0") as room,
    ):
        page = context.new_page()
        page.goto(room.address)
        begin(page, room.root, max_turns="4")
        for _ in range(20):
            if page.locator("#closing").count():
                break
            page.reload()
        assert len(numbers(page)) > 0
        assert page.locator("button[type=button]:visible").count() == 0
