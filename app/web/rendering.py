"""Translation of the room's phrases, and rendering of pages in the language of a run or a browser."""

from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse

from ...prompts import LANGUAGES, get_base_language, load_phrases
from ..display.wording import get_label
from ..report import load_report_templates


def make_translator(language: str) -> Callable[..., str]:
    """Return the function that translates a phrase of the room, by its key, into `language`."""
    return partial(load_phrases("web").translate_phrase, language)


def detect_browser_language(request: Request) -> str:
    """Return the first supported language that the browser asks for, or English."""
    for entry in request.headers.get("accept-language", "")[:300].split(","):
        tag = entry.partition(";")[0].strip().lower()
        if tag.split("-")[0] in LANGUAGES:
            return get_base_language(tag)
    return "en"


@cache
def get_environment() -> Environment:
    """Return the environment of the room's and the report's templates, with filters and tests."""
    return load_report_templates().overlay(
        loader=ChoiceLoader(
            [PackageLoader(str(__package__), "templates"), *filter(None, [load_report_templates().loader])]
        )
    )


def render_template(name: str, language: str, **values: Any) -> str:
    """Render the template `name` in a language with `values`, and return the HTML."""
    values |= {"say": make_translator(language), "language": language, "word": get_label}
    return get_environment().get_template(name).render(values)


def render_response(name: str, language: str, code: int = 200, **values: Any) -> HTMLResponse:
    """Render the template `name` in a language as an HTML response with status `code`."""
    return HTMLResponse(render_template(name, language, **values), code)


@cache
def read_asset(name: str) -> bytes:
    """Return the content of a style sheet, script or icon of the room or the report."""
    package = "app.report" if name == "report.css" else "app.web"
    return (files(__package__.removesuffix("app.web") + package) / "templates" / name).read_bytes()
