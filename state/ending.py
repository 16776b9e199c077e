"""Stopping rules that need no model: is this conversation over, why, and on what evidence?

    find_ending([("PRO", "…"), ("CON", "…"), …])            # the best rule, `dialogue`
    find_ending(turns, "lexical")                           # the reference rule, kept for comparison
    find_agreement(turns, speakers=["Ann", "Ben", "Cleo"])  # how far a group agrees

The rules are pure functions of the words: no model, no clock, no chance, and time linear in their number.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .dialogue.agreement import AGREED, Leaning, leanings, similarity
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
    searched: int | None = Field(
        default=None, ge=0, description="Papers the figure is the best relevance of; none: it is no search's."
    )


class Promise(BaseModel):
    """What a stop promises."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["guarantee", "heuristic", "cap", "event"] = Field(
        description="A bound on how often it is wrong; a rule without one; a cap; or something that simply happened."
    )
    delta: float | None = Field(default=None, gt=0, lt=1, description="Share of runs that may end differently.")
    epsilon: float | None = Field(default=None, gt=0, lt=1, description="Chance that the promise itself fails.")
    n: int | None = Field(default=None, ge=1, description="Runs it was calibrated on.")
    alpha: float | None = Field(default=None, gt=0, lt=1, description="Error of a test: stopped too early.")
    beta: float | None = Field(default=None, gt=0, lt=1, description="Error of a test: gone on for too long.")
    caveat: str = Field(default="", description="What it holds for only, by the name of a phrase; empty: nothing.")


class Ending(BaseModel):
    """A reason to stop, the rule that found it, its evidence, and what is promised."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="Name of the ending, such as `concession_detected`.")
    strategy: str = Field(description="Name of the rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="What it rests on.")
    promise: Promise | None = Field(default=None, description="What the rule promises; none: what its strategy does.")


CAPS = ("cap", "budget")
"""Strategies that only stop at a bound somebody set."""
EVENTS = ("availability", "outage", "closing", "session", "invitation", "protocol", "caller")
"""Strategies that find what happened, and judge nothing."""


def promised(found: Ending) -> Promise:
    """What a stop promises: what its rule says, else that of its kind of rule; a rule of one's own is a heuristic."""
    if found.promise:
        return found.promise
    happened = found.strategy in EVENTS or found.reason in ("vote_decided", "vote_undecided", "no_papers_found")
    return Promise(kind="cap" if found.strategy in CAPS else "event" if happened else "heuristic")


class Agreement(BaseModel):
    """How far one participant agrees."""

    model_config = ConfigDict(frozen=True)

    speaker: str = Field(description="The participant's name.")
    score: float = Field(default=0.0, ge=0, le=1, description="0: no, or silent; from 0.8: agrees; 1: says so.")
    objection: str = Field(default="", description="The participant's open objection, in its own words; empty: none.")
    evidence: Evidence = Field(default_factory=Evidence, description="The statement and words the score rests on.")


class Convergence(BaseModel):
    """How far a group has converged, going by each participant's latest statement."""

    model_config = ConfigDict(frozen=True)

    agreements: list[Agreement] = Field(default_factory=list, description="One for each participant, in their order.")
    similarity: float = Field(default=0.0, ge=0, le=1, description="Mean pairwise overlap of the latest words.")

    @property
    def scores(self) -> dict[str, float]:
        """Each participant's score in [0, 1]."""
        return {agreement.speaker: agreement.score for agreement in self.agreements}


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
    return Ending(reason=found.reason, strategy=rule, evidence=_evidence(found)) if found else None


def find_agreement(
    turns: Sequence[tuple[str, str]] | Sequence[Spoken], *, speakers: Sequence[str], topic: str = ""
) -> Convergence:
    """How far each of `speakers` agrees with the others after the last of `turns` (as for `find_ending`).

    A score in [0, 1] is what the speaker's latest statement says for agreement, net of what it then says against:
    outright consent 1; a proposal all others have consented to since 0.9; consent to a part, or with indifference, 0.6;
    consent taken back 0.3; an objection 0.1; a statement that does neither 0.4 to 1 by its likeness (Jaccard overlap of
    content words) to the others' latest ones; no statement 0.
    """
    talk = Transcript([_pair(turn) for turn in turns], topic)
    found = [_agreement(leaning) for leaning in leanings(talk, speakers)]
    return Convergence(agreements=found, similarity=similarity(talk, speakers))


def _agreement(leaning: Leaning) -> Agreement:
    turns = [] if leaning.turn is None else [leaning.turn]
    evidence = _evidence(Finding("", turns, leaning.quote, leaning.score, AGREED, leaning.note))
    return Agreement(
        speaker=leaning.speaker, score=leaning.score, objection=_quotable(leaning.objection), evidence=evidence
    )


def _pair(turn: tuple[str, str] | Spoken) -> tuple[str, str]:
    return turn if isinstance(turn, tuple) else (turn.speaker, turn.content)


def _evidence(found: Finding) -> Evidence:
    turns = [index + 1 for index in found.turns]
    quote = _quotable(found.quote)
    return Evidence(turns=turns, quote=quote, figure=found.figure, threshold=found.threshold, note=found.note)


def _quotable(text: str) -> str:
    """`text` cut to length and without halves of surrogate pairs, which cannot be stored."""
    return text.strip()[:QUOTE_LENGTH].encode("utf-8", "replace").decode()


class Outcome(BaseModel):
    """Why it ended, on what evidence, and whether anything was degraded."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="The ending's name, such as `concession_detected` or `max_turns_reached`.")
    strategy: str = Field(default="cap", description="The rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="The statements and the figure it rests on.")
    promise: Promise | None = Field(default=None, description="What the stop promises.")
    status: Literal["completed", "partial", "failed"] = Field(
        default="completed",
        description="`partial`: it ended without its conclusion, or with nobody left to speak; `failed`: it is not "
        "finished, since most of it, or its closing text, is missing.",
    )
    headline: str = Field(default="", description="One line for people: the ending, and whatever was degraded.")
    rehearsal: bool = Field(default=False, description="True when no real model took part.")
    replayed: bool = Field(default=False, description="True when every answer came from a recording.")
