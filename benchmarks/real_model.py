"""Speed of a small real model on this machine, and the share of each prompt that it evaluates again.

The model computes the first token of each answer, which is discarded. All loops continue with the same made-up
statements of a fixed number of tokens. So all loops cause the same work, and the model's texts do not matter. Seconds
are those until an answer begins.
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
from targets import Figures
from workload import LENGTH, MODEL, SEATS as NAMES, TOPIC, build_participants

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
SEATS, TURNS = 4, 24
SIZES = (40, 150)
"""Tokens of a statement."""

LOOPS = ("one text", "persona first", "discussion")
CONTEXT = 8192


def measure_deliberation(loop: str, tokens: int, turns: int = TURNS) -> Figures:
    """Measure evaluated prompt tokens and seconds per turn in a deliberation of four, also by quarter.

    `loop`: name of the loop. `tokens`: length of a statement.
    """
    with serve_statements(tokens) as (url, count_evaluated):
        counts, clock = [count_evaluated()], [time.perf_counter()]

        def on_turn() -> None:
            counts.append(count_evaluated())
            clock.append(time.perf_counter())

        asyncio.run(_run_loop(loop, url, turns, tokens, on_turn))
    quarter = max(1, turns // 4)
    return {
        "evaluated": (counts[-1] - counts[0]) / turns,
        "seconds a turn": (clock[-1] - clock[0]) / turns,
        "first quarter": (clock[quarter] - clock[0]) / quarter,
        "last quarter": (clock[-1] - clock[-1 - quarter]) / quarter,
    }


@contextmanager
def serve_statements(tokens: int) -> Iterator[tuple[str, Callable[[], int]]]:
    """Serve made-up answers, each after the real model's first token. Yield address and token counter.

    The counter is a function that returns the evaluated prompt tokens so far.
    """
    sys.path.append(str(SUPPORT))
    from fakeserver import FakeServer, Reply, Request
    from servers.small_model import counted, serving

    with serving(CONTEXT) as model:

        def reply(request: Request) -> Reply:
            body = {"messages": request.messages, "max_tokens": 1, "ignore_eos": True, "temperature": 0}
            post_json(f"{model}/chat/completions", body)
            return Reply(make_statement(model.removesuffix("/v1"), request.n, tokens))

        with FakeServer(reply=reply, keep=False, keep_alive=True) as server:
            yield server.url, lambda: counted(model)[0]


def make_statement(root: str, turn: int, tokens: int) -> str:
    """Return a made-up statement with a length of `tokens` tokens of the model at `root`."""
    from fakeserver.echo import paragraph

    text = paragraph(turn.to_bytes(8), tokens)
    token_ids = post_json(f"{root}/tokenize", {"content": text})["tokens"][:tokens]
    return str(post_json(f"{root}/detokenize", {"tokens": token_ids})["content"]).strip()


def post_json(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a JSON request and return the JSON of the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        values: dict[str, Any] = json.load(answer)
    return values


async def _run_loop(loop: str, url: str, turns: int, tokens: int, on_turn: Callable[[], None]) -> None:
    if loop == "discussion":
        await run_discussion(url, turns, on_turn)
    else:
        await run_bare_loop(url, turns, build_one_text if loop == "one text" else build_persona_first, on_turn)


async def run_discussion(url: str, turns: int, on_turn: Callable[[], None]) -> None:
    """Run a discussion with Moot, saved as the command line saves it.

    `on_turn`: called after each statement.
    """
    import moot_loop

    with tempfile.TemporaryDirectory() as folder:
        async with moot_loop.open_store(f"{folder}/runs.db") as store:
            await moot_loop.run_deliberation(
                store, SEATS, moot_loop.build_settings("discussion", url, SEATS, turns), on_turn=on_turn
            )


MessageBuilder = Callable[[Participant, list[tuple[str, str]]], list[dict[str, str]]]
"""Function that builds the messages of a turn from the speaker and the statements, as name and text."""


async def run_bare_loop(url: str, turns: int, build_messages: MessageBuilder, on_turn: Callable[[], None]) -> None:
    """Run a discussion in a loop around a plain client.

    `build_messages`: function that builds the prompt of a turn. `on_turn`: called after each statement.
    """
    participants, transcript = build_participants(SEATS), list[tuple[str, str]]()
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        for turn in range(turns):
            speaker = participants[turn % SEATS]
            messages: Any = build_messages(speaker, transcript)
            answer = await client.chat.completions.create(model=MODEL, messages=messages, max_completion_tokens=LENGTH)
            transcript.append((speaker.name, answer.choices[0].message.content or ""))
            on_turn()


INSTRUCTIONS = f"A discussion of: {TOPIC}\nThey speak in turn: {', '.join(NAMES[:SEATS])}.\nWrite plain prose."


def build_one_text(speaker: Participant, statements: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Build the messages of a turn: the common part, the record as one text, and the persona last."""
    record = "\n\n".join(f"{name}: {text}" for name, text in statements)
    content = f"You are {speaker.name}. {speaker.persona} It is your turn."
    return [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": f"{record}\n\n{content}"}]


def build_persona_first(speaker: Participant, statements: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Build the messages of a turn: the persona first, then each statement.

    The speaker's own statements are the assistant's messages.
    """
    system = {"role": "system", "content": f"You are {speaker.name}. {speaker.persona}\n{INSTRUCTIONS}"}
    record = [
        {"role": "assistant", "content": text}
        if name == speaker.name
        else {"role": "user", "content": f"{name}: {text}"}
        for name, text in statements
    ]
    return [system, *record, {"role": "user", "content": "It is your turn."}]
