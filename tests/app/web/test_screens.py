"""Each page of the room in each state, as it is seen: a picture of it, and what a ruler and axe find.

The pictures are kept in the folder that SCREENS names, and otherwise thrown away.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from browsing import find_faults, open_browser
from command import document, listed, moot
from fakeserver import FakeServer
from moot.app.protocols.registry import get_protocol
from moot.app.run.execution import take_step
from moot.app.run.request import merge_layers
from moot.app.run.start import create_run
from moot.app.saved import Run, open_database
from playwright.sync_api import BrowserContext, Page, expect
from sampling import sample_cases
from seats import reply
from servers.room import Room, open_room

pytestmark = pytest.mark.chromium

PICTURES = os.environ.get("SCREENS")

FAULT = "models.gpt-5 = openai:gpt-5: must be a model that the key may use; the server answered 401"


WAITING = "Tea or coffee in the office?"


async def fill(db: Path) -> None:
    """A run that was stopped after some steps, one that failed, one that needs a package and their experiment."""
    request = merge_layers(
        get_protocol("consensus"), [{}, {"topic": "Should we meet on Mondays?", "model": "rehearsal"}]
    )
    async with open_database(db) as store:
        run = await create_run(store, request)
        await take_step(store, run.run, request.input)
        for _ in range(9):
            await take_step(store, run.run, None)
        fields = {"protocol": "debate", "topic": "Is it cold?", "started": "2026-01-31T10:00:00.000Z"}
        await store.runs.add_run(Run.model_validate({"run": "failed", "fault": FAULT, **fields}))
        package = {"protocol": "mock_trial", "settings": {"packages": {"protocol": "moot-trials 1.0"}}}
        await store.runs.add_run(Run.model_validate({"run": "foreign", **fields, **package}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    place = ("--model", "rehearsal", "--db", folder / "moot.db")
    document("debate", "Should cities ban cars from their centres?", "--max-turns", "6", *place)
    document("consensus", "Should our team work a four-day week?", "--max-rounds", "3", "--vote", "borda", *place)
    waits = ("--participant", "Ada", "--participant", "Ben", "--participant", "Yan=person")
    moot("consensus", WAITING, *waits, *place)
    plan = {"name": "sweets", "protocol": "debate", "settings": {"max_turns": 2, "model": "rehearsal"}}
    (folder / "plan.yaml").write_text(yaml.safe_dump({**plan, "items": ["Tax sugar?"], "conditions": {"plain": {}}}))
    assert moot("experiment", "run", folder / "plan.yaml", "--db", folder / "moot.db").exit_code == 0
    with ThreadPoolExecutor(1) as beside:
        beside.submit(asyncio.run, fill(folder / "moot.db")).result()
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, str]:
    """The name of each run, by its topic. It is read before the browser has an event loop of its own."""
    return {run["topic"]: run["run"] for run in listed("--db", folder / "moot.db")}


@pytest.fixture(scope="module")
def room(folder: Path, runs: dict[str, str]) -> Iterator[Room]:
    with open_room(folder, "--rehearsal-delay", "4") as room:
        yield room


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer(reply) as server:
        yield server


@pytest.fixture(scope="module")
def people(room: Room) -> Iterator[BrowserContext]:
    """A browser that has come in."""
    with open_browser() as browser, browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(room.address)
        expect(page.locator("h1")).to_have_text("Deliberations")
        yield context


@pytest.fixture
def page(people: BrowserContext) -> Iterator[Page]:
    page = people.new_page()
    page.set_default_timeout(10_000)
    yield page
    people.set_offline(False)
    page.close()


Show = Callable[[Page, Room, dict[str, str], str], object]
"""A way to a page in a state. It is given the page, the room, the names of runs, and the address of a model."""


def show_path(path: str) -> Show:
    return lambda page, room, _, __: page.goto(room.root + path)


def show_run(topic: str) -> Show:
    """The page of the run with this topic."""
    return lambda page, room, runs, _: page.goto(f"{room.root}/runs/{runs[topic]}")


def show_live(page: Page, room: Room, _: object, __: object) -> None:
    page.goto(f"{room.root}/new?protocol=debate")
    page.locator("#topic").fill("Should schools start later?")
    page.get_by_role("button", name="Rehearse first").click()
    page.wait_for_url("**/runs/*")
    expect(page.locator("#turn-1")).to_be_visible(timeout=20_000)


def show_lost(page: Page, room: Room, runs: dict[str, str], server: str) -> None:
    show_run(WAITING)(page, room, runs, server)
    expect(page.locator("#pause")).not_to_have_attribute("hidden", "")
    page.context.set_offline(True)
    expect(page.locator("#gone")).to_be_visible()


def show_price(page: Page, room: Room, _: object, server: str) -> None:
    page.goto(f"{room.root}/new?protocol=debate")
    page.locator("#topic").fill("Is rain good?")
    page.locator("#model").fill(f"openai:fake@{server}")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("dialog")).to_be_visible()


def show_faults(page: Page, room: Room, _: object, __: object) -> None:
    page.goto(f"{room.root}/new?protocol=consensus")
    page.locator("#more > summary").click()
    page.locator("[id='budget.calls']").fill("-3")
    page.locator("[id='retry_delays']").fill("[1, oops")
    page.get_by_role("button", name="Rehearse first").click()
    expect(page.locator("#fault")).to_be_visible()


def show_link(page: Page, room: Room, runs: dict[str, str], server: str) -> None:
    show_run(WAITING)(page, room, runs, server)
    page.locator("#seats button[value=link]").click()
    expect(page.locator("#address")).to_be_visible()


def show_invited(page: Page, room: Room, runs: dict[str, str], server: str) -> None:
    show_link(page, room, runs, server)
    page.goto(page.locator("#address").input_value())
    expect(page.locator("#arrival")).to_contain_text("Yan")


def show_turn(page: Page, room: Room, runs: dict[str, str], server: str) -> None:
    show_invited(page, room, runs, server)
    page.get_by_role("button", name="Take my seat").click()
    expect(page.get_by_role("button", name="Send statement")).to_be_visible()
    expect(page.get_by_text("Who sits here")).to_have_count(0)


STATES: dict[str, Show] = {
    "runs": show_path("/"),
    "none-found": show_path("/?q=nothing"),
    "protocols": show_path("/new"),
    "form": show_path("/new?protocol=debate"),
    "form-faults": show_faults,
    "price": show_price,
    "live": show_live,
    "waiting": show_run(WAITING),
    "stopped": show_run("Should we meet on Mondays?"),
    "failed": show_path("/runs/failed"),
    "package-missing": show_path("/runs/foreign"),
    "lost": show_lost,
    "finished": show_run("Should our team work a four-day week?"),
    "finished-debate": show_run("Should cities ban cars from their centres?"),
    "experiments": show_path("/experiments"),
    "experiment": show_path("/experiments/sweets"),
    "link": show_link,
    "seat-invited": show_invited,
    "seat-turn": show_turn,
}


@pytest.mark.parametrize("state", sample_cases([*STATES], kinds=0, share=3))
def test_a_page_in_each_state_fits_every_screen_and_paper_and_axe_finds_nothing(
    state: str, page: Page, room: Room, runs: dict[str, str], server: FakeServer, tmp_path: Path
) -> None:
    pictures = Path(PICTURES or tmp_path)
    pictures.mkdir(parents=True, exist_ok=True)
    STATES[state](page, room, runs, server.url)
    for width, height, scheme in ((1280, 800, "light"), (1280, 800, "dark"), (390, 844, "light")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.screenshot(path=pictures / f"{state}-{width}-{scheme}.png")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    page.screenshot(path=pictures / f"{state}-print.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert page.locator("h1").first.is_visible()
    assert all(bar.is_visible() for bar in page.locator("rect.bar").all())
    page.emulate_media(media="screen")
    assert find_faults(page, (320, "light"), (1920, "dark")) == []


def test_the_first_screen_of_the_form_shows_the_start_and_the_price(page: Page, room: Room) -> None:
    page.goto(f"{room.root}/new?protocol=debate")
    page.set_viewport_size({"width": 1280, "height": 800})
    for one in (page.get_by_role("button", name="Start", exact=True), page.locator(".price")):
        box = one.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 800


def test_the_first_screen_of_an_empty_room_says_how_to_begin(people: BrowserContext, tmp_path: Path) -> None:
    with open_room(tmp_path) as room:
        page = people.new_page()
        page.goto(room.address)
        expect(page.get_by_role("link", name="Rehearse")).to_be_in_viewport()
        assert find_faults(page, (320, "light"), (1920, "dark")) == []
        page.close()
