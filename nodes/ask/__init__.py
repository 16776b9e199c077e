"""Calls to models, people and programs: prompts, options, attempts, and the record of each call."""

from .call_options import (
    Answer,
    CallOptions,
    Check,
    build_participant_call,
    build_role_call,
    make_incident,
    with_turn,
)
from .prompt import Prompt, estimate_words
