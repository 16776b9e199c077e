"""Groups of settings of the justice experiment, such as participants, discussion and vote."""

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
    """Settings model that rejects unknown keys and converts no text to numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_known_keys(cls, value: object) -> object:
        if isinstance(value, dict):
            check_keys(value, cls.model_fields)
        return value


class JusticeParticipant(StrictSettings):
    """Participant of the experiment. A plain name is also accepted."""

    name: str = Field(min_length=1, max_length=80, description="Unique name.")
    id: str = Field(default="", max_length=80, description="Unique key in the data; empty: the name.")
    model: str = Field(default="", max_length=300, description="Model; empty: the run's model.")
    kind: Literal["model", "person"] = Field(default="model", description="Kind of participant.")
    personality: str = Field(default="", max_length=20_000, description="Private description of the participant.")
    temperature: float = Field(default=0.7, ge=0, le=2, description="Sampling temperature.")
    reasoning_enabled: bool = Field(
        default=True, description="Whether a private reasoning call precedes each statement."
    )
    memory_max_chars: int = Field(
        default=100_000, ge=100, le=100_000_000, description="Maximum characters of the memory."
    )
    language: Language | None = Field(default=None, description="Language; none: the run's language.")

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
    """Settings of the discussion, and of repeated attempts at a call."""

    max_rounds: int = Field(default=10, ge=1, le=100, description="Maximum rounds.")
    speaking_order_strategy: Literal["random", "fixed", "conversational"] = Field(
        default="random", description="Speaking order of a round."
    )
    randomize_speaking_order: bool = Field(
        default=True, description="Whether the speaking order varies; false: a fixed rotation."
    )
    max_finishes_per_participant: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="Maximum rounds in which a participant speaks last; none: rounds / participants, rounded up.",
    )
    statement_min_length: MinLength = Field(default=10, description="Minimum characters of a statement.")
    statement_min_length_cjk: MinLength = Field(
        default=5, description="Minimum characters of a Chinese, Japanese or Korean statement."
    )
    statement_length_limit: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Maximum characters of a statement; none: unlimited."
    )
    statement_timeout: float = Field(default=60.0, ge=10, le=600, description="Time for an attempt at a statement, s.")
    reasoning_timeout: float = Field(default=60.0, ge=10, le=600, description="Time for a private reasoning call, s.")
    statement_retry_attempts: AttemptLimit = Field(default=3, description="Attempts at a statement.")
    reasoning_max_retries: int = Field(default=2, ge=1, le=5, description="Attempts at private reasoning.")
    retry_backoff_factor: BackoffFactor = Field(default=1.5, description="Factor of the delay after each attempt.")
    max_constraint_correction_attempts: int = Field(
        default=2, ge=0, le=5, description="How often Moot asks again after an unusable amount in Phase 1."
    )
    max_participant_retries: int = Field(
        default=2, ge=0, le=5, description="How often Moot asks again after any other unusable answer."
    )
    retry_feedback_detail: Literal["concise", "detailed"] = Field(
        default="concise", description="Detail of the explanation in a retry prompt."
    )
    enable_intelligent_retries: bool = Field(default=True, description="Whether a retry prompt explains the error.")
    quarantine_failed_responses: bool = Field(
        default=True, description="Whether a neutral line replaces a failed statement."
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
        """Return how the speaking order of a round is chosen; `fixed` if the settings disable shuffling."""
        return self.speaking_order_strategy if self.randomize_speaking_order else "fixed"

    @property
    def retry_delays(self) -> list[float]:
        """Return the delays in seconds before the second, third, … attempt: factor^(attempt − 2)."""
        return [self.retry_backoff_factor**index for index in range(self.statement_retry_attempts - 1)]

    def needs_countdown(self, round: int) -> bool:
        """Return whether a notice after this round announces that two rounds remain."""
        return self.max_rounds - round == 2


class JusticeTimeouts(Timeouts):
    """Factors that lengthen the time limit per attempt. The first limit is a setting of the discussion."""

    attempt_factors: AttemptFactors = Field(
        default=[1.0, 0.75, 0.5],
        description="Factors of a statement's time limit in attempts 1, 2 …; use [1] with a slow model.",
    )

    @model_serializer
    def _serialize_used_settings(self) -> dict[str, object]:
        return {"attempt_factors": self.attempt_factors}


class JusticeMemorySettings(MemorySettings):
    """Settings of the participants' memories and of the history in prompts."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    public_history_max_length: HistoryLength = Field(
        default=100_000, description="Maximum characters of statements in a prompt."
    )
    max_memory_retries: int = Field(default=5, ge=1, le=10, description="Attempts to shorten a memory.")


class WordingSettings(StrictSettings):
    """Settings of the words in prompts: the word justice, gains or losses, and explanations."""

    wording: Literal["justice", "neutral"] = Field(
        default="justice", description="Wording of the texts; neutral: without the word justice."
    )
    frame: Literal["gain", "loss"] = Field(
        default="gain", description="Description of outcomes; loss: deductions from a credit."
    )
    loss_credit: float = Field(
        default=40.0, gt=0, le=1_000_000, multiple_of=0.01, description="Credit of `frame: loss`, dollars."
    )
    include_experiment_explanation: bool = Field(default=True, description="Whether prompts explain the experiment.")
    include_experiment_explanation_each_turn: bool = Field(
        default=False, description="Whether each prompt before the group phase repeats the explanation."
    )

    @property
    def loss_credit_cents(self) -> int:
        """Return the credit in cents from which prompts deduct with `frame: loss`."""
        return round(self.loss_credit * 100)


class TranscriptSettings(StrictSettings):
    """Settings of the transcript file: whether to write it, where, and with which parts."""

    enabled: bool = Field(default=False, description="Whether to write a transcript.")
    include_input_prompts: bool = Field(default=True, description="Whether the transcript contains the prompts.")
    include_agent_responses: bool = Field(default=True, description="Whether the transcript contains the replies.")
    include_instructions: bool = Field(
        default=False, description="Whether the transcript contains the system messages."
    )
    include_memory_updates: bool = Field(
        default=False, description="Whether the transcript contains every change of a memory."
    )
    path: str | None = Field(
        default=None, max_length=4000, description="Path of the file; none: in the result's folder."
    )

    @field_validator("path")
    @classmethod
    def _check_path(cls, value: str | None) -> str | None:
        if value is not None and ".." in value:
            raise ValueError('give a path without ".."')
        return value


class LoggingSettings(StrictSettings):
    """Settings of the log: how much the display shows, and the transcript file."""

    verbosity_level: Literal["minimal", "standard", "detailed", "debug"] = Field(
        default="standard", description="Detail of the log."
    )
    transcript_logging: TranscriptSettings = Field(default=TranscriptSettings(), description="Transcript file.")


class CheckSettings(StrictSettings):
    """Settings of the comprehension test, and of a balanced order in which prompts present the options."""

    comprehension_test: bool = Field(
        default=False, description="Whether four questions about the principles precede Phase 1."
    )
    comprehension_tries: int = Field(default=5, ge=1, le=10, description="Attempts per test question.")
    principle_order: Literal["fixed", "counterbalanced"] = Field(
        default="fixed", description="Order of the principles; each keeps its number."
    )
    distribution_order: Literal["fixed", "counterbalanced"] = Field(
        default="fixed", description="Order of the table columns; D1–D4 keep their names."
    )


VoteStep = Literal["initiation", "confirmation", "secret_ballot"]


class JusticeVoteSettings(StrictSettings):
    """Settings of the vote, and of the payment if the group adopts no rule."""

    min_rounds_before_vote: int = Field(default=1, ge=1, le=100, description="First round in which a vote may start.")
    force_vote_in_final_round: bool = Field(default=True, description="Whether the last round always ends with a vote.")
    initiation_order: Literal["roster", "drawn"] = Field(
        default="roster", description="Order in which participants are asked to start a vote; drawn: random each time."
    )
    decision_rule: Literal["unanimity", "majority", "imposed"] = Field(
        default="unanimity", description="Votes that adopt a principle; imposed: Moot sets it without a vote."
    )
    imposed_principle: Literal[1, 2, 3, 4] | None = Field(default=None, description="Imposed principle, 1 to 4.")
    imposed_amount: int | None = Field(default=None, ge=1, le=MAX_AMOUNT, description="Amount for principle 3 or 4.")
    no_consensus_mode: Literal[
        "random_distribution_per_participant", "random_distribution_group", "random_principle"
    ] = Field(default="random_distribution_per_participant", description="Payment if no principle is adopted.")
    voting_initiation_timeout: float = Field(
        default=30.0, ge=1, le=600, description="Time to propose a vote or not, first attempt, s."
    )
    voting_confirmation_timeout: float = Field(
        default=30.0, ge=1, le=600, description="Time to agree to a vote or not, first attempt, s."
    )
    voting_secret_ballot_timeout: float = Field(
        default=45.0, ge=1, le=600, description="Time to fill in a ballot, first attempt, s."
    )
    voting_retry_backoff: BackoffFactor = Field(default=1.5, description="Factor of the time limit after each attempt.")
    voting_retry_limit: AttemptLimit = Field(default=3, description="Attempts to get a usable consent.")
    principle_extraction_retries: AttemptLimit = Field(default=3, description="Attempts to get a usable principle.")
    amount_extraction_retries: AttemptLimit = Field(default=3, description="Attempts to get a usable amount.")
    amount_min_reasonable: int = Field(default=1000, ge=1, le=MAX_AMOUNT, description="Smallest accepted amount.")
    amount_max_reasonable: int = Field(default=10_000_000, ge=2, le=MAX_AMOUNT, description="Largest accepted amount.")

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
                "imposed_principle", principle, "must be 1 to 4 if decision_rule is imposed, else left out"
            )
        if (amount is None) == (principle in (3, 4)):
            raise make_setting_error(
                "imposed_amount", amount, "must be given if imposed_principle is 3 or 4, else left out"
            )
        return self

    @property
    def imposed_rule(self) -> SharingRule | None:
        """Return the rule that the settings impose, or `None` if the group decides."""
        if self.imposed_principle is None:
            return None
        return SharingRule(principle=get_principle(self.imposed_principle), constraint_amount=self.imposed_amount)

    def list_step_timeouts(self, step: VoteStep, attempts: int) -> list[float]:
        """Return the time limit of each attempt at a step of the vote, in seconds.

        The limit of an attempt is base × backoff^(attempt − 1).
        """
        bases = {
            "initiation": self.voting_initiation_timeout,
            "confirmation": self.voting_confirmation_timeout,
            "secret_ballot": self.voting_secret_ballot_timeout,
        }
        return [bases[step] * self.voting_retry_backoff**index for index in range(attempts)]
