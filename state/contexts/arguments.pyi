"""Arguments of the protocols for type checkers, generated from their settings and inputs. A test compares them.

Run `python tests/support/contexts.py` to write it again. The settings document meaning and bounds.
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

    agent_calls: int
    agent_context: Mapping[str, Mapping[str, Any]]
    agent_steps: int
    budget: SettingsArgument
    lookups: SettingsArgument
    max_tokens_per_turn: int
    mcp_servers: Mapping[str, SettingsArgument]
    memory: SettingsArgument
    model: Any
    models: Mapping[str, Any]
    on_outage: Literal["wait", "skip"]
    person_deadline: float | None
    prices: SettingsArgument | None
    public_history_max_length: int
    reasoning_tokens: int
    record: str
    recording_id: str
    replay: str
    seed: int | None
    statement_min_length: int
    statement_min_length_cjk: int
    stay: Sequence[str] | None
    templates: str
    timeouts: SettingsArgument
    tools: Sequence[Any]

class TalkContext(SharedContext, total=False):
    """Settings of all deliberations on a subject."""

    answer_temperature: float | None
    language: str
    max_attempts: int
    options: Mapping[str, str]
    retry_delays: Sequence[float]
    temperature: float

class TopicInput(TypedDict):
    """Input of all deliberations on a topic."""

    topic: str
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]

class DebateContext(TalkContext, total=False):
    """Settings of `debate`."""

    allow_other_calibration: bool
    answer: Literal["none", "option"] | SettingsArgument
    calibration_file: str
    dynamic_termination: bool
    judge_interval: int
    max_rounds: int | None
    max_tokens_synthesis: int
    max_turns: int
    positions: Literal["off", "ends", "rounds"]
    profile: str
    stable_rounds: int
    stop_rule: str

class DebateInput(TopicInput):
    """Input of `debate`."""

class ConsensusContext(TalkContext, total=False):
    """Settings of `consensus`."""

    agreement_threshold: float
    allow_other_calibration: bool
    answer: Literal["none", "option"] | SettingsArgument
    blind_first_round: bool
    calibration_file: str
    confirm: bool
    confirmations: int
    consensus_rule: Literal["all", "supermajority"]
    convergence: Literal["declared", "lexical", "embedding", "judge"]
    count: SettingsArgument
    dynamic_termination: bool
    embeddings: str
    max_finishes_per_participant: int | None
    max_rounds: int | None
    max_tokens_synthesis: int
    max_turns: int | None
    open_ballot: bool
    positions: Literal["off", "ends", "rounds"]
    profile: str
    stop_rule: str
    turn_order: str
    view: SettingsArgument
    vote: str

class ConsensusInput(TopicInput):
    """Input of `consensus`."""

class DiscussionContext(TalkContext, total=False):
    """Settings of `discussion`."""

    allow_other_calibration: bool
    answer: Literal["none", "option"] | SettingsArgument
    calibration_file: str
    dynamic_termination: bool
    expectations: Sequence[SettingsArgument]
    max_rounds: int | None
    max_turns: int | None
    models_may_close: bool
    ordering: Literal["round_robin"]
    positions: Literal["off", "ends", "rounds"]
    stable_rounds: int
    stop_rule: Literal["never", "declared", "calibrated"]
    ttl: float | None
    view: SettingsArgument

class DiscussionInput(TopicInput):
    """Input of `discussion`."""

class PanelContext(TalkContext, total=False):
    """Settings of `panel`."""

    allow_other_calibration: bool
    answer: Literal["none", "option"] | SettingsArgument
    calibration_file: str
    context_tokens: int
    cycles: int
    dynamic_termination: bool
    embeddings: str
    hold_discussion: bool | None
    library: str
    max_rounds: int
    max_tokens_synthesis: int
    max_turns: int | None
    min_similarity_threshold: float | None
    n_papers: int
    output_language: str
    paper_chars: int
    positions: Literal["off", "ends", "rounds"]
    sources: Sequence[str]
    stable_rounds: int
    stop_rule: Literal["never", "declared", "calibrated"]

class PanelInput(TypedDict):
    """Input of `panel`."""

    query: str
    papers: NotRequired[Sequence[SettingsArgument]]
    found: NotRequired[SettingsArgument | None]
    material: NotRequired[str]
    participants: NotRequired[Sequence[ParticipantArgument]]
    personas: NotRequired[Mapping[str, str]]
    private: NotRequired[Mapping[str, str]]

class CouncilContext(TalkContext, total=False):
    """Settings of `council`."""

    answer: Literal["none", "option"] | SettingsArgument
    chairman: str
    count: SettingsArgument
    max_tokens_synthesis: int
    rank_own_answer: bool
    voting_rule: str

class CouncilInput(TopicInput):
    """Input of `council`."""

class JuryContext(TalkContext, total=False):
    """Settings of `jury`."""

    answer: Literal["none", "option"] | SettingsArgument
    deadlock_after: int
    dynamic_termination: bool
    juror_count: int
    max_finishes_per_participant: int | None
    max_rounds: int
    max_turns: int | None
    turn_order: str
    verdict_rule: str

class JuryInput(TopicInput):
    """Input of `jury`."""

class DelphiContext(TalkContext, total=False):
    """Settings of `delphi`."""

    agreement_share: float
    answer: Literal["option"] | SettingsArgument
    dynamic_termination: bool
    expert_count: int
    max_median_shift: float
    max_rounds: int
    max_spread: str

class DelphiInput(TopicInput):
    """Input of `delphi`."""

class JusticeContext(SharedContext, total=False):
    """Settings of `justice`."""

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
    """Input of `justice`."""

    experiment_id: NotRequired[str]
