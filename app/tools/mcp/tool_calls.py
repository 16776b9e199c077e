"""Calls of tools. A call may pause to ask a person, and continue with the person's answer."""

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
from .runs import ProgressReporter, ServerRuns, build_tool_result

ToolAnswer = BaseModel | dict[str, Any]
CallContext = ServerRequestContext[Any]


@dataclass(frozen=True)
class ToolOffer:
    """Tool and the function that answers its calls, from the arguments and a progress reporter."""

    tool: Tool
    answer: Callable[[Mapping[str, Any], ProgressReporter], Awaitable[ToolAnswer]]


@dataclass
class ToolCalls:
    """Calls of one server. `questions`: questions that a client has not answered yet, by key."""

    runs: ServerRuns
    offers: Mapping[str, ToolOffer]
    questions: dict[str, WaitingForForm] = field(default_factory=dict)

    async def answer_call(
        self, context: CallContext, params: CallToolRequestParams
    ) -> ToolAnswer | InputRequiredResult:
        """Answer a call when all people have answered, or return a form that its client must show first.

        Raises `WaitingForForm` if the run waits for a person and the client cannot show forms.
        """
        report_progress = context.session.report_progress
        pending_answer = self._start_call(params, report_progress)
        while True:
            try:
                return await pending_answer
            except WaitingForForm as error:
                if not can_show_forms(context.session.client_capabilities):
                    raise
                if is_version_at_least(context.protocol_version, "2026-07-28"):
                    # From this version on a form is an answer; the client then calls again with the entries.
                    self.questions[error.key] = error
                    form = ElicitRequest(params=error.form)
                    return InputRequiredResult(input_requests={error.question["who"]: form}, request_state=error.key)
                reply = None
                with suppress(TimeoutError):  # the person's deadline
                    elicitation = context.session.elicit_form(
                        error.form.message, error.form.requested_schema, context.request_id
                    )
                    reply = await asyncio.wait_for(elicitation, error.seconds)
                pending_answer = self._continue_call(error, reply, report_progress)

    def _start_call(self, params: CallToolRequestParams, report_progress: ProgressReporter) -> Awaitable[ToolAnswer]:
        if params.request_state is not None:
            waiting_error = self.questions.pop(params.request_state, None)
            if waiting_error is None:
                remedy = "no question that waits here; call the tool anew"
                raise InputError("requestState", params.request_state, remedy)
            reply = (params.input_responses or {}).get(waiting_error.question["who"])
            form_reply = reply if isinstance(reply, ElicitResult) else None
            return self._continue_call(waiting_error, form_reply, report_progress)
        if params.name not in self.offers:
            raise InputError("tool", params.name, f"choose one of {', '.join(self.offers)}")
        return self.offers[params.name].answer(params.arguments or {}, report_progress)

    async def _continue_call(
        self, waiting_error: WaitingForForm, reply: ElicitResult | None, report_progress: ProgressReporter
    ) -> ToolAnswer:
        answer = parse_reply(waiting_error, reply) if reply else None
        return build_tool_result(await self.runs.continue_run(waiting_error, answer, report_progress))
