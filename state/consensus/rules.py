"""The rules of a consensus dialogue."""

from typing import Literal

from pydantic import ConfigDict, Field

from ..count import CountSettings, RuleName
from ..rules import GroupRules


class ConsensusRules(GroupRules):
    """The knobs of a consensus dialogue."""

    model_config = ConfigDict(title="Consensus")

    protocol: Literal["consensus"] = Field(default="consensus", description="Always `consensus`.")
    max_turns: int | None = Field(
        default=None, ge=3, le=1000, description="Hard cap on turns, at least one each; none: 4 per participant."
    )
    stopping: Literal["dialogue", "lexical"] = Field(
        default="dialogue", description="The rule that finds a stalemate, after complete rounds."
    )
    profile: str = Field(default="", max_length=80, description="Persona profile; empty: generic roles.")
    turn_order: Literal["round_robin", "least_spoken", "yield_floor", "shuffled"] = Field(
        default="round_robin", description="Who speaks when."
    )
    max_finishes_per_participant: int | None = Field(
        default=None, ge=1, le=10_000, description="How often one may speak last when shuffled; none: an equal share."
    )
    blind_first_round: bool = Field(
        default=True, description="Whether opening views are given at once, unseen by the others."
    )
    convergence: Literal["declared", "lexical", "embedding", "judge"] = Field(
        default="declared", description="How convergence is measured."
    )
    consensus_rule: Literal["all", "supermajority"] = Field(
        default="all", description="Who has to agree; a supermajority is two thirds."
    )
    threshold: float = Field(default=0.8, gt=0, le=1, description="Agreement that counts as consensus.")
    embeddings: str = Field(
        default="",
        max_length=300,
        description="Embedding model spec, for `embedding`; empty: MOOT_EMBEDDINGS. Its requests are calls.",
    )
    vote: Literal["off", RuleName] = Field(default="off", description="Counting rule of a closing vote, or `off`.")
    ballot: CountSettings = Field(default=CountSettings(), description="Quorum, tie rule and share of the vote.")
    open_ballot: bool = Field(default=False, description="Whether individual ballots become public.")

    @property
    def votes(self) -> bool:
        """Whether a vote closes the talk."""
        return self.vote != "off"

    @property
    def names_next(self) -> bool:
        """Whether a speaker may name who should speak next."""
        return self.turn_order == "yield_floor"

    def turn_cap(self, seats: int) -> int | None:
        """The cap on turns; where neither turns nor rounds have one, four turns for each of `seats` participants."""
        return 4 * seats if self.max_turns is None and self.max_rounds is None else self.max_turns
