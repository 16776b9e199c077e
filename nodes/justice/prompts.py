"""Prompts of the justice experiment: the texts of one call to one participant."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ...prompts import fill_person_text, get_language_name, join_words
from ...state import Participant, neutralize_text
from ...state.justice import APPLICATION_COUNT, CERTAINTIES, GroupPromptState
from ..ask import Prompt, estimate_words
from .addressee import Addressee, get_justice_settings
from .memories import describe_phase1
from .templates import TEMPLATES


def build_phase1_prompt(addressee: Addressee, name: str, values: Mapping[str, object], *, is_first: bool) -> Prompt:
    """Build the prompt for template `name` in Phase 1. It contains nothing from other participants.

    `is_first`: whether this is the first turn of the phase.
    """
    explanation = ""
    wording = addressee.settings.wording
    if wording.include_experiment_explanation and (is_first or wording.include_experiment_explanation_each_turn):
        shared_values = {
            "principles": addressee.translate_in_wording("principles"),
            "credit": addressee.translate_in_frame("credit"),
            "pay": addressee.translate_in_frame("pay"),
        }
        explanation = fill_template(addressee, "explain_alone", shared_values)
    situation = addressee.describe_situation(addressee.translate_phrase("you.alone"))
    return _build_prompt(addressee, name, {"you": situation, **values, "explanation": explanation})


def build_group_prompt(
    state: GroupPromptState, addressee: Addressee, name: str, values: Mapping[str, object]
) -> Prompt:
    """Build the prompt for template `name` in the group phase.

    It contains the public history, and the participant's Phase 1 results and memory. Templates for discussion and votes
    name the group's goal. Templates for rankings and memory do not.
    """
    phase1_text = describe_phase1(addressee, state["alone"].get(addressee.participant.id))
    # in these, a participant answers for itself
    goal = "" if name in ("rank", "integrate") else addressee.translate_in_wording("goal")
    prompt = _build_prompt(
        addressee,
        name,
        {
            **values,
            "own": phase1_text,
            "you": addressee.describe_situation(addressee.translate_phrase("you.group"), goal),
        },
        is_group=True,
    )
    bound = addressee.settings.memory.public_history_max_length
    participants = [Participant(name=participant.name) for participant in addressee.settings.participants]
    prompt = replace(prompt, participants=participants, history=state["history"], bound=bound)
    return prompt.with_limit(state["view_limits"].get(addressee.participant.name))


def _collect_group_values(addressee: Addressee) -> dict[str, object]:
    voting = addressee.settings.voting
    stakes_text = addressee.translate_phrase("group.stakes") if addressee.settings.tables.has_higher_stakes else ""
    return {
        "principles": addressee.translate_in_wording("principles"),
        "credit": addressee.translate_in_frame("credit"),
        "decision": addressee.join_sentences(stakes_text, addressee.translate_phrase(f"group.{voting.decision_rule}")),
        "chance": addressee.translate_phrase(f"group.{voting.no_consensus_mode}"),
    }


def _describe_discussion(addressee: Addressee) -> str:
    """Return a text about the rules of the discussion, the same in all turns.

    The text is empty if the settings impose a rule.
    """
    settings = addressee.settings
    if settings.voting.decision_rule == "imposed":
        return ""
    values = {
        "explanation": fill_template(addressee, "explain_group", _collect_group_values(addressee))
        if settings.wording.include_experiment_explanation
        else "",
        "agreement": addressee.translate_phrase(f"group.agreement_{settings.voting.decision_rule}"),
        "why": addressee.translate_in_wording("why"),
        "words": estimate_words(settings.max_tokens_per_turn, addressee.language) // 2,
    }
    return fill_template(addressee, "talk", values)


def _build_prompt(addressee: Addressee, name: str, values: Mapping[str, object], *, is_group: bool = False) -> Prompt:
    voting = addressee.settings.voting
    shared_values = {
        "own": "",
        "explanation": "",
        "principles": addressee.translate_in_wording("principles"),
        "definitions": addressee.format_definitions(),
        "least": f"{voting.amount_min_reasonable:,}",
        "most": f"{voting.amount_max_reasonable:,}",
    }
    all_values = {**shared_values, **values}
    return Prompt(
        head=_build_system_text(addressee, is_group=is_group),
        task=fill_template(addressee, name, all_values),
        language=addressee.language,
        memory=addressee.memory,
        values=all_values,
        options=_map_options(addressee),
    )


def _map_options(addressee: Addressee) -> dict[str, str]:
    definitions = (addressee.translate_phrase(f"definitions.{name}") for name in addressee.presentation.principles)
    certainties = {name: addressee.translate_phrase(f"certainties.{name}") for name in CERTAINTIES}
    return {number: text.strip() for number, _, text in (line.partition(".") for line in definitions)} | certainties


def _build_system_text(addressee: Addressee, *, is_group: bool) -> str:
    participants = addressee.settings.participants
    lines = (
        [
            addressee.translate_phrase("you.participants"),
            *(addressee.translate_phrase("you.member", name=participant.name) for participant in participants),
        ]
        if is_group
        else []
    )
    is_imposed = addressee.settings.voting.decision_rule == "imposed"
    values = {
        "participants": "\n".join(lines),
        "size": len(participants),
        "together": addressee.translate_phrase("group.together_imposed" if is_imposed else "group.together"),
        "talk": _describe_discussion(addressee) if is_group else "",
    }
    return fill_template(addressee, "system", values)


def fill_template(addressee: Addressee, name: str, values: Mapping[str, object]) -> str:
    """Fill the template `name` in the participant's language. Merge adjacent empty lines."""
    safe_values = {key: neutralize_text(value) if isinstance(value, str) else value for key, value in values.items()}
    is_person = addressee.participant.kind == "person"
    fill_text = partial(fill_person_text, TEMPLATES) if is_person else TEMPLATES.fill_template
    text = fill_text(
        addressee.language,
        name,
        {**safe_values, "language": get_language_name(addressee.language)},
        addressee.settings.templates,
    )
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for index, line in enumerate(lines) if line or (index and lines[index - 1])).strip()


def make_addressee(state: GroupPromptState, name: str) -> Addressee:
    """Return the participant `name` as the addressee of a prompt, with its payoffs from Phase 1."""
    settings = get_justice_settings(state["settings"])
    participant = next(candidate for candidate in settings.participants if candidate.name == name)
    phase1 = state["alone"].get(participant.id)
    memory = "\n".join(state["memory"].get(name, []))
    return Addressee(settings, participant, phase1.total_earnings if phase1 else 0, APPLICATION_COUNT, memory)


def format_other_names(addressee: Addressee) -> str:
    """Format the names of the other participants as a list in words."""
    return join_words(
        addressee.language,
        [
            participant.name
            for participant in addressee.settings.participants
            if participant.id != addressee.participant.id
        ],
    )
