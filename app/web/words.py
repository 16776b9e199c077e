"""The room's own words, in the language of a run or of the browser, and the templates that use them."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse

from ...prompts import LANGUAGES, base_language, phrases
from ..report.render import templates

Say = Callable[..., str]
"""A phrase of the room by its key."""


def saying(language: str) -> Say:
    """The room's phrases in a language."""

    def say(key: str, **values: object) -> str:
        return phrases("web").say(language, key, **values)

    return say


def language_of(request: Request) -> str:
    """The first language the browser asks for that there are words in; else English."""
    for one in request.headers.get("accept-language", "")[:300].split(","):
        tag = one.partition(";")[0].strip().lower()
        if tag.split("-")[0] in LANGUAGES:
            return base_language(tag)
    return "en"


def word(language: str, section: str, key: str, kind: str = "report") -> str:
    """The word of the report for an id; the id itself where there is none."""
    return phrases(kind).say(language, f"{section}.{key}") if key in phrases(kind).keys(section) else key


@cache
def environment() -> Environment:
    """The room's templates and those of the report, with its tests and filters."""
    loader = ChoiceLoader([PackageLoader(str(__package__), "templates"), *filter(None, [templates().loader])])
    return templates().overlay(loader=loader)


def rendered(name: str, language: str, **values: Any) -> str:
    """A page in a language."""
    return environment().get_template(name).render(say=saying(language), language=language, word=word, **values)


def shown(name: str, language: str, code: int = 200, **values: Any) -> HTMLResponse:
    """The same as an answer."""
    return HTMLResponse(rendered(name, language, **values), code)


@cache
def asset(name: str) -> bytes:
    """A file that pages name: the room's own, or the report's."""
    package = "app.report" if name == "report.css" else "app.web"
    root = __package__.removesuffix("app.web") + package
    return (files(root) / "templates" / name).read_bytes()
