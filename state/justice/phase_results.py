"""Results of a justice experiment, phase by phase.

Money is in whole cents. Data fields identify participants by id, texts by name.
"""

import hashlib

from pydantic import Field

from ..frozen_models import FrozenModel
from .application import ApplicationResult
from .comprehension import ComprehensionAnswer
from .payment import Payment
from .presentation import Presentation
from .principle import Principle, Ranking, SharingRule
from .vote import VotingRecord


class TemplateHashes(FrozenModel):
    """SHA-256 hashes of the texts in prompts: built-in texts, and those that the run replaces.

    The key of a template is `<language>/<protocol>/<name>.md`. The key of a table of phrases is
    `justice.<language>.toml`, the key of a replaced phrase `justice.<language>.toml: <section>.<key>`.
    """

    built_in: dict[str, str] = Field(default_factory=dict, description="Hashes of the built-in texts in force.")
    own: dict[str, str] = Field(default_factory=dict, description="Hashes of the texts of the run's own folder.")

    @property
    def combined_hash(self) -> str:
        """Return the first 16 digits of the SHA-256 of all hashes. Runs with the same texts have the same."""
        hashes = sorted({**self.built_in, **self.own}.items())
        return hashlib.sha256("\n".join(f"{path} {digest}" for path, digest in hashes).encode()).hexdigest()[:16]


class Phase1Result(FrozenModel):
    """Result of one participant's Phase 1. A stage that the participant did not reach is `None`."""

    participant_name: str = Field(description="Name of the participant.")
    presentation: Presentation = Field(
        default=Presentation(), description="Order of principles and distributions in the prompts."
    )
    comprehension: list[ComprehensionAnswer] = Field(
        default_factory=list, max_length=4, description="Answers of the comprehension test; empty: no test."
    )
    initial_ranking: Ranking | None = Field(default=None, description="Ranking 1, from the definitions.")
    principle_explanation: str = Field(default="", description="Comment on the explanation; empty: missing.")
    post_explanation_ranking: Ranking | None = Field(default=None, description="Ranking 2, after the explanation.")
    application_results: list[ApplicationResult] = Field(
        default_factory=list, max_length=4, description="Paid applications, in order."
    )
    final_ranking: Ranking | None = Field(default=None, description="Ranking 3, after the applications.")
    total_earnings: int = Field(default=0, ge=0, description="Sum of the payoffs of the applications, in cents.")
    final_memory_state: str = Field(default="", description="Memory that continues in the group.")


class PrivateReasoning(FrozenModel):
    """Reasoning of one participant before a statement. Only this participant sees it."""

    round: int = Field(ge=1, le=100, description="Round of the reasoning.")
    participant: str = Field(description="Id of the participant.")
    text: str = Field(default="", description="Text of the reasoning; may be empty.")


class GroupStatement(FrozenModel):
    """Statement of the group discussion, in the record format that all protocols share."""

    round: int = Field(ge=1, description="Round of discussion.")
    turn: int = Field(ge=1, description="Number of the turn, over all rounds.")
    agent_id: str = Field(description="Id of the speaker.")
    name: str = Field(description="Name of the speaker.")
    statement: str = Field(description="Text of the statement.")
    timestamp: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    tokens: int = Field(default=0, ge=0, description="Prompt and completion tokens of the turn.")


class Phase2Result(Payment):
    """Result of the group phase: discussion, votes and payment."""

    consensus_reached: bool | None = Field(
        default=None, description="Whether the group reached consensus; none: a rule was imposed."
    )
    agreed_principle: Principle | None = Field(default=None, description="Adopted principle; `None` without one.")
    constraint_amount: int | None = Field(default=None, ge=1, description="Amount of the rule, for 3 and 4.")
    rounds_completed: int = Field(default=0, ge=0, le=100, description="Number of completed rounds.")
    discussion_history: list[GroupStatement] = Field(default_factory=list, description="Every statement, in order.")
    speaking_orders: list[list[str]] = Field(default_factory=list, description="Ids in speaking order, for each round.")
    finisher_counts: dict[str, int] = Field(
        default_factory=dict, description="Number of rounds in which each participant spoke last."
    )
    voting_records: list[VotingRecord] = Field(default_factory=list, description="Every vote, in order.")
    final_rankings: dict[str, Ranking] = Field(default_factory=dict, description="Ranking 4, after the results.")
    final_earnings: dict[str, int] = Field(default_factory=dict, description="Payoffs of both phases, in cents.")
    private_reasonings: list[PrivateReasoning] = Field(
        default_factory=list, description="Private reasoning before each statement, in order."
    )
    final_memories: dict[str, str] = Field(default_factory=dict, description="Private memories at the end, by id.")

    @property
    def adopted_rule(self) -> SharingRule | None:
        """Return the rule that the group adopted, or `None`."""
        if self.agreed_principle is None:
            return None
        return SharingRule(principle=self.agreed_principle, constraint_amount=self.constraint_amount)


def list_stage_rankings(phase1_result: Phase1Result, final_ranking: Ranking | None) -> list[Ranking | None]:
    """Return a participant's rankings 1 to 4, where `None` stands for a missing one."""
    return [
        phase1_result.initial_ranking,
        phase1_result.post_explanation_ranking,
        phase1_result.final_ranking,
        final_ranking,
    ]
