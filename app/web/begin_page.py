"""The form of a protocol, what a run would cost, and its beginning."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request as Asked
from starlette.responses import RedirectResponse, Response

from ...nodes.models.chat import REHEARSAL, default_spec
from ...nodes.models.operator_limits import allowed
from ...state.refused import Refused
from ...state.statement import Participant
from ..config import TEXT_LIMIT
from ..display.announcement import is_rehearsal
from ..display.wording import amount
from ..estimate import Cost, estimated, with_prices
from ..panel.question_language import in_its_language
from ..protocol_list import every_protocol
from ..protocols import Protocol, protocol
from ..request import Request, layered
from .form import SEATS, form_of, personas, places_of, settings_of
from .guard import Rate
from .room import Room, room_of
from .words import language_of, saying, shown

FIELDS = 1500
"""Fields of a form."""

ESTIMATES = Rate(20, 60.0)
"""Estimates in a minute, of everyone together: each plays the run through several times."""


async def form(request: Asked) -> Response:
    """The form of the protocol that is chosen; without one, the choice."""
    name = request.query_params.get("protocol", "")
    if not name:
        return shown("forms.html", language_of(request), protocols=every_protocol().values())
    return await _form(request, protocol(name), {})


async def _form(
    request: Asked,
    chosen: Protocol,
    given: Mapping[str, str],
    fault: Refused | None = None,
    cost: str = "",
    seen: bool = False,
) -> Response:
    language = language_of(request)
    found = form_of(chosen)
    keys = {ask.name for ask in found.asks} | {found.about, "material", *given}
    return shown(
        "new.html",
        language,
        400 if fault else 200,
        protocol=chosen,
        form=found,
        given=given,
        fault=fault,
        at=fault.key if fault and fault.key in keys else "",
        cost=cost,
        seen=seen,
        default_model=await default_spec(),
        personas=personas(chosen.name, language),
        seats=max(SEATS, 1 + max(places_of(given), default=0)),
    )


async def begin(request: Asked) -> Response:
    """Begin what was filled in; or, for the button of that name, tell what it would cost."""
    chosen = protocol(request.query_params.get("protocol", ""))
    given = await _filled(request)
    room, do = room_of(request), given.get("do", "")
    try:
        asked = await requested(room, chosen, given, rehearse=do == "rehearse")
        paid = not is_rehearsal(asked.rules, asked.input.get("participants", []))
        if do == "cost" or (paid and given.get("seen") != "1"):
            cost = await told_cost(asked, language_of(request), paid)
            if request.headers.get("accept") == "text/plain":
                return Response(cost, media_type="text/plain")
            return await _form(request, chosen, given, cost=cost, seen=paid)
        return RedirectResponse(f"/runs/{await room.driver.begin(asked)}", 303)
    except Refused as fault:
        if request.headers.get("accept") == "text/plain":
            return Response(str(fault), media_type="text/plain")
        return await _form(request, chosen, given, fault)


async def _filled(request: Asked) -> dict[str, str]:
    """The fields; under `material` the text of the file, or the one that was kept when the form was shown again."""
    async with request.form(max_files=1, max_fields=FIELDS, max_part_size=TEXT_LIMIT) as sent:
        given = {key: value for key, value in sent.items() if isinstance(value, str)}
        file = sent.get("material")
        content = await file.read(TEXT_LIMIT + 1) if isinstance(file, UploadFile) else b""
    if len(content) > TEXT_LIMIT:
        raise Refused("material", f"{len(content):,} bytes", f"give a file of at most {TEXT_LIMIT:,} bytes")
    try:
        return given | {"material": content.decode("utf-8-sig") or given.get("kept", "")}
    except UnicodeDecodeError:
        raise Refused("material", "…", "give a text file in UTF-8") from None


async def requested(room: Room, chosen: Protocol, given: Mapping[str, str], rehearse: bool = False) -> Request:
    """The request that a form makes, with its model named. Raises `Refused` for the first thing that cannot be."""
    found = form_of(chosen)
    settings = settings_of(found, given)
    if found.about and not settings.get(found.about):
        raise Refused(found.about, "", "say what it is about")
    if found.material and given.get("material"):
        settings["material"] = given["material"]
    if rehearse:
        settings = _without_models(settings)
    asked = in_its_language(layered(chosen, [{}, settings]))
    asked = asked.with_model(str(asked.rules.model) or await default_spec())
    return _limited(room, asked)


def _without_models(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings, with the rehearsal in place of every model."""
    kept = {key: value for key, value in settings.items() if key not in ("models", "embeddings")}
    if seats := kept.get("participants"):
        kept["participants"] = [{key: value for key, value in one.items() if key != "model"} for one in seats]
    return kept | {"model": REHEARSAL}


def _limited(room: Room, asked: Request) -> Request:
    """The same, as it may be asked of a room that listens beyond this machine."""
    if not room.beyond:
        return asked
    cast = [Participant.model_validate(one) for one in asked.input.get("participants", [])]
    rules = allowed(asked.rules, cast)
    return Request(asked.protocol, rules, asked.input)


async def told_cost(asked: Request, language: str, paid: bool) -> str:
    """What a run would cost, in words."""
    say = saying(language)
    if not paid:
        return say("new.free")
    if not ESTIMATES.allows(""):
        raise Refused("cost", None, "too many estimates at once; wait a minute")
    asked = await with_prices(asked)
    found = await estimated(asked)
    return say(
        "new.costs",
        model=asked.rules.model,
        calls=found.expected.calls,
        tokens=f"{found.expected.tokens:,}",
        money=_money(found.expected, asked, say),
        most_calls=found.high.calls,
        most_tokens=f"{found.high.tokens:,}",
        most_money=_money(found.high, asked, say),
    )


def _money(cost: Cost, asked: Request, say: Any) -> str:
    if cost.money is None or asked.rules.prices is None:
        return str(say("new.unpriced"))
    return str(say("new.money", money=amount(cost.money, asked.rules.prices)))
