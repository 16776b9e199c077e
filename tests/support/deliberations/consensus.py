"""Consensus dialogues for tests: a group whose members stand where a test puts them."""

import random
import string
from collections.abc import Callable
from typing import Any

from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
from moot.graphs import consensus
from pydantic import Field

SENTENCE = "We want a shorter week, tried out for a year."
SEATS = ["Ada", "Ben", "Cleo"]


class Group(ScriptedChat):
    """A group whose members say who they are and in which turn, and answer each schema as `views` says."""

    script: Any = Field(default_factory=list)
    views: dict[str, Callable[[str, int], dict[str, Any]]] = Field(default_factory=dict)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if prompt.purpose == "statement":
            return f"mark-{prompt.who}-{self.nth(prompt)} {something_new(prompt.who, self.nth(prompt))}"
        if prompt.purpose == "synthesis" and "synthesis" not in self.views:
            return closing([])
        if prompt.purpose in ("draft", "acceptance") and prompt.purpose not in self.views:
            return {"draft": {"common_ground": SENTENCE}, "acceptance": accept()}[prompt.purpose]
        said = self.views[prompt.purpose](prompt.who, self.nth(prompt))
        if prompt.purpose == "position" and isinstance(said, dict):
            follow_up = {"change": "none", "standing": []}
            return {key: value for key, value in follow_up.items() if f"`{key}`" in prompt.private} | said
        return said

    def nth(self, prompt: SentPrompt) -> int:
        return sum(1 for each in self.prompts if (each.who, each.purpose) == (prompt.who, prompt.purpose))


def something_new(who: str, nth: int) -> str:
    """A statement of thirty words that no other statement shares."""
    draw = random.Random(f"{who} {nth}")
    return " ".join("".join(draw.choices(string.ascii_lowercase, k=7)) for _ in range(30)) + "."


def stand(agreement: float, objection: str = "", changed_by: str = "") -> dict[str, Any]:
    return {
        "position": f"I am at {agreement}.",
        "agreement": agreement,
        "has_objection": bool(objection),
        "objection": objection,
        "changed_by": changed_by,
    }


def accept() -> dict[str, Any]:
    return {"answer": "accept", "reason": ""}


def object_because(reason: str) -> dict[str, Any]:
    return {"answer": "object", "reason": reason}


def closing(holders: list[str]) -> dict[str, Any]:
    dissent = [{"holder": holder, "reason": "It costs too much."} for holder in holders]
    return {
        "common_ground": "All want a shorter week [1].",
        "dissent": dissent,
        "open_questions": [],
        "movement": "Little.",
    }


def run_consensus(
    views: dict[str, Any] | None = None, names: list[str] = SEATS, **context: Any
) -> tuple[dict[str, Any], Group]:
    """A finished dialogue and the model that took all parts. Before a vote nobody is asked to accept a sentence."""
    context = {"confirm": "vote" not in context} | context
    settled: dict[str, Any] = {"position": lambda who, nth: stand(0.9)}
    model = Group(views=settled | (views or {}))
    given = {"topic": "A four-day week", "participants": names}
    state = consensus.graph.invoke(given, context={"model": model, "retry_delays": [0], **context})
    return state, model
