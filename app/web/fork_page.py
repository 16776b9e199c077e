"""A fork: a new run goes on from a turn of another, with a statement, a persona, a model or a rule changed."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...nodes.models.operator_limits import PLACES, allowed, check_place
from ...state.refused import Refused
from ..config import assignments
from ..saved import Checkpoint, Saved, branched, checked, checkpoints, load
from ..saved.fork import changed
from .room import Room, room_of
from .words import shown


async def form(request: Request) -> Response:
    """What may be changed after a turn; after the last of its round, where everyone spoke at once."""
    name = checked(request.path_params["run"])
    return await _form(request, await load(room_of(request).store, name), request.query_params.get("turn", ""), {})


async def _form(
    request: Request, saved: Saved, turn: str, given: Mapping[str, str], fault: Refused | None = None
) -> Response:
    if not saved.begun:
        raise Refused("run", saved.run.run, "nothing of it was saved yet")
    turns = _turns(await checkpoints(room_of(request).store, saved))
    last = max(turns, default=0)
    at = min((one for one in turns if one >= int(turn)), default=last) if turn.isdecimal() else last
    said = next((one for one in saved.state["history"] if one.turn == at), None)
    return shown(
        "fork.html",
        saved.state["rules"].language,
        400 if fault else 200,
        saved=saved,
        turns=sorted(turns),
        at=at,
        said=said,
        cast=saved.state["participants"],
        model=saved.state["rules"].model,
        given=given,
        fault=fault,
    )


def _turns(found: list[Checkpoint]) -> dict[int, Checkpoint]:
    """The last moment of each turn that something follows."""
    return {one.turn: one for one in reversed(found) if one.next and len(one.ran) == 1 and one.turn}


async def fork(request: Request) -> Response:
    """Make the fork, and drive it."""
    room, name = room_of(request), checked(request.path_params["run"])
    async with request.form(max_files=0, max_fields=4000) as sent:
        given = {key: value for key, value in sent.items() if isinstance(value, str)}
    saved = await load(room.store, name)
    try:
        run = await _forked(room, saved, given)
    except Refused as fault:
        return await _form(request, saved, given.get("turn", ""), given, fault)
    await room.driver.resume(run)
    return RedirectResponse(f"/runs/{run}", 303)


async def _forked(room: Room, saved: Saved, given: Mapping[str, str]) -> str:
    turns = _turns(await checkpoints(room.store, saved))
    turn = given.get("turn", "")
    if not turn.isdecimal() or int(turn) not in turns:
        raise Refused("turn", turn, f"there is no such turn to go on from; there are {', '.join(map(str, turns))}")
    moment = turns[int(turn)]
    changes = changes_of(moment, given)
    _check_places(changes)
    if room.beyond:
        state = changed(moment.values, changes)
        budget = allowed(state["rules"], state["participants"]).budget.model_dump(exclude_none=True)
        changes |= {f"budget.{key}": value for key, value in budget.items()}
    return (await branched(room.store, saved, moment, changes)).run


def changes_of(moment: Checkpoint, given: Mapping[str, str]) -> dict[str, Any]:
    """What is to differ from the moment: of texts and models, what is other than it was."""
    state, turn = moment.values, moment.turn
    was = {f"statement.{one.turn}": one.content for one in state["history"] if one.turn == turn}
    was |= {f"persona.{one.name}": one.persona for one in state["participants"]}
    was |= {f"model.{one.name}": one.model for one in state["participants"]} | {"model": str(state["rules"].model)}
    found = {key: text for key, old in was.items() if (text := _text(given.get(key))) not in (None, _text(old))}
    lines = [line for line in given.get("rules", "").splitlines() if line.strip()]
    return found | assignments(lines)


def _text(given: str | None) -> str | None:
    return None if given is None else given.replace("\r\n", "\n").strip()


def _check_places(changes: Mapping[str, Any]) -> None:
    """Refuse files of this machine outside the folders that its operator allowed."""
    for key, value in changes.items():
        if key in PLACES and value:
            check_place(key, str(value))
        if key.partition(".")[0] == "logging":
            raise Refused(key, value, "not to be set from a page")
