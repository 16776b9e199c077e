"""Open a session, or take up a saved one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_type_hints

from pydantic import ValidationError

from ...nodes.step import wait_for
from ...prompts import TemplateFault
from ...state.discussion import DiscussionRules
from ...state.refused import Refused, unknown_key
from ...state.rules import revived
from ...state.statement import Participant
from ..begin import entered
from ..options import Knobs
from ..protocols import protocol
from ..request import Request, request
from ..saved import checked, forget, opened
from .asynchronous import AsyncSession, OnEvent
from .blocking import Session
from .locked import going_on, load_session

Who = str | Mapping[str, Any] | Participant

OPENING = ("creator", "material", "personas")
"""What only a new session can be told, beside its topic, participants and knobs."""


class Chosen(TypedDict, total=False):
    """What a session may be opened with, beside its topic and participants."""

    creator: Who
    knobs: Mapping[str, Any]
    ttl: float
    material: str
    personas: Mapping[str, str]
    db: str | Path
    on_event: OnEvent


def open_session(
    topic: str = "", participants: Sequence[Who] = (), *, run: str = "", **chosen: Unpack[Chosen]
) -> Session:
    """Open a session; or, with `run`, take up a saved one, where it expects whoever it expected before.

    One that ended because its models could not be reached is taken up before the turns that were missed.

    The creator, one of the participants or somebody more, speaks first; with none named, the first participant.
    `knobs`: the settings of a discussion, such as `model`, `max_turns`, `expectations`; a chat model object has to be
    given again when a session is taken up. `ttl`: seconds it lives. `db`: the database; none: the one of all runs.
    `on_event` is told of every new entry of the log.
    Raises `Refused` for what cannot be used, before any model is called.
    """
    return Session(wait_for(aopen_session(topic, participants, run=run, **chosen)))


async def aopen_session(
    topic: str = "", participants: Sequence[Who] = (), *, run: str = "", **chosen: Unpack[Chosen]
) -> AsyncSession:
    """The same for async code."""
    _check(topic, participants, run, chosen)
    knobs = dict(chosen.get("knobs") or {}) | ({"ttl": chosen["ttl"]} if chosen.get("ttl") is not None else {})
    db, on_event = str(chosen.get("db", "")), chosen.get("on_event")
    if run:
        return await _taken_up(checked(run), db, knobs, on_event)
    given = {"topic": topic, "participants": seated_first(chosen.get("creator"), participants), **knobs}
    given |= {"material": chosen.get("material", ""), "personas": dict(chosen.get("personas") or {})}
    return await begun(request(protocol("discussion"), given, Knobs()), db, on_event)


KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "topic": ((str,), "give a text"),
    "run": ((str,), "give the name of a saved session"),
    "material": ((str,), "give a text"),
    "knobs": ((Mapping,), "give a mapping of settings, such as {'max_turns': 12}"),
    "personas": ((Mapping,), "give a mapping of participants' names to texts"),
    "ttl": ((int, float), "give seconds"),
    "db": ((str, Path), "give a path or an address"),
}
"""What may be given under each key, and how that is said."""

ONE_WHO = "give a name, or a mapping such as {'name': 'Zoe', 'kind': 'person'}"


def _check_kinds(given: Mapping[str, Any]) -> None:
    """Refuse what is of no kind that could be used."""
    for key, (kinds, remedy) in KINDS.items():
        if given.get(key) is not None and (isinstance(given[key], bool) or not isinstance(given[key], kinds)):
            raise Refused(key, given[key], remedy)
    people = given["participants"]
    if isinstance(people, str | bytes | Mapping | Participant) or not isinstance(people, Sequence):
        raise Refused("participants", people, f"give a list; of each, {ONE_WHO}")
    creator = [("creator", given["creator"])] if given.get("creator") is not None else []
    for key, one in [*((f"participants.{place}", one) for place, one in enumerate(people)), *creator]:
        if not isinstance(one, str | Mapping | Participant):
            raise Refused(key, one, ONE_WHO)
    if given.get("on_event") is not None and not callable(given["on_event"]):
        raise Refused("on_event", given["on_event"], "give a function of one event")


def _check(topic: str, participants: Sequence[Who], run: str, chosen: Mapping[str, Any]) -> None:
    """Refuse what nobody knows, what is of the wrong kind, and what a saved session has already."""
    _check_kinds({"topic": topic, "participants": participants, "run": run, **chosen})
    known = get_type_hints(Chosen)
    for key in set(chosen) - set(known):
        knob = key in DiscussionRules.model_fields
        raise Refused(key, chosen[key], f"give it in knobs={{{key!r}: …}}" if knob else unknown_key(key, list(known)))
    opening = {"topic": topic, "participants": participants} | {key: chosen.get(key) for key in OPENING}
    if run and (given := [key for key, value in opening.items() if value]):
        raise Refused(given[0], opening[given[0]], f"{run} is saved and has its own; leave it out, or leave out run")


def seated_first(creator: Who | None, participants: Sequence[Who]) -> list[Who]:
    """The creator, be it one of the participants or somebody more, and then the others."""
    if creator is None:
        return list(participants)
    mine = [one for one in participants if _name(one) == _name(creator)]
    described = [one for one in [creator, *mine] if not isinstance(one, str)]
    return [*[*described, creator][:1], *(one for one in participants if one not in mine)]


def _name(one: Who) -> str:
    if isinstance(one, str):
        return one.strip().casefold()
    return str(one.name if isinstance(one, Participant) else one.get("name", "")).strip().casefold()


async def begun(asked: Request, db: str, on_event: OnEvent | None = None, drive: Any = None) -> AsyncSession:
    """Open a session as asked; nothing of it is kept if it is refused."""
    assert isinstance(asked.rules, DiscussionRules)
    async with opened(db) as store:
        row = await entered(store, asked)
        session = AsyncSession(row.run, db, asked.rules, on_event)
        session.drive = drive or session.drive
        async with store.lock(row.run):
            try:
                await session.drive(store, row.run, asked.input)
            except (Refused, ValidationError, TemplateFault):
                await forget(store, row.run)
                raise
            await store.runs.save((await load_session(store, row.run)).row())
    return session


async def _taken_up(run: str, db: str, knobs: dict[str, Any], on_event: OnEvent | None) -> AsyncSession:
    async with opened(db, create=False) as store:
        saved = await going_on(store, run)
    models = {key: value for key, value in knobs.items() if key in ("model", "models")}
    if others := sorted(set(knobs) - set(models)):
        raise Refused(others[0], knobs[others[0]], "a session keeps the rules it was opened with; give only models")
    rules = revived(saved.run.rules)
    assert isinstance(rules, DiscussionRules)
    session = AsyncSession(run, db, rules.model_copy(update=models), on_event)
    session.heard_up_to(len(saved.state.get("events", [])))
    await session.snapshot()
    return session
