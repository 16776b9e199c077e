"""Opening of a session, new or saved."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_type_hints

from ...nodes.node_runnables import run_blocking
from ...state import DiscussionSettings, InputError, Participant, explain_unknown_key, parse_settings
from ..protocols.registry import get_protocol
from ..run import RunOptions, RunRequest, build_request, create_run, delete_if_refused
from ..saved import check_run_name, open_database
from .api import AsyncSession, EventHandler, Session
from .locking import load_resumable_session, load_session

ParticipantInput = str | Mapping[str, Any] | Participant


class SessionOptions(TypedDict, total=False):
    """Options of a session in addition to its topic and participants."""

    creator: ParticipantInput
    settings: Mapping[str, Any]
    ttl: float
    material: str
    personas: Mapping[str, str]
    db: str | Path
    on_event: EventHandler


def open_session(
    topic: str = "", participants: Sequence[ParticipantInput] = (), *, run: str = "", **options: Unpack[SessionOptions]
) -> Session:
    """Open a new session or, if `run` names one, a saved session.

    A saved session continues with the same speaker. A session that ended because models were unreachable continues
    before the missed turns.

    `creator`: listed or additional participant, who speaks first; default: the first listed participant. `settings`:
    settings of a discussion, such as `model`, `max_turns`, `expectations`. Pass a chat model object again when you open
    a saved session. `ttl`: lifetime in seconds. `db`: the database; default: the database of all runs. `on_event`:
    receives every new log entry. Raises `InputError` for unusable options, before any model call.
    """
    return Session(run_blocking(aopen_session(topic, participants, run=run, **options)))


async def aopen_session(
    topic: str = "", participants: Sequence[ParticipantInput] = (), *, run: str = "", **options: Unpack[SessionOptions]
) -> AsyncSession:
    """Open a session in async code. The arguments are those of `open_session`."""
    _check_options(topic, participants, run, options)
    settings = dict(options.get("settings") or {}) | ({"ttl": options["ttl"]} if options.get("ttl") is not None else {})
    db, on_event = str(options.get("db", "")), options.get("on_event")
    if run:
        run = check_run_name(run)
        async with open_database(db, create=False) as store:
            saved_run = await load_resumable_session(store, run)
        model_settings = {key: value for key, value in settings.items() if key in ("model", "models")}
        if refused_keys := sorted(set(settings) - set(model_settings)):
            remedy = "a session keeps the settings it was opened with; you can give only models"
            raise InputError(refused_keys[0], settings[refused_keys[0]], remedy)
        run_settings = parse_settings(saved_run.run.settings).model_copy(update=model_settings)
        session = AsyncSession(run, db, run_settings, on_event, len(saved_run.state.get("events", [])))
        await session.load_snapshot()
        return session
    values = {"topic": topic, "participants": put_creator_first(options.get("creator"), participants), **settings}
    values |= {"material": options.get("material", ""), "personas": dict(options.get("personas") or {})}
    return await start_session(build_request(get_protocol("discussion"), values, RunOptions()), db, on_event)


OPTION_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "topic": ((str,), "give a text"),
    "run": ((str,), "give the name of a saved session"),
    "material": ((str,), "give a text"),
    "settings": ((Mapping,), "give a mapping of settings, such as {'max_turns': 12}"),
    "personas": ((Mapping,), "give a mapping of participants' names to texts"),
    "ttl": ((int, float), "give seconds"),
    "db": ((str, Path), "give a path or an address"),
}
"""Types of each option, and the remedy in its error."""

PARTICIPANT_REMEDY = "give a name, or a mapping such as {'name': 'Zoe', 'kind': 'person'}"


def _check_options(topic: str, participants: Sequence[ParticipantInput], run: str, options: Mapping[str, Any]) -> None:
    """Check the names and types of options, and that a saved session gets no options of a new one.

    Raises `InputError`.
    """
    values = {"topic": topic, "participants": participants, "run": run, **options}
    given_values = {key: value for key, value in values.items() if value is not None}
    for key, (allowed_types, remedy) in OPTION_TYPES.items():
        value = given_values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, allowed_types)):
            raise InputError(key, value, remedy)
    if isinstance(participants, str | bytes | Mapping | Participant) or not isinstance(participants, Sequence):
        raise InputError("participants", participants, f"give a list; for each participant {PARTICIPANT_REMEDY}")
    entries = {f"participants.{index}": entry for index, entry in enumerate(participants)}
    for key, entry in [*entries.items(), ("creator", given_values.get("creator", ""))]:
        if not isinstance(entry, str | Mapping | Participant):
            raise InputError(key, entry, PARTICIPANT_REMEDY)
    if not callable(given_values.get("on_event", print)):
        raise InputError("on_event", values["on_event"], "give a function with one parameter, the event")
    type_hints = get_type_hints(SessionOptions)
    for key in set(options) - set(type_hints):
        remedy = explain_unknown_key(key, list(type_hints))
        if key in DiscussionSettings.model_fields:
            remedy = f"give it in settings={{{key!r}: …}}"
        raise InputError(key, options[key], remedy)
    for key in ("topic", "participants", "creator", "material", "personas") if run else ():
        if values.get(key):
            remedy = f"the saved session {run} has its own; leave this out, or leave out run"
            raise InputError(key, values[key], remedy)


def put_creator_first(
    creator: ParticipantInput | None, participants: Sequence[ParticipantInput]
) -> list[ParticipantInput]:
    """Return the participants with the creator first. The creator may be listed or additional."""
    if creator is None:
        return list(participants)
    creator_entries = [entry for entry in participants if _normalize_name(entry) == _normalize_name(creator)]
    descriptions = [entry for entry in [creator, *creator_entries] if not isinstance(entry, str)]
    return [*[*descriptions, creator][:1], *(entry for entry in participants if entry not in creator_entries)]


def _normalize_name(participant: ParticipantInput) -> str:
    if isinstance(participant, Mapping):
        participant = str(participant.get("name", ""))
    return (participant.name if isinstance(participant, Participant) else participant).strip().casefold()


async def start_session(
    run_request: RunRequest, db: str, on_event: EventHandler | None = None, driver: Any = None
) -> AsyncSession:
    """Start the requested session and return it. If its first step fails, its run is deleted."""
    async with open_database(db) as store:
        run = await create_run(store, run_request)
        session = AsyncSession(run.run, db, run_request.settings, on_event, driver=driver)
        async with store.lock(run.run):
            async with delete_if_refused(store, run.run):
                await session.driver(store, run.run, run_request.input)
            await store.runs.save_run((await load_session(store, run.run)).build_row())
    return session
