"""Approvals at the terminal: the run's owner answers the requests of look-ups and agents."""

import json
import signal
import sys
import threading
from functools import partial
from typing import Any

from ..display import QUIET_STYLE, TITLE_STYLE, Terminal
from ..run.failure import RunInterruptedError
from ..session.conversation import read_input
from .open_questions import OpenQuestion, format_deadline, format_question_heading
from .terminal_form import TerminalForm


def can_ask_owner(terminal: Terminal) -> bool:
    """Return whether the owner sits at this terminal and sees the run."""
    return terminal.shows_run and sys.stdin.isatty() and threading.current_thread() is threading.main_thread()


def ask_owner(question: OpenQuestion, terminal: Terminal) -> dict[str, Any]:
    """Ask the owner, and return the answer by the question's id; empty at the end of the input.

    Raises `RunInterruptedError` after Ctrl-C.
    """
    language, show_line = question["language"], terminal.screen.show_line
    show_line(format_question_heading(question), TITLE_STYLE)
    show_line(question["words"])
    if deadline := format_deadline(question):
        show_line(deadline, QUIET_STYLE)
    previous_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if schema := question["schema"]:
            value: Any = TerminalForm(schema, language, partial(_read_entry, terminal), show_line).ask_fields()
        else:
            value = parse_reply_to_agent(_read_entry(terminal, "> "))
    except EOFError:
        return {}
    except KeyboardInterrupt:
        raise RunInterruptedError("stopped") from None
    finally:
        signal.signal(signal.SIGINT, previous_handler)
    return {question["id"]: value}


def _read_entry(terminal: Terminal, prompt: str) -> str:
    if entry := read_input(prompt, terminal):
        return entry
    raise EOFError


def parse_reply_to_agent(reply: Any) -> Any:
    """Return a reply to an agent's question: a text that is JSON as its value, any other reply unchanged."""
    try:
        return json.loads(reply)
    except (TypeError, ValueError, RecursionError):
        return reply.strip() if isinstance(reply, str) else reply
