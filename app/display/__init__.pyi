from .events import (
    STREAM_MODES as STREAM_MODES,
    CallsMade as CallsMade,
    RetryStarted as RetryStarted,
    RunEnded as RunEnded,
    RunEvent as RunEvent,
    RunPrepared as RunPrepared,
    StatementAdded as StatementAdded,
    StepEnded as StepEnded,
    StepReported as StepReported,
    StepStarted as StepStarted,
    TurnMissed as TurnMissed,
    WordsStreamed as WordsStreamed,
    read_events as read_events,
)
from .group_results import (
    describe_update as describe_update,
    format_voting_rule as format_voting_rule,
    list_drafts as list_drafts,
    list_position_blocks as list_position_blocks,
    shorten_text as shorten_text,
    translate_answer as translate_answer,
)
from .live_display import STATEMENT_PURPOSE as STATEMENT_PURPOSE
from .plain_text import (
    STATEMENT_INDENT as STATEMENT_INDENT,
    flatten_line as flatten_line,
    format_command as format_command,
    format_json as format_json,
    strip_controls as strip_controls,
)
from .screen import (
    ERROR_STYLE as ERROR_STYLE,
    LABEL_STYLE as LABEL_STYLE,
    QUIET_STYLE as QUIET_STYLE,
    TITLE_STYLE as TITLE_STYLE,
    Screen as Screen,
)
from .start_and_end import (
    describe_models as describe_models,
    is_rehearsal as is_rehearsal,
    show_ending as show_ending,
    show_run_resume as show_run_resume,
    show_run_start as show_run_start,
)
from .terminal import Terminal as Terminal
from .transcript import (
    SELF_EXPLANATORY_ENDINGS as SELF_EXPLANATORY_ENDINGS,
    format_ending_lines as format_ending_lines,
    format_participant as format_participant,
    format_statement as format_statement,
    format_title as format_title,
    get_display_name as get_display_name,
    list_cost_lines as list_cost_lines,
    list_origin_blocks as list_origin_blocks,
    list_private_texts as list_private_texts,
    list_progress_lines as list_progress_lines,
    list_result_blocks as list_result_blocks,
    list_transcript_parts as list_transcript_parts,
    neutralize_statement as neutralize_statement,
    neutralize_synthesis as neutralize_synthesis,
    render_answer_text as render_answer_text,
    render_transcript as render_transcript,
)
from .watcher import INSTANT_STEPS as INSTANT_STEPS, Watcher as Watcher
from .wording import (
    count_statements as count_statements,
    describe_requests as describe_requests,
    describe_retry as describe_retry,
    describe_step as describe_step,
    format_basis as format_basis,
    format_evidence as format_evidence,
    format_money as format_money,
    format_requests as format_requests,
    format_spending as format_spending,
    format_turn_heading as format_turn_heading,
    get_label as get_label,
    is_vote_evidence as is_vote_evidence,
    list_evidence_parts as list_evidence_parts,
    translate_display_phrase as translate_display_phrase,
    translate_report_phrase as translate_report_phrase,
)
