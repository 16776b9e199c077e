"""Calls to models, people and programs: prompts, options, attempts and call records."""

from .answer_forms import format_field, index_words, list_labels, make_answer_field, make_answer_form, make_note
from .ask_with_retries import ask
from .call_options import (
    Answer,
    CallOptions,
    Check,
    build_participant_call,
    build_role_call,
    make_incident,
    with_answer_draw,
    with_lookups,
    with_turn,
)
from .call_records import QuestionResult, list_answer_fields, record_calls
from .prompt import Prompt, build_prompt, estimate_words
