"""Calls of tools: begun, interrupted where a person has to be asked, and gone on with when they have answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import CallToolRequestParams, ElicitRequest, ElicitResult, InputRequiredResult, Tool
from mcp_types.version import is_version_at_least
from pydantic import BaseModel

from ...state.refused import Refused
from .people import Asks, answered, can_show_forms
from .runs import Runs, Tell, result

Answered = BaseModel | dict[str, Any]
Context = ServerRequestContext[Any]

COMES_BACK = "2026-07-28"
"""The protocol version from which on a client is given a form as an answer, and calls again with what was entered."""


@dataclass(frozen=True)
class Offer:
    """A tool, and what answers it, given its arguments and whom to tell of statements."""

    tool: Tool
    answer: Callable[[Mapping[str, Any], Tell], Awaitable[Answered]]


@dataclass
class Calls:
    """The calls of one server. `waiting`: by its sign, each question that a client was given and has not answered."""

    runs: Runs
    offered: Mapping[str, Offer]
    waiting: dict[str, Asks] = field(default_factory=dict)

    async def answer(self, context: Context, params: CallToolRequestParams) -> Answered | InputRequiredResult:
        """What a tool answers, once every person was asked, or the form that its client has to show first.

        Raises `Asks` where a person is waited for and the client can show no form.
        """
        tell = context.session.report_progress
        going = self._begun(params, tell)
        while True:
            try:
                return await going
            except Asks as asks:
                if not can_show_forms(context.session.client_capabilities):
                    raise
                if is_version_at_least(context.protocol_version, COMES_BACK):
                    return self._given(asks)
                going = self._on(asks, await _shown(context, asks), tell)

    def _begun(self, params: CallToolRequestParams, tell: Tell) -> Awaitable[Answered]:
        """What a call begins, or goes on with where it brings what a person answered."""
        if params.request_state is not None:
            if (asks := self.waiting.pop(params.request_state, None)) is None:
                raise Refused("requestState", params.request_state, "no question that waits here; call the tool anew")
            found = (params.input_responses or {}).get(asks.one["who"])
            return self._on(asks, found if isinstance(found, ElicitResult) else None, tell)
        if params.name not in self.offered:
            raise Refused("tool", params.name, f"choose one of {', '.join(self.offered)}")
        return self.offered[params.name].answer(params.arguments or {}, tell)

    def _given(self, asks: Asks) -> InputRequiredResult:
        self.waiting[asks.sign] = asks
        form = ElicitRequest(params=asks.asking)
        return InputRequiredResult(input_requests={asks.one["who"]: form}, request_state=asks.sign)

    async def _on(self, asks: Asks, entered: ElicitResult | None, tell: Tell) -> Answered:
        return result(await self.runs.gone_on(asks, answered(asks, entered) if entered else None, tell))


async def _shown(context: Context, asks: Asks) -> ElicitResult | None:
    """What was entered in a form; none where the time of whoever is asked was over before."""
    form = asks.asking
    asking = context.session.elicit_form(form.message, form.requested_schema, context.request_id)
    with suppress(TimeoutError):
        return await asyncio.wait_for(asking, asks.seconds)
    return None
