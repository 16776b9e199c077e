"""A real small model on this machine: what a turn waits for, and how much of its prompt is evaluated anew.

The first token of what the model says is worked out and thrown away: all loops go on with the same made-up statements,
of so many of its tokens, so that they are asked for the same work and nothing depends on what 135 million parameters
say. Seconds are those until an answer begins.
"""

import asyncio
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moot.state.statement import Participant
from openai import AsyncOpenAI
from scene import LENGTH, MODEL, SEATS as NAMES, TOPIC, cast
from targets import Figures

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
SEATS, TURNS = 4, 24
SIZES = (40, 150)
"""Tokens of a statement."""

LOOPS = ("one text", "persona first", "discussion")
CONTEXT = 8192


def course(loop: str, tokens: int, turns: int = TURNS) -> Figures:
    """A deliberation of four: prompt tokens evaluated and seconds a turn; and seconds of the first and last quarter."""
    with serving(tokens) as (url, evaluated):
        counts, clock = [evaluated()], [time.perf_counter()]

        def turned() -> None:
            counts.append(evaluated())
            clock.append(time.perf_counter())

        asyncio.run(_played(loop, url, turns, tokens, turned))
    quarter = max(1, turns // 4)
    return {
        "evaluated": (counts[-1] - counts[0]) / turns,
        "seconds a turn": (clock[-1] - clock[0]) / turns,
        "first quarter": (clock[quarter] - clock[0]) / quarter,
        "last quarter": (clock[-1] - clock[-1 - quarter]) / quarter,
    }


@contextmanager
def serving(tokens: int) -> Iterator[tuple[str, Callable[[], int]]]:
    """A server that has the model begin an answer and then says something made up; and what it has evaluated."""
    sys.path.append(str(SUPPORT))
    from fakeserver import FakeServer, Reply, Request
    from servers.small_model import counted, serving

    with serving(CONTEXT) as model:

        def reply(request: Request) -> Reply:
            asked = {"messages": request.messages, "max_tokens": 1, "ignore_eos": True, "temperature": 0}
            posted(f"{model}/chat/completions", asked)
            return Reply(made_up(model.removesuffix("/v1"), request.n, tokens))

        with FakeServer(reply=reply, keep=False, keep_alive=True) as server:
            yield server.url, lambda: counted(model)[0]


def made_up(root: str, turn: int, tokens: int) -> str:
    """A statement of so many of the model's tokens."""
    from fakeserver.echo import paragraph

    text = paragraph(turn.to_bytes(8), tokens)
    found = posted(f"{root}/tokenize", {"content": text})["tokens"][:tokens]
    return str(posted(f"{root}/detokenize", {"tokens": found})["content"]).strip()


def posted(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a JSON request."""
    sent = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(sent) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


async def _played(loop: str, url: str, turns: int, tokens: int, turned: Callable[[], None]) -> None:
    if loop == "discussion":
        await discussion(url, turns, turned)
    else:
        await bare(url, turns, one_text if loop == "one text" else persona_first, turned)


async def discussion(url: str, turns: int, turned: Callable[[], None]) -> None:
    """Our own, saved as the command line saves it."""
    import ours

    with tempfile.TemporaryDirectory() as folder:
        async with ours.store(f"{folder}/runs.db") as store:
            await ours.run(store, SEATS, ours.rules("discussion", url, SEATS, turns), turned=turned)


Told = Callable[[Participant, list[tuple[str, str]]], list[dict[str, str]]]
"""The messages of a turn, from who speaks and what was said: speaker and text."""


async def bare(url: str, turns: int, told: Told, turned: Callable[[], None]) -> None:
    """A loop around a bare client."""
    people, transcript = cast(SEATS), list[tuple[str, str]]()
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        for turn in range(turns):
            person = people[turn % SEATS]
            asked: Any = told(person, transcript)
            answer = await client.chat.completions.create(model=MODEL, messages=asked, max_completion_tokens=LENGTH)
            transcript.append((person.name, answer.choices[0].message.content or ""))
            turned()


RULES = f"A discussion of: {TOPIC}\nThey speak in turn: {', '.join(NAMES[:SEATS])}.\nWrite plain prose."


def one_text(one: Participant, said: list[tuple[str, str]]) -> list[dict[str, str]]:
    """What is common first, the record as one text, and last who speaks."""
    record = "\n\n".join(f"{name}: {text}" for name, text in said)
    content = f"You are {one.name}. {one.persona} It is your turn."
    return [{"role": "system", "content": RULES}, {"role": "user", "content": f"{record}\n\n{content}"}]


def persona_first(one: Participant, said: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Who speaks first, then a message for each statement; one's own are the assistant's."""
    system = {"role": "system", "content": f"You are {one.name}. {one.persona}\n{RULES}"}
    record = [
        {"role": "assistant", "content": text} if name == one.name else {"role": "user", "content": f"{name}: {text}"}
        for name, text in said
    ]
    return [system, *record, {"role": "user", "content": "It is your turn."}]
