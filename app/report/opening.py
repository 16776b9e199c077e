"""The head of a report: what it was about, how it ended and on what evidence, and the run in figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...prompts import term
from ..evidence import measured
from ..transcript import SAID_IN_FULL
from .blocks import duration, figure, moment
from .page import Page


@dataclass(frozen=True)
class Opening:
    """What stands above everything else. `label`: said first where no model took part; `facts`: name and figure."""

    label: str
    protocol: str
    topic: str
    headline: str
    evidence: Sequence[str | Markup]
    quote: str
    facts: Sequence[tuple[str, str]]


def opening(page: Page) -> Opening:
    """The head of a run's report."""
    document = page.document
    label = term(page.language, "headline", "rehearsal") if document["rehearsal"] else ""
    ended, told = document["headline"].removeprefix(label).strip(), document["terminationReason"] in SAID_IN_FULL
    return Opening(
        label=label,
        protocol=page.word("protocols", document["protocol"]),
        topic=document["topic"] or document["run"],
        headline=ended or page.say("opening.unfinished", count=len(document["turns"])),
        evidence=[] if told else _evidence(page),
        quote=document["evidence"]["quote"] if document["evidence"] and not told else "",
        facts=[(page.say(f"facts.{key}"), value) for key, value in _facts(page) if value],
    )


def _evidence(page: Page) -> list[str | Markup]:
    """What the ending rests on, beside its quotation: turns, each linked; a figure and its threshold; a note."""
    found = page.document["evidence"]
    if not found:
        return []
    parts: list[str | Markup] = []
    if turns := [page.turn(turn) for turn in found["turns"]]:
        named = page.say("opening.turns" if len(turns) > 1 else "opening.turn")
        parts.append(Markup("{} {}").format(named, Markup(", ").join(turns)))
    if found["figure"] is not None and (parts or found["quote"] or found["note"]):
        against = found["threshold"]
        key = "opening.figure" if against is None else "opening.figure_against"
        parts.append(page.say(key, figure=f"{found['figure']:g}", threshold="" if against is None else f"{against:g}"))
    return [*parts, *([measured(found["note"], page.language)] if found["note"] else [])]


def _facts(page: Page) -> list[tuple[str, str]]:
    document = page.document
    money = document["totalCost"]
    began = document["startedAt"]
    return [
        ("run", document["run"]),
        ("reason", page.word("reasons", document["terminationReason"] or "")),
        ("status", page.word("statuses", document["status"])),
        ("model", document["model"]),
        ("seed", "" if document["seed"] is None else str(document["seed"])),
        ("language", page.language),
        ("began", f"{moment(began)} UTC" if began else ""),
        ("took", duration(document["totalTimeMs"])),
        ("turns", figure(len(document["turns"]))),
        ("calls", figure(document["totalCalls"])),
        ("tokens", figure(document["totalTokens"])),
        ("cost", "" if money is None else figure(money, 4)),
    ]
