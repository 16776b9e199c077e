"""Last node of a jury: the verdict, the ballots, and the minority's reasons, without a model."""

from ...prompts import get_term
from ...state import CLOSED_BY_CALLER, Ending, Update, neutralize_line
from ...state.jury import JuryClosingState, JurySettings, JuryState, collect_minority_reasons
from ...state.positions.position import group_by_moment
from ..outcome import build_outcome, describe_ending
from .ballot_totals import format_ballot_count


async def report_verdict(state: JuryClosingState, settings: JurySettings) -> Update:
    """Record the ending, and write the result and the outcome.

    Reads the task, floor, round, turn, record, polls, positions, decision; writes ending, outcome, synthesis.
    """
    decision = state["decision"]
    ending = decision.ending if decision and decision.ending else CLOSED_BY_CALLER
    outcome = build_outcome(state, ending, state["calls"], state["incidents"], has_synthesis=True)
    return Update(ending=ending, outcome=outcome, synthesis=render_jury_result(state, settings, ending))


def render_jury_result(state: JuryState, settings: JurySettings, ending: Ending) -> str:
    """Render the result as Markdown in the run's language; empty if no ballot was counted."""
    language, ending_text = settings.language, describe_ending(ending, state)
    polls = [poll for poll in state["polls"] if poll.tally]
    if not polls:
        return ""
    last_positions = (group_by_moment(state["positions"]) or [{}])[-1]
    reasons_by_option = collect_minority_reasons(last_positions)
    answers = {position.answer for position in last_positions.values()}
    reasons_key = "even" if reasons_by_option and len(reasons_by_option) == len(answers) else "minority"
    reasons = [
        f"- {neutralize_line(polls[-1].options.get(option, option))}: "
        f"{neutralize_line(reason) or get_term(language, 'jury', 'unsaid')}"
        for option, option_reasons in reasons_by_option.items()
        for reason in option_reasons
    ]
    tally, missing_text = polls[-1].tally, ""  # missing jurors count neither for a verdict nor for unanimity
    if tally and (missing_count := tally.voters - tally.votes):
        missing_text = get_term(language, "jury", "missing_voters", count=missing_count, jurors=tally.voters)
    sections = {
        "verdict": f"{ending_text[:1].upper()}{ending_text[1:]}{get_term(language, 'jury', 'stop')}{missing_text}",
        "course": "\n".join(f"- {format_ballot_count(poll, poll.tally, settings)}" for poll in polls if poll.tally),
        reasons_key: "\n".join(reasons) or get_term(language, "record", "none"),
    }
    return "\n\n".join(f"## {get_term(language, 'jury', key)}\n\n{text}" for key, text in sections.items())
