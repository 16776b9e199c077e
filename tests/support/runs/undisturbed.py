"""Runs that nothing happened to, and whether one that was stopped or killed ends as they do."""

from collections import Counter
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from command import document, listed
from fakeserver import FakeServer

from runs.five import ALL, lasting


class Whole(NamedTuple):
    """A run that nothing happened to: its document without times, and its prompts."""

    document: dict[str, Any]
    prompts: Counter[str]


@cache
def undisturbed(name: str) -> Whole:
    """The run that every killed one is compared with."""
    with TemporaryDirectory() as folder, FakeServer(ALL[name].reply) as server:
        report = document(*ALL[name].on(server), "--db", f"{folder}/moot.db")
        assert len(server.chats) == ALL[name].calls
        return Whole(lasting(report), Counter(chat.text for chat in server.chats))


def reconciled(found: dict[str, Any], sent: int, lost: int) -> None:
    """Of the requests that a server received, all but the lost are on the record, and those are listed as lost."""
    keys = [f"{key}Requests" for key in ("sent", "recorded", "lost", "open")]
    counts = [found[key] for key in keys]
    assert counts == [sent, sent - lost, lost, 0], counts
    assert sum(call["outcome"] == "lost" for call in found["calls"]) == lost
    assert len(found["calls"]) == sent


def goes_on(name: str, server: FakeServer, db: str = "") -> None:
    """Resume the one run there is: it ends as the undisturbed one, and only what was under way was asked again."""
    options = ["--db", db] if db else []
    report = document("resume", listed(*options)[0]["run"], *options)
    whole, counts = undisturbed(name), Counter(chat.text for chat in server.chats)
    assert lasting(report) == whole.document
    assert counts.keys() == whole.prompts.keys()
    again = counts - whole.prompts
    lost = report["lostRequests"]
    assert again.total() <= lost <= ALL[name].width, "what was set aside may not have been sent yet"
    reconciled(report, sent=whole.prompts.total() + lost, lost=lost)
    assert set(again.values()) <= {1}
    assert len(again) <= ALL[name].width
