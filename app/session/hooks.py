"""Hooks of the discussion: expected speakers, hidden participants, and the log."""

from ..protocols.hooks import Hooks
from .log_display import build_session_keys, list_waiting_lines

HOOKS = Hooks(keys=lambda saved_run, _: build_session_keys(saved_run.state), progress_lines=list_waiting_lines)
