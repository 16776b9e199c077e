"""Last node of a consensus dialogue: write the shared position, the dissents and the open questions."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import Field, create_model

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import (
    CLOSED_BY_CALLER,
    Call,
    ClosedModel,
    Ending,
    FencedText,
    Incident,
    StrippedText,
    Update,
    compute_answer,
    list_names,
    lower_headings,
    quote_lines,
    quote_words,
)
from ...state.consensus import GroupClosingState, GroupState, get_dissents, list_position_changes
from ..ask import Answer, CallOptions, Check, Prompt, ask, build_prompt, build_role_call, estimate_words
from ..citation_check import format_turn_ranges, make_history_check, make_synthesis_check, make_synthesis_incident
from ..outcome import SynthesisResult, build_outcome, describe_ending, list_kept_text_incidents, write_if_spoken

HEADING_LEVEL = 2


class Dissent(ClosedModel):
    """Dissenting view, with the name of the participant who holds it."""

    holder: str = Field(max_length=80)
    reason: StrippedText = Field(min_length=1, max_length=3000, description="dissent_reason")


class CommonGround(ClosedModel):
    """Synthesis of a consensus dialogue, as the model returns it."""

    common_ground: StrippedText = Field(min_length=1, max_length=8000, description="common_ground")
    dissent: list[Dissent] = Field(max_length=1000)
    open_questions: list[str] = Field(max_length=100, description="open_questions")
    movement: str = Field(max_length=4000, description="movement")


@cache
def build_common_ground_schema(*seats: str) -> type[CommonGround]:
    """Build the schema of a synthesis in which only the participants `seats` can hold a dissent."""
    holder_type: Any = Literal.__getitem__(seats)
    dissent_schema: Any = create_model("Dissent", __base__=Dissent, holder=(holder_type, ...))
    return create_model("CommonGround", __base__=CommonGround, dissent=(list[dissent_schema], Field(max_length=1000)))


def list_dissenters(value: CommonGround) -> list[str]:
    """Return the names of the participants whose dissent the synthesis contains."""
    return [dissent.holder.strip() for dissent in value.dissent]


def make_dissent_check(objections: dict[str, str], language: str) -> Check:
    """Make the check that a synthesis contains the dissent of each participant in `objections`.

    `objections`: dissents of the last round, by participant. The check rejects an omission only once.
    """
    rejected_holders: list[str] = []

    def find_answer_fault(answer: Answer) -> str | None:
        reported_holders = list_dissenters(answer.value) if isinstance(answer.value, CommonGround) else []
        missing_holders = [holder for holder in objections if holder not in reported_holders]
        if not missing_holders or rejected_holders:
            return None
        rejected_holders.extend(missing_holders)
        return get_term(language, "again", "no_dissent", holders=join_words(language, missing_holders))

    return find_answer_fault


def render_common_ground(value: CommonGround, added_dissents: dict[str, str], language: str) -> str:
    """Render the synthesis as Markdown with headings in `language`.

    Headings inside the texts move to lower levels. `added_dissents`: recorded dissents that the synthesis omits, by
    participant.
    """
    rows = [(entry.holder, entry.reason) for entry in value.dissent]
    rows += [(holder, f"{reason} *") for holder, reason in added_dissents.items()]
    dissent_lines = [
        _format_item(get_term(language, "record", "dissent", holder=holder, reason=reason)) for holder, reason in rows
    ]
    legend = [f"\n{get_term(language, 'synthesis', 'added')}"] if added_dissents else []
    sections = {
        "common_ground": value.common_ground,
        "dissent": "\n".join([*dissent_lines, *legend]),
        "open_questions": "\n".join(_format_item(f"- {question}") for question in value.open_questions),
        "movement": value.movement,
    }
    headings, empty_text = (
        {key: get_term(language, "synthesis", key) for key in sections},
        get_term(language, "record", "none"),
    )
    return "\n\n".join(
        f"{'#' * HEADING_LEVEL} {headings[key]}\n\n{lower_headings(text.strip(), HEADING_LEVEL) or empty_text}"
        for key, text in sections.items()
    )


def _format_item(text: str) -> str:
    """Return a Markdown list item's text with its continuation lines indented."""
    return text.strip().replace("\n", "\n  ")


COMMON_GROUND_FIELDS = "ending turns words language dissents moves vote others"


def write_common_ground(templates: Templates) -> Callable[[GroupClosingState], object]:
    """Build the last node of a consensus dialogue, which writes the synthesis."""

    async def write_common_ground(state: GroupClosingState) -> Update:
        """Write the synthesis with its dissents, the outcome and the run's answer.

        Reads the task, floor, round, turn, record, positions, agreements, confirmations, polls, ending; writes outcome,
        answer, synthesis, calls, incidents.
        """
        ending = state["ending"] or CLOSED_BY_CALLER
        prompt = build_common_ground_prompt(state, templates, ending)
        text, calls, incidents = await write_if_spoken(state, lambda: _write_synthesis(state, prompt))
        final_record = [*state["calls"], *calls], [*state["incidents"], *incidents]
        outcome = build_outcome(state, ending, *final_record, bool(text))
        return Update(outcome=outcome, answer=compute_answer(state), synthesis=text, calls=calls, incidents=incidents)

    return write_common_ground


def build_common_ground_prompt(state: GroupState, templates: Templates, ending: Ending) -> Prompt:
    """Build the prompt for the synthesis: the record, the ending, the dissents and the changed positions."""
    settings, language = state["settings"], state["settings"].language
    empty_text = get_term(language, "record", "none")
    objections = get_dissents(state["agreements"], state["confirmations"])
    change_rows = [
        (
            f"{position.who} ({position.round})" + (f" ← {position.changed_by}" if position.changed_by else ""),
            position.position,
        )
        for position in list_position_changes(state["positions"])
    ]
    values = {
        "ending": FencedText(describe_ending(ending, state, quote_words)),
        "turns": format_turn_ranges([statement.turn for statement in state["history"]]),
        "words": estimate_words(settings.max_tokens_synthesis, language),
        "dissents": quote_lines(objections.items()) if objections else empty_text,
        "objections": objections,
        "moves": quote_lines(change_rows) if change_rows else empty_text,
        "vote": FencedText(quote_words(ending.evidence.quote)) if ending.reason == "vote_decided" else empty_text,
        "others": join_words(language, [participant.name for participant in state["participants"]]),
    }
    return replace(build_prompt(state, templates, "synthesize", values), history=state["history"])


async def _write_synthesis(state: GroupState, prompt: Prompt) -> SynthesisResult:
    """Ask for the synthesis, and once more if a dissent is missing. Return it with calls and incidents.

    If dissents are still missing, they are added from the record.
    """
    objections = get_dissents(state["agreements"], state["confirmations"])
    call = replace(
        build_role_call(state, "synthesizer", "synthesis"),
        schema=build_common_ground_schema(*list_names(state["participants"])),
        is_hidden=True,
    )
    citations = make_history_check(state["history"], state["settings"])
    checks = make_synthesis_check(citations, prompt.language), make_dissent_check(objections, prompt.language)
    value, calls, incidents = await _ask_for_common_ground(
        prompt, call, lambda answer: checks[0](answer) or checks[1](answer)
    )
    missing_dissents = {holder: reason for holder, reason in objections.items() if holder not in list_dissenters(value)}
    text, notes = citations.mark_text(render_common_ground(value, missing_dissents, state["settings"].language))
    if missing_dissents:
        description = get_term(
            prompt.language, "noted", "dissent_added", holders=join_words(prompt.language, list(missing_dissents))
        )
        notes.append(make_synthesis_incident(description, "dissent", "added"))
    return text, calls, [*incidents, *notes]


async def _ask_for_common_ground(
    prompt: Prompt, call: CallOptions, checks: Check
) -> tuple[CommonGround, list[Call], list[Incident]]:
    """Ask for the synthesis. Return it with the calls and incidents.

    If a check rejects the first text and the second attempt fails, return the first text.
    """
    syntheses: list[CommonGround] = []

    def find_answer_fault(answer: Answer) -> str | None:
        assert isinstance(answer.value, CommonGround)
        syntheses.append(answer.value)
        return checks(answer)

    try:
        answer = await ask(prompt, call, find_answer_fault)
    except NoAnswerError as failure:
        if not syntheses:
            raise
        return syntheses[-1], failure.calls, list_kept_text_incidents(failure)
    return syntheses[-1], answer.calls, answer.incidents
