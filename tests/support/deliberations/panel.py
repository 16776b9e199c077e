"""Panels for tests: three small papers, experts that mark what they say, and a conclusion as it is scripted."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from moot.graphs import panel
from moot.papers.library import open_library
from moot.state.papers.paper import Paper
from places import SAMPLES
from pydantic import Field

EXPERTS = ["Google Engineer", "MIT Researcher", "Industry Expert", "Paper Analyst"]
QUESTION = "城市中心是否应当禁止私家车？"
SHOPS = Paper(
    id="smith2024-shops",
    title="Shops without cars",
    authors=["Ada Smith"],
    year=2024,
    abstract="Retail turnover did not fall after the closure.",
    text="Footfall rose by a fifth. Furniture stores lost sales to the ring road.",
)
AIR = Paper(
    id="张伟2021-空气", title="禁车与空气", authors=["张伟"], year=2021, abstract="限行区内二氧化氮浓度下降约两成。"
)
BUSES = Paper(id="li2019-buses", title="Buses", abstract="Ridership doubled within eighteen months.")
PAPERS = [SHOPS, AIR, BUSES]
SOUND = "可以，但要先改善公交。“Retail turnover did not fall” [@smith2024-shops]，空气也更好 [@张伟2021-空气]。"
OPEN = "论文没有回答这个问题。"


class Table(ScriptedChat):
    """Experts whose contributions carry a mark and cite the first paper, or say what `lines` has for them in order.

    The conclusions come from `endings`, the last one for ever.
    """

    script: Callable[[list[Any], dict[str, Any]], ScriptedReply] | list[ScriptedReply] = Field(default_factory=list)
    endings: list[ScriptedReply] = Field(default_factory=lambda: [SOUND])
    lines: list[ScriptedReply] = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        concluded = sum(prompt.purpose == "synthesis" for prompt in self.prompts)
        if prompt.purpose == "synthesis":
            return self.endings[min(concluded, len(self.endings)) - 1]
        if len(self.prompts) <= len(self.lines):
            return self.lines[len(self.prompts) - 1]
        first = re.search(r'<paper id="([^"]+)"', prompt.human)
        return f"mark-{len(self.prompts)} {prompt.who}认为应当先看证据 [@{first[1] if first else ''}]。"

    @property
    def asked(self) -> list[str]:
        """Who was asked, in order."""
        return [prompt.who for prompt in self.prompts]


def stocked(database: str) -> None:
    """A library with the sample papers."""

    async def add() -> None:
        async with open_library(database) as library:
            assert [file async for file in library.add_files([SAMPLES]) if file.status == "broken"] == []

    asyncio.run(add())


def run_panel(*endings: ScriptedReply, papers: list[Any] | None = PAPERS, **given: Any) -> tuple[dict[str, Any], Table]:
    """A finished panel and the model that took all parts; `given`: participants, personas, or knobs."""
    model = Table(endings=list(endings) or [SOUND], lines=given.pop("lines", []))
    input: dict[str, Any] = {"query": QUESTION} | ({"papers": papers} if papers is not None else {})
    input |= {key: given.pop(key) for key in ("participants", "personas", "found", "material") if key in given}
    state = panel.graph.invoke(input, context={"model": model, "retry_delays": [0], **given})
    return state, model
