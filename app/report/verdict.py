"""The verdict: what came of a run, in one sentence of its language."""

from typing import Any

from ...prompts import phrases
from ...state.text import ELLIPSIS
from ..display.wording import statements
from .blocks import figure
from .page import Page


def verdict(page: Page) -> str:
    """The sentence for a protocol's ending; empty where its headline says it best: a failure, an experiment, a closing.

    A sentence that needs what is not on record, such as an agreement nobody weighed, is not said.
    """
    document = page.document
    if document["status"] != "completed":
        return ""
    values = _values(page)
    for key in (f"{document['protocol']}_{document['terminationReason']}", str(document["terminationReason"])):
        if key in phrases("report").keys("verdicts"):
            try:
                return page.say(f"verdicts.{key}", **values)
            except KeyError:
                return ""
    return ""


def _values(page: Page) -> dict[str, Any]:
    """What is on record of the things verdicts speak of."""
    document = page.document
    found: dict[str, Any] = {"count": statements(document), "seats": len(page.seats)}
    if papers := document.get("papers"):
        found["papers"] = len(papers)
    return found | _conceded(page) | _agreed(page) | _chosen(page)


def _conceded(page: Page) -> dict[str, Any]:
    turns = (page.document["evidence"] or {"turns": []})["turns"]
    said = {one["turnNumber"]: one["speakerId"] for one in page.document["turns"]}
    if not turns or said.get(turns[-1]) not in page.seats:
        return {}
    who = said[turns[-1]]
    others = page.comma.join(name for name in page.seats if name != who)
    return {"who": who, "others": others, "turn": turns[-1]}


def _agreed(page: Page) -> dict[str, Any]:
    weighings, threshold = page.document.get("weighings") or [], page.document["rules"].get("threshold")
    if not weighings or threshold is None:
        return {}
    last = weighings[-1]
    return {"round": last["round"], "score": figure(last["score"], 2), "threshold": figure(threshold, 2)}


def _chosen(page: Page) -> dict[str, Any]:
    """The option the last vote chose, in full."""
    polls = page.document.get("polls") or []
    tally = polls[-1]["tally"] if polls else None
    sign = (tally["choice"] or tally["winner"]) if tally else None
    option = str(polls[-1]["options"].get(sign, "")) if sign else ""
    return {"option": option if option.endswith(ELLIPSIS) else option.rstrip(".。")} if option else {}
