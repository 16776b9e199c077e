"""Display of runs: lines, tables and wording for a terminal, a pipe and pages.

A name is imported at first use, because some modules are slow to load.
"""

from typing import TYPE_CHECKING

from ...state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .announcement import is_rehearsal, show_run_resume
    from .ending import show_ending
    from .events import RetryStarted, RunEnded, RunEvent, StatementAdded, StepEnded, StepStarted, WordsStreamed
    from .group_results import describe_update, format_item
    from .live import STATEMENT_PURPOSE
    from .plain_text import flatten_line, format_command, format_json
    from .screen import ERROR_STYLE, LABEL_STYLE, QUIET_STYLE, TITLE_STYLE, Screen
    from .terminal import Terminal
    from .transcript import list_transcript_parts, neutralize_statement, neutralize_synthesis, render_transcript
    from .watcher import INSTANT_STEPS, Watcher
    from .wording import describe_step, format_money, get_label, translate_display_phrase
    from .wrapping import STATEMENT_INDENT

__getattr__ = import_at_first_use(
    __name__,
    {
        "announcement": "is_rehearsal show_run_resume",
        "ending": "show_ending",
        "events": "RetryStarted RunEnded RunEvent StatementAdded StepEnded StepStarted WordsStreamed",
        "group_results": "describe_update format_item",
        "live": "STATEMENT_PURPOSE",
        "plain_text": "flatten_line format_command format_json",
        "screen": "ERROR_STYLE LABEL_STYLE QUIET_STYLE Screen TITLE_STYLE",
        "terminal": "Terminal",
        "transcript": "list_transcript_parts neutralize_statement neutralize_synthesis render_transcript",
        "watcher": "INSTANT_STEPS Watcher",
        "wording": "describe_step format_money get_label translate_display_phrase",
        "wrapping": "STATEMENT_INDENT",
    },
)
