"""The head of a report: topic, ending with its evidence, and the run in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...prompts import term
from ...state.text import clipped
from ..display.evidence import counted, found
from ..display.transcript import SAID_IN_FULL
from ..display.wording import statements
from ..hooks import hooks_of
from ..saved import origin_lines
from .blocks import duration, figure, moment
from .experiment import condition
from .page import Page

SENTENCE_ENDS = ".!?…。！？”’»」』)）]\"'"
"""What a quotation ends with that is not cut."""

HEADING = 200
"""Characters of a topic that fit a heading and the name of a page."""


@dataclass(frozen=True)
class Head:
    """What stands above everything else. `label`: said first where no model took part; `whole`: a topic too long for a
    heading; `fork`: where a fork comes from and what was set there; `stands`: where an unfinished run stands;
    `facts`: name and figure."""

    label: str
    protocol: str
    topic: str
    whole: str
    fork: Sequence[str]
    headline: str
    stands: Sequence[str]
    evidence: Sequence[str | Markup]
    quote: str
    facts: Sequence[tuple[str, str]]


def head(page: Page) -> Head:
    """The head of a run's report."""
    document = page.document
    topic = document["topic"] or document["run"]
    label = term(page.language, "headline", "rehearsal") if document["rehearsal"] else ""
    ended, told = document["headline"].removeprefix(label).strip(), document["terminationReason"] in SAID_IN_FULL
    return Head(
        label=label,
        protocol=page.word("protocols", document["protocol"]),
        topic=clipped(topic, HEADING),
        whole=topic if len(topic) > HEADING else "",
        fork=origin_lines(document),
        headline=ended or page.say("opening.unfinished", count=statements(document)),
        stands=[] if ended else hooks_of(document["protocol"]).stands(document),
        evidence=[] if told else _evidence(page),
        quote="" if told else _quoted(document["evidence"], ended),
        facts=[(page.say(f"facts.{key}"), value) for key, value in _facts(page) if value],
    )


def _evidence(page: Page) -> list[str | Markup]:
    """What the ending rests on, beside its quotation: turns, each linked, and what was found."""
    evidence = page.document["evidence"]
    if not evidence:
        return []
    parts: list[str | Markup] = []
    if turns := [page.turn(turn) for turn in evidence["turns"]]:
        named = page.say("opening.turns" if len(turns) > 1 else "opening.turn")
        parts.append(Markup("{} {}").format(named, Markup(page.comma).join(turns)))
    return [*parts, *found(evidence, page.language)]


def _quoted(evidence: Mapping[str, Any] | None, headline: str) -> str:
    """The words the ending rests on, with a mark where they go on; none of a vote whose headline has them."""
    if not evidence or not evidence["quote"] or (counted(evidence) and evidence["quote"] in headline):
        return ""
    return str(evidence["quote"]) + ("" if evidence["quote"][-1] in SENTENCE_ENDS else " …")


def _facts(page: Page) -> list[tuple[str, str]]:
    document = page.document
    money = document["totalCost"]
    began = document["startedAt"]
    return [
        ("run", document["run"]),
        ("reason", page.word("reasons", document["terminationReason"] or "")),
        ("status", page.word("statuses", document["status"])),
        ("condition", condition(page)),
        ("model", document["model"]),
        ("seed", "" if document["seed"] is None else str(document["seed"])),
        ("language", page.language),
        ("began", f"{moment(began)} UTC" if began else ""),
        ("took", duration(document["totalTimeMs"])),
        ("turns", figure(statements(document))),
        ("calls", figure(document["totalCalls"])),
        ("tokens", figure(document["totalTokens"])),
        ("cost", "" if money is None else figure(money, 4)),
    ]
