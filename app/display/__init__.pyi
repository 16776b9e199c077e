from .announcement import is_rehearsal as is_rehearsal, show_run_resume as show_run_resume
from .ending import show_ending as show_ending
from .events import (
    RetryStarted as RetryStarted,
    RunEnded as RunEnded,
    RunEvent as RunEvent,
    StatementAdded as StatementAdded,
    StepEnded as StepEnded,
    StepStarted as StepStarted,
    WordsStreamed as WordsStreamed,
)
from .group_results import describe_update as describe_update
from .live import STATEMENT_PURPOSE as STATEMENT_PURPOSE
from .plain_text import flatten_line as flatten_line, format_command as format_command, format_json as format_json
from .screen import (
    ERROR_STYLE as ERROR_STYLE,
    LABEL_STYLE as LABEL_STYLE,
    QUIET_STYLE as QUIET_STYLE,
    TITLE_STYLE as TITLE_STYLE,
    Screen as Screen,
)
from .terminal import Terminal as Terminal
from .transcript import (
    list_transcript_parts as list_transcript_parts,
    neutralize_statement as neutralize_statement,
    neutralize_synthesis as neutralize_synthesis,
    render_transcript as render_transcript,
)
from .watcher import INSTANT_STEPS as INSTANT_STEPS, Watcher as Watcher
from .wording import (
    describe_step as describe_step,
    format_money as format_money,
    get_label as get_label,
    translate_display_phrase as translate_display_phrase,
)
from .wrapping import STATEMENT_INDENT as STATEMENT_INDENT
