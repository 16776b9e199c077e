"""The door to a person or a program: an interrupt that names what is asked, and waits. No call is made.

The answer, a text or the fields of a form, is read and checked as a model's is, and enters the record the same way. A
step that waits runs again from its top with every answer, so that the earlier ones are read again and found wrong
again, each for the same reason; whatever branches beside it were paid for stays saved.
"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from langchain_core.messages import AIMessage
from langgraph.errors import GraphInterrupt
from langgraph.runtime import get_runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from ...prompts import term
from ...state.fence import storable
from ...state.incident import PASSED_OVER, Incident
from ..clock import now, written
from ..models.failures import Fault, Unavailable
from ..models.wire import LONGEST
from .brief import Brief
from .question import Answer, Asking, Check, incident_of
from .structure import Structure, read, worded
from .tries import SHARED

PASS = "pass"
"""The one key of an answer that lets the question pass: `{"pass": true}`."""
LATE = "late"
"""The kind of an incident of somebody who did not answer in time."""
PASSED = "passed"
"""The kind of an incident of somebody who let a question pass."""
KIND = "question"
"""What tells an interrupt of this door from others."""
FENCE = re.compile(r"</?said>|</statement>")
HEAD = re.compile(r'<statement speaker="([^"\n]*)">')
"""What stands around quoted words and statements in a task, for models; those inside cannot forge it."""
EPOCH = datetime(1582, 10, 15, tzinfo=UTC)
"""From where the time in a checkpoint's id is counted."""


class Question(TypedDict):
    """What an interrupt tells whoever is asked, and nothing that this seat may not see.

    `words`: the task; `rules`: what holds for all of the talk; `private`, `memory`: what this seat alone is told, empty
    where nothing is. `heard`: the last turn it may have heard of, 0 before the first. `schema`: the JSON schema of a
    form; none: a text is asked for. `fault`: what was wrong with the answer before; empty: nothing. `deadline`: until
    when it can be answered, ISO 8601, UTC; none: for ever. `attempt`: of `attempts`, counted from 1.
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
    fault: str
    deadline: str | None
    attempt: int
    attempts: int


def ask_outside(brief: Brief, asking: Asking, check: Check | None) -> Answer:
    """Wait for an answer that passes `check`.

    Raises `Unavailable` when the tries are spent, the time is over, or the question is let pass.
    """
    due, fault = due_at(asking), ""
    incidents: list[Incident] = []
    for number in range(1, asking.tries + 1):
        given = _given(question(brief, asking, number, fault, due), due)
        found = given if isinstance(given, Fault) else _checked(given, brief, asking, check)
        if isinstance(found, Answer):
            return Answer(found.text, found.value, incidents=incidents)
        incidents.append(incident_of(asking, found, number, "asked again"))
        if not found.content:
            break
        fault = found.said
    last = {"consequence": PASSED_OVER, "severity": "degraded"}
    incidents[-1] = incidents[-1].model_copy(update=last)
    raise Unavailable(incidents[-1].kind, [], incidents)


def question(brief: Brief, asking: Asking, number: int, fault: str, due: datetime | None) -> Question:
    """What is asked, for the `number`th time."""
    return Question(
        kind=KIND,
        who=asking.who,
        purpose=asking.purpose,
        language=brief.language,
        turn=asking.turn,
        round=asking.round,
        heard=brief.history[-1].turn if brief.history else 0,
        words=FENCE.sub("", HEAD.sub(r"\1:", brief.task)).strip(),
        rules=brief.head.strip(),
        private=brief.private,
        memory=brief.memory,
        schema=worded(asking.schema, brief.language) if asking.schema else None,
        fault=fault,
        deadline=written(due) if due else None,
        attempt=number,
        attempts=asking.tries,
    )


def due_at(asking: Asking) -> datetime | None:
    """Until when an answer is waited for, counted from the step before this one, which is when it was asked."""
    seconds = asking.rules.person_deadline
    info = get_runtime().execution_info
    if seconds is None or info is None or not info.checkpoint_id:
        return None
    id = UUID(info.checkpoint_id)
    ticks = id.time_low << 28 | id.time_mid << 12 | id.time_hi_version & 0x0FFF
    return EPOCH + timedelta(microseconds=ticks // 10, seconds=seconds)


def _given(asked: Question, due: datetime | None) -> object:
    """What was answered; a `Fault` where nothing was and the time is over. Until then, the run waits here."""
    form: dict[str, Any] = asked["schema"] or {"type": "string"}
    try:
        given: object = interrupt(asked, response_schema=form)
    except GraphInterrupt:
        if due is None or now() < due:
            raise
        return Fault(LATE, own="late")
    return Fault(PASSED, own="let_pass") if given == {PASS: True} else given


def _checked(given: object, brief: Brief, asking: Asking, check: Check | None) -> Answer | Fault:
    """The answer, or what is wrong with it."""
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    if len(text) > LONGEST:
        return Fault("rejected", term(brief.language, "faults", "longer", max_length=LONGEST), content=True)
    answer = Answer(storable(text))
    if asking.schema:
        value, flaw = read(AIMessage(text), Structure(asking.schema, SHARED, asking.plainly, brief.language))
        if flaw:
            return Fault("unparsable", flaw, content=True)
        answer = Answer(answer.text, value)
    elif not isinstance(given, str):
        return Fault("unparsable", term(brief.language, "faults", "text"), content=True)
    reason = check(answer) if check else None
    return Fault("rejected", reason, content=True) if reason else answer
