"""Pages that start a run: the form of a protocol, the cost estimate, and the start itself."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...models import REHEARSAL, RunStoppedError, fetch_default_spec, fetch_models, get_base_url, get_operator_policy
from ...prompts import load_profiles
from ...state import InputError, parse_yaml
from ..display import format_money, get_label, is_rehearsal
from ..protocols import ProtocolEntry, get_protocol, map_protocols
from ..run import (
    TEXT_SIZE_LIMIT,
    RunRequest,
    build_client_request,
    estimate_cost,
    with_default_model,
    with_prices,
)
from .protocol_form import (
    build_protocol_form,
    list_personas,
    list_seat_rows,
    parse_form_values,
)
from .rate_limit import RateLimit
from .rendering import detect_browser_language, make_translator, render_response
from .room import Room, get_room

ESTIMATE_LIMIT = RateLimit(20, 60.0)
"""Maximum estimates per minute, for all browsers together. Each estimate rehearses the run several times."""


async def render_start_form(request: Request) -> Response:
    """Return the page with the form of the chosen protocol or, without a choice, the list of protocols."""
    name = request.query_params.get("protocol", "")
    if not name:
        return render_response("forms.html", detect_browser_language(request), protocols=map_protocols().values())
    return await _render_form(request, get_protocol(name), {})


async def _render_form(
    request: Request,
    protocol_entry: ProtocolEntry,
    values: Mapping[str, str],
    faults: Mapping[str, InputError] | None = None,
    cost: Mapping[str, Any] | None = None,
    asks_to_pay: bool = False,
) -> Response:
    language = detect_browser_language(request)
    form = build_protocol_form(protocol_entry)
    return render_response(
        "new.html",
        language,
        400 if faults else 200,
        protocol=protocol_entry,
        form=form,
        given=values,
        faults=faults or {},
        cost=cost,
        asks_to_pay=asks_to_pay,
        default_model=await fetch_default_spec(),
        models=await list_model_choices(),
        personas=list_personas(protocol_entry.name, language),
        profiles=load_profiles(protocol_entry.name, language),
        seat_noun=get_seat_noun(protocol_entry, language),
        seats=len(form.seats) or max([form.rows, *list_seat_rows(values)]) + (values.get("do") == "add"),
        changed=sum(bool(values.get(field.name)) for field in form.more),
    )


def get_seat_noun(protocol_entry: ProtocolEntry, language: str) -> str:
    """Return the protocol's word for a seat, such as “juror”."""
    seat_noun = get_label(language, "nouns", protocol_entry.name, "web")
    return seat_noun if seat_noun != protocol_entry.name else make_translator(language)("nouns.participant")


async def list_model_choices() -> list[str]:
    """Return the default model, the models that the configured server offers, and the rehearsal."""
    url, names = get_base_url(), list[str]()
    if url:
        with suppress(RunStoppedError):
            names = [f"openai:{name}@{url}" for name in await fetch_models(url)]
    return list(dict.fromkeys([await fetch_default_spec(), *names, REHEARSAL]))


async def handle_start(request: Request) -> Response:
    """Start the run that a form describes or, for the button “Estimate cost”, return its cost.

    A paid run starts only after the user accepted a maximum, which becomes the run's budget.
    """
    protocol_entry, language = get_protocol(request.query_params.get("protocol", "")), detect_browser_language(request)
    async with request.form(max_files=1, max_fields=1500, max_part_size=TEXT_SIZE_LIMIT) as form:
        values = {key: value for key, value in form.items() if isinstance(value, str)}
        file = form.get("material")
        content = await file.read(TEXT_SIZE_LIMIT + 1) if isinstance(file, UploadFile) else b""
    room, action, faults = get_room(request), values.get("do", ""), dict[str, InputError]()
    try:
        values |= {"material": decode_text(content, "material") or values.get("kept", "")}
    except InputError as error:
        faults["material"] = error
    try:
        if action == "add":
            return await _render_form(request, protocol_entry, values)
        seat_noun = get_seat_noun(protocol_entry, language)
        run_request = await build_request_or_faults(
            room, protocol_entry, values, seat_noun, action == "rehearse", faults
        )
        if faults:
            return await _render_form(request, protocol_entry, values, faults)
        is_paid = not is_rehearsal(run_request.settings, run_request.input.get("participants", []))
        if action == "cost" or (is_paid and not values.get("most")):
            cost = await summarize_estimate(run_request, language) if is_paid else {}
            return await _render_form(
                request, protocol_entry, values, cost=cost, asks_to_pay=is_paid and action != "cost"
            )
        return RedirectResponse(f"/runs/{await room.driver.start_run(run_request)}", 303)
    except InputError as error:
        return await _render_form(request, protocol_entry, values, faults | {error.key: error})


def decode_text(content: bytes, key: str) -> str:
    """Decode the content of an uploaded file.

    Raises `InputError`, which names `key`, if it is too long or not UTF-8.
    """
    if len(content) > TEXT_SIZE_LIMIT:
        raise InputError(key, f"{len(content):,} bytes", f"give a file of at most {TEXT_SIZE_LIMIT:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(key, "…", "give a text file in UTF-8") from None


async def build_request_or_faults(
    room: Room,
    protocol_entry: ProtocolEntry,
    values: Mapping[str, str],
    seat_noun: str,
    as_rehearsal: bool,
    faults: dict[str, InputError],
) -> RunRequest:
    """Build the run request from a form, and add the error of each unusable field to `faults`.

    `values`: submitted texts by field. `seat_noun`: word for a seat without a name. `as_rehearsal`: whether to replace
    all models by the rehearsal. In the request, an unusable field counts as empty. Raises `InputError` for a fault that
    belongs to no field.
    """
    usable_values = dict(values)
    while True:
        try:
            return await build_form_request(room, protocol_entry, usable_values, seat_noun, as_rehearsal)
        except InputError as error:
            key = next((name for name in usable_values if f"{error.key}.".startswith(f"{name}.")), "")
            if key == "" or key in faults:
                raise
            faults[key] = error
            usable_values[key] = "…" if key == protocol_entry.topic_key else ""


async def build_form_request(
    room: Room,
    protocol_entry: ProtocolEntry,
    values: Mapping[str, str],
    seat_noun: str = "",
    as_rehearsal: bool = False,
) -> RunRequest:
    """Build the run request from a form, with an explicit model.

    `seat_noun`: word for a seat without a name. `as_rehearsal`: whether to replace all models by the rehearsal. Raises
    `InputError` for the first unusable field.
    """
    form = build_protocol_form(protocol_entry)
    settings = await asyncio.to_thread(parse_form_values, form, values, seat_noun)
    if form.topic_key and not settings.get(form.topic_key):
        raise InputError(form.topic_key, "", "write a topic or question")
    if form.material and values.get("material"):
        settings["material"] = values["material"]
    if as_rehearsal:
        offline_settings = {key: value for key, value in settings.items() if key not in ("models", "embeddings")}
        if seats := offline_settings.get("participants"):
            offline_settings["participants"] = [
                {key: value for key, value in seat.items() if key != "model"} for seat in seats
            ]
        settings = offline_settings | {"model": REHEARSAL}
    key, _, amount = values.get("most", "").partition("=")
    if key in ("cost", "tokens") and not as_rehearsal:
        settings.setdefault(f"budget.{key}", parse_yaml(amount, f"budget.{key}"))
    run_request = build_client_request(protocol_entry, settings)
    run_request = await with_default_model(run_request)
    if not room.is_exposed:
        return run_request
    policy = get_operator_policy()
    policy.check_caps(run_request.settings.budget)
    return replace(run_request, settings=policy.limit_settings(run_request.settings, run_request.participants))


async def summarize_estimate(run_request: RunRequest, language: str) -> dict[str, Any]:
    """Return the template values that show the cost estimate of a paid deliberation.

    The keys `low`, `expected` and `highest` are amounts as text, and the same names with `_at` their places on a scale
    of 0 to 100. `most` is the maximum to accept, as `cost=0.11`, or as `tokens=84000` without a price. Raises
    `InputError` after too many estimates within a minute.
    """
    if not ESTIMATE_LIMIT.try_acquire(""):
        raise InputError("cost", None, "too many estimates at once; wait a minute")
    run_request = await with_prices(run_request)
    estimate, prices = await estimate_cost(run_request), run_request.settings.prices
    costs = {"low": estimate.low, "expected": estimate.expected, "highest": estimate.maximum}
    if prices and estimate.maximum.money:
        amounts = {name: cost.money or 0.0 for name, cost in costs.items()}
        step = 10.0 ** min(-2, floor(log10(amounts["highest"])) - 1)
        amounts["highest"] = round(ceil(amounts["highest"] / step) * step, 10)
        texts, most = {name: format_money(amount, prices) for name, amount in amounts.items()}, "cost"
    else:
        amounts, most = {name: float(cost.tokens) for name, cost in costs.items()}, "tokens"
        texts = {
            name: make_translator(language)("new.tokens", tokens=f"{cost.tokens:,}") for name, cost in costs.items()
        }
    scale = {f"{name}_at": round(100 * amount / (amounts["highest"] or 1), 1) for name, amount in amounts.items()}
    return texts | scale | {"most": f"{most}={amounts['highest']:.10g}", "estimate": estimate}
