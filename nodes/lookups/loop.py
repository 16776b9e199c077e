"""Nodes of the inner graph that answers a question with look-ups.

The participant requests look-ups, and the owner approves them. Then they run in parallel, and the participant
continues. A look-up that may change something runs at most once. Before it begins, the nonce of the invocation is
saved, so that another invocation does not repeat it after a crash.
"""

from dataclasses import replace
from typing import Any

from langgraph.types import Send, interrupt
from pydantic import BaseModel, ConfigDict, ValidationError

from ...models.failures import NoAnswerError
from ...prompts import get_term
from ...state.lookups import Lookup, ToolDefinition
from ...state.lookups.record import LookupStatus
from ...state.statement import OWNER
from ...storage.clock import format_time, get_time
from ..ask.ask_agent import APPROVAL_KIND
from ..ask.ask_external import compute_deadline
from ..ask.ask_with_retries import ask_model
from ..ask.call_options import Answer, CallOptions
from ..ask.step_spending import use_journal, use_spending
from .run_lookup import find_argument_fault, make_lookup
from .turn import (
    LookupLoopState,
    LookupTurn,
    LoopUpdate,
    PlannedLookup,
    build_exchange,
    get_lookup_turn,
    list_tool_requests,
    with_allowed_tools,
)

MIN_CHARS = 200
"""Minimum characters of a result to show, even if the turn's limit is reached."""


class Approval(BaseModel):
    """Answer of the owner to a requested look-up."""

    model_config = ConfigDict(extra="forbid")

    approve: bool
    note: str = ""


async def think(state: LookupLoopState) -> LoopUpdate:
    """Ask the participant, who answers or requests look-ups.

    Reads exchange, lookups, calls, incidents; writes exchange, calls, incidents.
    """
    turn = get_lookup_turn()
    call = build_call(turn, state)
    prompt = replace(turn.prompt, exchange=build_exchange(state, call.lookup_prefix))
    if state["exchange"] and not call.allowed_tools:
        prompt = replace(prompt, retry_reason=get_term(prompt.language, "lookups", "no_more"))

    def find_fault(answer: Answer) -> str | None:
        return turn.check(replace(answer, lookups=state["lookups"])) if turn.check else None

    try:
        async with use_journal(call.settings.prices):
            with use_spending(turn.spending):
                answer = await ask_model(prompt, call, find_fault)
    except NoAnswerError as failure:
        raise NoAnswerError(
            failure.kind,
            [*state["calls"], *failure.calls],
            [*state["incidents"], *failure.incidents],
            failure.prompt_limits,
            failure.replies,
            state["lookups"],
        ) from None
    assert answer.message is not None
    turn.answer = None if answer.wants_tools else answer
    finish = {
        key: answer.message.response_metadata[key]
        for key in ("finish_reason",)
        if key in answer.message.response_metadata
    }
    message = answer.message.model_copy(update={"response_metadata": finish, "usage_metadata": None})
    return LoopUpdate(exchange=[message], calls=answer.calls, incidents=answer.incidents)


def build_call(turn: LookupTurn, state: LookupLoopState) -> CallOptions:
    """Build the options of the next call, with the remaining attempts and the tools that may still be called."""
    call, settings = turn.call, turn.call.settings
    uncounted_calls = [past_call for past_call in state["calls"] if past_call not in turn.spending.calls]
    retries = sum(incident.consequence == "asked again" for incident in state["incidents"])
    called = sum(lookup.status != "too_many" for lookup in state["lookups"])
    call = replace(
        call,
        past_calls=[*call.past_calls, *uncounted_calls],
        max_attempts=max(1, call.max_attempts - retries),
        has_answered=call.has_answered or bool(state["exchange"]),
    )
    has_rounds = len(state["exchange"]) < settings.lookups.rounds
    if has_rounds and called < settings.lookups.per_turn and count_affordable(turn, state["lookups"]) > 0:
        return call
    return with_allowed_tools(call, ())


def count_affordable(turn: LookupTurn, lookups: list[Lookup]) -> int:
    """Count the look-ups that the run's budget still allows."""
    cap = turn.call.settings.budget.lookups
    if cap is None:
        return turn.call.settings.lookups.per_turn
    uncounted = max(0, len(lookups) - turn.reserved)  # those that an earlier invocation of this step ran
    return cap - len(turn.call.past_lookups) - turn.spending.lookups - uncounted


def route_after_thought(state: LookupLoopState) -> str:
    """Route to the approval of requested look-ups, or to the end."""
    return "look up" if list_tool_requests(state["exchange"][-1]) else "answered"


async def approve(state: LookupLoopState) -> LoopUpdate:
    """Check each requested look-up, and ask the owner where approval is required.

    Reads exchange, lookups; writes planned, lookups.
    """
    turn = get_lookup_turn()
    call, settings = turn.call, turn.call.settings
    definitions = {tool.name: tool for tool in settings.tool_definitions if tool.name in call.allowed_tools}
    *earlier_messages, message = state["exchange"]
    start = sum(len(list_tool_requests(earlier_message)) for earlier_message in earlier_messages)
    requests = list_tool_requests(message)
    called = sum(lookup.status != "too_many" for lookup in state["lookups"])
    allowed_count = min(settings.lookups.per_turn - called, count_affordable(turn, state["lookups"]))
    used_chars = sum(len(lookup.text) for lookup in state["lookups"])
    share = max(MIN_CHARS, (settings.lookups.turn_chars - used_chars) // len(requests))
    planned, refused = list[PlannedLookup](), list[Lookup]()
    for number, (_, name, arguments) in enumerate(requests, start + 1):
        lookup = PlannedLookup(
            id=f"{call.lookup_prefix}{number}",
            tool=name,
            arguments=arguments or {},
            limit=min(settings.lookups.chars, share),
        )
        status, text, approved_by = check_request(turn, lookup, arguments, definitions, allowed_count > len(planned))
        lookup = lookup.model_copy(update={"approved_by": approved_by})
        if status:
            refused.append(make_lookup(turn, lookup, status, text))
        else:
            planned.append(lookup)
    turn.reserved += len(planned)
    turn.spending.lookups += len(planned)
    return LoopUpdate(planned=planned, lookups=refused)


def check_request(
    turn: LookupTurn,
    lookup: PlannedLookup,
    arguments: dict[str, Any] | None,
    definitions: dict[str, ToolDefinition],
    is_affordable: bool,
) -> tuple[LookupStatus | None, str, str]:
    """Return the status of a look-up that may not run, the text for the participant, and who decided.

    The status is `None` if it may run.
    """
    language, settings = turn.prompt.language, turn.call.settings
    if lookup.tool not in definitions:
        text = get_term(language, "lookups", "no_such_tool", tool=lookup.tool, tools=", ".join(definitions))
        return "bad_arguments", text, ""
    tool = definitions[lookup.tool]
    if fault := find_argument_fault(tool.parameters, arguments, language):
        return "bad_arguments", fault, ""
    if not is_affordable:
        return "too_many", get_term(language, "lookups", "too_many"), ""
    policy = settings.lookups.approve
    if settings.replay or policy == "never" or (policy == "effects" and tool.reads_only):
        return None, "", ""
    approval = request_approval(turn, lookup)
    if approval.approve:
        return None, "", OWNER
    return "denied", get_term(language, "lookups", "denied", note=approval.note), OWNER


def request_approval(turn: LookupTurn, lookup: PlannedLookup) -> Approval:
    """Wait for the owner's approval. After the deadline for people, or for any other answer, the look-up is denied."""
    call = turn.call
    deadline = compute_deadline(call)
    payload = {
        "kind": APPROVAL_KIND,
        "id": lookup.id,
        "who": call.who,
        "purpose": call.purpose,
        "turn": call.turn,
        "round": call.round,
        "tool": lookup.tool,
        "arguments": lookup.arguments,
        "deadline": format_time(deadline) if deadline else None,
        "language": call.settings.language,
    }
    if deadline and get_time() >= deadline:
        return Approval(approve=False, note=get_term(turn.prompt.language, "noted", "late"))
    reply = interrupt(payload, response_schema=Approval.model_json_schema())
    try:
        return Approval.model_validate(reply)
    except ValidationError:  # also of a skipped question
        return Approval(approve=False)


def route_after_approval(state: LookupLoopState) -> str:
    """Route to the look-ups that may run, or back to the participant if none may."""
    return "approved" if state["planned"] else "none may run"


async def begin(state: LookupLoopState) -> LoopUpdate:
    """Save the nonce of the invocation that begins the look-ups.

    Reads nothing; writes begun.
    """
    return LoopUpdate(begun=get_lookup_turn().nonce)


def send_to_tools(state: LookupLoopState) -> list[Send]:
    """Send each planned look-up to a branch of its own."""
    return [Send("use", {"planned": planned, "begun": state["begun"]}) for planned in state["planned"]]
