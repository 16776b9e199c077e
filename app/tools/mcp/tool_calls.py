"""Calls of tools: started, interrupted to ask a person, and continued with the person's answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import CallToolRequestParams, ElicitRequest, ElicitResult, InputRequiredResult, Tool
from mcp_types.version import is_version_at_least
from pydantic import BaseModel

from ....state.errors import InputError
from .people import WaitingForForm, can_show_forms, parse_reply
from .runs import ProgressReporter, ServerRuns, build_result

ToolAnswer = BaseModel | dict[str, Any]
CallContext = ServerRequestContext[Any]

FORM_REPLY_VERSION = "2026-07-28"
"""Protocol version since which a client gets a form as an answer, and calls again with the entries."""


@dataclass(frozen=True)
class ToolOffer:
    """A tool and its function, which takes the arguments and a progress reporter."""

    tool: Tool
    answer: Callable[[Mapping[str, Any], ProgressReporter], Awaitable[ToolAnswer]]


@dataclass
class ToolCalls:
    """Calls of one server. `questions`: by key, each question that a client has not answered yet."""

    runs: ServerRuns
    offered: Mapping[str, ToolOffer]
    questions: dict[str, WaitingForForm] = field(default_factory=dict)

    async def answer_call(
        self, context: CallContext, params: CallToolRequestParams
    ) -> ToolAnswer | InputRequiredResult:
        """Answer a call after every person was asked, or return the form that its client must show first.

        Raises `WaitingForForm` if the run waits for a person and the client can show no form.
        """
        report_progress = context.session.report_progress
        pending = self._start_call(params, report_progress)
        while True:
            try:
                return await pending
            except WaitingForForm as wait:
                if not can_show_forms(context.session.client_capabilities):
                    raise
                if is_version_at_least(context.protocol_version, FORM_REPLY_VERSION):
                    return self._make_form_reply(wait)
                pending = self._continue_call(wait, await _show_form(context, wait), report_progress)

    def _start_call(self, params: CallToolRequestParams, report_progress: ProgressReporter) -> Awaitable[ToolAnswer]:
        """Start a call, or continue it with a person's answer."""
        if params.request_state is not None:
            if (wait := self.questions.pop(params.request_state, None)) is None:
                raise InputError(
                    "requestState", params.request_state, "no question that waits here; call the tool anew"
                )
            reply = (params.input_responses or {}).get(wait.question["who"])
            return self._continue_call(wait, reply if isinstance(reply, ElicitResult) else None, report_progress)
        if params.name not in self.offered:
            raise InputError("tool", params.name, f"choose one of {', '.join(self.offered)}")
        return self.offered[params.name].answer(params.arguments or {}, report_progress)

    def _make_form_reply(self, wait: WaitingForForm) -> InputRequiredResult:
        self.questions[wait.key] = wait
        form = ElicitRequest(params=wait.form)
        return InputRequiredResult(input_requests={wait.question["who"]: form}, request_state=wait.key)

    async def _continue_call(
        self, wait: WaitingForForm, reply: ElicitResult | None, report_progress: ProgressReporter
    ) -> ToolAnswer:
        return build_result(
            await self.runs.continue_run(wait, parse_reply(wait, reply) if reply else None, report_progress)
        )


async def _show_form(context: CallContext, wait: WaitingForForm) -> ElicitResult | None:
    """Show a form and return the entries, or `None` if the person's time was over first."""
    form = wait.form
    elicitation = context.session.elicit_form(form.message, form.requested_schema, context.request_id)
    with suppress(TimeoutError):
        return await asyncio.wait_for(elicitation, wait.seconds)
    return None
