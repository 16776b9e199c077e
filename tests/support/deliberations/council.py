"""Councils for tests: members who answer with a mark of their own and rank the answers as a test says."""

import re
from collections.abc import Mapping
from typing import Any

from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from moot.graphs import council
from pydantic import Field

SEATS = ["Ada", "Ben", "Cleo"]
SHOWN = re.compile(r'<statement speaker="(\w+)">\n(.*?)\n</statement>', re.DOTALL)


def shown_to(prompt: SentPrompt) -> dict[str, str]:
    """By letter, whose answer a ranker was shown, by its mark, in the order shown."""
    return {letter: text.split("-")[1].split()[0] for letter, text in SHOWN.findall(prompt.private)}


class Councillors(ScriptedChat):
    """Members whose answers hold a mark. `order`: whom each puts first; others and oneself follow in seat order."""

    script: Any = Field(default_factory=list)
    order: Mapping[str, list[str]] = Field(default_factory=dict)
    says: Mapping[tuple[str, str], ScriptedReply] = Field(default_factory=dict)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if (prompt.who, prompt.purpose) in self.says:
            return self.says[prompt.who, prompt.purpose]
        if prompt.purpose == "statement":
            return f"mark-{prompt.who.lower()} is what the bridge should be made of."
        if prompt.purpose == "synthesis":
            return "A bridge of steel [1], and of stone [2]."
        return ranked(prompt, self.order.get(prompt.who, SEATS))


def ranked(prompt: SentPrompt, order: list[str]) -> dict[str, Any]:
    """A review that ranks the answers shown by their authors, those of `order` first."""
    letters = {author: letter for letter, author in shown_to(prompt).items()}
    texts = [one.lower() for one in order if one.lower() in letters]
    best = [*texts, *(author for author in letters if author not in texts)]
    critiques = {letter: f"On {author}: sound." for author, letter in letters.items()}
    return {"critiques": critiques, "ranking": [letters[one] for one in best], "reason": "It stands."}


def run_council(
    order: Mapping[str, list[str]] | None = None,
    says: Mapping[tuple[str, str], ScriptedReply] | None = None,
    names: list[Any] = SEATS,
    **context: Any,
) -> tuple[dict[str, Any], Councillors]:
    """A finished council and the model that took all parts."""
    model = Councillors(order=order or {}, says=says or {})
    given = {"topic": "What shall the bridge be made of?", "participants": names}
    state = council.graph.invoke(given, context={"model": model, "retry_delays": [0], "seed": 4, **context})
    return state, model
