"""Last node of a Delphi: report the estimate, its changes and the reasons, without a model."""

from ...prompts import get_term
from ...state import CLOSED_BY_CALLER, Update, build_answer_format, list_names, neutralize_line
from ...state.delphi import DelphiClosingState, DelphiSettings, DelphiState, has_enough_estimates, map_changed_estimates
from ..outcome import build_outcome
from .feedback_text import format_estimate, format_feedback, format_quantity


async def report_estimates(state: DelphiClosingState, settings: DelphiSettings) -> Update:
    """Write the result and the outcome.

    Reads the task, floor, round, turn, record, estimates, feedback, ending; writes outcome, synthesis.
    """
    outcome = build_outcome(
        state, state["ending"] or CLOSED_BY_CALLER, state["calls"], state["incidents"], has_synthesis=True
    )
    return Update(outcome=outcome, synthesis=render_delphi_result(state, settings))


def render_delphi_result(state: DelphiState, settings: DelphiSettings) -> str:
    """Render the result as Markdown, or an empty text if no round had enough estimates."""
    valid_rounds = [feedback for feedback in state["feedback"] if has_enough_estimates(feedback, state["participants"])]
    if not valid_rounds:
        return ""
    language, last_feedback, expert_names = settings.language, valid_rounds[-1], list_names(state["participants"])
    round_lines = [
        format_feedback(feedback.model_copy(update={"reasons": []}), settings, expert_names)
        for feedback in state["feedback"]
    ]
    move_lines = [
        get_term(
            language,
            "delphi",
            "moved",
            who=name,
            before=format_estimate(before, settings),
            after=format_estimate(after, settings),
        )
        for name, (before, after) in map_changed_estimates(state["estimates"]).items()
    ]
    reasons = [
        get_term(
            language,
            "delphi",
            "reason",
            estimate=format_estimate(estimate, settings),
            why=neutralize_line(estimate.reason),
        )
        for estimate in last_feedback.reasons
    ]
    pool_lines = []
    if last_feedback.pooled:
        unit = build_answer_format(settings).unit
        values = {f"q{share}": format_quantity(value, unit) for share, value in last_feedback.pooled.items()}
        pool_lines = [get_term(language, "delphi", "pooled", **values)]
    placeholder = get_term(language, "record", "none")
    sections = {
        "result": "\n\n".join([round_lines[state["feedback"].index(last_feedback)], *pool_lines]),
        "course": "\n".join(f"- {line}" for line in round_lines),
        "movers": "\n".join(f"- {line}" for line in move_lines) or placeholder,
        "kept": "\n".join(reasons) or placeholder,
    }
    return "\n\n".join(f"## {get_term(language, 'delphi', key)}\n\n{text}" for key, text in sections.items())
