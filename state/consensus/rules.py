"""The rules of a consensus dialogue."""

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from ..installed.named import Named
from ..installed.packages import ENDINGS
from ..positions.rules import PositionRules
from ..rules import BlindRules, GroupRules, ProfileRules, TalkRules, TurnOrderRules
from ..voting import VotingRules


class ConvergenceRules(TalkRules):
    """The knobs of protocols that measure how far a group agrees."""

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


class ConsensusRules(
    PositionRules, VotingRules, ConvergenceRules, BlindRules, TurnOrderRules, ProfileRules, GroupRules
):
    """The knobs of a consensus dialogue."""

    model_config = ConfigDict(title="Consensus")

    concedes: ClassVar[bool] = False
    idle: ClassVar[dict[str, str]] = {"still_rounds": "convergence ends a consensus"}

    protocol: Literal["consensus"] = Field(default="consensus", description="Always `consensus`.")
    max_turns: int | None = Field(
        default=None, ge=3, le=1000, description="Hard cap on turns, at least one each; none: 4 per participant."
    )
    stopping: Annotated[str, Named(ENDINGS, ("dialogue", "lexical", "sequential", "calibrated"))] = Field(
        default="dialogue", description="The rule that finds a stalemate, after complete rounds."
    )

    def turn_cap(self, seats: int) -> int | None:
        """The cap on turns; where neither turns nor rounds have one, four turns for each of `seats` participants."""
        return 4 * seats if self.max_turns is None and self.max_rounds is None else self.max_turns
