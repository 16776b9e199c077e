"""Rehearsal of a run or of its first step, in which one offline model plays all participants."""

from collections.abc import Mapping
from typing import Any

from langsmith import tracing_context

from ...models import LEXICAL, REHEARSAL, describe_recipients, record_recipients
from ...state import Budget, InputError, Participant, Settings, fold_to_letters
from ..protocols.hooks import get_hooks
from .request import RunRequest


async def rehearse_run(
    request: RunRequest, settings: Settings, ignores_budget: bool = False
) -> tuple[Mapping[str, Any], set[str]]:
    """Rehearse a complete run. Return its final state, and the names of people and programs.

    `ignores_budget`: whether to continue after the run's budget is spent. Raises `InputError` for a run without a cap
    on turns or rounds.
    """
    if not get_hooks(settings.protocol).is_bounded(settings):
        raise InputError("max_turns", None, "must be given if there is no max_rounds; write max_turns=10")
    unpaid_names = {participant.name for participant in request.named_seats if participant.kind != "model"}
    graph_input, offline_settings = _make_offline_run(request, settings, ignores_budget)
    channel_names = list(request.protocol.graph.state_schema.__annotations__)
    with tracing_context(enabled=False):  # nothing of a rehearsal leaves this process
        state: Mapping[str, Any] = await request.protocol.module.graph.ainvoke(
            graph_input, context=offline_settings, output_keys=channel_names
        )
    return state, unpaid_names


async def seat_participants(request: RunRequest) -> list[Participant]:
    """Return the participants that the first step of a run seats, with the models of the request.

    The step is rehearsed. Raises `InputError` if the run could not start.
    """
    named_seats = {fold_to_letters(seat.name): seat for seat in request.named_seats}
    return [
        named_seats.get(fold_to_letters(seat.name), Participant(name=seat.name))
        for seat in await rehearse_seating(request)
    ]


async def rehearse_seating(request: RunRequest) -> list[Participant]:
    """Return the participants that the rehearsed first step seats, with personas and private texts."""
    graph_input, offline_settings = _make_offline_run(request, request.settings, False)
    with tracing_context(enabled=False):
        state = await request.protocol.module.graph.ainvoke(
            graph_input, context=offline_settings, interrupt_after=["convene"], output_keys=["participants"]
        )
    return list(state["participants"])


async def describe_request(request: RunRequest) -> str:
    """Return one line about the recipients of the texts of a requested run."""
    return describe_recipients(record_recipients(request.settings, await seat_participants(request)))


def _make_offline_run(request: RunRequest, settings: Settings, ignores_budget: bool) -> tuple[dict[str, Any], Settings]:
    """Return input and settings of a rehearsal, which makes no model calls, look-ups or recordings.

    `ignores_budget`: whether the rehearsal has no budget.
    """
    seats = [
        {**dict(entry), "model": "", "kind": "model", "tools": None} for entry in request.input.get("participants", [])
    ]
    overrides: dict[str, Any] = {"model": REHEARSAL, "models": {}, "record": "", "replay": "", "tools": []} | (
        {"embeddings": "" if hasattr(settings, "convergence") else LEXICAL} if hasattr(settings, "embeddings") else {}
    )
    overrides |= (
        {"convergence": LEXICAL} if getattr(settings, "convergence", "") == "embedding" else {}
    )  # equally few calls
    overrides |= (
        {"allow_other_calibration": True} if getattr(settings, "calibration_file", "") else {}
    )  # made for the real models
    overrides |= {"budget": Budget().model_dump()} if ignores_budget else {}
    overrides |= get_hooks(settings.protocol).offline_overrides(settings)
    return request.input | ({"participants": seats} if seats else {}), settings.with_choices(**overrides)
