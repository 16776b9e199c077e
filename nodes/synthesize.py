"""Last node: write the synthesis, and record the ending with its evidence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..models.spec import choose_spec
from ..prompts import Templates, get_term
from ..state.channel_requirements import mark_reads
from ..state.deliberation import ClosingState, ProgressState
from ..state.ending import CLOSED_BY_CALLER, Ending
from ..state.fence import FencedText, quote_words
from ..state.schemas import Update
from .ask import build_role_call
from .ask.prompt import Prompt, build_prompt, estimate_words
from .citation_check import CitationCheck, format_turn_ranges, make_turn_check, write_synthesis
from .outcome import build_outcome, describe_ending, write_if_spoken

SYNTHESIS_FIELDS = "ending pro con turns words language others"
"""Fields that a synthesis template may use."""


CitationCheckMaker = Callable[[Any], CitationCheck]
"""Function of the channels it names that returns the check of the synthesis."""


def make_record_check(state: ProgressState) -> CitationCheck:
    """Make the check that the synthesis cites turns of the record."""
    return make_turn_check([statement.turn for statement in state["history"]], state["settings"].language)


def get_default_template(state: ProgressState) -> str:
    """Return the name of the synthesis template that most protocols have."""
    return "synthesize"


def synthesize(
    templates: Templates,
    make_check: CitationCheckMaker = make_record_check,
    template: Callable[[Any], str] = get_default_template,
) -> Callable[[Any], object]:
    """Build the last node: a neutral model writes the synthesis.

    `make_check` makes the check of the citations. `template` returns the name of the template.
    """

    async def synthesize(state: ClosingState) -> Update:
        """Write the synthesis and the outcome.

        Reads what was given, floor, round, turn, record, view_limits, ending, and what is to be proven; writes
        outcome, synthesis, calls, incidents.
        """
        ending = state["ending"] or CLOSED_BY_CALLER
        prompt = build_synthesis_prompt(state, templates, ending, template(state))
        call = build_role_call(state, "synthesizer", "synthesis")
        text, calls, incidents = await write_if_spoken(state, lambda: write_synthesis(prompt, call, make_check(state)))
        outcome = build_outcome(state, ending, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return mark_reads(synthesize, make_check, template)


def build_synthesis_prompt(state: ProgressState, templates: Templates, ending: Ending, template: str) -> Prompt:
    """Build the synthesizer's prompt: the whole record and the ending."""
    settings, participants = state["settings"], state["participants"]
    values = {
        "ending": FencedText(describe_ending(ending, state, quote_words)),
        "pro": participants[0].name,
        "con": participants[-1].name,
        "others": ", ".join(participant.name for participant in participants),
        "turns": format_turn_ranges([statement.turn for statement in state["history"]])
        or get_term(settings.language, "record", "nothing"),
        "words": estimate_words(settings.max_tokens_synthesis, settings.language),
    }
    prompt = replace(build_prompt(state, templates, template, values), history=state["history"])
    return replace(prompt, halvings=_count_halvings(state))


def _count_halvings(state: ProgressState) -> int:
    """Count how often the material was halved for participants with the synthesizer's model."""
    settings, limits = state["settings"], state["view_limits"]
    spec = choose_spec(settings, "synthesizer")
    same_model_names = [
        participant.name
        for participant in state["participants"]
        if choose_spec(settings, participant.name, participant.model) == spec
    ]
    return max((limits[name].halvings for name in same_model_names if name in limits), default=0)
