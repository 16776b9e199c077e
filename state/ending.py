"""Stopping rules that need no model: is this conversation over, why, and on what evidence?

    find_ending([("PRO", "…"), ("CON", "…"), …])            # the best rule, `dialogue`
    find_ending(turns, "lexical")                           # the reference rule, kept for comparison
    find_agreement(turns, speakers=["Ann", "Ben", "Cleo"])  # how far a group agrees

The rules are pure functions of the words: no model, no clock, no chance, and time linear in their number.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from .dialogue.finding import Finding, Transcript
from .dialogue.reference import by_reference
from .dialogue.rule import by_dialogue

QUOTE_LENGTH = 280
"""Characters of a statement that evidence quotes at most."""


class Evidence(BaseModel):
    """What an ending rests on."""

    model_config = ConfigDict(frozen=True)

    turns: list[int] = Field(default_factory=list, description="Numbers of the statements, counted from 1.")
    quote: str = Field(default="", description="The decisive words, in the speaker's own spelling.")
    figure: float | None = Field(default=None, description="What was measured; its unit is the rule's.")
    threshold: float | None = Field(default=None, description="The bound the figure was held against.")
    note: str = Field(default="", description="What the figure measures, or how the words were read.")


class Ending(BaseModel):
    """A reason to stop, the rule that found it, and its evidence."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="Name of the ending, such as `concession_detected`.")
    strategy: str = Field(description="Name of the rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="What it rests on.")


class Spoken(Protocol):
    """Anything with a speaker and a text, such as a `Statement`."""

    @property
    def speaker(self) -> str: ...

    @property
    def content(self) -> str: ...


def never(talk: Transcript) -> Finding | None:
    """Always go on: the row that other rules are compared with."""
    return None


RULES: Mapping[str, Callable[[Transcript], Finding | None]] = MappingProxyType(
    {"dialogue": by_dialogue, "lexical": by_reference, "never": never}
)
"""Stopping rules by name."""


def find_ending(
    turns: Sequence[tuple[str, str]] | Sequence[Spoken], rule: str = "dialogue", *, min_turns: int = 4, topic: str = ""
) -> Ending | None:
    """Why the conversation should stop after the last of `turns`, or none if it should go on.

    `turns` are (speaker, text) pairs or objects with `speaker` and `content`, oldest first, in any language; with fewer
    than `min_turns` of them the answer is none. `topic` is the motion, if known: words of the topic prove nothing.

    Raises `ValueError` for a rule that does not exist.
    """
    if rule not in RULES:
        raise ValueError(f"rule {rule!r} does not exist; choose one of: {', '.join(RULES)}")
    talk = Transcript([_pair(turn) for turn in turns], topic)
    found = RULES[rule](talk) if len(talk.turns) >= min_turns else None
    return found and Ending(reason=found.reason, strategy=rule, evidence=_evidence(found))


def _pair(turn: tuple[str, str] | Spoken) -> tuple[str, str]:
    return turn if isinstance(turn, tuple) else (turn.speaker, turn.content)


def _evidence(found: Finding) -> Evidence:
    quote = found.quote.strip().encode("utf-8", "replace").decode()[:QUOTE_LENGTH]
    turns = [index + 1 for index in found.turns]
    return Evidence(turns=turns, quote=quote, figure=found.figure, threshold=found.threshold, note=found.note)
