"""Node that adds statements to the running summary when a view no longer shows them."""

from collections.abc import Callable
from dataclasses import replace

from ..models import NoAnswerError
from ..prompts import Templates, get_term
from ..state import (
    MAX_SUMMARY_LENGTH,
    Summary,
    TurnState,
    Update,
    count_leaving_statements,
    drop_silenced_statements,
    extend_summary,
)
from .ask import Answer, Check, ask, build_prompt, build_role_call, estimate_words, record_calls

SUMMARY_FIELDS = "words language"


def summarize_history(templates: Templates) -> Callable[[TurnState], object]:
    """Build the node that updates the running summary."""

    async def summarize_history(state: TurnState) -> Update:
        """Ask the summarizer to add the older half of the view to the summary.

        If this fails, add clipped statements.

        Reads the task, record, summary, view_limits; writes summary, calls, incidents, view_limits.
        """
        old_summary, statement_count = state["summary"], len(state["history"])
        fold_count = count_leaving_statements(
            state["settings"], len(state["participants"]), statement_count, old_summary
        )
        old_statements = state["history"][old_summary.statement_count : old_summary.statement_count + fold_count]
        call = replace(build_role_call(state, "summarizer", "summary"), max_tokens=MAX_SUMMARY_LENGTH // 8)
        prompt = build_prompt(
            state, templates, "summarize", {"words": estimate_words(call.max_tokens, state["settings"].language)}
        )
        prompt = replace(prompt, summary=old_summary.text, history=old_statements)
        prompt = prompt.with_limit(state["view_limits"].get("summarizer"))
        folded_count = old_summary.statement_count + fold_count
        try:
            answer = await ask(prompt, call, make_length_check(prompt.language))
        except NoAnswerError as failure:
            fallback = Summary(
                text=extend_summary(old_summary, drop_silenced_statements(old_statements)), statement_count=folded_count
            )
            return Update(summary=fallback) | record_calls(
                "summarizer", failure.with_consequence("clipped statements kept")
            )
        return Update(summary=Summary(text=answer.text.strip(), statement_count=folded_count)) | record_calls(
            "summarizer", answer
        )

    return summarize_history


def make_length_check(language: str) -> Check:
    """Make the check that a summary is neither empty nor too long. It describes faults in `language`."""

    def find_answer_fault(answer: Answer) -> str | None:
        length = len(answer.text.strip())
        if length < 3:
            return get_term(language, "again", "empty")
        return (
            get_term(language, "again", "too_long", most=MAX_SUMMARY_LENGTH - 1)
            if length >= MAX_SUMMARY_LENGTH
            else None
        )

    return find_answer_fault
