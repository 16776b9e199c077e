"""Settings of a consensus dialogue, and of every protocol that measures the agreement of a group."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ..errors import check_effect
from ..lookups.settings import LIBRARY
from ..plugins import STOPPING_RULE_GROUP, PluginName
from ..positions.settings import PositionSettings
from ..settings import BlindRoundSettings, LongViewSettings, ProfileSettings, StoppingSettings, TurnOrderSettings
from ..voting import VotingSettings


class ConvergenceSettings(StoppingSettings):
    """Settings of protocols that measure the agreement of a group."""

    convergence: Literal["declared", "lexical", "embedding", "judge"] = Field(
        default="declared", description="How Moot measures agreement; `lexical` compares words, and can be wrong."
    )
    consensus_rule: Literal["all", "supermajority"] = Field(
        default="all", description="Participants who must agree: all, or two thirds."
    )
    confirm: bool = Field(
        default=True,
        description="Whether all must accept a draft of the common ground before an agreement counts.",
    )
    confirmations: int = Field(default=2, ge=1, le=20, description="Maximum drafts of the common ground.")
    agreement_threshold: float = Field(default=0.8, gt=0, le=1, description="Agreement (0–1) that counts as consensus.")
    embeddings: str = Field(
        default="",
        max_length=300,
        description="Embedding model, whose requests count as calls; empty: that of MOOT_EMBEDDINGS.",
    )

    @model_validator(mode="after")
    def _check_convergence(self) -> Self:
        check_effect(self, "confirmations", self.confirm, "set confirm to true")
        uses_vectors = self.convergence == "embedding" or LIBRARY in self.tools
        check_effect(self, "embeddings", uses_vectors, "set convergence to embedding")
        return self

    @property
    def agreement_share(self) -> float:
        """Share of the participants who must agree, and accept the shared position."""
        return 1.0 if self.consensus_rule == "all" else 2 / 3


class ConsensusSettings(
    PositionSettings,
    VotingSettings,
    ConvergenceSettings,
    BlindRoundSettings,
    TurnOrderSettings,
    ProfileSettings,
    LongViewSettings,
):
    """Settings of a consensus dialogue: turns, closing vote, measured agreement, and rules for stopping."""

    model_config = ConfigDict(title="Consensus")

    concedes: ClassVar[bool] = False
    unused_settings: ClassVar[dict[str, str]] = {
        "stable_rounds": "`convergence` decides when a consensus ends",
        "judge_interval": "a consensus asks its judge after each round",
    }

    protocol: Literal["consensus"] = Field(default="consensus", description="Always `consensus`.")
    max_turns: int | None = Field(
        default=None, ge=3, le=1000, description="Maximum turns, at least 1 per participant; none: 4 per participant."
    )
    stop_rule: Annotated[str, PluginName(STOPPING_RULE_GROUP, ("asked", "lexical", "calibrated"))] = Field(
        default="asked", description="Rule that detects a stalemate after a round."
    )

    def get_turn_cap(self, seats: int) -> int | None:
        """Return the maximum number of turns, or `None` if only rounds are capped.

        Without any cap, return four turns for each of the `seats` participants.
        """
        return 4 * seats if self.max_turns is None and self.max_rounds is None else self.max_turns
