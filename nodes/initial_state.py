"""Initial state of every run, and checks of texts and models before the first call."""

from collections.abc import Sequence
from typing import TypeVar

from langgraph.runtime import get_runtime
from pydantic import ValidationError

from ..models import (
    add_prices,
    check_agent,
    check_call,
    check_spec,
    choose_run_model,
    choose_spec,
    find_embedding_spec,
    is_agent_spec,
    list_asked_roles,
    prepare_recording,
    record_recipients,
    resolve_embeddings,
)
from ..prompts import Templates
from ..state import AGENT_OBJECT, ROLES, Incident, InputError, Participant, Settings, Summary, Update
from ..storage import get_timestamp, is_nested_run

R = TypeVar("R", bound=Settings)

MATERIAL_LIMIT = 2_000_000


def build_initial_state(participants: list[Participant], settings: Settings) -> Update:
    """Return the initial values of the channels that every protocol has."""
    return Update(
        topic="",
        material="",
        exhibits=[],
        participants=participants,
        settings=settings,
        floor=[],
        round=0,
        turn=0,
        view_limits={},
        history=[],
        calls=[],
        incidents=[],
        notices=[],
        lookups=[],
        memory={participant.name: [] for participant in participants},
        summary=Summary(),
        decision=None,
        ending=None,
        outcome=None,
        synthesis="",
    )


def check_text(key: str, text: str, limit: int, *, can_be_blank: bool = False) -> None:
    """Check that a text has at most `limit` characters and, unless `can_be_blank`, is not blank.

    Raises `InputError`.
    """
    if not can_be_blank and not text.strip():
        raise InputError(key, text, "give a text that is not blank")
    if len(text) > limit:
        raise InputError(key, text, f"give at most {limit:,} characters; this has {len(text):,}")


def check_models(settings: Settings, participants: Sequence[Participant]) -> None:
    """Check that each model belongs to a known participant or role, has a valid name and may be called.

    Raises `InputError`.
    """
    resolve_embeddings(settings)
    known_names = [*(participant.name for participant in participants), *ROLES]
    for setting in ("models", "agent_context"):
        for name, value in getattr(settings, setting).items():
            if name not in known_names:
                raise InputError(
                    f"{setting}.{name}", value, f"no participant has this name; choose one of {', '.join(known_names)}"
                )
    models = {participant.model for participant in participants} | set(settings.models.values()) | {settings.model}
    for spec in sorted(str(spec) for spec in models if spec):
        if not (settings.replay or spec.startswith(("object:", AGENT_OBJECT))):
            check_spec(spec)
    called_specs = {seat.name: seat.model for seat in participants if seat.kind == "model"}
    for name, spec in (called_specs | dict.fromkeys(list_asked_roles(settings), "")).items():
        check_call(settings, f"model of {name}", choose_spec(settings, name, spec))
    if spec := find_embedding_spec(settings):
        check_call(settings, "embeddings", spec)


async def complete_settings(settings: R, participants: Sequence[Participant], subject: str) -> tuple[R, list[str]]:
    """Return the settings with the run's model, prices and recipients, and notes about agents.

    `subject`: identifies the run in a recording. If the run is recorded, the recording begins here. Raises `InputError`
    for models that cannot be asked.
    """
    model = await choose_run_model(settings, participants, is_nested=is_nested_run())
    settings = settings.with_choices(model=model, recipients=None)
    check_models(settings, participants)
    notes = check_agents(settings, participants)
    settings = await add_prices(settings, participants)
    return await prepare_recording(record_recipients(settings, participants), subject), notes


def check_agents(settings: Settings, participants: Sequence[Participant]) -> list[str]:
    """Check the agents in seats and roles. Return notes about them. Raises `InputError`."""
    seats = {participant.name: participant.model for participant in participants if participant.kind == "model"}
    specs = {name: choose_spec(settings, name, seats.get(name, "")) for name in [*seats, *ROLES]}
    agents = {} if settings.replay else {name: spec for name, spec in specs.items() if is_agent_spec(spec)}
    return list(filter(None, [check_agent(settings, name, spec) for name, spec in agents.items()]))


def make_opening_incident(text: str) -> Incident:
    """Make the incident for a value that the first node filled in or replaced. `text` says which."""
    return Incident(where="convene", what=text, kind="note", attempts=0, at=get_timestamp(), category="logic")


def list_language_notes(settings: Settings, participants: Sequence[Participant], templates: Templates) -> list[str]:
    """Return a note for each language of the run for which `templates` has no texts."""
    tags = dict.fromkeys(
        [settings.language, *(participant.language for participant in participants if participant.kind == "model")]
    )
    missing_tags = [tag for tag in tags if tag and tag.split("-")[0].lower() not in templates.languages]
    labels = {"en": "English templates"}
    return [
        f"no templates in {tag}: "
        f"{labels.get(language := templates.choose_language(tag), f'templates in {language}')} are used, "
        f"and replies are asked for in {tag}"
        for tag in missing_tags
    ]


def read_context(settings_class: type[R]) -> R:
    """Return the caller's context as settings, or the default settings without a context.

    A graph that is a node of another graph gets that graph's context. Raises `InputError` for another protocol's
    context.
    """
    context = get_runtime().context
    if context is None or isinstance(context, settings_class):
        return context or settings_class()
    protocol = settings_class.model_fields["protocol"].default
    try:
        return settings_class.model_validate(context if isinstance(context, dict) else None)
    except ValidationError:
        raise InputError(
            "context",
            context,
            (
                "this context is that of the outer graph; bind the settings to the deliberation: "
                f"moot.agent({protocol!r}, …)"
            ),
        ) from None
