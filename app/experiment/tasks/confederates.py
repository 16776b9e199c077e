"""Scripted participants: programs in the first seats of a session, who say their line whenever it is their turn."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langgraph.types import Command

from ....state.refused import Refused
from ...failure import Waits
from ...people.waiting import waiting
from ...saved import Saved, Store, load
from ..items import Item


def seated(protocol: str, people: object, item: Item) -> list[dict[str, Any]]:
    """The participants of an item with a script: as many programs as it has lines, then the one who is observed.

    Those named first are left out where fewer are needed. Raises `Refused` where too few are named.
    """
    if protocol != "discussion":
        raise Refused("protocol", protocol, "scripted participants take turns in a session; write discussion")
    named: Sequence[Any] = people if isinstance(people, list) else []
    wanted = len(item.scripted) + 1
    if len(named) < wanted:
        remedy = f"item {item.id} has {len(item.scripted)} scripted ones, and one is observed; name {wanted} or more"
        raise Refused("settings.participants", people, remedy)
    cast = [dict(one) if isinstance(one, Mapping) else {"name": one} for one in named[-wanted:]]
    return [*({**one, "kind": "program"} for one in cast[:-1]), cast[-1]]


async def attended(
    store: Store, run: str, item: Item, going: Awaitable[Saved], go_on: Callable[[Any], Awaitable[Saved]]
) -> Saved:
    """The run at its end, its scripted participants having answered whatever it waited for on the way."""
    while True:
        try:
            return await going
        except Waits:
            told = _answer(await load(store, run), item)
            if told is None:
                raise
            going = go_on(Command(resume=told))


def _answer(saved: Saved, item: Item) -> dict[str, Any] | None:
    """What the first one who is waited for says; none: nobody waits, or not for a text."""
    seats = [one.name for one in saved.state["participants"]]
    for one in waiting(saved):
        if one["purpose"] == "invitation":
            return {one["id"]: {"who": one["who"], "accept": True}}
        if one["purpose"] == "statement" and seats.index(one["who"]) < len(item.scripted):
            line = item.scripted[seats.index(one["who"])]
            return {one["id"]: {"speaker": one["who"], "text": line, "turn": one["turn"]}}
    return None
