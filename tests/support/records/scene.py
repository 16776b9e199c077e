"""Runs with their documents and their CSV tables: rehearsals, and runs on a model server that ails."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from command import moot
from deliberations.justice import LINES
from fakeserver import FakeServer, Fault, Reply, Request, echo_by_hash
from moot.app.display.plain_text import strip_controls

from records.documents import CARS, WORDS
from records.tables import Rows, read

ReplyContext = tuple[dict[str, Any], dict[str, Rows]]
HOSTILE = '=1+1, "quoted"\n-2, 再见 👩\u200d👩\u200d👧: \x1b[31mred\x1b[0m, and words enough for a statement, number {}'
PAID = ("--set", "prices={input: 1.5, output: 6}", "--seed", "3")
PEOPLE = ("--set", "participants=[{name: Ada, id: +a}, {name: -Ben, id: b}, Cleo]")
LOSSES = ("--set", "retry_delays=[0]", "--set", "on_outage=skip")
OPEN = (*LOSSES, "--set", "open_ballot=true", "--max-rounds", "2")
SERVED = {
    "debate cut short": ["debate", CARS, *LOSSES, "--max-calls", "5"],
    "plurality": ["consensus", CARS, *OPEN, "--set", "vote=plurality"],
    "approval": ["consensus", CARS, *OPEN, "--set", "vote=approval"],
    "ranked": ["consensus", CARS, *OPEN, "--set", "vote=schulze"],
    "ailing justice": [
        "justice",
        "--max-rounds",
        "2",
        "--set",
        "retry_backoff_factor=1",
        "--set",
        "voting_retry_limit=1",
        "--set",
        "on_outage=skip",
        *PEOPLE,
    ],
    "justice cut short": ["justice", "--max-rounds", "2", *PEOPLE, "--max-calls", "40", "--set", "on_outage=skip"],
}
"""By name: a run on a model server that loses some answers and garbles others."""
QUESTIONS = {
    "Rank the four from best": "ranking",
    "Principles 1 and 2 have none": "choice",
    "start a secret vote; it is": "initiation",
    "Do you agree to vote": "confirmation",
    "Which principle do you vote": "ballot",
    "What is the amount": "amount",
}


async def _no_wait(_: float) -> None:
    """Wait no time."""


AT_ONCE = SimpleNamespace(sleep=_no_wait)
"""Waits that take no time."""


def ailing(request: Request) -> Reply | Fault | str:
    """Every seventh request fails, every fifth is answered by nothing of use, every third by a hostile text."""
    if request.n % 7 == 0:
        return Fault.status(500)
    if request.n % 5 == 0:
        return Reply("mumble")
    for words, purpose in QUESTIONS.items():
        if words in request.human[-1500:]:
            return str(LINES[purpose])
    return Reply(HOSTILE.format(request.n)) if request.schema is None and request.n % 3 == 0 else echo_by_hash(request)


@cache
def scene(name: str) -> ReplyContext:
    """The document of a run, its texts as a table has them, and its tables."""
    words = [*SERVED[name], *PAID] if name in SERVED else WORDS[name]
    with (
        TemporaryDirectory() as folder,
        FakeServer(reply=ailing) as server,
        patch("moot.nodes.ask.ask_with_retries.asyncio", AT_ONCE),
    ):
        base = ("--db", Path(folder) / "runs.db")
        model = f"openai:any@{server.url}" if name in SERVED else "rehearsal"
        moot(*words, "--model", model, *base, "--json", OPENAI_API_KEY="none")
        (listed,) = json.loads(moot("runs", "--json", *base).stdout)
        document = json.loads(moot("show", listed["run"], "--json", *base).stdout)
        assert moot("show", listed["run"], "--format", "csv", "-o", Path(folder) / "out", *base).exit_code == 0
        return as_shown(document), read(Path(folder) / "out")


def as_shown(value: Any) -> Any:
    """A document without the control characters that a table leaves out."""
    if isinstance(value, dict):
        return {key: as_shown(element) for key, element in value.items()}
    if isinstance(value, list):
        return [as_shown(element) for element in value]
    return strip_controls(value) if isinstance(value, str) else value
