"""Report of a run as one HTML file, without network access, fonts, pictures or foreign scripts.

The page is complete without its own script, which adds search and saving of charts.
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

from ..protocols.hooks import BlockMaker
from .blocks import MISSING, Figure, ReportSection
from .conversation import list_rounds
from .opening import build_opening
from .overview import build_overview, list_further_charts
from .page import Page, build_page, format_colour_classes, format_model
from .positions import list_position_tables
from .record import list_cost_tables, list_incident_tables, list_memory_blocks, list_run_facts, list_setting_blocks
from .votes import list_vote_blocks

FIGURE_SECTIONS: Mapping[str, Sequence[BlockMaker]] = {
    "stands": [list_further_charts, list_position_tables],
    "votes": [list_vote_blocks],
}
"""Sections after the conversation in order, by anchor and heading. Empty sections are left out."""

RECORD_SECTIONS: Mapping[str, Sequence[BlockMaker]] = {
    "about": [list_run_facts],
    "incidents": [list_incident_tables],
    "cost": [list_cost_tables],
    "log": [],
    "private": [],
    "memory": [list_memory_blocks],
    "rules": [list_setting_blocks],
}
"""Folded sections at the end of the page in order, by anchor and heading. Protocols fill the empty ones."""

LONG_WORD = 24
"""Minimum characters of a word that may break anywhere in a table, so that the table fits on paper."""


def render_html(document: Mapping[str, Any]) -> str:
    """Render a run's document as the HTML page of its report."""
    page = build_page(document)
    template = load_report_templates().get_template("report.html")
    return template.render(
        page=page,
        say=page.say,
        style=read_asset("report.css"),
        script=read_asset("report.js"),
        script_hash=_hash_asset("report.js"),
        version=version("moot"),
        opening=build_opening(page),
        glance=build_overview(page),
        closing=page.renderer.render_synthesis(synthesis) if (synthesis := page.document["synthesis"]) else "",
        result=page.hooks.summary(page),
        rounds=list_rounds(page),
        guests=page.hooks.guests(page),
        papers=page.hooks.papers(page),
        sections=build_figure_sections(page),
        record=build_record_sections(page),
    )


def build_figure_sections(page: Page) -> list[ReportSection]:
    """Build the sections after the conversation: the protocol's own, then those of all protocols."""
    return _build_sections(page, page.hooks.sections, FIGURE_SECTIONS)


def build_record_sections(page: Page, names: Sequence[str] = ()) -> list[ReportSection]:
    """Build the folded sections with the run's record, at the end of the page.

    `names`: anchors of the sections that come first, in this order.
    """
    shared_sections = {name: RECORD_SECTIONS[name] for name in names or RECORD_SECTIONS}
    return _build_sections(page, shared_sections, {} if names else page.hooks.record_sections)


def _build_sections(page: Page, *groups: Mapping[str, Sequence[BlockMaker]]) -> list[ReportSection]:
    """Build the sections that have content for this run.

    `groups`: makers of blocks by name of the section. Groups with the same name become one section.
    """
    return [
        ReportSection(name, page.get_label("sections", name), blocks)
        for name in dict.fromkeys(name for group in groups for name in group)
        if (blocks := [block for group in groups for builder in group.get(name, []) for block in builder(page)])
    ]


@cache
def load_report_templates() -> Environment:
    """Return the Jinja environment of the report's templates, with its tests and filters."""
    environment = Environment(
        loader=PackageLoader(str(__package__), "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["figure"] = lambda value: isinstance(value, Figure)
    environment.tests["endless"] = lambda value: (
        not isinstance(value, Markup) and any(len(word) > LONG_WORD for word in value.split())
    )
    environment.tests["nothing"] = lambda value: value == MISSING
    environment.filters |= {
        "tint": format_colour_classes,
        "model_name": format_model,
        "class_name": lambda block: type(block).__name__,
    }
    return environment


def format_security_policy() -> str:
    """Return the Content-Security-Policy of a served report.

    It allows the report's own script and no other resource.
    """
    # the page may run the script with this hash
    script_directive = f"script-src 'sha256-{_hash_asset('report.js')}'"
    denials = "; ".join(
        f"{directive} 'none'" for directive in ("default-src", "base-uri", "form-action", "frame-ancestors")
    )
    return f"{denials}; style-src 'unsafe-inline'; {script_directive}"


@cache
def read_asset(name: str) -> Markup:
    """Return a file of the report's templates as safe markup."""
    return Markup((files(__package__) / "templates" / name).read_text("utf-8"))


@cache
def _hash_asset(name: str) -> str:
    return b64encode(sha256(read_asset(name).encode()).digest()).decode()
