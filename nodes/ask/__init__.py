"""Calls to models, people and programs: prompts, options, attempts and call records."""

from .ask_external import LATE_KIND, PASS_KEY, QUESTION_KIND, SKIPPED_KIND, compute_deadline
from .ask_with_retries import QuestionResult, ask, ask_model, build_answer_fields, record_calls
from .attempt import MAX_HALVINGS, SHARED_TEMPLATES, AttemptLoop
from .call_options import (
    Answer,
    CallOptions,
    Check,
    build_participant_call,
    build_role_call,
    make_check,
    make_incident,
    with_answer_draw,
    with_lookups,
    with_turn,
)
from .prompt import Prompt, build_prompt, build_shared_values, estimate_words
from .step_spending import (
    RUN_SPENDING_KEY,
    RunSpending,
    StepSpending,
    get_step_spending,
    track_spending,
    use_journal,
    use_spending,
)
