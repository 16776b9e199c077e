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
    document = page.document
    if document["status"] != "completed":
        return ""
    values = _collect_values(page)
    for key in (f"{document['protocol']}_{document['terminationReason']}", str(document["terminationReason"])):
        if key in load_phrases("report").list_keys("verdicts"):
            try:
                return page.say(f"verdicts.{key}", **values)
            except KeyError:
                return ""
    return ""


def _collect_values(page: Page) -> dict[str, Any]:
    """Collect the values on record that verdicts mention."""
    document = page.document
    values: dict[str, Any] = {"count": count_statements(document), "seats": len(page.seats)}
    if papers := document.get("papers"):
        values["papers"] = len(papers)
    return values | _collect_concession(page) | _collect_agreement(page) | _collect_choice(page)


def _collect_concession(page: Page) -> dict[str, Any]:
    turns = (page.document["evidence"] or {"turns": []})["turns"]
    speaker_by_turn = {turn["turnNumber"]: turn["speakerId"] for turn in page.document["turns"]}
    if not turns or speaker_by_turn.get(turns[-1]) not in page.seats:
        return {}
    speaker = speaker_by_turn[turns[-1]]
    opponents = page.comma.join(name for name in page.seats if name != speaker)
    return {"who": speaker, "others": opponents, "turn": turns[-1]}


def _collect_agreement(page: Page) -> dict[str, Any]:
    agreement_scores, threshold = page.document.get("weighings") or [], page.document["settings"].get("threshold")
    if not agreement_scores or threshold is None:
        return {}
    last_agreement = agreement_scores[-1]
    return {
        "round": last_agreement["round"],
        "score": format_figure(last_agreement["score"], 2),
        "threshold": format_figure(threshold, 2),
    }


def _collect_choice(page: Page) -> dict[str, Any]:
    """Collect the full text of the option that the last vote chose."""
    polls = page.document.get("polls") or []
    tally = polls[-1]["tally"] if polls else None
    sign = (tally["choice"] or tally["winner"]) if tally else None
    option = str(polls[-1]["options"].get(sign, "")) if sign else ""
    return {"option": option if option.endswith(ELLIPSIS) else option.rstrip(".。")} if option else {}
