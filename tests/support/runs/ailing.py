"""Runs that meet trouble: which call of each protocol goes wrong, and how its record is read."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from fakeserver import FakeServer, Fault, Request, echo_by_hash

from runs.five import alone_and_together

VICTIM = {"debate": 2, "consensus": 5, "discussion": 2, "panel": 2, "justice": 28}
"""The call of the plainest run that goes wrong, which asks for a statement while nobody else is asked."""
TURNS = {"debate": 4, "consensus": 6, "discussion": 6, "panel": 4, "justice": 3}
"""Turns of the plainest run."""
SICK = {"debate": "CON", "consensus": "Ben", "discussion": "Ben", "panel": "MIT Researcher", "justice": "B"}
"""The participant of whom a model of its own is asked, where it is a participant that ails and not a call."""
NAMES = r"PRO|CON|Ada|Ben|Cleo|A|B|C|Google Engineer|MIT Researcher|Industry Expert|Paper Analyst"


def task(request: Request) -> str:
    """What a request asks for; tries of one question share it."""
    return request.text.rsplit("<task>", 1)[-1].split("</task>")[0]


def again(request: Request) -> str:
    """What a request says was wrong with the answer before; empty for a first try."""
    return request.text.rsplit("</task>", 1)[-1]


def speaker(request: Request) -> str:
    """Whose turn the task says it is."""
    match = re.search(rf"\b(?:{NAMES})\b(?=[,.])", task(request))
    assert match, request.text[-600:]
    return match[0]


def own_model(name: str, server: FakeServer, model: str = "sick") -> str:
    """The setting that gives the sick participant a model of this name, on the same server."""
    return f"models={{'{SICK[name]}': 'openai:{model}@{server.url}'}}"


@contextmanager
def unwaited(then: Callable[[int], None] = lambda _: None) -> Iterator[list[float]]:
    """Waits before another try are written down, not waited; `then` is told how many there have been."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        then(len(waited))

    with patch("moot.nodes.ask.ask_with_retries.asyncio", SimpleNamespace(sleep=sleep)):
        yield waited


class Patience:
    """The time limits of calls, of which one is over as soon as the server has taken in the request it keeps waiting.

    So no test depends on how fast a machine is. `allowed`: seconds that those calls were to be given.
    """

    def __init__(self) -> None:
        self.allowed: list[float] = []
        self.latest: tuple[asyncio.AbstractEventLoop, asyncio.Timeout, float] | None = None

    def timeout(self, seconds: float) -> asyncio.Timeout:
        """In place of `asyncio.timeout`."""
        limit = asyncio.timeout(seconds)
        self.latest = asyncio.get_running_loop(), limit, seconds
        return limit

    def lose(self, request: Request) -> str:
        """The call made last is out of time."""
        assert self.latest
        loop, limit, seconds = self.latest
        self.allowed.append(seconds)
        loop.call_soon_threadsafe(limit.reschedule, loop.time())
        return ""

    @property
    def silence(self) -> Fault:
        """The server says nothing until the client gives up."""
        return Fault.hang(self.lose)


@contextmanager
def impatient() -> Iterator[Patience]:
    """Calls that meet a server's `silence` are given up at once."""
    patience = Patience()
    with patch("moot.nodes.ask.attempt.asyncio", SimpleNamespace(timeout=patience.timeout)):
        yield patience


def incidents_of(found: dict[str, Any], kind: str, where: str = "statement") -> list[dict[str, Any]]:
    """The incidents of one kind at one place, in order."""
    return [incident for incident in found["incidents"] if incident["kind"] == kind and incident["where"] == where]


def calls_for(found: dict[str, Any], purpose: str, who: str = "") -> list[dict[str, Any]]:
    """The calls on record for one purpose, of one participant or of all."""
    return [call for call in found["calls"] if call["purpose"] == purpose and who in ("", call["who"])]


def spoken(found: dict[str, Any]) -> list[str]:
    """What participants said, in order, without a protocol's own lines."""
    return [turn["content"] for turn in found["turns"] if turn["speakerId"] != "moderator"]


def missing(found: dict[str, Any]) -> list[int]:
    """The turns in which nobody spoke."""
    return sorted({incident["turn"] for incident in found["incidents"] if incident["consequence"] == "missed"})


def says_missing(name: str, found: dict[str, Any], words: str, turn: int, who: str) -> bool:
    """Whether the headline says that this one statement is missing, and why."""
    if name == "justice":
        return "Degraded: statements missing: 1" in found["headline"]
    return f"1 of {TURNS[name]} statements missing: {who} ({words}) in turn {turn}." in found["headline"]


def unwilling(request: Request) -> str:
    """What is said in an experiment in which nobody wants to vote before the last round."""
    return "0" if "Do you want to start a vote now?" in task(request) else alone_and_together(request)


def at_length(name: str) -> Callable[[Request], str]:
    """The plainest run's answers, but every statement has 300 words."""

    def reply(request: Request) -> str:
        if name != "justice":
            return echo_by_hash(request, 60 if request.schema else 300)
        said = unwilling(request)
        return f"{said} {echo_by_hash(request, 300)}" if said.startswith("I hold") else said

    return reply
