"""First node of a protocol: check the input, resolve the settings, seat the participants."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..models import admit_settings, find_calibrated_stop, prepare_replay, resolve_embeddings, warn_of_unsent_settings
from ..prompts import Templates
from ..state import (
    ConveneState,
    InputError,
    Participant,
    Settings,
    TaskState,
    Update,
    check_budget,
    count_blind_starters,
    count_initial_questions,
    mark_reads,
    repair_surrogates,
)
from .initial_state import (
    MATERIAL_LIMIT,
    build_initial_state,
    check_text,
    complete_settings,
    list_language_notes,
    make_opening_incident,
    read_context,
)
from .lookups.tools import resolve_tools
from .seats import check_checkpointer

SeatPlan = Callable[[Sequence[Participant], dict[str, str], Any], tuple[list[Participant], list[str]]]
"""Function that takes participants, personas and settings, and returns the seated participants and warnings.

Raises `InputError`.
"""


def topic(state: TaskState) -> str:
    """Return the topic, which is the subject of most protocols."""
    return state["topic"]


def convene(
    settings_class: type[Settings],
    seat_plan: SeatPlan,
    templates: Templates,
    read_subject: Callable[[Any], str] = topic,
) -> Callable[[Any], object]:
    """Build the first node of a protocol, which seats the participants by `seat_plan`.

    `settings_class`: class of the protocol's settings. `read_subject`: function that returns the subject of the
    deliberation. Its name must be that of the subject's channel.
    """

    async def convene(state: ConveneState) -> Update:
        """Check the input, resolve the settings, and seat the participants.

        Reads topic or query, material, participants, personas, private, and history to recognize a used thread; writes
        every channel.
        """
        subject = read_subject(state)
        if state["history"]:
            raise InputError("input", subject, "this thread already holds a deliberation; use a new thread")
        check_text(read_subject.__name__, subject, 4000)
        check_text("material", state["material"], MATERIAL_LIMIT, can_be_blank=True)
        settings = await resolve_settings(settings_class, templates, subject.strip())
        participants, warnings = seat_plan(state["participants"], state["personas"], settings)
        participants = with_private_texts(participants, state["private"])
        check_checkpointer(participants)
        settings, notes = await complete_settings(settings, participants, subject.strip())
        warnings = [*warnings, *notes]
        settings, participants = await resolve_tools(settings, participants)
        calibrated_stop = await find_calibrated_stop(settings, participants)
        if not settings.allows_direct_answer:
            check_budget(
                settings, count_blind_starters(settings, participants), count_initial_questions(settings, participants)
            )
        misfits = calibrated_stop.differences if calibrated_stop else []
        return build_initial_state(participants, settings) | Update(
            topic=repair_surrogates(subject.strip()),
            material=repair_surrogates(state["material"]),
            incidents=[
                make_opening_incident(text)
                for text in [*list_language_notes(settings, participants, templates), *warnings, *misfits]
            ],
            verdict=None,
            judged_turn=0,
            answer=None,
            stop=calibrated_stop,
        )

    return mark_reads(convene, read_subject, seat_plan)


def with_private_texts(participants: Sequence[Participant], private: Mapping[str, str]) -> list[Participant]:
    """Return the participants with their private texts.

    `private`: texts by name or by seat number, from 1. Raises `InputError` for an unknown participant, and for two
    texts of one participant.
    """
    seats = {str(number): participant.name for number, participant in enumerate(participants, 1)}
    participant_names = {participant.name for participant in participants}
    texts = {key if key in participant_names else seats.get(key, ""): text for key, text in private.items()}
    if "" in texts:
        unknown_key = next(key for key in private if key not in participant_names and key not in seats)
        raise InputError(
            f"private.{unknown_key}",
            private[unknown_key],
            f"no participant has this name; choose one of {', '.join(sorted(participant_names))}",
        )
    if len(texts) < len(private):
        raise InputError(
            "private", sorted(private), "one participant has facts under its name and under its seat number; keep one"
        )
    return [
        participant.model_copy(update={"private": repair_surrogates(texts.get(participant.name, participant.private))})
        for participant in participants
    ]


async def resolve_settings(settings_class: type[Settings], templates: Templates, subject: str) -> Settings:
    """Return the run's settings with seed and templates, from the caller's context or the defaults.

    `subject`: identifies the run in a recording.
    """
    settings = read_context(settings_class)
    warn_of_unsent_settings(settings)
    settings = settings.with_choices().with_subject(subject)
    resolved_settings = await prepare_replay(await admit_settings(settings), subject)
    return resolved_settings.with_choices(
        templates=templates.resolve_folder(resolved_settings.templates),
        seed=secrets.randbelow(2**31) if resolved_settings.seed is None else resolved_settings.seed,
        **resolve_embeddings(resolved_settings),
    )
