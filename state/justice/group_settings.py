"""Setting groups of the justice experiment, such as participants, discussion and vote."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_serializer, model_validator

from ..errors import check_keys, make_setting_error
from ..setting_types import AttemptFactors, MemorySettings, Timeouts
from .principle import MAX_AMOUNT, SharingRule, get_principle

Language = Literal["en", "es", "zh"]
AttemptLimit = Annotated[int, Field(ge=1, le=10)]
BackoffFactor = Annotated[float, Field(ge=1, le=3)]
MinLength = Annotated[int, Field(ge=1, le=1000)]
HistoryLength = Annotated[int, Field(ge=100, le=100_000_000)]


class StrictSettings(BaseModel):
    """Settings that are read strictly: no unknown key, no text in place of a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_known_keys(cls, value: object) -> object:
        if isinstance(value, dict):
            check_keys(value, cls.model_fields)
        return value


class JusticeParticipant(StrictSettings):
    """Participant of the experiment; a bare name is accepted."""

    name: str = Field(min_length=1, max_length=80, description="How the others address this participant; unique.")
    id: str = Field(default="", max_length=80, description="Key in the data and in draws; unique; empty: the name.")
    model: str = Field(default="", max_length=300, description="Model spec; empty: the run's default model.")
    kind: Literal["model", "person"] = Field(default="model", description="Who answers.")
    personality: str = Field(default="", max_length=20_000, description="What only this participant is told of itself.")
    temperature: float = Field(default=0.7, ge=0, le=2, description="Sampling temperature.")
    reasoning_enabled: bool = Field(default=True, description="Whether a private reasoning call precedes a statement.")
    memory_max_chars: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Bound of the memory, characters."
    )
    language: Language | None = Field(default=None, description="Language of prompts and replies; none: the run's.")

    @model_validator(mode="before")
    @classmethod
    def _fill_id(cls, value: object) -> object:
        fields = {"name": value} if isinstance(value, str) else value
        if isinstance(fields, dict) and not fields.get("id"):
            return fields | {"id": fields.get("name")}
        return fields

    @field_validator("name", "id")
    @classmethod
    def _strip_name(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("give a name that is not blank")
        return value.strip()


DEFAULT_PARTICIPANTS = [
    JusticeParticipant(name=name, id=name) for name in ("Alice", "Bruno", "Carmen", "Daniel", "Mei")
]


class JusticeDiscussionSettings(StrictSettings):
    """Settings of the discussion and of the attempts at a call."""

    max_rounds: int = Field(default=10, ge=1, le=100, description="Rounds of discussion at most.")
    speaking_order_strategy: Literal["random", "fixed", "conversational"] = Field(
        default="random", description="How the speaking order of a round is found."
    )
    randomize_speaking_order: bool = Field(
        default=True, description="False: the fixed rotation, whatever the strategy."
    )
    max_finishes_per_participant: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="How often one may speak last; none: rounds over participants, rounded up.",
    )
    statement_min_length: MinLength = Field(default=10, description="Fewest characters of a statement.")
    statement_min_length_cjk: MinLength = Field(default=5, description="The same in Chinese, Japanese, Korean.")
    statement_length_limit: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Most characters of a statement; none: no limit."
    )
    statement_timeout: float = Field(default=60.0, ge=10, le=600, description="Seconds for each try of a statement.")
    reasoning_timeout: float = Field(default=60.0, ge=10, le=600, description="Seconds for a private reasoning call.")
    statement_retry_attempts: AttemptLimit = Field(default=3, description="Tries of a statement in all.")
    reasoning_max_retries: int = Field(default=2, ge=1, le=5, description="Tries of a private reasoning call in all.")
    retry_backoff_factor: BackoffFactor = Field(
        default=1.5, description="Factor from one wait, in seconds, to the next."
    )
    max_constraint_correction_attempts: int = Field(
        default=2, ge=0, le=5, description="Times a bad amount is asked again in Phase 1."
    )
    max_participant_retries: int = Field(default=2, ge=0, le=5, description="Times any other answer is asked again.")
    retry_feedback_detail: Literal["concise", "detailed"] = Field(
        default="concise", description="How much a retry prompt says about what was wrong."
    )
    enable_intelligent_retries: bool = Field(default=True, description="Whether a retry prompt names what was wrong.")
    quarantine_failed_responses: bool = Field(
        default=True, description="Whether a neutral line stands for a statement that failed, never its text."
    )

    @model_validator(mode="after")
    def _check_length_limit(self) -> "JusticeDiscussionSettings":
        limit, min_length = self.statement_length_limit, max(self.statement_min_length, self.statement_min_length_cjk)
        if limit is not None and limit < min_length:
            raise make_setting_error(
                "statement_length_limit", limit, f"give none, or at least {min_length}, the minimum length"
            )
        return self

    @property
    def speaking_order(self) -> Literal["random", "fixed", "conversational"]:
        """Strategy for the order of a round; `fixed` if shuffling is off."""
        return self.speaking_order_strategy if self.randomize_speaking_order else "fixed"

    @property
    def waits(self) -> list[float]:
        """Seconds before the second, third … attempt at a statement: factor^(attempt − 2)."""
        return [self.retry_backoff_factor**index for index in range(self.statement_retry_attempts - 1)]

    def needs_countdown(self, round: int) -> bool:
        """Return whether the history announces, after this round, that two rounds remain."""
        return self.max_rounds - round == 2


class JusticeTimeouts(Timeouts):
    """Factors on the limit of each attempt at a statement. The limit itself is a setting of the discussion."""

    attempt_factors: AttemptFactors = Field(
        default=[1.0, 0.75, 0.5],
        description="Factors on the limit of the first, second … attempt at a statement; [1] for a slow model.",
    )

    @model_serializer
    def _list_used(self) -> dict[str, object]:
        return {"attempt_factors": self.attempt_factors}


class JusticeMemorySettings(MemorySettings):
    """Settings of memories and of the history in prompts."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    public_history_max_length: HistoryLength = Field(
        default=100_000, description="Characters of statements a prompt shows at most."
    )
    max_memory_retries: int = Field(default=5, ge=1, le=10, description="Tries of a memory rewrite that is too long.")


class WordingSettings(StrictSettings):
    """Settings of the wording and the frame of prompts."""

    wording: Literal["justice", "neutral"] = Field(default="justice", description="neutral: no word of justice.")
    frame: Literal["gain", "loss"] = Field(
        default="gain", description="loss: outcomes told as deductions from a credit."
    )
    loss_credit: float = Field(
        default=40.0, gt=0, le=1_000_000, multiple_of=0.01, description="The credit, in dollars."
    )
    include_experiment_explanation: bool = Field(default=True, description="Explain the experiment in prompts.")
    include_experiment_explanation_each_turn: bool = Field(
        default=False, description="In every prompt alone; false: on the first turn. In the group it is in all."
    )

    @property
    def loss_credit_cents(self) -> int:
        """The credit in cents."""
        return round(self.loss_credit * 100)


class TranscriptSettings(StrictSettings):
    """Settings of the transcript file."""

    enabled: bool = Field(default=False, description="Whether a transcript file is written.")
    include_input_prompts: bool = Field(default=True, description="Prompts as sent.")
    include_agent_responses: bool = Field(default=True, description="Replies as received.")
    include_instructions: bool = Field(default=False, description="The system part of prompts.")
    include_memory_updates: bool = Field(default=False, description="Memories after each change.")
    path: str | None = Field(default=None, max_length=4000, description="Where it goes; none: beside the result.")

    @field_validator("path")
    @classmethod
    def _check_path(cls, value: str | None) -> str | None:
        if value is not None and ".." in value:
            raise ValueError('give a path without ".."')
        return value


class LoggingSettings(StrictSettings):
    """Settings of the log."""

    verbosity_level: Literal["minimal", "standard", "detailed", "debug"] = Field(
        default="standard", description="How much is logged."
    )
    transcript_logging: TranscriptSettings = Field(default=TranscriptSettings(), description="The transcript file.")


class CheckSettings(StrictSettings):
    """Settings that check comprehension of the treatment and balance the order of presentation."""

    comprehension_test: bool = Field(
        default=False, description="Whether four questions on what the principles pick come before Phase 1."
    )
    comprehension_tries: int = Field(
        default=5, ge=1, le=10, description="Tries of a question of that test in all; it is asked until right."
    )
    principle_order: Literal["fixed", "counterbalanced"] = Field(
        default="fixed", description="In which order the principles are told; their numbers stay their own."
    )
    distribution_order: Literal["fixed", "counterbalanced"] = Field(
        default="fixed", description="In which order the columns of tables stand; D1 to D4 keep their names."
    )


VoteStep = Literal["initiation", "confirmation", "secret_ballot"]


class JusticeVoteSettings(StrictSettings):
    """Settings of the vote and of the payment without an adopted rule."""

    min_rounds_before_vote: int = Field(default=1, ge=1, le=100, description="Round from which a vote may start.")
    force_vote_in_final_round: bool = Field(
        default=True, description="Whether the last round votes without initiation."
    )
    initiation_order: Literal["roster", "drawn"] = Field(
        default="roster", description="In which order they are asked who starts a vote; drawn: anew each time."
    )
    decision_rule: Literal["unanimity", "majority", "imposed"] = Field(
        default="unanimity",
        description="Who must cast the identical pair; imposed: the rule is announced, not voted on.",
    )
    imposed_principle: Literal[1, 2, 3, 4] | None = Field(default=None, description="The rule announced, by number.")
    imposed_amount: int | None = Field(default=None, ge=1, le=MAX_AMOUNT, description="Its amount, for 3 and 4.")
    no_consensus_mode: Literal[
        "random_distribution_per_participant", "random_distribution_group", "random_principle"
    ] = Field(default="random_distribution_per_participant", description="What pays when no rule is adopted.")
    voting_initiation_timeout: float = Field(default=30.0, ge=1, le=600, description="Seconds, first try.")
    voting_confirmation_timeout: float = Field(default=30.0, ge=1, le=600, description="Seconds, first try.")
    voting_secret_ballot_timeout: float = Field(default=45.0, ge=1, le=600, description="Seconds, first try.")
    voting_retry_backoff: BackoffFactor = Field(default=1.5, description="Factor from one try's timeout to the next.")
    voting_retry_limit: AttemptLimit = Field(default=3, description="Tries of a consent in all.")
    principle_extraction_retries: AttemptLimit = Field(default=3, description="Tries of a ballot's principle in all.")
    amount_extraction_retries: AttemptLimit = Field(default=3, description="Tries of a ballot's amount in all.")
    amount_min_reasonable: int = Field(default=1000, ge=1, le=MAX_AMOUNT, description="Smallest amount accepted.")
    amount_max_reasonable: int = Field(default=10_000_000, ge=2, le=MAX_AMOUNT, description="Largest amount accepted.")

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        min_amount, max_amount = self.amount_min_reasonable, self.amount_max_reasonable
        if min_amount >= max_amount:
            raise make_setting_error(
                "amount_min_reasonable", min_amount, f"must be below amount_max_reasonable, {max_amount}"
            )
        principle, amount = self.imposed_principle, self.imposed_amount
        if (principle is None) == (self.decision_rule == "imposed"):
            raise make_setting_error(
                "imposed_principle", principle, "give 1 to 4 with decision_rule: imposed, and only then"
            )
        if (amount is None) == (principle in (3, 4)):
            raise make_setting_error("imposed_amount", amount, "give it with imposed_principle 3 or 4, and only then")
        return self

    @property
    def imposed_rule(self) -> SharingRule | None:
        """The imposed rule, or `None` if the group decides."""
        if self.imposed_principle is None:
            return None
        return SharingRule(principle=get_principle(self.imposed_principle), constraint_amount=self.imposed_amount)

    def statement_timeouts(self, step: VoteStep, attempts: int) -> list[float]:
        """Return the seconds for each of `attempts` attempts at a step: base × backoff^(attempt − 1)."""
        bases = {
            "initiation": self.voting_initiation_timeout,
            "confirmation": self.voting_confirmation_timeout,
            "secret_ballot": self.voting_secret_ballot_timeout,
        }
        return [bases[step] * self.voting_retry_backoff**index for index in range(attempts)]
