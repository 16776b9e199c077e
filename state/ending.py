"""Endings of a deliberation: the reason, the rule, the evidence and the basis."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from .frozen_models import FrozenModel

PARTICIPANTS_UNAVAILABLE = "participants_unavailable"
"""Reason of an unfinished run whose next speaker or synthesizer could not be reached."""


class Evidence(FrozenModel):
    """Evidence for an ending, such as turns, quotations and figures."""

    turns: list[int] = Field(default_factory=list, description="Numbers of the statements, counted from 1.")
    quote: str = Field(default="", description="The decisive words, in the speaker's own spelling.")
    figure: float | None = Field(default=None, description="Measured figure, in the unit of the rule.")
    threshold: float | None = Field(default=None, description="Bound that the figure is compared with.")
    note: str = Field(default="", description="Meaning of the figure, or the way Moot read the words.")
    searched: int | None = Field(
        default=None, ge=0, description="Number of searched papers, if the figure is their best relevance; else none."
    )


class StopBasis(FrozenModel):
    """Basis of a stop: a statistical guarantee, a heuristic, a cap or an event."""

    kind: Literal["guarantee", "heuristic", "cap", "event"] = Field(
        description="Kind of basis: a statistical guarantee, a heuristic, a cap, or an event."
    )
    delta: float | None = Field(default=None, gt=0, lt=1, description="Share of runs that may end differently.")
    epsilon: float | None = Field(default=None, gt=0, lt=1, description="Probability that the guarantee fails.")
    n: int | None = Field(default=None, ge=1, description="Number of calibration runs.")
    alpha: float | None = Field(default=None, gt=0, lt=1, description="Probability that a test stops too early.")
    beta: float | None = Field(default=None, gt=0, lt=1, description="Probability that a test stops too late.")
    caveat: str = Field(
        default="", description="Key of the phrase that restricts the guarantee; empty: no restriction."
    )


class Ending(FrozenModel):
    """Ending of a run: its reason, the rule that applied, the evidence and the basis."""

    reason: str = Field(description="Name of the ending, such as `concession_detected`.")
    strategy: str = Field(description="Name of the rule that applied.")
    evidence: Evidence = Field(default_factory=Evidence, description="Evidence for the ending.")
    basis: StopBasis | None = Field(
        default=None, description="Basis that the rule states; none: the rule's default basis."
    )


CLOSED_BY_CALLER = Ending(reason="closed", strategy="caller")
"""Ending of a run that its caller sent to the last step."""


def get_stop_basis(ending: Ending) -> StopBasis:
    """Return the basis stated in an ending or, without one, the default basis for its kind of rule."""
    if ending.basis:
        return ending.basis
    # rules that record an event and make no judgement
    event_rules = ("availability", "outage", "closing", "session", "invitation", "protocol", "caller", "confirmed")
    is_decided = ending.reason in ("vote_decided", "vote_undecided", "no_papers_found")
    is_decided = is_decided or (ending.reason, ending.strategy) == ("concession_detected", "asked")
    is_event = ending.strategy in event_rules or is_decided
    return StopBasis(kind="cap" if ending.strategy in ("cap", "budget") else "event" if is_event else "heuristic")


def cut_quote(text: str) -> str:
    """Strip `text`, cut it to 280 characters, and replace single halves of surrogate pairs by `?`."""
    return text.strip()[:280].encode("utf-8", "replace").decode()


class Outcome(FrozenModel):
    """Outcome of a run: how and why it ended, and which failures it had."""

    reason: str = Field(description="Name of the ending, such as `concession_detected` or `max_turns_reached`.")
    strategy: str = Field(default="cap", description="Name of the rule that applied.")
    evidence: Evidence = Field(default_factory=Evidence, description="Statements and figure that led to the ending.")
    basis: StopBasis | None = Field(default=None, description="Basis of the stop: guarantee, heuristic, cap or event.")
    status: Literal["completed", "partial", "failed"] = Field(
        default="completed",
        description=(
            "`completed`, `partial` (no conclusion, or no speaker left) or `failed` (the "
            "synthesis or most statements missing)."
        ),
    )
    headline: str = Field(default="", description="Ending and failures on one line, for people.")
    rehearsal: bool = Field(default=False, description="Whether the run used no real model.")
    replayed: bool = Field(default=False, description="Whether every answer came from a recording.")


EndingKinds = Mapping[str, Sequence[str]]
"""Kinds of endings of a protocol, each with the reasons that belong to it.

Each kind is a node. A reason that belongs to no kind leads to `cap` if the stop is a cap, otherwise to `halt`.
"""

ENDING_PHASE = "ending"
CONCESSIONS = ("concession_detected",)
"""Reasons of an ending by concession."""
AGREEMENTS = ("consensus_reached", *CONCESSIONS)
"""Reasons of an ending in which a group agrees."""
STALEMATES = ("stalemate_repetition", "stalemate_disengagement", "positions_stable", "calibrated_stop")
"""Reasons of an ending after which more rounds would change nothing."""
CAPS = ("max_turns_reached", "max_rounds_reached", "all_have_spoken", "answered_directly", "budget_spent")
"""Reasons of an ending at a preset limit."""


class Branch(FrozenModel):
    """Question to one participant, in a branch that runs in parallel with the branches of the others."""

    node: str = Field(description="Node of the branch.")
    who: str = Field(description="Participant or role that is asked.")
    when: str | None = Field(default=None, description="Moment of the question: before, round or after.")
    round: int | None = Field(default=None, ge=0, description="Number of complete rounds.")

    def make_payload(self) -> dict[str, object]:
        """Return the input of the branch: the participant, the moment and the round."""
        return self.model_dump(exclude={"node"}, exclude_none=True)


class Decision(FrozenModel):
    """Decision about a run: its next step, or its ending."""

    next: str = Field(default="", description="Label of the next step, or the kind of the ending.")
    branches: list[Branch] = Field(
        default_factory=list, description="Questions asked before the next step; empty: none."
    )
    ending: Ending | None = Field(default=None, description="Ending with its evidence; none while the run continues.")


def choose_ending_kind(ending: Ending, kinds: EndingKinds) -> str:
    """Return the first kind in `kinds` that lists the ending's reason.

    Without one, return `cap` for a cap if `kinds` contains it, otherwise `halt`.
    """
    kind = next((kind for kind, reasons in kinds.items() if ending.reason in reasons), "")
    return kind or ("cap" if "cap" in kinds and get_stop_basis(ending).kind == "cap" else "halt")
