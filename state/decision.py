"""Decision after a turn or round: the next step, questions to participants, or an ending."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from .ending import Ending, get_stop_basis
from .frozen import FrozenModel

EndingKinds = Mapping[str, Sequence[str]]
"""Kinds of endings of a protocol, each with the reasons that belong to it.

Each kind is a node. A reason that belongs to no kind leads to `cap` if the stop is a cap, otherwise to `halt`.
"""

ENDING_PHASE = "ending"
"""Phase of the nodes that record an ending."""
CONCESSIONS = ("concession_detected",)
"""Reasons of an ending in which all but one participant concede."""
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
    branches: list[Branch] = Field(default_factory=list, description="Questions that come first; empty: none.")
    ending: Ending | None = Field(default=None, description="Ending with its evidence; none while the run continues.")


def choose_ending_kind(ending: Ending, kinds: EndingKinds) -> str:
    """Return the kind of an ending, out of the protocol's kinds."""
    kind = next((kind for kind, reasons in kinds.items() if ending.reason in reasons), "")
    is_cap = "cap" in kinds and get_stop_basis(ending).kind == "cap"
    return kind or ("cap" if is_cap else "halt")
