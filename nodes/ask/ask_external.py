"""Questions to a person or a program: an interrupt shows the question and waits.

No model is called. The answer is parsed, checked and recorded like a model's. Each new answer makes LangGraph run the
waiting node again from the start. The node then reads the earlier answers again and rejects them for the same reasons.
Answers that parallel branches saved cost nothing again.
"""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from langchain_core.messages import AIMessage
from langgraph.errors import GraphInterrupt
from langgraph.runtime import get_runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from ...models import MAX_ANSWER_BYTES, CallFailure, NoAnswerError
from ...prompts import get_term
from ...state import MISSED_TURN, Incident, repair_surrogates
from ...storage import format_time, get_time
from ..answer_forms import format_repeated_question
from .attempt import SHARED_TEMPLATES
from .call_options import Answer, CallOptions, Check, make_incident
from .prompt import Prompt
from .reply_schema import ReplySchema, UnusableReplyError, build_json_schema, parse_reply

PASS_KEY = "pass"
CONCESSION_KEY = "concede"
"""Key of a person's separate choice to concede with a statement."""
LATE_KIND = "late"
SKIPPED_KIND = "passed"
QUESTION_KIND = "question"
QUOTE_TAGS = re.compile(r"</?said>|</statement>")
STATEMENT_HEAD = re.compile(r'<statement speaker="([^"\n]*)">')
"""Tag before a statement that is quoted in a task, for models.

Tags inside the quoted text are neutralised, so that the text cannot forge another statement.
"""
UUID_EPOCH = datetime(1582, 10, 15, tzinfo=UTC)
"""Moment from which the time in a checkpoint's id is counted."""


class Question(TypedDict):
    """Payload of an interrupt with a question. It contains only what this seat may see.

    `heard`: last turn that the seat may see; 0 before the first. `words`: the task. `rules`: the protocol's rules.
    `private`, `memory`: texts for this seat only; may be empty. `schema`: JSON schema of a form, or `None` for plain
    text. `options`: texts of the form's options. `fault`: fault of the last answer, or empty. `deadline`: ISO 8601 in
    UTC, or `None`. `attempt`: number of this attempt, from 1 to `attempts`.
    """

    kind: str
    who: str
    purpose: str
    language: str
    turn: int
    round: int
    heard: int
    words: str
    rules: str
    private: str
    memory: str
    schema: dict[str, Any] | None
    options: dict[str, str]
    fault: str
    deadline: str | None
    attempt: int
    attempts: int


def ask_external(prompt: Prompt, call: CallOptions, check: Check | None) -> Answer:
    """Wait for an answer that passes `check`.

    Raises `NoAnswerError` after the last attempt or the deadline, or if the person skips the question.
    """
    deadline, fault = compute_deadline(call), ""
    incidents: list[Incident] = []
    replies: list[str] = []
    for attempt in range(1, call.max_attempts + 1):
        reply = _receive_reply(make_question(prompt, call, attempt, fault, deadline), deadline)
        if isinstance(reply, CallFailure):
            result: CallFailure | Answer = reply
        else:
            replies.append(_format_reply(reply))
            result = _parse_reply(reply, prompt, call, check)
        if isinstance(result, Answer):
            return replace(result, replies=replies, incidents=incidents)
        incidents.append(make_incident(call, result, attempt, "asked again"))
        if not result.is_content_fault:
            break
        fault = result.message
    incidents[-1] = incidents[-1].model_copy(update={"consequence": MISSED_TURN, "severity": "degraded"})
    raise NoAnswerError(incidents[-1].kind, [], incidents, replies=replies)


def make_question(prompt: Prompt, call: CallOptions, attempt: int, fault: str, deadline: datetime | None) -> Question:
    """Make the interrupt's payload for this attempt. `fault`: fault of the last answer, or empty."""
    return Question(
        kind=QUESTION_KIND,
        who=call.who,
        purpose=call.purpose,
        language=prompt.language,
        turn=call.turn,
        round=call.round,
        heard=prompt.history[-1].turn if prompt.history else 0,
        words=QUOTE_TAGS.sub("", STATEMENT_HEAD.sub(r"\1:", prompt.task)).strip(),
        rules=prompt.head.strip(),
        private=prompt.private,
        memory=prompt.memory,
        schema=build_json_schema(call.schema, prompt.language) if call.schema else None,
        options=prompt.options,
        fault=fault,
        deadline=format_time(deadline) if deadline else None,
        attempt=attempt,
        attempts=call.max_attempts,
    )


def compute_deadline(call: CallOptions) -> datetime | None:
    """Return when the answer is due, counted from the end of the last step; `None` without a limit."""
    seconds = call.settings.person_deadline
    execution_info = get_runtime().execution_info
    if seconds is None or execution_info is None or not execution_info.checkpoint_id:
        return None
    checkpoint_uuid = UUID(execution_info.checkpoint_id)
    ticks = checkpoint_uuid.time_low << 28 | checkpoint_uuid.time_mid << 12 | checkpoint_uuid.time_hi_version & 0x0FFF
    return UUID_EPOCH + timedelta(microseconds=ticks // 10, seconds=seconds)


def _receive_reply(question: Question, deadline: datetime | None) -> object:
    try:
        reply: object = interrupt(question, response_schema=question["schema"] or {"type": "string"})
    except GraphInterrupt:
        if deadline is None or get_time() < deadline:
            raise
        return CallFailure(LATE_KIND, phrase_key="late")
    is_skipped = isinstance(reply, dict) and reply.keys() == {PASS_KEY} and reply[PASS_KEY] is True
    return CallFailure(SKIPPED_KIND, phrase_key="let_pass") if is_skipped else reply


def _format_reply(reply: object) -> str:
    return repair_surrogates(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False, default=str))


def _parse_reply(reply: object, prompt: Prompt, call: CallOptions, check: Check | None) -> Answer | CallFailure:
    text, language = _format_reply(reply), prompt.language
    if len(text) > MAX_ANSWER_BYTES:
        return CallFailure(
            "rejected", get_term(language, "faults", "longer", max_length=MAX_ANSWER_BYTES), is_content_fault=True
        )
    statement = (
        reply["statement"]
        if isinstance(reply, dict) and reply.keys() == {"statement", CONCESSION_KEY} and reply[CONCESSION_KEY] is True
        else reply
    )
    answer = Answer(text)
    if call.schema:
        reply_schema = ReplySchema(call.schema, SHARED_TEMPLATES, call.answer_form, language)
        try:
            answer = Answer(text, *parse_reply(AIMessage(text), reply_schema))
        except UnusableReplyError as error:
            fault = error.fault
            if call.answer_form and not error.is_read:
                fault = format_repeated_question(call.answer_form, language)
            return CallFailure("unparsable", fault, is_content_fault=True)
    elif isinstance(statement, str):
        answer = Answer(repair_surrogates(statement), concedes=statement is not reply)
    else:
        return CallFailure("unparsable", get_term(language, "faults", "text"), is_content_fault=True)
    reason = check(answer) if check else None
    return CallFailure("rejected", reason, is_content_fault=True) if reason else answer
