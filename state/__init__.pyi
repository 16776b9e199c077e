from .answers.labelled_lines import AnswerField as AnswerField, AnswerForm as AnswerForm, ReadAs as ReadAs
from .answers.text import (
    UnclearAnswerError as UnclearAnswerError,
    clean_answer as clean_answer,
    closes_passage as closes_passage,
    drop_pairs as drop_pairs,
    ends_in_passage as ends_in_passage,
    fold_wording as fold_wording,
    normalize_wording as normalize_wording,
    remove_invisible as remove_invisible,
    strip_reasoning as strip_reasoning,
)
from .answers.values import (
    index_options as index_options,
    parse_amount as parse_amount,
    parse_list as parse_list,
    parse_number as parse_number,
    parse_numbers as parse_numbers,
    parse_ranking as parse_ranking,
    parse_scores as parse_scores,
    parse_word as parse_word,
)
from .availability import (
    MISSED_TURN as MISSED_TURN,
    OUTAGE as OUTAGE,
    is_unavailable as is_unavailable,
    list_missed_turns as list_missed_turns,
    stop_if_all_absent as stop_if_all_absent,
    stop_if_side_absent as stop_if_side_absent,
    stop_on_outage as stop_on_outage,
)
from .ballot import (
    CUMULATIVE_POINTS as CUMULATIVE_POINTS,
    Ballot as Ballot,
    BallotAnswer as BallotAnswer,
    BallotFormat as BallotFormat,
    BallotKind as BallotKind,
    build_unique_mapping as build_unique_mapping,
    check_unique as check_unique,
    describe_first_fault as describe_first_fault,
    find_duplicate as find_duplicate,
    make_ballot_schema as make_ballot_schema,
)
from .budget import check_budget as check_budget, is_budget_spent as is_budget_spent
from .channel_requirements import (
    BranchInput as BranchInput,
    Requirement as Requirement,
    StateFunction as StateFunction,
    check_requirements as check_requirements,
    get_requirements as get_requirements,
    mark_reads as mark_reads,
    merge_channels as merge_channels,
    select_by_setting as select_by_setting,
)
from .context_variable import bind_variable as bind_variable
from .count.count_result import CountSettings as CountSettings, Tally as Tally
from .count.counting import (
    compute_condorcet as compute_condorcet,
    count_ballots as count_ballots,
    count_by_all_rules as count_by_all_rules,
)
from .count.rule_registry import VOTING_RULES as VOTING_RULES, get_voting_rule as get_voting_rule
from .deliberation import (
    ClosingState as ClosingState,
    ConveneState as ConveneState,
    DecisionState as DecisionState,
    DeliberationState as DeliberationState,
    FloorState as FloorState,
    JudgeState as JudgeState,
    LookupState as LookupState,
    MemoryState as MemoryState,
    OutcomeState as OutcomeState,
    ProgressState as ProgressState,
    RecordState as RecordState,
    TaskState as TaskState,
    TurnState as TurnState,
    gather_calls as gather_calls,
    gather_incidents as gather_incidents,
    make_delta_channel as make_delta_channel,
)
from .discussion import DiscussionSettings as DiscussionSettings, Expectation as Expectation
from .ending import (
    AGREEMENTS as AGREEMENTS,
    CAPS as CAPS,
    CLOSED_BY_CALLER as CLOSED_BY_CALLER,
    CONCESSIONS as CONCESSIONS,
    ENDING_PHASE as ENDING_PHASE,
    PARTICIPANTS_UNAVAILABLE as PARTICIPANTS_UNAVAILABLE,
    STALEMATES as STALEMATES,
    Branch as Branch,
    Decision as Decision,
    Ending as Ending,
    EndingKinds as EndingKinds,
    Evidence as Evidence,
    Outcome as Outcome,
    StopBasis as StopBasis,
    choose_ending_kind as choose_ending_kind,
    cut_quote as cut_quote,
    get_stop_basis as get_stop_basis,
)
from .errors import (
    InputError as InputError,
    build_adapter as build_adapter,
    convert_input_error as convert_input_error,
    describe_fault as describe_fault,
    explain_unknown_key as explain_unknown_key,
    make_setting_error as make_setting_error,
    validate_input as validate_input,
)
from .fence import (
    FencedText as FencedText,
    fence_text as fence_text,
    fold_name as fold_name,
    fold_to_letters as fold_to_letters,
    neutralize_line as neutralize_line,
    neutralize_text as neutralize_text,
    quote_lines as quote_lines,
    quote_words as quote_words,
    repair_surrogates as repair_surrogates,
    strip_frame as strip_frame,
)
from .floor import (
    check_floor as check_floor,
    get_holder_index as get_holder_index,
    order_least_spoken as order_least_spoken,
    order_round_robin as order_round_robin,
    shuffle_seats as shuffle_seats,
    spread_last_words as spread_last_words,
    yield_floor as yield_floor,
)
from .frozen_models import (
    ClosedModel as ClosedModel,
    FrozenModel as FrozenModel,
    StrictModel as StrictModel,
    StrippedText as StrippedText,
)
from .history_view import (
    MAX_SUMMARY_LENGTH as MAX_SUMMARY_LENGTH,
    HistoryView as HistoryView,
    Summary as Summary,
    ViewLimit as ViewLimit,
    build_view as build_view,
    compute_view_start as compute_view_start,
    compute_window_size as compute_window_size,
    count_leaving_statements as count_leaving_statements,
    drop_silenced_statements as drop_silenced_statements,
    extend_summary as extend_summary,
    map_latest_statements as map_latest_statements,
)
from .independent import (
    ANSWER_PURPOSE as ANSWER_PURPOSE,
    ROUND_ARMS as ROUND_ARMS,
    SAMPLE_ARMS as SAMPLE_ARMS,
    WRITING_ARMS as WRITING_ARMS,
    IndependentBranch as IndependentBranch,
    IndependentSettings as IndependentSettings,
    IndependentState as IndependentState,
    compute_independent_answer as compute_independent_answer,
    compute_sample_count as compute_sample_count,
    draw_sampled_participant as draw_sampled_participant,
    get_last_draw as get_last_draw,
    list_read_statements as list_read_statements,
)
from .lookups.record import (
    Lookup as Lookup,
    LookupStatus as LookupStatus,
    PlannedLookup as PlannedLookup,
    QuotedLookup as QuotedLookup,
    clip_middle as clip_middle,
    list_cited_lookup_ids as list_cited_lookup_ids,
    rewrite_lookup_ids as rewrite_lookup_ids,
)
from .lookups.settings import (
    LIBRARY as LIBRARY,
    MCP_PREFIX as MCP_PREFIX,
    OBJECT_PREFIX as OBJECT_PREFIX,
    TOOL_NAME as TOOL_NAME,
    McpServer as McpServer,
    ToolDefinition as ToolDefinition,
    format_tool as format_tool,
)
from .memory import (
    EVERYONE as EVERYONE,
    MemoryReplacement as MemoryReplacement,
    MemoryWrite as MemoryWrite,
    build_memory_write as build_memory_write,
    compress_memory as compress_memory,
    count_characters as count_characters,
    fit_memory as fit_memory,
    format_memory_line as format_memory_line,
    format_round_lines as format_round_lines,
    take_newer_half as take_newer_half,
)
from .panel import PanelSettings as PanelSettings
from .plain_yaml import MAX_FORM_SIZE as MAX_FORM_SIZE, check_dotted_key as check_dotted_key, parse_yaml as parse_yaml
from .plugins.chosen_plugins import (
    check_chosen_plugins as check_chosen_plugins,
    list_chosen_requirements as list_chosen_requirements,
    load_chosen_plugin as load_chosen_plugin,
)
from .positions import (
    POSITION_SIDES as POSITION_SIDES,
    SYNTHESIZER as SYNTHESIZER,
    ActiveStop as ActiveStop,
    AnswerFormat as AnswerFormat,
    AnswerState as AnswerState,
    CalibratedStop as CalibratedStop,
    DeclareState as DeclareState,
    Position as Position,
    PositionRecordState as PositionRecordState,
    PositionSettings as PositionSettings,
    PositionsState as PositionsState,
    RunAnswer as RunAnswer,
    StopSignal as StopSignal,
    append_unit as append_unit,
    build_answer_format as build_answer_format,
    compute_answer as compute_answer,
    compute_score as compute_score,
    count_blind_starters as count_blind_starters,
    count_initial_questions as count_initial_questions,
    extract_stop_settings as extract_stop_settings,
    format_number as format_number,
    get_decision as get_decision,
    group_by_moment as group_by_moment,
    list_asked_seats as list_asked_seats,
    list_differences as list_differences,
    replace_near_decisions as replace_near_decisions,
)
from .prices import Price as Price, Prices as Prices, PriceTier as PriceTier
from .random_streams import Draw as Draw, derive_stream_seed as derive_stream_seed, make_rng as make_rng
from .recipient import (
    BASE_URL as BASE_URL,
    LOCAL as LOCAL,
    LOOPBACK_HOSTS as LOOPBACK_HOSTS,
    Destination as Destination,
    Recipient as Recipient,
    parse_origin as parse_origin,
)
from .records import (
    AGENT_PURPOSE as AGENT_PURPOSE,
    EMBEDDING_PURPOSE as EMBEDDING_PURPOSE,
    LOST as LOST,
    QUESTION_KEY as QUESTION_KEY,
    UNCERTAIN_OUTCOMES as UNCERTAIN_OUTCOMES,
    Call as Call,
    Incident as Incident,
    sum_tokens as sum_tokens,
)
from .reducers import make_append_reducer as make_append_reducer
from .schemas import MAX_TOPIC_LENGTH as MAX_TOPIC_LENGTH, DeliberationInput as DeliberationInput, Update as Update
from .session import (
    MAX_TEXT_LENGTH as MAX_TEXT_LENGTH,
    MESSAGE_ID_LENGTH as MESSAGE_ID_LENGTH,
    MIN_PARTICIPANTS as MIN_PARTICIPANTS,
    REASON_LENGTH as REASON_LENGTH,
    AlreadySentError as AlreadySentError,
    SendError as SendError,
    SessionClosingState as SessionClosingState,
    SessionEvent as SessionEvent,
    SessionStageState as SessionStageState,
    SessionStatus as SessionStatus,
    SessionTurnState as SessionTurnState,
    SessionUpdate as SessionUpdate,
    SessionView as SessionView,
    can_send as can_send,
    check_invitation as check_invitation,
    check_message as check_message,
    check_participation as check_participation,
    check_seat as check_seat,
    check_send as check_send,
    compute_due_time as compute_due_time,
    compute_miss_time as compute_miss_time,
    compute_next_floor as compute_next_floor,
    explain_waiting as explain_waiting,
    find_next_deadline as find_next_deadline,
    has_automatic_end as has_automatic_end,
    is_expired as is_expired,
    is_new_round as is_new_round,
    list_overdue_expectations as list_overdue_expectations,
    list_pending_invitees as list_pending_invitees,
    order_seats as order_seats,
    rotate_seats_after as rotate_seats_after,
)
from .setting_types import (
    A2A_PREFIX as A2A_PREFIX,
    AGENT_OBJECT as AGENT_OBJECT,
    AGENT_PREFIX as AGENT_PREFIX,
    DECLARED_MARK as DECLARED_MARK,
    Budget as Budget,
    CallCaps as CallCaps,
    Timeouts as Timeouts,
    find_remote_origin as find_remote_origin,
    format_model as format_model,
    is_agent_object as is_agent_object,
    is_declared_local as is_declared_local,
    split_agent_spec as split_agent_spec,
    unwrap_agent as unwrap_agent,
)
from .settings import (
    BlindRoundSettings as BlindRoundSettings,
    ProfileSettings as ProfileSettings,
    Settings as Settings,
    StoppingSettings as StoppingSettings,
    TurnOrderSettings as TurnOrderSettings,
    check_packages as check_packages,
    get_plugin_settings as get_plugin_settings,
    get_settings_class as get_settings_class,
    parse_settings as parse_settings,
)
from .statement import (
    MAX_PARTICIPANTS as MAX_PARTICIPANTS,
    MODERATOR as MODERATOR,
    OWNER as OWNER,
    ROLES as ROLES,
    Exhibit as Exhibit,
    Notice as Notice,
    Participant as Participant,
    Statement as Statement,
    find_name_fault as find_name_fault,
    get_participant_by_name as get_participant_by_name,
    list_names as list_names,
)
from .statement_check import (
    find_statement_fault as find_statement_fault,
    is_cjk as is_cjk,
    is_copied_task as is_copied_task,
    list_cited_turns as list_cited_turns,
    mark_invented_turns as mark_invented_turns,
)
from .stopping.concession import (
    find_conceding_sentence as find_conceding_sentence,
    find_formal_concession as find_formal_concession,
    has_concession_line as has_concession_line,
)
from .stopping.rules import (
    CONFIRMED as CONFIRMED,
    LOST_SYNTHESIS as LOST_SYNTHESIS,
    MIN_STATEMENTS as MIN_STATEMENTS,
    ROUNDS_NOTE as ROUNDS_NOTE,
    UNCONFIRMED_NOTE as UNCONFIRMED_NOTE,
    StoppingRule as StoppingRule,
    has_no_statements as has_no_statements,
    make_unsummarized_ending as make_unsummarized_ending,
    needs_judge as needs_judge,
)
from .terms import extract_terms as extract_terms
from .text_editing import (
    ELLIPSIS as ELLIPSIS,
    clip_text as clip_text,
    lower_headings as lower_headings,
    strip_quotations as strip_quotations,
)
from .voting import (
    COUNTED_AS_NO as COUNTED_AS_NO,
    CastBallot as CastBallot,
    Consent as Consent,
    Poll as Poll,
    VotingSettings as VotingSettings,
    VotingState as VotingState,
    VotingUpdate as VotingUpdate,
    is_vote_confirmed as is_vote_confirmed,
    list_consent_voters as list_consent_voters,
    list_poll_ballots as list_poll_ballots,
    list_refusers as list_refusers,
    make_vote_ending as make_vote_ending,
)
