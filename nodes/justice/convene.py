"""First node of the justice experiment: check the input, resolve the settings, seat the participants."""

from collections.abc import Callable
from typing import cast
from uuid import uuid4

from ...models import admit_settings, prepare_replay, warn_of_unsent_settings
from ...prompts import Templates, hash_texts
from ...state import InputError, Participant, check_budget
from ...state.justice import JusticeConveneState, JusticeSettings, JusticeUpdate, Payment, TemplateHashes
from ...storage import get_timestamp
from ..ask.attempt import SHARED_TEMPLATES
from ..initial_state import build_initial_state, complete_settings, make_opening_incident, read_context
from ..seats import check_checkpointer
from .templates import JUSTICE_PHRASES


def convene(templates: Templates) -> Callable[[JusticeConveneState], object]:
    """Build the node that resolves settings and seed, seats the participants, and fills every channel."""

    async def convene(state: JusticeConveneState) -> JusticeUpdate:
        """Check the input, resolve settings and seed, and seat the participants.

        Reads experiment_id, and calls and began_at to recognize a used thread; writes every channel.
        """
        if state["calls"] or state["began_at"]:
            raise InputError(
                "input", state["experiment_id"], "this thread already holds an experiment; use a new thread"
            )
        settings = await resolve_settings(templates)
        participants = [
            Participant(
                name=participant.name,
                persona=participant.personality,
                model=participant.model,
                kind=participant.kind,
                language=participant.language or "",
                temperature=participant.temperature,
            )
            for participant in settings.participants
        ]
        check_checkpointer(participants)
        settings, _ = await complete_settings(settings, participants, "")
        check_budget(
            settings, parallel_calls=sum(participant.kind == "model" for participant in participants), reserve=0
        )
        languages = [settings.language, *(seat.language for seat in settings.participants if seat.language)]
        builtin_hashes, own_hashes = hash_texts([templates, SHARED_TEMPLATES], languages, settings.templates)
        amounts = settings.voting.amount_min_reasonable, settings.voting.amount_max_reasonable
        return cast(JusticeUpdate, build_initial_state(participants, settings)) | JusticeUpdate(
            topic=JUSTICE_PHRASES.with_folder(settings.templates).translate_phrase(
                settings.language, f"{settings.wording.wording}.topic"
            ),
            words=TemplateHashes(built_in=builtin_hashes, own=own_hashes),
            experiment_id=state["experiment_id"] or f"justice-{uuid4().hex[:8]}",
            began_at=get_timestamp(),
            incidents=[make_opening_incident(fault) for fault in settings.tables.list_unreachable_amounts(*amounts)],
            alone={},
            orders=[],
            draws=[],
            reasonings=[],
            answers=[],
            initiator="",
            votes=[],
            adopted=settings.voting.imposed_rule,  # counts as adopted from the start
            settlement=Payment(),
            last_rankings={},
            unintegrated={},
            measures=None,
        )

    return convene


async def resolve_settings(templates: Templates) -> JusticeSettings:
    """Return the run's settings with seed and templates, from the caller's context or the defaults."""
    settings = read_context(JusticeSettings)
    warn_of_unsent_settings(settings)
    seed = settings.run_seed
    admitted_settings = await prepare_replay(await admit_settings(settings.with_choices()), "")
    return admitted_settings.with_choices(
        seed=seed if admitted_settings.seed is None else admitted_settings.seed,
        templates=templates.resolve_folder(admitted_settings.templates or templates.folder),
    )
