"""Opening of a report: the topic, the verdict, and the ending with its evidence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...nodes.outcome import get_offline_label
from ...prompts import get_term, load_phrases, load_table
from ...state import CONFIRMED, ELLIPSIS, EMBEDDING_PURPOSE, clip_text
from ..display import (
    SELF_EXPLANATORY_ENDINGS,
    count_statements,
    format_basis,
    format_spending,
    is_vote_evidence,
    list_drafts,
    list_evidence_parts,
    list_progress_lines,
    translate_answer,
)
from ..saved import format_origin_lines
from .blocks import format_duration, format_figure, format_moment
from .page import Page, format_model

SENTENCE_ENDS = ".!?…。！？”’»」』)）]\"'"
"""Possible last characters of a complete quotation."""

ADDENDUM_KEYS = ("missing", "no_synthesis", "nothing_said", "other", "one_other")
"""Keys of the sentences that may follow the ending in a headline."""

TOPIC_LIMIT = 200


@dataclass(frozen=True)
class Opening:
    """Opening of a report, above all sections.

    `label`: first line of a run without a model. `byline`: start time and number of statements. `full_topic`: a topic
    that is too long for a heading. `fork`: origin of a fork and its changed settings. `verdict`: the result.
    `addendum`: the rest of the headline. `has_failed`: whether the run has no result. `progress`: state of an open run.
    `basis`: the rule that ended the run and its guarantee. `ending`: the reason in a word. `who`: participants and
    models. `cost`: money, calls, tokens and time.
    """

    label: str
    protocol: str
    byline: Sequence[str | Markup]
    topic: str
    full_topic: str
    fork: Sequence[str]
    verdict: str
    addendum: str
    has_failed: bool
    progress: Sequence[str]
    evidence: Sequence[str | Markup]
    quote: str
    basis: str
    ending: str
    who: Sequence[str]
    cost: str


def build_opening(page: Page) -> Opening:
    """Build the opening of a run's report."""
    document = page.document
    topic = document["topic"] or document["run"]
    evidence = None if document["terminationReason"] in SELF_EXPLANATORY_ENDINGS else document["evidence"]
    label = get_offline_label(page.language, document["model"]) if document["rehearsal"] else ""
    headline = document["headline"].removeprefix(label).strip()
    # the evidence without its quotation: linked turns, then figures
    evidence_parts: list[str | Markup] = []
    if evidence:
        if turns := [page.link_turn(turn) for turn in evidence["turns"]]:
            turn_label = page.say("opening.turns" if len(turns) > 1 else "opening.turn")
            evidence_parts.append(Markup("{} {}").format(turn_label, Markup(page.comma).join(turns)))
        evidence_parts += list_evidence_parts(evidence, page.language)
    verdict = format_verdict(page)
    quote = str(evidence["quote"]) if evidence else ""
    if quote.rstrip(".。") in (verdict or headline):
        quote = ""
    ending, addendum = _split_headline(headline, page.language)
    models = list(
        dict.fromkeys(
            call["model"] for call in document["calls"] if call["purpose"] != EMBEDDING_PURPOSE and call["model"]
        )
    ) or [document["model"]]
    start = document["startedAt"]
    moment = Markup('<time datetime="{}" data-local="zone">{} UTC</time>').format(start, format_moment(start))
    names = [
        page.say("opening.person", who=seat["name"]) if seat["kind"] == "person" else seat["name"]
        for seat in document["participants"]
    ]
    time = format_duration(document["totalTimeMs"]) if document["totalTimeMs"] else ""
    return Opening(
        label=label,
        protocol=page.get_label("protocols", document["protocol"]),
        byline=[
            part
            for part in (start and moment, page.say("opening.statements", count=count_statements(document)))
            if part
        ],
        topic=clip_text(topic, TOPIC_LIMIT),
        full_topic=topic if len(topic) > TOPIC_LIMIT else "",
        fork=format_origin_lines(document),
        verdict=verdict or ending or page.say("opening.unfinished", count=count_statements(document)),
        addendum=addendum,
        has_failed=document["status"] == "failed",
        progress=[] if headline else list_progress_lines(document),
        evidence=evidence_parts,
        quote=quote if not quote or quote[-1] in SENTENCE_ENDS else f"{quote} …",
        basis=format_basis(document),
        ending=ending
        if verdict and not (evidence and is_vote_evidence(evidence))
        else page.get_label("reasons", document["terminationReason"] or ""),
        who=[page.comma.join(names), *map(format_model, models)],
        cost=page.comma.join(filter(None, [format_spending(document), time])),
    )


def _split_headline(headline: str, language: str) -> tuple[str, str]:
    sentences = (str(load_table("terms", language)["headline"][key]).partition("{details}")[0] for key in ADDENDUM_KEYS)
    pattern = "|".join(re.sub(r"\\\{\w+\\\}", r"\\d+", re.escape(sentence)) for sentence in sentences)
    match = re.search(re.escape(get_term(language, "headline", "between_sentences")) + f"({pattern})", headline)
    return (headline[: match.start()], headline[match.start(1) :]) if match else (headline, "")


def format_verdict(page: Page) -> str:
    """Return the sentence about the result of a run.

    The text is empty for a failure, an experiment or a closed session. It is also empty if the sentence needs a value
    that was not recorded, such as an agreement score.
    """
    document, reason = page.document, page.document["terminationReason"]
    if reason == "consensus_reached" and document["strategy"] == CONFIRMED:
        return next(list_drafts(document, document["drafts"][-1]["round"]))
    verdict_keys = load_phrases("report").list_keys("verdicts") if document["status"] == "completed" else []
    for key in (f"{document['protocol']}_{reason}", str(reason)):
        if key in verdict_keys:
            try:
                return page.say(f"verdicts.{key}", **_collect_verdict_values(page))
            except KeyError:
                return ""
    return ""


def _collect_verdict_values(page: Page) -> dict[str, Any]:
    document = page.document
    values: dict[str, Any] = {"count": count_statements(document), "seats": len(page.seats)}
    if papers := document.get("papers"):
        values["papers"] = len(papers)
    # a concession: who gave in, to whom, in which turn
    turns = (document["evidence"] or {"turns": []})["turns"]
    speakers = {turn["turnNumber"]: turn["speakerId"] for turn in document["turns"]}
    if turns and (speaker := speakers.get(turns[-1])) in page.seats:
        opponents = page.comma.join(name for name in page.seats if name != speaker)
        values |= {"who": speaker, "others": opponents, "turn": turns[-1]}
    agreement_scores, threshold = document.get("agreements") or [], document["settings"].get("agreement_threshold")
    if agreement_scores and threshold is not None:
        score = format_figure(agreement_scores[-1]["score"], 2)
        values |= {"round": agreement_scores[-1]["round"], "score": score, "threshold": format_figure(threshold, 2)}
    if run_answer := document.get("runAnswer"):
        values["answer"] = run_answer["text"] or translate_answer(
            run_answer["answer"], run_answer["unit"], page.language
        )
    # the full text of the option that the last vote chose
    polls = document.get("polls") or []
    tally = polls[-1]["tally"] if polls else None
    sign = (tally["choice"] or tally["winner"]) if tally else None
    if sign and (option := str(polls[-1]["options"].get(sign, ""))):
        values["option"] = option if option.endswith(ELLIPSIS) else option.rstrip(".。")
    return values
