"""The head of a report: the topic, the verdict, and the ending with its evidence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...prompts import table, term
from ...state.incident import EMBEDDING
from ...state.text import clipped
from ..display.evidence import counted, found, promise_line
from ..display.transcript import SAID_IN_FULL, stopped_lines
from ..display.wording import statements
from ..hooks import hooks_of
from ..saved import origin_lines
from .blocks import moment
from .page import Page
from .verdict import verdict

SENTENCE_ENDS = ".!?…。！？”’»」』)）]\"'"
"""What a quotation ends with that is not cut."""

LACKING = ("missing", "no_synthesis", "nothing_said", "other", "one_other")
"""What a headline may say after the ending, by the names of its sentences."""

HEADING = 200
"""Characters of a topic that fit a heading and the name of a page."""


@dataclass(frozen=True)
class Head:
    """What stands above everything else. `label`: said first where no model took part; `byline`: when, and with which
    model; `whole`: a topic too long for a heading; `fork`: where a fork comes from and what was set there; `verdict`:
    what came of it; `ended`: how it ended, where the verdict does not tell all of that; `failed`: whether it came to
    nothing; `stands`: where an unfinished run stands; `promise`: the rule that ended it, and what that promises."""

    label: str
    protocol: str
    byline: Sequence[str]
    topic: str
    whole: str
    fork: Sequence[str]
    verdict: str
    ended: str
    failed: bool
    stands: Sequence[str]
    evidence: Sequence[str | Markup]
    quote: str
    promise: str


def head(page: Page) -> Head:
    """The head of a run's report."""
    document = page.document
    topic = document["topic"] or document["run"]
    label = term(page.language, "headline", "rehearsal") if document["rehearsal"] else ""
    ended, told = document["headline"].removeprefix(label).strip(), document["terminationReason"] in SAID_IN_FULL
    said = verdict(page)
    first, rest = _parted(ended, page.language)
    return Head(
        label=label,
        protocol=page.word("protocols", document["protocol"]),
        byline=[one for one in (_began(page), *_models(page)) if one],
        topic=clipped(topic, HEADING),
        whole=topic if len(topic) > HEADING else "",
        fork=origin_lines(document),
        verdict=said or first or page.say("opening.unfinished", count=statements(document)),
        ended=rest,
        failed=document["status"] == "failed",
        stands=[] if ended else [*stopped_lines(document), *hooks_of(document["protocol"]).stands(document)],
        evidence=[] if told else _evidence(page),
        quote="" if told else _quoted(document["evidence"], said or ended),
        promise=promise_line(document),
    )


def _parted(headline: str, language: str) -> tuple[str, str]:
    """The ending a headline begins with, and the sentences on what is missing that may follow it."""
    sentences = (table("terms", language)["headline"][key] for key in LACKING)
    told = "|".join(re.sub(r"\\\{\w+\\\}", r"\\d+", re.escape(str(one).partition("{details}")[0])) for one in sentences)
    found = re.search(re.escape(term(language, "headline", "between_sentences")) + f"({told})", headline)
    return (headline[: found.start()], headline[found.start(1) :]) if found else (headline, "")


def _began(page: Page) -> str:
    began = page.document["startedAt"]
    return f"{moment(began)} UTC" if began else ""


def _models(page: Page) -> list[str]:
    """The models that were asked, vectors apart; the one that is set, where none was."""
    asked = [one["model"] for one in page.document["calls"] if one["purpose"] != EMBEDDING and one["model"]]
    return list(dict.fromkeys(asked)) or [page.document["model"]]


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
    if not evidence or not evidence["quote"]:
        return ""
    voted = counted(evidence) or not evidence["turns"]
    if voted and evidence["quote"].rstrip(".。") in headline:
        return ""
    return str(evidence["quote"]) + ("" if evidence["quote"][-1] in SENTENCE_ENDS else " …")
