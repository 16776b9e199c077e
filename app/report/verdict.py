"""Verdict: the result of a run in one sentence."""

from typing import Any

from ...prompts import load_phrases
from ...state.text import ELLIPSIS
from ..display.wording import count_statements
from .blocks import format_figure
from .page import Page


def format_verdict(page: Page) -> str:
    """Return the sentence for a protocol's ending; empty for a failure, an experiment or a closed session.

    Also empty if the sentence needs a value that the record lacks, such as an agreement score.
    """
    document, reason = page.document, page.document["terminationReason"]
    keys = load_phrases("report").list_keys("verdicts") if document["status"] == "completed" else []
    for key in (f"{document['protocol']}_{reason}", str(reason)):
        if key in keys:
            try:
                return page.say(f"verdicts.{key}", **_collect_values(page))
            except KeyError:
                return ""
    return ""


def _collect_values(page: Page) -> dict[str, Any]:
    """Collect the values on record that verdicts mention."""
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
    agreement_scores, threshold = document.get("weighings") or [], document["settings"].get("threshold")
    if agreement_scores and threshold is not None:
        score = format_figure(agreement_scores[-1]["score"], 2)
        values |= {"round": agreement_scores[-1]["round"], "score": score, "threshold": format_figure(threshold, 2)}
    # the full text of the option that the last vote chose
    polls = document.get("polls") or []
    tally = polls[-1]["tally"] if polls else None
    sign = (tally["choice"] or tally["winner"]) if tally else None
    if sign and (option := str(polls[-1]["options"].get(sign, ""))):
        values["option"] = option if option.endswith(ELLIPSIS) else option.rstrip(".。")
    return values
