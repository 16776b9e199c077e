"""A run's document as one HTML file that needs nothing else: no network, no font, no picture, no script of others.

Everything is on the page without that script; with it, statements can be searched and charts saved.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ..hooks import hooks_of
from .blocks import NONE, Figure
from .cost import cost
from .experiment import applications, ballots, private
from .glance import glance
from .head import head
from .page import Page, page, tint
from .papers import papers
from .payoffs import payoffs, result
from .positions import stands
from .rankings import rankings
from .record import about, events, incidents, memories, rules
from .reviews import reviews
from .rotation import guests
from .section import Maker, Section
from .talk import rounds
from .votes import votes

FIGURES: Mapping[str, Sequence[Maker]] = {
    "stands": [stands],
    "votes": [votes, ballots],
    "reviews": [reviews],
    "payoffs": [payoffs],
    "rankings": [rankings],
    "applications": [applications],
}
"""What follows the conversation, by anchor and heading, in this order; what a run has nothing of is left out."""

RECORD: Mapping[str, Sequence[Maker]] = {
    "about": [about],
    "incidents": [incidents],
    "cost": [cost],
    "log": [events],
    "private": [private],
    "memory": [memories],
    "rules": [rules],
}
"""What is folded at the end, likewise."""

ENDLESS = 24
"""Characters of a word that may be broken anywhere in a table, so that the table fits a sheet of paper."""


def html(document: Mapping[str, Any]) -> str:
    """The report of a run."""
    shown = page(document)
    closing = shown.document["synthesis"]
    template = templates().get_template("report.html")
    return template.render(
        page=shown,
        say=shown.say,
        style=_asset("report.css"),
        script=_asset("report.js"),
        script_hash=_hash("report.js"),
        version=version("moot"),
        opening=head(shown),
        glance=glance(shown),
        closing=shown.prose.closing(closing) if closing else "",
        result=result(shown),
        rounds=rounds(shown),
        guests=guests(shown),
        papers=papers(shown),
        sections=figures(shown),
        record=sections(shown, RECORD),
    )


def figures(shown: Page) -> list[Section]:
    """What follows the conversation: the protocol's own sections, and those that every protocol may have."""
    return sections(shown, {**hooks_of(shown.document["protocol"]).sections, **FIGURES})


def sections(shown: Page, kinds: Mapping[str, Sequence[Maker]]) -> list[Section]:
    """Those of these sections that this run has something for."""
    made = {name: [block for make in makers for block in make(shown)] for name, makers in kinds.items()}
    return [Section(name, shown.say(f"sections.{name}"), blocks) for name, blocks in made.items() if blocks]


@cache
def templates() -> Environment:
    """The templates and macros of a report, with the tests and filters they use."""
    environment = Environment(
        loader=PackageLoader(str(__package__), "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["figure"] = lambda value: isinstance(value, Figure)
    environment.tests["endless"] = lambda value: (
        not isinstance(value, Markup) and any(len(word) > ENDLESS for word in value.split())
    )
    environment.tests["nothing"] = lambda value: value == NONE
    environment.filters |= {"tint": tint}
    return environment


def report_policy() -> str:
    """What a server that hands out a report says of it: nothing is loaded, and one script runs."""
    script = f"script-src 'sha256-{_hash('report.js')}'"
    closed = "; ".join(f"{one} 'none'" for one in ("default-src", "base-uri", "form-action", "frame-ancestors"))
    return f"{closed}; style-src 'unsafe-inline'; {script}"


@cache
def _asset(name: str) -> Markup:
    return Markup((files(__package__) / "templates" / name).read_text("utf-8"))


@cache
def _hash(name: str) -> str:
    """What the page's security policy knows the script by."""
    return b64encode(sha256(_asset(name).encode()).digest()).decode()
