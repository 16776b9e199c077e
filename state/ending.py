"""Endings of a deliberation: the reason, the rule, the evidence and the basis."""

from typing import Literal

from pydantic import Field

from .frozen import FrozenModel


class Evidence(FrozenModel):
    """Evidence for an ending, such as turns, quotations and figures."""

    turns: list[int] = Field(default_factory=list, description="Numbers of the statements, counted from 1.")
    quote: str = Field(default="", description="The decisive words, in the speaker's own spelling.")
    figure: float | None = Field(default=None, description="What was measured; its unit is the rule's.")
    threshold: float | None = Field(default=None, description="The bound the figure was held against.")
    note: str = Field(default="", description="What the figure measures, or how the words were read.")
    searched: int | None = Field(
        default=None, ge=0, description="Papers the figure is the best relevance of; none: it is no search's."
    )


class StopBasis(FrozenModel):
    """Basis of a stop: a statistical guarantee, a heuristic, a cap or an event."""

    kind: Literal["guarantee", "heuristic", "cap", "event"] = Field(
        description="A bound on how often it is wrong; a rule without one; a cap; or something that simply happened."
    )
    delta: float | None = Field(default=None, gt=0, lt=1, description="Share of runs that may end differently.")
    epsilon: float | None = Field(default=None, gt=0, lt=1, description="Chance that the promise itself fails.")
    n: int | None = Field(default=None, ge=1, description="Runs it was calibrated on.")
    alpha: float | None = Field(default=None, gt=0, lt=1, description="Error of a test: stopped too early.")
    beta: float | None = Field(default=None, gt=0, lt=1, description="Error of a test: gone on for too long.")
    caveat: str = Field(default="", description="What it holds for only, by the name of a phrase; empty: nothing.")


class Ending(FrozenModel):
    """Reason to stop, with the rule that applied, its evidence and its basis."""

    reason: str = Field(description="Name of the ending, such as `concession_detected`.")
    strategy: str = Field(description="Name of the rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="What it rests on.")
    basis: StopBasis | None = Field(default=None, description="What the rule promises; none: what its strategy does.")


CLOSED_BY_CALLER = Ending(reason="closed", strategy="caller")
"""Ending of a run that its caller led to the last step."""


def get_stop_basis(ending: Ending) -> StopBasis:
    """Return the basis that an ending states, or else the default basis for its kind of rule."""
    if ending.basis:
        return ending.basis
    # rules that record an event and make no judgement
    event_rules = ("availability", "outage", "closing", "session", "invitation", "protocol", "caller", "confirmed")
    is_decided = ending.reason in ("vote_decided", "vote_undecided", "no_papers_found")
    is_decided = is_decided or (ending.reason, ending.strategy) == ("concession_detected", "asked")
    is_event = ending.strategy in event_rules or is_decided
    return StopBasis(kind="cap" if ending.strategy in ("cap", "budget") else "event" if is_event else "heuristic")


def cut_quote(text: str) -> str:
    """Cut `text` to 280 characters. Drop lone halves of surrogate pairs, which cannot be stored."""
    return text.strip()[:280].encode("utf-8", "replace").decode()


class Outcome(FrozenModel):
    """Reason and evidence of the ending, and the failures during the run."""

    reason: str = Field(description="The ending's name, such as `concession_detected` or `max_turns_reached`.")
    strategy: str = Field(default="cap", description="The rule that found it.")
    evidence: Evidence = Field(default_factory=Evidence, description="The statements and the figure it rests on.")
    basis: StopBasis | None = Field(default=None, description="What the stop promises.")
    status: Literal["completed", "partial", "failed"] = Field(
        default="completed",
        description="`partial`: it ended without its conclusion, or with nobody left to speak; `failed`: it is not "
        "finished, since most of it, or its closing text, is missing.",
    )
    headline: str = Field(default="", description="One line for people: the ending, and whatever was degraded.")
    rehearsal: bool = Field(default=False, description="True when no real model took part.")
    replayed: bool = Field(default=False, description="True when every answer came from a recording.")
