"""The report as a reader meets it: in a real browser, on a desk and on a phone, by day and by night, on paper."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from moot.app.report import render_html
from playwright.sync_api import Browser, Page, expect, sync_playwright
from records.documents import LONG, SCRIPT, WORDS, by_hand, run
from sampling import sample_cases

pytestmark = pytest.mark.chromium

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
WIDTHS = {"desk": 1280, "phone": 360}
SHOWN = [*WORDS, "hostile", "long", "es", "zh"]


@pytest.fixture(scope="module")
def files(documents: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of every protocol, of other languages, and of a run in which everything hostile was said."""
    folder = tmp_path_factory.mktemp("reports")
    records = documents | {"hostile": by_hand(), "long": run(LONG, folder)}
    for name, record in records.items():
        (folder / f"{name}.html").write_text(render_html(record), "utf-8")
    return {name: folder / f"{name}.html" for name in records}


@pytest.fixture(scope="module")
def browser(files: dict[str, Path]) -> Iterator[Browser]:
    """Chromium, started after the runs are made, since it keeps an event loop of its own."""
    with sync_playwright() as driver:
        program = next(filter(None, map(shutil.which, CHROMIUM)))
        chromium = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


class Seen:
    """A page that has been opened, and what the browser told of it: its requests, and whatever it complained of."""

    def __init__(self, browser: Browser, path: Path, width: int = 1280, scheme: Any = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda event: self.requests.append(event.url))
        self.page.on("console", lambda event: self.complaints.append(event.text))
        self.page.on("pageerror", lambda event: self.complaints.append(event.message))
        self.page.on("dialog", lambda event: self.complaints.append(event.message))
        self.page.goto(path.as_uri())

    def __enter__(self) -> "Seen":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("name", sample_cases(SHOWN, kinds=0, share=3))
def test_a_report_is_readable_for_everyone_and_asks_nobody(name: str, browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files[name]) as seen:
        for width, scheme in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]:
            seen.page.set_viewport_size({"width": width, "height": 800})
            seen.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        seen.page.evaluate(UNFOLD)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert faults(seen.page) == []
        seen.page.set_viewport_size({"width": 1280, "height": 800})
        seen.page.emulate_media(color_scheme="light")
        assert faults(seen.page) == []
        assert seen.requests == [files[name].as_uri()]
        assert seen.complaints == []


def faults(page: Page) -> list[tuple[str, str, str]]:
    """What axe finds: the rule, the first element, what is wrong with it."""
    response = Axe().run(page).response
    assert response["passes"], "axe looked at nothing"
    return [
        (violation["id"], violation["nodes"][0]["html"], violation["nodes"][0]["failureSummary"])
        for violation in response["violations"]
    ]


def test_dark_and_light_differ(browser: Browser, files: dict[str, Path]) -> None:
    def background(scheme: str) -> str:
        with Seen(browser, files["debate"], scheme=scheme) as seen:
            return str(seen.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light, dark = background("light"), background("dark")
    assert sum(map(int, re.findall(r"\d+", light))) > 600
    assert sum(map(int, re.findall(r"\d+", dark))) < 150


def test_pro_stands_left_of_con(browser: Browser, files: dict[str, Path]) -> None:
    for width in WIDTHS.values():
        with Seen(browser, files["debate"], width) as seen:
            pro, con = (seen.page.locator(f"#turn-{turn}").bounding_box() for turn in (1, 2))
            assert pro
            assert con
            assert pro["x"] < con["x"]
            assert pro["x"] + pro["width"] < con["x"] + con["width"]


def test_what_a_model_wrote_is_text(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["hostile"]) as seen:
        assert SCRIPT in seen.page.locator("#turn-1").inner_text()
        assert SCRIPT in seen.page.locator("h1").inner_text()
        assert "red and reversed, nothing." in seen.page.locator("#turn-1").inner_text()
        assert seen.page.locator("#turn-1 script, #turn-1 img").count() == 0
        assert seen.complaints == []


def test_a_citation_leads_to_its_turn_by_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["hostile"]) as seen:
        seen.page.locator("#closing a.cite", has_text="3").focus()
        seen.page.keyboard.press("Enter")
        expect(seen.page).to_have_url(re.compile("#turn-3$"))
        expect(seen.page.locator("#turn-3")).to_be_in_viewport()


def test_the_first_tab_skips_to_the_conversation(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["debate"]) as seen:
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.getAttribute('href')") == "#talk"
        assert seen.page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]


def test_charts_draw_their_lines_inside_their_frames(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["justice"]) as seen:
        frame = seen.page.locator("#rankings .chart > svg").first.bounding_box()
        assert frame
        for circle in seen.page.locator("#rankings .chart > svg circle").all():
            box = circle.bounding_box()
            assert box
            assert frame["x"] <= box["x"] <= frame["x"] + frame["width"] - box["width"]
            assert frame["y"] <= box["y"] <= frame["y"] + frame["height"] - box["height"]


@pytest.mark.parametrize("name", ["consensus", "discussion", "justice", "long", "zh"])
def test_a_phone_shows_every_word_of_a_table_without_scrolling(
    name: str, browser: Browser, files: dict[str, Path]
) -> None:
    with Seen(browser, files[name], 360) as seen:
        assert seen.page.locator(".stacked").count() > 0
        seen.page.evaluate(UNFOLD)
        wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
        assert seen.page.locator(".stacked .scroll").evaluate_all(wide) == []
        head, cell = seen.page.locator(".stacked thead th").nth(1), seen.page.locator(".stacked td:not(.none)").first
        assert head.inner_text().strip() == cell.get_attribute("data-label")


def test_the_names_of_rows_leave_a_phone_room_for_figures(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["long"], 360) as seen:
        for name in seen.page.locator(".table:not(.stacked) tbody th").all():
            assert (name.bounding_box() or {"width": 360})["width"] < 240


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_the_words_of_charts_stay_inside_them(width: int, browser: Browser, files: dict[str, Path]) -> None:
    for name in ("consensus", "justice", "long"):
        with Seen(browser, files[name], width) as seen:
            outside = """all => all.flatMap(chart => [...chart.querySelectorAll("text")].filter(one => {
                const [out, own] = [chart.getBoundingClientRect(), one.getBoundingClientRect()];
                return own.left < out.left - 1 || own.right > out.right + 1 || own.height < 10;
            }).map(one => one.textContent))"""
            assert seen.page.locator(".chart > svg").evaluate_all(outside) == []


def test_statements_are_found_by_speaker_and_by_words(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["consensus"]) as seen:
        page, locator = seen.page, seen.page.locator(".turns > li")
        page.locator(".tools button").nth(2).click()
        who = page.locator('.tools button[aria-pressed="true"]').get_attribute("value")
        assert {one.get_attribute("data-who") for one in page.locator(".turns > li:visible").all()} == {who}
        page.locator(".tools button").first.click()
        assert page.locator(".turns > li:visible").count() == locator.count()
        word = locator.nth(3).locator(".prose").inner_text().split()[5]
        page.locator(".tools input").fill(word.upper())
        texts = page.locator(".turns > li:visible").all_inner_texts()
        assert 0 < len(texts) < locator.count()
        assert all(word.casefold() in text.casefold() for text in texts)
        assert page.locator(".tools output").inner_text() == f"{len(texts)} / {locator.count()}"
        page.locator(".tools input").fill("nobody says this")
        assert page.locator(".round:visible").count() == 0
        page.evaluate("location.hash = '#turn-2'")
        page.locator("#turn-2").wait_for(state="visible")
        assert seen.complaints == []


def test_a_chart_is_saved_as_a_drawing_that_stands_alone(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    with Seen(browser, files["consensus"]) as seen:
        buttons = seen.page.locator("button.save:visible").all()
        assert buttons
        for place, button in enumerate(buttons):
            with seen.page.expect_download() as waiting:
                button.click()
            waiting.value.save_as(tmp_path / f"{place}.svg")
            drawing = ElementTree.parse(tmp_path / f"{place}.svg").getroot()
            shapes = [one for one in drawing.iter() if one.tag.endswith(("rect", "polyline"))]
            assert all(shape.get("fill", "").startswith(("rgb", "none")) for shape in shapes)
            assert not [one for one in drawing.iter() if one.get("class") or one.get("style")]
        assert waiting.value.suggested_filename.startswith("consensus-")


def test_without_its_script_a_report_shows_everything_and_offers_no_dead_button(
    browser: Browser, files: dict[str, Path]
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(files["consensus"].as_uri())
        assert page.locator(".turns > li:visible").count() == page.locator(".turns > li").count() > 0
        assert page.locator("button:visible, input:visible").count() == 0


def test_on_paper_no_table_is_wider_than_the_sheet(browser: Browser, files: dict[str, Path]) -> None:
    for name in ("long", "justice", "discussion", "hostile"):
        with Seen(browser, files[name], 680) as seen:
            seen.page.emulate_media(media="print")
            seen.page.evaluate(UNFOLD)
            wide = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText)"
            assert seen.page.locator(".table .scroll").evaluate_all(wide) == []


def test_on_paper_everything_folded_is_shown_and_the_menu_is_not(browser: Browser, files: dict[str, Path]) -> None:
    with Seen(browser, files["hostile"], scheme="dark") as seen:
        persona = seen.page.locator("#who-1 details > p")
        assert not persona.is_visible()
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("nav").is_visible()
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert (persona.bounding_box() or {"height": 0})["height"] > 0
        assert persona.is_visible()
        assert seen.page.pdf(format="A4").startswith(b"%PDF")
