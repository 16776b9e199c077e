"""Attempts at one question, with one call each. A call omits parameters that the endpoint rejected."""

import asyncio
import time
from contextlib import nullcontext
from dataclasses import replace
from itertools import takewhile
from typing import cast

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer

from ...models import (
    AgentCallCap,
    CallFailure,
    CallLimiter,
    FailedAttemptError,
    NoAnswerError,
    PromptLimits,
    RunStoppedError,
    ServerOutageError,
    TokenListener,
    check_call,
    check_client_waits,
    find_call_failure,
    find_call_limiter,
    get_capabilities,
    get_server_name,
    is_agent_spec,
    is_offline,
    list_call_errors,
    make_length_failure,
    make_outage_error,
    record_reply,
    replay_reply,
)
from ...prompts import get_term, load_templates
from ...state import AGENT_PURPOSE, MISSED_TURN, Call, Incident, Lookup, ViewLimit, is_budget_spent, repair_surrogates
from ...storage import JournalEntry, open_entry
from ..answer_forms import format_repeated_question
from .ask_agent import AGENT_LOOKUPS, AGENT_MESSAGES, ask_agent
from .call_options import Answer, CallOptions, Check, get_attempt_value, make_call_record, make_incident
from .prompt import Prompt
from .reply_schema import ReplySchema, UnusableReplyError, build_json_schema, is_cut_off, parse_reply
from .request import (
    estimate_call,
    estimate_synthesis,
    find_reply_fault,
    get_refusal,
    needs_streaming,
    send_request,
)
from .step_spending import claim_lost_calls, get_step_spending

SHARED_TEMPLATES = load_templates("shared", again="reason", schema="schema", fill_form="synthesis")
MAX_HALVINGS = 3


class AttemptLoop:
    """Attempts at one question, with the resulting calls and incidents.

    `earlier_calls`: lost calls of earlier processes, which this question records.
    """

    def __init__(self, prompt: Prompt, options: CallOptions, check: Check | None) -> None:
        self.prompt, self.options, self.check = prompt, options, check
        self.reply_schema = (
            ReplySchema(options.schema, SHARED_TEMPLATES, options.answer_form, prompt.language)
            if options.schema
            else None
        )
        self.calls: list[Call] = []
        self.earlier_calls: list[Call] = []
        self.incidents: list[Incident] = []
        self.unsent_settings: frozenset[str] = frozenset()
        """Settings that the previous call omitted."""
        self.spending = get_step_spending()
        self.attempt = self.halvings = 0
        self.replies: list[str] = []
        self.lookups: list[Lookup] = []
        """Look-ups of an agent."""

    @property
    def call_count(self) -> int:
        """Return the maximum number of calls in one attempt, which the budget must allow."""
        return self.options.settings.agent_calls if is_agent_spec(self.options.spec) else 1

    @property
    def is_exhausted(self) -> bool:
        """Return whether the question has used all of its attempts."""
        limit = self.options.max_rejections
        rejections = 0 if limit is None else sum(incident.kind == "rejected" for incident in self.incidents)
        return rejections > (limit or 0) or self.attempt - rejections >= self.options.max_attempts

    async def make_attempt(self) -> Answer:
        """Make one attempt and return its usable answer, or a request for look-ups.

        Raises `FailedAttemptError` if another attempt may succeed, `NoAnswerError` if none may, and `RunStoppedError`
        if the run cannot continue.
        """
        self.attempt += 1
        answer = self.parse_answer(await self._request_message())
        if answer.wants_tools:
            return answer
        if reason := self.check(answer) if self.check else None:
            raise self._record_retry(CallFailure("rejected", reason, is_content_fault=True), reason, reason)
        if answer.cut_off:
            self._add_incident(CallFailure("cut_off", phrase_key="cut_off"), "kept", "degraded")
        return answer

    async def _request_message(self) -> AIMessage:
        self.earlier_calls += await claim_lost_calls()
        while True:
            check_client_waits()
            options, calls = self.options, [*self.options.past_calls, *self.spending.calls]
            if is_budget_spent(options.settings, calls, options.reserve, self.spending.open_calls + self.call_count):
                raise self._record_spent_budget()
            if not self.options.settings.replay:  # a replay repeats the recorded refusals
                self.unsent_settings = frozenset(get_capabilities(self.options.spec).refused_settings)
            result = await self._make_call()
            if isinstance(result, AIMessage):
                return result
            if remedy := self._mend_request(result):
                self._add_incident(result, remedy)
                continue
            is_missed = result.kind == "overflow" or (result.is_rejected_request and self.options.is_optional)
            if not is_missed and (result.is_fatal or result.kind == "parameter"):
                remedy = "; leave out tools" if self._build_tool_fields() and "tool" in result.message else ""
                message = result.translate_message("en") + remedy
                raise RunStoppedError(f"{self.options.who} ({self.options.spec}): {message}")
            if is_missed:
                self._add_incident(result, MISSED_TURN)
                raise self.make_no_answer_error(result)
            raise self._record_retry(result, self._get_reason("refusal") if result.is_content_fault else "")

    async def _make_call(self) -> AIMessage | CallFailure:
        limiter = find_call_limiter()
        self.spending.open_calls += self.call_count
        try:
            return await (self._request_within_limits(limiter) if limiter else self._record_request())
        finally:
            self.spending.open_calls -= self.call_count

    async def _request_within_limits(self, limiter: CallLimiter) -> AIMessage | CallFailure:
        estimate, record = estimate_call(self.prompt, self.options, self.reply_schema), None
        if not await limiter.admit_call(estimate, estimate_synthesis(estimate, self.options)):
            raise self._record_spent_budget()
        try:
            reply = await self._record_request()
            last_call = self.calls[-1]
            record = None if last_call.lacks_usage or last_call.is_uncertain else last_call
            return reply
        finally:
            await limiter.count_call(estimate, record)

    async def _record_request(self) -> AIMessage | CallFailure:
        options = self.options
        is_free, is_agent = options.settings.replay or is_offline(options.spec), is_agent_spec(options.spec)
        question = options.purpose, options.who, options.turn, options.round
        is_repeated = is_agent and any(
            call.is_lost and call.question == question for call in [*options.past_calls, *self.spending.calls]
        )
        cap = AgentCallCap(options.settings.agent_calls, is_repeated)
        check_call(options.settings, f"model of {options.who}", options.spec)  # before a row says that it was sent
        planned_call = None if is_free else estimate_call(self.prompt, options, self.reply_schema, self.attempt)
        async with (
            open_entry(planned_call, self.prompt.digest[1]) if planned_call else nullcontext(JournalEntry()) as entry
        ):
            start = time.perf_counter()
            reply = await self._replay_or_send(cap)
            if is_agent:
                entry.calls = self._list_agent_calls(reply, cap, start)
                fault = reply if isinstance(reply, CallFailure) else None
            else:
                message = None if isinstance(reply, CallFailure) else reply
                fault = find_reply_fault(reply, options) if isinstance(reply, AIMessage) else reply
                outcome = fault.kind if fault else "ok"
                entry.calls = [make_call_record(options, message, start, outcome, self.prompt, self.attempt)]
        for call in entry.calls:
            self._add_call(call)
        if fault is None and not is_agent:
            self.spending.outage_times.pop(get_server_name(options.spec), None)
        return fault or reply

    def _list_agent_calls(self, reply: AIMessage | CallFailure, cap: AgentCallCap, start: float) -> list[Call]:
        """Return the records of an agent's calls. A failure also counts as a call."""
        options = replace(self.options, purpose=AGENT_PURPOSE)
        answer, outcome = (None, reply.kind) if isinstance(reply, CallFailure) else (reply, "ok")
        usages = answer.response_metadata.get(AGENT_MESSAGES, []) if answer else cap.usages
        messages = [None if usage == {} else AIMessage("", usage_metadata=usage) for usage in usages]
        now, rest = time.perf_counter(), (self.prompt, self.attempt)
        calls = [make_call_record(options, message, now, "ok", *rest) for message in messages]
        return [*calls, make_call_record(options, answer, start, outcome, *rest)]

    async def _replay_or_send(self, cap: AgentCallCap) -> AIMessage | CallFailure:
        settings = self.options.settings
        if not (settings.record or settings.replay):
            return await self._send_prompt(cap)
        options, reply_schema = self.options, self.reply_schema
        request = (
            {
                "spec": options.spec,
                "who": options.who,
                "purpose": options.purpose,
                "turn": options.turn,
                "round": options.round,
                "attempt": self.attempt,
                "request": 1 + len(self.calls),
                "settings": {"temperature": options.temperature, "max_tokens": options.max_tokens},
                "schema": reply_schema and build_json_schema(reply_schema.schema, reply_schema.language),
                "messages": [
                    [message.type, message.text, *(message.tool_calls if isinstance(message, AIMessage) else [])]
                    for message in self.prompt.build_messages()
                ],
            }
            | self._build_tool_fields()
            | ({"draw": options.draw, "call_seed": options.seed} if options.draw else {})
        )
        if reply := await replay_reply(settings, request):
            return cast(AIMessage | CallFailure, reply)
        answer = await self._send_prompt(cap)
        if not await record_reply(settings, request, answer):
            self._add_incident(CallFailure("unrecorded", settings.record, phrase_key="unrecorded"), "kept")
        return answer

    def _build_tool_fields(self) -> dict[str, object]:
        if not (self.options.sends_tools and (tools := self.options.settings.tool_definitions)):
            return {}
        return {"tools": [tool.name for tool in tools], "allowed_tools": list(self.options.allowed_tools)}

    async def _send_prompt(self, cap: AgentCallCap) -> AIMessage | CallFailure:
        if is_agent_spec(self.options.spec):
            return await ask_agent(self.prompt, self.options, self.reply_schema, self.attempt, cap)
        options, limits = self.options, self.options.settings.timeouts.scale_for_attempt(self.attempt)
        first_limit = limits.first_token if needs_streaming(options, self.reply_schema) else limits.whole_reply
        limit = asyncio.timeout(
            get_attempt_value(options.timeouts, self.attempt) if options.timeouts else min(limits.total, first_limit)
        )
        listener = TokenListener(limit, None if options.timeouts else limits)
        try:
            async with limit:
                return await send_request(self.prompt, self.options, self.reply_schema, listener, self.attempt)
        except list_call_errors() as error:
            if listener.is_too_long:
                return make_length_failure()
            has_answered = self.options.has_answered or any(call.outcome == "ok" for call in self.calls)
            if fault := find_call_failure(error, has_answered):
                return fault
            raise

    def _add_call(self, call: Call) -> None:
        if (
            call.outcome == "ok"
            and call.lacks_usage
            and not any(
                earlier_call.lacks_usage and earlier_call.model == call.model and not earlier_call.is_lost
                for earlier_call in [*self.options.past_calls, *self.spending.calls]
            )
        ):  # one incident for each model is enough
            self._add_incident(CallFailure("usage", phrase_key="no_usage"), "kept")
        self.calls.append(call)
        self.spending.calls.append(call)

    def _record_spent_budget(self) -> NoAnswerError:
        fault = CallFailure("budget_spent", phrase_key="no_call_left")
        self._add_incident(fault, MISSED_TURN)
        return self.make_no_answer_error(fault)

    def parse_answer(self, message: AIMessage) -> Answer:
        """Parse `message` as an answer or look-ups. Raises `FailedAttemptError` if it is neither."""
        if refusal := get_refusal(message):
            raise self._record_retry(
                CallFailure("refusal", refusal, is_content_fault=True), self._get_reason("refusal")
            )
        text = repair_surrogates(message.text)
        prefix, is_replay = self.options.lookup_prefix, bool(self.options.settings.replay)
        self.lookups += [
            Lookup.model_validate(values | {"id": f"{prefix}{number}", "replayed": is_replay})
            for number, values in enumerate(message.response_metadata.get(AGENT_LOOKUPS, []), len(self.lookups) + 1)
            if prefix
        ]
        if message.tool_calls or message.invalid_tool_calls:
            return self._parse_tool_request(message, text)
        self.replies.append(text)
        value, read_as = None, None
        if self.reply_schema:
            try:
                value, read_as = parse_reply(message, self.reply_schema)
            except UnusableReplyError as error:
                reason = self._get_reason("unparsable", fault=error.fault)
                failure = CallFailure(
                    "cut_off" if is_cut_off(message) else "unparsable", error.fault, is_content_fault=True
                )
                is_explained = error.is_read or self.options.explains_unread or is_cut_off(message)
                raise self._record_retry(failure, reason, error.fault if is_explained else "") from None
        return Answer(
            text,
            value,
            read_as,
            self.replies,
            is_cut_off(message) and not self.reply_schema,
            [*self.earlier_calls, *self.calls],
            self.incidents,
            self._build_prompt_limits(),
            message,
            self.lookups,
        )

    def _parse_tool_request(self, message: AIMessage, text: str) -> Answer:
        options = self.options
        if options.allowed_tools:
            return Answer(text, calls=[*self.earlier_calls, *self.calls], incidents=self.incidents, message=message)
        if not (options.sends_tools and options.settings.tool_definitions):
            remedy = (
                "the model calls tools that this run did not give it; pass the plain model, and its tools as tools=[…]"
            )
            raise RunStoppedError(f"{options.who} ({options.spec}): {remedy}")
        self.replies.append(text)
        reason = get_term(self.prompt.language, "lookups", "no_more")
        limits = f"lookups.rounds = {options.settings.lookups.rounds}, per_turn = {options.settings.lookups.per_turn}"
        raise self._record_retry(
            CallFailure("tool_call", limits, phrase_key="tool_call", is_content_fault=True), reason
        )

    def _mend_request(self, fault: CallFailure) -> str:
        """Change the prompt or the parameters to avoid `fault`. Return what changed; empty if nothing can."""
        if fault.kind == "overflow" and self.halvings < MAX_HALVINGS and self.prompt.can_shrink():
            self.halvings += 1
            self.prompt = self.prompt.with_half()
            return "view halved"
        is_own = not self.options.spec.startswith("object:")
        is_optional = is_own and fault.parameter != "tools" and fault.parameter not in self.unsent_settings
        if fault.kind == "parameter" and is_optional:
            get_capabilities(self.options.spec).refused_settings.add(fault.parameter)
            return f"left out {fault.parameter}"
        return ""

    def _record_retry(self, fault: CallFailure, reason: str = "", answer_fault: str = "") -> FailedAttemptError:
        """Record a failed attempt, and return the error to raise. `reason` goes into the next prompt.

        If the answer has a text form, the next prompt repeats the reply and asks only for the form. `answer_fault`:
        description of the fault, if the form of the answer was right.
        """
        self._add_incident(fault, "asked again")
        form, language = self.options.answer_form, self.prompt.language
        if reason and form and fault.kind != "refusal":
            question = format_repeated_question(form, language, answer_fault)
            reply = self.replies[-1] if self.replies[-1].strip() else ""
            self.prompt = replace(self.prompt, retry_reason=question, unread_reply=reply)
        elif reason:
            text = SHARED_TEMPLATES.fill_template(
                self.prompt.language, "again", {"reason": reason}, self.options.settings.templates
            )
            self.prompt = replace(self.prompt, retry_reason=text, unread_reply="")
        event = {"who": self.options.who, "turn": self.options.turn, "kind": fault.kind, "attempt": self.attempt}
        get_stream_writer()({"event": "again", **event})
        return FailedAttemptError(fault)

    def make_no_answer_error(self, fault: CallFailure) -> NoAnswerError:
        """Make the error for a question without an answer. Its last incident states the consequence."""
        changes = {"consequence": MISSED_TURN, "severity": "degraded", "attempts": len(self.calls)}
        incidents = [*self.incidents[:-1], self.incidents[-1].model_copy(update=changes)]
        calls = [*self.earlier_calls, *self.calls]
        return NoAnswerError(fault.kind, calls, incidents, self._build_prompt_limits(), self.replies, self.lookups)

    def make_outage(self, failure: CallFailure) -> ServerOutageError:
        """Make the error that pauses the run until the server answers again. The question is then repeated."""
        self.spending.owed_turns.append((self.options.turn, self.options.who))
        return make_outage_error(failure, self.options.spec, self.spending.owed_turns)

    def _build_prompt_limits(self) -> PromptLimits:
        latest_calls = takewhile(lambda call: call.outcome != "overflow", reversed(self.calls))
        fitted_calls = sum(call.outcome == "ok" for call in latest_calls)
        if not self.halvings:
            limit = self.prompt.limit
            return PromptLimits(limit.with_fitting_calls(fitted_calls)) if limit and fitted_calls else PromptLimits()
        memory = self.prompt.memory.split("\n") if self.prompt.memory else []
        view = ViewLimit(history=self.prompt.bound, halvings=self.prompt.halvings)
        return PromptLimits(view.with_fitting_calls(fitted_calls), memory)

    def _get_reason(self, key: str, **values: object) -> str:
        return get_term(self.prompt.language, "again", key, **values)

    def _add_incident(self, fault: CallFailure, consequence: str, severity: str = "recoverable") -> None:
        self.incidents.append(make_incident(self.options, fault, self.attempt, consequence, severity))
