"""Last node: write the synthesis, and record the ending with its evidence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..models import choose_spec
from ..prompts import Templates, get_term
from ..state import CLOSED_BY_CALLER, ClosingState, FencedText, ProgressState, Update, mark_reads, quote_words
from .ask import build_prompt, build_role_call, estimate_words
from .citation_check import CitationCheck, format_turn_ranges, make_history_check, write_synthesis
from .outcome import build_outcome, describe_ending, write_if_spoken

SYNTHESIS_FIELDS = "ending pro con turns words language others"


def make_record_check(state: ProgressState) -> CitationCheck:
    """Make the check that a synthesis cites existing turns, and look-ups that everyone was shown."""
    return make_history_check(state["history"], state["settings"])


def get_default_template(state: ProgressState) -> str:
    """Return the name of the synthesis template that most protocols use."""
    return "synthesize"


def synthesize(
    templates: Templates,
    make_check: Callable[[Any], CitationCheck] = make_record_check,
    template: Callable[[Any], str] = get_default_template,
) -> Callable[[Any], object]:
    """Build the last node, in which a model without a side writes the synthesis.

    `make_check`: function that makes the citation check. `template`: function that returns the name of the template.
    """

    async def synthesize(state: ClosingState) -> Update:
        """Write the synthesis and the outcome.

        Reads the task, floor, round, turn, record, view_limits, ending, and papers; writes outcome, synthesis, calls,
        incidents.
        """
        ending = state["ending"] or CLOSED_BY_CALLER
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
        spec = choose_spec(settings, "synthesizer")  # the material is halved as for participants with this model
        halvings = [
            limit.halvings
            for participant in participants
            if choose_spec(settings, participant.name, participant.model) == spec
            and (limit := state["view_limits"].get(participant.name))
        ]
        prompt = build_prompt(state, templates, template(state), values)
        prompt = replace(prompt, history=state["history"], halvings=max(halvings, default=0))
        call = build_role_call(state, "synthesizer", "synthesis")
        text, calls, incidents = await write_if_spoken(state, lambda: write_synthesis(prompt, call, make_check(state)))
        outcome = build_outcome(state, ending, [*state["calls"], *calls], [*state["incidents"], *incidents], bool(text))
        return Update(outcome=outcome, synthesis=text, calls=calls, incidents=incidents)

    return mark_reads(synthesize, make_check, template)
