"""A run's document as one HTML file that needs nothing else: no network, no script, no font, no picture."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from .blocks import NONE, Figure, moment
from .cost import cost
from .experiment import applications, ballots, private
from .head import head
from .page import Page, page, tint
from .papers import papers
from .payoffs import payoffs
from .positions import stands
from .rankings import rankings
from .record import events, incidents, memories, rules
from .rotation import guests
from .section import Maker, Section
from .talk import rounds
from .votes import votes

SECTIONS: Mapping[str, Sequence[Maker]] = {
    "stands": [stands],
    "votes": [votes, ballots],
    "payoffs": [payoffs],
    "rankings": [rankings],
    "applications": [applications],
    "log": [events],
    "incidents": [incidents],
    "cost": [cost],
    "private": [private],
    "memory": [memories],
    "rules": [rules],
}
"""What follows the conversation, by anchor and heading, in this order; what a run has nothing of is left out."""


ENDLESS = 24
"""Characters of a word that may be broken anywhere in a table, so that the table fits a sheet of paper."""


def html(document: Mapping[str, Any]) -> str:
    """The report of a run."""
    shown = page(document)
    closing = shown.document["synthesis"]
    return (
        _templates()
        .get_template("report.html")
        .render(
            page=shown,
            say=shown.say,
            style=_style(),
            version=version("moot"),
            opening=head(shown),
            closing=shown.prose.closing(closing) if closing else "",
            rounds=rounds(shown),
            guests=guests(shown),
            papers=papers(shown),
            sections=sections(shown),
        )
    )


def sections(shown: Page) -> list[Section]:
    """The sections this run has something for."""
    made = {name: [block for make in makers for block in make(shown)] for name, makers in SECTIONS.items()}
    return [Section(name, shown.say(f"sections.{name}"), blocks) for name, blocks in made.items() if blocks]


@cache
def _templates() -> Environment:
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
    environment.filters |= {"moment": moment, "tint": tint}
    return environment


@cache
def _style() -> Markup:
    return Markup((files(__package__) / "templates" / "report.css").read_text("utf-8"))
