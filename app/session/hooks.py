"""Hooks of the discussion: expected speakers, hidden participants, and the log."""

from ..protocols.hooks import Hooks
from .log_display import build_session_keys, describe_awaited

HOOKS = Hooks(keys=lambda saved, _: build_session_keys(saved.state), progress_lines=describe_awaited)
