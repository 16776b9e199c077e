"""Chromium with the pages of Moot, and what axe and a ruler find on them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser until the end of the block."""
    with sync_playwright() as driver:
        program = next(filter(None, map(shutil.which, CHROMIUM)))
        chromium = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


def find_faults(page: Page, *looks: tuple[int, str]) -> list[Any]:
    """What axe finds on a page of such widths and schemes, its folds open, and where it is wider than that."""
    found: list[Any] = []
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"wider than {width}")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        response = Axe().run(page, options={"resultTypes": ["violations"]}).response
        assert response["passes"], "axe looked at nothing"
        found += [
            (violation["id"], violation["nodes"][0]["html"], violation["nodes"][0]["failureSummary"])
            for violation in response["violations"]
        ]
    return found
