"""Arguments of the protocols for type checkers, generated from their settings and inputs. A test compares them.

Run `python tests/support/contexts.py` to write it anew. The settings document meaning and bounds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict

SettingsArgument = Mapping[str, Any] | BaseModel
"""Group of settings, as a mapping or as its model."""
ParticipantArgument = str | Mapping[str, Any] | BaseModel
"""Participant: a name, or all of its fields."""


class SharedContext(TypedDict, total=False):
    """Settings that all protocols share."""

    budget: SettingsArgument
    max_tokens_per_turn: int
    memory: SettingsArgument
    model: Any
    models: Mapping[str, Any]
    person_deadline: float | None
    place: str
    prices: SettingsArgument | None
    public_history_max_length: int
    reasoning_allowance: int
    record: str
    replay: str
    seed: int | None
    statement_min_length: int
    statement_min_length_cjk: int
    templates: str


class DebateContext(SharedContext, total=False):
    """Settings of a debate."""

    answer: Literal["none", "option"] | SettingsArgument
    dynamic_termination: bool
    judge_every: int
    language: str
    max_rounds: int | None
    max_tokens_synthesis: int
    max_turns: int
    options: Mapping[str, str]
    positions: Literal["off", "ends", "rounds"]
    profile: str
    statement_tries: int
    still_rounds: int
    stop_file: str
    stop_insist: bool
    stopping: str
    temperature: float
    timeouts: SettingsArgument
    waits: Sequence[float]


class DebateInput(TypedDict):
    """Input of a debate."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class ConsensusContext(SharedContext, total=False):
    """Settings of a consensus."""

    answer: Literal["none", "option"] | SettingsArgument
    ballot: SettingsArgument
    blind_first_round: bool
    consensus_rule: Literal["all", "supermajority"]
    convergence: Literal["declared", "lexical", "embedding", "judge"]
    dynamic_termination: bool
    embeddings: str
    judge_every: int
    language: str
    max_finishes_per_participant: int | None
    max_rounds: int | None
    max_tokens_synthesis: int
    max_turns: int | None
    open_ballot: bool
    options: Mapping[str, str]
    positions: Literal["off", "ends", "rounds"]
    profile: str
    statement_tries: int
    stop_file: str
    stop_insist: bool
    stopping: str
    temperature: float
    threshold: float
    timeouts: SettingsArgument
    turn_order: str
    view: SettingsArgument
    vote: str
    waits: Sequence[float]


class ConsensusInput(TypedDict):
    """Input of a consensus."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class DiscussionContext(SharedContext, total=False):
    """Settings of a discussion."""

    answer: Literal["none", "option"] | SettingsArgument
    dynamic_termination: bool
    expectations: Sequence[SettingsArgument]
    language: str
    max_rounds: int | None
    max_turns: int | None
    models_may_close: bool
    options: Mapping[str, str]
    ordering: Literal["round_robin"]
    positions: Literal["off", "ends", "rounds"]
    statement_tries: int
    still_rounds: int
    stop_file: str
    stop_insist: bool
    stopping: Literal["never", "declared", "calibrated"]
    temperature: float
    timeouts: SettingsArgument
    ttl: float | None
    view: SettingsArgument
    waits: Sequence[float]


class DiscussionInput(TypedDict):
    """Input of a discussion."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class PanelContext(SharedContext, total=False):
    """Settings of a panel."""

    answer: Literal["none", "option"] | SettingsArgument
    context_tokens: int
    cycles: int
    discuss: bool | None
    dynamic_termination: bool
    embeddings: str
    language: str
    library: str
    max_rounds: int
    max_tokens_synthesis: int
    max_turns: int | None
    min_similarity_threshold: float | None
    n_papers: int
    options: Mapping[str, str]
    output_language: str
    paper_chars: int
    positions: Literal["off", "ends", "rounds"]
    sources: Sequence[str]
    statement_tries: int
    still_rounds: int
    stop_file: str
    stop_insist: bool
    stopping: Literal["never", "declared", "calibrated"]
    temperature: float
    timeouts: SettingsArgument
    waits: Sequence[float]


class PanelInput(TypedDict):
    """Input of a panel."""

    query: str
    papers: NotRequired[Sequence[SettingsArgument]]
    found: NotRequired[SettingsArgument | None]
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class CouncilContext(SharedContext, total=False):
    """Settings of a council."""

    answer: Literal["none", "option"] | SettingsArgument
    ballot: SettingsArgument
    chairman: str
    language: str
    max_tokens_synthesis: int
    options: Mapping[str, str]
    rank_own: bool
    rule: str
    statement_tries: int
    temperature: float
    timeouts: SettingsArgument
    waits: Sequence[float]


class CouncilInput(TypedDict):
    """Input of a council."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class JuryContext(SharedContext, total=False):
    """Settings of a jury."""

    answer: Literal["none", "option"] | SettingsArgument
    dynamic_termination: bool
    jurors: int
    language: str
    max_finishes_per_participant: int | None
    max_rounds: int
    max_turns: int | None
    options: Mapping[str, str]
    statement_tries: int
    temperature: float
    timeouts: SettingsArgument
    turn_order: str
    unmoved: int
    verdict: str
    waits: Sequence[float]


class JuryInput(TypedDict):
    """Input of a jury."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class DelphiContext(SharedContext, total=False):
    """Settings of a delphi."""

    agreement: float
    answer: Literal["option"] | SettingsArgument
    dynamic_termination: bool
    experts: int
    language: str
    max_rounds: int
    options: Mapping[str, str]
    spread: str
    stable: float
    statement_tries: int
    temperature: float
    timeouts: SettingsArgument
    waits: Sequence[float]


class DelphiInput(TypedDict):
    """Input of a delphi."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]


class JusticeContext(SharedContext, total=False):
    """Settings of a justice."""

    amount_extraction_retries: int
    amount_max_reasonable: int
    amount_min_reasonable: int
    ceiling_warning_share: float
    checks: SettingsArgument
    comprehension_test: bool
    comprehension_tries: int
    compression_target: float
    compression_threshold: float
    custom_tables: Sequence[SettingsArgument] | None
    decision_rule: Literal["unanimity", "majority", "imposed"]
    discussion: SettingsArgument
    distribution_order: Literal["fixed", "counterbalanced"]
    distribution_range_phase1: Sequence[float]
    distribution_range_phase2: Sequence[float]
    enable_intelligent_retries: bool
    enable_truncation: bool
    force_vote_in_final_round: bool
    frame: Literal["gain", "loss"]
    guidance_style: Literal["narrative", "structured"]
    imposed_amount: int | None
    imposed_principle: Literal[1, 2, 3, 4] | None
    include_experiment_explanation: bool
    include_experiment_explanation_each_turn: bool
    include_internal_reasoning: bool
    income_class_probabilities: Sequence[float] | None
    initiation_order: Literal["roster", "drawn"]
    language: Literal["en", "es", "zh"]
    logging: SettingsArgument
    loss_credit: float
    max_constraint_correction_attempts: int
    max_finishes_per_participant: int | None
    max_memory_retries: int
    max_participant_retries: int
    max_rounds: int
    max_tokens_synthesis: int
    memory_compression_target: float
    memory_compression_threshold: float
    memory_guidance_style: Literal["narrative", "structured"]
    memory_management: SettingsArgument
    memory_max_chars: int
    min_rounds_before_vote: int
    no_consensus_mode: Literal["random_distribution_per_participant", "random_distribution_group", "random_principle"]
    original_values_mode: SettingsArgument
    participants: Sequence[ParticipantArgument]
    phase1_first_round_unscaled: bool
    phase2_settings: SettingsArgument
    principle_extraction_retries: int
    principle_order: Literal["fixed", "counterbalanced"]
    quarantine_failed_responses: bool
    randomize_speaking_order: bool
    reasoning_max_length: int
    reasoning_max_retries: int
    reasoning_timeout: float
    repeats: int
    retry_backoff_factor: float
    retry_feedback_detail: Literal["concise", "detailed"]
    reveal_class_probabilities: Literal["never", "after_choice", "before_choice"]
    speaking_order_strategy: Literal["random", "fixed", "conversational"]
    statement_length_limit: int | None
    statement_max_length: int
    statement_retry_attempts: int
    statement_timeout: float
    table_spread: float
    tables: SettingsArgument
    transcript_logging: SettingsArgument
    verbosity_level: Literal["minimal", "standard", "detailed", "debug"]
    voting: SettingsArgument
    voting_confirmation_timeout: float
    voting_initiation_timeout: float
    voting_retry_backoff: float
    voting_retry_limit: int
    voting_secret_ballot_timeout: float
    wording: str | SettingsArgument


class JusticeInput(TypedDict):
    """Input of a justice."""

    experiment_id: NotRequired[str]
