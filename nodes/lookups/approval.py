"""Approval of look-ups: check a request, and ask the run's owner if the settings require it."""

from typing import Any

from langgraph.types import interrupt
from pydantic import ValidationError

from ...prompts import get_term
from ...state import OWNER, Lookup, LookupStatus, PlannedLookup, StrictModel, ToolDefinition
from ...storage import format_time, get_time
from ..ask.ask_agent import APPROVAL_KIND
from ..ask.ask_external import PASS_KEY, compute_deadline
from .lookup_nodes import count_affordable
from .lookup_record import make_lookup
from .lookup_turn import LookupLoopState, LookupLoopUpdate, LookupTurn, get_lookup_turn, list_tool_requests
from .run_lookup import find_argument_fault

MIN_CHARS = 200
"""Minimum characters of a result to show, even if the turn's limit is reached."""


class Approval(StrictModel):
    """Answer of the run's owner to a requested look-up."""

    approve: bool
    note: str = ""


async def approve(state: LookupLoopState) -> LookupLoopUpdate:
    """Check each requested look-up, and ask the owner where approval is required.

    Reads exchange, lookups; writes planned_lookups, lookups.
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
    planned_lookups, refused = list[PlannedLookup](), list[Lookup]()
    for number, (_, name, arguments) in enumerate(requests, start + 1):
        lookup = PlannedLookup(
            id=f"{call.lookup_prefix}{number}",
            tool=name,
            arguments=arguments or {},
            limit=min(settings.lookups.chars, share),
        )
        status, text, approved_by = find_request_refusal(
            turn, lookup, arguments, definitions, allowed_count > len(planned_lookups)
        )
        lookup = lookup.model_copy(update={"approved_by": approved_by})
        if status:
            refused.append(make_lookup(call, lookup, status, text))
        else:
            planned_lookups.append(lookup)
    turn.reserved += len(planned_lookups)
    turn.spending.lookups += len(planned_lookups)
    return LookupLoopUpdate(planned_lookups=planned_lookups, lookups=refused)


def find_request_refusal(
    turn: LookupTurn,
    lookup: PlannedLookup,
    arguments: dict[str, Any] | None,
    definitions: dict[str, ToolDefinition],
    is_affordable: bool,
) -> tuple[LookupStatus | None, str, str]:
    """Return why a look-up may not run: its status, the reason for the participant, and who decided.

    The status is `None` if the look-up may run. The last value is empty if the owner was not asked. `arguments`: `None`
    if they are no JSON object. `is_affordable`: whether the budget allows the look-up.
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
    """Interrupt the run until its owner approves or denies a look-up.

    After the deadline for people, or if the owner skips the question, the look-up is denied. After an unusable answer,
    Moot asks again.
    """
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
        "fault": "",
    }
    if deadline and get_time() >= deadline:
        return Approval(approve=False, note=get_term(turn.prompt.language, "noted", "late"))
    while (reply := interrupt(payload, response_schema=Approval.model_json_schema())) != {PASS_KEY: True}:
        try:
            return Approval.model_validate(reply)
        except ValidationError:
            payload = payload | {"fault": get_term(turn.prompt.language, "faults", "approval")}
    return Approval(approve=False)


def route_after_approval(state: LookupLoopState) -> str:
    """Route to the look-ups that may run, or back to the participant if none may."""
    return "approved" if state["planned_lookups"] else "none may run"
