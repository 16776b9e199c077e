"""A cast for justice experiments: who says what to which question, and what everyone was told."""

import asyncio
import random
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs.justice import build
from moot.models.rehearsal.justice import find_proposal
from moot.state.justice.result import JusticeResult, build_justice_result
from pydantic import Field


def answer_comprehension(text: str) -> str:
    """The distribution that the principle in a prompt picks from its table, whose last rows are floor and average."""
    header, *rows = [line.split(" | ") for line in text.splitlines() if " | " in line]
    number, amount = find_proposal(text) or (0, None)
    columns = {name: [int(row[index].replace(",", "")) for row in rows] for index, name in enumerate(header) if index}
    floors = {name: incomes[-2] for name, incomes in columns.items()}
    allowed = {
        3: [name for name in columns if floors[name] >= (amount or 0)],
        4: [name for name, incomes in columns.items() if incomes[0] - floors[name] <= (amount or 0)],
    }.get(number) or list(columns)
    return max(sorted(allowed), key=lambda name: floors[name] if number == 1 else columns[name][-1])


Line = (
    ScriptedReply | list[ScriptedReply | Callable[[SentPrompt], ScriptedReply]] | Callable[[SentPrompt], ScriptedReply]
)

LINES: dict[str, Line] = {
    "comprehension": lambda prompt: answer_comprehension(prompt.text),
    "ranking": "Ranking: 2 > 3 > 1 > 4\nCertainty: sure",
    "explanation": "The principles pick different distributions, which strikes me.",
    "choice": "Principle: 2\nAmount: none\nCertainty: sure\nReason: most on average",
    "reasoning": "I think the others want a floor, and so do I.",
    "statement": "I propose that we adopt principle 3 with an amount of 14000, since it protects the worst place.",
    "initiation": "1",
    "confirmation": "1",
    "ballot": "3",
    "amount": "14000",
    "memory": "What I keep: we agreed, and I was paid.",
}
"""What everyone says unless a test says otherwise."""

ABC = {"participants": ["A", "B", "C"], "max_rounds": 2, "seed": 1}
"""Three participants, two rounds."""


class Cast(ScriptedChat):
    """Answers by purpose, or by (who, purpose); a list is said in order, its last line ever after.

    `hurry`: a seed for how long each answer takes; none: no time at all. `fatal`: the call that kills the process.
    """

    script: list[ScriptedReply] = Field(default_factory=list)
    lines: dict[Any, Any] = Field(default_factory=dict)
    asked: dict[Any, int] = Field(default_factory=dict)
    hurry: int | None = None
    fatal: int = 0

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if len(self.prompts) == self.fatal:
            return Killed("the process died here")
        key = (prompt.who, prompt.purpose)
        line = self.lines.get(key, self.lines.get(prompt.purpose, LINES[prompt.purpose]))
        self.asked[key] = place = self.asked.get(key, 0) + 1
        if isinstance(line, list):
            line = line[min(place, len(line)) - 1]
        return line(prompt) if callable(line) else line

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        if self.hurry is not None:
            await asyncio.sleep(random.Random(f"{self.hurry} {len(self.prompts)}").random() / 500)
        return self._generate(messages, **kwargs)

    def list_prompts(self, *purposes: str) -> list[SentPrompt]:
        """What was told for these purposes, in order."""
        return [prompt for prompt in self.prompts if prompt.purpose in purposes]

    def count(self, *purposes: str) -> int:
        """How many calls were made for these purposes."""
        return len(self.list_prompts(*purposes))


class Killed(Exception):
    """The process is gone."""


class Play:
    """One experiment on a checkpointer, without waits. `retry_delays`: seconds that would have been waited."""

    def __init__(self, cast: Cast, **settings: Any) -> None:
        self.cast, self.context = cast, {"model": cast, **settings}
        self.graph = build().compile(checkpointer=InMemorySaver())
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.waits: list[float] = []

    def go(self, input: dict[str, Any] | None = None, **options: Any) -> None:
        """Run from the beginning (with an input) or on from where it stands."""

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        with patch("moot.nodes.ask.ask_with_retries.asyncio", SimpleNamespace(sleep=sleep)):
            self.graph.invoke(input, self.config, context=self.context, durability="sync", **options)

    @property
    def state(self) -> dict[str, Any]:
        """Every channel."""
        values: dict[str, Any] = self.graph.get_state(self.config).values
        return values

    @property
    def result(self) -> JusticeResult:
        """The document."""
        return build_justice_result(self.state)  # type: ignore[arg-type]


def played(lines: Mapping[Any, Line] | None = None, **settings: Any) -> Play:
    """An experiment of three, run to its end."""
    play = Play(Cast(lines=dict(lines or {})), **{**ABC, **settings})
    play.go({})
    return play


def timeless(result: JusticeResult) -> dict[str, Any]:
    """A result without what the clock and the id generator put into it."""
    fields = result.model_dump(mode="json", exclude={"experiment_id", "timestamp"})
    for one in [*fields["incidents"], *fields["phase2"]["discussion_history"]]:
        one.pop("at", None), one.pop("timestamp", None)
    return fields
